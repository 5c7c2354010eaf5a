"""Episodes as cards for the eye: calls, what the tools returned, what the agent was shown, and how it ended."""

from __future__ import annotations

from dataclasses import dataclass

from sealegs.faults.call import Outcome, render
from sealegs.traces.observed import NOT_KEPT
from sealegs.traces.record import Record, Turn

LONGEST = 4000  # characters of one text of a card


@dataclass(frozen=True, slots=True)
class CardCall:
    """A call on a card.

    Attributes:
        text: the call.
        returned: what the tool returned, in a sentence, if the agent was shown something else.
        shown: what the agent was shown.
        faults: that were delivered.
        effects: what it did.
        by: the recovery policy that made it; empty for the agent.
    """

    text: str
    returned: str
    shown: str
    faults: tuple[str, ...]
    effects: tuple[str, ...]
    by: str


@dataclass(frozen=True, slots=True)
class RunCard:
    """An episode as a card on a page.

    Attributes:
        id: its place on the page.
        title: which episode it is.
        tags: what was delivered, in a word or two each.
        problems: what is wrong with it, a sentence each.
        notes: what is worth a look, a sentence each.
        request: the agent's input; may be empty.
        calls: in their order.
        ending: what the agent did in the end.
    """

    id: str
    title: str
    tags: tuple[str, ...]
    problems: tuple[str, ...]
    request: str
    calls: tuple[CardCall, ...]
    ending: str
    notes: tuple[str, ...] = ()


def card_calls(record: Record) -> tuple[CardCall, ...]:
    """The calls of an episode for its card."""
    return tuple(_call(turn) for turn in record.turns)


def ending_text(record: Record) -> str:
    """The end that the agent made, in words."""
    if record.answer is not None:
        return f"answered: {record.answer[:LONGEST]}"
    end = record.end
    if end.reason == "answered":
        return "ended by itself; its answer is not recorded"
    return f"ended without an answer: {end.detail or end.reason}"


def _call(turn: Turn) -> CardCall:
    returned = f"The tool said: {_text(turn.said)}" if turn.said is not None else "The tool did not run."
    given = ", ".join(f"{name}={value!r}" for name, value in turn.call.arguments.items())
    return CardCall(
        f"{turn.call.tool}({given})"[:LONGEST],
        "" if turn.said == turn.seen else returned,
        _text(turn.seen),
        tuple(
            f"{injection.kind.replace('_', ' ')}{', ' + injection.moment if injection.moment else ''}"
            for injection in turn.injections
            if injection.delivered
        ),
        tuple(f"{effect.action} {effect.subject}" for effect in turn.effects),
        turn.by,
    )


def _text(outcome: Outcome | None) -> str:
    if outcome is NOT_KEPT:
        return "an answer that was not kept"
    return "nothing: it had given the call up" if outcome is None else render(outcome)[:LONGEST]
