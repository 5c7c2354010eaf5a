"""From what a user typed to a run of generation, with every mistake reported at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from sealegs.faults.user_error import UserError
from sealegs.generate.task_dataset import GenerationYield
from sealegs.scenarios import LEVELS

ENGINES = ("rules", "model")
Progress = Callable[[int, int], None]


def chosen_engine(
    engine: str,
    model: str,
    judge_model: str,
    levels: str,
    per_level: int,
    seed: int,
    tries: int,
    out: Path,
    jobs: int | None = None,
    world: Path | None = None,
) -> Callable[[Progress], GenerationYield]:
    """The run that was asked for, ready to go.

    `world`: the file of a domain of the user's, which tasks are made of in place of the shipped ones.

    Raises:
        UserError: the message holds everything that is wrong with what was asked for.
    """
    named = [level.strip() for level in levels.split(",") if level.strip()]
    problems = [f"unknown level {level!r}: choose from {', '.join(LEVELS)}" for level in named if level not in LEVELS]
    problems += [] if named else [f"no level is named; choose from {', '.join(LEVELS)}"]
    if engine not in ENGINES:
        problems.append(f"unknown engine {engine!r}: choose from {', '.join(ENGINES)}")
    if engine == "model" and not model:
        problems.append("--engine model needs a model: --model openai/gpt-5")
    if engine == "rules" and (model or judge_model):
        problems.append("--engine rules asks no model; leave --model and --judge-model out, or say --engine model")
    if engine == "model" and world is not None:
        problems.append(
            "--engine model makes tasks of the shipped tools alone; leave --world out, or say --engine rules"
        )
    if engine == "model" and find_spec("inspect_ai") is None:
        problems.append('models are asked through Inspect, which is not installed: pip install "sealegs[bench]"')
    if problems:
        raise UserError("; ".join(problems))
    wanted = tuple(level for level in LEVELS if level in named)
    if engine == "rules":
        from sealegs.generate.rules.engine import generate_by_rules
        from sealegs.generate.world_tasks import sound_domain

        if world is not None:
            sound_domain(world)
        return lambda progress: generate_by_rules(wanted, per_level, seed, out, progress, jobs, world)
    from sealegs.generate.staged.pipeline import generate_with_models as staged

    return partial(staged, wanted, per_level, seed, out, model, judge_model or model, tries)
