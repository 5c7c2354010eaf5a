"""Comparison of a final answer with the reference rows, by rules and nothing else.

An answer is right if one of its readings (`readings`) has the reference's rows: as many, each cell the same (`cells`),
in the same order only where the question asks for one. Columns go by their names where these are given and useful,
otherwise by their places. Rows that occur twice in the reference must occur twice in the answer. Columns that were not
asked for, rows too many and rows too few are wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sealegs.scoring.answer_cells import Cell, same_cell
from sealegs.scoring.solution import gives_up, parse_solution
from sealegs.scoring.table_parsing import AnswerReading, fold_column_name, readings

Reason = Literal["right", "order", "cells", "rows", "columns", "unreadable", "gave up", "missing"]
RANK: tuple[Reason, ...] = ("right", "order", "cells", "rows", "columns", "unreadable")


@dataclass(frozen=True, slots=True)
class ReferenceRows:
    """The rows that answer a question.

    Attributes:
        columns: their names.
        rows: the cells.
        ordered: whether the question asks for their order.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class RowsVerdict:
    """The verdict on an answer.

    Attributes:
        right: whether it is the reference.
        reason: `right`, or the mistake in the best of its readings: the rows are in another `order`; `cells`
            differ; there are too many or too few `rows` or `columns`; it is `unreadable`; it says that there is no
            solution (`gave up`); none was given (`missing`).
        detail: the same for people.
    """

    right: bool
    reason: Reason
    detail: str


def judge_message(message: str, reference: ReferenceRows, question: str = "") -> RowsVerdict:
    """Judge the last solution in a model's message; see `judge_rows`."""
    found = parse_solution(message)
    if found.kind == "missing":
        return RowsVerdict(False, "missing", "no <solution> was given")
    return judge_rows(found.text, reference, question)


def judge_rows(text: str, reference: ReferenceRows, question: str = "") -> RowsVerdict:
    """Judge an answer.

    Args:
        text: what is between the tags of a solution.
        reference: the rows that answer the question.
        question: where it is given, its numbers are not taken for the answer when a sentence repeats them.
    """
    gave_up = gives_up(text)
    best = RowsVerdict(False, "unreadable", "no table, list or value can be read in it")
    for reading in readings(text, reference.columns, len(reference.rows), question, prose=not gave_up):
        verdict = _compared(reading, reference)
        if verdict.right:
            return verdict
        if RANK.index(verdict.reason) < RANK.index(best.reason):
            best = verdict
    return RowsVerdict(False, "gave up", "it says that there is no solution") if gave_up else best


def _compared(reading: AnswerReading, reference: ReferenceRows) -> RowsVerdict:
    width = len(reading.rows[0]) if reading.rows else len(reading.names or reference.columns)
    if width != len(reference.columns):
        return RowsVerdict(False, "columns", f"{width} columns, {len(reference.columns)} were asked for")
    if len(reading.rows) != len(reference.rows):
        return RowsVerdict(False, "rows", f"{len(reading.rows)} rows, the reference has {len(reference.rows)}")
    places = _places(reading.names, reference.columns)
    rows = [tuple(row[place] for place in places) for row in reading.rows]
    # As they stand first: most right answers keep the order, and to pair rows takes the square of their number.
    if all(map(_same_row, rows, reference.rows)):
        return RowsVerdict(True, "right", "")
    unpaired = _unpaired(rows, reference.rows)
    if unpaired is None:
        if reference.ordered:
            return RowsVerdict(False, "order", "the rows are right but in another order")
        return RowsVerdict(True, "right", "")
    return RowsVerdict(
        False, "cells", f"row {unpaired + 1} of the reference has no match: {reference.rows[unpaired]!r}"
    )


def _places(names: Sequence[str] | None, columns: Sequence[str]) -> list[int]:
    """The place in the answer of each column of the reference: by name where names tell, the rest in order."""
    here = [fold_column_name(name) for name in names or ()]
    wanted = [fold_column_name(column) for column in columns]
    found = {
        place: here.index(name)
        for place, name in enumerate(wanted)
        # A name that occurs twice (two counts, say) tells nothing of which is which.
        if name and here.count(name) == 1 and wanted.count(name) == 1
    }
    rest = iter([place for place in range(len(columns)) if place not in found.values()])
    return [found[place] if place in found else next(rest) for place in range(len(columns))]


def _same_row(given: Sequence[Cell], right: Sequence[Cell]) -> bool:
    return all(map(same_cell, given, right))


def _unpaired(given: Sequence[Sequence[Cell]], right: Sequence[Sequence[Cell]]) -> int | None:
    """A row of the reference that is left when as many as can be are paired one to one; None if all are paired."""
    fits = [[place for place, row in enumerate(given) if _same_row(row, wanted)] for wanted in right]
    # Cells fit without being equal (by rounding, by spelling), so a row may fit several, and the first fit could take
    # the only one that another has. So a row that is taken moves on where it can (Kuhn's augmenting paths).
    holder: dict[int, int] = {}

    def paired(wanted: int, seen: set[int]) -> bool:
        for place in fits[wanted]:
            if place not in seen:
                seen.add(place)
                if place not in holder or paired(holder[place], seen):
                    holder[place] = wanted
                    return True
        return False

    return next((wanted for wanted in range(len(right)) if not paired(wanted, set())), None)
