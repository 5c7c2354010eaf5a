"""The shipped files of knowledge, each statement run against the eval's own environment."""

from __future__ import annotations

from typing import Any

import pytest

from tests import needs

pytest.importorskip("inspect_evals", reason=needs.module("inspect_evals"))

from sealegs.suites.inspect_eval.foreign_environments import foreign_eval
from sealegs.suites.inspect_eval.knowledge import EvalKnowledge, shipped_knowledge
from sealegs.suites.inspect_eval.knowledge_check import wrong_statements

SHIPPED = shipped_knowledge()
TIMES = {"tau2_airline": 1, "tau2_retail": 1, "tau2_banking": 2}  # where a sample's environment takes long to make


@pytest.mark.parametrize("name", SHIPPED)
async def test_every_statement_is_true(name: str) -> None:
    assert await wrong_statements(SHIPPED[name], foreign_eval(name), TIMES.get(name, 4)) == []


MUTATIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "it acts": ("send_money", {"acts": False, "again": "unknown", "shown_by": None}),
    "again": ("send_money", {"again": "no effect"}),
    "no act": ("get_balance", {"acts": True}),
    "invariant": ("update_user_info", {"invariants": [{"echo": {"argument": "city", "field": "street"}}]}),
    "schema": ("get_user_info", {"returns": {"type": "object", "required": ["password"]}}),
    "look": (
        "send_money",
        {
            "shown_by": {
                "tool": "get_scheduled_transactions",
                "done": {"entries": "", "where": {"recipient": {"given": "recipient"}}},
            }
        },
    ),
}


@pytest.mark.parametrize(("tool", "change"), MUTATIONS.values(), ids=MUTATIONS.keys())
async def test_a_changed_file_is_found_out(tool: str, change: dict[str, Any]) -> None:
    data = SHIPPED["agentdojo_banking"].model_dump(exclude_unset=True)
    statements = {key: value for key, value in {**data["tools"][tool], **change}.items() if value is not None}
    mutated = EvalKnowledge.model_validate({**data, "tools": {**data["tools"], tool: statements}})
    problems = await wrong_statements(mutated, foreign_eval("agentdojo_banking"))
    assert problems
    assert {one.partition(":")[0] for one in problems} == {tool}
