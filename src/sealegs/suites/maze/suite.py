"""`maze` as a suite."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from sealegs.engines.folders import Progress
from sealegs.suites.published_rows import PublishedRows
from sealegs.suites.run_options import LOGS
from sealegs.suites.suite import Suite
from sealegs.suites.suite_reports import DetectionReport, RunReport, notes_on_other

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, ModelOutput

    from sealegs.engines.logs import LogSchema
    from sealegs.engines.run_estimate import SizeRange
    from sealegs.reports.page_sections import PageSection
    from sealegs.reports.review_tables import GradedReview
    from sealegs.reports.sections import MazePage
    from sealegs.scenarios.scenario import Scenario
    from sealegs.scoring.entrants import Entrant
    from sealegs.scoring.maze_metrics import MazeResult
    from sealegs.scoring.metric import AnyMetric, Row
    from sealegs.suites.maze.options import MazeOptions
    from sealegs.suites.suite import EpisodeJudge
    from sealegs.traces import Record


class MazeSuite(Suite["MazeOptions", "Scenario", "Record", "MazeResult"]):
    """Tasks of four levels, each clean and under four kinds of fault."""

    name = "maze"
    summary = "Tasks of four levels on simulated tools, each clean and under four kinds of fault."
    judged_ahead = True

    @property
    def options(self) -> type[MazeOptions]:
        """The model of its options."""
        from sealegs.suites.maze.options import MazeOptions

        return MazeOptions

    @property
    def published(self) -> PublishedRows:
        """The published rows."""
        from sealegs.reports.published_models import toolmaze_figures

        return PublishedRows("toolmaze", toolmaze_figures)

    @property
    def schema(self) -> LogSchema[Any]:
        """The schema of the suite's records."""
        from sealegs.suites.maze.maze_logs import SCHEMA

        return SCHEMA

    @property
    def judge(self) -> EpisodeJudge[Scenario, Record, MazeResult]:
        """The strict judge and the published one, on an episode and its record."""
        from sealegs.suites.maze.maze_logs import judge_maze_episode

        return judge_maze_episode

    @property
    def metrics(self) -> Sequence[AnyMetric[MazeResult]]:
        """The metrics of judged episodes, the most that recovery could reach among them."""
        from sealegs.scoring.maze_metrics import MAZE_METRICS

        return MAZE_METRICS

    @property
    def sections(self) -> Sequence[PageSection[MazePage]]:
        """The sections of its page."""
        from sealegs.reports.sections import MAZE_SECTIONS

        return MAZE_SECTIONS

    def run_scripted(self, options: MazeOptions, folder: Path, progress: Progress) -> None:
        """Play what is left of a scripted agent's run without Inspect."""
        from sealegs.suites.maze.agent_run import run_scripted_agent

        run_scripted_agent(options, folder, progress)

    def run_inspect(self, options: MazeOptions, folder: Path) -> None:
        """Play what is left of a run through Inspect."""
        from sealegs.suites.maze.maze_eval import run_maze_in_inspect

        run_maze_in_inspect(options, folder)

    def sizes(self, options: MazeOptions) -> SizeRange:
        """The lengths of episodes, from the agent that takes the shortest way to the one that calls again and again."""
        from sealegs.scenarios.system_prompts import scenario_prompt
        from sealegs.suites.run_sizes import opening_letters, scripted_sizes

        def opening(episode: Scenario) -> int:
            texts = scenario_prompt(options.prompt, episode.moment), episode.base.request
            return opening_letters(texts, episode.specs)

        return scripted_sizes(
            options, ("oracle" if not options.plan else "planner", "retrier"), self.run_scripted, self.schema, opening
        )

    def scripted_names(self) -> Collection[str]:
        """The scripted agents that play it."""
        from sealegs.agents import SCRIPTED

        return SCRIPTED

    def scripted_reply(
        self, name: str, conversation: list[ChatMessage], about: Mapping[str, Any], *, tools: bool
    ) -> ModelOutput:
        """The next message of a scripted agent."""
        from sealegs.suites.maze.agent_replies import next_act

        return next_act(name, conversation, dict(about))

    def holds_review(self, folder: Path) -> bool:
        """Return whether a folder holds a review, as `sealegs maze review` makes it."""
        from sealegs.suites.maze.review.review_folder import SETTINGS

        return (folder / SETTINGS).is_file()

    def grade_review(self, folder: Path) -> GradedReview:
        """Grade the replies of a review, as `sealegs maze review` makes it."""
        from sealegs.suites.maze.review.review_grades import grade_review

        return grade_review(folder)

    def measure_detection(
        self, more: str, limit: int | None, epochs: int, seed: int, recover: bool, out: Path | None, progress: Progress
    ) -> DetectionReport:
        """Measure learned detectors on implicit faults; what is finished is kept, and not measured again."""
        from sealegs.suites.maze.detection import measure_detection
        from sealegs.suites.maze.detection_parts import DetectionSettings
        from sealegs.suites.maze.detection_rows import print_detection

        settings = DetectionSettings(more, limit, epochs, seed)
        found = measure_detection(settings, recover, out or LOGS / settings.name, progress)
        show = partial(print_detection, found.rows, found.levels)
        return DetectionReport(list(found.rows), found.about, show)

    def entrants(self, logs: Path) -> list[Entrant]:
        """Read and judge runs for a ranking."""
        from sealegs.suites.maze.maze_entrants import maze_entrants

        return maze_entrants(logs, self.judge)

    def report(self, logs: Path, against: str = "") -> RunReport:
        """Read and judge a run; `against` is another run's logs, or `toolmaze` for the published models."""
        from sealegs.reports.comparison import prompt_of, published_rows
        from sealegs.reports.maze_page import render_maze_page
        from sealegs.reports.metric_grids import MazeResults
        from sealegs.reports.rank_tables import print_differences
        from sealegs.reports.tables import print_limits, print_ranking, print_tables
        from sealegs.scoring.invalid import InvalidCount, invalid_count, playing_rows
        from sealegs.scoring.maze_metrics import CEILING, maze_table
        from sealegs.suites.maze.judged_maze import judge_maze_run
        from sealegs.suites.maze.page_material import build_page_material, ceiled_results, differences

        found = judge_maze_run(logs, self.judge)
        results = MazeResults(ceiled_results(found))
        table = maze_table(results, found.who, self.metrics)
        limits = [row for row in table if row["metric"] == CEILING.name]  # last, and apart on the page
        rows = [row for row in table if row["metric"] != CEILING.name]
        rows += playing_rows(found.played, found.who)
        published = against == self.published.name and not Path(against).exists()
        other = Path(against)
        compared: list[Row] = []
        warnings, other_validity = found.warnings, InvalidCount()
        if against and not published:
            before = judge_maze_run(other, self.judge)
            compared, other_validity = differences(found, before, other), invalid_count(before.played)
            warnings += notes_on_other(against, before.warnings, compared)
        prompt = prompt_of([found.facts["prompt"]])

        def show(console: Console) -> None:
            print_tables(rows, results, console)
            print_limits(rows, limits, console)

        def beside(console: Console) -> None:
            if published:
                print_ranking(rows, results, prompt, console)
            print_differences(compared, against, console)

        return RunReport(
            rows=[*rows, *limits],
            warnings=warnings,
            show=show,
            page=lambda: render_maze_page(
                build_page_material(replace(found, warnings=warnings), [*rows, *limits], compared, limits),
                sections=self.sections,
            ),
            beside=beside,
            validity=invalid_count(found.played),
            other_validity=other_validity,
            compared=[*compared, *(published_rows(prompt) if published else ())],
        )


SUITE = MazeSuite()
