"""One HTML file about runs of `highwater`: tables and figures; no network and no script. Needs the extra `report`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sealegs.reports.highwater_tables import highwater_lines, runner_name
from sealegs.reports.page_sections import PageSection, render_page
from sealegs.scoring.highwater_metrics import HighwaterResult
from sealegs.scoring.metric import Row


@dataclass(frozen=True)
class HighwaterPage:
    """The material of a page.

    Attributes:
        rows: the long table of the runs.
        results: each judged episode with the agent's or model's name.
        facts: what appears at the top, by name.
        warnings: what reading had to leave out.
    """

    rows: Sequence[Row]
    results: Sequence[tuple[str, HighwaterResult]]
    facts: Mapping[str, str]
    warnings: Sequence[str]


def render_highwater_page(page: HighwaterPage, sections: Sequence[PageSection[HighwaterPage]]) -> str:
    """The page.

    Raises:
        MissingExtra: jinja2 or matplotlib is not installed.
    """
    head = {
        "suite": "highwater",
        "names": ", ".join(dict.fromkeys(runner_name(row) for row in page.rows)),
        "facts": page.facts,
        "warnings": page.warnings,
    }
    return render_page("highwater.html.j2", head, sections, page)


def _tables(page: HighwaterPage) -> dict[str, object]:
    found = highwater_lines(page.rows, [result for _, result in page.results], beside=True)
    return {"tables": found} if found else {}


def _figures(page: HighwaterPage) -> dict[str, object]:
    from markupsafe import Markup

    from sealegs.reports.highwater_plots import accuracy_figure, turns_figure

    figures = [
        ("Accuracy by number of distractors", accuracy_figure(page.rows)),
        ("Turns of an episode", turns_figure(page.results) if page.results else ""),
    ]
    shown = [(title, Markup(svg)) for title, svg in figures if svg]
    return {"figures": shown} if shown else {}


HIGHWATER_SECTIONS = (
    PageSection("tables", "highwater_tables.html.j2", _tables),
    PageSection("figures", "figures.html.j2", _figures),
)
