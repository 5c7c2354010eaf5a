"""Plots as inline SVG that takes its colours and its font from the page, so that it works in light and dark.

Equal panels give equal bytes: no date, no random name. Needs the extra `report`.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import escape
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from sealegs.reports.comparison import Curve, Panel

INK, GRID, RUN = "#0b0b01", "#0b0b02", "#0b0b03"  # stand for the page's colours until the SVG is written
MODEL = "#0a0a{:02x}"
MARKERS = "osD^vPX<>"
NOTHING_ABOUT = {"Date": None, "Creator": None, "Format": None, "Type": None}  # of an SVG: no date, no version
STYLE: Mapping[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "sealegs",
    "text.parse_math": False,
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.edgecolor": GRID,
    "xtick.color": INK,
    "ytick.color": INK,
    "path.simplify": False,
}


def plot(panel: Panel) -> str:
    """A panel as an SVG element: published models dashed, the run solid with its intervals."""
    with rc_context(dict(STYLE)):
        figure = Figure(figsize=(4.2, 2.9))
        FigureCanvasSVG(figure)
        axes = figure.add_axes((0.085, 0.1, 0.9, 0.86))
        _frame(axes, panel.ticks)
        for nth, model in enumerate(panel.models):
            _line(axes, model, MODEL.format(nth), marker=MARKERS[nth % len(MARKERS)], gid=f"model-{nth}")
        _run(axes, panel)
        text = io.StringIO()
        figure.savefig(text, format="svg", transparent=True, metadata=NOTHING_ABOUT)
    names = {f"model-{nth}": model.name for nth, model in enumerate(panel.models)}
    return _inline(text.getvalue(), panel, names)


def marker(nth: int) -> str:
    """The character that stands for a model's marker in a legend."""
    return "●■◆▲▼✚✖◀▶"[nth % len(MARKERS)]


def _frame(axes: Axes, ticks: Sequence[str]) -> None:
    axes.set_xticks(range(len(ticks)), ticks)
    axes.set_xlim(-0.35, len(ticks) - 0.65)
    axes.set_ylim(-3, 103)
    axes.set_yticks(range(0, 101, 25))
    axes.grid(axis="y", color=GRID, linewidth=0.7)
    axes.set_axisbelow(True)
    axes.tick_params(length=0, pad=5)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)


def _line(axes: Axes, curve: Curve, colour: str, *, marker: str, gid: str) -> None:
    points = [(x, value) for x, value in enumerate(curve.values) if value is not None]
    axes.plot(
        [x for x, _ in points],
        [value for _, value in points],
        color=colour,
        linestyle=(0, (4, 2.5)),
        linewidth=1.1,
        marker=marker,
        markersize=4,
        gid=gid,
    )


def _run(axes: Axes, panel: Panel) -> None:
    if panel.loose is not None:
        points = [(x, value) for x, value in enumerate(panel.loose.values) if value is not None]
        axes.plot(
            *zip(*points), color=RUN, linewidth=1.2, marker="o", markersize=5.5, markerfacecolor="none", gid="loose"
        )
    points = [(x, cell.value) for x, cell in enumerate(panel.run) if cell.value is not None]
    for x, cell in enumerate(panel.run):
        if cell.value is not None and cell.low is not None and cell.high is not None:
            axes.plot([x, x], [cell.low, cell.high], color=RUN, linewidth=5, alpha=0.28, solid_capstyle="round")
    axes.plot(*zip(*points), color=RUN, linewidth=2.6, marker="o", markersize=6.5, gid="run")


def _inline(text: str, panel: Panel, names: Mapping[str, str]) -> str:
    """The SVG element of a panel, with the models' names as hints."""
    svg = inline_svg(text, panel.name, panel.title)
    for gid, name in names.items():
        opening = f'<g id="{panel.name}-{gid}">'
        svg = svg.replace(opening, f'{opening[:-1]} class="model"><title>{escape(name)}</title>')
    return svg


def inline_svg(text: str, name: str, title: str) -> str:
    """The SVG element alone, without rules for the whole page, its names unique there, its colours the page's.

    Args:
        text: the file that Matplotlib wrote.
        name: begins the names in it.
        title: what it shows.
    """
    svg = text[text.index("<svg") :].strip()
    svg = re.sub(r"<(metadata|style)\b.*?</\1>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\b(?:xlink:)?(id="|url\(#|href="#)', rf"\g<1>{name}-", svg)
    for colour, variable in ((INK, "--muted"), (GRID, "--line"), (RUN, "--run")):
        svg = svg.replace(colour, f"var({variable})")
    svg = re.sub(r"#0a0a([0-9a-f]{2})\b", lambda found: f"var(--model-{int(found[1], 16)})", svg)
    opening, _, rest = svg.partition(">")
    (box,) = re.findall(r'viewBox="[^"]*"', opening)
    return f'<svg role="img" aria-label="{escape(title)}" {box}>{rest}'
