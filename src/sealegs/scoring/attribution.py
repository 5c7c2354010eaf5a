"""The cause of a failed episode, in one term: the first that applies.

The order is that of cause: each term explains those after it. How the model itself ended the episode comes before
what it did until then, because no answer was to come any more. `unaware` comes before `futile loop`, because an
agent that loops on an error three calls after it swallowed a corrupt value failed by swallowing it. A term is about the
agent: calls that recovery had made, and faults that it kept from the agent, count only for the term about recovery.
"""

from __future__ import annotations

import json
from collections import Counter

from sealegs.faults.call import Effect, Failure
from sealegs.scoring.case import Case
from sealegs.scoring.matching import same_effect
from sealegs.scoring.task_progress import TaskProgress, completed, node_of
from sealegs.traces.reach import owners
from sealegs.traces.record import UNREADABLE, Record

MODEL_ENDS = {  # how the model itself ended an episode without an answer: the record's end, and the term for it
    "refused": "refusal",
    "filtered": "content filter",
    "overflow": "context overflow",
    "length": "length limit",
    "empty": "empty answer",
}
TERMS = {
    "crashed": "the agent crashed; it counts as a failure",
    "refusal": "the model declined to continue",
    "content filter": "the provider's filter took the model's reply",
    "context overflow": "the conversation was longer than the model's context",
    "length limit": "the last reply was cut off at the most tokens that it may have",
    "empty answer": "the last reply held neither text nor calls",
    "doubled by recovery": "the recovery layer did to the world what was done already",
    "doubled": "did to the world what was done already",
    "unaware": "took a corrupt answer for right, or went on without what a step needs",
    "malformed calls": "no call could be read, or three or more could not",
    "futile loop": "made the same failing call three times or more",
    "cut off": "ran out of steps, tokens or time",
    "never exposed": "no planned fault was delivered, and it failed all the same",
    "gave up early": "stopped where one more try would have worked",
    "wrong stop": "stopped although an alternative was left",
    "wrong switch": "went to tools that are not an alternative, or did not finish the one it went to",
    "claimed success falsely": "said or implied that all is done, and it is not",
    "broke something else": "failed at another point than a fault",
}
LOOP = 3


def attribute(
    record: Record, case: Case, way: TaskProgress, *, stopped: bool, unaware: bool, solvable: bool, doubled: bool
) -> str:
    """The term for a failed episode; see `TERMS`."""
    exposed = way.first is not None
    # The first cause that fits is the term, from what ends an episode by itself to what needs the others ruled out.
    if record.end.reason == "crashed":
        return "crashed"
    if record.end.reason in MODEL_ENDS:
        return MODEL_ENDS[record.end.reason]
    # A doubled effect outweighs how it came about, and the layer's own is never the agent's.
    if doubled_by_recovery(record):
        return "doubled by recovery"
    if doubled:
        return "doubled"
    if unaware:
        return "unaware"
    if has_malformed_calls(record):
        return "malformed calls"
    # A loop usually ends at the limit of steps, so it is tested before `cut off`.
    if has_futile_loop(way):
        return "futile loop"
    if record.end.reason in ("steps", "limit", "hung"):
        return "cut off"
    if case.slots and not exposed:
        return "never exposed"
    if exposed and stopped and solvable and not completed(case, way.done):
        transient = any(slot.persistence == "transient" for slot in case.slots if slot.node in way.victims)
        return "gave up early" if transient else "wrong stop"
    if exposed and _wrong_switch(way, case):
        return "wrong switch"
    if not stopped and not completed(case, way.done):
        return "claimed success falsely"
    return "broke something else"


def doubled_by_recovery(record: Record) -> bool:
    """Return whether a call that recovery made repeated an effect of an earlier one for the agent's same call."""
    done: dict[int, list[Effect]] = {}
    for owner, turn in zip(owners(record), record.turns, strict=True):
        before = done.setdefault(owner, [])
        if turn.by and any(same_effect(effect, other) for effect in turn.effects for other in before):
            return True
        before += turn.effects
    return False


def has_malformed_calls(record: Record) -> bool:
    """Return whether no call of the agent's could be read, or `LOOP` or more could not."""
    unread = [isinstance(turn.shown, Failure) and turn.shown.type == UNREADABLE for turn in record.own]
    return sum(unread) >= LOOP or (bool(unread) and all(unread))


def has_futile_loop(way: TaskProgress) -> bool:
    """Return whether the agent made the same failing call `LOOP` times or more."""
    failing = Counter(
        (move.turn.call.tool, json.dumps(dict(move.turn.call.arguments), sort_keys=True, default=str))
        for move in way.moves
        if move.felt
    )
    return any(count >= LOOP for count in failing.values())


def _wrong_switch(way: TaskProgress, case: Case) -> bool:
    """Whether, after the fault, tools outside the graph were called, or a second branch was begun and not finished."""
    assert way.first is not None
    graph = case.task.graph
    # What the recovery layer called is not the agent's choice.
    after = [move for move in way.moves[way.first + 1 :] if not move.turn.by]
    if any(move.step is None and not move.look for move in after):
        return True
    for group in graph.groups:
        victim = way.victims.get(group.id)
        if victim is None:
            continue
        # A further call of the victim is a retry, and not the beginning of another branch.
        begun = {
            graph.home[move.step.id][1].id
            for move in after
            if move.step is not None and move.step.tool != victim and node_of(move.step, graph) == group.id
        }
        done = {b.id for b in group.branches if all(step.id in way.done for step in b.steps)}
        if begun and not done:
            return True
    return False
