"""Get what was wanted from other tools, by a declaration that says how."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from sealegs.faults import paths
from sealegs.faults.call import Outcome, Value
from sealegs.recovery.nature import Nature
from sealegs.recovery.policies.base import Policy
from sealegs.recovery.trouble import Steps, Trouble, Ward

Way = tuple[Trouble, bool]
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
    """The first alternative that answers well. One whose step fails, or lacks a field that is read, is left there.

    An alternative is not tried where the call itself, or a step of one before, may already have done its work, unless
    that does no harm: then it would be done twice. Nor is one begun that the budget does not last for. Arguments that
    the failed call left out are left out.

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
        if trouble.nature not in HELPED or not ward.may_repeat(trouble):
            return trouble
        for alternative in self._of.get(trouble.call.tool, ()):
            tools = [step.tool for step in alternative.steps]
            if not all(map(ward.seat.reaches, tools)) or not ward.claims(trouble, *tools):
                continue
            before = trouble.made
            trouble, clean = yield from self._by(alternative, trouble, ward)
            ward.purse.give_back(tools[trouble.made - before :])
            if trouble.over or not clean:
                break
        return trouble

    def _by(self, alternative: Alternative, trouble: Trouble, ward: Ward) -> Generator[Any, Outcome, Way]:
        """The trouble after this alternative, and whether it has certainly left nothing behind."""
        failed, clean = trouble, True
        answers: list[Any] = []
        reason = f"{trouble.call.tool} failed for good" if trouble.nature == "permanent" else "it did not help to wait"
        for step in alternative.steps:
            try:
                arguments = _arguments(step, trouble, answers)
            except KeyError as missing:
                return self._left(failed, trouble, ward, f"no {missing} for {step.tool}"), clean
            trouble = yield from ward.attempt(trouble, self.name, "switched", step.tool, arguments, reason)
            if not trouble.over:
                return self._left(failed, trouble, ward), clean and ward.may_repeat(trouble)
            clean = clean and ward.harmless(step.tool)
            answers.append(trouble.outcome.value if isinstance(trouble.outcome, Value) else None)
        try:
            answer = _translated(alternative, answers)
        except KeyError as missing:
            return self._left(failed, trouble, ward, f"no {missing} in its answer"), clean
        return ward.answer(trouble, self.name, "answered", answer, f"by {step.tool}"), True

    def _left(self, failed: Trouble, trouble: Trouble, ward: Ward, why: str = "") -> Trouble:
        """The trouble as it was, with what was spent on it."""
        failed = replace(failed, made=trouble.made, failed=trouble.failed)
        return ward.remark(failed, self.name, "left", failed.outcome, why) if why else failed


def _arguments(step: Step, trouble: Trouble, answers: list[Any]) -> dict[str, Any]:
    """The step's arguments; a `KeyError` where an answer lacks one of them."""
    given = trouble.call.arguments
    return {
        name: _value(source, given, answers)
        for name, source in step.arguments.items()
        if not isinstance(source, Given) or source.argument in given
    }


def _value(source: Source, given: Mapping[str, Any], answers: list[Any]) -> Any:
    match source:
        case Given(argument):
            return given[argument]
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
