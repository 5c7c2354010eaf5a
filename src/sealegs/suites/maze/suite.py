"""`maze` as a suite."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from sealegs.suites.running.folders import Progress
from sealegs.suites.suite import RunReport, Suite

if TYPE_CHECKING:
    from sealegs.suites.maze.options import MazeOptions

PUBLISHED = "toolmaze"


class MazeSuite(Suite["MazeOptions"]):
    """Tasks of four levels, each clean and under four kinds of fault."""

    name = "maze"
    summary = "Tasks of four levels on simulated tools, each clean and under four kinds of fault."

    @property
    def options(self) -> type[MazeOptions]:
        """The model of its options."""
        from sealegs.suites.maze.options import MazeOptions

        return MazeOptions

    def run_scripted(self, options: MazeOptions, folder: Path, progress: Progress) -> None:
        """Play what is left of a scripted agent's run without Inspect."""
        from sealegs.suites.maze.running import run_scripted

        run_scripted(options, folder, progress)

    def run_inspect(self, options: MazeOptions, folder: Path) -> None:
        """Play what is left of a run through Inspect."""
        from sealegs.suites.maze.inspect_run import run_inspect

        run_inspect(options, folder)

    def report(self, logs: Path, against: str = "") -> RunReport:
        """Read and judge a run; `against` is another run's logs, or `toolmaze` for the published models."""
        from sealegs.reports.comparison import prompt_of, published_rows
        from sealegs.reports.page import page
        from sealegs.reports.tables import print_limits, print_ranking, print_tables
        from sealegs.scoring.maze_metrics import table
        from sealegs.suites.maze.logs import read_run
        from sealegs.suites.maze.reporting import ceilings, differences, material

        found = read_run(logs)
        results, limits = found.results(), ceilings(found)
        rows = table(results, found.who)
        published = against == PUBLISHED and not Path(PUBLISHED).exists()
        compared = differences(found, Path(against)) if against and not published else []
        prompt = prompt_of(str(record.about.get("prompt", "")) for record in found.records.values())

        def show(console: Console) -> None:
            print_tables(rows, list(results), console)
            print_limits(rows, limits, console)

        def beside(console: Console) -> None:
            if published:
                print_ranking(rows, results, prompt, console)

        return RunReport(
            rows=[*rows, *limits],
            warnings=found.warnings,
            show=show,
            page=lambda: page(material(found, results, [*rows, *limits], compared, limits)),
            beside=beside,
            compared=[*compared, *(published_rows(prompt) if published else ())],
        )


SUITE = MazeSuite()
