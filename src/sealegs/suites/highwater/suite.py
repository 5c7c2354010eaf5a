"""`highwater` as a suite."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sealegs.engines.folders import Progress
from sealegs.faults.user_error import UserError
from sealegs.suites.published_rows import PublishedRows
from sealegs.suites.suite import Suite
from sealegs.suites.suite_reports import RunReport

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, ModelOutput

    from sealegs.engines.logs import LogSchema
    from sealegs.reports.highwater_page import HighwaterPage
    from sealegs.reports.page_sections import PageSection
    from sealegs.scoring.entrants import Entrant
    from sealegs.scoring.highwater_metrics import HighwaterResult
    from sealegs.scoring.metric import AnyMetric
    from sealegs.suites.highwater.options import HighwaterOptions
    from sealegs.suites.highwater.problem_episodes import HighwaterEpisode
    from sealegs.suites.suite import EpisodeJudge
    from sealegs.traces import Record


class HighwaterSuite(Suite["HighwaterOptions", "HighwaterEpisode", "Record", "HighwaterResult"]):
    """Functions made from SQL, of which the first that would do is refused."""

    name = "highwater"
    summary = "Thousands of functions made from SQL; the first one that would do is refused, so another way is needed."
    reported_together = True
    judged_ahead = True

    @property
    def options(self) -> type[HighwaterOptions]:
        """The model of its options."""
        from sealegs.suites.highwater.options import HighwaterOptions

        return HighwaterOptions

    @property
    def published(self) -> PublishedRows:
        """The published rows."""
        from sealegs.reports.published_models import hohw_figures

        return PublishedRows("hohw", hohw_figures)

    @property
    def schema(self) -> LogSchema[Any]:
        """The schema of the suite's records."""
        from sealegs.suites.highwater.highwater_logs import SCHEMA

        return SCHEMA

    @property
    def judge(self) -> EpisodeJudge[HighwaterEpisode, Record, HighwaterResult]:
        """The judge of an episode, by its record."""
        from sealegs.suites.highwater.highwater_logs import judge_highwater_episode

        return judge_highwater_episode

    @property
    def metrics(self) -> Sequence[AnyMetric[HighwaterResult]]:
        """The metrics of judged episodes."""
        from sealegs.scoring.highwater_metrics import HIGHWATER_METRICS

        return HIGHWATER_METRICS

    @property
    def sections(self) -> Sequence[PageSection[HighwaterPage]]:
        """The sections of its page."""
        from sealegs.reports.highwater_page import HIGHWATER_SECTIONS

        return HIGHWATER_SECTIONS

    def run_scripted(self, options: HighwaterOptions, folder: Path, progress: Progress) -> None:
        """Play what is left of a scripted agent's run without Inspect."""
        from sealegs.suites.highwater.coder_run import run_scripted_coder

        run_scripted_coder(options, folder, progress)

    def run_inspect(self, options: HighwaterOptions, folder: Path) -> None:
        """Play what is left of a run through Inspect."""
        from sealegs.suites.highwater.highwater_eval import run_highwater_in_inspect

        run_highwater_in_inspect(options, folder)

    def notes(self, options: HighwaterOptions) -> Iterator[str]:
        """Say that no code is run, if nothing here could contain it."""
        from sealegs.sandbox import find_isolation

        if not options.setup.runs_code and not find_isolation().strong:
            yield "no strong sandbox here, so the agent's calls are made without one, and no code is run"

    def scripted_names(self) -> Collection[str]:
        """The scripted agents that play it."""
        from sealegs.agents import CODERS

        return CODERS

    def scripted_reply(
        self, name: str, conversation: list[ChatMessage], about: Mapping[str, Any], *, tools: bool
    ) -> ModelOutput:
        """The next message of a scripted agent."""
        from sealegs.suites.highwater.coder_replies import next_message

        return next_message(name, conversation, dict(about))

    def entrants(self, logs: Path) -> list[Entrant]:
        """Read and judge runs for a ranking."""
        from sealegs.suites.highwater.highwater_entrants import highwater_entrants

        return highwater_entrants(logs, self.judge)

    def report(self, logs: Path, against: str = "") -> RunReport:
        """Read and judge the runs of a folder; `against` is `hohw`, the published rows."""
        from sealegs.reports.highwater_page import HighwaterPage, render_highwater_page
        from sealegs.reports.highwater_tables import print_highwater
        from sealegs.suites.highwater.judged_runs import judge_highwater_runs

        beside = self.published.name
        if against not in ("", beside):
            raise UserError(
                f"a run of highwater can be compared only with {beside} (the published rows), not with {against!r}"
            )
        found = judge_highwater_runs(logs, self.judge, self.metrics)
        results = [result for _, result in found.results]
        page = HighwaterPage(found.rows, found.results, found.facts, found.warnings)
        return RunReport(
            rows=found.rows,
            warnings=found.warnings,
            show=lambda console: print_highwater(found.rows, results, console, against == beside),
            page=lambda: render_highwater_page(page, self.sections),
            validity=found.validity,
        )


SUITE = HighwaterSuite()
