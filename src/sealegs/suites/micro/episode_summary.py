"""Summary of an episode, as plain data made from its record: also from that of a run that was cut off.

A run that hangs is ended from outside and returns nothing. Its record was written event by event, so what its agent had
been shown, and what struck it, can still be read (`summarize_cut_off`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from sealegs.faults.call import Failure, Outcome, render
from sealegs.traces import (
    EpisodeEnded,
    EpisodeStarted,
    Event,
    FaultInjected,
    OutcomeShown,
    Record,
    TimePassed,
    Turn,
    build_record,
    decode_event,
    encode_event,
)

CUT_OFF = "cut off"


def summarize_calls(events: Sequence[Event]) -> dict[str, Any]:
    """The calls of an episode, what struck them, and whether anything came of it.

    A call that was still waiting when the run was cut off was struck: its fault's own event comes only when it ends.
    """
    whole = [event for event in events if not isinstance(event, EpisodeEnded)]
    if not any(isinstance(event, EpisodeStarted) for event in whole):
        return {"calls": [], "strikes": [], "exposed": False}
    made = build_record([*whole, EpisodeEnded("answered")])
    waiting = _waiting(whole)
    calls = [_call(turn, waiting) for turn in made.turns]
    injections = [encode_event(event) for event in whole if isinstance(event, FaultInjected)]
    return {"calls": calls, "strikes": injections, "exposed": made.exposed or bool(waiting)}


def summarize_cut_off(path: Path) -> dict[str, Any]:
    """Summarise a run that was cut off, in the form of `play_micro_episode`. Lines cut short are left out."""
    events = read_live(path)
    return {"answer": None, "ended": CUT_OFF, "error": "", **summarize_calls(events), "steps": None, "seconds": None}


def read_live(path: Path) -> list[Event]:
    """The events of a record that was written as it happened, up to the first line that is not whole."""
    events: list[Event] = []
    try:
        lines = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return events
    for line in lines[:-1]:
        try:
            events.append(decode_event(json.loads(line)))
        except (ValueError, RecursionError):
            break
    return events


def finished_record(events: Iterable[Event]) -> Record:
    """The record of an episode that may lack its end."""
    kept = [event for event in events if not isinstance(event, EpisodeEnded)]
    return build_record([*kept, EpisodeEnded("answered")])


def agent_of(call: str) -> str:
    """The agent whose call an id names: `outer`, or `inner` if it was made inside another call (`call-1/call-2`)."""
    return "inner" if "/" in call else "outer"


def _waiting(events: Iterable[Event]) -> dict[str, float | None]:
    """The calls that wait because of a fault and were shown nothing yet, with their seconds."""
    waits: dict[str, float | None] = {}
    for event in events:
        if isinstance(event, TimePassed):
            waits[event.call] = event.seconds
        elif isinstance(event, OutcomeShown):
            waits.pop(event.call, None)
    return waits


def _call(turn: Turn, waiting: dict[str, float | None]) -> dict[str, Any]:
    kinds = [injection.kind for injection in turn.injections if injection.delivered]
    if turn.call.id in waiting and not kinds:
        kinds = ["hang" if waiting[turn.call.id] is None else "delay"]
    return {
        "id": turn.call.id,
        "agent": agent_of(turn.call.id),
        "tool": turn.call.tool,
        "arguments": dict(turn.call.arguments),
        "said": _text(turn.said),
        "shown": _text(turn.shown),
        "failed": isinstance(turn.shown, Failure),
        "struck": kinds,
    }


def _text(outcome: Outcome | None) -> str | None:
    return None if outcome is None else render(outcome)
