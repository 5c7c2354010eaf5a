"""Results of each call of an episode, in one word for the eye: the numbered marks of a card.

The words say what is known of a call by itself; the judge's verdict on the episode is elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping

from sealegs.faults.call import Failure
from sealegs.scoring import Verdict
from sealegs.scoring.task_progress import TaskProgress

MARKS: Mapping[str, str] = {
    "done": "did its step",
    "error": "came back with an error or not at all",
    "corrupt": "came back with a corrupt answer",
    "tainted": "carried a corrupt value on",
    "wrong": "answered, but did not do its step",
    "outside": "a tool that the task does not need",
}


def call_marks(way: TaskProgress, verdict: Verdict) -> tuple[str, ...]:
    """The word of each call, one of `MARKS`: what came back of it first, then its arguments."""
    return tuple(_mark(way, verdict, position) for position in range(len(way.moves)))


def _mark(way: TaskProgress, verdict: Verdict, position: int) -> str:
    move = way.moves[position]
    if move.turn.shown is None or isinstance(move.turn.shown, Failure):
        return "error"
    if move.failed:
        return "corrupt"
    if position in verdict.tainted:
        return "tainted"
    if move.step is None:
        return "outside"
    return "done" if move.right else "wrong"
