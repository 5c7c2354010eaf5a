"""From what a user typed to a run of generation, with every mistake reported at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from sealegs.engines.shards import Shard
from sealegs.faults.user_error import UserError
from sealegs.generate.task_dataset import GenerationYield
from sealegs.scenarios import LEVELS

if TYPE_CHECKING:
    from sealegs.generate.private_set import PrivateSet
    from sealegs.generate.staged.reverse_validation import ReverseValidation

METHODS = ("rules", "model")
PER_LEVEL = 25  # tasks, by default
VALIDATION = Path("sealegs-validation")
Progress = Callable[[int, int], None]


def chosen_method(
    *,
    method: str,
    model: str,
    judge_model: str,
    levels: str,
    per_level: int,
    seed: int,
    tries: int,
    out: Path,
    jobs: int | None = None,
    world: Path | None = None,
    shard: Shard | None = None,
) -> Callable[[Progress], GenerationYield | int]:
    """The requested run, ready to go.

    Args:
        world: the file of a domain of the user's, which tasks are made of in place of the shipped ones.
        shard: the part of the attempts that is to be made: then what is made is how many tasks they hold.

    Raises:
        UserError: the message holds everything that is wrong with the options.
    """
    wanted, problems = _named_levels(levels)
    if method not in METHODS:
        problems.append(f"unknown method {method!r}: choose from {', '.join(METHODS)}")
    if method == "model" and not model:
        problems.append("--method model needs a model: --model openai/gpt-5")
    if method == "rules" and (model or judge_model):
        problems.append("--method rules asks no model; leave --model and --judge-model out, or say --method model")
    if method == "model" and world is not None:
        problems.append(
            "--method model makes tasks of the shipped tools alone; leave --world out, or say --method rules"
        )
    if method == "model" and shard is not None:
        problems.append(
            "--shard divides --method rules alone: with models each task is requested once it is known that one is "
            "missing; leave it out"
        )
    # Looked for and not imported, so that a missing package is named together with every other mistake.
    if method == "model" and find_spec("inspect_ai") is None:
        problems.append('models are called through Inspect, which is not installed: pip install "sealegs[bench]"')
    if problems:
        raise UserError("; ".join(problems))
    if method == "rules":
        from sealegs.generate.rules.engine import generate_by_rules
        from sealegs.generate.world_tasks import sound_domain

        if world is not None:
            sound_domain(world)  # generation takes it as sound
        if shard is not None:
            from sealegs.generate.task_shards import make_task_shard

            return lambda progress: make_task_shard(wanted, per_level, seed, out, shard, progress, jobs, world)
        return lambda progress: generate_by_rules(wanted, per_level, seed, out, progress, jobs, world)
    # Only here: it imports Inspect, which `rules` does without.
    from sealegs.generate.staged.pipeline import generate_with_models as staged

    return partial(staged, wanted, per_level, seed, out, model, judge_model or model, tries)


def chosen_private(
    levels: str, per_level: int | None, seed: int | None, out: Path, jobs: int | None, unfit: Sequence[str]
) -> Callable[[Progress], PrivateSet]:
    """The requested private set, ready to be made.

    Args:
        levels, per_level, seed, out, jobs: of the set.
        unfit: further options, which do not go with it.

    Raises:
        UserError: the message holds everything that is wrong with the options.
    """
    wanted, problems = _named_levels(levels)
    if unfit:
        problems.append(f"--private makes a whole set by rules, of the tools that ship; leave {', '.join(unfit)} out")
    if problems:
        raise UserError("; ".join(problems))
    from sealegs.generate.private_set import make_private_set

    return lambda progress: make_private_set(wanted, per_level, seed, out, progress, jobs)


def chosen_validation(
    model: str, levels: str, limit: int | None, tries: int, out: Path | None
) -> Callable[[Progress], ReverseValidation]:
    """The requested reverse validation, ready to go.

    Raises:
        UserError: the message holds everything that is wrong with the options.
    """
    wanted, problems = _named_levels(levels)
    if not model.strip():
        problems.append("no model is named: --model openai/gpt-5")
    if find_spec("inspect_ai") is None:
        problems.append('models are called through Inspect, which is not installed: pip install "sealegs[bench]"')
    if problems:
        raise UserError("; ".join(problems))
    from sealegs.generate.staged.reverse_validation import validate_shipped

    folder = out or VALIDATION / re.sub(r"[^\w.-]+", "-", model).strip(".-")
    return partial(validate_shipped, wanted, limit, model, tries, folder)


def _named_levels(levels: str) -> tuple[tuple[str, ...], list[str]]:
    """The levels that are named, and what is wrong with their names."""
    named = [level.strip() for level in levels.split(",") if level.strip()]
    problems = [f"unknown level {level!r}: choose from {', '.join(LEVELS)}" for level in named if level not in LEVELS]
    problems += [] if named else [f"no level is named; choose from {', '.join(LEVELS)}"]
    return tuple(level for level in LEVELS if level in named), problems
