"""The way into a session for the calls of a plain function: it says of each what becomes of it.

Where a session asks nothing of a tool's calls but the conditions of its rules, a call that passes costs little more
than the draw: whatever is the same for all calls is looked up once, and kept in a function.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from marshal import dumps
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from sealegs.faults.call import Outcome
from sealegs.faults.equal import FormMemory, KnownArguments
from sealegs.inject.injector import Injector
from sealegs.inject.tool_state import RuleState, ToolState, TriggeredFault, TriggeredFaults
from sealegs.inject.turn import place_in_turn

MOST = 1_000  # ways in that a session keeps
T = TypeVar("T")
ToolEntry = Callable[[tuple[Any, ...], dict[str, Any]], T | Outcome | None]


class FunctionParameters(Protocol):
    """The parameters of a function: they name the arguments of its calls, by nothing but what they are given."""

    def named(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Mapping[str, Any]:
        """The arguments by name."""


def quick_entry(
    state: ToolState,
    parameters: FunctionParameters,
    injector: Injector,
    struck: Callable[[Mapping[str, Any], TriggeredFaults], T],
    passed: Callable[[Mapping[str, Any]], T] | None = None,
) -> ToolEntry[T]:
    """The way in for a tool that is `idle` or `quick`.

    Args:
        state: the tool.
        parameters: of the function.
        injector: whose faults strike it.
        struck: makes the call that something strikes, of its arguments.
        passed: makes the one that nothing strikes; None where the adapter is to run the tool itself.

    Returns:
        A function of a call's arguments. It counts the call, and returns what was made of it; None where the adapter is
        to run the tool; an outcome where a fault has answered the call already.
    """
    if state.idle:
        return _pass if passed is None else _followed(parameters, passed)
    if injector.unheard and len(state.rules) == 1 and state.rules[0].answers_before and state.rules[0].unconditional:
        return _answered(state, injector)
    return _QuickCalls(state, parameters, injector, struck, passed).entry()


def keep_entry(entries: dict[FunctionParameters, T], parameters: FunctionParameters, entry: T) -> None:
    """Keep the way in for a function among those of a session, which may wrap a function anew for every call."""
    if len(entries) >= MOST:
        entries.clear()
    entries[parameters] = entry


class RuleDecision(NamedTuple):
    """The decision whether a rule strikes a call.

    Attributes:
        by_arguments: whether calls with the same arguments are counted, in place of all calls of the tool.
        strikes: tells it by the number of calls before.
        rule_state: the rule.
    """

    by_arguments: bool
    strikes: Callable[[int], bool]
    rule_state: RuleState


class DecidedCalls:
    """Calls of a tool with the same arguments, and what decides on them.

    Attributes:
        key: of the arguments.
        calls: counts the calls.
        decisions: on each rule.
    """

    __slots__ = ("calls", "decisions", "key")

    def __init__(self, state: ToolState, known: KnownArguments) -> None:
        self.key = known.key
        self.calls = known.calls
        self.decisions = [
            RuleDecision(one.by_arguments, one.rule.when.decision(one.fired_by(known.key)), one) for one in state.rules
        ]


class _QuickCalls(Generic[T]):
    """The calls of a tool that is `quick`; see `quick_entry`."""

    def __init__(
        self,
        state: ToolState,
        parameters: FunctionParameters,
        injector: Injector,
        struck: Callable[[Mapping[str, Any], TriggeredFaults], T],
        passed: Callable[[Mapping[str, Any]], T] | None,
    ) -> None:
        self._state = state
        self._read = parameters.named
        self._injector = injector
        self._struck = struck
        self._passed = passed
        self._decided: FormMemory[DecidedCalls] = FormMemory()
        self._answers_before = injector.unheard and len(state.rules) == 1 and state.rules[0].answers_before

    def entry(self) -> ToolEntry[T]:
        """The way in."""
        # Variables of the function below: attributes would have to be looked up on each call.
        state, number, read, passed = self._state, self._injector.number, self._read, self._passed
        calls, keyed, place_of, look_up = state.calls, state.keyed, place_in_turn.get, self._decided.get
        unread, take_new, strike = DecidedCalls(state, KnownArguments("", itertools.count())), self._new, self._strike

        def entry(args: tuple[Any, ...], kwargs: dict[str, Any]) -> T | Outcome | None:
            if keyed:
                try:
                    form = dumps((args, kwargs), 0)
                except ValueError:  # an object among them that is not data
                    form = b""
                if (known := look_up(form)) is None:
                    return take_new(form, args, kwargs)
            else:
                known = unread
            place = place_of()
            nth = next(calls) if place is None else number(state, place)
            times = next(known.calls)
            for by_arguments, strikes, _ in known.decisions:
                if strikes(times if by_arguments else nth):
                    return strike(known, nth, times, args, kwargs)
            return None if passed is None else passed(read(args, kwargs))

        return entry

    def _new(self, form: bytes, args: tuple[Any, ...], kwargs: dict[str, Any]) -> T | None:
        """Take a call with arguments of which nothing is kept."""
        arguments = self._read(args, kwargs)
        known = self._state.arguments.new(arguments)
        if self._decided.comes_again(form, (args, kwargs)):
            self._decided[form] = DecidedCalls(self._state, known)
        faults = self._injector.aim(self._state, arguments, known)
        if faults is not None:
            return self._struck(arguments, faults)
        return None if self._passed is None else self._passed(arguments)

    def _strike(
        self, known: DecidedCalls, nth: int, times: int, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> T | Outcome:
        """Take a call that is counted, and that a rule strikes."""
        state = self._state
        if self._answers_before:
            return self._injector.answer_unheard(state.rules[0])()
        fired = [one.rule_state for one in known.decisions if one.strikes(times if one.by_arguments else nth)]
        arguments, key = self._read(args, kwargs), known.key
        if not key and any(one.draws_by_arguments for one in fired):
            key = state.arguments.known(arguments).key
        faults = [TriggeredFault(one, one.drawn_by(nth, times, key)) for one in fired]
        return self._struck(arguments, TriggeredFaults(state, nth, faults))


def _followed(parameters: FunctionParameters, passed: Callable[[Mapping[str, Any]], T]) -> ToolEntry[T]:
    """The way in for calls to which nothing can happen, and which are watched."""
    return lambda args, kwargs: passed(parameters.named(args, kwargs))


def _answered(state: ToolState, injector: Injector) -> ToolEntry[Any]:
    """The way in for calls that one fault answers, each and every one, and of which nobody is told."""
    calls, place_of, answer = state.calls, place_in_turn.get, injector.answer_unheard(state.rules[0])

    def entry(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Outcome:
        place = place_of()
        if place is None:
            next(calls)
        else:
            injector.number(state, place)
        return answer()

    return entry


def _pass(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Let the call pass: nothing can happen to it."""
