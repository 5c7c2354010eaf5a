"""The tables and the picture of a proof (`training.proof`), from its long table. The picture needs matplotlib."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sealegs.scoring.metric import ALL, Row
from sealegs.scoring.paladin_metrics import CLEAN

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHOWN = {"rr": "RR", "tsr": "TSR", "csr": "CSR", "es": "ES", "efficiency": "eff."}
MEASURED, CURVE, AMOUNT, TRAINING = "proof", "proof/curve", "proof/amount", "proof/training"
SEEN = "seen"


def print_proof(rows: Sequence[Row], console: Console) -> None:
    """Print the metrics on each set, then the recovery rate of the first set cell by cell."""
    mine = [row for row in rows if row["suite"] == MEASURED]
    console.print(
        Text("Over the failing cells, %, RR with its 95 % interval; ES is 1 / the mean number of calls", style="bold")
    )
    console.print(_sets(mine))
    console.print(Text("\nRR on seen kinds of failure, cell by cell, %", style="bold"))
    console.print(_cells(mine))


def _sets(rows: Sequence[Row]) -> Table:
    table = _table("", "set", *SHOWN.values(), "clean")
    found = {(row["model"], row["mode"], row["level"], row["metric"]): row for row in rows}
    for model, mode in dict.fromkeys((row["model"], row["mode"]) for row in rows):
        rate = _format_figure(found.get((model, mode, ALL, "rr")))
        others = [
            _format_figure(found.get((model, mode, ALL, metric)), bare=True) for metric in SHOWN if metric != "rr"
        ]
        clean = _format_figure(found.get((model, mode, CLEAN, "tsr")), bare=True)
        table.add_row(model, mode, rate, *others, clean)
    return table


def _cells(rows: Sequence[Row]) -> Table:
    own = {(row["model"], row["level"]): row for row in rows if row["mode"] == SEEN and row["metric"] == "rr"}
    levels = sorted({level for _, level in own} - {ALL}, key=lambda level: (level == "dead end", level))
    table = _table("", *levels)
    for model in dict.fromkeys(model for model, _ in own):
        table.add_row(model, *(_format_figure(own.get((model, level))) for level in levels))
    return table


def _table(*columns: str) -> Table:
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for nth, column in enumerate(columns):
        left = nth == 0 or column == "set"
        table.add_column(column, justify="left" if left else "right", no_wrap=nth > 0, overflow="fold")
    return table


def _format_figure(row: Row | None, *, bare: bool = False) -> str:
    if row is None or row["value"] is None:
        return ""
    digits = ".2f" if row["metric"] == "es" else ".0f"
    if bare or row["low"] is None:
        return f"{row['value']:{digits}}"
    return f"{row['value']:{digits}} [{row['low']:{digits}}, {row['high']:{digits}}]"


def draw_proof(rows: Sequence[Row]) -> str:
    """The picture as the text of an SVG file: arms, learning curve, losses, and the amount of data where it varies.

    Equal rows give equal bytes.
    """
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    panels = [_arms, _curve, _losses, *([_amounts] if any(row["suite"] == AMOUNT for row in rows) else [])]
    with rc_context({"svg.hashsalt": "sealegs", "svg.fonttype": "none", "font.size": 8}):
        figure = Figure(figsize=(9, 6.4), layout="constrained")
        FigureCanvasSVG(figure)
        grid = figure.subplots(2, 2)
        for axes, panel in zip(grid.flat, panels):
            panel(axes, rows)
        for axes in list(grid.flat)[len(panels) :]:
            axes.set_axis_off()
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()


def _arms(axes: Axes, rows: Sequence[Row]) -> None:
    """The recovery rate of each model on each set."""
    own = [row for row in rows if (row["suite"], row["level"], row["metric"]) == (MEASURED, ALL, "rr")]
    models = list(dict.fromkeys(row["model"] for row in own))
    for nth, mode in enumerate(dict.fromkeys(row["mode"] for row in own)):
        some = [row for row in own if row["mode"] == mode and row["value"] is not None]
        places = [models.index(row["model"]) + 0.14 * (nth - 2) for row in some]
        values, errors = _with_errors(some)
        axes.errorbar(values, places, xerr=errors, fmt="o", markersize=3, linewidth=1, color=f"C{nth}", label=mode)
    axes.set_yticks(range(len(models)), models)
    axes.invert_yaxis()
    axes.set_xlim(-3, 103)
    axes.set_title("RR by arm and set, % (95 % intervals)")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, fontsize=7)


def _curve(axes: Axes, rows: Sequence[Row]) -> None:
    """Recovery and success against steps."""
    for nth, (metric, label) in enumerate((("rr", "RR"), ("tsr", "TSR, failing"), ("tsr_clean", "TSR, clean"))):
        own = [row for row in rows if row["suite"] == CURVE and row["metric"] == metric and row["value"] is not None]
        if own:
            values, errors = _with_errors(own)
            steps = [int(row["level"]) for row in own]
            axes.errorbar(steps, values, yerr=errors, color=f"C{nth}", label=label, linewidth=1.2, capsize=2)
    _finish(axes, "paladin while it learns: seen kinds, %", "step")


def _losses(axes: Axes, rows: Sequence[Row]) -> None:
    """Both terms, seed by seed."""
    own = [row for row in rows if row["suite"] == TRAINING]
    terms = ("loss_sft", "loss_recovery", "eval_loss_sft", "eval_loss_recovery")
    for model in dict.fromkeys(row["model"] for row in own):
        for metric in terms:
            some = [row for row in own if row["metric"] == metric and row["model"] == model]
            line = "--" if metric.startswith("eval") else "-"
            # Every seed has the same four curves, so those of one are enough for the legend.
            first = model == own[0]["model"]
            label = metric.replace("eval_loss_", "validation, ").replace("loss_", "") if first else None
            colour = "C1" if metric.endswith("recovery") else "C0"
            steps, values = [int(row["level"]) for row in some], [float(row["value"] or 0.0) for row in some]
            axes.plot(steps, values, line, color=colour, label=label, linewidth=0.9, alpha=0.8)
    axes.set_yscale("log")
    _finish(axes, "the two terms of the loss, nats per token", "step")


def _amounts(axes: Axes, rows: Sequence[Row]) -> None:
    """Recovery against rows."""
    own = [row for row in rows if row["suite"] == AMOUNT and row["value"] is not None]
    values, errors = _with_errors(own)
    axes.errorbar([int(row["level"]) for row in own], values, yerr=errors, fmt="o-", linewidth=1.2, capsize=2)
    axes.set_xscale("log")
    _finish(axes, "RR by rows of data, as many steps, %", "rows")


def _with_errors(rows: Sequence[Row]) -> tuple[list[float], Any]:
    values = [float(row["value"] or 0.0) for row in rows]
    low = [max(0.0, value - float(row["low"] or 0.0)) for value, row in zip(values, rows, strict=True)]
    high = [max(0.0, float(row["high"] or 0.0) - value) for value, row in zip(values, rows, strict=True)]
    return values, [low, high]


def _finish(axes: Axes, title: str, below: str) -> None:
    axes.set_title(title)
    axes.set_xlabel(below)
    axes.grid(alpha=0.3)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False, fontsize=7)
