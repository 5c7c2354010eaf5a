"""From what a user typed to a run's settings, every mistake told at once."""

from __future__ import annotations

import json
from collections.abc import Iterable
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path

from sealegs.agents import SCRIPTED
from sealegs.faults.mistake import Mistake
from sealegs.faults.plan import unmatched
from sealegs.faults.problems import PlanError
from sealegs.faults.reading import read_plan
from sealegs.suites.maze import LEVELS, MODES, direct
from sealegs.suites.maze.prompts import PROMPTS
from sealegs.suites.maze.recovering import RECOVERIES
from sealegs.suites.maze.running import Settings, with_engine
from sealegs.suites.maze.task_sets import SHIPPED, task_set

ENGINES = ("auto", *direct.ENGINES, "inspect")


class ChoiceError(Mistake):
    """What was typed cannot be run; the message names every mistake, what was given, and what would do."""


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
) -> Settings:
    """The settings of a run.

    Raises:
        ChoiceError: with every mistake.
    """
    agent, model = _scripted(agent, model)
    problems = [
        *_unknown("suite", [suite], ["maze"]),
        *(_unknown("agent", [agent], SCRIPTED) if agent else []),
        *_unknown("level", _listed(levels), LEVELS),
        *_unknown("mode", _listed(modes), MODES),
        *_unknown("prompt", [prompt], PROMPTS),
        *_unknown("engine", [engine], ENGINES),
        *_unknown("recovery", [recovery], RECOVERIES),
        *_who_problems(agent, model, engine),
    ]
    folder, folder_problems = _own_tasks(tasks)
    own, plan_problems = _own_plan(plan, agent, folder)
    problems += [*folder_problems, *plan_problems]
    if problems:
        raise ChoiceError("; ".join(problems))
    chosen = Settings(
        agent=agent,
        model=model,
        levels=tuple(level for level in LEVELS if level in _listed(levels)),
        modes=tuple(mode for mode in MODES if mode in _listed(modes)),
        prompt=prompt,
        limit=limit,
        epochs=epochs,
        seed=seed,
        max_steps=max_steps,
        plan=own,
        tasks=folder,
        recovery=recovery,
    )
    return with_engine(chosen, engine)


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


def _scripted(agent: str, model: str) -> tuple[str, str]:
    """`--model sealegs/planner` and `--agent planner` are the same."""
    if model.startswith("sealegs/") and not agent:
        return model.removeprefix("sealegs/"), ""
    return agent, model


def _listed(names: str) -> list[str]:
    return [name.strip() for name in names.split(",") if name.strip()]


def _unknown(noun: str, names: list[str], known: Iterable[str]) -> list[str]:
    choices = list(known)
    problems = [] if names else [f"no {noun} is named; choose from {', '.join(choices)}"]
    for name in names:
        if name not in choices:
            near = get_close_matches(name, choices, n=1) or get_close_matches(name.upper(), choices, n=1)
            hint = f"did you mean {near[0]}? " if near else ""
            problems.append(f"unknown {noun} {name!r}: {hint}choose from {', '.join(choices)}")
    return problems


def _who_problems(agent: str, model: str, engine: str) -> list[str]:
    if bool(agent) == bool(model):
        given = "both are given" if agent else "neither is given"
        return [f"name an agent or a model, one of them ({given}): --agent planner, or --model openai/gpt-5"]
    if model and engine in direct.ENGINES:
        return [f"the {engine} engine runs scripted agents alone; leave --engine out for a model"]
    if engine == "langchain" and find_spec("langchain") is None:
        return ['LangChain is not installed: pip install "sealegs[langchain]"']
    if (model or engine == "inspect") and find_spec("inspect_ai") is None:
        return ['models run through Inspect, which is not installed: pip install "sealegs[bench]"']
    return []
