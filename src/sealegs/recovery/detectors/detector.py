"""A detector from learned statements: what a call's answer breaks, the most surprising first.

The evidence against an answer is the score of the most surprising statement that it breaks, minus one, plus half of
that of the most surprising one about another field, a quarter of the next, and so on; it is called wrong where the
evidence reaches one threshold, the same for all tools. An answer that is wrong and like the right ones passes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sealegs.faults.call import Call
from sealegs.faults.invariants import Violation, leaking
from sealegs.recovery.detectors.drift import DriftWatch, Level
from sealegs.recovery.detectors.flat_call import FlatCall, last_key
from sealegs.recovery.detectors.statements import Statement

LEAK_SCORE = 9.0  # no right answer shows a stack trace
LEAST = 1.0  # one right answer in ten: anything less surprising is not evidence
SHARE = 0.5  # of evidence that counts after what another field says
Scored = Sequence[tuple[Statement, tuple[float, ...]]]


@dataclass(frozen=True, slots=True)
class BrokenStatement(Violation):
    """A broken statement.

    Attributes:
        score: the negative decimal logarithm of the share of right answers that break such a statement so far.
        kind: of the statement.
    """

    score: float = 0.0
    kind: str = ""


class LearnedDetector:
    """Tells answers that are unlike a tool's normal ones.

    Args:
        statements: by tool, with their scores; under the empty name those about names.
        threshold: the score from which a finding counts.
        leaks: whether an answer that shows the inside of a server counts as wrong.
        levels: by tool; watched for drift.
        answers: how many steady answers give one false alarm of drift.
    """

    def __init__(
        self,
        statements: Mapping[str, Scored],
        threshold: float,
        *,
        leaks: bool = True,
        levels: Mapping[str, Sequence[Level]] | None = None,
        answers: float = 100.0,
    ) -> None:
        self.threshold = threshold
        self._index = StatementIndex(statements)
        self._leaks = leaks
        self._watches = {tool: DriftWatch(own, answers) for tool, own in (levels or {}).items() if own}

    def findings(self, call: Call, value: Any) -> Sequence[Violation]:
        """The violations in an answer, the most surprising first."""
        view = FlatCall(call.arguments, value)
        found = self._index.broken(call.tool, view)
        if evidence(found) < self.threshold:
            found = []
        if self._leaks:
            path = leaking(value)
            if path is not None:
                where = path or "the answer"
                found.append(
                    BrokenStatement("tool_leakage", (path,), f"{where} shows the tool's inside", LEAK_SCORE, "leak")
                )
        if call.tool in self._watches:
            moved = self._watches[call.tool].moved_levels(view)
            found += [BrokenStatement("drift", (level.path,), text, by, "drift") for level, by, text in moved]
        # In rising order, so that of findings of one reason the most surprising stays.
        best = {one.reason: one for one in sorted(found, key=lambda one: one.score)}
        return sorted(best.values(), key=lambda one: -one.score)


class StatementIndex:
    """Statements by the tool that they are of; those about names by the field that they speak of last."""

    def __init__(self, statements: Mapping[str, Scored]) -> None:
        self._of_tool = {tool: own for tool, own in statements.items() if tool}
        self._of_name: dict[str, list[tuple[Statement, tuple[float, ...]]]] = {}
        for one, scores in statements.get("", ()):
            self._of_name.setdefault(one.names()[-1], []).append((one, scores))

    def of(self, tool: str, view: FlatCall) -> Iterator[tuple[Statement, tuple[float, ...]]]:
        """The statements of a tool; under the empty name those about fields that this view has."""
        if tool:
            yield from self._of_tool.get(tool, ())
            return
        for name in view.values:
            yield from self._of_name.get(name, ())

    def broken(self, tool: str, view: FlatCall) -> list[BrokenStatement]:
        """Every statement that an answer breaks."""
        found = []
        for name, seen in ((tool, view), ("", view_by_field_names(view))):
            for statement, scores in self.of(name, seen):
                breach = statement.breach(seen)
                if breach is not None and scores[breach[0]] > LEAST:
                    far, reason = breach
                    found.append(
                        BrokenStatement(statement.family, statement.names(), reason, scores[far], statement.kind)
                    )
        return found


def evidence(found: Iterable[BrokenStatement]) -> float:
    """The evidence of broken statements against an answer; 0 where there is none."""
    fields: dict[str, float] = {}
    for one in found:
        field = one.fields[-1] if one.fields else ""
        fields[field] = max(fields.get(field, 0.0), one.score - LEAST)
    return sum(score * SHARE**place for place, score in enumerate(sorted(fields.values(), reverse=True)))


def view_by_field_names(view: FlatCall) -> FlatCall:
    """The same values by the names of their fields alone; where several fields have one name, the first that is single.

    Arguments keep their mark only where no field of the answer has their name.
    """
    found = FlatCall({}, {})
    for path, values in view.values.items():
        name = last_key(path)
        if name not in found.values:
            found.values[name] = values
            if path in view.listed:
                found.listed.add(name)
    return found
