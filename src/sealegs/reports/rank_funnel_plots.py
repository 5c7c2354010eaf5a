"""Figures of the progress and the failures of models, for a paper or a page: the funnel, and terms by model.

Needs the extra `report`.
"""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sealegs.reports.metric_grids import figure as number
from sealegs.reports.plots import MARKERS
from sealegs.reports.rank_plots import HEAD, ROW, FigureColours, bare, model_colour, shortened
from sealegs.scoring.metric import Figure as Estimate
from sealegs.scoring.ranking_rows import RankTable

PLANNED = "planned"
TERMS_SHOWN = 6  # columns of a figure; the rest is one more
REST = "the rest"
DODGE = 0.05  # of a column: how far the intervals of two models are apart


class FunnelLine(NamedTuple):
    """A model in a plot of the funnel: the share in % that passed each stage, all that was planned the first."""

    name: str
    figures: tuple[Estimate, ...]


def funnel_lines(table: RankTable) -> tuple[list[str], list[FunnelLine]]:
    """The stages, and the models by rank that faults were planned for."""
    lines = []
    stages: list[str] = []
    for standing in table.standings:
        own = table.funnels[standing.entrant]
        if own:
            stages = [PLANNED, *own]
            first = Estimate(100.0, None, None, next(iter(own.values())).n)
            lines.append(FunnelLine(table.entrants[standing.entrant].name, (first, *own.values())))
    return stages, lines


def term_columns(table: RankTable) -> list[str]:
    """The terms that are the most frequent of any model, in the suite's order; `TERMS_SHOWN` at most."""
    shares = {term: max(own[term].value or 0.0 for own in table.terms) for term in table.terms[0]}
    chosen = sorted(shares, key=lambda term: -shares[term])[:TERMS_SHOWN]
    return [term for term in shares if term in chosen]


def draw_funnel(table: RankTable, inks: FigureColours, most: int | None = None) -> Figure:
    """The share of planned faults that passed each stage, a line for each model with its name at the end.

    Args:
        table: the ranking.
        inks: the colours.
        most: at most so many models, the best ones; all by default.
    """
    stages, lines = funnel_lines(table)
    lines = lines[:most]
    height = max(3.6, HEAD + ROW * len(lines))
    figure = Figure(figsize=(7.2, height))
    axes = figure.add_axes((0.1, 0.45 / height, 0.56, (height - 0.65) / height))
    for nth, line in enumerate(lines):
        _funnel_line(axes, nth, line, (nth - (len(lines) - 1) / 2) * DODGE, inks)
    ends = [line.figures[-1].value or 0.0 for line in lines]
    step = 100 * 0.2 / (height - 0.65)  # a line of text
    for nth, at in enumerate(spread_out(ends, step)):
        words = f"{shortened(lines[nth].name, 28)}  {number(ends[nth])}"
        axes.text(len(stages) - 1 + 0.2, at, words, va="center", fontsize=9, color=model_colour(nth, inks))
    axes.set_xticks(range(len(stages)), [fill(stage, 9) for stage in stages])
    axes.set_xlim(-0.2, len(stages) - 0.9)
    axes.set_ylim(-2, 102)
    axes.set_yticks(range(0, 101, 25))
    axes.set_ylabel("% of planned faults, with 95 % intervals", color=inks.ink)
    axes.grid(axis="y", color=inks.grid, linewidth=0.7)
    bare(axes, inks)
    return figure


def _funnel_line(axes: Axes, nth: int, line: FunnelLine, aside: float, inks: FigureColours) -> None:
    colour = model_colour(nth, inks)
    at = [0.0, *(place + aside for place in range(1, len(line.figures)))]  # all begin in one point
    points = [(x, one.value) for x, one in zip(at, line.figures, strict=True) if one.value is not None]
    axes.plot(*zip(*points, strict=True), color=colour, linewidth=1.5, marker=MARKERS[nth % len(MARKERS)], markersize=5)
    for x, (_, low, high, _) in zip(at, line.figures, strict=True):
        if low is not None and high is not None:
            axes.plot([x, x], [low, high], color=colour, linewidth=0.9, clip_on=False)


def spread_out(heights: Sequence[float], step: float) -> list[float]:
    """Heights of texts from 0 to 100 that are `step` apart or more, each as near to its own as that leaves it."""
    order = sorted(range(len(heights)), key=lambda place: heights[place])
    found = [heights[place] for place in order]
    for nth in range(1, len(found)):
        found[nth] = max(found[nth], found[nth - 1] + step)
    top = 100.0
    for nth in range(len(found) - 1, -1, -1):
        found[nth] = min(found[nth], top)
        top = found[nth] - step
    placed = dict(zip(order, found, strict=True))
    return [placed[place] for place in range(len(heights))]


def draw_terms(table: RankTable, inks: FigureColours) -> Figure:
    """The figure of failures, a line of bars for each model: the most frequent terms, and the rest of the failures."""
    columns = term_columns(table)
    height = HEAD + ROW * len(table.standings)
    figure = Figure(figsize=(7.2, height))
    axes = figure.add_axes((0.25, 0.1 / height, 0.74, ROW * len(table.standings) / height))
    every = [_shares(table.terms[standing.entrant], columns) for standing in table.standings]
    # With the ends of the intervals, so that none leaves its column; not 0, by which the bars would be divided.
    largest = max((one.high or one.value or 0.0 for own in every for one in own.values()), default=0.0) or 1.0
    for place, (standing, own) in enumerate(zip(table.standings, every, strict=True)):
        name = shortened(table.entrants[standing.entrant].name, 26)
        axes.text(-0.1, place, name, ha="right", va="center", fontsize=9, color=inks.ink)
        for nth, one in enumerate(own.values()):
            _bar(axes, nth, place, one, largest, inks)
    # The heads of the first are those of all: every model has a figure for each term that occurs in any.
    for nth, term in enumerate(every[0] if every else ()):
        axes.text(nth + 0.02, -0.6, fill(term, 11), ha="left", va="bottom", fontsize=8, color=inks.ink)
        axes.axvline(nth + 0.36, color=inks.grid, linewidth=0.7)
    axes.set_xlim(0, TERMS_SHOWN + 1)
    axes.set_ylim(len(every) - 0.5, -0.5)
    axes.set_xticks([])
    axes.set_yticks([])
    bare(axes, inks)
    return figure


def _shares(own: dict[str, Estimate], columns: Sequence[str]) -> dict[str, Estimate]:
    """The figures of these terms, and the sum of all others, which has no interval."""
    rest = [one.value or 0.0 for term, one in own.items() if term not in columns]
    found = {term: own[term] for term in columns}
    return {**found, REST: Estimate(sum(rest), None, None, 0)} if rest else found


def _bar(axes: Axes, nth: int, place: int, one: Estimate, largest: float, inks: FigureColours) -> None:
    """A share as a number and a bar, in the column of its term."""
    value = one.value or 0.0
    start, width = nth + 0.36, 0.58 / largest
    axes.text(nth + 0.31, place, number(value), ha="right", va="center", fontsize=8, color=inks.ink)
    axes.barh(place, value * width, left=start, height=0.5, color=inks.run, alpha=0.55)
    if one.low is not None and one.high is not None:
        axes.plot([start + one.low * width, start + one.high * width], [place] * 2, color=inks.run, linewidth=1.1)
