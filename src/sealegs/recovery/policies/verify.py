"""Check whether an action was done before doing anything about it."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Collection, Generator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any, ClassVar

from sealegs.faults.call import Call, Failure, Outcome, Value, Wait
from sealegs.faults.equal import arguments_key
from sealegs.inject.deadline import was_left_running
from sealegs.inject.injection import safely_equal
from sealegs.recovery.declared_tools import most_specific
from sealegs.recovery.failed_call import FailedCall, RecoveryContext, Steps
from sealegs.recovery.inconclusive_reads import why_inconclusive
from sealegs.recovery.policies.advise import NOTE, with_note
from sealegs.recovery.policies.completion_check import Check, LookEvidence, Unclear
from sealegs.recovery.policies.equal_calls import EqualCalls
from sealegs.recovery.policies.history_check import OPERATION, AnyCheck, ByHistory
from sealegs.recovery.policies.mend_arguments import repair_arguments
from sealegs.recovery.policies.policy import Policy, Refusal
from sealegs.recovery.policies.retry import Retry
from sealegs.recovery.undeclared_tools import log_once

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class LookOutcome:
    """The outcome of a look: the evidence and the answer that gave it, or the reason why there is none."""

    seen: LookEvidence | None = None
    answer: Any = None
    why: str = ""


@dataclass(slots=True)
class CallUnderWay:
    """A call of an action that a look can show.

    Attributes:
        key: equal for calls that look the same to the check.
        check: the look.
        beside: an equal call ran at the same time.
        claimed: a look showed its entry.
        at_work: its run was left behind at the deadline.
    """

    key: Key
    check: AnyCheck
    beside: bool = False
    claimed: bool = False
    at_work: bool = False


class Verify(Policy):
    """The policy that reads, after a doubtful failure, whether an action was done, and then does what that asks for.

    What was done is answered with, and not done again. What was not done is made again as `Retry` would, each time with
    a look before it, or once with repaired arguments; where that makes no sense, policies that follow know that nothing
    was done. Where only a part was done, or the look does not tell, the failure is left, and says so.

    An entry counts for one call: equal calls of a session each have their own (`equal_calls`). While an equal call is
    under way nothing is concluded, nor of one that another ran beside. A list that is one page of several, or that
    tells of an error, does not show that something was not done; nor does one of which `Check.settles` does not say
    when it shows what was done, nor any look while a tool that missed its deadline, or an equal call that was
    cancelled, may still be at work, unless it says how long to wait. It is misled by a read that lists later than
    that, and by entries that others made.

    Args:
        checks: by action (with `*` and `?`); of one that is not named, what its spec says (`shown_by`).
        resumes: actions (with `*` and `?`) of which an identical call after a part was done does the rest alone; those
            that are declared idempotent do so.
        retry: how often and after what wait an action that was not done is made again.
        looks: how often a look that fails is made.
    """

    name: ClassVar[str] = "verify"
    guards = True

    def __init__(
        self,
        checks: Mapping[str, Check] | None = None,
        *,
        resumes: Collection[str] = (),
        retry: Retry | None = None,
        looks: int = 2,
    ) -> None:
        self._checks = dict(checks or {})
        self._resumes = tuple(resumes)
        self._retry = retry or Retry()
        self._looks = looks
        self._over: defaultdict[Key, EqualCalls] = defaultdict(EqualCalls)
        self._under_way: dict[str, CallUnderWay] = {}  # by the call's id
        self._lock = threading.RLock()  # garbage collection may close an abandoned call in the midst of another

    def fresh(self) -> Policy:
        """The same with nothing seen."""
        return Verify(self._checks, resumes=self._resumes, retry=self._retry, looks=self._looks)

    def refuses(self, call: Call, context: RecoveryContext) -> Refusal | None:
        """Never refuse; note a call of an action that can be seen as under way."""
        spec = context.place.specs.get(call.tool)
        # Before the key is made: most calls cannot be checked.
        if not self._checks and (spec is None or not spec.shown_by):  # most calls
            return None
        check = self._check(call.tool, context)
        if check is not None:
            with self._lock:
                own = CallUnderWay((call.tool, arguments_key(check.subject(call), spec)), check)
                for other in list(self._under_way.values()):
                    if other.key == own.key:
                        other.beside = own.beside = True  # stays so even after one of them has ended
                self._under_way[call.id] = own
        return None

    def went_well(self, call: Call, outcome: Outcome) -> None:
        """Note that the action was done."""
        if not self._under_way:  # without the lock: this runs on every call that goes well
            return
        with self._lock:
            own = self._under_way.pop(call.id, None)
            if own is not None and not own.claimed:
                answer = outcome.value if isinstance(outcome, Value) else None
                self._over[own.key].went_well(own.check.trace(answer, call))

    def ended(self, call: Call, *, in_doubt: bool) -> None:
        """Note that the action may have been done, or was not."""
        with self._lock:
            own = self._under_way.pop(call.id, None)
            if own is not None and in_doubt and not own.claimed:
                self._over[own.key].stays_in_doubt(at_work=own.at_work)

    def left(self, call: Call) -> None:
        """Note that the caller is gone, and the action may still be done."""
        with self._lock:
            own = self._under_way.get(call.id)
            if own is not None:
                own.at_work = True
        self.ended(call, in_doubt=True)

    def handle(self, failed_call: FailedCall, context: RecoveryContext) -> Steps:
        """Look, and go by what is seen."""
        check = self._check(failed_call.call.tool, context)
        # A look at this tool does not show what other tools did in its place.
        if check is None or failed_call.attempt.tool != failed_call.call.tool or failed_call.elsewhere:
            return failed_call
        if not context.in_doubt(failed_call):
            return failed_call
        return (yield from self._looked(check, failed_call, context))

    def _looked(self, check: AnyCheck, failed_call: FailedCall, context: RecoveryContext) -> Steps:
        # Attempts of other policies count, so that all of them together keep to the limit.
        tried = failed_call.failed - 1
        while True:
            failed_call, look = yield from self._look(check, failed_call, context)
            if look.seen is None:
                return self._left(
                    failed_call, context, f"Whether {failed_call.call.tool} was done could not be seen: {look.why}."
                )
            if look.seen.state == "done":
                return self._verified(check, look, failed_call, context)
            if look.seen.state == "partial" and not check.resumes:
                done = f": {look.seen.part}" if look.seen.part else ""
                message = f"{check.tool} shows that only a part of {failed_call.call.tool} was done{done}."
                return self._left(
                    failed_call, context, f"{message} It is not made again, for that might do this part twice."
                )
            # A run left behind may still write its entry, so "not there" is not yet "not done".
            overdue = isinstance(failed_call.outcome, Failure) and was_left_running(failed_call.outcome)
            if look.seen.state == "undone" and overdue and not check.settles:
                why = "it was left behind at its deadline and may still be at work"
                return self._left(
                    failed_call, context, f"{check.tool} does not show {failed_call.call.tool} yet: {why}."
                )
            if look.seen.state == "undone" and check.settles is None:
                log_once(
                    f"{check.tool} does not show a call of {failed_call.call.tool}, which is left alone: nothing says "
                    "after how many seconds it would; declare `settles`, 0 if it shows it at once"
                )
                message = (
                    f"{check.tool} does not show {failed_call.call.tool}, and may do so later. It is not made again."
                )
                return self._left(failed_call, context, message)
            if look.seen.state == "undone":
                # Later policies may now repeat it or use another tool.
                failed_call = replace(failed_call, undone=True)
            before = failed_call
            failed_call = yield from self._again(
                failed_call, context, tried, f"{check.tool} shows that it was not done"
            )
            if failed_call is before or failed_call.over or not context.in_doubt(failed_call):
                return failed_call
            if isinstance(failed_call.outcome, Value) and safely_equal(failed_call.outcome, before.outcome):
                tried = max(self._retry.tries.values(), default=0)  # it says the same each time: look, and no more
            tried += 1

    def _again(self, failed_call: FailedCall, context: RecoveryContext, tried: int, why: str) -> Steps:
        """Make an action that was not done; the failed call as it was where that makes no sense or costs too much."""
        call, spec = failed_call.attempt, context.spec(failed_call.attempt.tool)
        # Repeating the same arguments cannot help; mending them is tried once and not counted as a retry.
        if failed_call.category == "arguments":
            better = repair_arguments(call.arguments, spec.parameters) if spec is not None and spec.parameters else None
            if better is None or not context.claims(failed_call, call.tool):
                return failed_call
            return (yield from context.attempt(failed_call, self.name, "repaired", call.tool, better, why))
        seconds = self._retry.seconds(failed_call, context, tried)
        if tried >= self._retry.tries.get(failed_call.category, 0) or seconds > self._retry.longest:
            return failed_call
        if not context.claims(failed_call, call.tool, seconds=seconds):
            return failed_call
        yield Wait(seconds)  # after the claim, which limits waiting time as well
        return (yield from context.attempt(failed_call, self.name, "retried", call.tool, call.arguments, why))

    def _look(
        self, check: AnyCheck, failed: FailedCall, context: RecoveryContext
    ) -> Generator[Any, Outcome, tuple[FailedCall, LookOutcome]]:
        """The failed call as it was, with what was spent on it, and what was seen."""
        own = self._under_way.get(failed.call.id)
        if own and isinstance(failed.outcome, Failure) and was_left_running(failed.outcome):
            own.at_work = True  # before the look, which may fail
        if not context.place.reaches(check.tool):
            return failed, LookOutcome(why=f"{check.tool} cannot be called from here")
        failed_call, why = failed, f"there are no calls left for {check.tool}"
        # The first look waits for effects that settle late; further looks are only for a read that itself failed.
        for turn in range(self._looks):
            seconds = (check.settles or 0.0) if turn == 0 else self._retry.base
            if not context.claims(failed_call, check.tool, seconds=seconds):
                break
            if seconds:
                yield Wait(seconds)
            try:
                arguments = check.look_arguments(failed.attempt)
            except Unclear as error:
                return failed, LookOutcome(why=str(error))
            failed_call = yield from context.attempt(
                failed_call, self.name, "looked", check.tool, arguments, "was it done?"
            )
            outcome = failed_call.outcome
            if failed_call.over and isinstance(outcome, Value):
                look = self._read(check, outcome.value, failed, context)
                # What failed is still the action; the look only cost calls.
                return _back(failed, failed_call), look
            why = f"{check.tool} failed"
        return _back(failed, failed_call), LookOutcome(why=why)

    def _read(self, check: AnyCheck, answer: Any, failed: FailedCall, context: RecoveryContext) -> LookOutcome:
        """The outcome of a look at an answer, without what it says of equal calls before."""
        call = failed.call
        with self._lock:
            own = self._under_way.get(call.id)
            if own is None:
                subject = arguments_key(check.subject(call), context.place.specs.get(call.tool))
                own = CallUnderWay((call.tool, subject), check)
            # Two equal calls leave entries that cannot be distinguished while both run.
            if any(other.key == own.key for other in list(self._under_way.values()) if other is not own):
                return LookOutcome(why="an equal call is under way")
            equal = self._over[own.key]
            try:
                listed = check.seen(answer, failed.attempt)
                seen = equal.of_one(check, listed)
            except Unclear as error:
                return LookOutcome(why=f"{check.tool} does not tell ({error})")
            if seen.state == "done" and own.beside:
                return LookOutcome(why="an equal call ran at the same time, and the entries do not tell which is whose")
            # A page, a filter or a time of update may hide the entry.
            if seen.state == "undone" and (why := why_inconclusive(answer, check.place)):
                return LookOutcome(why=f"{check.tool} does not list it, and {why}")
            if seen.state == "undone" and equal.at_work and not check.settles:
                return LookOutcome(why="an equal call before was cancelled or left behind, and may still be at work")
            if seen.state == "done" or (seen.state == "undone" and check.settles is not None):
                # Under the lock that compared them, so that two calls cannot claim one entry.
                equal.account_for(listed, done=seen.state == "done")
                own.claimed = seen.state == "done"
        return LookOutcome(seen, answer)

    def _verified(
        self, check: AnyCheck, look: LookOutcome, failed_call: FailedCall, context: RecoveryContext
    ) -> FailedCall:
        """Answer with what was done."""
        assert look.seen is not None
        entry = look.seen.entries[-1] if look.seen.entries else None
        message = f"{failed_call.call.tool} was done, though it did not say so: {check.tool} shows it"
        answer: Any = None
        with suppress(KeyError, Unclear):
            # An empty answer means that the check says nothing of fields.
            answer = check.translated(look.answer, entry, failed_call.attempt) or None
        # An answer put together wrongly must not pass for the tool's own.
        whole = answer is not None and context.examine(failed_call.call, Value(answer)) is None
        found = Value(answer) if whole else Value({"done": True, "found": entry, NOTE: f"{message}."})
        return context.answer(failed_call, self.name, "verified", found, message)

    def _left(self, failed_call: FailedCall, context: RecoveryContext, message: str) -> FailedCall:
        return context.remark(failed_call, self.name, "left", with_note(failed_call.outcome, message), message)

    def _check(self, tool: str, context: RecoveryContext) -> AnyCheck | None:
        spec, name = context.spec(tool), most_specific(self._checks, tool) if self._checks else None
        check = None if name is None else self._checks[name]
        resumes = (spec is not None and spec.idempotent) or any(fnmatchcase(tool, one) for one in self._resumes)
        if check is not None:
            return replace(check, resumes=True) if resumes and not check.resumes else check
        if spec is None or not spec.shown_by:
            return None
        reading = context.spec(spec.shown_by)
        # The read has to take the tool's name; otherwise it is of another form.
        if reading is None or OPERATION not in reading.parameters.get("properties", {}):
            return None
        return ByHistory(spec.shown_by, spec, resumes)


def _back(failed: FailedCall, failed_call: FailedCall) -> FailedCall:
    """The failed call unchanged, but for what was spent on it."""
    return replace(failed, made=failed_call.made)
