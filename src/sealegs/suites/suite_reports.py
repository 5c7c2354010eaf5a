"""The reports that a suite gives: on a run, on the grades of traces, on learned detectors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rich.console import Console

if TYPE_CHECKING:
    from sealegs.scoring.invalid import InvalidCount
    from sealegs.scoring.metric import Row


def _nothing(console: Console) -> None:
    """Print nothing more."""


def _none_invalid() -> InvalidCount:
    from sealegs.scoring.invalid import InvalidCount

    return InvalidCount()


def notes_on_other(path: str, warnings: Iterable[str], compared: Sequence[Row]) -> tuple[str, ...]:
    """The notes on a run that another one is compared with.

    Args:
        path: of the run.
        warnings: what reading it had to leave out.
        compared: the rows of the comparison.
    """
    notes = [warning if warning.startswith(path) else f"{path}: {warning}" for warning in warnings]
    if not any(row["value"] is not None for row in compared):
        notes.append(f"{path}: no episode is valid in both runs, so there are no differences")
    return tuple(notes)


@dataclass(frozen=True)
class RunReport:
    """The report on finished episodes.

    Attributes:
        rows: the long table.
        warnings: what reading had to leave out, in sentences.
        show: prints the tables.
        page: writes the report as HTML.
        beside: prints what the run is compared with, such as published rows.
        compared: the rows of the comparison.
        validity: how many episodes failed outside agent and tools, and are in no figure.
        other_validity: the same of the run that it is compared with.
    """

    rows: list[Row]
    warnings: tuple[str, ...]
    show: Callable[[Console], None]
    page: Callable[[], str]
    beside: Callable[[Console], None] = _nothing
    compared: list[Row] = field(default_factory=list)
    validity: InvalidCount = field(default_factory=_none_invalid)
    other_validity: InvalidCount = field(default_factory=_none_invalid)


@dataclass(frozen=True)
class TraceGrades:
    """The grades of traces.

    Attributes:
        rows: the long table.
        text: one JSON object a line, a line for each trace.
        count: how many traces.
        show: prints the tables.
    """

    rows: list[Row]
    text: str
    count: int
    show: Callable[[Console], None]


@dataclass(frozen=True)
class DetectionReport:
    """The measured rates of learned detectors.

    Attributes:
        rows: the long table.
        about: what the detectors learned from.
        show: prints the tables.
    """

    rows: list[Row]
    about: Mapping[str, Any]
    show: Callable[[Console], None]
