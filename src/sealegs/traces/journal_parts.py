"""Files that grow, on stores that only take whole objects: numbered parts, and an index that says which of them count.

`episodes.jsonl` is there as `episodes.jsonl.parts/000001-000001-5e2bf57d.jsonl` and so on: the number of the writer,
that of the part, and the beginning of its digest. In the order of their names, one after the other, they are the file.
The index of a folder (`.sealegs-index/000001.json`, by the writer's number) names the parts of all its files, with
sizes and digests, and is written after them. So a killed writer leaves at most parts that no index names, which count
for nothing; what an index names and is missing, or is not what was written, is noticed. The index of the highest
number is the one that counts: a writer that was thought dead writes to one that nobody reads any more.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from sealegs.faults.user_error import UserError

FORMAT = 1
INDEX, LOCK, PARTS = ".sealegs-index", ".sealegs-lock", ".parts"
CHAIN = ".chain"
# Appended to all the time, so that they would be written again and again if they were whole. Any other is whole.
GROWING = ("episodes.jsonl", "journal.jsonl", "ahead.jsonl", "parts.jsonl", "verdicts.jsonl")
DIGITS = 32  # of a part's digest
_NUMBERED = re.compile(r"([0-9]{6,})\.json")


class DamagedParts(UserError):
    """An index names a part that is missing, or that is not what was written."""


class JournalPart(NamedTuple):
    """A part of a file.

    Attributes:
        name: of the object, in the folder of the file's parts.
        size: in bytes.
        digest: of them.
    """

    name: str
    size: int
    digest: str


def new_part(writer: int, number: int, data: bytes, suffix: str) -> JournalPart:
    """The part that holds this."""
    digest = part_digest(data)
    # The digest keeps two writers apart that a store without conditions gave one number.
    return JournalPart(f"{writer:06}-{number:06}-{digest[:8]}{suffix}", len(data), digest)


def part_digest(data: bytes) -> str:
    """The digest of a part."""
    return hashlib.sha256(data).hexdigest()[:DIGITS]


def joined_parts(parts: Sequence[JournalPart], read: Callable[[str], bytes], where: str) -> Iterator[bytes]:
    """The contents of a file, part by part.

    Args:
        parts: as the index names them.
        read: the object of this name; raises `FileNotFoundError` if there is no such object.
        where: the folder of the parts, for messages.

    Raises:
        DamagedParts: one is missing or torn.
    """
    for part in parts:
        try:
            data = read(part.name)
        except FileNotFoundError as error:
            raise DamagedParts(f"{where}/{part.name} is missing; restore it, or delete the run") from error
        if len(data) != part.size:
            problem = f"has {len(data):,} bytes, and {part.size:,} were written"
            raise DamagedParts(f"{where}/{part.name} {problem}; restore it, or delete the run")
        if part_digest(data) != part.digest:
            raise DamagedParts(f"{where}/{part.name} is not what was written; restore it, or delete the run")
        yield data


def encode_index(journals: Mapping[str, Sequence[JournalPart]]) -> bytes:
    """The index of a folder: the parts of each file that grows there."""
    files = {name: [list(part) for part in parts] for name, parts in sorted(journals.items())}
    return (json.dumps({"index": FORMAT, "files": files}) + "\n").encode()


def decode_index(data: bytes, where: str) -> dict[str, list[JournalPart]]:
    """The parts of each file that grows in a folder.

    Args:
        data: the index.
        where: its name, for messages.

    Raises:
        UserError: it is not an index, or one of another version.
    """
    try:
        found = json.loads(data)
        if found["index"] != FORMAT:
            problem = f"is of version {found['index']!r}, and this Sealegs reads {FORMAT}"
            raise UserError(f"{where} {problem}; read it with the Sealegs that wrote it")
        return {
            str(name): [JournalPart(str(part), int(size), str(digest)) for part, size, digest in parts]
            for name, parts in found["files"].items()
        }
    except UserError:
        raise
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise UserError(f"{where} is damaged ({type(error).__name__}: {error}); restore it") from error


def numbered(names: Iterable[str], kind: str) -> dict[str, dict[int, str]]:
    """The objects of a kind (`INDEX` or `LOCK`) by their folder and number."""
    found: dict[str, dict[int, str]] = {}
    for name in names:
        place = PurePosixPath(name)
        if place.parent.name == kind and (number := _NUMBERED.fullmatch(place.name)):
            found.setdefault(inside(str(place.parent.parent)), {})[int(number[1])] = name
    return found


def numbered_name(folder: str, kind: str, number: int) -> str:
    """The name of an index or a lock."""
    return beneath(folder, f"{kind}/{number:06}.json")


def beneath(folder: str, name: str) -> str:
    """A name in a folder, either of which may be the root ('')."""
    return f"{folder}/{name}" if folder else name


def inside(folder: str) -> str:
    """A folder's name as it is kept here: '' for the root."""
    return "" if folder == "." else folder


def is_growing(name: str) -> bool:
    """Return whether a file is kept in parts."""
    return PurePosixPath(name).name.removesuffix(CHAIN) in GROWING


def is_plain(name: str) -> bool:
    """Return whether an object is a file of the folder by itself: no part, no index, no lock."""
    *folders, _ = ("", *PurePosixPath(name).parts)
    return not any(one in (INDEX, LOCK) or one.removesuffix(PARTS) in _KEPT for one in folders)


_KEPT = frozenset(GROWING) | {name + CHAIN for name in GROWING}
