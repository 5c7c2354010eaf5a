"""PALADIN's published grading protocol, by code: looser than the truth, and kept beside the strict verdict.

The protocol (Eval_Protocol_PALADIN.md in the authors' public repository, October 2025) has a model answer by these
definitions; here code does, from the record:

- success: at least 40 % of the requested results are given, and nothing is stated that no valid output holds.
- recovery: something was done about the failure, and valid outputs hold at least 80 % of the results; or the failure
  could not be repaired and the answer says so (the protocol's exception).
- unsupported: the final answer states what no valid output holds (`FCR`, hallucinated completion).

It ignores wrong effects, things done twice and corrupt values that were believed on the way. What it does
not reproduce: what the model that graded there really replied.
"""

from __future__ import annotations

from dataclasses import dataclass

from sealegs.faults.call import Value, render
from sealegs.scoring.case import Case
from sealegs.scoring.episode_verdict import Verdict
from sealegs.scoring.grading import attempts_in, unevidenced
from sealegs.scoring.matching import TOLERANCE, is_corrupted
from sealegs.scoring.task_progress import progress_of
from sealegs.tasks.value_matching import contains_value
from sealegs.traces.record import Record

COVERED = 0.4  # of the results, for a success
OBTAINED = 0.8  # of the results, for a recovery


@dataclass(frozen=True, slots=True)
class ProtocolVerdict:
    """The protocol's verdict on an episode; see this module's docstring."""

    success: bool = False
    recovery: bool = False
    unsupported: bool = False


def judge_by_protocol(record: Record, case: Case, verdict: Verdict) -> ProtocolVerdict:
    """An episode under the published protocol; its verdict tells whether a way was left and whether it stopped."""
    wanted = case.reference.deliverables
    given = [contains_value(record.answer or "", value, TOLERANCE) for value in wanted]
    valid = "\n".join(
        render(turn.shown) for turn in record.turns if isinstance(turn.shown, Value) and not is_corrupted(turn)
    )
    # The published recovery asks what tools delivered, and not what the answer says of it.
    obtained = [contains_value(valid, value, TOLERANCE) for value in wanted]
    unsupported = next(unevidenced(record, case), None) is not None
    attempted = bool(attempts_in(progress_of(record, case), case))
    return ProtocolVerdict(
        success=record.answer is not None and _share(given) >= COVERED and not unsupported,
        recovery=verdict.exposed
        and ((attempted and _share(obtained) >= OBTAINED) or (verdict.stopped and not verdict.solvable)),
        unsupported=unsupported,
    )


def _share(found: list[bool]) -> float:
    return sum(found) / max(1, len(found))
