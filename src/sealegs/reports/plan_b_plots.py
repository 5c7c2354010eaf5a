"""The figures of `highwater`: accuracy against distractors, and how many turns the episodes took. Needs `report`."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from sealegs.reports.plan_b import who
from sealegs.reports.plots import GRID, INK, STYLE
from sealegs.scoring.metrics import Row
from sealegs.scoring.plan_b_table import CLEAN, PlanBResult

CLOSED = re.compile(r"closed (\d+)( with hints)?$")
COLOURS = ("#0b66c2", "#c2410c", "#117733", "#882255", "#a08b00", "#332288")


def accuracy_figure(rows: Sequence[Row]) -> str:
    """Accuracy in the closed setting by number of distractors, with intervals; empty where fewer than two were played.

    Full lines are without errors, dashed ones with.
    """
    points: dict[tuple[str, str], list[tuple[int, Row]]] = {}
    for row in rows:
        found = CLOSED.match(str(row["level"]))
        if row["metric"] == "accuracy" and found:
            points.setdefault((who(row) + (found[2] or ""), row["mode"]), []).append((int(found[1]), row))
    counts = sorted({count for line in points.values() for count, _ in line})
    if len(counts) < 2:
        return ""
    with rc_context(dict(STYLE)):
        figure, axes = _empty()
        places = {count: place for place, count in enumerate(counts)}
        names = list(dict.fromkeys(name for name, _ in points))
        for (name, mode), line in points.items():
            _line(
                axes, name, mode, [(places[count], row) for count, row in sorted(line, key=lambda one: one[0])], names
            )
        axes.set_xticks(range(len(counts)), [str(count) for count in counts])
        axes.set_xlabel("distractors", color=INK)
        axes.set_ylabel("accuracy, %", color=INK)
        axes.set_ylim(-3, 103)
        axes.legend(frameon=False, fontsize=8, labelcolor=INK, loc="upper left", bbox_to_anchor=(1.0, 1.0))
        return _svg(figure, "Accuracy by number of distractors")


def turns_figure(results: Sequence[tuple[str, PlanBResult]]) -> str:
    """The turns of the episodes as violins, by agent, setting and mode, with the median as a line.

    Args:
        results: each judged episode with the agent's name.
    """
    groups: dict[tuple[str, str, str], list[int]] = {}
    for name, result in results:
        groups.setdefault((name, result.level, result.mode), []).append(result.verdict.turns)
    with rc_context(dict(STYLE)):
        figure, axes = _empty(width=max(4.2, 0.75 * len(groups) + 1.5))
        for place, ((_, _, mode), turns) in enumerate(groups.items()):
            colour = COLOURS[0 if mode == CLEAN else 1]
            parts = axes.violinplot([turns], positions=[place], widths=0.8, showmedians=True, showextrema=False)
            for body in parts["bodies"]:  # type: ignore[attr-defined]
                body.set(facecolor=colour, alpha=0.45, edgecolor=colour)
            parts["cmedians"].set(color=INK, linewidth=1.6)
        labels = [f"{name}\n{level}\n{mode}" for name, level, mode in groups]
        axes.set_xticks(range(len(groups)), labels, fontsize=7)
        axes.set_ylabel("turns", color=INK)
        axes.set_ylim(bottom=0)
        return _svg(figure, "Turns by agent, setting and errors")


def _empty(width: float = 6.4) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(width, 3.4), layout="constrained")
    FigureCanvasSVG(figure)
    axes = figure.add_subplot()
    axes.grid(axis="y", color=GRID, linewidth=0.7)
    axes.set_axisbelow(True)
    axes.tick_params(length=0, pad=5)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    return figure, axes


def _line(axes: Axes, name: str, mode: str, points: Sequence[tuple[int, Row]], names: Sequence[str]) -> None:
    colour = COLOURS[names.index(name) % len(COLOURS)]
    shift = 0.04 * (names.index(name) - len(names) / 2)
    xs = [place + shift for place, _ in points]
    values = [float(row["value"] or 0) for _, row in points]
    style = "-" if mode == CLEAN else (0, (4, 2.5))
    axes.plot(xs, values, color=colour, linestyle=style, marker="o", markersize=4, label=f"{name}, {mode}")
    for x, (_, row) in zip(xs, points, strict=True):
        if row["low"] is not None and row["high"] is not None:
            axes.plot([x, x], [row["low"], row["high"]], color=colour, linewidth=4, alpha=0.25)


def _svg(figure: Figure, title: str) -> str:
    """The figure as an SVG element alone, whose ink is the page's; equal figures give equal bytes."""
    text = io.StringIO()
    nothing = {"Date": None, "Creator": None, "Format": None, "Type": None}
    figure.savefig(text, format="svg", transparent=True, metadata=nothing)
    svg = text.getvalue()
    svg = re.sub(r"<metadata\b.*?</metadata>", "", svg[svg.index("<svg") :].strip(), flags=re.DOTALL)
    name = "".join(filter(str.isalpha, title))
    svg = re.sub(r'\b(?:xlink:)?(id="|url\(#|href="#)', rf"\g<1>{name}-", svg)
    for colour, variable in ((INK, "var(--muted, #55606c)"), (GRID, "var(--line, #dde2e7)")):
        svg = svg.replace(colour, variable)
    return svg.replace("<svg ", f'<svg role="img" aria-label="{title}" ', 1)
