"""A check of files of records against their chains: the changes since they were written, and their places.

Not covered: records without a chain, and whoever makes records and chain anew without a key.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from sealegs.faults.user_error import UserError
from sealegs.traces.compressed_blocks import CompressionError
from sealegs.traces.record_chain import (
    BEGINNING,
    DIGEST,
    ENDING,
    FORMAT,
    LINES,
    LOST,
    SEAL,
    chain_file,
    entry_digest,
    line_digest,
    record_key,
)
from sealegs.traces.record_files import COMPRESSED, open_records, plain_form, records_exist

NONE = "it has no chain of digests, so nothing says whether it is whole"
OPEN = "it is not sealed: it is still written, its writer was killed, or its end was cut off with that of its chain"
PARTS = ("traces", "replies")  # folders that a run or a review keeps records in
State = Literal["whole", "none", "open", "changed"]


@dataclass(frozen=True, slots=True)
class ChainFinding:
    """The findings of a chain about its file.

    Attributes:
        file: the file of records.
        state: `whole`; `none`: it has no chain; `open`: nobody sealed it; `changed`.
        problems: a sentence for each thing that is not as it was written.
        lines: the number of them.
    """

    file: Path
    state: State
    problems: tuple[str, ...]
    lines: int

    def sentence(self) -> str:
        """All of it, for a reader."""
        return f"{self.file}: {'; '.join(self.problems) or f'whole, {self.lines:,} lines'}"


@dataclass
class _Chain:
    """The contents of a chain's own file, as far as its digests are right."""

    expected: list[str]
    problems: list[str]
    sealed: bool = False


def check_chain(file: Path, key: bytes | None = None) -> ChainFinding:
    """Compare a file of records with its chain.

    Args:
        file: the records.
        key: of the digests; None takes that of `SEALEGS_RECORD_KEY`.

    Raises:
        OSError: a file cannot be read.
    """
    if not records_exist(file) and chain_file(file).exists():
        return ChainFinding(file, "changed", ("cut: all of it is missing",), 0)
    try:
        found = list(_line_digests(file))
    except CompressionError as error:
        return ChainFinding(file, "changed", (str(error),), 0)
    if not chain_file(file).exists():
        return ChainFinding(file, "none", (NONE,), len(found))
    chain = _read_chain(chain_file(file), record_key() if key is None else key)
    # If the chain itself is altered, its digests prove nothing about the lines.
    problems = [*chain.problems, *(_differences(chain.expected, found) if not chain.problems else ())]
    if problems:
        return ChainFinding(file, "changed", tuple(problems), len(found))
    if not chain.sealed:
        return ChainFinding(file, "open", (OPEN,), len(found))
    return ChainFinding(file, "whole", (), len(found))


def check_chains(place: Path) -> list[ChainFinding]:
    """Check a file of records, or every one in a folder, and in the folders there that `PARTS` names.

    Args:
        place: the file or the folder.

    Raises:
        UserError: there is none, or it cannot be read.
    """
    try:
        files = _records_in(place) if place.is_dir() else [plain_form(place)]
        # No file at all would otherwise pass for "all whole".
        if not files:
            raise UserError(f"{place} holds no records (*.jsonl); name a run's folder or a file of records")
        return [check_chain(file) for file in files]
    except OSError as error:
        why = f"{error.filename} cannot be read ({error.strerror})"
        raise UserError(f"{why}; name a run's folder or a file of records") from error


def chain_rows(found: Sequence[ChainFinding]) -> list[dict[str, Any]]:
    """A row of the long table for each file: 100 if it is whole, else 0, in %, and the number of its lines."""
    about = {"suite": "records", "level": "all", "mode": "all", "metric": "whole", "low": None, "high": None}
    return [{**about, "agent": str(one.file), "value": 100.0 * (one.state == "whole"), "n": one.lines} for one in found]


def _records_in(folder: Path) -> list[Path]:
    """The files of records in a folder, and those that only a chain is left of."""
    found: set[Path] = set()
    for part in (folder, *(folder / name for name in PARTS)):
        found.update(filter(_holds_records, map(plain_form, (*part.glob("*.jsonl"), *part.glob(COMPRESSED)))))
        found.update(chain.with_name(chain.name.removesuffix(ENDING)) for chain in part.glob(f"*.jsonl{ENDING}"))
    return sorted(found)


def _holds_records(file: Path) -> bool:
    if chain_file(file).exists():
        return True
    try:
        with open_records(file) as lines:
            return lines.readline(len(BEGINNING)) == BEGINNING
    except CompressionError:
        return True  # and what is wrong with it is told


def _line_digests(file: Path) -> Iterator[str]:
    with open_records(file) as lines:
        yield from map(line_digest, lines)


def _read_chain(file: Path, key: bytes) -> _Chain:
    chain, last = _Chain([], []), ""
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            entry = _entry(line)
            if entry is None:
                chain.problems.append(f"{file.name} is damaged or altered in line {number}")
                return chain
            if number == 1 and (problem := _header_problem(entry, key)):
                chain.problems.append(f"{file.name} {problem}")
                return chain
            # The digest was made over the entry without it.
            digest = entry.pop(DIGEST, None)
            last = entry_digest(last, entry, key)
            if digest != last:
                what = "was made with another key, or altered" if number == 1 else f"was altered in line {number}"
                chain.problems.append(f"{file.name} {what}")
                return chain
            _take(chain, entry)
    if not last:
        chain.problems.append(f"{file.name} is empty")
    return chain


def _entry(line: bytes) -> dict[str, Any] | None:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) and line.endswith(b"\n") else None


def _header_problem(entry: dict[str, Any], key: bytes) -> str:
    if entry.get("chain") != FORMAT:
        return f"is not a chain of this version ({FORMAT})"
    if entry.get("keyed") is not bool(key):
        return "is not keyed, though a key is given" if key else "is keyed; give its key in SEALEGS_RECORD_KEY"
    return ""


def _take(chain: _Chain, entry: dict[str, Any]) -> None:
    chain.sealed = SEAL in entry
    if LINES in entry:
        chain.expected += entry[LINES]
    if LOST in entry:
        chain.problems.append(f"cut behind line {len(chain.expected)}, and continued later")
    if SEAL in entry and entry[SEAL] != len(chain.expected):
        chain.problems.append(f"sealed with {entry[SEAL]} lines, and the chain has {len(chain.expected)}")


def _differences(expected: Sequence[str], found: Sequence[str]) -> list[str]:
    """The changes to the lines, in words."""
    shorter = min(len(expected), len(found))
    first = next((at for at in range(shorter) if expected[at] != found[at]), shorter)
    # Trim what both ends share, so that only the altered part is named.
    last = 0
    while last < shorter - first and expected[-1 - last] == found[-1 - last]:
        last += 1
    lost, new = expected[first : len(expected) - last], found[first : len(found) - last]
    if not lost and not new:
        return []
    if not new:
        at_end = first == len(found)
        return [
            f"cut: {_lines(len(lost))} missing at the end, behind line {first}"
            if at_end
            else f"cut: {_lines(len(lost))} missing behind line {first}"
        ]
    where = f"line {first + 1}" if len(new) == 1 else f"lines {first + 1} to {first + len(new)}"
    if not lost:
        return [f"added: {where}"]
    # The same lines in another order.
    if Counter(lost) == Counter(new):
        return [f"reordered: {where}"]
    if len(lost) == len(new):
        count = sum(one != other for one, other in zip(lost, new))
        return [f"altered: {where if count == len(new) else f'{count} of {where}'}"]
    return [f"altered: {where}, in place of {_lines(len(lost))}"]


def _lines(count: int) -> str:
    return f"{count:,} line" if count == 1 else f"{count:,} lines"
