"""The interface of a form of rows: a trajectory is written in it, and read again for the checks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from sealegs.agents import UseTool
from sealegs.faults.spec import ToolSpec
from sealegs.training.data.trajectory_player import Message

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class RowTurn:
    """One call of a row: its text, the call, what came of it, and whether it is learned."""

    text: str
    use: UseTool
    answer: str
    trained: bool


class Exporter(ABC):
    """A form of rows.

    Attributes:
        name: what `--row-format` calls it.
        order: what is lower comes first, in a row and where a row is read; `both` takes the first two.
        column: the column by which a row of this form is known; it holds the whole text of the trajectory.
    """

    name: ClassVar[str]
    order: ClassVar[int] = 100
    column: ClassVar[str]

    @abstractmethod
    def columns(self, messages: Sequence[Message], specs: Sequence[ToolSpec], *, gave_up: bool) -> Row:
        """The columns of a trajectory.

        Args:
            messages: the conversation, in TRL's form.
            specs: the tools that are offered.
            gave_up: whether the agent stopped where it could not continue.
        """

    @abstractmethod
    def turns(self, row: Row) -> Iterator[RowTurn]:
        """The calls of a row with their texts."""

    @abstractmethod
    def last_words(self, row: Row) -> str | None:
        """The last text of a row; None where it is cut."""

    def answer(self, row: Row) -> str | None:
        """The final answer of a row: by default its last words."""
        return self.last_words(row)

    @abstractmethod
    def fields(self, data: Any) -> dict[str, Any]:
        """The Arrow types of the columns, for Parquet.

        Args:
            data: the type of JSON text that is read as an object.
        """

    def stored(self, row: Row) -> Row:
        """The row as Arrow can hold it: by default as it is."""
        return row

    def restored(self, row: Row) -> Row:
        """The row as it was before `stored`."""
        return row
