"""Shards: an exact division of the work of a command, so that several machines do together what one would do.

Keys are dealt in the order of their hashes. Each key is so of one shard, no shard has two keys more than another, and
neither the order of the keys nor the number of processes matters. A shard's folder says in `shard.json` which shard it
is, of what, and which code made it; `sealegs merge` joins such folders.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from sealegs.faults import seeds
from sealegs.faults.user_error import UserError
from sealegs.traces.atomic_files import write_atomically

NOTE = "shard.json"
MOST_SHARDS = 100_000
OURS = __name__.partition(".")[0]
NAMED = 5  # shards, or keys, that a message names
SHARD_HELP = "i/n: do the i-th of n equal parts alone; `sealegs merge` joins their folders."
ELSEWHERE = "name another folder with --out"
T = TypeVar("T")


class Shard(NamedTuple):
    """One part of several, counted from 1."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    @property
    def suffix(self) -> str:
        """The ending that it adds to a folder's name."""
        return f"-shard-{self.number}-of-{self.of}"

    def among(self, items: Iterable[T], key: Callable[[T], str]) -> list[T]:
        """Return the items that are this shard's, in their order.

        Args:
            items: all items.
            key: the name of an item, which no other has.
        """
        every = list(items)
        dealt = sorted(range(len(every)), key=lambda place: _rank(key(every[place])))
        # Dealt by rank like cards, so that shards differ by one key at most; a hash modulo n would not ensure that.
        return [every[place] for place in sorted(dealt[self.number - 1 :: self.of])]


def _rank(key: str) -> tuple[int, str]:
    return seeds.digest("shard", key), key  # the key breaks ties of the digest


def parse_shard(text: str) -> Shard | None:
    """Read a shard from i/n; None for an empty text, which is the whole.

    Raises:
        UserError: it is no such text, or there is no such shard.
    """
    if not text:
        return None
    found = re.fullmatch(r"([0-9]{1,18})/([0-9]{1,18})", text)
    if found is None:
        raise UserError(f"--shard {text!r} is not of the form i/n; write for example --shard 2/8")
    number, of = int(found[1]), int(found[2])
    if not 1 <= of <= MOST_SHARDS:
        raise UserError(f"--shard {text}: there can be 1 to {MOST_SHARDS:,} shards; change the second number")
    if not 1 <= number <= of:
        raise UserError(f"--shard {text}: shards are counted from 1 to {of}; change the first number")
    return Shard(number, of)


@dataclass(frozen=True)
class ShardNote:
    """The note in a shard's folder.

    Attributes:
        kind: the kind of work that is divided: a suite's name, `data` or `tasks`.
        shard: the part that it is, as i/n.
        own: the number of the shard's keys.
        total: the number of all keys.
        keys: a digest of all keys.
        asked: the request, as JSON data; equal for all shards of one whole.
        files: digests of the files that this names, by their names.
        code: a digest of the code that does the work.
    """

    kind: str
    shard: str
    own: int
    total: int
    keys: str
    asked: Mapping[str, Any]
    files: Mapping[str, str]
    code: str

    @property
    def place(self) -> Shard:
        """The part that it is of the whole."""
        found = parse_shard(self.shard)
        assert found is not None
        return found

    def whole(self) -> dict[str, Any]:
        """The facts in which all shards of one whole agree."""
        return {name: value for name, value in asdict(self).items() if name not in ("shard", "own")}


def describe_shard(
    shard: Shard, kind: str, keys: Sequence[str], request: Mapping[str, Any], modules: Sequence[str] = ()
) -> ShardNote:
    """The note for a shard's folder.

    Args:
        shard: the part.
        kind: the kind of work that is divided.
        keys: of all parts.
        request: as JSON data.
        modules: those besides Sealegs whose code does the work.
    """
    own = len(range(shard.number - 1, len(keys), shard.of))
    data = json.loads(json.dumps(dict(request)))  # as it will be read back: tuples become lists
    files = {text: files_digest(Path(text)) for text in _texts(data) if _names_files(text)}
    code = " ".join(source_digest(name.partition(".")[0]) for name in dict.fromkeys((OURS, *modules)))
    return ShardNote(kind, str(shard), own, len(keys), keys_digest(keys), data, files, code)


def keys_digest(keys: Iterable[str]) -> str:
    """A digest of a set of keys, whatever their order."""
    return hashlib.sha256("\x1f".join(sorted(keys)).encode("utf-8", "surrogatepass")).hexdigest()


def files_digest(place: Path) -> str:
    """A digest of a file, or of all files in a folder with their names; caches and hidden files are left out."""
    if place.is_file():
        return hashlib.sha256(place.read_bytes()).hexdigest()
    found = hashlib.sha256()
    for file in sorted(place.rglob("*")):
        name = file.relative_to(place)
        if file.is_file() and not any(part.startswith(".") or part == "__pycache__" for part in name.parts):
            # The same on every system, so that machines of different kinds can share the work.
            found.update(f"{name.as_posix()}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
    return found.hexdigest()


@cache
def source_digest(package: str) -> str:
    """A digest of the files of an imported package, or of a module without one."""
    module = sys.modules[package]
    folders = [Path(folder) for folder in getattr(module, "__path__", ())]
    file = getattr(module, "__file__", None)
    return " ".join(files_digest(one) for one in (folders or ([Path(file)] if file else [])))


def _texts(data: Any) -> list[str]:
    """All texts in JSON data."""
    if isinstance(data, str):
        return [data]
    inner = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return [text for one in inner for text in _texts(one)]


def _names_files(text: str) -> bool:
    """Return whether a text is a path of something that is there; a name without a folder is none."""
    try:
        return ("/" in text or text.endswith((".py", ".yaml", ".yml", ".json"))) and Path(text).exists()
    except (OSError, ValueError):  # too long for a name, or not to be one
        return False


def read_shard_note(folder: Path) -> ShardNote | None:
    """The note of the shard that a folder holds; None if it is not a shard's.

    Raises:
        UserError: the note is damaged.
    """
    file = folder / NOTE
    try:
        note = ShardNote(**json.loads(file.read_text(encoding="utf-8")))
        # `place` parses the shard and so finds a damaged one.
        return note if note.place else None
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, TypeError, AssertionError) as error:
        raise UserError(
            f"{file} is damaged ({type(error).__name__}: {error}); delete the folder, or restore it"
        ) from error


def open_shard_folder(folder: Path, note: ShardNote | None) -> None:
    """Make or check a shard's folder before anything is done in it.

    Args:
        folder: where the work is kept.
        note: what it must say; None where the work is not divided.

    Raises:
        UserError: it holds another shard, a shard of something else, or work that is not divided.
    """
    before = read_shard_note(folder)
    if note is None:
        if before is not None:
            raise UserError(f"{folder} holds shard {before.shard}; add --shard {before.shard}, or {ELSEWHERE}")
        return
    if before is None:
        # The note is written before any work, so files without one are of something else.
        if holds_files(folder):
            raise UserError(f"{folder} is not empty and holds no shard; {ELSEWHERE}")
        write_atomically(folder / NOTE, json.dumps(asdict(note), indent=1) + "\n", ELSEWHERE)
        return
    if before.shard != note.shard:
        raise UserError(f"{folder} holds shard {before.shard}, not {note.shard}; {ELSEWHERE}")
    if differing := differences_between(before, note):
        raise UserError(f"{folder} holds shard {before.shard} of other work ({differing}); {ELSEWHERE}")


def differences_between(one: ShardNote, other: ShardNote) -> str:
    """The differences between the wholes of two shards, in words; empty if they are one."""
    before, now = one.whole(), other.whole()
    earlier, wanted = before.pop("asked"), now.pop("asked")
    differing = [
        f"{name} was {earlier.get(name)!r}, is {wanted.get(name)!r}"
        for name in {**earlier, **wanted}
        if earlier.get(name) != wanted.get(name)
    ]
    words = {
        "kind": f"{one.kind} and {other.kind}",
        "code": "the version of the code",
        "files": "what is in the files that it names",
        "keys": "what there is to do",
        "total": f"{one.total} and {other.total} parts of work",
    }
    # A different request explains all that follows from it, so only the first cause is named.
    differing += [words[name] for name in words if not differing and before[name] != now[name]]
    return "; ".join(differing)


def is_empty_shard(folder: Path) -> bool:
    """Return whether a folder is that of a shard without anything to do."""
    note = read_shard_note(folder)
    return note is not None and not note.own


def absent_shards_note(folders: Iterable[Path]) -> list[str]:
    """Notes for a reader if the shards in these folders are not all of their whole; nothing if they are."""
    found: dict[str, list[ShardNote]] = {}
    for note in filter(None, map(read_shard_note, folders)):
        found.setdefault(json.dumps(note.whole(), sort_keys=True), []).append(note)
    lines = []
    for notes in found.values():
        places = sorted({note.place for note in notes})
        if len(places) < places[0].of:
            some = ", ".join(str(place) for place in places[:NAMED]) + (", ..." if len(places) > NAMED else "")
            own, total = sum(note.own for note in notes), notes[0].total
            this, them = ("this is shard", "it") if len(places) == 1 else ("these are the shards", "them")
            lines.append(f"{this} {some}: {own:,} of {total:,}; `sealegs merge` joins {them} with the others")
    return lines


def holds_files(folder: Path) -> bool:
    """Return whether anything is in a folder besides a shard's note and what a killed process was writing."""
    return folder.is_dir() and any(file.name != NOTE and not file.name.startswith(".") for file in folder.iterdir())
