"""The entry of one server in a client's configuration, put behind `sealegs proxy` and taken out again.

The proxy's words are put before the server's own: its command becomes the first argument after `--`, its arguments stay
where they are, and the rest of the entry (environment, folder, comments) is not touched. So the entry itself says what
it was, and edits that were made meanwhile stay. Only whether there was an empty list of arguments or none has to be
told. Servers that the client reaches by an address have no command, and are left alone.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath, PureWindowsPath

from sealegs.adapters.client_configs.jsonc import Edit, JsoncMember, JsoncValue, blank_length

SEALEGS = "sealegs"  # the script, and the module of `python -m`
END = "--"  # after it comes the server's own command
ADDRESSES = ("url", "serverUrl", "httpUrl")
REMOTE = ("http", "sse", "streamable-http", "streamableHttp", "ws")


@dataclass(frozen=True, slots=True)
class ServerCommand:
    """The command that an entry starts.

    Attributes:
        command: the member that names the program.
        args: the member with its arguments; None where there is none.
    """

    command: JsoncMember
    args: JsoncMember | None

    @property
    def words(self) -> list[str]:
        """The command line."""
        return [self.command.value.data, *([] if self.args is None else self.args.value.data)]

    @property
    def own(self) -> int:
        """The index of the word that begins the server's own command; 0 where no proxy is before it."""
        words = self.words
        begin = _proxy_words(words)
        if not begin or END not in words[begin:]:
            return 0
        own = words.index(END, begin) + 1
        return own if own < len(words) else 0


def entry_command(entry: JsoncValue) -> ServerCommand:
    """The command that an entry starts.

    Raises:
        ValueError: it starts nothing, or is not an entry of a server; the message says why.
    """
    if not isinstance(entry.data, dict):
        raise ValueError("it is not an object")
    command, args = entry.member("command"), entry.member("args")
    if command is None or not isinstance(command.value.data, str) or not command.value.data:
        raise ValueError("it has no `command`")
    if args is not None and not _are_texts(args.value.data):
        raise ValueError(f"its `args` are not a list of texts but {json.dumps(args.value.data)}")
    return ServerCommand(command, args)


def address_of(entry: JsoncValue) -> str:
    """The address of a server that is reached by one; empty where it is started."""
    data = entry.data if isinstance(entry.data, dict) else {}
    address = next((str(data[name]) for name in ADDRESSES if data.get(name)), "")
    return address if address or data.get("type") not in REMOTE else "(no address)"


def wrapping_edits(text: str, entry: ServerCommand, proxy: Sequence[str]) -> list[Edit]:
    """The edits that put a proxy before a server.

    Args:
        text: the file.
        entry: what is started.
        proxy: the words of the proxy, the last of them `--`.
    """
    command, args = entry.command.value, entry.args
    # The server's command as it is written there, escapes included, so that it comes back byte for byte.
    words = [*(json.dumps(word, ensure_ascii=False) for word in proxy[1:]), text[command.start : command.end]]
    edits: list[Edit] = [(command.start, command.end, json.dumps(proxy[0], ensure_ascii=False))]
    if args is None:
        gap = _gap_before(text, entry.command.start)
        edits.append((command.end, command.end, f',{gap}"args": [{", ".join(words)}]'))
    elif args.value.items:
        first = args.value.items[0].start
        gap = _gap_before(text, first) if "\n" in text[args.value.start : first] else " "
        edits.append((first, first, "".join(f"{word},{gap}" for word in words)))
    else:
        begin = args.value.start + 1
        edits.append((begin, begin, ", ".join(words)))
    return edits


def unwrapping_edits(text: str, entry: ServerCommand, had_args: bool) -> list[Edit]:
    """The edits that take the proxy out again.

    Args:
        text: the file.
        entry: what is started, a proxy before a server.
        had_args: whether the entry had a list of arguments before, be it an empty one.
    """
    assert entry.args is not None
    command, args, own = entry.command.value, entry.args.value, entry.own
    program, rest = args.items[own - 1], args.items[own:]
    edits: list[Edit] = [(command.start, command.end, text[program.start : program.end])]
    if rest:
        return [*edits, (args.items[0].start, rest[0].start, "")]
    between = text[command.end : entry.args.start]
    if not had_args and between.strip() == ",":
        return [*edits, (command.end, args.end, "")]
    after = program.end + blank_length(text, program.end)
    end = after + 1 if text[after] == "," else program.end
    return [*edits, (args.items[0].start, end, "")]


def _proxy_words(words: Sequence[str]) -> int:
    """The number of words that call the proxy, in the forms that `install` writes; 0 where they do not."""
    named = _stem(words[0])
    if named == SEALEGS and words[1:2] == ["proxy"]:
        return 2
    if named == "uvx" and words[1:2] == ["--from"] and words[3:5] == [SEALEGS, "proxy"]:
        return 5
    return 4 if list(words[1:4]) == ["-m", SEALEGS, "proxy"] else 0


def _stem(program: str) -> str:
    """A program's name, without folders and `.exe`."""
    return PureWindowsPath(PurePosixPath(program).name).name.removesuffix(".exe")


def _gap_before(text: str, at: int) -> str:
    """The white space before something, with its line end; a space where there is none or more than that."""
    begin = len(text[:at].rstrip(" \t\r\n"))
    return text[begin:at] if begin and text[begin - 1] in "{[," and begin < at else " "


def _are_texts(data: object) -> bool:
    return isinstance(data, list) and all(isinstance(one, str) for one in data)
