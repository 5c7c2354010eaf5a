"""Grading traces of the suite, by code or by a model under a frozen rubric."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sealegs.agents.arms.toolbench_arm import object_in
from sealegs.engines.logs import LogError
from sealegs.faults.call import render
from sealegs.intervals.exact_shares import share_interval
from sealegs.scoring.grading import QUESTIONS, grade
from sealegs.scoring.metric import ALL, Row
from sealegs.suites.choices import ChoiceError, unknown_name_problems
from sealegs.suites.paladin.episodes import SUITE, PaladinEpisode
from sealegs.suites.paladin.paladin_logs import read_paladin_runs
from sealegs.traces import Record

GRADERS = ("code", "model")
AT_ONCE = 8
LONGEST = 600  # characters of a tool's answer that a model is shown


@dataclass(frozen=True, slots=True)
class NamedTrace:
    """A trace by name."""

    id: str
    episode: PaladinEpisode
    record: Record


Graded = Mapping[str, Mapping[str, Any]]
Grader = Callable[[Sequence[NamedTrace]], Graded]


def traces_in(logs: Path) -> list[NamedTrace]:
    """The traces of runs.

    Raises:
        LogError: there are none, or something cannot be read.
    """
    return [
        NamedTrace(f"{run.who.get('agent') or run.who.get('model')}: {episode.id}", episode, found)
        for run in read_paladin_runs(logs)
        for episode, found in run.records.items()
    ]


def chosen_grader(grader: str, model: str) -> Grader:
    """Return the requested grader.

    Raises:
        ChoiceError: with every mistake.
    """
    problems = unknown_name_problems("grader", [grader], GRADERS)
    if grader == "model" and not model:
        problems.append("the model grader needs --model, as Inspect names it: --model openai/gpt-5")
    if grader == "code" and model:
        problems.append("the code grader takes no --model; leave it out, or say --grader model")
    if grader == "model" and find_spec("inspect_ai") is None:
        problems.append('models run through Inspect, which is not installed: pip install "sealegs[bench]"')
    if problems:
        raise ChoiceError("; ".join(problems))
    return grade_by_code if grader == "code" else partial(grade_by_model, model=model)


def grade_traces(traces: Sequence[NamedTrace], grader: Grader) -> Graded:
    """The grades of traces, by id."""
    return grader(traces)


def grade_by_code(traces: Sequence[NamedTrace]) -> Graded:
    """Grades by code."""
    return {trace.id: grade(trace.record, trace.episode.case(trace.record)).data() for trace in traces}


def grade_by_model(traces: Sequence[NamedTrace], model: str) -> Graded:
    """Grades by a model under the rubric; a reply that does not have the form gets the label `unreadable` throughout.

    Raises:
        LogError: the model is unknown or has no key.
    """
    from inspect_ai._util.error import PrerequisiteError
    from inspect_ai.model import ChatMessage, ChatMessageSystem, ChatMessageUser, get_model

    try:
        judge = get_model(model)
    except (PrerequisiteError, ValueError, ImportError) as error:
        raise LogError(f"the model {model!r} cannot be used: {error}") from error

    async def one(trace: NamedTrace, gate: asyncio.Semaphore) -> tuple[str, Mapping[str, Any]]:
        async with gate:
            messages: list[ChatMessage] = [
                ChatMessageSystem(content=rubric()),
                ChatMessageUser(content=format_trace(trace)),
            ]
            reply = await judge.generate(messages)
        return trace.id, grades_in(reply.completion)

    async def every() -> Graded:
        gate = asyncio.Semaphore(AT_ONCE)
        return dict(await asyncio.gather(*(one(trace, gate) for trace in traces)))

    return asyncio.run(every())


def rubric() -> str:
    """The rubric that a model grades by. It is frozen: a change makes a new version."""
    text = resources.files("sealegs.suites.paladin").joinpath("rubric.md").read_text(encoding="utf-8")
    return text.partition("\n<!--")[0]  # the canary is not the grader's to read


def format_trace(trace: NamedTrace) -> str:
    """A trace as a model reads it."""
    base, found = trace.episode.base, trace.record
    lines = [f"The request: {base.request}", "Asked for: " + "; ".join(d.label for d in base.deliverables), ""]
    for number, turn in enumerate(found.turns, 1):
        answer = "(nobody waited for the answer)" if turn.shown is None else render(turn.shown)
        given = json.dumps(dict(turn.call.arguments), ensure_ascii=False, default=str)
        by = " (made by recovery, unseen by the agent)" if turn.by else ""
        lines.append(f"{number}. {turn.call.tool}({given}){by}\n   {answer[:LONGEST]}")
        if turn.final is not None and turn.final != turn.shown:
            lines.append(f"   after recovery the agent was shown: {render(turn.final)[:LONGEST]}")
    end = found.answer if found.answer is not None else f"(none: the episode ended by {found.end.reason})"
    return "\n".join([*lines, "", f"The final answer: {end}"])


def grades_in(reply: str) -> dict[str, Any]:
    """The grades that a reply holds."""
    start = re.search(r"\{", reply)
    data = object_in(reply[start.start() :]) if start else None
    if data is None or not all(isinstance(data.get(name), bool) for name in QUESTIONS):
        return dict.fromkeys(QUESTIONS, "unreadable")
    return {name: data[name] for name in QUESTIONS}


def grade_lines(found: Graded) -> str:
    """Grades as the file has them."""
    return "".join(json.dumps({"id": id, **grades}, ensure_ascii=False) + "\n" for id, grades in found.items())


def share_rows(found: Graded, who: str) -> list[Row]:
    """The share of yes to each question, in the long table. What could not be read counts as no."""
    rows: list[Row] = []
    for name in QUESTIONS:
        yes, n = sum(grades[name] is True for grades in found.values()), len(found)
        low, high = share_interval(yes, n)
        row: Row = {"suite": SUITE, "agent": f"grader {who}", "level": ALL, "mode": ALL, "metric": name}
        rows.append(
            {
                **row,
                "value": round(100 * yes / max(1, n), 2),
                "low": round(100 * low, 2),
                "high": round(100 * high, 2),
                "n": n,
            }
        )
    return rows
