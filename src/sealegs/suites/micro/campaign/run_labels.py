"""Labels by people: a CSV file `run,label,note` beside the runs, read at every report and never written by Sealegs.

A label replaces the outcome that the rules gave. One for a run without a fault says whether its answer
was right, and so whether the runs beside it can be compared.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from sealegs.faults.problems import PlanError, Problem, abbreviate
from sealegs.faults.user_error import UserError
from sealegs.scoring.micro_metrics import OUTCOMES

FILE = "labels.csv"
COLUMNS = ("run", "label", "note")


class LabelError(PlanError):
    """Everything that is wrong with a file of labels."""


@dataclass(frozen=True, slots=True)
class Label:
    """A person's word on one run."""

    outcome: str
    note: str = ""


def read_run_labels(folder: Path, known: Collection[str], former: Collection[str] = ()) -> Mapping[str, Label]:
    """The labels in a folder; none where there is no file.

    Args:
        folder: the campaign's.
        known: ids of its runs.
        former: ids of runs that are there and no longer in the campaign; their labels are left unused.

    Raises:
        LabelError: holds every mistake.
    """
    file = folder / FILE
    if not file.exists():
        return {}
    try:
        # Spreadsheets put a mark of the encoding before the first cell, which would else be part of it.
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{file} cannot be read ({error}); save it as UTF-8 text") from error
    found: dict[str, Label] = {}
    problems: list[Problem] = []
    for number, row in enumerate(csv.reader(lines), 1):
        cells = [cell.strip() for cell in row]
        if not any(cells) or (number == 1 and tuple(cells[:2]) == COLUMNS[:2]):
            continue
        run, label, note = [*cells, "", "", ""][:3]
        wrong = _wrong(number, run, label, found, known, former)
        problems += wrong
        if not wrong:
            found[run] = Label(label.upper(), note)
    if problems:
        raise LabelError(problems, str(file))
    return {run: label for run, label in found.items() if run in known}


def _wrong(
    number: int, run: str, label: str, found: Mapping[str, Label], known: Collection[str], former: Collection[str]
) -> list[Problem]:
    problems = []
    if run not in known and run not in former:
        near = get_close_matches(run, [*known], n=1, cutoff=0.8)
        remedy = f"Did you mean {near[0]}?" if near else "Take one from runs.csv beside it."
        problems.append(Problem(f"line {number}", abbreviate(run), "is not a run of this campaign", remedy))
    if run in found:
        problems.append(Problem(f"line {number}", abbreviate(run), "has a label already", "Keep one of the two."))
    if label.upper() not in OUTCOMES:
        near = get_close_matches(label.upper(), OUTCOMES, n=1)
        remedy = f"Did you mean {near[0]}?" if near else f"Choose from {', '.join(OUTCOMES)}."
        problems.append(Problem(f"line {number}", abbreviate(label), "is not an outcome", remedy))
    return problems
