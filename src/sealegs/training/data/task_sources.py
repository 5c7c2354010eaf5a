"""Sources of base tasks: those that ship, folders of tasks, trajectories in ToolBench's format.

A request's own numbers may be changed where the world allows it: a variant is the same graph with other values,
and is one only if every branch can be answered with them. Names, days and places stay as they are.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cache, cached_property, lru_cache, partial
from pathlib import Path

from sealegs.faults import seeds
from sealegs.faults.spec import ToolSpec
from sealegs.faults.user_error import UserError
from sealegs.scenarios.scenario import distractor_tools
from sealegs.scenarios.step_use import step_spec
from sealegs.scenarios.task_sets import TaskSet, task_set
from sealegs.scenarios.toolbench.toolbench_format import read_trajectories
from sealegs.scenarios.toolbench.toolbench_import import import_trajectories
from sealegs.tasks import Task
from sealegs.tasks.reference import Reference
from sealegs.tasks.value_matching import NUMBER, contains_value
from sealegs.world.corpus import Corpus
from sealegs.world.reference_runs import Unanswerable, reference

KEPT = 8192  # requests and lists of tools held in memory


@dataclass(frozen=True, slots=True)
class DataSources:
    """The sources that a set is made of.

    Attributes:
        shipped: whether the tasks that ship with the suite are among them.
        folders: folders of tasks, such as `sealegs maze generate` makes.
        trajectories: files in ToolBench's format.
    """

    shipped: bool = True
    folders: tuple[str, ...] = ()
    trajectories: tuple[str, ...] = ()

    def data(self) -> dict[str, object]:
        """The source as JSON data."""
        return {"shipped": self.shipped, "folders": list(self.folders), "trajectories": list(self.trajectories)}


@dataclass(frozen=True, eq=False)
class BaseTask:
    """One base task: its name, unique over all sources, and what it is played on."""

    id: str
    task: Task
    tasks: TaskSet

    @property
    def corpus(self) -> Corpus:
        """The tools that it is played on."""
        return self.tasks.corpus(self.task.id)

    @cached_property
    def specs(self) -> Mapping[str, ToolSpec]:
        """The tools of its graph, with the fields of their answers that the task uses."""
        return {step.tool: step_spec(self.task, step, self.corpus) for step in self.task.graph.walk()}


@dataclass(frozen=True, eq=False)
class TaskVariant:
    """A base task as one episode asks it: its own request or a variant, and what a right run of it looks like."""

    base: BaseTask
    number: int
    task: Task
    right: Reference


@cache
def all_base_tasks(sources: DataSources, leave_out: tuple[str, ...] = ()) -> Mapping[str, BaseTask]:
    """All base tasks by name, in a fixed order.

    Raises:
        UserError: a source cannot be read, or there is no task; every mistake is named.
    """
    found: dict[str, BaseTask] = {}
    problems: list[str] = []
    for name, load in _loaders(sources):
        try:
            tasks = load()
        except UserError as error:
            problems.append(str(error))
            continue
        for task in tasks.tasks.values():
            id = f"{name}{task.id}"
            if id in found:
                problems.append(f"{id} is in two sources; give one of the folders or files another name")
            elif not any(fnmatchcase(id, pattern) for pattern in leave_out):
                found[id] = BaseTask(id, task, tasks)
    # After a source that could not be read, its own message says why there is no task.
    if not found and not problems:
        problems.append("there is no task to make trajectories of; name a folder with --tasks")
    if problems:
        raise UserError("\n".join(dict.fromkeys(problems)))
    return found


def _loaders(sources: DataSources) -> list[tuple[str, Callable[[], TaskSet]]]:
    loaders: list[tuple[str, Callable[[], TaskSet]]] = [("", task_set)] if sources.shipped else []
    loaders += [(f"{Path(folder).name}:", partial(task_set, folder)) for folder in sources.folders]
    loaders += [(f"{Path(file).name}:", partial(_toolbench, file)) for file in sources.trajectories]
    return loaders


@cache
def _toolbench(file: str) -> TaskSet:
    return import_trajectories(read_trajectories(Path(file))).tasks


def task_variant(base: BaseTask, number: int, seed: int) -> TaskVariant | None:
    """A base task (number 0) or one of its variants; None where there is none of this number."""
    if (base, number, seed) in _REFUSED:
        return None
    found = _made_variant(base, number, seed)
    if found is None:
        _REFUSED.add((base, number, seed))
    return found


_REFUSED: set[tuple[BaseTask, int, int]] = set()  # these are many, and small


@lru_cache(maxsize=KEPT)
def _made_variant(base: BaseTask, number: int, seed: int) -> TaskVariant | None:
    if number == 0:
        return TaskVariant(base, 0, base.task, base.tasks.right_run(base.task.id))
    task = _varied(base.task, seeds.stream("variant", seed, base.id, number))
    if task is None:
        return None
    try:
        return TaskVariant(base, number, task, reference(task, base.corpus))
    except Unanswerable:
        return None


def _varied(task: Task, draw: random.Random) -> Task | None:
    """The task with some of its request's numbers changed; None where none can be."""
    able = [name for name in task.inputs if _place(task, name) is not None]
    chosen = [name for name in able if draw.random() < 0.7] or able[:1]
    request, inputs = task.request, dict(task.inputs)
    for name in chosen:
        place = _place(replace(task, request=request, inputs=inputs), name)
        if place is None:
            continue
        value = _other(inputs[name], draw)
        text = _written(value, place[0])
        # A number that the request has already would say two things, and later changes could not find their place.
        if value != inputs[name] and not contains_value(request, value):
            request = request[: place.start()] + text + request[place.end() :]
            inputs[name] = value
    return None if request == task.request else replace(task, request=request, inputs=inputs)


def _place(task: Task, name: str) -> re.Match[str] | None:
    """The place of an input's number in the request, if it is there once only and no other input has the same value."""
    value = task.inputs[name]
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    # With a second input of the same value the text would not tell whose number it gives.
    if sum(other == value for other in task.inputs.values()) != 1:
        return None
    found = [m for m in NUMBER.finditer(task.request) if float(m[0].replace(",", "").replace("\u2212", "-")) == value]
    if len(found) != 1:
        return None
    # The same value in words or in another notation would be left behind and contradict the new number.
    rest = task.request[: found[0].start()] + " " + task.request[found[0].end() :]
    return None if contains_value(rest, value) else found[0]


def _other(value: int | float, draw: random.Random) -> int | float:
    """A number like this one: of its kind, its sign and its decimals."""
    if isinstance(value, int):
        reach = max(2, abs(value) // 2)
        return max(1, value + draw.randint(-reach, reach)) if value > 0 else value
    decimals = len(repr(value).partition(".")[2])
    return round(value * draw.uniform(0.5, 1.5), decimals)


def _written(value: int | float, like: str) -> str:
    decimals = len(like.partition(".")[2])
    comma = "," if "," in like or (isinstance(value, float) and abs(value) >= 1000) else ""
    return f"{value:{comma}.{max(decimals, 0)}f}" if decimals else f"{value:{comma}}"


@lru_cache(maxsize=KEPT)
def offered_specs(base: BaseTask, salt: int, count: int, barred: frozenset[str]) -> tuple[ToolSpec, ...]:
    """The tools of a task and some that do not help, in a drawn order; none of the barred ones among the latter.

    With an action comes the history tool that shows what it did.
    """
    if base.tasks.recorded:
        others: Sequence[ToolSpec] = [tool.spec for name, tool in base.corpus.tools.items() if name not in base.specs]
    else:
        # As many more as may be barred, which are taken out below.
        names = distractor_tools(base.task, salt, base.corpus, count + len(barred))
        others = [base.corpus.tools[name].spec for name in names]
    kept = [spec for spec in others if spec.name not in barred][:count]
    named = {spec.shown_by: spec for spec in (*base.specs.values(), *kept) if spec.shown_by in base.corpus.histories}
    kept += [base.corpus.spec(history) for history in sorted(named)]
    return tuple(sorted([*base.specs.values(), *kept], key=lambda spec: seeds.digest(salt, base.id, spec.name)))
