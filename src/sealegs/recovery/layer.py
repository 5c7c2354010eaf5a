"""Recovery on the seam: a layer that looks at every outcome and has a policy act on those that are in trouble.

The stack is record, recover, inject, tool, so every adapter has it by one argument:
`Session(plan, layers=[RecoveryLayer(active())])`. A call that goes well is looked at and passed on as it is. What it
does not cover: failures that only the agent's whole course shows, and a tool that really hangs, which only the caller's
own timeout ends; a hang that a fault makes is given up after the session's `timeout`.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Generator, Iterable, Sequence
from typing import Any, Protocol, cast

from sealegs.faults.call import Call, Failure, Outcome, Wait
from sealegs.faults.invariants import Violation
from sealegs.faults.spec import ToolSpec
from sealegs.inject.clock import VirtualClock
from sealegs.inject.seat import Act, Seat
from sealegs.recovery.budget import Budget
from sealegs.recovery.policies import (
    Alternative,
    Breaker,
    MendArguments,
    Parse,
    Policy,
    ReadOn,
    Retry,
    Stop,
    Switch,
)
from sealegs.recovery.policies.read_on import told_partial
from sealegs.recovery.signature import Signature, of_violations, signature
from sealegs.recovery.trouble import Trouble, Ward


class Detector(Protocol):
    """Who can tell from a call and its answer that the answer is wrong (`detectors`)."""

    def findings(self, call: Call, value: Any) -> Sequence[Violation]:
        """What is wrong with it, each with its reason; nothing where all seems well."""


def active(alternatives: Iterable[Alternative] = (), *, seed: int = 0) -> Policy:
    """The whole of the active form: read leniently, mend arguments, read on, retry, break, switch, stop and report."""
    return Parse() | MendArguments() | ReadOn() | Retry(seed=seed) | Breaker() | Switch(alternatives) | Stop()


class RecoveryLayer:
    """Recovery for one episode. Make a new one for every session.

    Args:
        policy: what to do; `active()` by default. `Advise(bank)` alone is the modest form.
        budget: what may be spent on it.
        detectors: who looks for answers that are wrong without saying so, besides what the tools' specs declare.
        check: whether answers are held against what the tools' specs declare.
        specs: what is known of the tools, besides what the session knows.
    """

    def __init__(
        self,
        policy: Policy | None = None,
        *,
        budget: Budget | None = None,
        detectors: Iterable[Detector] = (),
        check: bool = True,
        specs: Iterable[ToolSpec] = (),
    ) -> None:
        self._policy = (policy or active()).fresh()
        self._guards = self._policy.guards
        self._detectors = tuple(detectors)
        self._check = check
        self._own = {spec.name: spec for spec in specs}
        self._repeats: dict[tuple[str, str, str], int] = {}
        self._budget = budget or Budget()
        self.seated(Seat("", VirtualClock(), {}, _nowhere, _unheard))

    def seated(self, seat: Seat) -> None:
        """Take the place in a session."""
        theirs = cast(dict[str, ToolSpec], seat.specs)  # grows while the session lasts
        specs = ChainMap(self._own, theirs) if self._own else theirs
        self._seat = Seat(seat.episode, seat.clock, specs, seat.reaches, seat.tell)
        self._ward = Ward(self._seat, self._budget, self._examine)

    def __call__(self, call: Call) -> Generator[Call | Wait, Outcome, Outcome]:
        """Pass the call on; where it comes to trouble, have the policy act."""
        refused = self._policy.refuses(call, self._ward) if self._guards else None
        outcome = (yield call) if refused is None else refused
        found = self._examine(call, outcome)
        if found is None:
            if self._guards:
                self._policy.went_well(call)
            return outcome
        trouble = yield from self._policy.heal(Trouble(call, call, outcome, found), self._ward)
        if self._guards and trouble.over and trouble.attempt.tool == call.tool:
            self._policy.went_well(call)
        return trouble.outcome

    def _examine(self, call: Call, outcome: Outcome) -> Signature | None:
        """What is wrong with an outcome."""
        if isinstance(outcome, Failure):
            return signature(call, outcome, repeated=self._repeated(call, outcome))
        value = outcome.value
        if told_partial(value):
            return Signature(message="partial: the answer says that it is a part")
        spec = self._seat.specs.get(call.tool) if self._check else None
        found = spec.violations(call.arguments, value) if spec is not None else ()
        for detector in self._detectors:
            found += tuple(detector.findings(call, value))
        return of_violations(found) if found else None

    def _repeated(self, call: Call, failure: Failure) -> int:
        key = (call.tool, repr(sorted(call.arguments.items(), key=lambda item: item[0])), failure.type)
        before = self._repeats.get(key, 0)
        self._repeats[key] = before + 1
        return before


def _nowhere(tool: str) -> bool:
    return False


def _unheard(act: Act) -> None:
    """Not in a session yet."""
