"""A look, or another tool, that a recovery plan names and that is not there: it is reported, and never called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sealegs import wrap
from sealegs.adapters.mcp import Gate
from sealegs.faults.call import Call, Failure, Outcome
from sealegs.inject import Session, VirtualClock
from sealegs.recovery.recovery_plan import RecoveryPlan


def plan_of(action: str, look: str) -> RecoveryPlan:
    """The names are of this test alone, for a message is logged once in a process."""
    verify = {"tool": look, "done": {"path": "a", "exists": True}}
    return RecoveryPlan.model_validate(
        {
            "tools": {action: {"effects": True, "verify": verify}},
            "alternatives": [
                {
                    "tool": f"{action}_rate",
                    "steps": [{"tool": f"{look}_rate"}],
                    "answer": {"a": {"step": 0, "path": "a"}},
                }
            ],
        }
    )


def listing(*names: str, **more: Any) -> dict[str, Any]:
    return {"result": {"tools": [{"name": name} for name in names], **more}}


def test_a_list_of_a_server_that_lacks_it(caplog: pytest.LogCaptureFixture) -> None:
    made: list[str] = []

    def run(call: Call) -> Outcome:
        made.append(call.tool)
        return Failure("it may have been done", "Timeout")

    gate = Gate(layers=[plan_of("pay_a", "nowhere_a").layer()], clock=VirtualClock())
    gate.tools.learn(listing("pay_a", nextCursor="2"))
    assert not caplog.messages  # there may be more
    gate.tools.learn(listing("pay_a_rate"), "2")
    gate.tools.learn(listing("pay_a", "pay_a_rate"))
    there = "there is no such tool here; it is never called. The tools are: pay_a, pay_a_rate"
    assert caplog.messages == [
        f"the recovery plan names nowhere_a to verify pay_a, but {there}",
        f"the recovery plan names nowhere_a_rate to stand in for pay_a_rate, but {there}",
    ]
    gate.session.call("pay_a", {}, run)
    gate.session.call("pay_a_rate", {}, run)
    assert set(made) == {"pay_a", "pay_a_rate"}


def test_a_list_that_comes_before_any_call_is_a_mistake() -> None:
    gate = Gate(layers=[plan_of("pay_e", "nowhere_e").layer()], clock=VirtualClock())
    ended: list[str] = []
    gate.end_on_mistake(lambda: ended.append(str(gate.mistake)))
    gate.tools.learn(listing("pay_e", nextCursor="2"))
    assert not ended
    gate.tools.learn(listing(nextCursor=""), "2")
    assert not ended, "an empty cursor is one"
    gate.tools.learn(listing(), "")
    there = "there is no such tool here. The tools are: pay_e"
    assert ended == [f"the recovery plan names nowhere_e to verify pay_e, but {there}"]


def test_a_list_that_has_it_or_is_not_whole(caplog: pytest.LogCaptureFixture) -> None:
    gate = Gate(layers=[plan_of("pay_b", "nowhere_b").layer()], clock=VirtualClock())
    gate.tools.learn(listing("pay_b"), "unknown")
    gate.tools.learn({"error": {"code": 1, "message": "no"}})
    gate.tools.learn(listing("pay_b", "nowhere_b"))
    gate.tools.learn(listing("other_b"))
    assert not caplog.messages


@pytest.mark.parametrize("service", [False, True])
def test_wrapped_tools_that_lack_it(service: bool, caplog: pytest.LogCaptureFixture) -> None:
    name = f"pay_c{service}"
    plan = plan_of(name, "nowhere_c")
    session = Session(layers=[plan.service() if service else plan.layer()], clock=VirtualClock())
    tools: dict[str, Callable[[], Any]] = wrap({name: lambda: "paid", "look_c": lambda: {}}, session)
    assert not caplog.messages
    assert tools[name]() == tools[name]() == "paid"
    (message,) = caplog.messages
    assert message.startswith(f"the recovery plan names nowhere_c to verify {name}, but there is no such tool")
    assert message.endswith(f"The tools are: look_c, {name}")


def test_wrapped_tools_that_have_it(caplog: pytest.LogCaptureFixture) -> None:
    session = Session(layers=[plan_of("pay_d", "look_d").layer()], clock=VirtualClock())
    tools: dict[str, Callable[[], Any]] = wrap({"pay_d": lambda: "paid", "look_d": lambda: {}}, session)
    assert tools["pay_d"]() == "paid"
    assert not caplog.messages
