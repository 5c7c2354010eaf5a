"""Running the suite with a scripted agent."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from sealegs.engines.folders import Progress, run_rest
from sealegs.suites.highwater.coder_engine import play_highwater_episodes
from sealegs.suites.highwater.highwater_logs import SCHEMA
from sealegs.suites.highwater.options import HighwaterOptions


def run_scripted_coder(options: HighwaterOptions, folder: Path, progress: Progress, jobs: int | None = None) -> None:
    """Run what is left of a scripted agent's run without Inspect.

    Raises:
        UserError: the sandbox here is too weak, or the folder holds something else.
    """
    play = partial(play_highwater_episodes, agent=options.agent, setup=options.setup, jobs=jobs or options.jobs)
    run_rest(options, folder, SCHEMA, play, progress)
