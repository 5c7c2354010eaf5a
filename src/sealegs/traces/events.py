"""The typed events of an episode.

An episode is one stream: it starts, calls are made, tools run, faults strike, time passes, effects happen, outcomes are
shown, an answer is given, it ends. Each event is one line of JSON; `VERSION` is the version of their schema.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from sealegs.faults.call import Failure, Outcome, Value

VERSION = 1


@dataclass(frozen=True, slots=True)
class Started:
    """The episode began. `about` holds what its suite knows of it (task, level, mode, agent, seed, plan)."""

    episode: str
    about: Mapping[str, Any]
    version: int = VERSION
    type: Literal["started"] = "started"


@dataclass(frozen=True, slots=True)
class Called:
    """The agent made a call."""

    call: str
    tool: str
    arguments: Mapping[str, Any]
    at: float = 0.0
    type: Literal["called"] = "called"


@dataclass(frozen=True, slots=True)
class Ran:
    """The tool itself ran and said this; `dry` where it left no effect. Not written where `Shown` says the same."""

    call: str
    said: Mapping[str, Any]
    dry: bool = False
    type: Literal["ran"] = "ran"


@dataclass(frozen=True, slots=True)
class Struck:
    """A fault was at work: what it was told from below, and what it handed on.

    `delivered` is false where nothing came of it. `waited` is null where the wait had no end.
    """

    call: str
    rule: str
    kind: str
    implicit: bool
    delivered: bool
    runs: int
    waited: float | None
    said: Mapping[str, Any] | None
    shown: Mapping[str, Any] | None
    type: Literal["struck"] = "struck"


@dataclass(frozen=True, slots=True)
class Waited:
    """Time passed on the seam during a call; null seconds have no end."""

    call: str
    seconds: float | None
    type: Literal["waited"] = "waited"


@dataclass(frozen=True, slots=True)
class Effected:
    """Something really happened to the world."""

    call: str
    action: str
    subject: str
    details: Mapping[str, Any]
    type: Literal["effected"] = "effected"


@dataclass(frozen=True, slots=True)
class Shown:
    """What the agent was shown. `runs` counts how often the tool ran for it, dry or not.

    `true` says that this is what the tool said, the last time it ran. Null: the caller was gone.
    """

    call: str
    outcome: Mapping[str, Any] | None
    runs: int = 1
    true: bool = True
    at: float = 0.0
    type: Literal["shown"] = "shown"


@dataclass(frozen=True, slots=True)
class Answered:
    """The agent's final words."""

    text: str
    type: Literal["answered"] = "answered"


@dataclass(frozen=True, slots=True)
class Ended:
    """The episode ended: `answered`, or cut off by `steps`, `limit`, `hung` or `crashed`."""

    reason: Literal["answered", "steps", "limit", "hung", "crashed"]
    detail: str = ""
    seconds: float = 0.0
    type: Literal["ended"] = "ended"


Event = Started | Called | Ran | Struck | Waited | Effected | Shown | Answered | Ended
_ADAPTER: TypeAdapter[Event] = TypeAdapter(Annotated[Event, Field(discriminator="type")])


def encoded(event: Event) -> dict[str, Any]:
    """The event as a JSON object; its type comes first."""
    fields = {f.name: getattr(event, f.name) for f in dataclasses.fields(event)}
    return {"type": fields.pop("type"), **fields}


def decoded(data: Any) -> Event:
    """The event of a JSON object.

    Raises:
        pydantic.ValidationError: the object is no event of this version.
    """
    return _ADAPTER.validate_python(data)


def seconds(value: float) -> float | None:
    """Seconds for a record: null where they have no end."""
    return None if math.isinf(value) else value


def outcome_data(outcome: Outcome) -> dict[str, Any]:
    """An outcome as JSON: `{"value": ...}` or `{"failure": {...}}`."""
    if isinstance(outcome, Value):
        return {"value": outcome.value}
    data: dict[str, Any] = {"message": outcome.message, "type": outcome.type, "status": outcome.status}
    data |= {"retry_after": outcome.retry_after, "body": outcome.body}
    return {"failure": {key: value for key, value in data.items() if value is not None}}


def outcome_from(data: Mapping[str, Any]) -> Outcome:
    """The outcome of such JSON."""
    return Failure(**data["failure"]) if "failure" in data else Value(data["value"])
