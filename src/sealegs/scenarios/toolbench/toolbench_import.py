"""Trajectories as tasks that can be played: tools answered from the observations, results read off the final answer.

What the answer must contain is every telling value of an observation that the final answer says and the request does
not. Trajectories with one request are ways to one end: where they use other tools, the task has an alternative group.
Calls that failed in the trajectory are left out; an action's effects on the world are not in the format.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any

from sealegs.faults import paths
from sealegs.faults.spec import ToolSpec
from sealegs.scenarios.exchange.path_graph import InconsistentPaths
from sealegs.scenarios.exchange.toolmaze_format import DeliverableForm, ExtraForm, PathForm, StepForm, TaskForm
from sealegs.scenarios.exchange.toolmaze_import import Imported, import_task
from sealegs.scenarios.task_sets import TaskSet
from sealegs.scenarios.toolbench.toolbench_format import ObservedCall, ToolBenchTrajectory, trajectories_in
from sealegs.tasks.editions import contents_digest
from sealegs.tasks.value_matching import contains_value
from sealegs.world.corpus import Corpus
from sealegs.world.recorded_tools import RecordedTool, recorded_tool

MOST = 6  # results that an answer must give


@dataclass(frozen=True)
class ImportedTasks:
    """Tasks made of trajectories.

    Attributes:
        tasks: with their recorded tools.
        entries: by task and tool, the tool as the trajectory lists it.
        left_out: by trajectory, why it makes no task.
    """

    tasks: TaskSet
    entries: Mapping[str, Mapping[str, Mapping[str, Any]]]
    left_out: Mapping[str, str]

    def offered(self, task: str) -> tuple[ToolSpec, ...]:
        """The tools of a task as the agent sees them."""
        corpus, entries = self.tasks.corpus(task), self.entries[task]
        return tuple(_spec_as_given(tool.spec, entries.get(name, {})) for name, tool in corpus.tools.items())


def _spec_as_given(spec: ToolSpec, entry: Mapping[str, Any]) -> ToolSpec:
    parameters = entry.get("parameters") or spec.parameters
    return replace(spec, description=str(entry.get("description") or spec.description), parameters=parameters)


def import_trajectories(trajectories: Sequence[ToolBenchTrajectory]) -> ImportedTasks:
    """The tasks that trajectories make."""
    by_request: dict[str, list[ToolBenchTrajectory]] = {}
    for found in trajectories:
        by_request.setdefault(found.request, []).append(found)
    made: dict[str, Imported] = {}
    corpora: dict[str, Corpus] = {}
    entries: dict[str, dict[str, Mapping[str, Any]]] = {}
    left_out: dict[str, str] = {}
    for group in by_request.values():
        try:
            each = import_task([trajectory_task(group)])
        except (InconsistentPaths, UnusableTrajectory) as error:
            left_out |= {found.id: str(error) for found in group}
            continue
        entries[each.task.id] = {str(entry["name"]): entry for found in group for entry in found.tools}
        tools = {**each.corpus.tools}
        for name in entries[each.task.id]:
            # Offered and never called in the trajectory: it stays on offer, and refuses every call.
            if name not in tools:
                tools[name] = recorded_tool(RecordedTool(task=each.task.id, name=name, recordings=[]))
        made[each.task.id], corpora[each.task.id] = each, Corpus(tools, {})
    return ImportedTasks(TaskSet({name: each.task for name, each in made.items()}, corpora), entries, left_out)


class UnusableTrajectory(ValueError):
    """A trajectory that makes no task; the message says why."""


def trajectory_task(group: Sequence[ToolBenchTrajectory]) -> TaskForm:
    """Trajectories with one request as a task of the exchange format.

    Raises:
        UnusableTrajectory: one gave up or has no answer, none has a call that worked, or the answer says nothing
            observed.
    """
    first = group[0]
    # One such trajectory spoils all of its request: its calls would become a way to an end that they did not reach.
    if any(found.gave_up or not found.answer for found in group):
        raise UnusableTrajectory("it gave up, or has no final answer, so that nothing says what is right")
    ways = [[step for step in found.steps if not step.error] for found in group]
    if not all(ways):
        raise UnusableTrajectory("no call of it worked")
    # The first answer is enough: only what every way observed is taken from it.
    wanted = list(_deliverables(ways, first.answer, first.request))[:MOST]
    if not wanted:
        raise UnusableTrajectory("its final answer says no value that an observation holds")
    valid = [
        PathForm(path_id=place, tools=[step.tool for step in way], execution_trace=[_step(step) for step in way])
        for place, way in enumerate(ways)
    ]
    descriptions = {str(entry["name"]): str(entry.get("description", "")) for found in group for entry in found.tools}
    extra = ExtraForm(deliverables=wanted, descriptions=descriptions)
    return TaskForm(task_id=first.id, complexity="C1", user_input=first.request, valid_paths=valid, sealegs=extra)


def _step(step: ObservedCall) -> StepForm:
    return StepForm(tool_name=step.tool, tool_arguments=dict(step.arguments), expected_output=step.answer)


def _deliverables(ways: Sequence[Sequence[ObservedCall]], answer: str, request: str) -> Iterator[DeliverableForm]:
    """Values that are in the answer and in an observation of every way, but not in the request."""
    seen: list[Any] = []
    for step in ways[0]:
        for path, value in paths.leaves(step.answer):
            if (
                value in seen
                or not _telling(value)
                or contains_value(request, value)
                or not contains_value(answer, value)
            ):
                continue
            sources = [_source(way, value) for way in ways]
            if all(sources):
                seen.append(value)
                words = path.replace("_", " ").replace(".", " ")
                yield DeliverableForm(label=f"{words} of {step.tool}", sources=list(dict.fromkeys(map(str, sources))))


def _source(way: Sequence[ObservedCall], value: Any) -> str:
    """The place at which a way delivers the value first; empty where it does not."""
    for step in way:
        for path, other in paths.leaves(step.answer):
            if other == value:
                return f"{step.tool}:{path}"
    return ""


def _telling(value: Any) -> bool:
    if isinstance(value, bool) or value is None:
        return False
    if isinstance(value, (int, float)):
        return abs(value) >= 10 or not float(value).is_integer()
    return 2 < len(str(value)) <= 80


@cache
def shipped_trajectory_tasks(name: str) -> ImportedTasks:
    """The tasks of the trajectories that ship with the suite: `own`, of our world, or `foreign`."""
    text = resources.files("sealegs.scenarios.toolbench").joinpath(f"{name}.jsonl").read_text(encoding="utf-8")
    found = import_trajectories(trajectories_in(text, f"{name}.jsonl"))
    return replace(found, tasks=replace(found.tasks, digest=contents_digest([text.encode()])))
