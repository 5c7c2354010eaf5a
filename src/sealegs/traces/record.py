"""The record of a finished episode as its readers want it: calls in order, each with all that belongs to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sealegs.faults.call import Call, Effect, Outcome
from sealegs.traces.events import (
    Answered,
    Called,
    Effected,
    Ended,
    Event,
    Ran,
    Shown,
    Started,
    Struck,
    outcome_from,
)


@dataclass(frozen=True, slots=True)
class Turn:
    """One call and what came of it.

    Attributes:
        call: as the agent made it.
        said: what the tool said the last time it ran; None where it never ran.
        shown: what the agent was shown; None where the caller was gone.
        strikes: the faults at work.
        effects: what really happened to the world.
    """

    call: Call
    said: Outcome | None = None
    shown: Outcome | None = None
    strikes: tuple[Struck, ...] = ()
    effects: tuple[Effect, ...] = ()

    @property
    def struck(self) -> bool:
        """Whether a fault was delivered on this call."""
        return any(strike.delivered for strike in self.strikes)


@dataclass(frozen=True, slots=True)
class Record:
    """A finished episode.

    Attributes:
        episode: its name.
        about: what its suite noted when it began.
        turns: the calls in the order they were made.
        answer: the agent's final words; None where there were none.
        end: how it ended.
    """

    episode: str
    about: Mapping[str, Any]
    turns: tuple[Turn, ...]
    answer: str | None
    end: Ended

    @property
    def exposed(self) -> bool:
        """Whether any fault was delivered. A run without one is inconclusive about faults."""
        return any(turn.struck for turn in self.turns)

    @property
    def effects(self) -> tuple[Effect, ...]:
        """The ledger: everything that really happened."""
        return tuple(effect for turn in self.turns for effect in turn.effects)


def record(events: Iterable[Event]) -> Record:
    """The record of one episode's events.

    Raises:
        ValueError: the events do not start with a start, or do not end.
    """
    about: Started | None = None
    end: Ended | None = None
    answer: str | None = None
    turns: dict[str, Turn] = {}
    for event in events:
        match event:
            case Started():
                about = event
            case Called():
                nth = sum(turn.call.tool == event.tool for turn in turns.values())
                turns[event.call] = Turn(Call(event.tool, event.arguments, event.call, nth))
            case Ran() | Struck() | Effected() | Shown():
                turns[event.call] = _with(turns[event.call], event)
            case Answered():
                answer = event.text
            case Ended():
                end = event
            case _:
                pass
    if about is None or end is None:
        raise ValueError("the events are not those of a finished episode")
    return Record(about.episode, about.about, tuple(turns.values()), answer, end)


def _with(turn: Turn, event: Ran | Struck | Effected | Shown) -> Turn:
    match event:
        case Ran():
            return replace(turn, said=outcome_from(event.said))
        case Struck():
            return replace(turn, strikes=(*turn.strikes, event))
        case Effected():
            effect = Effect(event.action, event.subject, event.details, event.call)
            return replace(turn, effects=(*turn.effects, effect))
        case Shown():
            shown = None if event.outcome is None else outcome_from(event.outcome)
            return replace(turn, shown=shown, said=shown if event.true else turn.said)
