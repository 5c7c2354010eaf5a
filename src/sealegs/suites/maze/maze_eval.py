"""A run of the suite through Inspect: any model, Inspect's logs in the run's folder."""

from __future__ import annotations

from pathlib import Path

from sealegs.engines.inspect_runner import Display
from sealegs.suites import registry  # noqa: F401 - Inspect finds the scripted agents as models
from sealegs.suites.inspect_entry import play_rest_in_inspect
from sealegs.suites.maze.inspect_task import maze
from sealegs.suites.maze.maze_logs import SCHEMA
from sealegs.suites.maze.options import MazeOptions


def run_maze_in_inspect(settings: MazeOptions, folder: Path, *, display: Display | None = None) -> None:
    """Run what is left of a run through Inspect; see `run_left`."""
    play_rest_in_inspect(maze, settings, folder, SCHEMA, display)
