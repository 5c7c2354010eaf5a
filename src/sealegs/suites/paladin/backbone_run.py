"""Running the suite with a scripted backbone."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from sealegs.engines.folders import RECORDS, Progress, run_rest
from sealegs.suites.paladin.arm_engine import play_paladin_episodes
from sealegs.suites.paladin.arm_table import FORM
from sealegs.suites.paladin.options import PaladinOptions
from sealegs.suites.paladin.paladin_logs import SCHEMA
from sealegs.suites.played_tables import play_with_table
from sealegs.suites.verdict_tables import known_with_table


def run_scripted_backbone(options: PaladinOptions, folder: Path, progress: Progress, jobs: int | None = None) -> None:
    """Run what is left of a scripted backbone's run without Inspect."""
    play = partial(play_paladin_episodes, backbone=options.agent, setup=options.setup, jobs=jobs or options.jobs)
    with_table = partial(play_with_table, records=folder / RECORDS, play=play, form=FORM)
    run_rest(options, folder, SCHEMA, with_table, progress, partial(known_with_table, form=FORM))
