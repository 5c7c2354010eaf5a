"""One HTML page about a campaign: its tables beside the published ones, and every run with its evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sealegs.reports import published
from sealegs.reports.micro_tables import (
    COMPARED,
    FLOWS,
    campaign_summary,
    count_outcomes,
    flows,
    published_outcomes,
    published_rates,
    rate_models,
)
from sealegs.reports.page_sections import PageSection, render_page
from sealegs.scoring.micro_metrics import MEANINGS, SILENT, LabelledRun


@dataclass(frozen=True)
class MicroPage:
    """The material of a page.

    Attributes:
        name: the campaign's.
        runs: every finished run with its outcome.
        notes: what a person should know, in sentences.
        tasks: the edition of the workloads.
    """

    name: str
    runs: Sequence[LabelledRun]
    notes: Sequence[str]
    tasks: str = ""


def _rates(page: MicroPage) -> dict[str, object]:
    found = [("This campaign", rate_models(page.runs)), (published.CHAOSLLM, published_rates())]
    return {"rates": found, "meanings": MEANINGS, "compared": COMPARED}


def _endings(page: MicroPage) -> dict[str, object]:
    return {"tables": [("This campaign", count_outcomes(page.runs)), (published.CHAOSLLM, published_outcomes())]}


def _flows(page: MicroPage) -> dict[str, object]:
    found = flows(page.runs)
    return {"flows": found, "ways": FLOWS} if found else {}


def _runs(page: MicroPage) -> dict[str, object]:
    return {
        "runs": sorted(page.runs, key=lambda run: run.shown != SILENT)
    }  # what would have gone unnoticed comes first


MICRO_SECTIONS = (
    PageSection("rates", "campaign_rates.html.j2", _rates),
    PageSection("endings", "campaign_endings.html.j2", _endings),
    PageSection("flows", "flows.html.j2", _flows),
    PageSection("runs", "campaign_runs.html.j2", _runs),
)


def render_micro_page(page: MicroPage, sections: Sequence[PageSection[MicroPage]] = MICRO_SECTIONS) -> str:
    """The page.

    Raises:
        MissingExtra: what pages are made with is not installed.
    """
    head = {"name": page.name, "tasks": page.tasks, "summary": campaign_summary(page.runs), "notes": page.notes}
    return render_page("campaign.html.j2", head, sections, page)
