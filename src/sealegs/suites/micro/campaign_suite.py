"""`micro` as a suite: campaigns of small runs, each in a process of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sealegs.engines.folders import Progress
from sealegs.faults.user_error import UserError
from sealegs.suites.published_rows import PublishedRows
from sealegs.suites.suite import RunView, Suite
from sealegs.suites.suite_reports import RunReport
from sealegs.traces.folder_lock import FolderLock

if TYPE_CHECKING:
    from sealegs.engines.merging import MergeResult, ShardFolder
    from sealegs.reports.micro_page import MicroPage
    from sealegs.reports.page_sections import PageSection
    from sealegs.scoring.entrants import Entrant
    from sealegs.scoring.metric import AnyMetric
    from sealegs.scoring.micro_metrics import LabelledRun
    from sealegs.suites.micro.campaign.campaign_runner import ReadyCampaign
    from sealegs.suites.micro.campaign.labelling import CampaignContext
    from sealegs.suites.micro.campaign.runs import PlannedRun
    from sealegs.suites.micro.campaign_options import MicroOptions
    from sealegs.suites.suite import EpisodeJudge
    from sealegs.traces.chain_check import ChainFinding

CAMPAIGN = "campaign.json"  # in the folder of every campaign


class MicroSuite(Suite["MicroOptions", "PlannedRun", "CampaignContext", "LabelledRun"]):
    """Small tasks under one fault each, beside the same run without it."""

    name = "micro"
    summary = "A campaign: small tasks for agents of LangChain, each under one fault, beside the same run without it."

    @property
    def options(self) -> type[MicroOptions]:
        """The model of its options."""
        from sealegs.suites.micro.campaign_options import MicroOptions

        return MicroOptions

    @property
    def published(self) -> PublishedRows:
        """The published rates, which a ranking shows; a report puts nothing beside a campaign."""
        from sealegs.reports.published_models import chaosllm_figures

        return PublishedRows("", chaosllm_figures)

    @property
    def judge(self) -> EpisodeJudge[PlannedRun, CampaignContext, LabelledRun]:
        """The judge of a run, by the rules and by what people say of it."""
        with needing_langchain():
            from sealegs.suites.micro.campaign.labelling import label_run
        return label_run

    @property
    def metrics(self) -> Sequence[AnyMetric[LabelledRun]]:
        """The rates and counts of labelled runs."""
        from sealegs.scoring.micro_metrics import MICRO_METRICS

        return MICRO_METRICS

    @property
    def sections(self) -> Sequence[PageSection[MicroPage]]:
        """The sections of a campaign's page."""
        from sealegs.reports.micro_page import MICRO_SECTIONS

        return MICRO_SECTIONS

    def play(self, options: MicroOptions, folder: Path, view: RunView) -> None:
        """Play what is left of a campaign.

        Raises:
            UserError: the file is not a campaign, the folder holds something else, or LangChain is not installed.
        """
        with FolderLock(folder):
            ready = _ready_campaign(options, folder)
            for note in ready.notes:
                view.note(note)
            with view.progress(f"{options.label} on {self.name}") as progress:
                ready.run(progress, view.note)

    def run_scripted(self, options: MicroOptions, folder: Path, progress: Progress) -> None:
        """Play what is left of a campaign without a word."""
        with FolderLock(folder):
            _ready_campaign(options, folder).run(progress, lambda note: None)

    def run_inspect(self, options: MicroOptions, folder: Path) -> None:
        """Refuse: its agents are LangChain's.

        Raises:
            UserError: always.
        """
        raise UserError("micro plays agents of LangChain, and has no run through Inspect; leave --engine out")

    def merge(self, parts: Sequence[ShardFolder], out: Path) -> MergeResult:
        """Join the folders of a campaign's shards."""
        with needing_langchain():
            from sealegs.suites.micro.campaign.campaign_merge import merge_campaigns
        return merge_campaigns(parts, out)

    def verify(self, logs: Path) -> list[ChainFinding]:
        """Check the journal, the traces and the verdicts of a campaign."""
        from sealegs.suites.micro.campaign.kept_records import check_campaign_records

        return check_campaign_records(logs)

    def holds(self, logs: Path) -> bool:
        """Return whether a folder is that of a campaign."""
        return (logs / CAMPAIGN).is_file()

    def entrants(self, logs: Path) -> list[Entrant]:
        """Read and judge the models of a campaign for a ranking."""
        with needing_langchain():
            from sealegs.suites.micro.campaign_entrants import campaign_entrants
        return campaign_entrants(logs, self.judge)

    def report(self, logs: Path, against: str = "") -> RunReport:
        """Read and judge the runs of a campaign."""
        from sealegs.reports.micro_page import render_micro_page
        from sealegs.reports.micro_tables import print_campaign

        with needing_langchain():
            from sealegs.suites.micro.campaign.campaign_results import read_folder
        if against:
            raise UserError(f"a campaign is not compared with another run; leave --against {against} out")
        found = read_folder(logs, label=self.judge)
        return RunReport(
            rows=found.rows(self.metrics),
            warnings=found.notes,
            validity=found.validity,
            show=lambda console: print_campaign(found.runs, console),
            page=lambda: render_micro_page(found.page(), self.sections),
        )


def _ready_campaign(options: MicroOptions, folder: Path) -> ReadyCampaign:
    with needing_langchain():
        from sealegs.suites.micro.campaign.campaign_runner import prepare_campaign
    return prepare_campaign(
        options.campaign, options.model, folder, jobs=options.at_once, budget=options.time_limit, shard=options.part
    )


@contextmanager
def needing_langchain() -> Iterator[None]:
    """Import in this block what runs agents, or reads what they ran.

    Raises:
        UserError: LangChain is not installed.
    """
    try:
        yield
    except ImportError as error:
        lacking = (error.name or "langchain").partition(".")[0]
        raise UserError(
            f'campaigns run agents of LangChain, and {lacking} is not installed: pip install "sealegs[micro]"'
        ) from error


SUITE = MicroSuite()
