"""Running the suite with a scripted agent."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from sealegs.engines.direct import play_scenarios
from sealegs.engines.folders import Progress, run_rest
from sealegs.suites.maze.maze_logs import FORM
from sealegs.suites.maze.options import MazeOptions


def run_scripted_agent(options: MazeOptions, folder: Path, progress: Progress, jobs: int | None = None) -> None:
    """Run what is left of a scripted agent's run without Inspect."""
    play = partial(
        play_scenarios,
        agent=options.agent,
        setup=options.setup,
        engine=options.engine,
        jobs=jobs or options.jobs,
    )
    run_rest(options, folder, FORM, play, progress)
