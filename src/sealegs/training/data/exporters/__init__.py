"""The formats in which rows are written, one file each; `--row-format` takes their names; `both`: the first two."""

from __future__ import annotations

from collections.abc import Mapping

from sealegs.training.data.exporters.exporter import Exporter, Row
from sealegs.training.data.exporters.toolbench_rows import ToolBenchRows
from sealegs.training.data.exporters.trl_rows import TrlRows

EXPORTERS: tuple[Exporter, ...] = (
    TrlRows(),
    ToolBenchRows(),
)
FORMS: Mapping[str, tuple[Exporter, ...]] = {one.name: (one,) for one in EXPORTERS} | {"both": EXPORTERS[:2]}


def exporters_of(row: Row) -> tuple[Exporter, ...]:
    """Those that wrote a row."""
    return tuple(one for one in EXPORTERS if one.column in row)


def row_reader(row: Row) -> Exporter:
    """The first that can read a row."""
    return exporters_of(row)[0]
