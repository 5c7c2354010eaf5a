"""Get what was wanted from other tools, by a declaration that says how."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, ClassVar

from sealegs.faults.call import Call, Failure, Outcome, Value
from sealegs.faults.equal import CallKey, equality_key
from sealegs.faults.visible_text import visible
from sealegs.recovery.failed_call import FailedCall, RecoveryContext, Steps
from sealegs.recovery.failure_category import FailureCategory
from sealegs.recovery.policies.advise import NOTE, with_note
from sealegs.recovery.policies.alternative import Alternative, EarlierAnswer
from sealegs.recovery.policies.policy import TAKEN_OVER, Policy, Refusal
from sealegs.recovery.policies.running_alternative import CoveredCall, RunningAlternative, ValueSources, translated
from sealegs.recovery.policies.unfinished import UnfinishedAlternative, UnfinishedAlternatives
from sealegs.recovery.safety import carries_key

HELPED: frozenset[FailureCategory] = frozenset({"permanent", "transient", "wrong", "unreadable", "partial", "unknown"})
MOST_RUNNING = 64  # under way in a session; the oldest is forgotten
DOUBT = "It may have been done all the same: find out before you ask again."
MAY_DOUBLE = "An equal call asks the tool itself again, and may do it a second time."
FIND_OUT = f"Find out whether it was. {MAY_DOUBLE}"
DID = " did this in place of "  # in the note of an action that another tool did


class Switch(Policy):
    """The first alternative that answers well. One whose step fails, or lacks a field that is read, is left there.

    An alternative is not tried where the call itself, an equal one before it, or a step of another alternative may have
    done its work: then it would be done twice. One that acted and did not answer is resumed by an equal call, or left
    (`UnfinishedAlternatives`). Nor is one begun that the budget does not last for, or that takes a
    value from an earlier call that the session did not see. Arguments that the failed call left out are left out.

    The answer of an alternative that is declared to act says so in a note, since the failed tool's own history does not
    show it. An equal call is a new one: an agent that reads the note and calls again wants it twice.

    Where an alternative stands in for later calls too (`Then`), those are kept from their tools and answered by its
    steps. What it has done for a call is not done again: an equal call is answered as before, and one whose steps
    failed resumes where it stopped, unless that step may have done its work. It covers calls that are recognised by
    what the agent was shown in place of the answer before. Where the calls before the one that failed have changed
    something, declare no alternative for it that would change it again: nothing here takes it back.

    Args:
        alternatives: in the order in which they are tried.
    """

    name: ClassVar[str] = "switch"

    def __init__(self, alternatives: Iterable[Alternative] = ()) -> None:
        self._of: dict[str, list[Alternative]] = {}
        self._doubtful: set[tuple[str, str]] = set()  # what may have been done, by tool and arguments
        self._taken: dict[str, tuple[RunningAlternative, ...]] = {}  # by the tool whose calls are kept from it
        self._lock = threading.RLock()
        for alternative in alternatives:
            self._of.setdefault(alternative.tool, []).append(alternative)
            for then in alternative.then:
                # Empty entries mark the tools to look at, so that other calls pass without a search.
                self._taken.setdefault(then.tool, ())
        self._unfinished = UnfinishedAlternatives()
        self.guards = bool(self._of)

    @property
    def remembers(self) -> Mapping[str, frozenset[str]]:
        """The fields that its alternatives take from the session's earlier calls, by tool."""
        found: dict[str, set[str]] = {}
        for alternative in self._alternatives():
            for source in alternative.remembers():
                fields = found.setdefault(source.tool, set())
                if isinstance(source, EarlierAnswer):
                    fields.add(source.path)
        return {tool: frozenset(fields) for tool, fields in found.items()}

    def fresh(self) -> Policy:
        """The same with nothing under way."""
        return Switch(self._alternatives())

    def refuses(self, call: Call, context: RecoveryContext) -> Refusal | None:
        """Keep a call that an alternative stands in for from its tool, and note actions between those that it makes."""
        if self._unfinished and not context.effect_free(call.tool):
            self._unfinished.note_action(call.tool, call.id)
        if not self._taken.get(call.tool) or self._under_way(call) is None:
            return None
        message = f"{call.tool} is not asked: the call before was answered by another tool."
        return self.name, Failure(message, type=TAKEN_OVER, unsent=True)

    def handle(self, failed_call: FailedCall, context: RecoveryContext) -> Steps:
        """Try them one after the other."""
        # First of all: this call was kept from its tool, so nothing else can answer it.
        under_way = self._under_way(failed_call.call)
        if under_way is not None:
            return (yield from self._continue(*under_way, failed_call, context))
        call = failed_call.call
        if self._unfinished and context.nothing_done(failed_call):
            self._unfinished.forget_action(call.id)
        # Doubt is noted whatever the category, since it holds for later calls.
        if call.tool not in self._of or self._in_doubt(failed_call, context) or failed_call.category not in HELPED:
            return failed_call
        key = equality_key(call, context.spec(call.tool))
        unfinished = self._unfinished.claim(key)
        if unfinished is not None:
            return (yield from self._resumed(key, unfinished, failed_call, context))
        for alternative in self._of[call.tool]:
            known = ValueSources(call.arguments, context.memory).begins(alternative)
            # The claim comes last, since it takes from the budget.
            if (
                not known
                or not all(map(context.place.reaches, alternative.tools()))
                or not context.claims(failed_call, *(step.tool for step in alternative.steps))
            ):
                continue
            unfinished = self._unfinished.begin(key, alternative)
            failed_call = yield from self._made(key, unfinished, failed_call, context)
            # After a step that may have acted, another alternative could do the same a second time.
            if failed_call.over or failed_call.elsewhere:
                break
        return failed_call

    def _in_doubt(self, failed_call: FailedCall, context: RecoveryContext) -> bool:
        """Return whether this call, or an equal one before it, may have done its work.

        A circuit that is open refuses a call that certainly did nothing; the equal ones that opened it may have.
        """
        call = failed_call.call
        if context.effect_free(call.tool):
            return False
        # What was tried may have had other arguments (`mend_arguments`); the agent may correct them itself next time.
        forms = {
            equality_key(one, context.spec(call.tool)) for one in (call, failed_call.attempt) if one.tool == call.tool
        }
        if not context.nothing_done(failed_call):
            # Kept for the session: a later refusal of an equal call does not undo the doubt.
            self._doubtful |= forms
        elif failed_call.undone:
            self._doubtful -= forms
        return not self._doubtful.isdisjoint(forms)

    def _resumed(
        self, key: CallKey, unfinished: UnfinishedAlternative, failed_call: FailedCall, context: RecoveryContext
    ) -> Steps:
        """Resume what an equal call left; where that could do harm, say what was done."""
        tools = unfinished.left_over
        why = ""
        if unfinished.stuck:
            why = FIND_OUT
        elif unfinished.since:
            why = f"This is not resumed, because {next(iter(unfinished.since.values()))} was called since."
        elif _changed(unfinished, failed_call, context):
            why = "This is not resumed, because it would go on with other values."
        elif not context.claims(failed_call, *tools):  # last, since it takes them from the budget
            why = "Recovery has no calls left to resume it."
        if not why:
            return (yield from self._made(key, unfinished, failed_call, context))
        self._unfinished.leave(key, unfinished, answered=False)
        return self._told(unfinished, failed_call, context, why)

    def _made(
        self, key: CallKey, unfinished: UnfinishedAlternative, failed_call: FailedCall, context: RecoveryContext
    ) -> Steps:
        """Make an alternative whose steps have been claimed, as far as they are still to be made."""
        claimed, made, answered = unfinished.left_over, failed_call.made, False
        try:
            failed_call = yield from self._by(unfinished, failed_call, context)
            answered = failed_call.over
        finally:  # also where the caller leaves
            self._unfinished.leave(key, unfinished, answered=answered)
            if unfinished.acting and self._unfinished:
                self._unfinished.note_action(key[0], failed_call.call.id, but_of=key[0])
        # All steps were claimed together; those not made are free for other calls.
        context.tracker.give_back(claimed[failed_call.made - made :])
        return failed_call

    def _by(self, unfinished: UnfinishedAlternative, failed_call: FailedCall, context: RecoveryContext) -> Steps:
        """The failed call after this alternative."""
        failed, alternative, answers = failed_call, unfinished.alternative, unfinished.answers
        reason = (
            f"{failed_call.call.tool} failed for good"
            if failed_call.category == "permanent"
            else "it did not help to wait"
        )
        for number, step in enumerate(alternative.steps):
            if number in answers:  # made for an equal call
                continue
            try:
                arguments = ValueSources(failed_call.call.arguments, context.memory, answers=answers).arguments(step)
            except KeyError as missing:
                return self._left(unfinished, failed, failed_call, context, f"no {missing} for {step.tool}")
            # With the key of before, if it was made before: only so is it the same request.
            made = {**arguments, **(unfinished.keys if number == unfinished.doubtful else {})}
            again = context.harmless(step.tool) or carries_key(context.spec(step.tool), Call(step.tool, made))
            unfinished.begins(number, arguments, acts=not context.effect_free(step.tool), harmless=again)
            failed_call = yield from context.attempt(failed_call, self.name, "switched", step.tool, made, reason)
            if not failed_call.over:
                # Only this step counts here: what those before it did is noted.
                if context.nothing_done(replace(failed_call, begun=False)):
                    unfinished.did_nothing(number)
                elif (spec := context.spec(step.tool)) is not None and context.keyed(failed_call):
                    unfinished.was_keyed(spec.key, failed_call.attempt)
                return self._left(unfinished, failed, failed_call, context)
            unfinished.ends(number, failed_call.outcome.value if isinstance(failed_call.outcome, Value) else None)
        try:
            answer = translated(alternative.answer, answers, f"by-recovery-{failed_call.call.id}")
        except KeyError as missing:
            return self._left(unfinished, failed, failed_call, context, f"no {missing} in its answer")
        by = f"by {alternative.steps[-1].tool}" if alternative.steps else "by what comes next"
        shown = self._shown(alternative, failed, answers, answer)
        if not alternative.then and self._acts(alternative, context):
            done = " and ".join(step.tool for step in alternative.steps)
            shown = with_note(shown, f"{done}{DID}{alternative.tool}. It is done: do not ask for it again.")
        return context.answer(failed_call, self.name, "answered", shown, by)

    def _acts(self, alternative: Alternative, context: RecoveryContext) -> bool:
        """Return whether an alternative is declared to change something, and its tool is not declared effect-free."""
        specs = (context.spec(step.tool) for step in alternative.steps)
        return not context.effect_free(alternative.tool) and any(spec is not None and spec.effects for spec in specs)

    def _shown(self, alternative: Alternative, failed: FailedCall, answers: Mapping[int, Any], answer: Any) -> Outcome:
        """The answer; where the alternative continues, with a note that says so."""
        if not alternative.then:
            return Value(answer)
        running = RunningAlternative(alternative, failed.call, answers, answer)
        with self._lock:
            for tool in {then.tool for then in alternative.then}:
                # A new tuple instead of a change in place, so that readers need no lock.
                self._taken[tool] = (*self._taken[tool], running)[-MOST_RUNNING:]
        done = " and ".join(step.tool for step in alternative.steps)
        first = f"{done} answered in place of {alternative.tool}" if done else f"{alternative.tool} did not answer"
        later = " and ".join(then.tool for then in alternative.then)
        way = ", ".join(step.tool for then in alternative.then for step in then.steps) or "it"
        note = f"{first}. Go on with {later} and this answer as it is: recovery makes these calls by way of {way}."
        return with_note(Value(answer), note)

    def _under_way(self, call: Call) -> tuple[RunningAlternative, int] | None:
        """The alternative that stands in for this call, the latest first, and which of its calls it is."""
        for running in reversed(self._taken.get(call.tool, ())):
            place = running.place(call)
            if place is not None:
                return running, place
        return None

    def _continue(
        self, running: RunningAlternative, place: int, failed_call: FailedCall, context: RecoveryContext
    ) -> Steps:
        """Answer a call that an alternative stands in for."""
        covered = running.covered(place, failed_call.call, context.spec(failed_call.call.tool))
        if covered is None:
            return self._stopped(
                failed_call, failed_call, context, Failure("An equal call is being answered just now.")
            )
        try:
            if isinstance(covered.outcome, Failure):
                return self._stopped(failed_call, failed_call, context, covered.outcome)
            # An equal call again: its steps are not repeated.
            if covered.outcome is not None:
                return context.answer(
                    failed_call, self.name, "answered", covered.outcome, "an equal call was answered so"
                )
            tools = [step.tool for _, step in running.steps(place, covered)]
            if not context.claims(failed_call, *tools):
                return self._stopped(failed_call, failed_call, context, Failure("Recovery has no calls left for it."))
            before = failed_call.made
            failed_call = yield from self._covered(running, place, covered, failed_call, context)
            context.tracker.give_back(tools[failed_call.made - before :])
            return failed_call
        finally:
            covered.busy = False  # also where the caller leaves, or no equal call could ever be answered

    def _covered(
        self,
        running: RunningAlternative,
        place: int,
        covered: CoveredCall,
        failed_call: FailedCall,
        context: RecoveryContext,
    ) -> Steps:
        """Make the steps that are still to be made for a call, and answer it."""
        failed, call, then = failed_call, failed_call.call, running.then(place)
        for number, step in running.steps(place, covered):
            try:
                arguments = running.sources(call, covered, context.memory).arguments(step)
            except KeyError as missing:
                return self._stopped(failed, failed_call, context, Failure(f"There is no {missing} for {step.tool}."))
            reason = f"in place of {call.tool}"
            if not context.effect_free(step.tool):  # until its outcome is known, for the caller may leave
                covered.outcome = Failure(f"{step.tool}, in place of {call.tool}, was left in the middle. {DOUBT}")
            failed_call = yield from context.attempt(failed_call, self.name, "switched", step.tool, arguments, reason)
            covered.outcome = None
            if not failed_call.over:
                outcome = _failure(failed_call, step.tool, call.tool)
                # Only this step counts: the earlier ones succeeded and will not be made again.
                if not context.nothing_done(replace(failed_call, begun=False)):
                    outcome = covered.outcome = replace(outcome, message=f"{outcome.message} {DOUBT}")
                return self._stopped(failed, failed_call, context, outcome)
            covered.answers[number] = failed_call.outcome.value if isinstance(failed_call.outcome, Value) else None
        found = running.sources(call, covered, context.memory).answers
        try:
            shown = translated(then.answer, found, f"by-recovery-{call.id}")
        except KeyError as missing:
            return self._stopped(
                failed, failed_call, context, Failure(f"The answers in place of {call.tool} lack {missing}.")
            )
        running.closes(call, covered, shown)
        return context.answer(failed_call, self.name, "answered", Value(shown), f"in place of {call.tool}")

    def _left(
        self,
        unfinished: UnfinishedAlternative,
        failed: FailedCall,
        failed_call: FailedCall,
        context: RecoveryContext,
        why: str = "",
    ) -> FailedCall:
        """The failed call after an alternative that did not answer: unchanged, but for what was spent and done."""
        failed = replace(failed, made=failed_call.made, failed=failed_call.failed)
        if not unfinished.acting:
            # A failed step is in the record already; only other reasons need a remark.
            return context.remark(failed, self.name, "left", failed.outcome, why) if why else failed
        if unfinished.stuck:
            then = FIND_OUT
        elif why:
            then = f"There was {why}. {MAY_DOUBLE}"
        else:
            then = f"{failed_call.attempt.tool} then failed. An equal call resumes there."
        return self._told(unfinished, failed, context, then)

    def _told(
        self, unfinished: UnfinishedAlternative, failed_call: FailedCall, context: RecoveryContext, then: str
    ) -> FailedCall:
        """The failed call with a note of what was done in its place; nothing else may do it now."""
        note = f"{unfinished.summary()} {then}".lstrip()
        failed_call = replace(failed_call, elsewhere=True)
        return context.remark(failed_call, self.name, "left", with_note(failed_call.outcome, note), note)

    def _stopped(
        self, failed: FailedCall, failed_call: FailedCall, context: RecoveryContext, outcome: Failure
    ) -> FailedCall:
        """The state of a call that was kept from its tool and could not be answered."""
        failed = replace(failed, made=failed_call.made, failed=failed_call.failed)
        return context.remark(failed, self.name, "left", outcome, outcome.message)

    def _alternatives(self) -> list[Alternative]:
        return [alternative for found in self._of.values() for alternative in found]


def done_by_another(data: Any) -> bool:
    """Return whether another tool did an answer's action; such an answer may lack what the called tool declares."""
    return isinstance(data, Mapping) and DID in str(data.get(NOTE, ""))


def _changed(unfinished: UnfinishedAlternative, failed_call: FailedCall, context: RecoveryContext) -> bool:
    """Return whether a step that is not made anew would have other arguments now."""
    sources = ValueSources(failed_call.call.arguments, context.memory, answers=unfinished.answers)
    try:
        return any(
            sources.arguments(unfinished.alternative.steps[number]) != arguments
            for number, arguments in unfinished.settled.items()
        )
    except KeyError:
        return True


def _failure(failed_call: FailedCall, step: str, tool: str) -> Failure:
    """The failure that the agent is shown where a step failed in place of its call."""
    outcome, signature = failed_call.outcome, failed_call.signature
    if isinstance(outcome, Failure):
        # Without the exception, which a framework would raise as if the agent's own tool had.
        return replace(outcome, message=f"{step}, in place of {tool}, failed: {outcome.message}", exception=None)
    why = "; ".join(signature.reasons) if signature is not None else ""
    message = f"{step}, in place of {tool}, gave an answer that is not to be trusted: {visible(why)}."
    return Failure(message, "SuspectAnswer")
