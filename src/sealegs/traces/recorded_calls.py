"""Calls that nothing strikes, as a recorder follows them while an adapter runs their tools.

Plain arguments and answers, which nobody can change, are kept as they are, and become events when somebody reads the
events (`kept_events`); all others are copied at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from types import NoneType
from typing import Any, Literal, NamedTuple

from sealegs.faults.call import Call, Effect, Failure, Moment, Outcome
from sealegs.faults.plan import Rule
from sealegs.inject.call_context import FollowedCall, call_id, running
from sealegs.inject.layer_context import ReadArguments
from sealegs.traces.events import FaultInjected, OutcomeShown, ToolCalled
from sealegs.traces.json_data import to_json_data, to_json_object
from sealegs.traces.kept_events import EventNote, KeptEvents
from sealegs.traces.reported_effects import ledger

PLAIN = frozenset((str, int, float, bool, NoneType))  # by exact type: a subclass may have attributes
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
    """A call that a recorder follows, and the note that it was made. Once it has ended, it holds no recorder.

    Args:
        tool: the tool.
        session: the session; not needed.
        args, kwargs: of its function.
        runs: whether the tool is run for it; else nobody ends it.
    """

    __slots__ = ("_args", "_at", "_form", "_kwargs", "_number", "_under_way")

    def __init__(
        self, tool: FollowedTool, session: object, args: tuple[Any, ...], kwargs: dict[str, Any], runs: bool = True
    ) -> None:
        self._form, kept, effect, _, now, numbers = tool
        self._number = next(numbers)
        self._args = args
        self._kwargs = kwargs
        if len(kept.recent) >= kept.most:
            kept.make_room()
        self._at = now()
        kept.append(self if _unchanging(args, kwargs) else self.event())
        if runs:
            # What was current before is taken back at the end.
            self._under_way: tuple[FollowedTool, Any, Any] | None = tool, ledger.get(), running.get()
            ledger.set(effect)
            running.set(self)

    def call(self) -> Call:
        """The call, for the tool's own code."""
        tool, read = self._form
        return Call(tool, read(self._args, self._kwargs), self.id)

    @property
    def id(self) -> str:
        """Its id."""
        return call_id(self._number)

    def event(self) -> ToolCalled:
        """The event that it was made."""
        tool, read = self._form
        return ToolCalled(self.id, tool, to_json_object(read(self._args, self._kwargs)), self._at)

    def answered(self, value: Any) -> None:
        """End it: the tool returned this."""
        (_, events, _, _, now, _), enter, before = self._under_way  # type: ignore[misc]
        self._under_way = None
        ledger.set(enter)
        running.set(before)
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
            events.append(OutcomeShown(self.id, {"value": to_json_data(value)}, 1, True, now()))

    def failed(self, failure: Failure) -> None:
        """End it: the tool failed."""
        tool = self._end()
        tool.kept.append(OutcomeShown(self.id, tool.data(failure), 1, True, tool.now()))

    def cut_off(self) -> None:
        """End it: the caller is gone."""
        tool = self._end()
        tool.kept.append(OutcomeShown(self.id, None, 0, False, tool.now()))

    def _end(self) -> FollowedTool:
        tool, enter, before = self._under_way  # type: ignore[misc]
        self._under_way = None
        ledger.set(enter)
        running.set(before)
        return tool


def note_answered(
    tool: FollowedTool,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    rule: Rule,
    moment: Moment | Literal[""],
    shown: Outcome,
) -> None:
    """Note a call that a fault has answered before the tool's work."""
    id, data = RecordedCall(tool, None, args, kwargs, runs=False).id, tool.data(shown)
    fault, enter = rule.fault, tool.kept.append
    enter(FaultInjected(id, rule.id, fault.kind, fault.implicit, True, 0, 0.0, None, data, moment))
    enter(OutcomeShown(id, data, 0, False, tool.now()))


def _unchanging(values: Iterable[Any], named: dict[Any, Any]) -> bool:
    """Return whether nobody can change one of these values, or of those that have names."""
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

    def event(self) -> OutcomeShown:
        """The event that it was shown."""
        return OutcomeShown(call_id(self._number), {"value": to_json_data(self._value)}, 1, True, self._at)
