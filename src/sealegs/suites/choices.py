"""Checks of the values that are typed for every suite, with the messages for mistakes in them."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from importlib.util import find_spec

from sealegs.faults.user_error import UserError

ENGINES = ("auto", "direct", "inspect")
MOST_SEED = 2**32 - 1  # what every library that is seeded takes
MOST_JOBS = 1024  # more is a slip: each is a process
MOST_INVALID = 5.0  # % of a run, unless a user says otherwise
INVALID_HELP = "Exit with code 3 if more episodes than this, in %, are invalid."


class ChoiceError(UserError):
    """Typed values that cannot be run; the message names every mistake, the value given, and one that would do."""


def split_scripted_model(agent: str, model: str) -> tuple[str, str]:
    """`--model sealegs/planner` and `--agent planner` are the same."""
    if model.startswith("sealegs/") and not agent:
        return model.removeprefix("sealegs/"), ""
    return agent, model


def split_names(names: str) -> list[str]:
    """Names with commas."""
    return [name.strip() for name in names.split(",") if name.strip()]


def unknown_name_problems(noun: str, names: list[str], known: Iterable[str]) -> list[str]:
    """The problems of these names; none where there are names and all of them are known."""
    choices = list(known)
    problems = [] if names else [f"no {noun} is named; choose from {', '.join(choices)}"]
    for name in names:
        if name not in choices:
            near = get_close_matches(name, choices, n=1) or get_close_matches(name.upper(), choices, n=1)
            hint = f"did you mean {near[0]}? " if near else ""
            problems.append(f"unknown {noun} {name!r}: {hint}choose from {', '.join(choices)}")
    return problems


def who_problems(agent: str, model: str, engine: str, example: str = "planner") -> list[str]:
    """The problems of the choice of an agent or a model. `example`: an agent of the suite's."""
    if bool(agent) == bool(model):
        given = "both are given" if agent else "neither is given"
        return [f"name either an agent or a model ({given}): --agent {example}, or --model openai/gpt-5"]
    if model and engine not in ("auto", "inspect"):
        return [f"the {engine} engine runs scripted agents alone; leave --engine out for a model"]
    if engine == "langchain" and find_spec("langchain") is None:
        return ['LangChain is not installed: pip install "sealegs[langchain]"']
    if (model or engine == "inspect") and find_spec("inspect_ai") is None:
        return ['models run through Inspect, which is not installed: pip install "sealegs[bench]"']
    return []


def engine_for(agent: str, engine: str) -> str:
    """`auto` is direct for scripted agents and Inspect for models."""
    return ("direct" if agent else "inspect") if engine == "auto" else engine
