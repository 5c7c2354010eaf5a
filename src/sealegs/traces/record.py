"""The record of a finished episode as its readers want it: calls in order, each with all that belongs to it.

Where a layer (recovery) had calls of its own made for one of the agent's, each of them is a turn too: they cost, strike
and do things as calls do. What the agent was shown in the end is kept with the last of them only where it is that
tool's own answer put right; an answer that was made from another tool's, or a remark on it, is not any tool's answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sealegs.faults.call import Call, Effect, Outcome, Value
from sealegs.inject.layer_context import REFUSED
from sealegs.traces.events import (
    AnswerGiven,
    EffectHappened,
    EpisodeEnded,
    EpisodeStarted,
    Event,
    FaultInjected,
    LayerActionTaken,
    MessageWritten,
    OutcomeShown,
    ToolCalled,
    ToolRan,
    outcome_from,
)

UNREADABLE = "BadCall"  # the failure of a call whose arguments could not be read
USAGE = "usage"  # in `about`: the tokens and the cost of the agent's models, where they are known
OUTSIDE = "outside"  # in `about`: what ended the episode, where that was neither agent nor tools


@dataclass(frozen=True, slots=True)
class Turn:
    """One call and what came of it.

    Attributes:
        call: as the agent made it.
        said: what the tool said the last time it ran; None where it never ran.
        shown: what the agent was shown; None where the caller was gone.
        injections: the faults that fired.
        effects: what really happened to the world.
        by: the recovery policy that had the call made; empty for the agent.
        refused: whether recovery answered it in the tool's place, which was not asked.
        of: the id of the agent's call that recovery had it made for; empty for the agent's own.
        final: what the agent was shown in the end where recovery acted on its call; else None.
        answers: what each run with effect said.
        began: the place of the agent's call among the episode's events.
        over: the place where the agent was shown what came of it.
    """

    call: Call
    said: Outcome | None = None
    shown: Outcome | None = None
    injections: tuple[FaultInjected, ...] = ()
    effects: tuple[Effect, ...] = ()
    by: str = ""
    refused: bool = False
    of: str = ""
    final: Outcome | None = None
    answers: tuple[Outcome, ...] = ()
    began: int = field(default=0, compare=False)
    over: int = field(default=0, compare=False)

    @property
    def worked(self) -> bool:
        """Whether the tool ran with effect and answered, so that what it does was done."""
        return any(isinstance(answer, Value) for answer in self.answers)

    @property
    def lost(self) -> bool:
        """Whether it was done and whoever made the call was shown something that no run answered, or nothing."""
        return self.worked and (self.shown is None or self.shown not in self.answers)

    @property
    def seen(self) -> Outcome | None:
        """The outcome of its call that the agent saw in the end."""
        return self.shown if self.final is None else self.final

    @property
    def faulted(self) -> bool:
        """Whether a fault was delivered on this call."""
        return any(injection.delivered for injection in self.injections)


@dataclass(frozen=True, slots=True)
class Record:
    """A finished episode.

    Attributes:
        episode: its name.
        about: what its suite noted when it began.
        turns: the calls in the order they were made.
        answer: the agent's final words; None where there were none.
        end: how it ended.
        messages: what it wrote before, where it acts by writing (code).
    """

    episode: str
    about: Mapping[str, Any]
    turns: tuple[Turn, ...]
    answer: str | None
    end: EpisodeEnded
    messages: tuple[str, ...] = ()

    @property
    def outside(self) -> str:
        """The cause that ended the episode, if that was neither agent nor tools: then it is invalid. Else empty."""
        return str(self.about.get(OUTSIDE) or "")

    @property
    def own(self) -> tuple[Turn, ...]:
        """The agent's own calls, without those that recovery had made."""
        return tuple(turn for turn in self.turns if not turn.by)

    @property
    def exposed(self) -> bool:
        """Whether any fault was delivered. A run without one is inconclusive about faults."""
        return any(turn.faulted for turn in self.turns)

    @property
    def effects(self) -> tuple[Effect, ...]:
        """The ledger: everything that really happened, by the calls that did it."""
        return tuple(effect for turn in self.turns for effect in turn.effects)


def build_record(events: Iterable[Event]) -> Record:
    """The record of one episode's events.

    Raises:
        ValueError: the events do not start with a start or do not end, or speak of a call that was never made.
    """
    about: EpisodeStarted | None = None
    end: EpisodeEnded | None = None
    answer: str | None = None
    events = list(events)
    # A first pass: a recovery policy's report may come after the events of the call that it made.
    drafts = _drafts(events)
    for place, event in enumerate(events):
        match event:
            case EpisodeStarted():
                about = event
            case ToolRan() | FaultInjected() | EffectHappened() | OutcomeShown() | LayerActionTaken():
                draft = drafts.get(event.call)
                if draft is None:
                    raise ValueError(f"event {event.type!r} belongs to call {event.call!r}, which was never made")
                if isinstance(event, OutcomeShown):
                    draft.over = place
                if not isinstance(event, LayerActionTaken):  # those were taken into account in the first pass
                    draft.add(event)
            case AnswerGiven():
                answer = event.text
            case EpisodeEnded():
                end = event
            case _:
                pass
    if about is None or end is None:
        raise ValueError("the events are not those of a finished episode")
    turns = tuple(draft.turn() for draft in drafts.values())
    messages = tuple(event.text for event in events if isinstance(event, MessageWritten))
    return Record(about.episode, about.about, turns, answer, end, messages)


def _drafts(events: Iterable[Event]) -> dict[str, _Draft]:
    """A turn for every call that was made, by the agent or for it, in their order."""
    drafts: dict[str, _Draft] = {}
    called: Counter[str] = Counter()
    last: dict[str, _Draft] = {}  # of each call of the agent's
    for place, event in enumerate(events):
        if isinstance(event, ToolCalled):
            draft = _Draft(_call(called, event.tool, event.arguments, event.call, event.retry), place)
            drafts[event.call] = last[event.call] = draft
        elif isinstance(event, LayerActionTaken) and event.call in last:
            if event.attempt is None:
                last[event.call].answered(event)
                continue
            if event.attempt not in drafts:  # an attempt may be reported again, with how its answer was put right
                assert event.tool is not None
                assert event.arguments is not None
                call = _call(called, event.tool, event.arguments, event.attempt)
                drafts[event.attempt] = _Draft(call, place, event.policy, drafts[event.call])
            last[event.call] = drafts[event.attempt]
            last[event.call].answered(event)
    return drafts


def _call(called: Counter[str], tool: str, arguments: Mapping[str, Any], id: str, retry: int = 0) -> Call:
    called[tool] += 1
    return Call(tool, arguments, id, called[tool] - 1, retry=retry)


class _Draft:
    """A turn while its events come in."""

    def __init__(self, call: Call, place: int, by: str = "", of: _Draft | None = None) -> None:
        self._call = call
        self._by = by
        self._of = of
        self._began = place
        self.over = place
        self._answers: list[Outcome] = []
        self._final: Outcome | None = None
        self._refused = False
        self._fixed = False  # what came of it is reported by a layer, not by what the agent was shown
        self._latest: Outcome | None = None
        self._shown: Outcome | None = None
        self._injections: list[FaultInjected] = []
        self._effects: list[Effect] = []

    @property
    def id(self) -> str:
        """The call's."""
        return self._call.id

    def answered(self, event: LayerActionTaken) -> None:
        """Note the outcome of this attempt, or the repair of its answer."""
        self._refused = self._refused or event.action == REFUSED
        # An outcome without an attempt or a repair is a remark for the agent and not a tool's answer.
        if event.outcome is not None and (event.attempt is not None or event.repaired):
            self._shown = outcome_from(event.outcome)
            self._fixed = True

    def add(self, event: ToolRan | FaultInjected | EffectHappened | OutcomeShown) -> None:
        match event:
            case ToolRan():
                self._latest = outcome_from(event.said)
                if not event.dry:
                    self._answers.append(self._latest)
            case FaultInjected():
                self._injections.append(event)
            case EffectHappened():
                self._effects.append(Effect(event.action, event.subject, event.details, event.call))
            case OutcomeShown():
                final = None if event.outcome is None else outcome_from(event.outcome)
                if self._fixed:
                    self._final = final
                else:
                    self._shown = final
                if event.true:  # the recorder leaves out the run where the agent was shown just that
                    self._latest = self._shown
                    self._answers += [] if final is None else [final]

    def turn(self) -> Turn:
        return Turn(
            self._call,
            self._latest,
            self._shown,
            tuple(self._injections),
            tuple(self._effects),
            self._by,
            self._refused,
            "" if self._of is None else self._of.id,
            self._final,
            tuple(self._answers),
            # The agent waited from its own call until it saw the answer, whatever recovery did between.
            self._began if self._of is None else self._of._began,
            self.over if self._of is None else self._of.over,
        )
