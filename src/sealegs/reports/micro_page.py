"""One HTML page about a campaign: its tables beside the published ones, and every run with its evidence."""

from __future__ import annotations

from collections.abc import Sequence

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
from sealegs.reports.page_extra import extra
from sealegs.scoring.micro_metrics import MEANINGS, SILENT, LabelledRun


def render_micro_page(name: str, runs: Sequence[LabelledRun], notes: Sequence[str], tasks: str = "") -> str:
    """The page.

    Args:
        name: the campaign's.
        runs: every finished run with its outcome.
        notes: what a person should know, in sentences.
        tasks: the edition of the workloads.

    Raises:
        MissingExtra: what pages are made with is not installed.
    """
    with extra():
        from sealegs.reports.templating import environment
    first = sorted(runs, key=lambda run: run.shown != SILENT)  # what would have gone unnoticed comes first
    return (
        environment()
        .get_template("campaign.html.j2")
        .render(
            name=name,
            tasks=tasks,
            runs=first,
            summary=campaign_summary(runs),
            notes=notes,
            tables=[("This campaign", count_outcomes(runs)), (published.CHAOSLLM, published_outcomes())],
            rates=[("This campaign", rate_models(runs)), (published.CHAOSLLM, published_rates())],
            meanings=MEANINGS,
            compared=COMPARED,
            flows=flows(runs),
            ways=FLOWS,
        )
    )
