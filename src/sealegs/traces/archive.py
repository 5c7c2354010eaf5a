"""The tools of a trace, answered from its record instead of being run.

A call is known by its tool and its arguments as JSON. The n-th such call gets the n-th recorded answer; when they are
used up, the last one again, and that is noted. What the tool itself returned counts, not what a fault of the recording
showed in its place. Other calls are refused, and noted, never made up (but what a fault asks without effect may be
answered by another source); nor does an answer change because of what was done in the replay before it.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Collection, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, Literal

from sealegs.faults.call import Call, Effect, Failure, Outcome, Value
from sealegs.faults.kinds.error import RAISABLE
from sealegs.traces.json_data import to_json_object
from sealegs.traces.observed import NOT_KEPT, Observation, Trace
from sealegs.traces.redaction import holds_marks, marked_names, without_secrets

Source = Literal["recorded", "repeated", "missing"]
NO_RECORD = "NoRecord"  # the type of the failure that a call without a record is shown


@dataclass(frozen=True, slots=True)
class ServedRun:
    """The answer that one run of a tool got in a replay.

    Attributes:
        call: the call's id; a call that was run several times has several of these.
        tool: the tool.
        arguments: its arguments.
        source: `recorded`, `repeated` (the last recorded answer once more), or `missing` (there is no record).
        why: where it is missing, the reason.
        dry: whether it was called without effect, by a fault and not by the agent.
        seconds: the time that the tool took for it; None if that is not known.
    """

    call: str
    tool: str
    arguments: Mapping[str, Any]
    source: Source
    why: str = ""
    dry: bool = False
    seconds: float | None = None


class Archive:
    """The recorded answers of one trace. May be used from several threads.

    Args:
        trace: the record.
        on_effect: called with what the tools did when they gave these answers.
        ignore: arguments that are left out when calls are compared (request ids, dates).
        other: answers what a fault asks without effect and the record does not know.

    Attributes:
        served: how each run was answered.
    """

    def __init__(
        self,
        trace: Trace,
        *,
        on_effect: Callable[[Effect], None] | None = None,
        ignore: Collection[str] = (),
        other: Callable[[Call], Outcome] | None = None,
    ) -> None:
        self.served: list[ServedRun] = []
        self._other = other
        self._ignore = frozenset(ignore)
        self._on_effect = on_effect
        self._lock = threading.Lock()
        self._drawers: dict[tuple[str, str], _Drawer] = {}
        self._tools = {call.tool for call in trace.calls}
        self._blind = {call.tool for call in trace.calls if call.arguments is None}
        self._redacted = any(holds_marks(call.arguments) for call in trace.calls)
        self._secret = {
            tool: frozenset(name for call in trace.calls if call.tool == tool for name in marked_names(call.arguments))
            # Without a mark there is nothing to find, and this reads all calls once for each tool.
            for tool in (self._tools if self._redacted else ())
        }
        for call in trace.calls:
            self._file(call)

    def run(self, call: Call) -> Outcome:
        """The recorded outcome; a `NoRecord` failure where there is none. Of a dry call nothing is used up."""
        return self.found(call)[0]

    def found(self, call: Call) -> tuple[Outcome, float]:
        """The outcome as `run` gives it, and the seconds that the tool took; 0 where that is not known."""
        key = self._key(call.tool, call.arguments)
        with self._lock:
            drawer = self._drawers.get(key)
            if drawer is None or not drawer.answers:
                if call.dry and self._other is not None:
                    return self._other(call), 0.0
                return self._missing(call, self._reason(call.tool, drawer)), 0.0
            again = drawer.used >= len(drawer.answers)
            # More calls than were recorded: the last answer is what the tool had come to say.
            found = drawer.answers[-1 if again else drawer.used]
            # A dry run changed nothing, so the run that follows it gets the same answer.
            drawer.used += not call.dry
            source: Source = "repeated" if again else "recorded"
            # Clocks of other systems may run backwards.
            seconds = None if found.seconds is None else max(0.0, found.seconds)
            self.served.append(
                ServedRun(call.id, call.tool, dict(call.arguments), source, dry=call.dry, seconds=seconds)
            )
        # Outside the lock: the callback is another's code.
        if self._on_effect is not None and not call.dry:
            for effect in found.effects:  # what the tool did then is taken as done again
                self._on_effect(replace(effect, call=call.id))
        assert found.said is not None
        return _copied(found.said), seconds or 0.0

    def _file(self, call: Observation) -> None:
        """File a call's answer; one that was never given or not kept does not count, but the call was made."""
        if call.arguments is None:
            return
        drawer = self._drawers.setdefault(self._key(call.tool, call.arguments), _Drawer())
        # The drawer exists even without an answer, so that the refusal can say why.
        if call.said is not None and call.said is not NOT_KEPT:
            drawer.answers.append(call)

    def _key(self, tool: str, arguments: Mapping[str, Any]) -> tuple[str, str]:
        """Equal for calls that are equal as JSON."""
        compared = {name: value for name, value in to_json_object(arguments).items() if name not in self._ignore}
        if self._redacted:  # what the record does not hold cannot be compared
            compared = without_secrets(compared, self._secret.get(tool, frozenset()))
        return tool, json.dumps(_canonical(compared), sort_keys=True)

    def _reason(self, tool: str, drawer: _Drawer | None) -> str:
        if tool not in self._tools:
            return "the record has no such tool"
        if drawer is not None:
            return "the record lacks the tool's own answer"
        if tool in self._blind:
            return "the record did not keep the arguments of all calls of this tool"
        return "the record has no call with these arguments"

    def _missing(self, call: Call, why: str) -> Failure:
        self.served.append(ServedRun(call.id, call.tool, dict(call.arguments), "missing", why, call.dry))
        return Failure(f"There is no recorded answer to this call: {why}.", type=NO_RECORD)


class _Drawer:
    """The answers to equal calls of one tool, in their order, and how many were given out."""

    __slots__ = ("answers", "used")

    def __init__(self) -> None:
        self.answers: list[Observation] = []
        self.used = 0


def _canonical(value: Any) -> Any:
    """JSON data in which equal numbers look alike: 1 is 1.0, and not true."""
    if isinstance(value, dict):
        return {key: _canonical(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_canonical(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _copied(outcome: Outcome) -> Outcome:
    """The answer, whatever the agent did to it the last time; an error that Python knows comes as its exception."""
    if isinstance(outcome, Value):
        return Value(deepcopy(outcome.value))
    # An error with a status came over HTTP and never was a Python exception.
    if outcome.status is None and outcome.type in RAISABLE:
        return replace(outcome, exception=RAISABLE[outcome.type](outcome.message))
    return outcome
