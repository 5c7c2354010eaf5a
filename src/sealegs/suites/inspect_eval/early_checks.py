"""Refusals before a sample is played: an unknown score, a plan that strikes nothing, a knowledge file of another eval.

Scorers are known by name from the task. Tools are known beforehand where a shipped knowledge file is about the eval,
since such a file names all of them; of another eval they are known once its clean samples were played. The keys of a
scorer's value are not known before the first samples show them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from difflib import get_close_matches
from typing import Any

from inspect_ai import Task
from inspect_ai._util.registry import registry_info
from inspect_ai.scorer._scorer import SCORER_METRICS, unique_scorer_name

from sealegs.faults.plan import Plan, unmatched
from sealegs.faults.spec import ToolSpec
from sealegs.faults.triggers import Tool
from sealegs.faults.user_error import UserError
from sealegs.suites.inspect_eval.knowledge import EvalKnowledge

SHOWN = 12  # tools that a message names


def check_score(task: Task, name: str, wanted: str) -> None:
    """Refuse a score of no scorer of the eval.

    Args:
        task: the eval.
        name: of the eval, for the message.
        wanted: `SCORER` or `SCORER.KEY`; empty for the eval's headline.

    Raises:
        UserError: the eval has no such scorer.
    """
    scorers = list(_named(task.scorer or ()))
    if wanted and not any(wanted == scorer or wanted.startswith(f"{scorer}.") for scorer, _ in scorers):
        raise unknown_score(name, wanted, [one for _, names in scorers for one in names])


def unknown_score(name: str, wanted: str, known: Iterable[str]) -> UserError:
    """The error about a score that an eval does not have."""
    return UserError(f"--score {wanted}: the eval {name} has no such score; choose from {', '.join(known)}")


def check_knowledge(known: EvalKnowledge | None, file: str, names: Collection[str]) -> None:
    """Refuse a knowledge file about another eval.

    Args:
        known: what the file says; None where there is none.
        file: as the user named it; empty where it was found by the eval's name.
        names: of the eval: as the user gave it, and as Inspect knows it.

    Raises:
        UserError: the file does not name the eval.
    """
    if file and known is not None and not any(map(known.is_about, names)):
        raise UserError(
            f"--knowledge {file} is about {', '.join(known.tasks)}, and not about {' or '.join(dict.fromkeys(names))}; "
            "if its tools are the same, add the eval to `tasks` in the file"
        )


def check_plan(plan: Plan, name: str, tools: Collection[str], specs: Iterable[ToolSpec], more: str = "") -> None:
    """Refuse a plan with a rule that strikes no tool of the eval.

    Args:
        plan: the faults.
        name: of the eval.
        tools: those that it has.
        specs: what is known of them.
        more: what the message adds.

    Raises:
        UserError: a rule strikes none of them.
    """
    known = {spec.name: spec for spec in specs}
    idle = unmatched(plan, [known.get(tool, ToolSpec(tool)) for tool in sorted(tools)])
    if idle:
        near = _near(plan, idle[0], tools)
        names = ", ".join(near or sorted(tools)[:SHOWN]) + (", ..." if near or len(tools) > SHOWN else "")
        raise UserError(f"the plan's rule {idle[0]!r} strikes no tool of {name}, which has {names}; correct it{more}")


def _near(plan: Plan, rule: str, tools: Collection[str]) -> list[str]:
    """The tools that the rule may mean."""
    matches = (one.match for one in plan.rules if one.id == rule)
    return [near for match in matches if isinstance(match, Tool) for near in get_close_matches(match.tool, tools, n=3)]


def _named(scorers: Iterable[Any]) -> Iterator[tuple[str, list[str]]]:
    """Each scorer's name as in a log, and the scores that it gives, by what it says of its metrics."""
    used: list[str] = []
    for scorer in scorers:
        name = unique_scorer_name(scorer, used)
        used.append(name)
        metrics = registry_info(scorer).metadata.get(SCORER_METRICS)
        keys = list(metrics) if isinstance(metrics, dict) and not any("*" in key for key in metrics) else []
        yield name, [f"{name}.{key}" for key in keys] or [name]
