"""Detection of trajectories that repeat an earlier one, exactly or nearly.

Two trajectories are as alike as the Jaccard index of their marks: each call with its arguments, each answer (a failure
counts by its kind, not by its wording), and each pair of calls that follow one another. What is said with them does not
count, so another wording does not make another trajectory. Only those of one base task are compared.
"""

from __future__ import annotations

import json
from array import array
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from sealegs.faults import seeds
from sealegs.training.data.exporters import row_reader
from sealegs.training.data.exporters.exporter import Row

Marks = tuple[int, ...]


def calls_of(row: Row) -> Iterator[tuple[str, str, str]]:
    """Every call of a row, in whichever form it has them: tool, arguments as JSON, and the answer's text."""
    for turn in row_reader(row).turns(row):
        yield turn.use.tool, _text(turn.use.arguments), turn.answer


def trajectory_features(row: Row) -> Marks:
    """The features that a trajectory is compared by, in rising order."""
    found, before = set(), ""
    for place, (tool, arguments, answer) in enumerate(calls_of(row), 1):
        failed = row["failure_kind"] if place == row["step"] else None
        found.add(seeds.digest("call", tool, arguments))
        found.add(seeds.digest("failure", tool, failed) if failed else seeds.digest("answer", tool, answer))
        found.add(seeds.digest("then", before, tool))
        before = tool
    return tuple(sorted(found))


def text_digest(row: Row) -> int:
    """A number for the whole text of a trajectory."""
    return seeds.digest(json.dumps(row[row_reader(row).column], sort_keys=True))


def _text(arguments: Any) -> str:
    return json.dumps(dict(arguments), sort_keys=True, ensure_ascii=False)


class TrajectorySet:
    """The trajectories so far.

    Args:
        nearest: two that are more alike than this are near duplicates.
    """

    def __init__(self, nearest: float) -> None:
        self._nearest = nearest
        self._texts: set[int] = set()
        self._marks: dict[str, list[array[int]]] = defaultdict(list)

    def like(self, base: str, text: int, marked: Marks) -> str:
        """`exact` or `near` where there is such a trajectory already, otherwise empty."""
        if text in self._texts:
            return "exact"
        ours = set(marked)
        for other in self._marks[base]:
            both = len(ours.intersection(other))
            if both > self._nearest * (len(ours) + len(other) - both):
                return "near"
        return ""

    def add(self, base: str, text: int, marked: Marks) -> None:
        """One more."""
        self._texts.add(text)
        self._marks[base].append(array("Q", marked))
