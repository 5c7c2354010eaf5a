"""One fault at work on one call, and the proof of whether anything came of it.

A fault is delivered where the agent was shown something else than the tool returned, where it had to wait, or where the
world got more or fewer effects than the call requested. What cannot be shown to differ counts as undelivered.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sealegs.faults.call import MORE_TO_COME, Call, Failure, Moment, Outcome, PartialExecution, PartialResult, Value
from sealegs.faults.frozen import quickly_frozen


@quickly_frozen
class Injection:
    """One fault at work on one call.

    Attributes:
        call: the call as it reached the fault.
        rule: the rule's id.
        kind: the fault's kind.
        implicit: whether what was shown looks like data.
        delivered: whether anything is different for the agent or the world because of it.
        said: the answer of what lay below, the last time it was called; None where it never answered.
        shown: what the fault returned; None where it was cut off before it could return, or never got to act.
        runs: how many times what lay below was run with effect and answered.
        waited: seconds that the fault waited; of a wait that was cut off, those until then.
        moment: what was done to the world when it had acted: nothing (`before`), a part (`during`) or all (`after`);
            empty for a tool without effects.
        cut_off: whether it had begun to act and was cut off before it could return: the caller gave up or was gone, or
            the episode ended. What it was about to show was never seen.
    """

    call: Call
    rule: str
    kind: str
    implicit: bool
    delivered: bool
    said: Outcome | None
    shown: Outcome | None
    runs: int
    waited: float
    moment: Moment | Literal[""] = ""
    cut_off: bool = False


@dataclass(frozen=True, slots=True)
class WorkDone:
    """The runs of the tool itself in one call, below all faults, as far as its answers tell.

    Attributes:
        whole: those that did all of the work.
        part: those that did a part, or are still under way.
    """

    whole: int = 0
    part: int = 0

    def with_answer(self, outcome: Outcome) -> WorkDone:
        """The evidence with one more run with an effect, which was answered so."""
        if isinstance(outcome, PartialExecution) or outcome is MORE_TO_COME:
            return WorkDone(self.whole, self.part + 1)
        if isinstance(outcome, Value):
            return WorkDone(self.whole + 1, self.part)
        return self

    def with_end(self, outcome: Outcome) -> WorkDone:
        """The evidence where the run that counts as a part, since more was to come, was answered so in the end."""
        return WorkDone(self.whole, self.part - 1).with_answer(outcome)

    def since(self, earlier: WorkDone) -> WorkDone:
        """The work that was added to an earlier state."""
        if earlier is NOTHING_DONE:
            return self
        return WorkDone(self.whole - earlier.whole, self.part - earlier.part)

    @property
    def moment(self) -> Moment:
        """The moment of an injection that leaves this work done."""
        return "after" if self.whole else "during" if self.part else "before"


NOTHING_DONE = WorkDone()


class FaultEvidence:
    """Evidence of a fault's effects, gathered while it acts on `call`.

    Args:
        call: the call as it reached the fault.
        effects: whether the tool has any, as far as is known.
        acts: whether the fault gets to act.
    """

    __slots__ = ("_answers", "_part", "acts", "call", "cut", "effects", "runs", "said", "waited", "worked")

    def __init__(self, call: Call, effects: bool, acts: bool = False) -> None:
        self.call = call
        self.effects = effects
        self.acts = acts
        self.said: Outcome | None = None
        self.runs = 0
        self.worked = 0  # runs that succeeded
        self.cut = 0  # runs that did a part
        self.waited = 0.0
        self._answers: list[Outcome] = []  # to the call as it reached the fault
        self._part = False  # the last answer is a part of a longer one

    def answered(self, request: Call, outcome: Outcome, real: bool) -> None:
        """Record that the layer below was called, ran with effect or without, and answered."""
        self.said = outcome
        self._part = isinstance(outcome, Value) and isinstance(outcome.value, PartialResult)
        if outcome is MORE_TO_COME:  # what it will be is not known yet
            return
        # Answers to altered arguments say nothing about what the agent's call would have been answered.
        if not self._part and safely_equal(request.arguments, self.call.arguments):
            self._answers.append(outcome)
        if real:
            self.runs += 1
            self.cut += isinstance(outcome, PartialExecution)
            self.worked += isinstance(outcome, Value) and not isinstance(outcome, PartialExecution)

    @property
    def last(self) -> Outcome | None:
        """The last answer to the call as it reached the fault."""
        return self._answers[-1] if self._answers else None

    def falls_short(self, shown: Outcome | None) -> bool:
        """Return whether the work was left undone, or a part of it, for a fault that then showed the true answer."""
        undone = self.cut > 0 if self.runs else True
        return not self.worked and undone and shown is not None and safely_equal(shown, self.last)

    def delivered(self, shown: Outcome | None) -> bool:
        """Return whether the fault, which returned this, made any difference."""
        if self.waited > 0:
            return True
        # Nothing true to compare with: anything the fault showed by itself is a difference.
        if not self._answers:
            return shown is not None and not (self._part and shown is self.said)
        if shown is not None and not self._was_answered(shown):
            return True
        # A call that succeeds has its effect once, unless a fault outside this one asked for none.
        return self.effects and not self.call.dry and self.worked != isinstance(self._answers[0], Value)

    def _was_answered(self, shown: Outcome) -> bool:
        return any(same_outcome(shown, answer) for answer in self._answers)


def same_outcome(shown: Outcome, answer: Outcome) -> bool:
    """Return whether what was shown is what the tool answered."""
    # An error in place of an answer is not it; of others, only their equality tells.
    return isinstance(shown, Failure) == isinstance(answer, Failure) and safely_equal(shown, answer)


def safely_equal(left: object, right: object) -> bool:
    """Return whether two outcomes or arguments are equal; of what cannot be compared, only a thing itself is."""
    if left is right:
        return True
    try:
        return bool(left == right)
    except Exception:  # arrays, and whatever else the tools of others take and answer with
        return False
