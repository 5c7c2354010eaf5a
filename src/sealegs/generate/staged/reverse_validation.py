"""Reverse validation of the shipped tasks: does a request follow from its graph of calls, and the graph from it?

For each task a model gets three questions, through Inspect, each in a conversation of its own.

- `restore`: shown the calls of a solution with their answers, and the names of the results, it writes the request that
  they answer. A rule then compares values: everything that the task's user gives must be in the written request and in
  the shipped one, and no number that the shipped one lacks may be in the written one.
- `same`: shown both requests and the calls, it judges whether the shipped one asks for the same.
- `reverse`: shown the shipped request and tools, it works out the calls and what each needs, as the staged pipeline
  asks of new tasks; code compares them with every solution.

It cannot tell whether a request sounds like a person's, nor find an error that a model makes in both directions alike.
An answer that the provider did not give is requested again by the next run; one that will not do counts.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from inspect_ai.model import Model

from sealegs.engines.inspect_first_call import ask_first
from sealegs.engines.journal import Journal
from sealegs.faults import seeds
from sealegs.generate.staged import stage_prompts
from sealegs.generate.staged.generation_stages import equals_a_solution, read_calls
from sealegs.generate.staged.model_queries import (
    BadAnswer,
    PromptedModel,
    RejectedItem,
    StageTranscript,
    json_in,
    model_named,
)
from sealegs.scenarios.scenario import SUITE, distractor_tools
from sealegs.scenarios.task_sets import SHIPPED, task_set
from sealegs.scoring.metric import ALL, Design, EpisodeTable, Metric, Row, estimate, figure_row
from sealegs.tasks import Task
from sealegs.tasks.editions import TASK_SET
from sealegs.tasks.graph import Group, Step
from sealegs.tasks.value_matching import contains_value, numbers
from sealegs.traces.folder_lock import locks_folder

AT_ONCE = 16  # tasks under way; Inspect limits the connections itself
OUTSIDE = "no answer ("  # of a reason: the provider failed, and not the model
SMALL = 13  # whole numbers below are counts and ways of speaking
PROMPTS = (stage_prompts.RESTORE, stage_prompts.SAME, stage_prompts.REVERSE)
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class ValidatedTask:
    """The result of one task's validation.

    Attributes:
        task, level: the task's id and its level.
        same: whether the model judges that the two requests ask for the same.
        values: whether the rule finds the same values in both.
        calls: whether the calls that were worked out from the request are a solution.
        doubts: the reasons against it, in words.
        missing: whether the provider failed to answer one of the questions.
    """

    task: str
    level: str
    same: bool
    values: bool
    calls: bool
    doubts: tuple[str, ...]
    missing: bool

    @property
    def confirmed(self) -> bool:
        """Whether the request is the one that the calls answer, by the model and by the rule."""
        return self.same and self.values


DESIGN = Design[ValidatedTask](stratum=lambda _: "", cluster=lambda one: one.task, block=lambda one: one.level)
METRICS = (
    Metric[ValidatedTask]("confirmed", lambda one: one.confirmed),
    Metric[ValidatedTask]("same", lambda one: one.same),
    Metric[ValidatedTask]("values", lambda one: one.values),
    Metric[ValidatedTask]("calls", lambda one: one.calls),
)


@dataclass(frozen=True)
class ReverseValidation:
    """The results of a model's validation.

    Attributes:
        model: its name.
        tasks: all that had a question, also those with an unanswered one.
        questions: the number of questions that this run put; the others were in the cache.
    """

    model: str
    tasks: Sequence[ValidatedTask]
    questions: int

    @property
    def missing(self) -> int:
        """Tasks that are not finished, which are in no figure."""
        return sum(one.missing for one in self.tasks)

    def rows(self) -> list[Row]:
        """The long table."""
        who: Row = {"suite": SUITE, "model": self.model}
        done = EpisodeTable([one for one in self.tasks if not one.missing], DESIGN)
        return [
            figure_row(who, level, ALL, metric.name, estimate(metric, part))
            for level, part in (*sorted(done.by(lambda one: one.level).items()), (ALL, done))
            for metric in METRICS
        ]

    def doubtful(self) -> list[ValidatedTask]:
        """The finished tasks that someone should look at."""
        return [one for one in self.tasks if not one.missing and not (one.confirmed and one.calls)]


def shipped_tasks(levels: Sequence[str], limit: int | None) -> list[Task]:
    """Shipped tasks of these levels, at most so many of each."""
    tasks = task_set(SHIPPED).tasks.values()
    # The limit holds for each level, so that none is left out.
    return [task for level in levels for task in [task for task in tasks if task.level == level][:limit]]


@locks_folder("out")
def validate_shipped(
    levels: Sequence[str],
    limit: int | None,
    model: str | Model,
    tries: int,
    out: Path,
    progress: Progress = lambda *_: None,
) -> ReverseValidation:
    """Validate the shipped tasks; no question is put again whose answer the folder holds.

    Args:
        levels: some of C1 to C4.
        limit: at most this many tasks of each level.
        model: as Inspect names it.
        tries: how often a bad answer is requested again.
        out: the cache: one line for each answer.
        progress: called with how many tasks are done.

    Raises:
        UserError: the model cannot be used or called, or the folder holds the answers of another model or task set.
    """
    if isinstance(model, str):
        reader = model_named(model)
        ask_first(model)
    else:
        reader = model
    settings = {"model": str(reader), TASK_SET: task_set(SHIPPED).edition}
    # Answers to older prompts are answers to other questions.
    settings["prompts"] = f"{seeds.digest(*PROMPTS):016x}"
    run = _Validation(PromptedModel(reader, tries), Journal(out / "validation.jsonl", settings))
    tasks = shipped_tasks(levels, limit)
    return ReverseValidation(str(reader), asyncio.run(run.all(tasks, progress)), run.questions)


class _Validation:
    """The questions of a run, each put once."""

    def __init__(self, model: PromptedModel, journal: Journal) -> None:
        self._model, self._journal = model, journal
        self._known = {(entry["task"], entry["part"]): entry for entry in journal.entries}
        self.questions = 0

    async def all(self, tasks: Sequence[Task], progress: Progress) -> list[ValidatedTask]:
        free, done = asyncio.Semaphore(AT_ONCE), 0

        async def one(task: Task) -> ValidatedTask:
            nonlocal done
            async with free:
                found = await self._task(task)
            done += 1
            progress(done, len(tasks))
            return found

        return list(await asyncio.gather(*map(one, tasks)))

    async def _task(self, task: Task) -> ValidatedTask:
        calls = calls_text(task)
        labels = ", ".join(deliverable.label for deliverable in task.deliverables)
        written = await self._part(task, "restore", stage_prompts.RESTORE, f"{calls}\n\nReported: {labels}", _message)
        same = None
        if written is not None and "result" in written:
            question = f"Message A:\n{written['result']}\n\nMessage B:\n{task.request}\n\nCalls:\n{calls}"
            same = await self._part(task, "same", stage_prompts.SAME, question, read_same)
        tools = shown_tools(task)
        question = stage_prompts.reverse_question(
            task.request, [task_set(SHIPPED).corpus(task.id).tools[n] for n in tools]
        )
        reverse = await self._part(task, "reverse", stage_prompts.REVERSE, question, _calls_data)
        return _judged(task, written, same, reverse)

    async def _part(
        self, task: Task, part: str, system: str, question: str, read: Callable[[str], Any]
    ) -> Mapping[str, Any] | None:
        """The entry of an answer, from the cache or from the model; None where the provider gave none."""
        known = self._known.get((task.id, part))
        if known is not None:
            return known
        talk = StageTranscript()
        entry: dict[str, Any] = {"task": task.id, "part": part}
        self.questions += 1
        try:
            entry["result"] = await self._model.ask(system, question, read, talk)
        except RejectedItem as error:
            if str(error).startswith(OUTSIDE):
                return None
            entry["unreadable"] = str(error)
        entry["talk"] = {name: value for name, value in asdict(talk).items() if value}
        self._journal.append(entry)
        self._known[task.id, part] = entry
        return entry


def calls_text(task: Task) -> str:
    """The calls of a task's first solution with their right answers, without tools' defaults."""
    right = task_set(SHIPPED).right_run(task.id).steps
    steps: list[Step] = []
    for node in task.graph.nodes:
        steps += node.branches[0].steps if isinstance(node, Group) else (node,)
    lines = []
    for number, step in enumerate(steps, 1):
        expected = right[step.id]
        given = {name: value for name, value in expected.arguments.items() if expected.defaults.get(name) != value}
        texts = (json.dumps(part, ensure_ascii=False, default=str) for part in (given, expected.output))
        lines.append(f"{number}. {step.tool} {' -> '.join(texts)}")
    return "\n".join(lines)


def shown_tools(task: Task) -> list[str]:
    """The tools of a task and a few that do not help, in a fixed order."""
    corpus = task_set(SHIPPED).corpus(task.id)
    names = {*task.graph.step_of, *distractor_tools(task, 0, corpus)}
    return sorted(names, key=lambda name: seeds.digest("validation", task.id, name))


def value_doubts(task: Task, written: str) -> list[str]:
    """The differences between the values of the written and of the shipped request; a number's form makes none."""
    doubts = []
    for name, value in task.inputs.items():
        if isinstance(value, bool):
            continue
        if not contains_value(task.request, value):
            doubts.append(f"the request does not say {name} ({value})")
        elif not contains_value(written, value):
            doubts.append(f"the written request does not say {name} ({value})")
    # Small whole numbers are mentioned in passing ("two flights", "one of them") and are not values of the task.
    stated = dict.fromkeys(number for number in numbers(written) if abs(number) >= SMALL or number % 1)
    known = [value for value in stated if contains_value(task.request, value) or value in task.inputs.values()]
    return doubts + [f"only the written request says {value:g}" for value in stated if value not in known]


def _judged(
    task: Task,
    written: Mapping[str, Any] | None,
    same: Mapping[str, Any] | None,
    reverse: Mapping[str, Any] | None,
) -> ValidatedTask:
    # An answer that could not be read is an entry without a result: it counts against the task and is not missing.
    # Without a readable request the two were never compared, and then no comparison is missing either.
    missing = written is None or reverse is None or (same is None and "result" in written)
    doubts: list[str] = []
    restored = (written or {}).get("result")
    doubted_values = ["no request was written"] if restored is None else value_doubts(task, restored)
    alike = (same or {}).get("result")
    if alike is None or not alike["same"]:
        differences = "; ".join((alike or {}).get("differences", ())) or "no reason given"
        doubts.append(f"the requests differ: {differences}" if alike else "no judgement of the two requests")
    found = (reverse or {}).get("result")
    # Sets again: the journal is JSON, which has lists alone.
    calls = found is not None and equals_a_solution({tool: set(needs) for tool, needs in found.items()}, task.graph)
    doubts += doubted_values
    doubts += [] if calls else ["the calls worked out from the request are not a solution"]
    return ValidatedTask(
        task.id, task.level, bool(alike and alike["same"]), not doubted_values, calls, tuple(doubts), missing
    )


def _message(text: str) -> str:
    return " ".join(text.split()).strip('"')


def read_same(text: str) -> dict[str, Any]:
    """A judgement of two requests from a model's text.

    Raises:
        BadAnswer: it is of another form.
    """
    found = json_in(text)
    listed = found.get("differences", []) if isinstance(found, dict) else None
    if not isinstance(found, dict) or not isinstance(found.get("same"), bool) or not isinstance(listed, list):
        raise BadAnswer("wrong form", 'The answer must be {"same": true or false, "differences": [...]}.')
    return {"same": found["same"], "differences": [str(one) for one in listed]}


def _calls_data(text: str) -> dict[str, list[str]]:
    return {tool: sorted(needs) for tool, needs in read_calls(text).items()}
