"""Calls that nothing strikes, as a recorder follows them while an adapter runs their tools.

Plain arguments and answers, which nobody can change, are kept as they are, and become events when somebody reads the
events (`kept_events`); all others are copied at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, NamedTuple

from sealegs.faults.call import Call, Effect, Failure, Moment, Outcome, PartialExecution
from sealegs.faults.equal import PLAIN
from sealegs.faults.plan import Rule
from sealegs.inject.call_context import FollowedCall, call_id, running
from sealegs.inject.layer_context import FaultAnswer, ReadArguments
from sealegs.traces.event_notes import EventNote
from sealegs.traces.events import FaultInjected, OutcomeShown, ToolCalled, ToolRan
from sealegs.traces.json_data import to_json_data, to_json_object
from sealegs.traces.kept_events import KeptEvents
from sealegs.traces.reported_effects import ledger

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


class RecordedCall(EventNote, FollowedCall):
    """A call that a recorder follows, and the note that it was made.

    A call that is under way holds its recorder, and its recorder holds it; one that has ended does not.

    Args:
        tool: the tool.
        session: the session, as every way in takes it; not needed.
        args, kwargs: of the tool's function.
    """

    __slots__ = ("_args", "_at", "_before", "_form", "_kwargs", "_number", "_tool")

    def __init__(self, tool: FollowedTool, session: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._form, kept, _, _, now, numbers = tool
        self._tool = tool
        self._number = next(numbers)
        self._args = args
        self._kwargs = kwargs
        if len(kept.recent) >= kept.most:
            kept.make_room()
        self._at = now()
        kept.append(self if _unchanging(args, kwargs) else self.event())
        self._before = ledger.get(), running.get()

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
    def event_of(common: tuple[str, ReadArguments], rest: tuple[Any, ...]) -> ToolCalled:
        """The event that it was made."""
        (tool, read), (number, args, kwargs, at) = common, rest
        return ToolCalled(call_id(number), tool, to_json_object(read(args, kwargs)), at)

    def answered(self, value: Any) -> None:
        """End it: the tool returned this."""
        _, events, _, _, now, _ = self._ended()
        kind, kept = type(value), value
        if kind is dict:
            kept = value.copy()
            unchanging = _unchanging(kept, kept)
        elif kind is list:
            kept = value.copy()
            unchanging = _unchanging(kept, NOTHING)
        else:
            unchanging = kind in PLAIN
        if unchanging:
            events.append(AnswerNote(self._number, kept, now()))
        else:
            shown = value.value if kind is PartialExecution else value
            events.append(OutcomeShown(self.id, {"value": to_json_data(shown)}, 1, True, now()))

    def failed(self, failure: Failure | None) -> None:
        """End it: the tool failed, or the caller is gone (None)."""
        tool = self._ended()
        if failure is None:
            tool.kept.append(OutcomeShown(self.id, None, 0, False, tool.now()))
        else:
            tool.kept.append(OutcomeShown(self.id, tool.data(failure), 1, True, tool.now()))

    def _ended(self) -> FollowedTool:
        tool, (enter, before) = self._tool, self._before
        del self._tool, self._before
        try:
            ledger.set(enter)
        finally:  # also where an interrupt arrives just now
            running.set(before)
        return tool


class RecordedLateCall(RecordedCall):
    """A call that a rule's fault answers after the tool's work.

    Args:
        tool: the tool.
        args, kwargs: of the tool's function.
        nth: how many calls of the tool came before.
        late: the fault's answer.
    """

    __slots__ = ("_late", "_nth")

    def __init__(
        self, tool: FollowedTool, args: tuple[Any, ...], kwargs: dict[str, Any], nth: int, late: FaultAnswer
    ) -> None:
        super().__init__(tool, None, args, kwargs)
        self._nth, self._late = nth, late

    def call(self) -> Call:
        """The call, for the tool's own code."""
        tool, read = self._form
        return Call(tool, read(self._args, self._kwargs), self.id, self._nth)

    def answered(self, value: Any) -> Outcome:  # type: ignore[override]
        """End it: the tool returned this."""
        tool, partial = self._ended(), type(value) is PartialExecution
        said = {"value": to_json_data(value.value if partial else value)}
        return self._show(tool, said, self._late.to_value(value), "during" if partial else "after")

    def failed(self, failure: Failure | None) -> Outcome | None:  # type: ignore[override]
        """End it: the tool failed, or the caller is gone (None)."""
        tool, rule = self._ended(), self._late.rule
        if failure is not None:
            return self._show(tool, tool.data(failure), self._late.to_failure(failure), "before")
        id, fault, enter = self.id, rule.fault, tool.kept.append
        enter(FaultInjected(id, rule.id, fault.kind, fault.implicit, False, 0, 0.0, None, None, "before", True))
        enter(OutcomeShown(id, None, 0, False, tool.now()))
        return None

    def _show(self, tool: FollowedTool, said: dict[str, Any], late: tuple[Outcome, bool], done: Moment) -> Outcome:
        """Note what the tool said, and what is shown in its place. `done`: what was done to the world."""
        rule, (shown, delivered) = self._late.rule, late
        id, fault, enter, data = self.id, rule.fault, tool.kept.append, tool.data(shown)
        enter(FaultInjected(id, rule.id, fault.kind, fault.implicit, delivered, 1, 0.0, said, data, done))
        if delivered:
            enter(ToolRan(id, said, False))
        enter(OutcomeShown(id, data, 1, not delivered, tool.now()))
        return shown


def note_answered(
    tool: FollowedTool,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    rule: Rule,
    moment: Moment | Literal[""],
    shown: Outcome,
) -> None:
    """Note a call that a fault has answered before the tool's work."""
    call = RecordedCall(tool, None, args, kwargs)
    del call._tool, call._before  # nobody ends it
    id, data, fault, enter = call.id, tool.data(shown), rule.fault, tool.kept.append
    enter(FaultInjected(id, rule.id, fault.kind, fault.implicit, True, 0, 0.0, None, data, moment))
    enter(OutcomeShown(id, data, 0, False, tool.now()))


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


class AnswerNote(EventNote):
    """A value that a call which nothing struck was answered with at a time, and that nobody can change."""

    __slots__ = ("_at", "_number", "_value")

    def __init__(self, number: int, value: object, at: float) -> None:
        self._number = number
        self._value = value
        self._at = at

    def parts(self) -> tuple[None, tuple[Any, ...]]:
        """The note of the answer, which has nothing in common with others."""
        return None, (self._number, self._value, self._at)

    @staticmethod
    def event_of(common: None, rest: tuple[Any, ...]) -> OutcomeShown:
        """The event that it was shown."""
        number, value, at = rest
        return OutcomeShown(call_id(number), {"value": to_json_data(value)}, 1, True, at)
