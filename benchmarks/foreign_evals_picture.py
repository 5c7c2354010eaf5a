"""The picture of docs/foreign-evals.md: what agents keep of somebody else's tasks when a tool fails, with the ceiling.

A bar for each agent, with its interval at 95 %; a black line is the ceiling of what the declarations allow. Colours are
of the palette of Okabe and Ito, which readers of all colour visions tell apart. Equal rows give equal bytes.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

COLOURS = {"gold": "#D55E00", "gold-retrier": "#0072B2", "gold+recovery": "#009E73"}
PANELS = {"P1": "P1: one transient failure", "P2": "P2: one permanent failure"}
NOTHING = {"Date": None, "Creator": None, "Format": None, "Type": None}
STYLE: Mapping[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "sealegs",
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
GAP = 1.9  # of a bar's height, between evals


def draw_picture(rows: Sequence[Mapping[str, Any]]) -> str:
    """The picture as SVG."""
    found = {(row["suite"], row["agent"], row["mode"], row["metric"]): row for row in rows if row["level"] == "all"}
    evals = list(dict.fromkeys(row["suite"] for row in rows if row["metric"] == "kept"))  # not those played clean alone
    with rc_context(dict(STYLE)):
        figure = Figure(figsize=(8.6, 0.78 * len(evals) + 1.0), facecolor="white")
        FigureCanvasSVG(figure)
        panels = figure.subplots(1, 2, sharey=True)
        for axes, (mode, title) in zip(panels, PANELS.items(), strict=True):
            _draw_panel(axes, found, evals, mode)
            axes.set_title(title, loc="left", fontsize=10, pad=12)
        panels[0].invert_yaxis()  # the first eval on top; the panels share the axis
        figure.tight_layout()
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata=NOTHING)
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines()) + "\n"


def _draw_panel(axes: Axes, found: Mapping[Any, Mapping[str, Any]], evals: Sequence[str], mode: str) -> None:
    places, names = [], []
    for group, suite in enumerate(evals):
        for nth, (agent, colour) in enumerate(COLOURS.items()):
            place = group * (len(COLOURS) + GAP) + nth
            row = found[suite, agent, mode, "kept"]
            places.append(place)
            names.append(agent)
            _draw_bar(axes, place, row, colour)
            if agent == "gold+recovery":
                _draw_ceiling(axes, place, found[suite, agent, mode, "ceiling"]["value"])
        top = group * (len(COLOURS) + GAP) - 0.92
        clean = found[suite, "gold", "NP", "clean"]
        label = f"{suite.removeprefix('inspect:')}: {clean['n']} samples, {clean['value']:.0f}% solved without faults"
        axes.text(0, top, label if mode == "P1" else "", fontsize=8.5, fontweight="bold", va="center")
    axes.set_yticks(places, names, fontsize=8)
    axes.set_xlim(0, 118)
    axes.set_xticks([0, 25, 50, 75, 100])
    axes.set_xlabel("kept, % (black line: ceiling of gold+recovery)")
    axes.tick_params(axis="y", length=0)


def _draw_bar(axes: Axes, place: float, row: Mapping[str, Any], colour: str) -> None:
    value = row["value"]
    if value is None:
        axes.text(1, place, "nothing was struck", va="center", fontsize=8)
        return
    axes.barh(place, value, height=0.8, color=colour)
    axes.plot([row["low"], row["high"]], [place, place], color="#333333", linewidth=1)
    axes.text(max(value, row["high"]) + 2, place, f"{value:.0f}", va="center", fontsize=8)


def _draw_ceiling(axes: Axes, place: float, value: float | None) -> None:
    if value is not None:
        axes.plot([value, value], [place - 0.5, place + 0.5], color="black", linewidth=2.2)
