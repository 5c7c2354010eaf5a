"""Branches of a group mixed by an agent: right where everything is delivered, and never by luck."""

from collections.abc import Sequence
from typing import Any

from sealegs.faults.call import Call, Value
from sealegs.scenarios.task_sets import base_tasks, task_set
from sealegs.scoring import Case, judge
from sealegs.scoring.task_progress import node_done
from sealegs.traces import EpisodeEnded, Record, Turn

TASK = base_tasks()["c3-02"]  # quote and convert, or price history, exchange rate and amount at that rate
RIGHT = task_set().right_run("c3-02")
GROUP = TASK.graph.groups[0]


def played(tools: Sequence[str]) -> Record:
    turns = []
    for number, tool in enumerate(tools):
        expected = RIGHT.steps[TASK.graph.step_of[tool].id]
        shown = Value(expected.output)
        turns.append(Turn(Call(tool, expected.arguments, str(number)), shown, shown, (), expected.effects))
    lines: list[Any] = [f"{d.label}: {v}" for d, v in zip(TASK.deliverables, RIGHT.deliverables, strict=True)]
    return Record("mixed", {}, tuple(turns), "\n".join([*lines, "Status: complete"]), EpisodeEnded("answered"))


def success(tools: Sequence[str]) -> bool:
    return judge(played(tools), Case(TASK, RIGHT, "NP")).success


def in_order(tools: Sequence[str]) -> list[str]:
    """Tools of the group among those outside, as the data allow."""
    outside = [node.id for node in TASK.graph.nodes]
    place = outside.index(GROUP.id)
    before = [TASK.graph.steps[id].tool for id in outside[:place]]
    return [*before, *tools, *(TASK.graph.steps[id].tool for id in outside[place + 1 :])]


def test_both_branches_and_their_mixtures_are_right() -> None:
    assert [[step.tool for step in branch.steps] for branch in GROUP.branches] == [
        ["security_quote", "convert_currency"],
        ["price_history", "exchange_rate", "amount_at_rate"],
    ]
    assert success(in_order(["security_quote", "convert_currency"]))
    assert success(in_order(["price_history", "exchange_rate", "amount_at_rate"]))
    assert success(in_order(["security_quote", "exchange_rate", "amount_at_rate"]))
    assert success(in_order(["price_history", "convert_currency"]))


def test_what_lacks_a_part_is_not_done() -> None:
    assert not success(in_order(["security_quote", "exchange_rate"]))
    assert not success(in_order(["convert_currency"]))
    assert not success(in_order(["exchange_rate", "amount_at_rate"]))


def test_a_right_result_on_missing_input_is_luck() -> None:
    ids = {step.tool: step.id for branch in GROUP.branches for step in branch.steps}
    assert not node_done(GROUP, frozenset({ids["amount_at_rate"], ids["exchange_rate"]}), RIGHT)
    assert not node_done(GROUP, frozenset({ids["amount_at_rate"], ids["security_quote"]}), RIGHT)
    assert node_done(GROUP, frozenset({ids["amount_at_rate"], ids["exchange_rate"], ids["security_quote"]}), RIGHT)
