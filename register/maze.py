"""`maze` for the register of Inspect Evals, whose users run a task by its file: `inspect eval register/maze.py`."""

from __future__ import annotations

from inspect_ai import Task, task

from sealegs.scenarios import LEVELS, MODES
from sealegs.suites.registry import maze


@task
def sealegs_maze(
    levels: str = ",".join(LEVELS),
    modes: str = ",".join(MODES),
    limit: int | None = None,
    prompt: str = "standard",
    seed: int = 0,
) -> Task:
    """Tasks of four levels on simulated tools that fail in four ways.

    Args:
        levels: C1 to C4, separated by commas.
        modes: NP (without faults) and P1 to P4, separated by commas.
        limit: at most this many base tasks of each level.
        prompt: standard or failure-aware.
        seed: decides the faults.
    """
    return maze(levels=levels, modes=modes, limit=limit, prompt=prompt, seed=seed)
