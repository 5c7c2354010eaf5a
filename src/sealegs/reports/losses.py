"""The curves of a training run as an SVG file: both terms of the loss over steps. Needs matplotlib.

Equal points give equal bytes. Means are over the tokens since the point before; a step without a token of a corrective
segment has no point of that term.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib import rc_context
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

CURVES = (
    ("loss_sft", "assistant's tokens", "C0", "-"),
    ("loss_recovery", "recovery tokens", "C1", "-"),
    ("eval_loss_sft", "assistant's tokens, validation", "C0", "--"),
    ("eval_loss_recovery", "recovery tokens, validation", "C1", "--"),
)


def draw_losses(points: Sequence[Mapping[str, Any]]) -> str:
    """The curves as the text of an SVG file.

    Args:
        points: each with its `step` and what was measured there.
    """
    with rc_context({"svg.hashsalt": "sealegs", "svg.fonttype": "none"}):
        figure = Figure(figsize=(7, 3.6), layout="constrained")
        FigureCanvasSVG(figure)
        axes = figure.add_subplot()
        for name, label, colour, line in CURVES:
            there = [(point["step"], point[name]) for point in points if name in point]
            if there:
                mark = "" if len(there) > 1 else "o"
                axes.plot(*zip(*there), line, color=colour, label=label, marker=mark, linewidth=1.2)
        axes.set_xlabel("step")
        axes.set_ylabel("nats per token")
        axes.grid(alpha=0.3)
        if axes.lines:
            axes.legend(frameon=False)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()
