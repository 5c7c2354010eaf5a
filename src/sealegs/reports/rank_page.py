"""A ranking as a page: the table, figures of at most five lines with their data to download, effects, all pairs."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from sealegs.reports.page_extra import extra
from sealegs.reports.rank_files import csv_text
from sealegs.reports.rank_tables import (
    FUNNEL,
    WRONG,
    cell_lines,
    course_tables,
    heading,
    how,
    pair_lines,
    private_notes,
    private_tables,
    ranking_lines,
    scaling_lines,
    scaling_notes,
    shown_metric,
)
from sealegs.scoring.ranking_rows import RankTable
from sealegs.scoring.scaling import Scaling

if TYPE_CHECKING:
    from markupsafe import Markup

MARKED = "* differs from the best model's, after Holm's correction over all cells of this ranking."


@dataclass(frozen=True, slots=True)
class RankPlot:
    """A figure with what it shows, and its data as a link."""

    title: str
    note: str
    svg: Markup
    file: str
    data: str


@dataclass(frozen=True, slots=True)
class SideTable:
    """A smaller table; the first cell of a line names it."""

    title: str
    head: Sequence[str]
    lines: Sequence[Sequence[str]]
    note: str = ""


@dataclass(frozen=True, slots=True)
class RankPart:
    """One ranking of the page."""

    suite: str
    heading: str
    head: Sequence[str]
    lines: Sequence[Sequence[str]]
    ours: int
    how: Sequence[str]
    plots: Sequence[RankPlot]
    tables: Sequence[SideTable]


def render_rank_page(tables: Sequence[RankTable], warnings: Sequence[str]) -> str:
    """The page.

    Args:
        tables: a ranking each.
        warnings: what reading had to leave out.

    Raises:
        MissingExtra: what pages are made with is not installed.
    """
    with extra():
        from sealegs.reports.templating import environment
    models = sum(len(table.entrants) for table in tables)
    return (
        environment()
        .get_template("rank.html.j2")
        .render(
            suite=", ".join(dict.fromkeys(table.suite for table in tables)),
            names=f"A ranking of {models} models",
            facts={"models": str(models), "ranked by": ", ".join(dict.fromkeys(_metric(table) for table in tables))},
            warnings=warnings,
            parts=[_part(table, place) for place, table in enumerate(tables, 1)],
        )
    )


def _metric(table: RankTable) -> str:
    return shown_metric(table.metric)


def _part(table: RankTable, place: int) -> RankPart:
    head, lines = ranking_lines(table)
    return RankPart(
        table.suite,
        heading(table),
        head,
        lines,
        len(table.standings),
        how(table),
        list(_plots(table, place)),
        list(_tables(table)),
    )


def _axes(table: RankTable) -> Iterator[tuple[str, list[str]]]:
    """Level and mode, where there are several, and which."""
    for axis in ("level", "mode"):
        names = list(dict.fromkeys(name for own in table.cells for at, name in own if at == axis))
        if len(names) > 1:
            yield axis, names


def _plots(table: RankTable, place: int) -> Iterator[RankPlot]:
    from markupsafe import Markup

    from sealegs.reports.rank_plots import ON_A_PAGE, bump_lines, draw_bump, draw_forest, forest_lines, plot_inline

    title = f"{_metric(table)} with intervals"
    forest: list[dict[str, Any]] = [
        {"model": line.name, **line.figure._asdict(), "rank": line.ranks, "published": line.published}
        for line in forest_lines(table)
    ]
    svg = plot_inline(partial(draw_forest, table), f"forest-{place}", title)
    yield RankPlot(title, "", Markup(svg), f"forest-{place}.csv", _link(forest))
    for axis, _ in _axes(table) if len(table.standings) > 1 else ():
        names, lines = bump_lines(table, axis)
        title = f"Places by {axis}"
        most = min(ON_A_PAGE, len(lines))
        note = f"The best {most} of {len(lines)}." if most < len(lines) else ""
        svg = plot_inline(partial(draw_bump, table, axis, most=most), f"{axis}-{place}", title)
        data: list[dict[str, Any]] = [
            {"model": line.name, axis: name, "place": at, **({} if figure is None else figure._asdict())}
            for line in lines
            for name, at, figure in zip(names, line.places, line.figures, strict=True)
        ]
        yield RankPlot(title, note, Markup(svg), f"places-by-{axis}-{place}.csv", _link(data))
    yield from _course_plots(table, place)
    if table.scaling is not None:
        yield _scaling_plot(table.scaling, place)


def _course_plots(table: RankTable, place: int) -> Iterator[RankPlot]:
    """The funnel and what went wrong, where the suite asks for them."""
    from markupsafe import Markup

    from sealegs.reports.rank_funnel_plots import draw_funnel, draw_terms, funnel_lines
    from sealegs.reports.rank_plots import ON_A_PAGE, plot_inline

    stages, lines = funnel_lines(table)
    if lines:
        data: list[dict[str, Any]] = [
            {"model": line.name, "stage": stage, **found._asdict()}
            for line in lines
            for stage, found in zip(stages, line.figures, strict=True)
        ]
        note = f"The best {ON_A_PAGE} of {len(lines)}." if len(lines) > ON_A_PAGE else ""
        svg = plot_inline(partial(draw_funnel, table, most=ON_A_PAGE), f"funnel-{place}", FUNNEL)
        yield RankPlot(FUNNEL, note, Markup(svg), f"funnel-{place}.csv", _link(data))
    if any(table.terms):
        data = [
            {"model": table.entrants[one.entrant].name, "term": term, **found._asdict()}
            for one in table.standings
            for term, found in table.terms[one.entrant].items()
        ]
        svg = plot_inline(partial(draw_terms, table), f"terms-{place}", WRONG)
        yield RankPlot(WRONG, "", Markup(svg), f"what-went-wrong-{place}.csv", _link(data))


def _scaling_plot(scaling: Scaling, place: int) -> RankPlot:
    from markupsafe import Markup

    from sealegs.reports.rank_plots import draw_scaling, plot_inline

    title = "Growth with size"
    svg = plot_inline(partial(draw_scaling, scaling), f"scaling-{place}", title)
    data = [
        {"metric": one.metric, "model": name, "size": size, **figure._asdict(), "line": round(one.line(size), 2)}
        for one in (scaling.execution, scaling.recovery)
        for name, size, figure in one.points
    ]
    return RankPlot(title, " ".join(scaling_notes(scaling)), Markup(svg), f"growth-{place}.csv", _link(data))


def _link(data: Sequence[Mapping[str, Any]]) -> str:
    text = csv_text(data, list(dict.fromkeys(name for row in data for name in row)))
    return f"data:text/csv;base64,{b64encode(text.encode()).decode()}"


def _tables(table: RankTable) -> Iterator[SideTable]:
    for title, names, lines, note in course_tables(table):
        yield SideTable(title, names, lines, note)
    if table.scaling is not None:
        yield SideTable("Growth with size", ("95 % interval",), scaling_lines(table.scaling))
    if table.private is not None:
        notes = " ".join(private_notes(table.private))
        for title, own_head, own_lines in private_tables(table.private):
            yield SideTable(title, own_head, own_lines, notes)
    for axis, names in _axes(table):
        cells = [(name, *own) for name, own in cell_lines(table, axis, names)]
        yield SideTable(f"{shown_metric(table.cell_metric)} by {axis}, %", names, cells, MARKED)
    if pairs := pair_lines(table):
        head = ("is higher by" if table.ranking.descending else "differs by", "than", "P", "P (Holm)")
        yield SideTable(f"Paired differences of {_metric(table)}, in points", head, pairs)
