"""Wrap a configured server with `sealegs proxy`, and take it out again.

A change is worked out on the text, kept beside the file it came from, and put in its place in one step. The file as it
was is kept until the server is taken out; it only shows whether the entry had a list of arguments, and is otherwise the
user's to restore by hand.
"""

from __future__ import annotations

import hashlib
import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sealegs.adapters.client_configs.config_places import (
    ClientEnvironment,
    ConfigPlace,
    McpClient,
    backup_folder,
    named_places,
    places_of,
)
from sealegs.adapters.client_configs.jsonc import JsoncMember, JsoncValue, edited, parse_jsonc
from sealegs.adapters.client_configs.server_entry import (
    END,
    SEALEGS,
    ServerCommand,
    address_of,
    entry_command,
    unwrapping_edits,
    wrapping_edits,
)
from sealegs.faults.user_error import UserError
from sealegs.traces.atomic_files import write_atomically
from sealegs.traces.redaction import OWNER_ONLY

UVX = ("uvx", "--from", "sealegs[mcp]", SEALEGS)
PASSING = "archive-v0"  # a folder in the path of an environment that uvx makes for one run, and may delete


@dataclass(frozen=True, slots=True)
class FoundServer:
    """A server in a file: the place, the file's text, and the entry."""

    name: str
    place: ConfigPlace
    text: str
    entry: JsoncValue


@dataclass(frozen=True, slots=True)
class ConfigChange:
    """A change that is to be made to a file.

    Attributes:
        place: the file.
        before: its text as it is.
        after: its text as it is to be.
        backup: the file for the text as it was before the server was wrapped.
        command: the command that the client starts then.
    """

    place: ConfigPlace
    before: str
    after: str
    backup: Path
    command: Sequence[str]

    @property
    def command_line(self) -> str:
        """The command line that the client starts, as a shell would take it."""
        return shlex.join(self.command)


def sealegs_command(uvx: bool) -> list[str]:
    """The words that start Sealegs from anywhere.

    Raises:
        UserError: this one will not be there for long.
    """
    if uvx:
        return list(UVX)
    python = Path(sys.executable).absolute()
    if PASSING in python.parts:
        raise UserError(f"this Sealegs is in {python.parent}, which uvx may delete; give --uvx, or install Sealegs")
    beside = python.with_name(f"{SEALEGS}.exe" if sys.platform == "win32" else SEALEGS)
    return [str(beside)] if beside.exists() else [str(python), "-m", SEALEGS]


def found_server(client: McpClient, name: str, file: Path | None, scope: str, around: ClientEnvironment) -> FoundServer:
    """The server of a name.

    Args:
        client: whose it is.
        name: as the client's configuration calls it.
        file: the file that it is in; None to look in all of the client's places.
        scope: the only kind of place to look in; empty for all.
        around: what the places depend on.

    Raises:
        UserError: there is none, or there are several; the message lists what there is.
    """
    places = places_of(client, around) if file is None else named_places(client, file.absolute(), around)
    if scope and file is None:
        places = [place for place in places if place.scope == scope]
        if not places:
            raise UserError(f"{client.title} has no servers of scope {scope!r}; leave --scope out, or give --config")
    if file is not None and not file.exists():
        raise UserError(f"there is no file {file}; name the configuration of {client.title} by --config")
    texts = {place.file: _text(place.file) for place in places if place.file.exists()}
    found: list[FoundServer] = []
    known: list[str] = []
    for place in places:
        if place.file not in texts:
            continue
        text = texts[place.file]
        for server in _servers(text, place):
            known.append(f"{server.name!r} in {place}")
            if server.name == name:
                found.append(FoundServer(name, place, text, server.value))
    # To change one of them and leave another, by which the client starts the server all the same, would look like a
    # success.
    if len(found) > 1:
        named = ", ".join(dict.fromkeys(str(one.place) for one in found))
        raise UserError(
            f"the server {name!r} is configured in several places: {named}; choose one by --scope or --config"
        )
    if found:
        return found[0]
    if known:
        raise UserError(f"{client.title} has no server {name!r}; there are {', '.join(known)}")
    looked = ", ".join(dict.fromkeys(str(place.file) for place in places))
    raise UserError(f"{client.title} has no servers; looked in {looked}; name its file by --config")


def wrapped(server: FoundServer, proxy: Sequence[str], around: ClientEnvironment) -> ConfigChange:
    """The change that puts a proxy before a server.

    Args:
        server: the server.
        proxy: the proxy's words, without `--`.
        around: what the place of the backup depends on.

    Raises:
        UserError: the server is wrapped already, or cannot be.
    """
    address = address_of(server.entry)
    if address:
        raise UserError(
            f"the server {server.name!r} is reached by its address {address}, and a proxy before it has an address of"
            f" its own: run `{shlex.join([*proxy, '--url', address, '--port', '8001'])}` and let the entry in"
            f" {server.place.file} name the address that it prints"
        )
    command = _command(server)
    if command.own:
        raise UserError(
            f"the server {server.name!r} in {server.place} is wrapped already ({shlex.join(command.words)}); take it"
            " out with `sealegs uninstall` first"
        )
    after = edited(server.text, wrapping_edits(server.text, command, [*proxy, END]))
    return _change(server, after, around, [*proxy, END, *command.words])


def unwrapped(server: FoundServer, around: ClientEnvironment) -> ConfigChange:
    """The change that takes the proxy out again.

    Raises:
        UserError: the server is not wrapped.
    """
    command = _command(server) if not address_of(server.entry) else None
    if command is None or not command.own:
        raise UserError(f"the server {server.name!r} in {server.place} is not wrapped; there is nothing to undo")
    backup = _backup_file(server, around)
    after = edited(server.text, unwrapping_edits(server.text, command, _had_args(server, backup)))
    return _change(server, after, around, command.words[command.own :])


def make_change(change: ConfigChange, *, keep: bool) -> None:
    """Put the changed file in its place, in one step.

    Args:
        change: what to do.
        keep: whether to keep the file as it was (else what was kept is removed).

    Raises:
        UserError: the file was changed meanwhile, or cannot be written.
    """
    file = change.place.file.resolve()  # a link to a file stays one
    if keep:
        write_atomically(change.backup, change.before, mode=OWNER_ONLY)
    if _text(file) != change.before:
        raise UserError(f"{file} was changed meanwhile; close the client and try again")
    write_atomically(file, change.after, f"make {file.parent} writable", mode=file.stat().st_mode & 0o777)
    if not keep:
        change.backup.unlink(missing_ok=True)


def _change(server: FoundServer, after: str, around: ClientEnvironment, command: Sequence[str]) -> ConfigChange:
    parse_jsonc(after)  # what we write can be read
    return ConfigChange(server.place, server.text, after, _backup_file(server, around), command)


def _command(server: FoundServer) -> ServerCommand:
    try:
        return entry_command(server.entry)
    except ValueError as error:
        raise UserError(f"{server.place.file}: the server {server.name!r} cannot be wrapped: {error}") from error


def _backup_file(server: FoundServer, around: ClientEnvironment) -> Path:
    where = "\0".join((str(server.place.file.resolve()), *server.place.keys, server.name))
    return backup_folder(around) / f"{hashlib.sha256(where.encode(errors='replace')).hexdigest()[:16]}.json"


def _had_args(server: FoundServer, backup: Path) -> bool:
    """Return whether the entry had a list of arguments before; where that is not known, an empty one does no harm."""
    try:
        before = next(one for one in _servers(_text(backup), server.place) if one.name == server.name)
    except (UserError, StopIteration):
        return True
    return before.value.member("args") is not None


def _text(file: Path) -> str:
    try:
        return file.read_bytes().decode()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8"
        raise UserError(f"cannot read {file}: {why}; name another file by --config") from error


def _servers(text: str, place: ConfigPlace) -> Sequence[JsoncMember]:
    """The servers at a place; empty if the file has no such place."""
    if not text.strip():
        return ()
    try:
        value = parse_jsonc(text)
        for key in place.keys:
            member = value.member(key)
            if member is None:
                return ()
            value = member.value
        for one in value.members:
            value.member(one.name)  # each once
    except ValueError as error:
        raise UserError(f"{place.file} is not JSON that can be changed: {error}; mend it first") from error
    return value.members


def on_path(program: str) -> bool:
    """Return whether a program can be started by its name."""
    return shutil.which(program) is not None
