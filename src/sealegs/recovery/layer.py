"""Recovery on the seam: a layer that checks every outcome and has a policy act on those that failed.

The stack is record, recover, inject, tool, so every adapter has it by one argument:
`Session(plan, layers=[RecoveryLayer(active_policy())])`. A call that goes well is looked at and passed on as it is. For
many sessions at once there is `RecoveryService`. A tool that really hangs is given up after the `deadline`, a hang that
a fault makes after the session's `timeout`. It misses failures that only the agent's whole course shows.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Collection, Generator, Iterable, Mapping, Sequence
from typing import Any, Protocol

from sealegs.faults.call import Call, Failure, Outcome, Value, Wait
from sealegs.faults.equal import arguments_key
from sealegs.faults.invariants import Violation
from sealegs.faults.spec import ToolSpec
from sealegs.inject.clock import VirtualClock
from sealegs.inject.layer_context import FastPathLayer, LayerContext, unheard
from sealegs.recovery.answer_memory import Memory
from sealegs.recovery.budget import Budget, BudgetTracker, Meter
from sealegs.recovery.completeness import is_partial
from sealegs.recovery.declared_tools import (
    Declarations,
    SubstituteTool,
    require_keys,
    require_needs,
    warn_of_keys,
    warn_of_needs,
)
from sealegs.recovery.failed_call import FailedCall, RecoveryContext, warn
from sealegs.recovery.keys import IdempotencyKeys, wants_key
from sealegs.recovery.notification import action_notifier, report_duration
from sealegs.recovery.otel_metrics import GAVE_UP
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
    Verify,
)
from sealegs.recovery.policies.advise import with_note
from sealegs.recovery.policies.completion_check import Check
from sealegs.recovery.policies.policy import Refusal, run_guarded
from sealegs.recovery.signature import Signature, declaration_violations, signature, signature_of_violations

Recovering = Generator[Call | Wait, Outcome, Outcome]
LAYER = "layer"  # the policy of what the layer itself notes


class Detector(Protocol):
    """Something that can tell from a call and its answer that the answer is wrong (`detectors`)."""

    def findings(self, call: Call, value: Any) -> Sequence[Violation]:
        """The violations in the answer, each with its reason; empty where all seems well."""


KEYED: Refusal = ("keys", Value(None))  # in place of a refusal: the call is made with a key


def active_policy(
    alternatives: Iterable[Alternative] = (),
    *,
    checks: Mapping[str, Check] | None = None,
    resumes: Collection[str] = (),
    seed: int = 0,
) -> Policy:
    """The whole of the active form: read leniently, mend arguments, read on, retry, verify, break, switch, stop.

    Args:
        alternatives: as of `Switch`.
        checks: as of `Verify`.
        resumes: as of `Verify`.
        seed: decides the jitter of waits.
    """
    # Shared with `Verify`, so that both wait and count in the same way.
    retry = Retry(seed=seed)
    tries = MendArguments() | ReadOn() | retry | Verify(checks, resumes=resumes, retry=retry)
    # The order matters: what costs no call comes first, what gives up comes last.
    return Parse() | tries | Breaker() | Switch(alternatives) | Stop()


class RecoveryLayer(FastPathLayer):
    """Recovery for one session. A layer belongs to one session; for many of them see `RecoveryService`.

    A policy or detector that breaks down is logged as a warning, and leaves the call as it was by then.

    Args:
        policy: what to do; `active_policy()` by default. `Advise(bank)` alone is the modest form.
        budget: what may be spent on it.
        detectors: look for answers that are wrong without saying so, besides what the tools' specs declare.
        check: whether answers are held against what the tools' specs declare (`signature.declaration_violations`).
        specs: what is declared of the tools over what the session knows (`declared`); names may hold `*` and `?`. Where
            this says whether a tool has effects, it also says whether it is idempotent; what is left out is the
            session's.
        deadline: seconds of real time after which a tool's run is given up; None waits forever. See
            `inject.deadline` for what is cancelled and what cannot be.
        meter: the rates of the service that the layer works for.
        needs: the tools that the policy would call for others; one that cannot be called is logged, at the first
            call or once the session knows all tools, and is a mistake if it knows them before any call.
    """

    def __init__(
        self,
        policy: Policy | None = None,
        *,
        budget: Budget | None = None,
        detectors: Iterable[Detector] = (),
        check: bool = True,
        specs: Iterable[ToolSpec] = (),
        deadline: float | None = None,
        meter: Meter | None = None,
        needs: Iterable[SubstituteTool] = (),
    ) -> None:
        self.deadline = checked_deadline(deadline)
        self._given = policy or active_policy()
        self._detectors = tuple(detectors)
        self._check = check
        self._lock = threading.RLock()
        self._own = {spec.name: spec for spec in specs}
        self._budget = budget or Budget()
        self._meter = meter
        self._needs = tuple(needs)
        self._session: str | None = None
        # A place of its own until a session gives one, so that every field exists.
        self._begin_session(LayerContext("", VirtualClock(), {}, _nowhere, unheard))

    def bind(self, place: LayerContext) -> None:
        """Take the place in a session.

        Raises:
            RuntimeError: it belongs to a session already.
            UserError: a tool has no parameter of the name that is declared for its idempotency key.
        """
        with self._lock:
            if self._session is not None:
                there = f" (episode {self._session!r})" if self._session else ""
                raise RuntimeError(
                    f"this RecoveryLayer has its place in a session{there}; make one for each session, or one "
                    "RecoveryService for all of them"
                )
            self._session = place.episode
        self._begin_session(place)

    def learned(self, tools: Iterable[str], *, begun: bool) -> None:
        """Learn more about these tools.

        Raises:
            UserError: one of them has no parameter for its idempotency key. If calls may be under way (`begun`), that
                is logged instead.
        """
        specs = [spec for tool in tools if (spec := self._specs.get(tool)) is not None]
        if begun:
            warn_of_keys(specs)
        else:
            require_keys(specs)

    def completed(self, tools: Iterable[str], *, begun: bool) -> None:
        """Learn that these are all the tools there are.

        Raises:
            UserError: the policy needs another one. If calls may be under way (`begun`), that is logged instead.
        """
        check = warn_of_needs if begun else require_needs
        check(self._needs, tools, self._context.place.reaches)

    def _begin_session(self, place: LayerContext) -> None:
        """Begin, with nothing spent and nothing remembered."""
        self._policy = self._given.fresh()
        # Looked up once: these three are needed on every call.
        self._guards = self._policy.guards
        self._seen: Counter[tuple[str, ...]] = Counter()
        specs = Declarations(self._own, place.specs) if self._own else place.specs
        require_keys(specs[name] for name in specs)
        self._unasked = bool(self._needs)  # whether the tools that are needed are there
        self._known = place.specs
        self._keys = IdempotencyKeys(place)
        self._specs = specs
        place = LayerContext(
            place.episode, place.clock, specs, place.reaches, action_notifier(place.episode, place.note_action)
        )
        self._now = place.clock.now
        self._memory = Memory(self._policy.remembers)
        self._remembers = bool(self._memory.wanted)
        tracker = BudgetTracker(self._budget, self._meter)
        self._context = RecoveryContext(place, tracker, self._examine, self._memory, self._with_key)

    def __call__(self, call: Call) -> Generator[Call | Wait, Outcome, Outcome]:
        """Pass the call on; if it fails, have the policy act."""
        refusal = self.before(call)
        try:
            outcome = (yield call) if refusal is None else refusal[1]
        except BaseException:
            self.left(call)
            raise
        steps = self.after(call, outcome, refusal)
        return outcome if steps is None else (yield from steps)

    def before(self, call: Call) -> Refusal | None:
        """The policy that refuses the call, and its answer; None where the call is made."""
        if self._unasked:  # at the first call, since tools may be announced until then
            self._unasked = False
            warn_of_needs(self._needs, {*self._known, call.tool}, self._context.place.reaches)
        if self._guards:
            try:
                refusal = self._policy.refuses(call, self._context)
            except Exception as error:  # others make policies
                warn(f"the recovery policy {self._policy.name!r}", call, error)
            else:
                if refusal is not None:
                    return refusal
        spec = self._specs.get(call.tool)
        # A refusal only in form: the fast path then leaves the call to `after`, which makes it with a key.
        return KEYED if spec is not None and spec.key and wants_key(call, spec) else None

    def after(self, call: Call, outcome: Outcome, refusal: Refusal | None) -> Recovering | None:
        """Act on the outcome; None where nothing is wrong with it."""
        if refusal is KEYED:
            return self._keyed(call)
        # The answer of a refusal is examined too: another policy may still help, such as by another tool.
        found = self._examine(call, outcome)
        if found is None:
            if self._guards:
                self._well(call, outcome)
            if self._remembers:
                self._keep(call, outcome)
            return None
        return self._recover(FailedCall(call, call, outcome, found, self._counted(call)), refusal)

    def left(self, call: Call) -> None:
        """Note that the caller of a call left, or the tool's exception passed through."""
        if self._guards:
            try:
                self._policy.left(call)
            except Exception as error:  # others make policies
                warn(f"the recovery policy {self._policy.name!r}", call, error)

    def _recover(self, failed_call: FailedCall, refusal: Refusal | None) -> Recovering:
        call, began = failed_call.call, self._now()
        if refusal is not None:
            self._context.refused(failed_call, refusal[0])
        try:
            # Guarded: the policies of others may raise.
            failed_call = yield from run_guarded(self._policy, failed_call, self._context)
            failed_call = self._gave_up(failed_call)
        except BaseException:
            self.left(call)
            raise
        finally:
            # Also when the caller leaves in the middle, or the state would be kept for the whole session.
            self._context.closed(call)
        report_duration(call.tool, self._now() - began, helped=failed_call.over)
        # If another tool helped, nothing is known of the agent's own one.
        if self._guards and failed_call.over and failed_call.attempt.tool == call.tool:
            self._well(call, failed_call.outcome)
        elif self._guards:
            self._ended(failed_call)
        if self._remembers and failed_call.over:
            self._keep(call, failed_call.outcome)
        return failed_call.outcome

    def _gave_up(self, failed_call: FailedCall) -> FailedCall:
        """Note that nothing helped, or no more could be afforded; the agent learns of the latter."""
        short = self._context.short(failed_call.call)
        if failed_call.over or not (short or failed_call.made):
            return failed_call
        if not short:
            calls = "1 further call" if failed_call.made == 1 else f"{failed_call.made} further calls"
            return self._context.remark(failed_call, LAYER, GAVE_UP, None, f"{calls} did not help")
        noted = with_note(failed_call.outcome, f"Recovery gave up: {short}.")
        return self._context.remark(failed_call, LAYER, GAVE_UP, noted, short)

    def _keyed(self, call: Call) -> Recovering:
        """Make the call with an idempotency key, and see what comes of it."""
        spec, well = self._specs[call.tool], False
        keyed = self._keys.begun(call, spec)
        try:
            try:
                outcome = yield keyed
            except BaseException:
                self.left(call)
                raise
            found = self._examine(keyed, outcome)
            well = found is None
            if found is not None:
                outcome = yield from self._recover(FailedCall(call, keyed, outcome, found, self._counted(call)), None)
                well = isinstance(outcome, Value)
            else:
                if self._guards:
                    self._well(call, outcome)
                if self._remembers:
                    self._keep(call, outcome)
            return outcome
        finally:  # also where the call was cancelled, or the key would stay reserved
            self._keys.settled(keyed, spec, well=well)

    def _with_key(self, call: Call) -> Call:
        """A further call with the key that its tool takes."""
        spec = self._specs.get(call.tool)
        if spec is None or not spec.key:
            return call
        keyed = self._keys.added(call, spec) if wants_key(call, spec) else call
        self._keys.tried(keyed, spec)
        return keyed

    def _keep(self, call: Call, outcome: Outcome) -> None:
        try:
            self._memory.keep(call, outcome)
        except Exception as error:  # others' answers, which may be anything
            warn("the memory of an answer", call, error)

    def _well(self, call: Call, outcome: Outcome) -> None:
        try:
            self._policy.went_well(call, outcome)
        except Exception as error:
            warn(f"the recovery policy {self._policy.name!r}", call, error)

    def _ended(self, failed_call: FailedCall) -> None:
        # Another tool helps only where the agent's own one did nothing.
        in_doubt = not failed_call.over and self._context.in_doubt(failed_call)
        try:
            self._policy.ended(failed_call.call, in_doubt=in_doubt)
        except Exception as error:
            warn(f"the recovery policy {self._policy.name!r}", failed_call.call, error)

    def _examine(self, call: Call, outcome: Outcome) -> Signature | None:
        """The signature of what is wrong with an outcome; None where nothing is."""
        if isinstance(outcome, Failure):
            return signature(call, outcome, repeated=self._counted(call, outcome.type))
        value = outcome.value
        # A part is what the tool announced, so it is not checked as if it were the whole.
        if is_partial(value):
            return Signature(message="partial: the answer says that it is a part")
        spec = self._specs.get(call.tool) if self._check else None
        found: tuple[Violation, ...] = ()
        try:
            if spec is not None and (spec.invariants or spec.returns):
                found = declaration_violations(spec, call.arguments, value)
            for detector in self._detectors:
                found += tuple(detector.findings(call, value))
        except Exception as error:  # others' schemas, and answers that no detector was made for
            warn("the check of an answer", call, error)
        return signature_of_violations(found) if found else None

    def _counted(self, call: Call, failure: str = "") -> int:
        """Count a failed call, and return how often an equal one failed before, or failed with this type."""
        key = (call.tool, arguments_key(call.arguments, self._specs.get(call.tool)), failure)
        with self._lock:
            self._seen[key] += 1
            # The call itself is counted for the next one.
            return self._seen[key] - 1


def checked_deadline(seconds: float | None) -> float | None:
    """The deadline, if it can be one.

    Raises:
        ValueError: it is not more than 0.
    """
    # Written this way round so that NaN is refused, too.
    if seconds is not None and not seconds > 0:
        raise ValueError(f"the deadline is {seconds} s; give more than 0, or None to wait forever")
    return seconds


def _nowhere(tool: str) -> bool:
    return False
