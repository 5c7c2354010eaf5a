"""A transcript: all messages as one text, a line of JSON each."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from sealegs.faults.spec import ToolSpec
from sealegs.training.data.exporters.exporter import Exporter, Row, RowTurn
from sealegs.training.data.exporters.trl_rows import TrlRows
from sealegs.training.data.trajectory_player import Message


class TranscriptRows(Exporter):
    """One text for each trajectory."""

    name: ClassVar[str] = "transcript"
    column: ClassVar[str] = "transcript"

    def columns(self, messages: Sequence[Message], specs: Sequence[ToolSpec], *, gave_up: bool) -> Row:
        """The text."""
        return {"transcript": "\n".join(json.dumps(message) for message in messages)}

    def turns(self, row: Row) -> Iterator[RowTurn]:
        """The calls of its messages."""
        return TrlRows().turns(_parsed(row))

    def last_words(self, row: Row) -> str | None:
        """The last of its messages."""
        return TrlRows().last_words(_parsed(row))

    def fields(self, data: Any) -> dict[str, Any]:
        """A text."""
        import pyarrow as pa

        return {"transcript": pa.string()}


def _parsed(row: Row) -> Row:
    return {"messages": [json.loads(line) for line in row["transcript"].split("\n")]}
