"""One HTML file about runs of `highwater`: tables and figures; no network and no script. Needs the extra `report`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sealegs.faults.user_error import UserError
from sealegs.reports.highwater_tables import highwater_lines, runner_name
from sealegs.scoring.highwater_metrics import HighwaterResult
from sealegs.scoring.metric import Row


def render_highwater_page(
    rows: Sequence[Row],
    results: Sequence[tuple[str, HighwaterResult]],
    facts: Mapping[str, str],
    warnings: Sequence[str],
) -> str:
    """The page.

    Args:
        rows: the long table of the runs.
        results: each judged episode with the agent's or model's name.
        facts: what appears at the top, by name.
        warnings: what reading had to leave out.

    Raises:
        UserError: jinja2 or matplotlib is not installed.
    """
    try:
        from markupsafe import Markup

        from sealegs.reports.highwater_plots import accuracy_figure, turns_figure
        from sealegs.reports.templating import environment
    except ModuleNotFoundError as error:
        raise UserError(f'the page needs {error.name}; run: pip install "sealegs[report]"') from error
    figures = [
        ("Accuracy by number of distractors", accuracy_figure(rows)),
        ("Turns of an episode", turns_figure(results) if results else ""),
    ]
    return (
        environment()
        .get_template("highwater.html.j2")
        .render(
            suite="highwater",
            names=", ".join(dict.fromkeys(runner_name(row) for row in rows)),
            facts=facts,
            warnings=warnings,
            tables=highwater_lines(rows, [result for _, result in results], beside=True),
            figures=[(title, Markup(svg)) for title, svg in figures if svg],
        )
    )
