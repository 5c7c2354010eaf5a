"""Labels of traces: read from files, and two graders' side by side."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from sealegs.faults.user_error import UserError
from sealegs.scoring.agreement import Agreement, Label, agreement
from sealegs.scoring.grading import QUESTIONS
from sealegs.scoring.metric import ALL, Row

NAMED = 5  # ids that a note names
Labels = Mapping[str, Mapping[str, Label]]


@dataclass(frozen=True, slots=True)
class LabelComparison:
    """Two graders' labels side by side.

    Attributes:
        agreements: question by question, of those that both answered.
        notes: traces that only one of them has, and answers that are missing.
    """

    agreements: tuple[Agreement, ...]
    notes: tuple[str, ...]


def read_label_file(path: Path, shipped: Iterable[str] = ()) -> Labels:
    """Labels by trace, of a file with a column or key `id` and one for each question.

    Args:
        path: a `.csv` or `.jsonl` file.
        shipped: what could be named in its place, for messages.

    Raises:
        UserError: the file cannot be read, has lines without an id, or an id twice; every mistake is named.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        known = ", ".join(shipped)
        raise UserError(f"cannot read {path}: {error}; give a .csv or .jsonl file, or one of {known}") from error
    return labels_in(text, str(path))


def labels_in(text: str, source: str) -> Labels:
    """The labels of a text; see `read_label_file`."""
    found: dict[str, Mapping[str, Label]] = {}
    problems: list[str] = []
    for place, row in _rows(text, source, problems):
        id = str(row.pop("id", "") or "").strip()
        if not id:
            problems.append(f"{source}:{place}: no id")
        elif id in found:
            problems.append(f"{source}:{place}: the id {id!r} occurs twice")
        else:
            found[id] = {
                name: value for name, value in row.items() if isinstance(value, (str, bool, int)) and value != ""
            }
    if not found and not problems:
        problems.append(f"{source} holds no labels; one line a trace, with an id and its answers")
    if problems:
        raise UserError("\n".join(problems))
    return found


def _rows(text: str, source: str, problems: list[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    if not text.lstrip().startswith("{"):
        yield from _csv_rows(text, source, problems)
        return
    # Not `splitlines`: a string of JSON may hold characters such as U+2028, at which that would cut too.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            data = json.loads(line)
        except (ValueError, RecursionError) as error:
            problems.append(f"{source}:{number}: not JSON: {error}")
            continue
        if isinstance(data, dict):
            yield number, data
        else:
            problems.append(f"{source}:{number}: not an object")


def _csv_rows(text: str, source: str, problems: list[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows below the names, each with the number of its first line, without empty lines and those after `#`."""
    reader = csv.reader(StringIO(text, newline=""))
    names: list[str] | None = None
    place = 1
    try:
        for cells in reader:
            # After the reader, not before it: within quotes, a line may be empty or begin with a #.
            if "".join(cells).strip() and not cells[0].startswith("#"):
                if names is None:
                    names = [name.strip() for name in cells]
                else:
                    yield place, {name: cell.strip() for name, cell in zip(names, cells, strict=False)}
            place = reader.line_num + 1
    except csv.Error as error:
        problems.append(f"{source}:{place}: not CSV: {error}")


def compare_labels(one: Labels, other: Labels) -> LabelComparison:
    """Two graders side by side, on the traces that both have.

    Raises:
        UserError: they have no trace, or no question, in common.
    """
    shared = [id for id in one if id in other]
    notes = [
        f"{len(alone)} trace(s) only in the {which}: {', '.join(alone[:NAMED])}{', ...' if len(alone) > NAMED else ''}"
        for which, alone in (
            ("first", [id for id in one if id not in other]),
            ("second", [id for id in other if id not in one]),
        )
        if alone
    ]
    if not shared:
        raise UserError("the two have no trace in common; " + "; ".join(notes))
    common = [name for name in _questions(one) if name in _questions(other)]
    agreements = []
    for name in common:
        pairs = [(one[id][name], other[id][name]) for id in shared if name in one[id] and name in other[id]]
        if len(pairs) < len(shared):
            notes.append(f"{name}: {len(shared) - len(pairs)} trace(s) lack an answer and are left out")
        # Without pairs there is no agreement to give, and the note above says why it is missing.
        if pairs:
            agreements.append(agreement(name, pairs))
    if not agreements:
        raise UserError(f"the two answer no question in common; the questions are {', '.join(QUESTIONS)}")
    return LabelComparison(tuple(agreements), tuple(notes))


def _questions(labels: Labels) -> list[str]:
    """The names that are questions, ours first, without counts and reasons."""
    names = dict.fromkeys(name for answers in labels.values() for name in answers)
    return [name for name in names if name in QUESTIONS or name not in ("adaptations", "reasons", "note")]


def agreement_rows(found: LabelComparison, suite: str, who: str) -> list[Row]:
    """Agreement and kappa in the long table.

    Args:
        found: what was compared.
        suite: whose traces the labels are of.
        who: the graders.
    """
    rows: list[Row] = []
    for each in found.agreements:
        row: Row = {"suite": suite, "agent": who, "level": ALL, "mode": each.question}
        share = (each.share, each.low, each.high)
        kappa = (each.kappa, each.kappa_low, each.kappa_high)
        for metric, (value, low, high) in (("agreement", share), ("kappa", kappa)):
            rounded = [None if x is None else round(x, 4) for x in (value, low, high)]
            rows.append(
                {**row, "metric": metric, "value": rounded[0], "low": rounded[1], "high": rounded[2], "n": each.n}
            )
    return rows
