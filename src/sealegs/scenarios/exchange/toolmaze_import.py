"""Published tasks as tasks of ours: a graph read back from the valid paths, tools answered from the records.

A tool's clean answer is the expected output of a step that is not marked as perturbed; where every record of it is
marked, the record is taken as it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from sealegs.scenarios.exchange.path_graph import GraphShape, InconsistentPaths, KnownTool, build_graph_shape
from sealegs.scenarios.exchange.toolmaze_format import StepForm, TaskForm
from sealegs.scenarios.task_sets import TASKS, TOOLS
from sealegs.tasks import Reference, Task
from sealegs.tasks.editions import CANARY, CANARY_FIELD
from sealegs.tasks.graph import Deliverable
from sealegs.tasks.levels import level_problems
from sealegs.tasks.validation import validate_graph
from sealegs.tasks.yaml_tasks import task_data
from sealegs.world.corpus import Corpus
from sealegs.world.recorded_tools import RecordedTool, Recording, recorded_tool
from sealegs.world.reference_runs import Unanswerable, reference


@dataclass(frozen=True)
class Imported:
    """A published task as ours.

    Attributes:
        task: with the graph that its valid paths make.
        tools: its tools with their records.
        notes: what keeps it from our own levels, and from an exact judgement.
        tells: whether the file says what the answer must contain.
    """

    task: Task
    tools: tuple[RecordedTool, ...]
    notes: tuple[str, ...]
    tells: bool

    @cached_property
    def corpus(self) -> Corpus:
        """The tools, answered from the records."""
        return Corpus({tool.name: recorded_tool(tool) for tool in self.tools}, {})

    @cached_property
    def right_run(self) -> Reference:
        """The reference run of the task."""
        return reference(self.task, self.corpus)


def import_task(forms: Sequence[TaskForm]) -> Imported:
    """One task of ours from the files of one published task, one for each mode.

    Raises:
        InconsistentPaths: it has no graph of this suite; the message says why.
    """
    form = forms[0]
    # The modes' files hold one task: what one record lacks, another may have.
    steps = [step for each in forms for step in _steps(each)]
    known = _known(steps)
    orders = _orders(forms)
    if not orders:
        raise InconsistentPaths("there is neither a valid path nor an execution trace")
    unknown = sorted({tool for order in orders for tool in order} - known.keys())
    if unknown:
        raise InconsistentPaths(f"no record says how {', '.join(unknown)} is called and answers")
    extra = form.sealegs
    declared = extra.deliverables or []
    sources = [[(s.partition(":")[0], s.partition(":")[2]) for s in d.sources] for d in declared]
    found = build_graph_shape(orders, known, form.user_input, sources)
    names = [tool for order in orders for tool in order]
    tools = tuple(_tool(form, name, steps) for name in dict.fromkeys(names))
    victim = "" if form.level == "C4" else _victim(forms, found)
    task = Task(
        id=form.task_id,
        level=form.level,
        request=form.user_input,
        inputs=found.inputs,
        graph=found.graph,
        deliverables=tuple(_deliverables(declared, sources, found)),
        domains=("recorded",),
        victim=victim,
    )
    if problems := validate_graph(task.graph):
        raise InconsistentPaths("; ".join(problems))
    notes = [] if extra.deliverables is not None else ["the file does not say what the answer must contain"]
    made = Imported(task, tools, (*notes, *level_problems(task)), extra.deliverables is not None)
    try:
        made.right_run  # noqa: B018 - a task whose records do not answer its own steps is not usable
    except Unanswerable as error:
        raise InconsistentPaths(str(error)) from error
    return made


def import_all(forms: Sequence[TaskForm]) -> tuple[list[Imported], list[tuple[str, str]]]:
    """Every task, and those that were left out with the reason why."""
    by_task: dict[str, list[TaskForm]] = {}
    for form in forms:
        by_task.setdefault(form.task_id, []).append(form)
    found, left_out = [], []
    for task, group in by_task.items():
        try:
            found.append(import_task(group))
        except InconsistentPaths as error:
            left_out.append((task, str(error)))
    return found, left_out


def task_set_files(found: Sequence[Imported]) -> Mapping[str, str]:
    """The files of a folder of tasks that `sealegs run maze --tasks` takes, by name."""
    tasks = [json.dumps({**task_data(each.task, {}), CANARY_FIELD: CANARY}, ensure_ascii=False) for each in found]
    tools = [tool.model_dump_json() for each in found for tool in each.tools]
    return {TASKS: "\n".join(tasks) + "\n", TOOLS: "\n".join(tools) + "\n"}


def default_folder(source: Path) -> Path:
    """The default folder of an import."""
    return Path("sealegs-tasks") / source.resolve().name


def _steps(form: TaskForm) -> Iterator[StepForm]:
    for path in form.valid_paths:
        yield from path.execution_trace
    yield from form.execution_trace


def _known(steps: Sequence[StepForm]) -> dict[str, KnownTool]:
    found: dict[str, KnownTool] = {}
    for step in sorted(steps, key=lambda step: step.is_perturbed):  # clean records first
        found.setdefault(
            step.tool_name, KnownTool(step.tool_name, step.tool_arguments, parse_output(step.expected_output))
        )
    return found


def parse_output(output: Any) -> Any:
    """An expected output as data: text that is JSON is read as such."""
    if not isinstance(output, str):
        return output
    try:
        return json.loads(output)
    except (ValueError, RecursionError):
        return output


def _orders(forms: Sequence[TaskForm]) -> list[tuple[str, ...]]:
    paths = [path for form in forms for path in form.valid_paths]
    orders = [tuple(path.tools or [step.tool_name for step in path.execution_trace]) for path in paths]
    if not orders:
        orders = [tuple(step.tool_name for step in form.execution_trace) for form in forms if form.execution_trace]
    return list(dict.fromkeys(orders))


def _tool(form: TaskForm, name: str, steps: Sequence[StepForm]) -> RecordedTool:
    mine = sorted((step for step in steps if step.tool_name == name), key=lambda step: step.is_perturbed)
    effects = form.sealegs.effects.get(name, [])
    recordings: list[Recording] = []
    for step in mine:
        if all(step.tool_arguments != other.arguments for other in recordings):
            output = parse_output(step.expected_output)
            recordings.append(Recording(arguments=step.tool_arguments, output=output, effects=effects))
    return RecordedTool(
        task=form.task_id,
        name=name,
        description=form.sealegs.descriptions.get(name, ""),
        defaults=form.sealegs.defaults.get(name, {}),
        free_text=form.sealegs.free_text.get(name) or _prose(mine, form.user_input),
        recordings=recordings,
    )


def _prose(steps: Sequence[StepForm], request: str) -> list[str]:
    """Arguments that are sentences which the request does not hold: an agent may word them as it likes."""
    found = [
        name
        for step in steps
        for name, value in step.tool_arguments.items()
        if isinstance(value, str) and len(value.split()) > 4 and value.casefold() not in request.casefold()
    ]
    return sorted(set(found))


def _victim(forms: Sequence[TaskForm], found: GraphShape) -> str:
    for form in forms:
        for tool in form.targets:
            if tool in found.graph.steps:
                return found.graph.home[tool][0].id if tool in found.graph.home else tool
    return ""


def _deliverables(
    declared: Sequence[Any], sources: Sequence[Sequence[tuple[str, str]]], found: GraphShape
) -> Iterator[Deliverable]:
    for each, fields in zip(declared, sources, strict=True):
        field = found.source(*fields[0])
        if field is None:
            raise InconsistentPaths(
                f"the deliverable {each.label!r} names {fields[0][0]}, which is not in every branch"
            )
        yield Deliverable(each.label, field)
