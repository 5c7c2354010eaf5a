"""A ranking as figures for a paper or a page: vectors, colours for the colour-blind, names beside the marks.

Equal rankings give equal bytes. Needs the extra `report`.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from sealegs.reports.palette import light
from sealegs.reports.plots import GRID, INK, MARKERS, MODEL, NOTHING_ABOUT, RUN, STYLE, inline_svg
from sealegs.reports.rank_tables import shown_figure, shown_metric, shown_ranks
from sealegs.scoring.metric import Figure as Estimate
from sealegs.scoring.ranking_rows import RankTable
from sealegs.scoring.scaling import Scaling

ON_A_PAGE = 5  # lines of a plot
COLOURS = 9
ROW = 0.3  # inches
HEAD = 0.95


@dataclass(frozen=True)
class FigureColours:
    """The colours of a figure."""

    ink: str
    grid: str
    run: str
    models: tuple[str, ...]


PAGE = FigureColours(INK, GRID, RUN, tuple(MODEL.format(nth) for nth in range(COLOURS)))


def paper() -> FigureColours:
    """The colours of a figure on white paper."""
    return FigureColours(
        light("ink"), light("line"), light("run"), tuple(light(f"model-{nth}") for nth in range(COLOURS))
    )


class ForestLine(NamedTuple):
    """A model in a forest plot; a published one has no rank."""

    name: str
    figure: Estimate
    ranks: str
    published: bool


class BumpLine(NamedTuple):
    """A model in a bump plot: its place (1 is the best), and its figure, in each column; None where it has none."""

    name: str
    places: tuple[float | None, ...]
    figures: tuple[Estimate | None, ...]


def forest_lines(table: RankTable) -> list[ForestLine]:
    """The models by rank, then published ones by value."""
    found = [
        ForestLine(table.entrants[one.entrant].name, one.figure, shown_ranks(one.low, one.high), False)
        for one in table.standings
    ]
    others = sorted(table.published, key=lambda one: one.figure.value or 0.0, reverse=table.ranking.descending)
    return found + [ForestLine(one.name, one.figure, "", True) for one in others]


def bump_lines(table: RankTable, axis: str) -> tuple[list[str], list[BumpLine]]:
    """The columns (levels or modes), and each model's place in each by the metric of cells; equal ones share one."""
    names = list(dict.fromkeys(name for own in table.cells for at, name in own if at == axis))
    best_high = table.cell_metric not in table.entrants[0].scores.less_is_better
    lines = []
    for standing in table.standings:
        figures = tuple(table.cells[standing.entrant].get((axis, name)) for name in names)
        places = tuple(
            _place(table, axis, name, figure, best_high) for name, figure in zip(names, figures, strict=True)
        )
        lines.append(BumpLine(table.entrants[standing.entrant].name, places, figures))
    return names, lines


def _place(table: RankTable, axis: str, name: str, own: Estimate | None, best_high: bool) -> float | None:
    """The mean of the places that models of equal figures share."""
    if own is None or own.value is None:
        return None
    found = (table.cells[one.entrant].get((axis, name)) for one in table.standings)
    values = [one.value if best_high else -one.value for one in found if one is not None and one.value is not None]
    value = own.value if best_high else -own.value
    # Equal values share the mean of their places; the one that is taken off is the model itself.
    return 1 + sum(other > value for other in values) + (sum(other == value for other in values) - 1) / 2


def plot_file(draw: Callable[[FigureColours], Figure], file: Path) -> bytes:
    """A figure as the bytes of a file, SVG or PDF by its name's ending.

    Args:
        draw: draws it in these colours.
        file: the name; it is not written.
    """
    with rc_context({**STYLE, "pdf.fonttype": 42}):
        figure, target = draw(paper()), io.BytesIO()
        if file.suffix.lower() == ".pdf":
            FigureCanvasPdf(figure)
            figure.savefig(target, format="pdf", metadata={"CreationDate": None, "Creator": None, "Producer": None})
        else:
            FigureCanvasSVG(figure)
            figure.savefig(target, format="svg", metadata=NOTHING_ABOUT)
    return target.getvalue()


def plot_inline(draw: Callable[[FigureColours], Figure], name: str, title: str) -> str:
    """A figure as an SVG element in the colours of the page."""
    with rc_context(dict(STYLE)):
        figure, text = draw(PAGE), io.StringIO()
        FigureCanvasSVG(figure)
        figure.savefig(text, format="svg", transparent=True, metadata=NOTHING_ABOUT)
    return inline_svg(text.getvalue(), name, title)


def draw_forest(table: RankTable, inks: FigureColours) -> Figure:
    """Each model's figure with its interval, and what its rank may be."""
    lines = forest_lines(table)
    height = HEAD + ROW * len(lines)
    figure = Figure(figsize=(7.2, height))
    axes = figure.add_axes((0.36, 0.62 / height, 0.34, ROW * len(lines) / height))
    for place, line in enumerate(lines):
        _forest_line(axes, place, line, inks)
    ours = sum(not line.published for line in lines)
    if ours < len(lines):
        axes.axhline(ours - 0.5, color=inks.grid, linewidth=1.0)
    axes.set_ylim(len(lines) - 0.5, -0.5)
    axes.set_yticks([])
    axes.set_xlim(0, 100)
    axes.set_xticks(range(0, 101, 25))
    axes.set_xlabel(f"{shown_metric(table.metric)}, % (95 % intervals)", color=inks.ink)
    axes.grid(axis="x", color=inks.grid, linewidth=0.7)
    bare(axes, inks)
    head: dict[str, Any] = {"transform": axes.get_yaxis_transform(), "va": "center", "color": inks.ink, "fontsize": 8.5}
    axes.text(1.05, -0.95, shown_metric(table.metric), **head)
    axes.text(1.68, -0.95, "rank", **head)
    return figure


def _forest_line(axes: Axes, place: int, line: ForestLine, inks: FigureColours) -> None:
    colour = inks.ink if line.published else inks.run
    value, low, high, _ = line.figure
    if low is not None and high is not None:
        axes.plot([low, high], [place, place], color=colour, linewidth=1.6, solid_capstyle="butt", clip_on=False)
    if value is not None:
        face = "none" if line.published else colour
        axes.plot([value], [place], marker="o", markersize=5.5, color=colour, markerfacecolor=face, clip_on=False)
    beside: dict[str, Any] = {"transform": axes.get_yaxis_transform(), "va": "center", "color": inks.ink}
    name = f"{line.name} (published)" if line.published else line.name
    axes.text(-0.03, place, shortened(name, 36), ha="right", fontsize=9, **beside)
    axes.text(1.05, place, shown_figure(line.figure), fontsize=8.5, **beside)
    axes.text(1.68, place, line.ranks, fontsize=8.5, **beside)


def draw_bump(table: RankTable, axis: str, inks: FigureColours, most: int | None = None) -> Figure:
    """Each model's place in each level or mode, with its name at the end of its line.

    Args:
        table: the ranking.
        axis: `level` or `mode`.
        inks: the colours.
        most: at most so many models, the best ones; all by default.
    """
    names, lines = bump_lines(table, axis)
    count = len(lines)
    lines = lines[:most]
    height = HEAD + ROW * max(count, 5)
    figure = Figure(figsize=(7.2, height))
    axes = figure.add_axes((0.08, 0.5 / height, 0.6, (height - 0.65) / height))
    for nth, line in enumerate(lines):
        _bump_line(axes, nth, line, inks)
    for nth, at in _apart([line.places[-1] for line in lines], count):
        colour = model_colour(nth, inks)
        axes.text(len(names) - 1 + 0.12, at, shortened(lines[nth].name, 34), va="center", fontsize=9, color=colour)
    axes.set_xticks(range(len(names)), names)
    axes.set_xlim(-0.25, len(names) - 1 + 0.05)
    axes.set_ylim(count + 0.5, 0.5)
    axes.set_yticks(range(1, count + 1))
    axes.set_ylabel(f"place by {shown_metric(table.cell_metric)}", color=inks.ink)
    axes.grid(axis="y", color=inks.grid, linewidth=0.5)
    bare(axes, inks)
    return figure


def _bump_line(axes: Axes, nth: int, line: BumpLine, inks: FigureColours) -> None:
    points = [(x, place) for x, place in enumerate(line.places) if place is not None]
    axes.plot(
        [x for x, _ in points],
        [place for _, place in points],
        color=model_colour(nth, inks),
        linewidth=2.0 if nth < COLOURS else 1.0,
        linestyle="-" if nth < COLOURS else (0, (3, 2)),
        marker=MARKERS[nth % len(MARKERS)],
        markersize=6,
        clip_on=False,
    )


def draw_scaling(scaling: Scaling, inks: FigureColours) -> Figure:
    """Success without faults and recovery under them against size, with their regression lines."""
    figure = Figure(figsize=(7.2, 4.4))
    axes = figure.add_axes((0.1, 0.14, 0.56, 0.78))
    sizes = sorted({size for _, size, _ in scaling.execution.points})
    # A quarter of a doubling beyond the sizes, so that marks and intervals at the edge are whole.
    ends = [at * sizes[end] for end, at in ((0, 2**-0.25), (-1, 2**0.25))]
    grown = (scaling.execution, scaling.recovery)
    heights = _spread([one.line(ends[1]) for one in grown])
    for nth, (one, height) in enumerate(zip(grown, heights, strict=True)):
        colour = inks.models[nth]
        axes.plot(ends, [one.line(size) for size in ends], color=colour, linewidth=1.6)
        for _, size, (value, low, high, _) in one.points:
            if low is not None and high is not None:
                axes.plot([size, size], [low, high], color=colour, linewidth=1.0)
            if value is not None:
                axes.plot([size], [value], marker=MARKERS[nth], markersize=5.5, color=colour)
        slope = shown_figure(one.slope, signed=True)
        beside = f"{shown_metric(one.metric)}\n{slope}\npoints per doubling"
        axes.text(ends[1] * 1.03, height, beside, va="center", fontsize=8.5, color=colour)
    axes.set_xscale("log", base=2)
    axes.set_xlim(*ends)
    axes.set_xticks(sizes, [f"{size:g}" for size in sizes])
    # A logarithmic axis would write its own numbers between the sizes.
    axes.minorticks_off()
    axes.set_ylim(0, 100)
    axes.set_xlabel("size", color=inks.ink)
    axes.set_ylabel("%, with 95 % intervals", color=inks.ink)
    axes.grid(axis="y", color=inks.grid, linewidth=0.7)
    bare(axes, inks)
    return figure


def _spread(heights: Sequence[float], least: float = 16) -> list[float]:
    """Two heights of texts, inside the figure and far enough from one another."""
    low, high = sorted(min(max(height, least / 2), 100 - least / 2) for height in heights)
    middle = min(max((low + high) / 2, least), 100 - least)
    if high - low < least:
        low, high = middle - least / 2, middle + least / 2
    return [high, low] if heights[0] >= heights[1] else [low, high]


def model_colour(nth: int, inks: FigureColours) -> str:
    """The colour of the model in this place."""
    return inks.models[nth] if nth < COLOURS else inks.ink


def _apart(places: Sequence[float | None], count: int) -> Iterator[tuple[int, float]]:
    """The places at which the names of lines are written: beside their ends, but never one on another."""
    ordered = sorted((place, nth) for nth, place in enumerate(places) if place is not None)
    step = min(1.0, max(0.5, count / 12))
    lowest = 0.0
    for left, (place, nth) in enumerate(ordered):
        at = min(max(place, lowest + step), count + 0.4 - step * (len(ordered) - left - 1))
        lowest = at
        yield nth, at


def bare(axes: Axes, inks: FigureColours) -> None:
    """Take frame and ticks away."""
    axes.set_axisbelow(True)
    axes.tick_params(length=0, pad=5, colors=inks.ink)
    for side in axes.spines.values():
        side.set_visible(False)


def shortened(name: str, most: int) -> str:
    """A name of at most so many characters."""
    return name if len(name) <= most else f"{name[: most - 1]}…"
