"""Tables of observed failures of tools: one line for each way of failing, with the interval of its rate."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sealegs.intervals.exact_shares import share_interval
from sealegs.reports.tables import keep_names_whole
from sealegs.traces.fitting import ToolFit

COLUMNS = ("tool", "outcome", "calls", "%", "95 %", "in a row", "seconds")
LATENCIES = (0.5, 0.9, 0.99)


def failure_rows(fits: Iterable[ToolFit]) -> list[dict[str, Any]]:
    """One row for each way in which a tool fails, and one for its answers (error null).

    Rows are {tool, error, status, calls, failed, rate, low, high, length, seconds, latency}: rates are shares with
    Wilson's interval as if calls were independent; `length` is the mean run of failed calls, null where none shows.
    """
    rows: list[dict[str, Any]] = []
    for fit in fits:
        rows.append({"tool": fit.tool, "error": None, "calls": fit.calls, "latency": [list(p) for p in fit.latency]})
        for failing in fit.failing:
            low, high = share_interval(failing.failed, failing.calls)
            rows.append(
                {
                    "tool": fit.tool,
                    "error": failing.error.type,
                    "status": failing.error.status or None,
                    "calls": failing.calls,
                    "failed": failing.failed,
                    "rate": failing.rate,
                    "low": low,
                    "high": high,
                    "length": failing.length,
                    "seconds": failing.seconds,
                }
            )
    return rows


def print_failures(fits: Iterable[ToolFit], console: Console) -> None:
    """Print what was seen of each tool.

    Seconds are the 50th, 90th and 99th percentile of answers, and the median of errors.
    """
    table = Table(*COLUMNS, box=SIMPLE_HEAD)
    keep_names_whole(table, 2)
    for fit in fits:
        known = dict(fit.latency)
        late = " ".join(f"{known[share]:.3g}" if share in known else "–" for share in LATENCIES)
        failed = sum(failing.failed for failing in fit.failing)
        table.add_row(Text(fit.tool), "answered", f"{fit.calls - failed} of {fit.calls}", "", "", "", late)
        for failing in fit.failing:
            low, high = share_interval(failing.failed, failing.calls)
            table.add_row(
                "",
                Text(str(failing.error)),
                f"{failing.failed} of {failing.calls}",
                f"{failing.rate * 100:.3g}",
                f"{low * 100:.3g} to {high * 100:.3g}",
                "" if failing.length is None else f"{failing.length:.1f}",
                "" if failing.seconds is None else f"{failing.seconds:.3g}",
            )
    console.print(table)
