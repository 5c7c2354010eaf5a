"""Tell the agent what the failure means and what helped before: the layer's modest form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol

from sealegs.faults.call import Call, Failure, Outcome, Value
from sealegs.faults.visible_text import visible
from sealegs.recovery.failed_call import FailedCall, RecoveryContext
from sealegs.recovery.policies.policy import AtOnce
from sealegs.recovery.signature import Signature

NOTE = "recovery_note"


@dataclass(frozen=True, slots=True)
class Advice:
    """An adviser's advice on a failure.

    Attributes:
        text: diagnosis and steps, as the agent reads them.
        exemplar: the name of the exemplar that it comes from.
        distance: how far the exemplar is from the failure, 0 to 1.
    """

    text: str
    exemplar: str = ""
    distance: float = 0.0


class Adviser(Protocol):
    """A source of advice (the exemplar bank)."""

    def advice(self, call: Call, signature: Signature) -> Advice | None:
        """The advice that helps; None where nothing near enough is known."""


class Advise(AtOnce):
    """Appends advice to what the agent sees, and changes nothing else.

    A failure's message is longer by it; data gets a field `recovery_note`, text a last paragraph.

    Args:
        adviser: who knows what helps.
    """

    name: ClassVar[str] = "advise"

    def __init__(self, adviser: Adviser) -> None:
        self._adviser = adviser

    def handle_now(self, failed_call: FailedCall, context: RecoveryContext) -> FailedCall:
        """Append it."""
        assert failed_call.signature is not None
        harmless, doubtful = context.repeats_harmlessly(failed_call), context.in_doubt(failed_call)
        signature = replace(failed_call.signature, harmless=harmless, doubtful=doubtful)
        advice = self._adviser.advice(failed_call.attempt, signature)
        if advice is None:
            return failed_call
        detail = f"{advice.exemplar} at {advice.distance:.2f}" if advice.exemplar else ""
        return context.remark(failed_call, self.name, "advised", with_note(failed_call.outcome, advice.text), detail)


def with_note(outcome: Outcome, text: str) -> Outcome:
    """The outcome with a note for the agent, who sees every sign of it: it may quote what somebody else wrote."""
    text = visible(text)
    if isinstance(outcome, Failure):
        return replace(outcome, message=f"{outcome.message}\n\n{text}")
    if isinstance(outcome.value, str):
        return Value(f"{outcome.value}\n\n{text}")
    if isinstance(outcome.value, Mapping):
        noted: dict[str, Any] = {**outcome.value, NOTE: text}
        return Value(noted)
    return Value({"answer": outcome.value, NOTE: text})
