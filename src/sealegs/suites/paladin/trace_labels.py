"""Labels of traces from files, and the two labelled sets that ship with the suite (see `labelled/README.md`)."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from io import StringIO
from pathlib import Path
from typing import Any

from sealegs.faults.user_error import UserError
from sealegs.scoring.agreement import Agreement, Label, agreement
from sealegs.scoring.grading import QUESTIONS
from sealegs.scoring.metric import ALL, Row
from sealegs.suites.paladin.episodes import SUITE
from sealegs.suites.paladin.graders import NamedTrace, grade_by_code
from sealegs.suites.paladin.paladin_logs import paladin_episode_from
from sealegs.traces import build_record, decode_event

SHIPPED: Mapping[str, tuple[str, str]] = {  # by name: the labels, and the traces that they are of
    "labels": ("labels.csv", "traces.jsonl.gz"),
    "fresh": ("fresh.csv", "fresh.jsonl.gz"),
}
CODE: Mapping[str, str] = {"code": "labels", "fresh-code": "fresh"}  # the code grader's on the same traces
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


def read_trace_labels(name: str) -> Labels:
    """Labels by trace: of a file with a column or key `id` and one for each question; or of the shipped set.

    Args:
        name: a `.csv` or `.jsonl` file; `labels` or `fresh` for those that ship, `code` or `fresh-code` for the code
            grader's on the same traces.

    Raises:
        UserError: the file cannot be read, has lines without an id, or an id twice; every mistake is named.
    """
    if not Path(name).exists() and name in SHIPPED:
        return {id: dict(labels) for id, labels in shipped_labels(name).items()}
    if not Path(name).exists() and name in CODE:
        return grade_by_code(labelled_traces(CODE[name]))
    path, known = Path(name), ", ".join([*SHIPPED, *CODE])
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read {path}: {error}; give a .csv or .jsonl file, or one of {known}") from error
    return labels_in(text, str(path))


def labels_in(text: str, source: str) -> Labels:
    """The labels of a text; see `read_trace_labels`."""
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


def agreement_rows(found: LabelComparison, who: str) -> list[Row]:
    """Agreement and kappa in the long table."""
    rows: list[Row] = []
    for each in found.agreements:
        row: Row = {"suite": SUITE, "agent": who, "level": ALL, "mode": each.question}
        share = (each.share, each.low, each.high)
        kappa = (each.kappa, each.kappa_low, each.kappa_high)
        for metric, (value, low, high) in (("agreement", share), ("kappa", kappa)):
            rounded = [None if x is None else round(x, 4) for x in (value, low, high)]
            rows.append(
                {**row, "metric": metric, "value": rounded[0], "low": rounded[1], "high": rounded[2], "n": each.n}
            )
    return rows


@cache
def shipped_labels(name: str = "labels") -> Labels:
    """The labels of a set that ships with the suite."""
    file = SHIPPED[name][0]
    text = resources.files("sealegs.suites.paladin.labelled").joinpath(file).read_text(encoding="utf-8")
    return labels_in(text, file)


@cache
def labelled_traces(name: str = "labels") -> Sequence[NamedTrace]:
    """The traces that the labels of a shipped set are of."""
    packed = resources.files("sealegs.suites.paladin.labelled").joinpath(SHIPPED[name][1]).read_bytes()
    found = []
    for line in gzip.decompress(packed).decode("utf-8").splitlines():
        item = json.loads(line)
        read = build_record(decode_event(event) for event in item["events"])
        found.append(NamedTrace(item["id"], paladin_episode_from(read.about), read))
    return tuple(found)
