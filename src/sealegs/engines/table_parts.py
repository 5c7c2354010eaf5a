"""A table beside a file of records, of what was found out about its episodes: derived from them, and kept in parts.

A part (`verdicts-00001.parquet`, and so on) is about episodes that follow each other in the file. Its footer says which
bytes these are, their SHA-256, and which code made it, with the judge. A reader takes the parts that are of the file's
beginning, one after the other, as long as each is of the bytes that are there, of today's code and of its judge; it
reads the records themselves from there on, and writes what it found out as further parts. So a table that is missing,
stale, foreign or unfinished costs time and changes nothing. Each part is there whole or not at all, hence nothing else
says which of them count.

An Inspect log is a file of records, too (`LogTableParts`). Its samples do not follow each other as bytes do, so the
digest in each of its parts is that of the whole log; when the log changes, all of its parts are made again.

It needs pyarrow; without it no part is read or written.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, fields, is_dataclass
from functools import cache, cached_property
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_origin, get_type_hints

from sealegs.engines.shards import OURS, source_digest
from sealegs.engines.summed_bytes import SUM, ZEROS, summed
from sealegs.faults.user_error import UserError
from sealegs.traces.atomic_files import write_atomically
from sealegs.traces.episode_ranges import FILE_BEGINS, EpisodePlace
from sealegs.traces.record_files import open_records
from sealegs.traces.redaction import OWNER_ONLY

if TYPE_CHECKING:
    import pyarrow as pa

T = TypeVar("T")
LEAST = 1_000  # rows of a part: fewer episodes are judged again faster than pyarrow is imported
MOST = 20_000  # rows of a part, which are held in memory
PARTS = "*verdicts-*.parquet"  # the names of all parts, of records and of logs
ENCODED = 1_000  # of them, that are at a time in the form from which Arrow makes columns, which takes the most
NOTE = b"sealegs"  # of the footer: where the part's note is
BLOCK = 1 << 20  # bytes that are hashed at a time
HASHED = 2  # parts at a time
PLAIN = frozenset({str, int, float, bool, tuple, type(None)})  # most values are; asking what they are takes longer
DAMAGE = (
    OSError,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
)  # raised over a damaged part, besides Arrow's own


def tables_usable() -> bool:
    """Return whether parts can be read and written here."""
    return find_spec("pyarrow") is not None


def has_name(judge: Callable[..., Any]) -> bool:
    """Return whether a judge can be told from others: what is made while a program runs may be another next time."""
    return "<" not in getattr(judge, "__qualname__", "<")


def judging_code(judge: Callable[..., Any]) -> str:
    """The code that verdicts of a judge depend on: Sealegs's files, its name, and the files of its package."""
    packages = dict.fromkeys((OURS, judge.__module__.partition(".")[0]))
    return " ".join((*map(source_digest, packages), f"{judge.__module__}.{judge.__qualname__}"))


@dataclass(frozen=True)
class PartNote:
    """The note of a part about itself.

    Attributes:
        code: digests of Sealegs's files, which hold the tasks and the table's columns, and the judge (`judging_code`).
        start, end: the bytes of the records that it is about; of a log, its samples.
        line: the number of their last line.
        digest: the SHA-256 of these bytes; of a log, that of all its bytes.
        sets: the task sets that do not ship, by folder, with their editions.
        last: whether nothing is known to follow it in the log.
    """

    code: str
    start: int
    end: int
    line: int
    digest: str
    sets: Mapping[str, str]
    last: bool = False


@dataclass(frozen=True)
class TablePart:
    """A part that is of the records."""

    file: Path
    note: PartNote

    def read(self, columns: Sequence[str] | None = None) -> pa.Table | None:
        """Its rows; None where they are damaged, or another process has written another part in its place.

        `columns`: those that are needed; all by default.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            data = self.file.read_bytes()
            if summed(data) != data:
                return None
            with pq.ParquetFile(pa.BufferReader(data)) as file:
                found = file.read(columns)
            return found if _note_in(found.schema) == self.note else None
        except (*DAMAGE, pa.ArrowException):
            return None


Row = Mapping[str, Any]


class TableParts:
    """The table of a file of records.

    Args:
        records: the file.
        schema: of the table.
        encode: makes the rows of a part such as the schema has them, one after the other.
        edition: of the task set in a folder; what it raises as `UserError` makes the parts about that set stale.
        judge: whose findings the rows hold.
    """

    def __init__(
        self,
        records: Path,
        schema: pa.Schema,
        encode: Callable[[Iterable[Row]], Iterable[dict[str, Any]]],
        edition: Callable[[str], str],
        judge: Callable[..., Any],
    ) -> None:
        self._records, self._schema, self._encode, self._edition = records, schema, encode, edition
        self._judge = judge

    @cached_property
    def code(self) -> str:
        """The code that parts must be of."""
        return judging_code(self._judge)

    @property
    def columns(self) -> Sequence[str]:
        """The names of the columns."""
        names: list[str] = self._schema.names
        return names

    @property
    def whole(self) -> str:
        """The digest that all parts have in common; empty where each has that of its own bytes."""
        return ""

    def file(self, number: int) -> Path:
        """The path of the part of this number, from 1 on."""
        return self._records.with_name(f"verdicts-{number:05}.parquet")

    def valid(self) -> list[TablePart]:
        """The parts that are of the file's beginning and made by today's code, in order."""
        found: list[TablePart] = []
        end = 0
        while (part := self._part(len(found) + 1)) and part.note.start == end:
            found.append(part)
            end = part.note.end
        same = self._are_of_records(found)
        return found[: same.index(False)] if False in same else found

    def write(self, number: int, rows: Iterable[Row], note: PartNote) -> None:
        """Write a part; those after it go, since they were about other bytes.

        Raises:
            UserError: it cannot be written.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        later = number
        while (stale := self.file(later)).exists():
            stale.unlink()
            later += 1
        noted = self._schema.with_metadata({NOTE: json.dumps(asdict(note)), SUM: ZEROS})
        target = pa.BufferOutputStream()
        pq.write_table(self._columns_of(rows, noted), target, compression="zstd")
        write_atomically(self.file(number), summed(target.getvalue().to_pybytes()), mode=OWNER_ONLY)
        pa.default_memory_pool().release_unused()  # it would keep some 50 MiB for the next part

    def _columns_of(self, rows: Iterable[Row], schema: pa.Schema) -> pa.Table:
        import pyarrow as pa

        encoded, batches = iter(self._encode(rows)), []
        while some := list(islice(encoded, ENCODED)):
            batches.append(pa.RecordBatch.from_pylist(some, schema))
        # In one piece, so that a part does not show how many rows were encoded at a time.
        return pa.Table.from_batches(batches, schema).combine_chunks()

    def _part(self, number: int) -> TablePart | None:
        """The part of this number; None where there is none that may be trusted whatever the records hold."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            schema = pq.read_schema(self.file(number))
            note = _note_in(schema)
            known = note.code == self.code and schema.equals(self._schema)
            current = known and all(self._edition(folder) == edition for folder, edition in note.sets.items())
        except (*DAMAGE, pa.ArrowException):
            return None
        return TablePart(self.file(number), note) if current else None

    def _are_of_records(self, parts: Sequence[TablePart]) -> list[bool]:
        """Compare each part with the bytes that are there; true where they are the same."""
        with ThreadPoolExecutor(HASHED) as threads:
            return list(threads.map(self._is_of_records, parts))

    def _is_of_records(self, part: TablePart) -> bool:
        return _digest(self._records, part.note.start, part.note.end) == part.note.digest


class LogTableParts(TableParts):
    """The table of a log of Inspect's: every part is of the whole file."""

    def file(self, number: int) -> Path:
        """The path of the part of this number: a folder may hold several logs."""
        return self._records.with_name(f"{self._records.stem}.verdicts-{number:05}.parquet")

    @cached_property
    def whole(self) -> str:
        """The digest of the log; taken before it is read, so that the parts of one that changes meanwhile are stale."""
        try:
            return _digest(self._records, 0, self._records.stat().st_size)
        except OSError:  # reading it says so
            return ""

    def _are_of_records(self, parts: Sequence[TablePart]) -> list[bool]:
        return [part.note.digest == self.whole for part in parts]


def _digest(file: Path, start: int, end: int) -> str:
    """The SHA-256 of these bytes of a file; empty where they are not all there."""
    found, left = hashlib.sha256(), end - start
    with open_records(file) as data:
        data.seek(start)
        while left and (block := data.read(min(left, BLOCK))):
            found.update(block)
            left -= len(block)
    return "" if left else found.hexdigest()


def _note_in(schema: pa.Schema) -> PartNote:
    note = PartNote(**json.loads((schema.metadata or {})[NOTE]))
    if not all(type(one) is int for one in (note.start, note.end, note.line)):
        raise ValueError("the note of a part has no places")
    return note


class PartWriter:
    """Writes rows as parts while records are read. Episodes that do not follow each other without a gap end the table.

    Args:
        parts: the table.
        before: its parts that are valid already.
    """

    def __init__(self, parts: TableParts, before: Sequence[TablePart]) -> None:
        self._parts, self._written = parts, len(before)
        self.after = EpisodePlace(0, before[-1].note.end, before[-1].note.line) if before else FILE_BEGINS
        self._start, self._last, self._open = self.after.end, self.after, True
        self._whole = parts.whole
        self._hash, self._digest = hashlib.sha256(), ""
        self._columns = parts.columns
        self._rows: list[tuple[Any, ...]] = []  # a mapping for each would take three times the memory
        self._sets: dict[str, str] = {}

    def seen(self, line: bytes) -> None:
        """Take a line of the records into account."""
        if self._open:
            self._hash.update(line)

    def add(self, place: EpisodePlace | None, row: Row, sets: Mapping[str, str]) -> None:
        """Add the row of the episode that was just read.

        Args:
            place: where it is.
            row: of the table, not encoded yet.
            sets: the task set that it is of, where that does not ship, with its edition; an empty edition if unknown.
        """
        # Parts are of episodes without a gap: after one that has no place, or is of a set whose edition is unknown,
        # nothing more is written.
        if place is None or place.start != self._last.end or not all(sets.values()):
            self.close()
            self._open = False
        if not self._open or place is None:
            return
        self._rows.append(tuple(map(row.get, self._columns)))
        self._sets |= sets
        self._last, self._digest = place, self._whole or self._hash.copy().hexdigest()
        if len(self._rows) == MOST:
            self.close()

    def end(self) -> None:
        """Write what there is after the last episode; of a file that does not grow, however little it is."""
        self.close(last=bool(self._whole))

    def close(self, *, last: bool = False) -> None:
        """Write what there is, if it is enough for a part. Where it cannot be written, the table ends.

        Args:
            last: whether it is known that nothing will follow.
        """
        least = 1 if last and self._written else LEAST
        if not self._open or len(self._rows) < least:
            return
        about = (self._start, self._last.end, self._last.line, self._digest, self._sets)
        note = PartNote(self._parts.code, *about, last)
        try:
            rows = (dict(zip(self._columns, row, strict=True)) for row in self._rows)
            self._parts.write(self._written + 1, rows, note)
        except (OSError, UserError, TypeError, ValueError, OverflowError):  # or a value is none that Parquet holds
            self._open = False
        self._written, self._start = self._written + 1, self._last.end
        self._hash, self._rows, self._sets = hashlib.sha256(), [], {}


def arrow_schema(columns: Mapping[str, Any]) -> pa.Schema:
    """The schema of columns whose types are Python's, or dataclasses, which become structs."""
    import pyarrow as pa

    return pa.schema([pa.field(name, _arrow_type(hint)) for name, hint in columns.items()])


def _arrow_type(hint: Any) -> pa.DataType:
    import pyarrow as pa

    if get_origin(hint) is Literal:
        return pa.string()
    if is_dataclass(hint):
        hints = get_type_hints(hint)
        return pa.struct([pa.field(one.name, _arrow_type(hints[one.name])) for one in fields(hint)])
    if isinstance(hint, Mapping):
        return pa.struct([pa.field(name, _arrow_type(one)) for name, one in hint.items()])
    known: dict[Any, pa.DataType] = {
        bool: pa.bool_(),
        int: pa.int64(),
        float: pa.float64(),
        str: pa.string(),
        int | None: pa.int64(),
    }
    known |= {float | None: pa.float64(), tuple[str, ...]: pa.list_(pa.string()), tuple[int, ...]: pa.list_(pa.int64())}
    return known[hint]


def struct_values(value: Any) -> Any:
    """A value as Arrow takes it: a dataclass as a mapping of its fields."""
    kind: type[Any] = type(value)
    if kind in PLAIN or not is_dataclass(kind):
        return value
    return {name: struct_values(getattr(value, name)) for name in _field_names(kind)}


@cache
def _field_names(kind: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def column_objects(column: Any, kind: type[T]) -> Iterator[T]:
    """The dataclasses that a column of structs was made of; no struct in it may be missing."""
    return map(kind, *_members(column, kind))


def _members(column: Any, kind: type[Any]) -> Iterator[Iterator[Any]]:
    hints = get_type_hints(kind)
    for field, own in zip(fields(kind), column.flatten(), strict=True):
        hint: Any = hints[field.name]
        # Dataclasses within others are of few kinds: equal ones are one object.
        nested = isinstance(hint, type) and is_dataclass(hint)
        yield map(cache(hint), *_members(own, hint)) if nested else column_values(own)


def column_values(column: Any) -> Iterator[Any]:
    """The values of a column; equal texts are one object, and mostly nothing is made twice."""
    import pyarrow as pa

    if pa.types.is_string(column.type) and not column.null_count:
        coded = column.dictionary_encode()
        words = coded.dictionary.to_pylist()
        return (words[code] for code in coded.indices.to_numpy(zero_copy_only=False).tolist())
    if column.null_count == len(column):
        return iter([None] * len(column))
    if column.null_count or pa.types.is_nested(column.type):
        return iter(column.to_pylist())
    return iter(column.to_numpy(zero_copy_only=False).tolist())
