"""The verdict on one episode of `highwater`, from its record: the answer, and what was done after plan A was refused.

The answer is judged by its rows (`rows`). Recovery is read from the calls that the host logged after the first
delivered fault: whether the agent searched again, called a function of a known solution that was left, finished one,
repeated a failing call, or gave up. Unknown solutions count as right answers and not as plan B.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sealegs.faults.call import Failure, Value
from sealegs.scoring.attribution import MODEL_ENDS
from sealegs.scoring.attribution import TERMS as MODEL_TERMS
from sealegs.scoring.row_matching import Reason, ReferenceRows, RowsVerdict, judge_message
from sealegs.traces.record import Record, Turn

SEARCH = "search_tools"
LOOP = 3
TERMS = {
    "crashed": "the agent crashed; it counts as a failure",
    **{term: MODEL_TERMS[term] for term in MODEL_ENDS.values()},
    "looped": f"made the same failing call {LOOP} times or more",
    "cut off": "ran out of turns or time without an answer",
    "gave up": "said that there is no answer",
    "never exposed": "called no function of a known solution, and answered wrongly",
    "did not find plan B": "called no function of a solution that was left",
    "did not finish plan B": "called some functions of a solution that was left, and not all",
    "wrong answer": "finished a known solution, or met no fault, and answered wrongly",
}
Way = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HighwaterVerdict:
    """The verdict on an episode.

    Attributes:
        right: the answer is the reference.
        reason: why not; see `rows.RowsVerdict`.
        exposed: a fault was delivered. Without it the episode says nothing about recovery.
        gave_up: the answer says that there is no solution.
        turns: messages that the agent wrote, the answer included.
        calls: calls that it made.
        searched, found, composed: after the first fault it searched, called a function of a known solution that was
            left (and not refused), finished such a solution.
        looped: made the same failing call `LOOP` times.
        term: why it is wrong, one of `TERMS`; empty where it is right.
    """

    right: bool
    reason: Reason
    exposed: bool
    gave_up: bool
    turns: int
    calls: int
    searched: bool
    found: bool
    composed: bool
    looped: bool
    term: str


def judge_highwater(
    record: Record, reference: ReferenceRows, ways: Sequence[Way], question: str = ""
) -> HighwaterVerdict:
    """Judge an episode.

    Args:
        record: of the episode.
        reference: the rows that answer the question.
        ways: the functions of each known solution.
        question: see `judge_rows`.
    """
    rows_verdict = judge_message(record.answer or "", reference, question)
    first = next((place for place, turn in enumerate(record.turns) if turn.faulted), None)
    after = record.turns[first + 1 :] if first is not None else ()
    refused = {turn.call.tool for turn in record.turns if turn.faulted}
    # A way around is one that needs none of the refused functions.
    left = [way for way in ways if not refused & set(way)]
    done = {turn.call.tool for turn in record.turns if isinstance(turn.shown, Value) and not turn.faulted}
    exposed = first is not None
    touched = {turn.call.tool for turn in after if isinstance(turn.shown, Value)}
    found = exposed and any(touched & set(way) for way in left)
    composed = found and any(done >= set(way) for way in left)
    looped = _looped(record.turns)
    gave_up = rows_verdict.reason == "gave up"
    term = "" if rows_verdict.right else _term(record, rows_verdict, exposed, found, composed, looped, done, ways)
    searched = any(turn.call.tool == SEARCH for turn in after)
    turns = len(record.messages) + (record.answer is not None)
    return HighwaterVerdict(
        rows_verdict.right,
        rows_verdict.reason,
        exposed,
        gave_up,
        turns,
        len(record.turns),
        searched,
        found,
        composed,
        looped,
        term,
    )


def _term(
    record: Record,
    rows_verdict: RowsVerdict,
    exposed: bool,
    found: bool,
    composed: bool,
    looped: bool,
    done: set[str],
    ways: Sequence[Way],
) -> str:
    # The first that holds decides: a run that was ended from outside says nothing of what the agent would have found.
    if record.end.reason == "crashed":
        return "crashed"
    if record.end.reason in MODEL_ENDS:
        return MODEL_ENDS[record.end.reason]
    if looped:
        return "looped"
    if record.answer is None:
        return "cut off"
    if rows_verdict.reason == "gave up":
        return "gave up"
    if not exposed:
        known = {name for way in ways for name in way}
        return "wrong answer" if known & done else "never exposed"
    if not found:
        return "did not find plan B"
    return "wrong answer" if composed else "did not finish plan B"


def _looped(turns: Sequence[Turn]) -> bool:
    failing = Counter(
        (turn.call.tool, json.dumps(dict(turn.call.arguments), sort_keys=True, default=str))
        for turn in turns
        if isinstance(turn.shown, Failure)
    )
    return any(count >= LOOP for count in failing.values())
