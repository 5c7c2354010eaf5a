"""Rows on disk, a part at a time, each whole or not at all: JSON lines, or Parquet with pyarrow.

In Parquet the arguments of a call are of Arrow's JSON type, which `datasets` reads back as objects; so no argument of
one tool appears as an empty one of another.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, get_args

from sealegs.faults.user_error import UserError
from sealegs.tasks.editions import CANARY_FIELD
from sealegs.traces.atomic_files import write_atomically
from sealegs.training.data import SPLITS
from sealegs.training.data.exporters import exporters_of
from sealegs.training.data.exporters.exporter import Exporter, Row

Format = Literal["jsonl", "parquet"]
FORMATS: tuple[Format, ...] = get_args(Format)
DATA = "data"


def check_format(format: Format) -> None:
    """Check that the format can be written here.

    Raises:
        UserError: it needs a package that is not there.
    """
    if format == "parquet" and find_spec("pyarrow") is None:
        raise UserError(
            'Parquet needs pyarrow, which is not installed: pip install "sealegs[train-data]", or --file-format jsonl'
        )


def part_name(split: str, number: int, format: Format) -> str:
    """The name of a part, in the order of its rows."""
    return f"{DATA}/{split}-{number:05d}.{format}"


def part(rows: Sequence[Row], format: Format) -> bytes:
    """The bytes of a part."""
    if format == "jsonl":
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    import pyarrow.parquet as pq

    out = io.BytesIO()
    pq.write_table(_table(rows), out, compression="zstd")
    return out.getvalue()


def write(file: Path, data: bytes) -> str:
    """Write a file, whole or not at all.

    Returns:
        the SHA-256 of what was written.

    Raises:
        UserError: it cannot be written.
    """
    write_atomically(file, data, "name another folder with --out")
    return hashlib.sha256(data).hexdigest()


def parts(folder: Path) -> dict[str, list[Path]]:
    """The parts of a set by split, in order.

    Raises:
        UserError: the folder holds none.
    """
    found = {split: sorted((folder / DATA).glob(f"{split}-*.*")) for split in SPLITS}
    if not any(found.values()):
        raise UserError(f"{folder} holds no data; `sealegs data make` makes such folders")
    return {split: files for split, files in found.items() if files}


def read_row_files(files: Iterable[Path]) -> Iterator[Row]:
    """The rows of some parts, arguments as objects in either format.

    Raises:
        UserError: a part cannot be read.
    """
    for file in files:
        try:
            yield from _jsonl(file) if file.suffix == ".jsonl" else _parquet(file)
        except (OSError, ValueError) as error:
            raise UserError(f"cannot read {file}: {error}") from error


def _jsonl(file: Path) -> Iterator[Row]:
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def _parquet(file: Path) -> Iterator[Row]:
    check_format("parquet")
    import pyarrow.parquet as pq

    for batch in pq.ParquetFile(file).iter_batches(256):
        for row in batch.to_pylist():
            for exporter in exporters_of(row):
                row = exporter.restored(row)
            yield row


def _table(rows: Sequence[Row]) -> Any:
    import pyarrow as pa

    wrote = exporters_of(rows[0])
    for exporter in wrote:
        rows = [exporter.stored(row) for row in rows]
    table = pa.Table.from_pylist(rows, schema=_schema(wrote, pa.string()))
    return table.cast(_schema(wrote, pa.json_(pa.string())))


def _schema(wrote: Iterable[Exporter], data: Any) -> Any:
    import pyarrow as pa

    text, whole, truth = pa.string(), pa.int32(), pa.bool_()
    fields: dict[str, Any] = dict.fromkeys(("id", "split", "expert", "base_task"), text)
    fields |= {"variant": whole, "level": text, "failing": truth}
    fields |= dict.fromkeys(("failure_class", "failure_kind", "mode"), text)
    fields |= {"step": whole, "step_tool": text, "moment": text, "strategy": text, "optimal_cost": whole, "cost": whole}
    fields |= {
        "outcome": text,
        "exemplar": text,
        "calls": whole,
        "offered": pa.list_(text),
        "plan": text,
        CANARY_FIELD: text,
    }
    for exporter in wrote:
        fields |= exporter.fields(data)
    return pa.schema(fields)
