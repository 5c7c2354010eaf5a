"""A shorter way into a session for calls of a plain function: it says of each what becomes of it.

Where a session asks nothing of a tool's calls but the conditions of its rules, a call that passes costs little more
than the draw: whatever is the same for all calls is looked up once, and kept in a function.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, Generic, Literal, Protocol, TypeVar

from sealegs.faults.call import Call, Failure, Moment, Outcome
from sealegs.faults.equal import MOST as MOST_FORMS
from sealegs.faults.equal import may_be_kept
from sealegs.faults.triggers import FOREVER
from sealegs.inject.call_context import FollowedCall, call_id, make_current, running
from sealegs.inject.injector import Injector
from sealegs.inject.layer_context import FaultAnswer, Following, ReadArguments
from sealegs.inject.tool_state import RuleState, ToolState, TriggeredFault, TriggeredFaults
from sealegs.inject.turn import place_in_turn

MOST = 100  # ways in that a session keeps
S = TypeVar("S")  # the session
T = TypeVar("T")  # a call that something strikes
ToolEntry = Callable[[S, tuple[Any, ...], dict[str, Any]], T | FollowedCall | Outcome | None]
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
    numbers: Iterator[int],
    following: Following | None = None,
) -> None:
    """Make the way in for a tool that is `idle` or `quick`, and keep it among those of a session.

    It is a function of the session and a call's arguments. It counts the call, and returns None where the call passes
    as it is, an outcome where a fault has answered it, a followed call where a fault answers it after the tool's work,
    and else the call as `struck` makes it. Where a watcher follows calls, it returns one that passes as
    `following.begin` makes it. It does not hold the session, which would then be freed late.

    Args:
        entries: where it is kept. A session may wrap a function anew for every call, so their number is bounded.
        parameters: of the function.
        state: the tool.
        injector: whose faults strike it.
        struck: makes a call of the session, the tool's name, the arguments, and what strikes it.
        numbers: of calls that can be told apart; one is taken for each that is made.
        following: how a watcher, the only one to hear of faults, follows the calls; None where there is none.
    """
    if len(entries) >= MOST:
        entries.clear()
    if state.idle:
        entries[parameters] = _pass if following is None else following.begin
    elif _answers_before(state, injector, following) and state.rules[0].unconditional:
        entries[parameters] = _answered(state, injector, following)
    else:
        entries[parameters] = _QuickCalls(state, parameters, injector, struck, numbers, following).entry()
    if injector.states.get(state.tool) is not state:  # somebody has learned of the tool, and cleared them, meanwhile
        entries.clear()


def _answers_before(state: ToolState, injector: Injector, following: Following | None) -> bool:
    """Return whether one fault alone may strike, answers before the tool's work, and a watcher at most hears of it."""
    return (injector.unheard or following is not None) and len(state.rules) == 1 and state.rules[0].answers_before


class DecidedCalls:
    """Calls of a tool with the same arguments, and what its rules make of them.

    Attributes:
        key: of the arguments.
        calls: counts the calls.
        draw_moment: draws the moment of the next call; None until a rule of which only the moment is drawn needs it.
        passing: numbers of calls of the tool of which it is known that no rule that goes by them strikes them.
        same_pass_until: a call with these arguments that is counted from now on passes those rules that go by
            arguments, if its number is below this one.
    """

    __slots__ = ("_rules", "_spared", "calls", "draw_moment", "key", "passing", "same_pass_until")

    def __init__(self, rules: Sequence[RuleState], key: str, calls: Iterator[int]) -> None:
        self.key = key
        self.calls = calls
        self._rules = rules
        self._spared: list[Callable[[int], int]] | None = None  # of each rule; None before the second call
        self.passing = range(0)
        self.same_pass_until = 0
        self.draw_moment: Callable[[], Moment] | None = None

    def struck_by(self, nth: int, times: int) -> list[RuleState]:
        """The rules that strike the call with these numbers. Where there are none, note which later calls pass, too."""
        if self._spared is None:  # most arguments come only once, and looking ahead would not pay for them
            self._spared = []
            return [
                one
                for one in self._rules
                if one.rule.when.fires(times if one.by_arguments else nth, one.fired_by(self.key))
            ]
        spared = self._spared = self._spared or [one.rule.when.spared(one.fired_by(self.key)) for one in self._rules]
        strike: list[RuleState] = []
        ahead = {False: FOREVER, True: FOREVER}  # by whether a rule goes by arguments
        for rule_state, count in zip(self._rules, spared, strict=True):
            found = count(times if rule_state.by_arguments else nth)
            if not found:
                strike.append(rule_state)
            ahead[rule_state.by_arguments] = min(ahead[rule_state.by_arguments], found)
        if not strike:
            # A range, not its end alone: another thread or a turn may ask about an earlier call.
            self.passing = range(nth, nth + ahead[False])
            self.same_pass_until = times + ahead[True]
        return strike


class UnknownArguments(Exception):
    """The arguments of a call cannot be kept."""


class _QuickCalls(Generic[S, T]):
    """The calls of a tool that is `quick`; see `keep_entry`."""

    def __init__(
        self,
        state: ToolState,
        parameters: FunctionParameters,
        injector: Injector,
        struck: Struck[S, T],
        numbers: Iterator[int],
        following: Following | None,
    ) -> None:
        self._state = state
        self._read = parameters.named
        self._injector = injector
        self._struck = struck
        self._late = partial(LateAnsweredCall, state.tool, self._read, numbers) if following is None else following.late
        self._fault_answers = {
            one: FaultAnswer(one.rule, one.answer, injector.delivery_marker(one))
            for one in state.rules
            if one.substitutes
        }
        self._begin = following and following.begin
        self._note = following and following.answered
        self._look_up = self._memory()
        self._drawn_by_arguments = any(one.draws_by_arguments for one in state.rules)
        self._always = bool(state.rules) and all(one.unconditional for one in state.rules)
        self._no_listener = injector.unheard or following is not None
        self._answers_before = _answers_before(state, injector, following)

    def entry(self) -> ToolEntry[S, T]:
        """The way in."""
        if self._state.keyed:
            return self._by_arguments()
        rules = self._state.rules
        if self._no_listener and self._always and len(rules) == 1 and rules[0].substitutes:
            if rules[0].moments == ("after",):
                return self._after(rules[0])
            if rules[0].moments == ("before", "after") and rules[0].draws_by_arguments:
                return self._by_moment(rules[0])
        return self._by_order()

    def _after(self, rule_state: RuleState) -> ToolEntry[S, T]:
        """The way in where one fault answers every call after the tool's work."""
        state, number, calls, place_of = self._state, self._injector.number, self._state.calls, place_in_turn.get
        late, fault_answer = self._late, self._fault_answers[rule_state]

        def entry(session: S, args: tuple[Any, ...], kwargs: dict[str, Any]) -> FollowedCall:
            place = place_of()
            return late(args, kwargs, next(calls) if place is None else number(state, place), fault_answer)

        return entry

    def _by_moment(self, rule_state: RuleState) -> ToolEntry[S, T]:
        """The way in where one fault answers every call, before the tool's work or after it, as its arguments draw."""
        state, number, unknown = self._state, self._injector.number, self._unknown
        calls, place_of, look_up, answer = state.calls, place_in_turn.get, self._look_up, self._answer
        late, fault_answer = self._late, self._fault_answers[rule_state]

        def entry(session: S, args: tuple[Any, ...], kwargs: dict[str, Any]) -> T | FollowedCall | Outcome | None:
            try:
                known = look_up(*args, **kwargs)
            except Exception:  # they are not kept, or cannot be hashed, in whatever way they say so
                return unknown(session, args, kwargs)
            place = place_of()
            nth = next(calls) if place is None else number(state, place)
            if known.draw_moment is None:
                known.draw_moment = rule_state.draw_moments(known.key)
            if known.draw_moment() == "after":
                return late(args, kwargs, nth, fault_answer)
            return answer(rule_state, args, kwargs)

        return entry

    def _by_arguments(self) -> ToolEntry[S, T]:
        """The way in where a rule counts the calls with the same arguments."""
        # Variables of the function below: attributes would have to be looked up on each call.
        state, number, unknown, strike = self._state, self._injector.number, self._unknown, self._strike
        calls, place_of, look_up, begin = state.calls, place_in_turn.get, self._look_up, self._begin
        all_by_arguments = all(one.by_arguments for one in state.rules)

        def entry(session: S, args: tuple[Any, ...], kwargs: dict[str, Any]) -> T | FollowedCall | Outcome | None:
            try:
                known = look_up(*args, **kwargs)
            except Exception:  # as above
                return unknown(session, args, kwargs)
            place = place_of()
            nth = next(calls) if place is None else number(state, place)
            # Read before the call is counted. Read later, it might be about calls after this one only.
            until = known.same_pass_until
            times = next(known.calls)
            if times < until and (all_by_arguments or nth in known.passing):
                return None if begin is None else begin(session, args, kwargs, True)  # what is kept is plain
            return strike(session, known, nth, times, args, kwargs)

        return entry

    def _by_order(self) -> ToolEntry[S, T]:
        """The way in where all rules count the calls of the tool, whatever their arguments."""
        state, number, strike = self._state, self._injector.number, self._strike
        calls, place_of, begin = state.calls, place_in_turn.get, self._begin
        unread = DecidedCalls(state.rules, "", itertools.count())

        def entry(session: S, args: tuple[Any, ...], kwargs: dict[str, Any]) -> T | FollowedCall | Outcome | None:
            place = place_of()
            nth = next(calls) if place is None else number(state, place)
            if nth in unread.passing:
                return None if begin is None else begin(session, args, kwargs)
            return strike(session, unread, nth, 0, args, kwargs)

        return entry

    def _memory(self) -> Callable[..., DecidedCalls]:
        """A memory of arguments and what is known of them. It raises UnknownArguments where they cannot be kept."""
        state, read = self._state, self._read

        @lru_cache(MOST_FORMS, typed=True)  # with their types, since 1 and true are equal
        def look_up(*args: Any, **kwargs: Any) -> DecidedCalls:
            if not all(map(may_be_kept, (*args, *kwargs.values()))):
                raise UnknownArguments
            known = state.arguments.new(read(args, kwargs))
            return DecidedCalls(state.rules, known.key, known.calls)

        return look_up

    def _unknown(self, session: S, args: tuple[Any, ...], kwargs: dict[str, Any]) -> T | FollowedCall | None:
        """Take a call whose arguments are not kept."""
        arguments = self._read(args, kwargs)
        known = self._state.arguments.known(arguments)
        faults = self._injector.aim(self._state, arguments, known)
        if faults is None:
            return self._begin and self._begin(session, args, kwargs)
        return self._struck(session, self._state.tool, arguments, faults)

    def _strike(
        self, session: S, known: DecidedCalls, nth: int, times: int, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> T | FollowedCall | Outcome | None:
        """Take a call that is counted, and that a rule may strike."""
        state = self._state
        fired: Sequence[RuleState] = state.rules if self._always else known.struck_by(nth, times)
        if not fired:
            return self._begin and self._begin(session, args, kwargs)
        if self._answers_before:
            return self._answer(fired[0], args, kwargs)
        key = known.key
        if self._drawn_by_arguments and not key:
            key = self._key(args, kwargs)
        first = TriggeredFault(fired[0], fired[0].drawn_by(nth, times, key))
        if self._no_listener and len(fired) == 1 and first.rule_state.substitutes:
            moment = state.moment(first)
            if moment == "after":
                return self._late(args, kwargs, nth, self._fault_answers[first.rule_state])
            if moment != "during":
                return self._answer(first.rule_state, args, kwargs)
        faults = [first, *(TriggeredFault(one, one.drawn_by(nth, times, key)) for one in fired[1:])]
        return self._struck(session, state.tool, self._read(args, kwargs), TriggeredFaults(state, nth, faults))

    def _key(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
        """The arguments as draws are named by them."""
        try:
            return self._look_up(*args, **kwargs).key
        except Exception:
            return self._state.arguments.known(self._read(args, kwargs)).key

    def _answer(self, rule_state: RuleState, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Outcome:
        """Answer a call by a rule's fault before the tool's work."""
        fault_answer = self._fault_answers[rule_state]
        fault_answer.deliver()
        shown = fault_answer.answer()
        if self._note is not None:
            self._note(args, kwargs, rule_state.rule, "before" if self._state.effects else "", shown)
        return shown


class LateAnsweredCall(FollowedCall):
    """A call that a rule's fault answers after the tool's work, and that nobody watches.

    Args:
        tool: the tool's name.
        read: names the arguments.
        numbers: of calls.
        args, kwargs: of the tool's function.
        nth: how many calls of the tool came before.
        late: the fault's answer.
    """

    __slots__ = ("_args", "_before", "_kwargs", "_late", "_nth", "_number", "_read", "_tool")

    def __init__(
        self,
        tool: str,
        read: ReadArguments,
        numbers: Iterator[int],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        nth: int,
        late: FaultAnswer,
    ) -> None:
        self._tool, self._read, self._number, self._nth = tool, read, next(numbers), nth
        self._args, self._kwargs, self._late = args, kwargs, late
        self._before = running.get()

    def begin(self) -> None:
        """Make it the current call."""
        running.set(self)

    def call(self) -> Call:
        """The call, for the tool's own code."""
        return Call(self._tool, self._read(self._args, self._kwargs), call_id(self._number), self._nth)

    def answered(self, value: object) -> Outcome:
        """End it; the fault's answer."""
        running.set(self._ended())
        return self._late.to_value(value)[0]

    def failed(self, failure: Failure | None) -> Outcome | None:
        """End it; the fault's answer, unless the caller is gone."""
        if failure is None:
            make_current(self._ended(), self)
            return None
        running.set(self._ended())
        return self._late.to_failure(failure)[0]

    def _ended(self) -> Call | FollowedCall | None:
        # Not kept: tasks that the tool started may keep this call, and it would keep all those before it.
        before, self._before = self._before, None
        return before


def _answered(state: ToolState, injector: Injector, following: Following | None) -> ToolEntry[Any, Any]:
    """The way in for calls that one fault answers, each and every one."""
    calls, place_of, answer = state.calls, place_in_turn.get, state.rules[0].answer
    note, rule = following and following.answered, state.rules[0].rule
    moment: Moment | Literal[""] = "before" if state.effects else ""
    injector.delivery_marker(state.rules[0])()  # once will do, since the next call is answered

    def entry(session: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Outcome:
        place = place_of()
        if place is None:
            next(calls)
        else:
            injector.number(state, place)
        shown = answer()
        if note is not None:
            note(args, kwargs, rule, moment, shown)
        return shown

    return entry


def _pass(session: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Let the call pass: nothing can happen to it."""
