"""One failed call, and the episode that it belongs to: what every policy is given."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from sealegs.faults.call import Call, Outcome, Wait
from sealegs.faults.spec import ToolSpec
from sealegs.inject.layer_context import REFUSED, LayerAction, LayerContext
from sealegs.recovery.answer_memory import NOTHING, Memory
from sealegs.recovery.budget import BudgetTracker
from sealegs.recovery.failure_category import FailureCategory, categorize_failure
from sealegs.recovery.safety import carries_key, effect_free, harmless, lacks_declaration, nothing_done
from sealegs.recovery.signature import Signature
from sealegs.recovery.undeclared_tools import LEFT, SAFETY, reason, warn_once

Steps = Generator[Call | Wait, Outcome, "FailedCall"]


def warn(what: str, call: Call, error: Exception) -> None:
    """Warn of third-party code that broke down; a call does not fail because of it."""
    text = f"{what} failed on a call of {call.tool!r}, which stays as it was ({type(error).__name__}: {error})"
    warnings.warn(text, RuntimeWarning, stacklevel=3)


def _as_it_is(call: Call) -> Call:
    return call


class Examiner(Protocol):
    """A function that finds what is wrong with an outcome."""

    def __call__(self, call: Call, outcome: Outcome) -> Signature | None:
        """The signature of what is wrong; None where nothing is."""


@dataclass(frozen=True, slots=True)
class FailedCall:
    """A call of the agent's, and its state.

    Attributes:
        call: as the agent made it.
        attempt: the call that was last made for it.
        outcome: what the agent would be shown now.
        signature: what is wrong with it; None once it is well.
        nth: how many equal calls of the agent's failed before in the episode.
        made: further calls so far.
        failed: how often the agent's tool has failed at this, the agent's own call included.
        begun: an attempt before the last one may have done its work.
        undone: a look after the last attempt showed that nothing was done.
        elsewhere: other tools may have done a part of it, and it is not to be made in any form.
    """

    call: Call
    attempt: Call
    outcome: Outcome
    signature: Signature | None
    nth: int = 0
    made: int = 0
    failed: int = 1
    begun: bool = False
    undone: bool = False
    elsewhere: bool = False

    @property
    def over(self) -> bool:
        """Whether nothing is wrong any more."""
        return self.signature is None

    @property
    def category(self) -> FailureCategory:
        """The kind of help that it asks for."""
        return "unknown" if self.signature is None else categorize_failure(self.signature)


class RecoveryContext:
    """The episode as policies see it: what is known of its tools, what may still be spent, and calls made for them.

    Attributes:
        place: the place in the session.
        tracker: what was spent.
        memory: the latest arguments and answers of the session's tools.

    Args:
        place, tracker, memory: as above.
        examine: looks at outcomes.
        with_key: gives a call the idempotency key that its tool takes, if it has none.
    """

    def __init__(
        self,
        place: LayerContext,
        tracker: BudgetTracker,
        examine: Examiner,
        memory: Memory = NOTHING,
        with_key: Callable[[Call], Call] = _as_it_is,
    ) -> None:
        self.place = place
        self.tracker = tracker
        self.memory = memory
        self._examine = examine
        self._with_key = with_key
        self._cases: dict[str, FailedCall] = {}  # calls that something was done about, and their state
        self._short: dict[str, str] = {}  # what the budget had not enough of, by call
        self._noted: set[str] = set()  # calls of which it was noted that a declaration is missing

    def spec(self, tool: str) -> ToolSpec | None:
        """The spec of a tool; None where nothing is known of it."""
        return self.place.specs.get(tool)

    def may_repeat(self, failed_call: FailedCall) -> bool:
        """Return whether the last attempt may be made once more, just as it was, without doing something twice.

        Ask it when all else speaks for a repetition: where only a declaration is missing, that is noted.
        """
        return self.repeats_harmlessly(failed_call) or self._left(failed_call)

    def repeats_harmlessly(self, failed_call: FailedCall) -> bool:
        """The same as `may_repeat`, but nothing is noted."""
        if failed_call.elsewhere:
            return False  # however harmless it is, another tool may have done the same
        spec = self.spec(failed_call.attempt.tool)
        # Declarations come first: they hold whatever the outcome was.
        return harmless(spec) or carries_key(spec, failed_call.attempt) or not self.in_doubt(failed_call)

    def nothing_done(self, failed_call: FailedCall) -> bool:
        """Return whether it is proven that nothing was done so far, so that another call may take this one's place.

        A tool that is idempotent may have done its work all the same. For when to ask see `may_repeat`.
        """
        return not self.in_doubt(failed_call) or self._left(failed_call)

    def keyed(self, failed_call: FailedCall) -> bool:
        """Return whether the last attempt carries an idempotency key."""
        spec = self.spec(failed_call.attempt.tool)
        return not failed_call.elsewhere and carries_key(spec, failed_call.attempt)

    def in_doubt(self, failed_call: FailedCall) -> bool:
        """Return whether something may have been done so far."""
        if failed_call.elsewhere:
            return True
        if failed_call.undone:
            return False
        return failed_call.begun or not nothing_done(self.spec(failed_call.attempt.tool), failed_call.outcome)

    def effect_free(self, tool: str) -> bool:
        """Return whether it is declared that a tool changes nothing."""
        return effect_free(self.spec(tool))

    def harmless(self, tool: str) -> bool:
        """Return whether a call of this tool can be made twice whatever came of it."""
        return harmless(self.spec(tool))

    def examine(self, call: Call, outcome: Outcome) -> Signature | None:
        """The signature that this would have as the outcome of this call; None where nothing would be wrong."""
        return self._examine(call, outcome)

    def claims(self, failed_call: FailedCall, *tools: str, seconds: float = 0.0) -> bool:
        """Take further calls of these tools, and a wait, from the budget; False where it has too little."""
        short = self.tracker.short(tools, failed_call.made, seconds)
        if short:
            self._short[failed_call.call.id] = short
        else:
            self._begin(failed_call)  # before any wait: a record tells by it how long the agent's own call took
        return not short

    def short(self, call: Call) -> str:
        """The resource that the budget had too little of for this call; empty where all was affordable."""
        return self._short.get(call.id, "")

    def attempt(
        self,
        failed_call: FailedCall,
        policy: str,
        action: str,
        tool: str,
        arguments: Mapping[str, Any],
        detail: str = "",
    ) -> Steps:
        """Make one further call, which must have been claimed. It is recorded even if the caller leaves meanwhile."""
        self._begin(failed_call)
        begun = self.in_doubt(failed_call)
        # Records find the agent's call by this prefix.
        call = self._with_key(Call(tool, arguments, f"{failed_call.call.id}.{failed_call.made + 1}"))
        began, outcome = self.place.clock.now(), None
        try:
            outcome = yield call
        finally:  # a caller that leaves has still caused the call
            took = self.place.clock.now() - began
            self.place.note_action(
                LayerAction(failed_call.call, policy, action, call, outcome, detail, began=began, seconds=took)
            )
        # Examined as the attempt it is: another tool has other invariants.
        signature = self._examine(call, outcome)
        if signature is None:
            self.memory.keep(call, outcome)
        # Only failures of the agent's own tool count; those of alternatives say nothing about it.
        failed = failed_call.failed + (signature is not None and tool == failed_call.call.tool)
        failed_call = replace(
            failed_call, attempt=call, outcome=outcome, signature=signature, made=failed_call.made + 1
        )
        return self._stands(replace(failed_call, failed=failed, begun=begun, undone=False))

    def answer(
        self,
        failed_call: FailedCall,
        policy: str,
        action: str,
        outcome: Outcome,
        detail: str = "",
        *,
        repaired: bool = False,
    ) -> FailedCall:
        """Answer the agent's call with this. `repaired`: it is the last attempt's own answer, put right."""
        self._begin(failed_call)
        self.place.note_action(LayerAction(failed_call.call, policy, action, None, outcome, detail, repaired))
        # An answer composed here meets no tool's declaration, so it is not examined.
        signature = self._examine(failed_call.attempt, outcome) if repaired else None
        return self._stands(replace(failed_call, outcome=outcome, signature=signature))

    def remark(
        self, failed_call: FailedCall, policy: str, action: str, outcome: Outcome | None, detail: str
    ) -> FailedCall:
        """Note something, and show the agent this in the outcome's place; what is wrong stays wrong."""
        self._begin(failed_call)
        self.place.note_action(LayerAction(failed_call.call, policy, action, None, outcome, detail))
        return self._stands(failed_call if outcome is None else replace(failed_call, outcome=outcome))

    def refused(self, failed_call: FailedCall, policy: str) -> None:
        """Note that a policy answered the agent's call in its tool's place."""
        self.place.note_action(
            LayerAction(
                failed_call.call, policy, REFUSED, failed_call.call, failed_call.outcome, began=self.place.clock.now()
            )
        )
        self._stands(failed_call)

    def latest(self, failed_call: FailedCall) -> FailedCall:
        """The state of a call, as far as anything was done about it."""
        return self._cases.get(failed_call.call.id, failed_call)

    def closed(self, call: Call) -> None:
        """Forget a call about which nothing more is done."""
        self._cases.pop(call.id, None)
        self._short.pop(call.id, None)
        self._noted.discard(call.id)

    def _left(self, failed_call: FailedCall) -> bool:
        """False; where only a declaration is missing, that is noted, once for each call."""
        tool = failed_call.attempt.tool
        if failed_call.elsewhere:
            return False  # no declaration would help
        if lacks_declaration(self.spec(tool)) and failed_call.call.id not in self._noted:
            self._noted.add(failed_call.call.id)
            warn_once(tool)
            self.place.note_action(LayerAction(failed_call.call, SAFETY, LEFT, detail=reason(tool)))
        return False

    def _stands(self, failed_call: FailedCall) -> FailedCall:
        self._cases[failed_call.call.id] = failed_call
        return failed_call

    def _begin(self, failed_call: FailedCall) -> None:
        """Note what came of a call before anything is done about it."""
        if failed_call.call.id not in self._cases:
            self._stands(failed_call)
            self.place.note_action(LayerAction(failed_call.call, "", "tried", failed_call.call, failed_call.outcome))
