"""Running the suite with a scripted agent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from sealegs.engines.direct import CHUNK, EpisodeLines, play_scenarios, prepare_processes
from sealegs.engines.folders import RECORDS, Progress, run_rest
from sealegs.scenarios.scenario import Scenario
from sealegs.suites.maze.maze_logs import SCHEMA
from sealegs.suites.maze.options import MazeOptions
from sealegs.suites.maze.verdict_table import FORM
from sealegs.suites.played_tables import Note, play_with_table
from sealegs.suites.verdict_tables import known_with_table


def run_scripted_agent(options: MazeOptions, folder: Path, progress: Progress, jobs: int | None = None) -> None:
    """Run what is left of a scripted agent's run without Inspect."""

    jobs = jobs or options.jobs
    limit, times = options.limit, len(options.levels) * len(options.modes) * options.epochs
    if limit is None or limit * times > CHUNK:  # fewer are played in this process
        prepare_processes(jobs)

    def play(left: Sequence[Scenario], note: Note[Scenario]) -> Iterator[EpisodeLines]:
        return play_scenarios(
            left,
            agent=options.agent,
            setup=options.setup,
            engine=options.engine,
            jobs=jobs,
            note=note,
        )

    with_table = partial(play_with_table, records=folder / RECORDS, play=play, form=FORM)
    run_rest(options, folder, SCHEMA, with_table, progress, partial(known_with_table, form=FORM))
