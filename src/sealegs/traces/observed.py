"""Tool calls as they were seen somewhere, in one form for all sources: our own records, or spans from production.

What replays and fits read. An observation keeps apart what the tool itself said and what the agent was shown, so that a
fault of ours is never taken for one of the tool's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sealegs.faults.call import Effect, Failure, Outcome, Value
from sealegs.traces.events import Event, LayerActionTaken, OutcomeShown, ToolCalled, outcome_from
from sealegs.traces.record import Turn, build_record

# The outcome of a call whose caller left before there was an answer, for a reason other than our faults.
ABANDONED = Failure("The caller gave up before there was an answer.", type="abandoned")

# An answer that the source did not keep; known by identity.
NOT_KEPT = Value(None)


@dataclass(frozen=True, slots=True)
class Observation:
    """One tool call.

    Attributes:
        tool: the tool's name.
        at: seconds at which it was made, comparable within its trace.
        seconds: how long it took; None where a fault of ours had a part in that, or nothing is known.
        arguments: None where the source did not keep them.
        said: what the tool itself said; `NOT_KEPT` where only its success is known, None where it never ran.
        shown: what the agent was shown; None where it was gone.
        faulted: whether a fault of ours was delivered on it.
        effects: what it really did to the world, where that is known.
        by: the recovery policy that had it made; empty for the agent.
    """

    tool: str
    at: float
    seconds: float | None
    arguments: Mapping[str, Any] | None
    said: Outcome | None
    shown: Outcome | None
    faulted: bool = False
    effects: tuple[Effect, ...] = ()
    by: str = ""


@dataclass(frozen=True, slots=True)
class Trace:
    """The tool calls of one episode, in the order in which they were made.

    Attributes:
        name: of the episode; of a trace in OpenTelemetry, its id.
        calls: what was seen.
        about: what was noted of the episode when it began.
        kept: whether the source kept arguments and answers.
    """

    name: str
    calls: tuple[Observation, ...]
    about: Mapping[str, Any] = field(default_factory=dict)
    kept: bool = True


def trace_from_events(events: Sequence[Event]) -> Trace:
    """A record's episode.

    Raises:
        ValueError: the events are not those of a finished episode.
    """
    found = build_record(events)
    begun, over = _times(events)
    calls = tuple(_observation(turn, begun, over) for turn in found.turns)
    return Trace(found.episode, calls, found.about)


def _times(events: Iterable[Event]) -> tuple[dict[str, float], dict[str, float]]:
    begun: dict[str, float] = {}
    over: dict[str, float] = {}
    for event in events:
        if isinstance(event, ToolCalled):
            begun[event.call] = event.at
        elif isinstance(event, OutcomeShown):
            over.setdefault(event.call, event.at)
        elif isinstance(event, LayerActionTaken) and event.attempt is not None:
            begun.setdefault(event.attempt, event.at if event.began is None else event.began)
            over.setdefault(event.attempt, event.at)
    return begun, over


def _observation(turn: Turn, begun: Mapping[str, float], over: Mapping[str, float]) -> Observation:
    call = turn.call
    at = begun[call.id]
    # A faulted call took the time of the fault, which says nothing of the tool.
    seconds = None if turn.faulted or call.id not in over else over[call.id] - at
    answered = turn.said
    repeated = next(
        (injection for injection in turn.injections if injection.kind == "duplicate" and injection.runs > 1), None
    )
    if repeated is not None and repeated.shown is not None:
        answered = outcome_from(repeated.shown)  # the second answer would not have been there
    if answered is None and not turn.faulted and not turn.refused:
        answered = turn.shown or ABANDONED  # refused before it reached the seam, or given up
    return Observation(
        call.tool, at, seconds, call.arguments, answered, turn.shown, turn.faulted, turn.effects, turn.by
    )
