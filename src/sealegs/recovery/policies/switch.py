"""Get what was wanted from other tools, by a declaration that says how."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from sealegs.faults import paths
from sealegs.faults.call import Outcome, Value
from sealegs.recovery.nature import Nature
from sealegs.recovery.policies.base import Policy
from sealegs.recovery.safety import may_repeat
from sealegs.recovery.trouble import Steps, Trouble, Ward

HELPED: frozenset[Nature] = frozenset({"permanent", "transient", "wrong", "unreadable", "partial", "unknown"})


@dataclass(frozen=True, slots=True)
class Given:
    """An argument of the call that failed."""

    argument: str


@dataclass(frozen=True, slots=True)
class Fixed:
    """A value that the declaration fixes."""

    value: Any


@dataclass(frozen=True, slots=True)
class Found:
    """A field of an earlier step's answer; steps count from 0, `path` is dotted."""

    step: int
    path: str


Source = Given | Fixed | Found


@dataclass(frozen=True, slots=True)
class Step:
    """One call of an alternative."""

    tool: str
    arguments: Mapping[str, Source]


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another way to what a tool gives.

    Attributes:
        tool: the tool that can be done without.
        steps: the calls in its place, in order.
        answer: for each field of that tool's answer that others read (a dotted path), where it is found here.
    """

    tool: str
    steps: tuple[Step, ...]
    answer: Mapping[str, Found]


class Switch(Policy):
    """The first alternative that answers well. One whose step fails is left at that step.

    An alternative is not tried where the call itself may already have done its work, unless that does no harm: then it
    would be done twice.

    Args:
        alternatives: in the order in which they are tried.
    """

    name: ClassVar[str] = "switch"

    def __init__(self, alternatives: Iterable[Alternative] = ()) -> None:
        self._of: dict[str, list[Alternative]] = {}
        for alternative in alternatives:
            self._of.setdefault(alternative.tool, []).append(alternative)

    def heal(self, trouble: Trouble, ward: Ward) -> Steps:
        """Try them one after the other."""
        signature = trouble.signature
        assert signature is not None
        if trouble.nature not in HELPED or not may_repeat(ward.spec(trouble.attempt.tool), signature):
            return trouble
        failed = trouble
        for alternative in self._of.get(trouble.call.tool, ()):
            if all(ward.seat.reaches(step.tool) for step in alternative.steps):
                trouble = yield from self._by(alternative, trouble, ward)
                if trouble.over:
                    return trouble
                if not self._harmless(trouble, ward):
                    break
        return replace(failed, made=trouble.made)

    def _by(self, alternative: Alternative, trouble: Trouble, ward: Ward) -> Steps:
        answers: list[Any] = []
        reason = f"{trouble.call.tool} failed for good" if trouble.nature == "permanent" else "it did not help to wait"
        for step in alternative.steps:
            if ward.purse.lacks(step.tool, trouble.made):
                return trouble
            arguments = {name: _value(source, trouble, answers) for name, source in step.arguments.items()}
            trouble = yield from ward.attempt(trouble, self.name, "switched", step.tool, arguments, reason)
            if not trouble.over:
                return trouble
            answers.append(trouble.outcome.value if isinstance(trouble.outcome, Value) else None)
        return ward.answer(trouble, self.name, "answered", _translated(alternative, answers), f"by {step.tool}")

    def _harmless(self, trouble: Trouble, ward: Ward) -> bool:
        """Whether the alternative that failed has certainly left nothing behind."""
        return trouble.signature is None or may_repeat(ward.spec(trouble.attempt.tool), trouble.signature)


def _value(source: Source, trouble: Trouble, answers: list[Any]) -> Any:
    match source:
        case Given(argument):
            return trouble.call.arguments.get(argument)
        case Fixed(value):
            return value
        case Found(step, path):
            return paths.first(answers[step], path)


def _translated(alternative: Alternative, answers: list[Any]) -> Outcome:
    """The answers as the tool that failed would have given them, as far as the declaration goes."""
    whole: dict[str, Any] = {}
    for path, found in alternative.answer.items():
        *outer, last = path.split(".")
        place = whole
        for key in outer:
            place = place.setdefault(key, {})
        place[last] = paths.first(answers[found.step], found.path)
    return Value(whole)
