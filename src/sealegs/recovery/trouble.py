"""One call in trouble, and the episode that it stands in: what every policy is given."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from sealegs.faults.call import Call, Outcome, Wait
from sealegs.faults.spec import ToolSpec
from sealegs.inject.seat import Act, Seat
from sealegs.recovery.budget import Budget, Purse
from sealegs.recovery.nature import Nature, nature
from sealegs.recovery.safety import may_repeat
from sealegs.recovery.signature import Signature

Steps = Generator[Call | Wait, Outcome, "Trouble"]


class Examiner(Protocol):
    """Who looks at outcomes."""

    def __call__(self, call: Call, outcome: Outcome) -> Signature | None:
        """The signature of what is wrong; None where nothing is."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """A call of the agent's, and how it stands with it.

    Attributes:
        call: as the agent made it.
        attempt: the call that was last made for it.
        outcome: what the agent would be shown now.
        signature: what is wrong with it; None once it is well.
        made: further calls so far.
    """

    call: Call
    attempt: Call
    outcome: Outcome
    signature: Signature | None
    made: int = 0

    @property
    def over(self) -> bool:
        """Whether nothing is wrong any more."""
        return self.signature is None

    @property
    def nature(self) -> Nature:
        """What kind of help it asks for."""
        return "unknown" if self.signature is None else nature(self.signature)


class Ward:
    """The episode as policies see it: what is known of its tools, what may still be spent, and calls made for them.

    Attributes:
        seat: the place in the session.
        purse: what was spent.
    """

    def __init__(self, seat: Seat, budget: Budget, examine: Examiner) -> None:
        self.seat = seat
        self.purse = Purse(budget)
        self._examine = examine
        self._began: set[str] = set()

    def spec(self, tool: str) -> ToolSpec | None:
        """What is known of a tool."""
        return self.seat.specs.get(tool)

    def may_repeat(self, trouble: Trouble) -> bool:
        """Whether the last attempt may be made once more without doing something twice."""
        assert trouble.signature is not None
        return may_repeat(self.spec(trouble.attempt.tool), trouble.signature)

    def attempt(
        self, trouble: Trouble, policy: str, action: str, tool: str, arguments: Mapping[str, Any], detail: str = ""
    ) -> Steps:
        """Make one further call. The budget must have been asked."""
        self._begin(trouble)
        call = Call(tool, arguments, f"{trouble.call.id}.{trouble.made + 1}")
        self.purse.spend(tool)
        outcome = yield call
        self.seat.tell(Act(trouble.call, policy, action, call, outcome, detail))
        return replace(
            trouble, attempt=call, outcome=outcome, signature=self._examine(call, outcome), made=trouble.made + 1
        )

    def wait(self, seconds: float) -> Generator[Call | Wait, Outcome, None]:
        """Let time pass, at the cost of the budget."""
        self.purse.wait(seconds)
        yield Wait(seconds)

    def answer(
        self,
        trouble: Trouble,
        policy: str,
        action: str,
        outcome: Outcome,
        detail: str = "",
        *,
        mended: bool = False,
    ) -> Trouble:
        """Answer the agent's call with this. `mended`: it is the last attempt's own answer put right."""
        self._begin(trouble)
        self.seat.tell(Act(trouble.call, policy, action, None, outcome, detail, mended))
        signature = self._examine(trouble.attempt, outcome) if mended else None
        return replace(trouble, outcome=outcome, signature=signature)

    def remark(self, trouble: Trouble, policy: str, action: str, outcome: Outcome | None, detail: str) -> Trouble:
        """Note something, and show the agent this in the outcome's place; what is wrong stays wrong."""
        self._begin(trouble)
        self.seat.tell(Act(trouble.call, policy, action, None, outcome, detail))
        return trouble if outcome is None else replace(trouble, outcome=outcome)

    def _begin(self, trouble: Trouble) -> None:
        """Before anything is done about a call, note what came of it."""
        if trouble.call.id in self._began:
            return
        self._began.add(trouble.call.id)
        if trouble.made == 0 and trouble.attempt is trouble.call:
            self.seat.tell(Act(trouble.call, "", "tried", trouble.call, trouble.outcome))
