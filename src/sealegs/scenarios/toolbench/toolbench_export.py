"""Our own tasks as trajectories in the format of ToolBench."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sealegs.agents.arms.toolbench_arm import tool_entry
from sealegs.agents.scripted_agent import format_value
from sealegs.scenarios.scenario import scenario_tools
from sealegs.scenarios.task_sets import task_set
from sealegs.scenarios.toolbench.toolbench_format import ObservedCall, ToolBenchTrajectory, conversation_data
from sealegs.tasks.editions import CANARY, CANARY_FIELD
from sealegs.world.reference_runs import run_branches

TASKS = tuple(f"c1-{number:02d}" for number in range(1, 21))
BESIDE = 2  # tools in the list that the task does not need


def trajectory_of(task: str, seed: int = 0) -> ToolBenchTrajectory:
    """A right run of a task of `maze` without faults."""
    base, corpus = task_set().tasks[task], task_set().corpus(task)
    steps = []
    for id, expected in run_branches(base.graph, base.inputs, corpus, {}).items():
        step = base.graph.steps[id]
        given = {name: value for name, value in expected.arguments.items() if name in step.arguments}
        steps.append(ObservedCall(_named(step.tool, corpus.tools[step.tool].domain), given, expected.output))
    values = task_set().right_run(task).deliverables
    lines = [f"{d.label}: {format_value(value)}" for d, value in zip(base.deliverables, values, strict=True)]
    used = {step.tool for step in base.graph.walk()}
    others = [spec for spec in scenario_tools(task, seed, looks=False) if spec.name not in used][:BESIDE]
    specs = [spec for spec in scenario_tools(task, seed, looks=False) if spec.name in used or spec in others]
    tools = tuple(_entry(tool_entry(spec), _named(spec.name, corpus.tools[spec.name].domain)) for spec in specs)
    return ToolBenchTrajectory(f"tb-{task}", base.request, tools, tuple(steps), "; ".join(lines) + ".", False)


def _entry(entry: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """An entry of the list of tools, without the titles that say a field's name once more."""
    fields = entry["parameters"].get("properties", {})
    bare = {field: {k: v for k, v in about.items() if k != "title"} for field, about in fields.items()}
    return {**entry, "name": name, "parameters": {**entry["parameters"], "properties": bare}}


def _named(tool: str, domain: str) -> str:
    """A name as the format likes them."""
    return f"{tool}_for_{domain}_api"


def conversation_of(task: str) -> Mapping[str, Any]:
    """The same as the format has it."""
    found = trajectory_of(task)
    thoughts = [f"I call {step.tool} for what the request needs next." for step in found.steps]
    return {**conversation_data(found, thoughts), CANARY_FIELD: CANARY}
