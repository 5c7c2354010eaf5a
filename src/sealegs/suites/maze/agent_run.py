"""Running the suite with a scripted agent."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from sealegs.suites.maze.direct import play_maze_episodes
from sealegs.suites.maze.maze_logs import FORM
from sealegs.suites.maze.options import MazeOptions
from sealegs.suites.running.folders import Progress, run_rest


def run_scripted_agent(options: MazeOptions, folder: Path, progress: Progress, jobs: int | None = None) -> None:
    """Run what is left of a scripted agent's run without Inspect."""
    play = partial(
        play_maze_episodes,
        agent=options.agent,
        max_steps=options.max_steps,
        recovery=options.recovery,
        engine=options.engine,
        jobs=jobs or options.jobs,
    )
    run_rest(options, folder, FORM, play, progress)
