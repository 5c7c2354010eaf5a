"""The check of the statements about an eval's tools: nothing where all is true, and each wrong statement by name."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from tests import needs

pytest.importorskip("inspect_ai", reason=needs.module("inspect_ai"))

from inspect_ai.tool import Tool, ToolError, tool
from inspect_ai.util import store

from sealegs.suites.inspect_eval.foreign_environments import SolvedSample
from sealegs.suites.inspect_eval.knowledge import EvalKnowledge
from sealegs.suites.inspect_eval.knowledge_check import check_named, wrong_statements
from sealegs.suites.inspect_eval.reference_calls import ReferenceCall


@tool
def see_bed() -> Tool:
    async def execute(bed: str) -> str:
        """See what is in a bed.

        Args:
            bed: its name.
        """
        store().set("looks", store().get("looks", 0) + 1)
        return json.dumps({"bed": bed, "plants": store().get("beds")[bed], "height": 3})

    return execute


@tool
def plant() -> Tool:
    async def execute(bed: str, seed: str) -> str:
        """Plant a seed.

        Args:
            bed: where.
            seed: what.
        """
        beds = store().get("beds")
        store().set("beds", {**beds, bed: [*beds[bed], {"seed": seed}]})
        return json.dumps({"bed": bed, "seed": seed})

    return execute


@tool
def water() -> Tool:
    async def execute(bed: str) -> str:
        """Water a bed.

        Args:
            bed: its name.
        """
        store().set("wet", sorted({*store().get("wet", ()), bed}))
        return f"{bed} is wet"

    return execute


@tool
def clear() -> Tool:
    async def execute(bed: str) -> str:
        """Clear a bed.

        Args:
            bed: its name.
        """
        if not store().get("beds")[bed]:
            raise ToolError(f"{bed} is empty")
        store().set("beds", {**store().get("beds"), bed: []})
        return f"{bed} is cleared"

    return execute


class Garden:
    """An eval of four tools; the fourth is in no solution."""

    def samples(self) -> Sequence[SolvedSample]:
        calls = (
            ReferenceCall("see_bed", {"bed": "north"}),
            ReferenceCall("plant", {"bed": "north", "seed": "leek"}),
            ReferenceCall("water", {"bed": "north"}),
        )
        return [SolvedSample("1", calls, None), SolvedSample("2", calls[1:], None)]

    def tools(self, by: str) -> Sequence[Tool]:
        return () if by == "user" else [see_bed(), plant(), water(), clear()]

    async def prepare(self, sample: SolvedSample) -> None:
        store().set("beds", {"north": [], "south": [{"seed": "kale"}]})

    def settle(self) -> None:
        pass


SEEN = {
    "type": "object",
    "required": ["bed", "plants", "height"],
    "properties": {"bed": {"type": "string"}, "plants": {"type": "array"}},
}
LOOK: dict[str, Any] = {
    "tool": "see_bed",
    "arguments": {"bed": {"given": "bed"}},
    "done": {"entries": "plants", "where": {"seed": {"given": "seed"}}},
    "answer": {"bed": {"given": "bed"}, "seed": {"entry": "seed"}},
}
TRUE: dict[str, dict[str, Any]] = {
    "see_bed": {
        "acts": False,
        "returns": SEEN,
        "invariants": [{"echo": {"argument": "bed", "field": "bed"}}, {"bounds": {"field": "height", "minimum": 0}}],
    },
    "plant": {"acts": True, "again": "done again", "shown_by": LOOK},
    "water": {"acts": True, "again": "no effect"},
    "clear": {"acts": True, "again": "refused", "examples": [{"arguments": {"bed": "south"}}]},
}


def known(tools: dict[str, dict[str, Any]], **more: Any) -> EvalKnowledge:
    return EvalKnowledge.model_validate({"tasks": ["garden"], "bookkeeping": ["looks"], "tools": tools, **more})


def changed(name: str, **settings: Any) -> dict[str, dict[str, Any]]:
    return {**TRUE, name: {**TRUE[name], **settings}}


async def test_what_is_true_is_let_pass() -> None:
    assert await wrong_statements(known(TRUE), Garden()) == []


WRONG: dict[str, tuple[dict[str, dict[str, Any]], str]] = {
    "a read that acts": (
        {**TRUE, "water": {"acts": False}},
        "water: `acts: false`, but water(bed='north') changed the state",
    ),
    "an action that only reads": (
        {**TRUE, "see_bed": {"acts": True}, "plant": {"acts": True, "again": "done again"}},
        "see_bed: `acts: true`, but no call of it changed the state",
    ),
    "done again, and it is not": (changed("water", again="done again"), "water: `again: done again`, but no second"),
    "no effect, and it has one": (
        changed("plant", again="no effect"),
        "plant: `again: no effect`, but a second plant(",
    ),
    "refused, and it is done": (changed("plant", again="refused"), "plant: `again: refused`, but a second plant("),
    "refused, and it is answered": (changed("water", again="refused"), "water: `again: refused`, but a second water("),
    "no effect, and it is refused": (
        changed("clear", again="no effect"),
        "clear: `again: no effect`, but a second clear(bed='south') was refused",
    ),
    "a look that sees nothing": (
        changed("plant", shown_by={**LOOK, "done": {"path": "height", "equals": {"fixed": 4}}, "answer": {}}),
        "plant: see_bed does not show plant(",
    ),
    "a look that sees what is not there": (
        changed("plant", shown_by={**LOOK, "done": {"path": "height", "equals": {"fixed": 3}}, "answer": {}}),
        "plant: see_bed shows plant(bed='north', seed='leek') as done before the call was made",
    ),
    "a look that fails": (
        changed("plant", shown_by={**LOOK, "arguments": {"bed": {"fixed": "nowhere"}}}),
        "plant: see_bed does not show plant(",
    ),
    "a look with another answer": (
        changed("plant", shown_by={**LOOK, "answer": {"bed": {"given": "bed"}}}),
        "plant: the answer that see_bed gives in place of plant(",
    ),
    "an invariant that does not hold": (
        changed("see_bed", invariants=[{"bounds": {"field": "height", "maximum": 2}}]),
        "see_bed: the right answer of see_bed(bed='north') breaks a statement of the file",
    ),
    "a schema that does not hold": (
        changed("see_bed", returns={"type": "object", "required": ["depth"]}),
        "see_bed: the right answer of see_bed(bed='north') breaks a statement of the file",
    ),
    "an invariant that nothing can break": (
        changed("see_bed", invariants=[{"bounds": {"field": "depth", "minimum": 0}}]),
        "see_bed: no statement detects an answer that physics_violation made wrong",
    ),
    "a tool of which nothing is shown": (
        {**TRUE, "clear": {"acts": True, "again": "refused"}},
        "clear: no call of it was answered, so nothing could be checked; give `examples`",
    ),
    "a tool that is missing": (
        {name: tool for name, tool in TRUE.items() if name != "water"},
        "water: the file does not mention this tool of the agent",
    ),
    "a tool that is not there": ({**TRUE, "dig": {}}, "dig: the agent has no such tool"),
}


@pytest.mark.parametrize(("tools", "message"), WRONG.values(), ids=WRONG.keys())
async def test_each_wrong_statement_is_found(tools: dict[str, dict[str, Any]], message: str) -> None:
    problems = await wrong_statements(known(tools), Garden())
    assert [problem for problem in problems if problem.startswith(message)], problems
    assert {problem.partition(":")[0] for problem in problems} == {message.partition(":")[0]}  # and nothing else


async def test_bookkeeping_is_no_part_of_the_state() -> None:
    problems = await wrong_statements(known(TRUE, bookkeeping=[]), Garden())
    assert [one for one in problems if one.startswith("see_bed: `acts: false`, but")]


async def test_alternatives_are_tried() -> None:
    way = {
        "tool": "plant",
        "steps": [{"tool": "see_bed", "arguments": {"bed": {"given": "bed"}}}],
        "answer": {"bed": {"step": 0, "path": "bed"}, "seed": {"step": 0, "path": "height"}},
    }
    (untried,) = await wrong_statements(known(TRUE, alternatives=[way]), Garden())
    assert untried.startswith("plant: its alternative cannot be tried without an example")
    tried = changed("plant", examples=[{"arguments": {"bed": "south", "seed": "leek"}}])
    (wrong,) = await wrong_statements(known(tried, alternatives=[way]), Garden())
    assert wrong.startswith("plant: its alternative gives {'bed': 'south', 'seed': 3}")


async def test_a_tool_without_statements_is_not_judged() -> None:
    assert await wrong_statements(known({**TRUE, "clear": {}, "water": {"acts": "unknown"}}), Garden()) == []


def test_the_command_names_what_it_does_not_know(capsys: pytest.CaptureFixture[str]) -> None:
    assert check_named(["no_such_eval"]) == 2
    assert "'no_such_eval' is not the name of a shipped knowledge file" in capsys.readouterr().err
