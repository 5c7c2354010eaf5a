"""Under a plan of the user's own, a node's slot tells whether the tool that was struck there will ever work again."""

import json
from typing import Any

import pytest

from sealegs.engines.direct import play_scenario
from sealegs.scenarios.scenario import Scenario, faulted_slots
from sealegs.scenarios.task_sets import base_tasks
from sealegs.scoring import Slot, judge
from sealegs.traces import build_record

ONCE: dict[str, Any] = {"id": "once", "when": {"first": 1}, "fault": {"kind": "error", "status": 503}}
FOR_GOOD: dict[str, Any] = {
    "id": "for good",
    "when": {"nth": 2},
    "persistence": "permanent",
    "fault": {"kind": "error", "status": 500},
}
ALWAYS: dict[str, Any] = {"id": "always", "when": "always", "fault": {"kind": "error", "status": 500}}
LATE: dict[str, Any] = {"id": "late", "when": "always", "at_most": 1, "fault": {"kind": "error", "status": 500}}


@pytest.mark.parametrize(
    ("rules", "persistence"),
    [
        ([ONCE], "transient"),
        ([ONCE, LATE], "transient"),
        ([ONCE, FOR_GOOD], "permanent"),
        ([FOR_GOOD, ONCE], "permanent"),
        ([ONCE, ALWAYS], "permanent"),  # on the first call the outer one alone is delivered
    ],
)
def test_two_rules_on_one_node(rules: list[dict[str, Any]], persistence: str) -> None:
    task = next(task for task in base_tasks().values() if task.level == "C1")
    step = next(iter(task.graph.walk()))
    given = [{"match": {"tool": step.tool}, **rule} for rule in rules]
    episode = Scenario(task.id, "plan", own=json.dumps({"name": "mine", "rules": given}))
    found = build_record(play_scenario(episode, "retrier"))
    assert faulted_slots(episode, found) == (Slot(step.id, persistence),)  # type: ignore[arg-type]
    verdict = judge(found, episode.case(found))
    assert verdict.solvable is (persistence == "transient")


def test_faults_on_another_tool_of_the_group_say_nothing_of_the_victim() -> None:
    """The first tool comes back; that the second does not is not a reason to say that the first is gone."""
    task = next(task for task in base_tasks().values() if task.level == "C2")
    group = task.graph.groups[0]
    first, second = (branch.steps[0].tool for branch in group.branches[:2])
    twice = {**ONCE, "when": {"first": 2}}
    rules = [{"match": {"tool": first}, **twice}, {"match": {"tool": second}, **ALWAYS}]
    episode = Scenario(task.id, "plan", own=json.dumps({"name": "mine", "rules": rules}))
    found = build_record(play_scenario(episode, "planner"))
    faulted = [turn.call.tool for turn in found.turns if turn.faulted]
    assert (faulted[0], set(faulted)) == (first, {first, second})
    assert faulted_slots(episode, found) == (Slot(group.id, "transient"),)
