"""The figures of `highwater`: accuracy against distractors, and how many turns the episodes took. Needs `report`."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from sealegs.reports.highwater_tables import runner_name
from sealegs.reports.palette import light
from sealegs.reports.plots import GRID, INK, STYLE
from sealegs.scoring.highwater_metrics import CLEAN, HighwaterResult
from sealegs.scoring.metric import Row

CLOSED = re.compile(r"closed (\d+)( with hints)?$")
COLOURS = tuple(map(light, ("run", "error", "model-3", "model-5", "model-2", "model-1")))


def accuracy_figure(rows: Sequence[Row]) -> str:
    """Accuracy in the closed setting by number of distractors, with intervals; empty where fewer than two were played.

    Full lines are without errors, dashed ones with.
    """
    points: dict[tuple[str, str], list[tuple[int, Row]]] = {}
    for row in rows:
        found = CLOSED.match(str(row["level"]))
        if row["metric"] == "accuracy" and found:
            points.setdefault((runner_name(row) + (found[2] or ""), row["mode"]), []).append((int(found[1]), row))
    counts = sorted({count for line in points.values() for count, _ in line})
    if len(counts) < 2:
        return ""
    with rc_context(dict(STYLE)):
        figure = _canvas(6.4, 3.4)
        axes = _plain(figure.add_subplot())
        # Side by side at equal distances: at their own, small counts would lie close to one another.
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
        axes.legend(
            frameon=False, fontsize=8, labelcolor=INK, loc="upper left", bbox_to_anchor=(1.0, 1.0), handlelength=3.2
        )
        return _svg(figure, "Accuracy by number of distractors")


def turns_figure(results: Sequence[tuple[str, HighwaterResult]]) -> str:
    """The turns of the episodes as violins, a panel for each agent: its settings side by side, with medians as lines.

    Args:
        results: each judged episode with the agent's name.
    """
    groups: dict[tuple[str, str, str], list[int]] = {}
    for name, result in results:
        groups.setdefault((name, result.level, result.mode), []).append(result.verdict.turns)
    names = list(dict.fromkeys(name for name, _, _ in groups))
    levels = sorted({level for _, level, _ in groups}, key=_order)
    modes = sorted({mode for _, _, mode in groups}, key=lambda mode: (mode != CLEAN, mode))
    with rc_context(dict(STYLE)):
        figure = _canvas(max(4.2, 0.8 * len(levels) + 2.2), 0.9 + 1.9 * len(names))
        panels = figure.subplots(len(names), 1, squeeze=False, sharex=True)[:, 0]
        for name, axes in zip(names, panels, strict=True):
            _plain(axes)
            for (_, level, mode), turns in sorted((key, found) for key, found in groups.items() if key[0] == name):
                shift = 0.36 * (modes.index(mode) - (len(modes) - 1) / 2)
                _violin(axes, levels.index(level) + shift, turns, COLOURS[modes.index(mode) % len(COLOURS)])
            axes.set_title(name, fontsize=9, color=INK, loc="left")
            axes.set_ylabel("turns", color=INK)
            axes.set_ylim(bottom=0)
            axes.yaxis.set_major_locator(MaxNLocator(integer=True))
        panels[-1].set_xticks(range(len(levels)), [level.replace(" ", "\n") for level in levels], fontsize=7)
        marks = [Patch(facecolor=COLOURS[n % len(COLOURS)], alpha=0.45, label=mode) for n, mode in enumerate(modes)]
        panels[0].legend(
            handles=marks, frameon=False, fontsize=8, labelcolor=INK, loc="upper left", bbox_to_anchor=(1.0, 1.0)
        )
        return _svg(figure, "Turns by agent, setting and errors")


def _order(level: str) -> tuple[bool, str, int]:
    """Open settings first, then the others by their number."""
    word, number = re.match(r"(\D*)(\d*)", level).groups()  # type: ignore[union-attr]
    return not level.startswith("open"), word, int(number or 0)


def _violin(axes: Axes, place: float, turns: Sequence[int], colour: str) -> None:
    parts = axes.violinplot([turns], positions=[place], widths=0.34, showmedians=True, showextrema=False)
    for body in parts["bodies"]:  # type: ignore[attr-defined]
        body.set(facecolor=colour, alpha=0.45, edgecolor=colour)
    parts["cmedians"].set(color=colour, linewidth=1.6)


def _canvas(width: float, height: float) -> Figure:
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasSVG(figure)
    return figure


def _plain(axes: Axes) -> Axes:
    axes.grid(axis="y", color=GRID, linewidth=0.7)
    axes.set_axisbelow(True)
    axes.tick_params(length=0, pad=5)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    return axes


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
    for colour, variable in ((INK, f"var(--muted, {light('muted')})"), (GRID, f"var(--line, {light('line')})")):
        svg = svg.replace(colour, variable)
    return svg.replace("<svg ", f'<svg role="img" aria-label="{title}" ', 1)
