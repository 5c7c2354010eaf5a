"""Make the call again after a while."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from sealegs.faults import seeds
from sealegs.faults.call import Failure, Value, Wait
from sealegs.inject.strike import safely_equal
from sealegs.recovery.failed_call import FailedCall, RecoveryContext, Steps
from sealegs.recovery.failure_category import FailureCategory
from sealegs.recovery.policies.policy import Policy
from sealegs.recovery.response import retry_after_of
from sealegs.traces.json_data import to_json_object

TRIES: Mapping[FailureCategory, int] = {"transient": 3, "wrong": 1, "unreadable": 1, "partial": 1, "unknown": 1}


@dataclass(frozen=True)
class Retry(Policy):
    """Exponential backoff with full jitter, and the tool's own Retry-After where it gives one.

    Only calls that may be repeated are. A wrong answer that comes back the same is not asked for again. The
    jitter is drawn from a stream of its own, by the call and how often an equal one was in trouble before, whatever
    runs beside it (Brooker, "Exponential Backoff and Jitter", 2015: full jitter).

    Attributes:
        tries: further tries by the nature of the failure; one that is not named gets none.
        base: seconds before the first further try, at most; each further one may take twice as long.
        longest: seconds that one wait may take; a Retry-After beyond it is not waited for.
        seed: decides the jitter, with the episode and the call.
    """

    name: ClassVar[str] = "retry"
    tries: Mapping[FailureCategory, int] = field(default_factory=lambda: TRIES)
    base: float = 0.5
    longest: float = 60.0
    seed: int = 0

    def heal(self, trouble: FailedCall, ward: RecoveryContext) -> Steps:
        """Wait and try, as long as it makes sense."""
        tried = 0
        while not trouble.over and tried < self.tries.get(trouble.nature, 0) and ward.may_repeat(trouble):
            if tried and _refused_as_done(trouble, ward):
                break
            seconds = self.seconds(trouble, ward, tried)
            if seconds > self.longest or not ward.claims(trouble, trouble.attempt.tool, seconds=seconds):
                break
            yield Wait(seconds)
            before = trouble
            detail = f"a {trouble.nature} failure, after {seconds:.3g} s"
            attempt = trouble.attempt
            trouble = yield from ward.attempt(trouble, self.name, "retried", attempt.tool, attempt.arguments, detail)
            tried += 1
            if isinstance(trouble.outcome, Value) and safely_equal(trouble.outcome, before.outcome):
                break
        return trouble

    def seconds(self, trouble: FailedCall, ward: RecoveryContext, tried: int) -> float:
        """The wait before the next try."""
        outcome = trouble.outcome
        invited = retry_after_of(outcome) if isinstance(outcome, Failure) else None
        if invited is not None:
            return max(0.0, invited)
        ceiling: float = min(self.longest, self.base * 2**tried)
        call = trouble.call
        asked = json.dumps(to_json_object(call.arguments), sort_keys=True)
        key = (self.seed, ward.seat.episode, call.tool, asked, trouble.nth, tried)
        return ceiling * seeds.uniform(*key, "backoff")


def _refused_as_done(trouble: FailedCall, ward: RecoveryContext) -> bool:
    """Whether a repeated action is refused as one that was done: it is not worth a further try."""
    return trouble.signature is not None and trouble.signature.status == 409 and ward.in_doubt(trouble)
