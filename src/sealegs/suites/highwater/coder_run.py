"""Running the suite with a scripted agent."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from sealegs.engines.folders import RECORDS, Progress, run_rest
from sealegs.suites.highwater.coder_engine import play_highwater_episodes
from sealegs.suites.highwater.coder_table import FORM
from sealegs.suites.highwater.highwater_logs import SCHEMA
from sealegs.suites.highwater.options import HighwaterOptions
from sealegs.suites.played_tables import play_with_table
from sealegs.suites.verdict_tables import known_with_table


def run_scripted_coder(options: HighwaterOptions, folder: Path, progress: Progress, jobs: int | None = None) -> None:
    """Run what is left of a scripted agent's run without Inspect.

    Raises:
        UserError: the sandbox here is too weak, or the folder holds something else.
    """
    play = partial(play_highwater_episodes, agent=options.agent, setup=options.setup, jobs=jobs or options.jobs)
    with_table = partial(play_with_table, records=folder / RECORDS, play=play, form=FORM)
    run_rest(options, folder, SCHEMA, with_table, progress, partial(known_with_table, form=FORM))
