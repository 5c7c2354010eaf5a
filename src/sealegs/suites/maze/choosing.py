"""From what a user typed to a run's settings, every mistake told at once."""

from __future__ import annotations

import json
from pathlib import Path

from sealegs.agents import SCRIPTED
from sealegs.faults.mistake import Mistake
from sealegs.faults.plan import unmatched
from sealegs.faults.problems import PlanError
from sealegs.faults.reading import read_plan
from sealegs.scenarios import LEVELS, MODES, moments
from sealegs.scenarios.prompts import PROMPTS
from sealegs.scenarios.task_sets import SHIPPED, task_set
from sealegs.suites.maze import direct
from sealegs.suites.maze.recovering import RECOVERIES
from sealegs.suites.maze.running import MazeSettings
from sealegs.suites.running.choices import (
    ChoiceError,
    engine_for,
    listed,
    scripted,
    unknown,
    who_problems,
)

ENGINES = ("auto", *direct.ENGINES, "inspect")


def settings(
    suite: str,
    agent: str,
    model: str,
    levels: str,
    modes: str,
    prompt: str,
    limit: int | None,
    epochs: int,
    seed: int,
    max_steps: int,
    engine: str,
    plan: Path | None = None,
    tasks: Path | None = None,
    recovery: str = "off",
    moment: str = moments.DRAW,
) -> MazeSettings:
    """The settings of a run.

    Raises:
        ChoiceError: with every mistake.
    """
    agent, model = scripted(agent, model)
    problems = [
        *unknown("suite", [suite], ["maze"]),
        *(unknown("agent", [agent], SCRIPTED) if agent else []),
        *unknown("level", listed(levels), LEVELS),
        *unknown("mode", listed(modes), MODES),
        *unknown("prompt", [prompt], PROMPTS),
        *unknown("engine", [engine], ENGINES),
        *unknown("recovery", [recovery], RECOVERIES),
        *unknown("moment", [moment], moments.SETTINGS),
        *who_problems(agent, model, engine),
    ]
    folder, folder_problems = _own_tasks(tasks)
    own, plan_problems = _own_plan(plan, agent, folder)
    problems += [*folder_problems, *plan_problems]
    if problems:
        raise ChoiceError("; ".join(problems))
    return MazeSettings(
        agent=agent,
        model=model,
        levels=tuple(level for level in LEVELS if level in listed(levels)),
        modes=tuple(mode for mode in MODES if mode in listed(modes)),
        prompt=prompt,
        limit=limit,
        epochs=epochs,
        seed=seed,
        max_steps=max_steps,
        plan=own,
        tasks=folder,
        recovery=recovery,
        moment=moment,
        engine=engine_for(agent, engine),
    )


def _own_tasks(folder: Path | None) -> tuple[str, list[str]]:
    """The folder of the user's tasks, and what is wrong with it."""
    if folder is None:
        return SHIPPED, []
    name = str(folder.resolve())
    try:
        task_set(name)
    except Mistake as error:
        return SHIPPED, [str(error)]
    return name, []


def _own_plan(file: Path | None, agent: str, tasks: str) -> tuple[str, list[str]]:
    """The user's plan as JSON, and what is wrong with using it here."""
    if file is None:
        return "", []
    try:
        plan = read_plan(file)
    except PlanError as error:
        return "", [str(error)]
    chosen = task_set(tasks)
    specs = {tool.name: tool.spec for task in chosen.tasks for tool in chosen.corpus(task).tools.values()}
    problems = [
        f"{file}: rule {rule!r} matches no tool of the suite; `sealegs world list` names them all"
        for rule in unmatched(plan, list(specs.values()))
    ]
    if not plan.rules:
        problems.append(f"{file}: the plan has no rules; give it one, or leave --plan out")
    if agent == "oracle":
        problems.append("oracle knows the suite's own faults alone; choose planner, retrier or naive with --plan")
    return json.dumps(plan.as_data()), problems


ENGINES = ("auto", *direct.ENGINES, "inspect")
