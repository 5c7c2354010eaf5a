"""Calls of which an adapter runs the tools itself, as a recorder follows them.

Plain arguments and answers, which nobody can change, are kept as they are, and all others are copied at once. What was
noted becomes events when somebody reads the events (`kept_events`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, NamedTuple

from sealegs.faults.call import Call, Effect, Failure, Moment, Outcome, PartialExecution
from sealegs.faults.equal import PLAIN
from sealegs.faults.plan import Rule
from sealegs.inject.call_context import FollowedCall, call_id, make_current, running
from sealegs.inject.layer_context import FaultAnswer, Following, ReadArguments
from sealegs.traces.event_notes import EventNote, Said, said_data
from sealegs.traces.events import Event, FaultInjected, OutcomeShown, ToolCalled, ToolRan
from sealegs.traces.json_data import to_json_data, to_json_object
from sealegs.traces.kept_events import KeptEvents
from sealegs.traces.reported_effects import ledger, restore_ledger

NOTHING: dict[str, Any] = {}


class FollowedTool(NamedTuple):
    """A tool whose calls a recorder follows, which has nobody to pass events to.

    Attributes:
        form: its name, and what names the arguments of its calls.
        kept: what the recorder keeps.
        effect, data, now: its functions.
        numbers: of calls.
    """

    form: tuple[str, ReadArguments]
    kept: KeptEvents
    effect: Callable[[Effect], None]
    data: Callable[[Outcome], dict[str, Any]]
    now: Callable[[], float]
    numbers: Iterator[int]

    def following(self) -> Following:
        """The ways in which its calls are followed. They hold what is the same for all, which costs each call less."""
        form, kept, _, data, now, numbers = self
        recent = kept.recent

        def begin(
            session: object,
            args: tuple[Any, ...],
            kwargs: dict[str, Any],
            plain: bool = False,
            call: RecordedCall | None = None,
        ) -> RecordedCall:
            if call is None:
                call = RecordedCall()
            call._form = form
            call._tool = self
            call._number = next(numbers)
            call._args = args
            call._kwargs = kwargs
            if len(recent) >= kept.most:
                kept.make_room()
            call._at = now()
            kept.append(call if plain or _unchanging(args, kwargs) else call.events()[0])
            call._before = ledger.get(), running.get()
            return call

        def late(args: tuple[Any, ...], kwargs: dict[str, Any], nth: int, answer: FaultAnswer) -> RecordedLateCall:
            call = RecordedLateCall()
            call._nth, call._late = nth, answer
            begin(None, args, kwargs, call=call)
            return call

        def answered(
            args: tuple[Any, ...], kwargs: dict[str, Any], rule: Rule, moment: Moment | Literal[""], shown: Outcome
        ) -> None:
            call = begin(None, args, kwargs)
            del call._tool, call._before  # nobody ends it
            kept.append(StruckNote(rule, (call._number, data(shown), moment, now(), None, True)))

        return Following(begin, answered, late)


class RecordedCall(EventNote, FollowedCall):
    """A call that a recorder follows, and the note that it was made. Only its tool makes it.

    A call that is under way holds its recorder, and its recorder holds it; one that has ended does not.
    """

    __slots__ = ("_args", "_at", "_before", "_form", "_kwargs", "_number", "_tool")

    _form: tuple[str, ReadArguments]
    _tool: FollowedTool
    _number: int
    _args: tuple[Any, ...]
    _kwargs: dict[str, Any]
    _at: float
    _before: tuple[Callable[[Effect], None] | None, Call | FollowedCall | None]  # the ledger and the call

    def begin(self) -> None:
        """Make it the current call, and the record the ledger."""
        ledger.set(self._tool.effect)
        running.set(self)

    def call(self) -> Call:
        """The call, for the tool's own code."""
        tool, read = self._form
        return Call(tool, read(self._args, self._kwargs), self.id)

    @property
    def id(self) -> str:
        """Its id."""
        return call_id(self._number)

    def parts(self) -> tuple[tuple[str, ReadArguments], tuple[Any, ...]]:
        """Its tool's name and what names its arguments, and what was noted of the call."""
        return self._form, (self._number, self._args, self._kwargs, self._at)

    @staticmethod
    def events_of(common: tuple[str, ReadArguments], rest: tuple[Any, ...]) -> tuple[ToolCalled]:
        """The event that it was made."""
        (tool, read), (number, args, kwargs, at) = common, rest
        return (ToolCalled(call_id(number), tool, to_json_object(read(args, kwargs)), at),)

    def answered(self, value: Any) -> None:
        """End it: the tool returned this."""
        _, kept, _, _, now, _ = self._ended()
        kept.append((self._number, _answer_now(value), now()))

    def failed(self, failure: Failure | None) -> None:
        """End it: the tool failed, or the caller is gone (None)."""
        tool = self._ended(failure is None)
        if failure is None:
            tool.kept.append(OutcomeShown(self.id, None, 0, False, tool.now()))
        else:
            tool.kept.append(OutcomeShown(self.id, tool.data(failure), 1, True, tool.now()))

    def _ended(self, gone: bool = False) -> FollowedTool:
        tool, (enter, before) = self._tool, self._before
        del self._tool, self._before
        if gone:
            restore_ledger(enter, tool.effect)
            make_current(before, self)
            return tool
        try:
            ledger.set(enter)
        finally:  # also where an interrupt arrives just now
            running.set(before)
        return tool


class RecordedLateCall(RecordedCall):
    """A call that a rule's fault answers after the tool's work."""

    __slots__ = ("_late", "_nth")

    _late: FaultAnswer
    _nth: int  # how many calls of the tool came before

    def call(self) -> Call:
        """The call, for the tool's own code."""
        tool, read = self._form
        return Call(tool, read(self._args, self._kwargs), self.id, self._nth)

    def answered(self, value: Any) -> Outcome:  # type: ignore[override]
        """End it: the tool returned this."""
        done: Moment = "during" if type(value) is PartialExecution else "after"
        return self._show(self._ended(), _answer_now(value), self._late.to_value(value), done)

    def failed(self, failure: Failure | None) -> Outcome | None:  # type: ignore[override]
        """End it: the tool failed, or the caller is gone (None)."""
        tool, rule = self._ended(failure is None), self._late.rule
        if failure is not None:
            return self._show(tool, tool.data(failure), self._late.to_failure(failure), "before")
        id, fault, enter = self.id, rule.fault, tool.kept.append
        enter(FaultInjected(id, rule.id, fault.kind, fault.implicit, False, 0, 0.0, None, None, "before", True))
        enter(OutcomeShown(id, None, 0, False, tool.now()))
        return None

    def _show(self, tool: FollowedTool, said: Said, late: tuple[Outcome, bool], done: Moment) -> Outcome:
        """Note what the tool said, and what is shown in its place. `done`: what was done to the world."""
        shown, delivered = late
        rest = self._number, tool.data(shown), done, tool.now(), said, delivered
        tool.kept.append(StruckNote(self._late.rule, rest))
        return shown


def _answer_now(value: Any) -> Said:
    """A tool's answer as it is now, and as nobody can change it."""
    kind, kept = type(value), value
    if kind is dict:
        kept = value.copy()
        unchanging = _unchanging(kept, kept)
    elif kind is list:
        kept = value.copy()
        unchanging = _unchanging(kept, NOTHING)
    else:
        unchanging = kind in PLAIN
    return (kept,) if unchanging else {"value": to_json_data(value.value if kind is PartialExecution else value)}


def _unchanging(values: Iterable[Any], named: dict[Any, Any]) -> bool:
    """Return whether nobody can change one of these values, or of those that have names."""
    # By exact type, since a subclass may have attributes.
    for one in values:  # for the few that most calls have, quicker than what works in C
        if type(one) not in PLAIN:
            return False
    for one in named.values():  # noqa: SIM110  # `all` would cost more than all this
        if type(one) not in PLAIN:
            return False
    return True


class StruckNote(EventNote):
    """The end of a call that a rule's fault answered.

    Args:
        rule: the rule.
        rest: the call's number; what was shown, as data; what was done to the world by then; the time; what the tool
            said, None where it did not run; and whether the fault changed that.
    """

    __slots__ = ("_rest", "_rule")

    def __init__(self, rule: Rule, rest: tuple[Any, ...]) -> None:
        self._rule = rule
        self._rest = rest

    def parts(self) -> tuple[tuple[str, str, bool], tuple[Any, ...]]:
        """The facts that its rule gives of itself, and what was noted of the call."""
        fault = self._rule.fault
        return (self._rule.id, fault.kind, fault.implicit), self._rest

    @staticmethod
    def events_of(common: tuple[str, str, bool], rest: tuple[Any, ...]) -> tuple[Event, ...]:
        """The events that the fault struck, that the tool ran, if it said something else, and what was shown."""
        number, shown, done, at, said, delivered = rest
        id, runs = call_id(number), 0 if said is None else 1
        said = said and said_data(said)
        struck = FaultInjected(id, *common, delivered, runs, 0.0, said, shown, done)
        run = (ToolRan(id, said, False),) if runs and delivered else ()
        return struck, *run, OutcomeShown(id, shown, runs, not delivered, at)
