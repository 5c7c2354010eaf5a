"""Recorded answers checked against profiles: what agents were shown, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

from sealegs.faults.call import Call, Value
from sealegs.faults.user_error import UserError
from sealegs.recovery.detectors.detector import BrokenStatement
from sealegs.recovery.detectors.profiles import Per, Profiles
from sealegs.traces.observed import NOT_KEPT, Trace


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The findings of a check, and how many answers were checked.

    Attributes:
        answers: how many were looked at.
        wrong: how many were called wrong.
        unknown: tools without a profile, and how many answers they gave.
        rows: one for each finding: {episode, call, tool, family, fields, kind, score, reason}; `call` counts from 1.
    """

    answers: int
    wrong: int
    unknown: dict[str, int]
    rows: tuple[dict[str, Any], ...]

    def about(self) -> dict[str, Any]:
        """The counts as one object."""
        return {"answers": self.answers, "called_wrong": self.wrong, "unknown_tools": self.unknown}


def check_traces(
    profiles: Profiles, traces: Iterable[Trace], false_alarms: float, per: str, drift: bool
) -> CheckResult:
    """Check every answer that an agent was shown against the profiles.

    Args:
        false_alarms: the share of right answers, or episodes, that may be called wrong.
        per: `answer` or `episode`.
        drift: also look for levels that moved, over all the traces in their order.

    Raises:
        UserError: the share or `per` cannot be used, or no answer is kept.
    """
    if per not in ("answer", "episode"):
        raise UserError(f"unknown --per {per!r}: choose answer or episode")
    detector = profiles.detector(false_alarms, per=cast(Per, per), drift=drift)
    answers = wrong = 0
    unknown: dict[str, int] = {}
    rows: list[dict[str, Any]] = []
    for trace in traces:
        for place, call in enumerate(trace.calls, start=1):
            if call.arguments is None or not isinstance(call.shown, Value) or call.shown is NOT_KEPT:
                continue
            answers += 1
            if call.tool not in profiles.tools:
                unknown[call.tool] = unknown.get(call.tool, 0) + 1
            # Unknown tools too: leaks and the statements on field names need no profile of the tool.
            found = detector.findings(Call(call.tool, call.arguments), call.shown.value)
            wrong += bool(found)
            rows += [_row(trace.name, place, call.tool, cast(BrokenStatement, one)) for one in found]
    if not answers:
        raise UserError("no tool answers are kept in the record; record with arguments and results (content) in it")
    return CheckResult(answers, wrong, unknown, tuple(rows))


def _row(episode: str, place: int, tool: str, found: BrokenStatement) -> dict[str, Any]:
    place_data = {"episode": episode, "call": place, "tool": tool, "family": found.family, "fields": list(found.fields)}
    return {**place_data, "kind": found.kind, "score": round(found.score, 2), "reason": found.reason}
