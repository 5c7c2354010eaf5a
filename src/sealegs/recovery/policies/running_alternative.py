"""An alternative under way: the sources of its values, and the progress of the calls that it stands in for."""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from sealegs.faults import paths
from sealegs.faults.call import Call, Outcome, Value
from sealegs.faults.equal import arguments_key
from sealegs.faults.spec import ToolSpec
from sealegs.recovery.answer_memory import Memory
from sealegs.recovery.policies.alternative import (
    Alternative,
    AlternativeStep,
    Answer,
    CallArgument,
    EarlierAnswer,
    EarlierArgument,
    FirstKnown,
    Fixed,
    Known,
    ReferenceTicket,
    Source,
    StepField,
    Then,
)

LEFT_OUT = object()  # an argument that the agent's call left out


@dataclass(frozen=True)
class ValueSources:
    """The sources of the values in an alternative's steps.

    Attributes:
        given: the arguments of the agent's call.
        memory: of the session.
        arguments_by_tool: the arguments of the agent's calls that this alternative has answered, by tool.
        answers: of the steps made so far, by their number.
    """

    given: Mapping[str, Any]
    memory: Memory
    arguments_by_tool: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    answers: Mapping[int, Any] = field(default_factory=dict)

    def arguments(self, step: AlternativeStep) -> dict[str, Any]:
        """The arguments of a step; those that the agent left out in its call are left out.

        Raises:
            KeyError: one of them is not known.
        """
        found = {name: self._value(source) for name, source in step.arguments.items()}
        return {name: value for name, value in found.items() if value is not LEFT_OUT}

    def begins(self, alternative: Alternative) -> bool:
        """Return whether the session has seen all that the alternative takes from its earlier calls."""
        own = {part.tool for part in alternative.parts}
        return all(self._expected(source, own) for source in alternative.sources())

    # Whether the value is known now, or will be once the alternative's own calls are answered.
    def _expected(self, source: Source, own: Collection[str]) -> bool:
        if isinstance(source, FirstKnown):
            return any(self._expected(one, own) for one in source.sources)
        return not isinstance(source, (EarlierArgument, EarlierAnswer)) or source.tool in own or self._known(source)

    def _known(self, source: Source) -> bool:
        try:
            self._value(source)
        except KeyError:
            return False
        return True

    def _value(self, source: Source) -> Any:
        match source:
            case CallArgument(argument):
                return self.given.get(argument, LEFT_OUT)
            case Fixed(value):
                return value
            case StepField(step, path):
                return paths.first_value(self.answers[step], path)
            case EarlierArgument(tool, argument):
                # A call answered by this alternative never reached its tool, so the session's memory lacks it.
                own = self.arguments_by_tool.get(tool)
                return (self.memory.latest_arguments(tool) if own is None else own).get(argument, LEFT_OUT)
            case EarlierAnswer(tool, path):
                return self.memory.seen(tool, path)
            case FirstKnown(sources):
                known = next((one for one in sources if self._known(one)), None)
                if known is None:
                    raise KeyError("source")
                return self._value(known)


@dataclass
class CoveredCall:
    """A call of the agent's that an alternative stands in for: how far its steps have come.

    Attributes:
        answers: of its steps, by their number.
        outcome: what the agent was shown, once that will not change any more.
        busy: it is being answered now.
    """

    answers: dict[int, Any] = field(default_factory=dict)
    outcome: Outcome | None = None
    busy: bool = False


class RunningAlternative:
    """An alternative that has taken the place of a call, and stands in for those after it.

    Args:
        alternative: the declaration.
        call: the agent's call that failed.
        answers: of the steps made for it.
        shown: what the agent was shown.
    """

    def __init__(self, alternative: Alternative, call: Call, answers: Mapping[int, Any], shown: Any) -> None:
        self._then = alternative.then
        self._arguments: dict[str, Mapping[str, Any]] = {call.tool: dict(call.arguments)}
        self._answers = dict(answers)
        self._shown: dict[str, Any] = {call.tool: shown}
        self._covered_calls: dict[tuple[int, str], CoveredCall] = {}
        self._lock = threading.RLock()
        counts = [len(part.steps) for part in alternative.parts]
        # Step numbers run through all parts, so that a later part can name the steps of an earlier one.
        self._first = [sum(counts[: place + 1]) for place in range(len(alternative.then))]

    def place(self, call: Call) -> int | None:
        """The number of this call among those that the alternative stands in for; None where it is not one of them."""
        return next((place for place, then in enumerate(self._then) if self._meant(then, call)), None)

    def then(self, place: int) -> Then:
        """The declaration of that call."""
        return self._then[place]

    def steps(self, place: int, covered: CoveredCall) -> list[tuple[int, AlternativeStep]]:
        """The steps that are still to be made for a call, with their numbers."""
        numbered = enumerate(self._then[place].steps, self._first[place])
        # Steps that succeeded before a failure are not made twice.
        return [(number, step) for number, step in numbered if number not in covered.answers]

    def covered(self, place: int, call: Call, spec: ToolSpec | None) -> CoveredCall | None:
        """Take up this call where it was left; None where an equal one is being answered just now."""
        key = place, arguments_key(call.arguments, spec)
        with self._lock:
            covered = self._covered_calls.setdefault(key, CoveredCall())
            if covered.busy:
                return None
            covered.busy = True
            return covered

    def sources(self, call: Call, covered: CoveredCall, memory: Memory) -> ValueSources:
        """The sources of the values in a call's steps."""
        return ValueSources(call.arguments, memory, self._arguments, {**self._answers, **covered.answers})

    def closes(self, call: Call, covered: CoveredCall, shown: Any) -> None:
        """Note that the call is answered: what was found for it is there for those after it."""
        with self._lock:
            self._answers.update(covered.answers)
            self._arguments[call.tool] = dict(call.arguments)
            self._shown[call.tool] = shown
            covered.outcome = Value(shown)

    def _meant(self, then: Then, call: Call) -> bool:
        if then.tool != call.tool:
            return False
        try:
            # Recognised by values shown in place of the answer: only they tie this call to the alternative.
            return all(call.arguments[name] == self._known(known) for name, known in then.knows.items())
        except KeyError:
            return False

    def _known(self, known: Known) -> Any:
        match known:
            case EarlierAnswer(tool, path):
                return paths.first_value(self._shown[tool], path)
            case EarlierArgument(tool, argument):
                return self._arguments[tool][argument]
            case Fixed(value):
                return value


def translated(answer: Answer, answers: Mapping[int, Any], ticket: str) -> dict[str, Any]:
    """The answers as the tool that failed would have given them, as far as the declaration goes.

    Raises:
        KeyError: one of them lacks a field that is read.
    """
    whole: dict[str, Any] = {}
    for path, source in answer.items():
        *outer, last = path.split(".")
        place = whole
        for key in outer:
            place = place.setdefault(key, {})
        place[last] = (
            ticket if isinstance(source, ReferenceTicket) else paths.first_value(answers[source.step], source.path)
        )
    return whole
