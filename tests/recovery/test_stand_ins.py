"""An action that another tool did: its answer says so."""

from __future__ import annotations

from typing import Any

import pytest

from sealegs.faults.call import Call, Failure, Outcome, Value
from sealegs.faults.spec import ToolSpec
from sealegs.inject import Session, VirtualClock
from sealegs.recovery.layer import RecoveryLayer
from sealegs.recovery.policies import Alternative, AlternativeStep, CallArgument, StepField, Switch
from sealegs.recovery.policies.switch import done_by_another

GONE = Failure("Not Implemented", "NotImplemented", 501, unsent=True)
DECLARED = [ToolSpec("pay", effects=True), ToolSpec("wire", effects=True), ToolSpec("look", effects=False)]
DECLARED += [ToolSpec("rate", effects=False), ToolSpec("quote", effects=False)]


class Bank:
    """A session with one alternative for `pay` and one for `rate`, both of which never work."""

    def __init__(self, specs: list[ToolSpec]) -> None:
        ways = [
            Alternative(tool, (AlternativeStep(other, {"n": CallArgument("n")}),), {"id": StepField(0, "id")})
            for tool, other in (("pay", "wire"), ("rate", "quote"))
        ]
        self.made: list[tuple[str, Any]] = []
        self.broken = True
        self.session = Session(
            layers=[RecoveryLayer(Switch(ways))],
            specs=specs,
            others={"wire": self.run, "quote": self.run},
            clock=VirtualClock(),
        )

    def run(self, call: Call) -> Outcome:
        if call.tool in ("pay", "rate") and self.broken:
            return GONE
        self.made.append((call.tool, call.arguments.get("n")))
        return Value({"id": f"{call.tool} {len(self.made)}"})

    def call(self, tool: str, n: int) -> Any:
        outcome = self.session.call(tool, {"n": n}, self.run)
        return outcome.value if isinstance(outcome, Value) else outcome


def test_an_action_that_another_tool_did_says_so() -> None:
    bank = Bank(DECLARED)
    note = "wire did this in place of pay. It is done: do not ask for it again."
    assert bank.call("pay", 5) == {"id": "wire 1", "recovery_note": note}


def test_an_equal_call_is_another_one() -> None:
    """Two users of one proxy may want the same, and their calls differ in nothing."""
    bank = Bank(DECLARED)
    assert [bank.call("pay", 5)["id"], bank.call("pay", 5)["id"]] == ["wire 1", "wire 2"]
    bank.broken = False
    assert bank.call("pay", 5) == {"id": "pay 3"}


@pytest.mark.parametrize("specs", [DECLARED, []])
def test_what_is_read_or_of_which_nothing_is_declared_has_no_note_and_is_asked_for_anew(specs: list[ToolSpec]) -> None:
    bank = Bank(specs)
    assert [bank.call("rate", 5), bank.call("rate", 5)] == [{"id": "quote 1"}, {"id": "quote 2"}]


def test_only_such_an_answer_need_not_have_what_is_declared() -> None:
    assert done_by_another(Bank(DECLARED).call("pay", 5))
    for other in (
        {"recovery_note": "Wait and try again."},
        {"note": "x did this in place of pay"},
        " did this in place of ",
        None,
        GONE,
    ):
        assert not done_by_another(other)
