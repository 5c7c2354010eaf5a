"""From what a user typed to a run's settings, every mistake told at once."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from sealegs.agents import CODERS
from sealegs.faults.mistake import Mistake
from sealegs.faults.plan import unmatched
from sealegs.faults.problems import PlanError
from sealegs.faults.reading import read_plan
from sealegs.sandbox import available
from sealegs.suites.highwater import ERRORS, INTERFACES, SETTINGS, SPLITS
from sealegs.suites.highwater.containers import problems_of, resolved
from sealegs.suites.highwater.environment import SEARCHING, TELLING
from sealegs.suites.highwater.episodes import SUITE, chosen
from sealegs.suites.highwater.finding import finder
from sealegs.suites.highwater.libraries import SHIPPED, check, data
from sealegs.suites.highwater.running import HighwaterSettings
from sealegs.suites.running.choices import ENGINES, ChoiceError, engine_for, scripted, unknown, who_problems

MODES = {"both": ERRORS, "off": ("off",), "on": ("on",)}


def settings(
    asked: HighwaterSettings,
    errors: str,
    folder: Path | None,
    plan: Path | None,
    interface: str,
    engine: str,
    allow_weak: bool = False,
) -> HighwaterSettings:
    """The settings of a run.

    Args:
        asked: what needs no reading.
        errors: `off`, `on` or `both`.
        folder: of a library, in the place of the package's own.
        plan: a file with faults of the user's own, in the place of refusals.
        interface: `code`, `calls`, or `auto`: code wherever it can be run safely.
        engine: `auto`, `direct` or `inspect`.
        allow_weak: whether code may run in weak isolation.

    Raises:
        ChoiceError: with every mistake.
    """
    agent, model = scripted(asked.agent, asked.model)
    if asked.sandbox and engine == "auto":
        engine = "inspect"
    problems = [
        *(unknown("agent", [agent], CODERS) if agent else []),
        *unknown("setting", [asked.setting], SETTINGS),
        *unknown("errors", [errors], MODES),
        *unknown("split", [asked.split], SPLITS),
        *unknown("interface", [interface], INTERFACES),
        *unknown("engine", [engine], ENGINES),
        *who_problems(agent, model, engine),
        *problems_of(asked.sandbox, allow_weak),
    ]
    if asked.distractors < 0:
        problems.append(f"--distractors {asked.distractors} must be 0 or more")
    chosen_engine = engine_for(agent, engine)
    if interface == "calls" and chosen_engine == "inspect":
        problems.append("the interface calls is for scripted agents without Inspect; leave --interface out")
    if asked.sandbox and chosen_engine == "direct":
        problems.append("--sandbox is of Inspect, and the direct engine has none; leave --engine out")
    where, folder_problems = _folder(folder, asked)
    own, plan_problems = _plan(plan, where)
    problems += [*folder_problems, *plan_problems, *_search_problems(where, asked.search)]
    if problems:
        raise ChoiceError("; ".join(problems))
    return replace(
        asked,
        agent=agent,
        model=model,
        errors=("off",) if own else MODES[errors],
        distractors=0 if asked.setting == "open" else asked.distractors,
        data=where,
        sandbox=resolved(asked.sandbox),
        plan=own,
        engine=chosen_engine,
        interface="code" if chosen_engine == "inspect" else _interface(interface, allow_weak),
    )


def _interface(interface: str, allow_weak: bool) -> str:
    """`auto` is code where the sandbox is strong; a scripted agent's calls are the same either way."""
    if interface != "auto":
        return interface
    found = available()
    return "code" if found.strong or (allow_weak and found.name == "weak") else "calls"


def _folder(folder: Path | None, asked: HighwaterSettings) -> tuple[str, list[str]]:
    if folder is None:
        return SHIPPED, []
    place = str(folder.resolve())
    try:
        found = chosen(place, asked.split, asked.limit, asked.seed)
        check(place, found)
    except Mistake as error:
        return SHIPPED, [str(error)]
    if not data(place).library.problems:
        return place, [f"{folder} holds no problems; build it of others"]
    if not found and asked.split in SPLITS:
        return place, [f"{folder} holds no problems of the split {asked.split}; choose another with --split"]
    return place, []


def _search_problems(folder: str, engine: str) -> list[str]:
    try:
        finder(folder, engine)
    except Mistake as error:
        return [str(error)]
    return []


def _plan(file: Path | None, folder: str) -> tuple[str, list[str]]:
    """The user's plan as JSON, and what is wrong with using it here."""
    if file is None:
        return "", []
    try:
        plan = read_plan(file)
    except PlanError as error:
        return "", [str(error)]
    tools = [SEARCHING, TELLING, *(function.tool for function in data(folder).library.functions.values())]
    problems = [
        f"{file}: rule {rule!r} matches no function of {SUITE}; match `fn_*`, search_tools, or a tag: the name of a "
        "database, whole, subquery or outer"
        for rule in unmatched(plan, tools)
    ]
    if not plan.rules:
        problems.append(f"{file}: the plan has no rules; give it one, or leave --plan out")
    return json.dumps(plan.as_data()), problems
