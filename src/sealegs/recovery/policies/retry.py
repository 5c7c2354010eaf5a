"""Make the call again after a while."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from sealegs.faults import seeds
from sealegs.faults.call import Failure, Value, Wait
from sealegs.inject.injection import safely_equal
from sealegs.recovery.failed_call import FailedCall, RecoveryContext, Steps
from sealegs.recovery.failure_category import FailureCategory
from sealegs.recovery.policies.policy import Policy
from sealegs.recovery.response import retry_after_of
from sealegs.traces.json_data import to_json_object

TRIES: Mapping[FailureCategory, int] = {"transient": 3, "wrong": 1, "unreadable": 1, "partial": 1, "unknown": 1}


@dataclass(frozen=True)
class Retry(Policy):
    """Exponential backoff with full jitter, and the tool's own Retry-After where it gives one.

    Only calls that may be repeated are. A wrong answer that comes back the same is not requested again. The
    jitter is drawn from a stream of its own, by the call and how often an equal one failed before, whatever
    runs beside it (Brooker, "Exponential Backoff and Jitter", 2015: full jitter).

    Attributes:
        tries: further tries by the category of the failure; one that is not named gets none.
        base: seconds before the first further try, at most; each further one may take twice as long.
        longest: seconds that one wait may take; a Retry-After beyond it is not waited for.
        seed: decides the jitter, with the episode and the call.
    """

    name: ClassVar[str] = "retry"
    tries: Mapping[FailureCategory, int] = field(default_factory=lambda: TRIES)
    base: float = 0.5
    longest: float = 60.0
    seed: int = 0

    def handle(self, failed_call: FailedCall, context: RecoveryContext) -> Steps:
        """Wait and try, as long as it makes sense."""
        tried = 0
        while (
            not failed_call.over and tried < self.tries.get(failed_call.category, 0) and context.may_repeat(failed_call)
        ):
            # The first try had its effect after all; more of them would only be refused.
            if tried and _refused_as_done(failed_call, context):
                break
            seconds = self.seconds(failed_call, context, tried)
            if seconds > self.longest or not context.claims(failed_call, failed_call.attempt.tool, seconds=seconds):
                break
            yield Wait(seconds)
            before = failed_call
            detail = f"a {failed_call.category} failure, after {seconds:.3g} s"
            attempt = failed_call.attempt
            failed_call = yield from context.attempt(
                failed_call, self.name, "retried", attempt.tool, attempt.arguments, detail
            )
            tried += 1
            # The same suspect answer again: it will not change by asking.
            if isinstance(failed_call.outcome, Value) and safely_equal(failed_call.outcome, before.outcome):
                break
        return failed_call

    def seconds(self, failed_call: FailedCall, context: RecoveryContext, tried: int) -> float:
        """The wait before the next try."""
        outcome = failed_call.outcome
        invited = retry_after_of(outcome) if isinstance(outcome, Failure) else None
        if invited is not None:
            return max(0.0, invited)
        ceiling: float = min(self.longest, self.base * 2**tried)
        call = failed_call.call
        arguments = json.dumps(to_json_object(call.arguments), sort_keys=True)
        key = (self.seed, context.place.episode, call.tool, arguments, failed_call.nth, tried)
        return ceiling * seeds.uniform(*key, "backoff")


def _refused_as_done(failed_call: FailedCall, context: RecoveryContext) -> bool:
    """Return whether a repeated action is refused as one that was done: it is not worth a further try."""
    return failed_call.signature is not None and failed_call.signature.status == 409 and context.in_doubt(failed_call)
