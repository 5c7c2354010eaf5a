"""The record of a finished episode as its readers want it: calls in order, each with all that belongs to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
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
        strikes: the faults that fired.
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
        """The ledger: everything that really happened, by the calls that did it."""
        return tuple(effect for turn in self.turns for effect in turn.effects)


def record(events: Iterable[Event]) -> Record:
    """The record of one episode's events.

    Raises:
        ValueError: the events do not start with a start or do not end, or speak of a call that was never made.
    """
    about: Started | None = None
    end: Ended | None = None
    answer: str | None = None
    drafts: dict[str, _Draft] = {}
    called: Counter[str] = Counter()
    for event in events:
        match event:
            case Started():
                about = event
            case Called():
                nth = called[event.tool]
                called[event.tool] += 1
                drafts[event.call] = _Draft(Call(event.tool, event.arguments, event.call, nth))
            case Ran() | Struck() | Effected() | Shown():
                if event.call not in drafts:
                    raise ValueError(f"event {event.type!r} belongs to call {event.call!r}, which was never made")
                drafts[event.call].add(event)
            case Answered():
                answer = event.text
            case Ended():
                end = event
            case _:
                pass
    if about is None or end is None:
        raise ValueError("the events are not those of a finished episode")
    turns = tuple(draft.turn() for draft in drafts.values())
    return Record(about.episode, about.about, turns, answer, end)


class _Draft:
    """A turn while its events come in."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._said: Outcome | None = None
        self._shown: Outcome | None = None
        self._strikes: list[Struck] = []
        self._effects: list[Effect] = []

    def add(self, event: Ran | Struck | Effected | Shown) -> None:
        match event:
            case Ran():
                self._said = outcome_from(event.said)
            case Struck():
                self._strikes.append(event)
            case Effected():
                self._effects.append(Effect(event.action, event.subject, event.details, event.call))
            case Shown():
                self._shown = None if event.outcome is None else outcome_from(event.outcome)
                if event.true:
                    self._said = self._shown

    def turn(self) -> Turn:
        return Turn(self._call, self._said, self._shown, tuple(self._strikes), tuple(self._effects))
