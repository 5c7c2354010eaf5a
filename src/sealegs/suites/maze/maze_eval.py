"""A run of the suite through Inspect: any model, Inspect's logs in the run's folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inspect_ai import Task

from sealegs.engines.inspect_runner import Display, run_left
from sealegs.scenarios.scenario import Scenario
from sealegs.suites import registry  # noqa: F401 - Inspect finds the scripted agents as models
from sealegs.suites.maze.inspect_task import maze
from sealegs.suites.maze.maze_logs import FORM
from sealegs.suites.maze.options import MazeOptions


def run_maze_in_inspect(settings: MazeOptions, folder: Path, *, display: Display | None = None) -> None:
    """Run what is left of a run through Inspect; see `run_left`."""

    def make(left: list[Scenario]) -> Task:
        return maze(
            levels=settings.levels,
            modes=settings.modes,
            prompt=settings.prompt,
            limit=settings.limit,
            epochs=settings.epochs,
            seed=settings.seed,
            max_steps=settings.max_steps,
            plan=settings.plan,
            tasks=settings.tasks,
            recovery=settings.recovery,
            moment=settings.moment,
            implicit=settings.implicit,
            only=None if len(left) == len(settings.episodes()) else [episode.id for episode in left],
        )

    name = f"sealegs/{settings.agent}" if settings.agent else settings.model
    options: dict[str, Any] = {"log_realtime": False, "max_samples": 8} if settings.agent else {}
    run_left(settings, folder, FORM, name, make, setup=settings.model_setup, display=display, **options)
