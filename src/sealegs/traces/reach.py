"""The faults that reached the agent, and those that recovery kept from it.

A fault is delivered where it changed what came back from a tool. With recovery in between it may still not reach the
agent: a retry, a repaired answer or another tool's may take its place. It did reach the agent where the agent's call
was answered with a failure, or with what a fault had made of an answer. Everything is judged by value: of two answers
that are the same, one struck and one not, the agent is taken to have been shown the one that was not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sealegs.faults.call import Outcome, Value
from sealegs.traces.events import outcome_from
from sealegs.traces.record import Record, Turn


def owners(record: Record) -> tuple[int, ...]:
    """The position of the agent's call that each call was made for; for the agent's own, its own."""
    places: dict[str, int] = {}
    found = []
    for position, turn in enumerate(record.turns):
        if not turn.by:
            places[turn.call.id] = position
        found.append(places.get(turn.of, position) if turn.by else position)
    return tuple(found)


def faults_reached(record: Record) -> Mapping[int, bool]:
    """Truth values, by the position of each call of the agent's with a delivered fault: whether the fault reached it.

    The fault may be on the call's own run, or on one that recovery had made for it.
    """
    groups: dict[int, list[Turn]] = {}
    for owner, turn in zip(owners(record), record.turns, strict=True):
        groups.setdefault(owner, []).append(turn)
    return {owner: _reached(group) for owner, group in groups.items() if any(turn.faulted for turn in group)}


def _reached(group: Sequence[Turn]) -> bool:
    """Return whether a fault reached the agent, by its call, which is the first, and those that recovery made."""
    own, *others = group
    seen = own.seen
    if not isinstance(seen, Value) or own.by:
        return True
    if any(not turn.faulted and turn.shown == seen for turn in group):
        return False
    made = [injection.shown for turn in group for injection in turn.injections if injection.delivered]
    if any(_carries(seen.value, outcome_from(shown)) for shown in made if shown is not None):
        return True
    return any(turn.call.tool != own.call.tool and _as_faulted(turn) for turn in others)  # its answer was made of these


def _as_faulted(turn: Turn) -> bool:
    """Return whether what the turn showed is an answer as a fault had made it."""
    return isinstance(turn.shown, Value) and any(
        injection.delivered and injection.shown is not None and outcome_from(injection.shown) == turn.shown
        for injection in turn.injections
    )


def _carries(seen: Any, made: Outcome) -> bool:
    """Return whether what the agent saw is what the fault had made, with a note beside it or without."""
    if not isinstance(made, Value):
        return False
    value = made.value
    if seen == value:
        return True
    # Advice goes behind a text, into an object, and beside anything else (`advise.with_note`). What is empty would be
    # found in every answer.
    if isinstance(value, str) and isinstance(seen, str):
        return bool(value) and seen.startswith(value)
    if not isinstance(seen, Mapping):
        return False
    if isinstance(value, Mapping):
        return bool(value) and all(key in seen and seen[key] == item for key, item in value.items())
    return "answer" in seen and seen["answer"] == value
