"""A shorter way into a session for calls of a plain function: it says of each what becomes of it.

Where a session asks nothing of a tool's calls but the conditions of its rules, a call that passes costs little more
than the draw: whatever is the same for all calls is looked up once, and kept in a function.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from sealegs.faults.call import Outcome
from sealegs.faults.equal import FormMemory
from sealegs.inject.injector import Injector
from sealegs.inject.tool_state import RuleState, ToolState, TriggeredFault, TriggeredFaults
from sealegs.inject.turn import place_in_turn

MOST = 100  # ways in that a session keeps
S = TypeVar("S")  # the session
T = TypeVar("T")  # a call that something strikes
ToolEntry = Callable[[S, tuple[Any, ...], dict[str, Any]], T | Outcome | None]
Struck = Callable[[S, str, Mapping[str, Any], TriggeredFaults], T]


class FunctionParameters(Protocol):
    """The parameters of a function: they name the arguments of its calls, by nothing but what they are given."""

    def named(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Mapping[str, Any]:
        """The arguments by name."""


def keep_entry(
    entries: dict[FunctionParameters, ToolEntry[S, T]],
    parameters: FunctionParameters,
    state: ToolState,
    injector: Injector,
    struck: Struck[S, T],
) -> None:
    """Make the way in for a tool that is `idle` or `quick`, and keep it among those of a session.

    It is a function of the session and a call's arguments. It counts the call, and returns None where the call passes
    as it is, an outcome where a fault has answered it and nobody is told, and else the call as `struck` makes it. It
    does not hold the session, which would then be freed late.

    Args:
        entries: where it is kept. A session may wrap a function anew for every call, so their number is bounded.
        parameters: of the function.
        state: the tool.
        injector: whose faults strike it.
        struck: makes a call of the session, the tool's name, the arguments, and what strikes it.
    """
    if len(entries) >= MOST:
        entries.clear()
    if state.idle:
        entries[parameters] = _pass
    elif _answers_before(state, injector) and state.rules[0].unconditional:
        entries[parameters] = _answered(state, injector)
    else:
        entries[parameters] = _QuickCalls(state, parameters, injector, struck).entry()
    if injector.states.get(state.tool) is not state:  # somebody has learned of the tool, and cleared them, meanwhile
        entries.clear()


def _answers_before(state: ToolState, injector: Injector) -> bool:
    """Return whether one fault alone may strike, answers before the tool's work, and nobody is told."""
    return injector.unheard and len(state.rules) == 1 and state.rules[0].answers_before


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

    def __init__(self, state: ToolState, key: str, calls: Iterator[int]) -> None:
        self.key = key
        self.calls = calls
        self.decisions = [
            RuleDecision(one.by_arguments, one.rule.when.decision(one.fired_by(key)), one) for one in state.rules
        ]


class _QuickCalls(Generic[S, T]):
    """The calls of a tool that is `quick`; see `keep_entry`."""

    def __init__(
        self, state: ToolState, parameters: FunctionParameters, injector: Injector, struck: Struck[S, T]
    ) -> None:
        self._state = state
        self._read = parameters.named
        self._injector = injector
        self._struck = struck
        self._decided: FormMemory[DecidedCalls] = FormMemory()
        self._answers_before = _answers_before(state, injector)

    def entry(self) -> ToolEntry[S, T]:
        """The way in."""
        # Variables of the function below: attributes would have to be looked up on each call.
        state, number, take_new, strike = self._state, self._injector.number, self._new, self._strike
        calls, keyed, place_of, look_up = state.calls, state.keyed, place_in_turn.get, self._decided.get
        unread = DecidedCalls(state, "", itertools.count())

        def entry(session: S, args: tuple[Any, ...], kwargs: dict[str, Any]) -> T | Outcome | None:
            if keyed:
                form = (args, *kwargs.items(), *map(type, args), *map(type, kwargs.values()))
                try:
                    known = look_up(form)
                except TypeError:  # a list or an object among them, which has no hash
                    return take_new(session, None, args, kwargs)
                if known is None:
                    return take_new(session, form, args, kwargs)
            else:
                known = unread
            place = place_of()
            nth = next(calls) if place is None else number(state, place)
            times = next(known.calls)
            for by_arguments, strikes, _ in known.decisions:
                if strikes(times if by_arguments else nth):
                    return strike(session, known, nth, times, args, kwargs)
            return None

        return entry

    def _new(self, session: S, form: tuple[Any, ...] | None, args: tuple[Any, ...], kwargs: dict[str, Any]) -> T | None:
        """Take a call with arguments of which nothing is kept. `form`: None where nothing can be."""
        arguments = self._read(args, kwargs)
        known = self._state.arguments.new(arguments)
        if form is not None and self._decided.comes_again(form, len(args) + len(kwargs)):
            self._decided[form] = DecidedCalls(self._state, known.key, known.calls)
        faults = self._injector.aim(self._state, arguments, known)
        return None if faults is None else self._struck(session, self._state.tool, arguments, faults)

    def _strike(
        self, session: S, known: DecidedCalls, nth: int, times: int, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> T | Outcome:
        """Take a call that is counted, and that a rule strikes."""
        state = self._state
        if self._answers_before:
            self._injector.deliver(state.rules[0])
            return state.rules[0].answer()
        fired = [one.rule_state for one in known.decisions if one.strikes(times if one.by_arguments else nth)]
        arguments, key = self._read(args, kwargs), known.key
        if not key and any(one.draws_by_arguments for one in fired):
            key = state.arguments.known(arguments).key
        faults = [TriggeredFault(one, one.drawn_by(nth, times, key)) for one in fired]
        return self._struck(session, state.tool, arguments, TriggeredFaults(state, nth, faults))


def _answered(state: ToolState, injector: Injector) -> ToolEntry[Any, Any]:
    """The way in for calls that one fault answers, each and every one, and of which nobody is told."""
    calls, place_of, answer = state.calls, place_in_turn.get, state.rules[0].answer
    injector.deliver(state.rules[0])  # once will do, since the next call is answered

    def entry(session: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Outcome:
        place = place_of()
        if place is None:
            next(calls)
        else:
            injector.number(state, place)
        return answer()

    return entry


def _pass(session: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Let the call pass: nothing can happen to it."""
