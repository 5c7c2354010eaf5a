"""The typed events of an episode.

An episode is one stream: it starts, calls are made, tools run, faults strike, time passes, effects happen, outcomes are
shown, an answer is given, it ends. Each event is one line of JSON; `VERSION` is the version of their schema.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from typing import Annotated, Any, Literal, TypeVar, dataclass_transform, get_args

from pydantic import AfterValidator, Field, TypeAdapter

from sealegs.faults.call import Failure, Moment, Outcome, Value
from sealegs.traces.json_data import to_json_data

VERSION = 1
E = TypeVar("E")
OutcomeData = Annotated[Mapping[str, Any], AfterValidator(lambda data: _outcome_checked(data))]  # `outcome_data`
Reason = Literal["answered", "refused", "filtered", "overflow", "length", "empty", "steps", "limit", "hung", "crashed"]


@dataclass_transform(frozen_default=True)
def _event(kind: type[E]) -> type[E]:
    """Make a class of events, which a type checker keeps from being changed.

    Python would do so by a call for each field, and an event would take several times as long to make.
    """
    return dataclass(slots=True)(kind)


@_event
class EpisodeStarted:
    """The episode began. `about` holds what its suite knows of it (task, level, mode, agent, seed, plan)."""

    episode: str
    about: Mapping[str, Any]
    version: int = VERSION
    type: Literal["started"] = "started"


@_event
class FactsNoted:
    """Facts for `about` that were learnt after the beginning was written; readers put them there."""

    facts: Mapping[str, Any]
    type: Literal["noted"] = "noted"


@_event
class ToolCalled:
    """The agent made a call.

    `retry` counts how often its client had sent it before, by itself and where it says so; it is not written where it
    is 0.
    """

    call: str
    tool: str
    arguments: Mapping[str, Any]
    at: float = 0.0
    retry: int = 0
    type: Literal["called"] = "called"


@_event
class ToolRan:
    """The tool itself ran and said this; `dry` where it left no effect. Not written where `Shown` says the same."""

    call: str
    said: OutcomeData
    dry: bool = False
    type: Literal["ran"] = "ran"


@_event
class FaultInjected:
    """A fault fired: what it received from below, and what it handed on.

    `delivered` is false where nothing came of it. `runs` counts how often what lay below was run with effect and
    answered. `waited` is the seconds that it waited, of a wait that was cut off those until then; null where the wait
    had no end. A null `said`: nothing below ever answered; a null `shown`: it was cut off before it could show anything
    (`cut_off`, which is not written where it is false), or a fault further out left nothing to do. `moment` says what
    had been done to the world by then: nothing (`before`), a part (`during`) or all (`after`); it is empty for a tool
    without effects.
    """

    call: str
    rule: str
    kind: str
    implicit: bool
    delivered: bool
    runs: int
    waited: float | None
    said: OutcomeData | None
    shown: OutcomeData | None
    moment: Moment | Literal[""] = ""
    cut_off: bool = False
    type: Literal["struck"] = "struck"


@_event
class TimePassed:
    """Time passes on the seam during a call, written as it begins; null seconds have no end.

    Where a fault's wait was cut off, its `FaultInjected` says how long it lasted.
    """

    call: str
    seconds: float | None
    type: Literal["waited"] = "waited"


@_event
class LayerActionTaken:
    """A layer between agent and faults (recovery) did something on a call besides passing it on.

    With an `attempt`, it had this call made, under that id, and `outcome` is what came of it; the first attempt has the
    agent's own id and no policy. Without one, the agent's call is answered with `outcome` from here on, or stays as it
    was (null). `repaired`: this is the tool's last answer put right.
    """

    call: str
    policy: str
    action: str
    attempt: str | None = None
    tool: str | None = None
    arguments: Mapping[str, Any] | None = None
    outcome: OutcomeData | None = None
    detail: str = ""
    repaired: bool = False
    began: float | None = None
    at: float = 0.0
    type: Literal["acted"] = "acted"


@_event
class EffectHappened:
    """Something really happened to the world."""

    call: str
    action: str
    subject: str
    details: Mapping[str, Any]
    type: Literal["effected"] = "effected"


@_event
class OutcomeShown:
    """The outcome that the agent was shown. `runs` counts how often the tool ran for it, dry or not.

    `true` says that it is the tool's own answer, of the last time that it ran. Null: the caller was gone.
    """

    call: str
    outcome: OutcomeData | None
    runs: int = 1
    true: bool = True
    at: float = 0.0
    type: Literal["shown"] = "shown"


@_event
class MessageWritten:
    """The agent wrote a message that is not its answer, such as code, whose calls have their own events."""

    text: str
    at: float = 0.0
    type: Literal["wrote"] = "wrote"


@_event
class AnswerGiven:
    """The agent's final words."""

    text: str
    type: Literal["answered"] = "answered"


@_event
class EpisodeEnded:
    """The episode ended.

    `answered`; or the model ended it itself: it `refused`, its provider `filtered` the reply, the conversation did not
    fit into its context (`overflow`), the reply was cut off at its longest `length`, or was `empty`; or it was cut off
    by `steps`, `limit`, `hung` or `crashed`.
    """

    reason: Reason
    detail: str = ""
    seconds: float = 0.0
    type: Literal["ended"] = "ended"


Event = (
    EpisodeStarted
    | FactsNoted
    | ToolCalled
    | ToolRan
    | FaultInjected
    | TimePassed
    | LayerActionTaken
    | EffectHappened
    | OutcomeShown
    | MessageWritten
    | AnswerGiven
    | EpisodeEnded
)
_FIELDS = {
    event: ("type", *(field.name for field in dataclasses.fields(event) if field.name != "type"))
    for event in get_args(Event)
}

_KINDS: tuple[type[Event], ...] = tuple(_FIELDS)
_NAMED_VALUES = {kind: (names, attrgetter(*names)) for kind, names in _FIELDS.items()}
_VALUES = {kind: (place, attrgetter(*_FIELDS[kind][1:], "type")) for place, kind in enumerate(_KINDS)}


def event_values(event: Event) -> tuple[int, tuple[Any, ...]]:
    """The event as plain data, of which `event_of_values` makes it again in this process: no format for others.

    Objects take four times as long to write as what they hold.
    """
    place, values = _VALUES[type(event)]
    return place, values(event)


def event_of_values(values: tuple[int, tuple[Any, ...]]) -> Event:
    """The event of such data."""
    place, given = values
    return _KINDS[place](*given)


def encode_event(event: Event) -> dict[str, Any]:
    """The event as a JSON object; its type comes first."""
    names, values = _NAMED_VALUES[type(event)]
    data = dict(zip(names, values(event), strict=True))
    if isinstance(event, ToolCalled) and not event.retry:
        del data["retry"]
    elif isinstance(event, FaultInjected) and not event.cut_off:
        del data["cut_off"]
    return data


def decode_event(data: Any) -> Event:
    """The event of a JSON object.

    Raises:
        pydantic.ValidationError: the object is not an event of this version.
    """
    return _reader().validate_python(data)


@cache
def _reader() -> TypeAdapter[Event]:
    """The reader of events; a process that only writes them needs none."""
    return TypeAdapter(Annotated[Event, Field(discriminator="type")])


def finite_seconds(value: float) -> float | None:
    """Seconds for a record: null where they have no end."""
    return None if math.isinf(value) else value


def outcome_data(outcome: Outcome) -> dict[str, Any]:
    """An outcome as JSON, as it is now: `{"value": ...}` or `{"failure": {...}}`."""
    if isinstance(outcome, Value):
        return {"value": to_json_data(outcome.value)}
    data: dict[str, Any] = {"message": outcome.message, "type": outcome.type}
    if outcome.status is not None:
        data["status"] = outcome.status
    if outcome.retry_after is not None:
        data["retry_after"] = outcome.retry_after
    if outcome.body is not None:
        data["body"] = to_json_data(outcome.body)
    if outcome.unsent:
        data["unsent"] = True
    return {"failure": data}


def _outcome_checked(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """The data of an outcome, checked as an event is read, so that nobody who asks for it later is surprised."""
    try:
        found = outcome_from(data)
    except (KeyError, TypeError) as error:
        raise ValueError("it is neither a value nor a failure") from error
    if isinstance(found, Failure):
        texts, body = (found.message, found.type), found.body
        # By exact type, since a truth value is an `int`, too.
        numbers = (one is None or type(one) in (int, float) for one in (found.status, found.retry_after))
        if not all(isinstance(one, str) for one in texts) or not all(numbers):
            raise ValueError("its failure has no message, or a status that is not a number")
        if body is not None and not isinstance(body, Mapping):
            raise ValueError("the body of its failure is not an object")
    return data


def outcome_from(data: Mapping[str, Any]) -> Outcome:
    """The outcome of such JSON."""
    return Failure(**data["failure"]) if "failure" in data else Value(data["value"])
