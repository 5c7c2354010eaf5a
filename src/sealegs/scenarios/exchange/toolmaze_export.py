"""Our tasks and records in the published form."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from sealegs.faults.call import render
from sealegs.scenarios.moments import PUBLISHED
from sealegs.scenarios.perturbation import victims
from sealegs.scenarios.scenario import Scenario
from sealegs.scenarios.task_sets import TaskSet
from sealegs.scoring.task_progress import node_of
from sealegs.tasks import ExpectedStep, Task
from sealegs.tasks.graph import Deliverable, Graph, Group
from sealegs.traces import Record, Turn
from sealegs.traces.events import outcome_data
from sealegs.world.recorded_tools import recordings_of
from sealegs.world.reference_runs import Choice, run_branches


def export_task(episode: Scenario) -> dict[str, Any]:
    """One episode's task in the published form. Its victims are marked in the paths that hold them."""
    task, chosen = episode.base, episode.set
    targets = [step.tool for slot in episode.slots for step in victims(task.graph, slot.node)]
    paths = [_path(task, chosen, choice, number, targets) for number, choice in enumerate(_choices(task.graph), 1)]
    return {
        "task_id": task.id,
        "template_id": task.id,
        "complexity": task.level,
        "perturbation_mode": episode.mode,
        "task_description": "; ".join(d.label for d in task.deliverables),
        "user_input": task.request,
        "execution_trace": paths[0]["execution_trace"],
        "valid_paths": paths,
        "alternative_tools": _alternatives(task.graph),
        "perturbation_target": targets,
        "sealegs": {**_extra(task, chosen), **_actions(episode)},
    }


def export_trace(record: Record, episode: Scenario) -> dict[str, Any]:
    """One record in the published form: the agent's calls, what it read, its answer."""
    messages: list[dict[str, Any]] = []
    for number, turn in enumerate(record.own, 1):
        id, name = f"call_{number}", turn.call.tool
        call = {"id": id, "name": name, "arguments": dict(turn.call.arguments), **_deed(turn, episode)}
        messages.append({"role": "assistant", "type": "tool_call", "tool_call": call})
        if turn.seen is not None:
            messages.append({"role": "tool", "call_id": id, "name": name, "content": render(turn.seen)})
    if record.answer is not None:
        messages.append({"role": "assistant", "type": "final_answer", "content": record.answer})
    return {"task_id": episode.task, "mode": episode.mode, "messages": messages}


def task_files(episodes: Sequence[Scenario]) -> dict[str, str]:
    """Each task under each mode as a file, by name."""
    forms = {f"{episode.task}_{episode.mode}.json": export_task(episode) for episode in episodes if episode.epoch == 1}
    return {name: json.dumps(form, indent=1, ensure_ascii=False) + "\n" for name, form in forms.items()}


def trace_files(records: Mapping[Scenario, Record]) -> dict[str, str]:
    """Each record as a file, by name; further epochs have a number."""
    names = {e: f"{e.task}_{e.mode}" if e.epoch == 1 else f"{e.task}_{e.epoch}_{e.mode}" for e in records}
    forms = {f"{names[episode]}.json": export_trace(record, episode) for episode, record in records.items()}
    return {name: json.dumps(form, indent=1, ensure_ascii=False) + "\n" for name, form in forms.items()}


def _choices(graph: Graph) -> list[Choice]:
    options = [range(len(group.branches)) for group in graph.groups]
    return [dict(zip((g.id for g in graph.groups), chosen, strict=True)) for chosen in product(*options)]


def _path(task: Task, chosen: TaskSet, choice: Choice, number: int, targets: list[str]) -> dict[str, Any]:
    done = run_branches(task.graph, task.inputs, chosen.corpus(task.id), choice)
    steps = [_step(task.graph.steps[id].tool, expected, targets) for id, expected in done.items()]
    for place, step in enumerate(steps, 1):
        step["step_id"] = place
    return {"path_id": number, "tools": [step["tool_name"] for step in steps], "execution_trace": steps}


def _step(tool: str, expected: ExpectedStep, targets: list[str]) -> dict[str, Any]:
    given = {name: value for name, value in expected.arguments.items() if expected.defaults.get(name, _NONE) != value}
    output = json.loads(json.dumps(expected.output))
    facts = {"tool_name": tool, "tool_arguments": given, "expected_output": output}
    return {"step_id": 0, **facts, "is_perturbed": tool in targets}


_NONE = object()


def _alternatives(graph: Graph) -> dict[str, list[list[str]]]:
    """The branches that can stand in for each tool's own, for each tool of a group."""
    found: dict[str, list[list[str]]] = {}
    for step in graph.walk():
        if step.id in graph.home:
            group, own = graph.home[step.id]
            found[step.tool] = [[s.tool for s in branch.steps] for branch in group.branches if branch is not own]
    return found


def _extra(task: Task, chosen: TaskSet) -> dict[str, Any]:
    right, tools = chosen.right_run(task.id).steps, chosen.corpus(task.id).tools
    steps = [(step, right[step.id]) for step in task.graph.walk()]
    return {
        "deliverables": [{"label": d.label, "sources": _sources(task.graph, d)} for d in task.deliverables],
        "defaults": {step.tool: dict(expected.defaults) for step, expected in steps if expected.defaults},
        "free_text": {step.tool: sorted(expected.free_text) for step, expected in steps if expected.free_text},
        "effects": {step.tool: recordings_of(expected.effects) for step, expected in steps if expected.effects},
        "descriptions": {step.tool: tools[step.tool].description for step, _ in steps},
    }


def _actions(episode: Scenario) -> dict[str, Any]:
    """The actions that may be done although they failed; nothing under the published protocol, where none is."""
    graph, risks = episode.base.graph, episode.risks
    steps = {graph.steps[id].tool: id for id in risks}
    return {
        "actions": {
            name: {
                "shown_by": spec.shown_by,
                "idempotent": spec.idempotent,
                "key": spec.key,
                "at": risks[steps[name]].moment if name in steps else None,
            }
            for name, spec in episode.actions.items()
        }
    }


def _deed(turn: Turn, episode: Scenario) -> dict[str, Any]:
    """The facts of a call that a trace alone does not show; none under the published protocol, where it shows all."""
    if episode.moment == PUBLISHED:
        return {}
    injection = next((injection for injection in turn.injections if injection.delivered), None)
    deed: dict[str, Any] = {
        "said": None if turn.said is None else outcome_data(turn.said),
        "effects": recordings_of(turn.effects),
    }
    if injection is not None:
        deed |= {"struck": True, "implicit": injection.implicit, "moment": injection.moment}
    return {"sealegs": deed}


def _sources(graph: Graph, deliverable: Deliverable) -> list[str]:
    node = graph.by_id[deliverable.source.node]
    if not isinstance(node, Group):
        return [f"{graph.steps[node.id].tool}:{deliverable.source.path}"]
    fields = [branch.exports[deliverable.source.path] for branch in node.branches]
    return [f"{graph.steps[field.node].tool}:{field.path}" for field in fields]


def nodes_of(targets: tuple[str, ...], graph: Graph) -> Mapping[str, tuple[str, ...]]:
    """The targets of each node of the graph that holds any."""
    found: dict[str, tuple[str, ...]] = {}
    for tool in targets:
        if tool in graph.step_of:
            node = node_of(graph.step_of[tool], graph)
            found[node] = (*found.get(node, ()), tool)
    return found
