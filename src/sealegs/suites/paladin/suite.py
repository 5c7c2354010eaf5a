"""`paladin` as a suite."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from sealegs.engines.folders import Progress
from sealegs.faults.user_error import UserError
from sealegs.suites.published_rows import PublishedRows
from sealegs.suites.suite import Suite
from sealegs.suites.suite_reports import RunReport, TraceGrades

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, ModelOutput

    from sealegs.engines.logs import LogSchema
    from sealegs.reports.page_sections import PageSection
    from sealegs.reports.paladin_page import PaladinPage
    from sealegs.scoring.entrants import Entrant
    from sealegs.scoring.metric import AnyMetric, Row
    from sealegs.scoring.paladin_metrics import PaladinResult
    from sealegs.scoring.trace_labels import Labels
    from sealegs.suites.paladin.episodes import PaladinEpisode
    from sealegs.suites.paladin.options import PaladinOptions
    from sealegs.suites.suite import EpisodeJudge
    from sealegs.traces import Record


class PaladinSuite(Suite["PaladinOptions", "PaladinEpisode", "Record", "PaladinResult"]):
    """One labelled failure in a task, and arms that recover from it or do not."""

    name = "paladin"
    summary = "One labelled failure in each task, and six ways to prompt a model to recover from it."
    reported_together = True
    judged_ahead = True

    @property
    def options(self) -> type[PaladinOptions]:
        """The model of its options."""
        from sealegs.suites.paladin.options import PaladinOptions

        return PaladinOptions

    @property
    def published(self) -> PublishedRows:
        """The published rows."""
        from sealegs.reports.published_models import paladin_figures

        return PublishedRows("paladin", paladin_figures)

    @property
    def schema(self) -> LogSchema[Any]:
        """The schema of the suite's records."""
        from sealegs.suites.paladin.paladin_logs import SCHEMA

        return SCHEMA

    @property
    def judge(self) -> EpisodeJudge[PaladinEpisode, Record, PaladinResult]:
        """The strict judge, and the published protocol, on an episode and its record."""
        from sealegs.suites.paladin.paladin_logs import judge_paladin_episode

        return judge_paladin_episode

    @property
    def metrics(self) -> Sequence[AnyMetric[PaladinResult]]:
        """The metrics of judged episodes."""
        from sealegs.scoring.paladin_metrics import PALADIN_METRICS

        return PALADIN_METRICS

    @property
    def sections(self) -> Sequence[PageSection[PaladinPage]]:
        """The sections of its page."""
        from sealegs.reports.paladin_page import PALADIN_SECTIONS

        return PALADIN_SECTIONS

    def run_scripted(self, options: PaladinOptions, folder: Path, progress: Progress) -> None:
        """Play what is left of a scripted agent's run without Inspect."""
        from sealegs.suites.paladin.backbone_run import run_scripted_backbone

        run_scripted_backbone(options, folder, progress)

    def run_inspect(self, options: PaladinOptions, folder: Path) -> None:
        """Play what is left of a run through Inspect."""
        from sealegs.suites.paladin.paladin_eval import run_paladin_in_inspect

        run_paladin_in_inspect(options, folder)

    def scripted_names(self) -> Collection[str]:
        """The scripted agents that play it."""
        from sealegs.agents.backbones import BACKBONES

        return BACKBONES

    def scripted_reply(
        self, name: str, conversation: list[ChatMessage], about: Mapping[str, Any], *, tools: bool
    ) -> ModelOutput:
        """The next message of a scripted agent."""
        from sealegs.suites.paladin.backbone_replies import next_reply

        return next_reply(name, conversation, dict(about), tools=tools)

    def grade(self, logs: Path, grader: str, model: str) -> TraceGrades:
        """Grade each trace of runs by the questions of the rubric, with code or with a model."""
        from sealegs.reports.grader_tables import print_grades
        from sealegs.suites.paladin.graders import chosen_grader, grade_lines, grade_traces, share_rows, traces_in

        grading = chosen_grader(grader, model)
        found = grade_traces(traces_in(logs), grading)
        rows = share_rows(found, model or "code")
        return TraceGrades(rows, grade_lines(found), len(found), lambda console: print_grades(rows, console))

    @property
    def label_sets(self) -> Mapping[str, Callable[[], Labels]]:
        """The two labelled sets, and the code grader's grades of the same traces."""
        from sealegs.suites.paladin.shipped_labels import LABEL_SETS, label_set

        return {name: partial(label_set, name) for name in LABEL_SETS}

    def entrants(self, logs: Path) -> list[Entrant]:
        """Read and judge runs for a ranking."""
        from sealegs.suites.paladin.paladin_entrants import paladin_entrants

        return paladin_entrants(logs, self.judge)

    def report(self, logs: Path, against: str = "") -> RunReport:
        """Read and judge the runs of a folder, all arms side by side; `against` is `paladin`, the published rows."""
        from sealegs.reports.paladin_page import PaladinPage, render_paladin_page
        from sealegs.reports.paladin_tables import (
            correlation_rows,
            correlations,
            print_paladin,
            print_published_paladin,
        )
        from sealegs.suites.paladin.judged_arms import judge_paladin_runs

        if against not in ("", self.published.name):
            raise UserError(
                f"runs of paladin can be compared only with {self.published.name} (the published rows), not with "
                f"{against!r}"
            )
        found = judge_paladin_runs(logs, self.judge, self.metrics)
        page = PaladinPage(found.rows, found.episodes, found.facts, found.warnings)
        who: Row = {"suite": "paladin", "agent": "all runs"}

        def beside(console: Console) -> None:
            if against:
                print_published_paladin(console)

        return RunReport(
            rows=found.rows,
            warnings=found.warnings,
            show=lambda console: print_paladin(found.rows, console),
            page=lambda: render_paladin_page(page, self.sections),
            validity=found.validity,
            beside=beside,
            compared=list(correlation_rows(correlations(found.rows), who)),
        )


SUITE = PaladinSuite()
