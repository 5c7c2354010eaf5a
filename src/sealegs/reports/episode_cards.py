"""One episode as a card: the request, the graph with the way taken, the fault, the calls, the answer, the verdict."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from sealegs.faults.call import render
from sealegs.reports.calls import call_marks
from sealegs.reports.card_selection import Played
from sealegs.reports.changes import Changes, outcome_changes
from sealegs.reports.drawing import Drawing, drawing
from sealegs.scoring import TERMS, Case, Verdict
from sealegs.scoring.task_progress import TaskProgress, node_of, progress_of
from sealegs.traces.events import FaultInjected, outcome_from
from sealegs.traces.record import Record, Turn

SHORT = 160


@dataclass(frozen=True, slots=True)
class CallLine:
    """One call.

    Attributes:
        number: from 1.
        word: what it came to, one of `calls.MARKS`.
        tool: the tool.
        arguments: names with values as JSON.
        shown: what the agent was shown, as text.
        effects: what it did to the world.
        faulted: whether a fault was delivered on it.
        by: the recovery policy that had it made; empty for the agent.
        final: what the agent was shown after recovery; empty where that is `shown`.
    """

    number: int
    word: str
    tool: str
    arguments: tuple[tuple[str, str], ...]
    shown: str
    effects: tuple[str, ...]
    faulted: bool
    by: str = ""
    final: str = ""

    @property
    def short(self) -> str:
        """The beginning of what was shown."""
        return self.shown if len(self.shown) <= SHORT else self.shown[: SHORT - 1] + "…"


@dataclass(frozen=True, slots=True)
class FaultSummary:
    """A fault that was at work: its kind, on which tool and calls, how long it lasts, and what it changed."""

    kind: str
    tool: str
    node: str
    nature: str
    calls: tuple[int, ...]
    delivered: bool
    waited: str
    changes: Changes


@dataclass(frozen=True, slots=True)
class EpisodeCard:
    """An episode as a card on a page."""

    anchor: str
    record: Record
    case: Case
    verdict: Verdict
    outcome: str
    meaning: str
    fault_note: str
    faults: tuple[FaultSummary, ...]
    lines: tuple[CallLine, ...]
    drawing: Drawing


def episode_card(played: Played, number: int) -> EpisodeCard:
    """The card of an episode; `number` makes its anchor."""
    record, case, verdict = played
    way = progress_of(record, case)
    words = call_marks(way, verdict)
    return EpisodeCard(
        anchor=f"episode-{number}",
        record=record,
        case=case,
        verdict=verdict,
        outcome="success" if verdict.success else verdict.attribution,
        meaning=TERMS.get(verdict.attribution, ""),
        fault_note=_fault_note(record, case, verdict),
        faults=tuple(_faults(record, case, way)),
        lines=tuple(_line(n, turn, words[n - 1]) for n, turn in enumerate(record.turns, 1)),
        drawing=drawing(case, way, verdict),
    )


def _fault_note(record: Record, case: Case, verdict: Verdict) -> str:
    """The note on an episode in which no fault was delivered, or none to the agent; empty for any other."""
    if not case.slots:
        return "No fault was planned."
    if verdict.shielded:
        return "Recovery kept every fault from the agent. Nothing is learnt about the agent's own recovery."
    if record.exposed:
        return ""
    places = ", ".join(slot.node for slot in case.slots)
    return f"Not exposed: a fault was planned at {places}, and none was delivered. Nothing is learnt about recovery."


def _faults(record: Record, case: Case, way: TaskProgress) -> Iterator[FaultSummary]:
    """Each rule that was at work, shown by its first delivered injection, or by its first one if none was delivered."""
    # Delivered injections apart from those that came to nothing: one line must not count both.
    found: dict[tuple[str, bool], list[tuple[int, Turn, FaultInjected]]] = {}
    for number, turn in enumerate(record.turns, 1):
        for injection in turn.injections:
            found.setdefault((injection.rule, injection.delivered), []).append((number, turn, injection))
    persistence = {slot.node: slot.persistence for slot in case.slots}
    for (_, delivered), injections in found.items():
        _, turn, injection = injections[0]
        step = case.task.graph.step_of.get(turn.call.tool)
        node = node_of(step, case.task.graph) if step is not None else ""
        natures = ("implicit" if injection.implicit else "explicit", persistence.get(node, ""))
        yield FaultSummary(
            kind=injection.kind,
            tool=turn.call.tool,
            node=node,
            nature=", ".join(nature for nature in natures if nature),
            calls=tuple(number for number, _, _ in injections),
            delivered=delivered,
            waited=_waited(injection),
            changes=_changes(injection),
        )


def _changes(injection: FaultInjected) -> Changes:
    returned = None if injection.said is None else outcome_from(injection.said)
    return outcome_changes(returned, None if injection.shown is None else outcome_from(injection.shown))


def _waited(injection: FaultInjected) -> str:
    if injection.waited is None:
        return "without end"
    return f"{injection.waited:g} s" if injection.waited else ""


def _line(number: int, turn: Turn, word: str) -> CallLine:
    arguments = (
        (name, json.dumps(value, ensure_ascii=False, default=str)) for name, value in turn.call.arguments.items()
    )
    shown = "nothing came back" if turn.shown is None else render(turn.shown)
    effects = tuple(f"{effect.action} {effect.subject}" for effect in turn.effects)
    final = "" if turn.final is None or turn.final == turn.shown else render(turn.final)
    return CallLine(number, word, turn.call.tool, tuple(arguments), shown, effects, turn.faulted, turn.by, final)
