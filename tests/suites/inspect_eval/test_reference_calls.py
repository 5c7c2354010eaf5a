"""How reference agents make their calls: once, or again where that does no harm."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests import needs

pytest.importorskip("inspect_ai", reason=needs.module("inspect_ai"))

from inspect_ai.model import ChatMessage, ChatMessageTool
from inspect_ai.tool import Tool, ToolError, tool

from sealegs.adapters.bridge import exception_text
from sealegs.faults.call import Failure
from sealegs.faults.user_error import UserError
from sealegs.suites.inspect_eval.knowledge import EvalKnowledge
from sealegs.suites.inspect_eval.reference_agents import REFERENCE_AGENTS, reference_solver
from sealegs.suites.inspect_eval.reference_calls import CarefulCaller, ReferenceCall, ReferenceCaller

BUSY = exception_text(Failure("Service Temporarily Unavailable", type="ServiceUnavailable", status=503))
GONE = exception_text(Failure("Tool Permanently Removed", type="Gone", status=410))
PAY = ReferenceCall("pay", {"to": "Ann", "amount": 5})
KNOWN = EvalKnowledge.model_validate(
    {
        "tasks": ["bank"],
        "tools": {
            "payments": {"acts": False},
            "pay": {
                "acts": True,
                "again": "done again",
                "shown_by": {"tool": "payments", "done": {"entries": "", "where": {"to": {"given": "to"}}}},
            },
            "tip": {"acts": True, "again": "done again"},
            "name": {"acts": True, "again": "no effect"},
            "guess": {},
        },
    }
)


class Bank:
    """Tools that fail by a script: each word is one call's fate, `lost` being a payment whose answer is."""

    def __init__(self, **fates: str) -> None:
        self._fates = {name: words.split() for name, words in fates.items()}
        self.done: list[str] = []

    def _say(self, name: str, what: str) -> str:
        fate = self._fates[name].pop(0) if self._fates.get(name) else "well"
        if fate in ("well", "lost"):
            self.done.append(name)
        if fate == "well":
            return what
        raise ToolError({"lost": BUSY, "busy": BUSY, "gone": GONE}.get(fate, fate))

    def tools(self) -> list[Tool]:
        @tool
        def pay() -> Tool:
            async def execute(to: str, amount: int) -> str:
                """Pay.

                Args:
                    to: whom.
                    amount: how much.
                """
                return self._say("pay", "paid")

            return execute

        @tool
        def payments() -> Tool:
            async def execute() -> str:
                """List payments."""
                listed = json.dumps([{"to": "Ann"} for one in self.done if one == "pay"])
                return self._say("payments", listed)

            return execute

        def plain(called: str) -> Tool:
            @tool(name=called)
            def made() -> Tool:
                async def execute() -> str:
                    """Do it."""
                    return self._say(called, "done")

                return execute

            return made()

        return [pay(), payments(), plain("tip"), plain("name"), plain("guess")]


async def made(caller: ReferenceCaller, bank: Bank, wanted: ReferenceCall) -> tuple[str | None, list[str]]:
    """The category of what stopped the agent, and what it called."""
    messages: list[ChatMessage] = []
    failure = await caller.call(wanted, bank.tools(), messages)
    called = [message.function or "" for message in messages if isinstance(message, ChatMessageTool)]
    return failure and failure.category, called


async def test_gold_calls_once() -> None:
    bank = Bank(pay="busy")
    assert await made(ReferenceCaller(), bank, PAY) == ("transient", ["pay"])
    assert bank.done == []
    assert await made(ReferenceCaller(), Bank(pay="gone"), PAY) == ("permanent", ["pay"])


async def test_a_tools_own_refusal_is_passed_over() -> None:
    for caller in (ReferenceCaller(), CarefulCaller(KNOWN)):
        assert await made(caller, Bank(pay="Ann"), PAY) == (None, ["pay"])


@pytest.mark.parametrize("name", ["payments", "name"])
async def test_what_is_harmless_is_made_again(name: str) -> None:
    once = ReferenceCall(name)
    assert await made(CarefulCaller(KNOWN), Bank(**{name: "busy busy busy"}), once) == (None, [name] * 4)
    assert await made(CarefulCaller(KNOWN), Bank(**{name: "busy busy busy busy"}), once) == ("transient", [name] * 4)
    assert await made(CarefulCaller(KNOWN), Bank(**{name: "gone"}), once) == ("permanent", [name])


@pytest.mark.parametrize("name", ["tip", "guess"])
async def test_what_may_be_done_twice_is_not_made_again(name: str) -> None:
    bank = Bank(**{name: "lost"})
    assert await made(CarefulCaller(KNOWN), bank, ReferenceCall(name)) == ("transient", [name])
    assert bank.done == [name]


LOOKS: dict[str, tuple[dict[str, str], str | None, list[str], int]] = {
    "it was not done": ({"pay": "busy"}, None, ["pay", "payments", "pay"], 1),
    "it was done": ({"pay": "lost"}, None, ["pay", "payments"], 1),
    "not done, then done": ({"pay": "busy lost"}, None, ["pay", "payments", "pay", "payments"], 1),
    "the look fails in passing": ({"pay": "lost", "payments": "busy"}, None, ["pay", "payments", "payments"], 1),
    "the look is gone": ({"pay": "busy", "payments": "gone"}, "transient", ["pay", "payments"], 0),
    "the look is refused": ({"pay": "busy", "payments": "closed"}, "transient", ["pay", "payments"], 0),
}


@pytest.mark.parametrize(("fates", "stopped", "called", "paid"), LOOKS.values(), ids=LOOKS.keys())
async def test_an_action_is_looked_for_before_it_is_made_again(
    fates: dict[str, str], stopped: str | None, called: list[str], paid: int
) -> None:
    bank = Bank(**fates)
    assert await made(CarefulCaller(KNOWN), bank, PAY) == (stopped, called)
    assert bank.done.count("pay") == paid


def test_what_has_no_reference_agent_is_refused() -> None:
    with pytest.raises(UserError, match=r"garden has no reference agent.*tau2_airline"):
        reference_solver("garden", "gold")
    with pytest.raises(UserError, match=r"unknown reference agent 'silver'; choose from gold, gold-retrier"):
        reference_solver("inspect_evals/agentdojo", "silver")
    for agent in REFERENCE_AGENTS:
        made: Any = reference_solver("inspect_evals/agentdojo", agent)
        assert callable(made)
