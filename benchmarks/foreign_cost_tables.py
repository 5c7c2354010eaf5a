"""The table and the words of `docs/foreign-evals.md` on added time, from the rows of `foreign_evals_cost.py`."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]
Rows = Iterable[Row]
GOAL = 5  # % that a run may add
HEAD = ("eval", "samples", "a sample by Inspect alone, ms", "added, %", "added alike, %", "with a fault, %", "pairs")
CALLS_HEAD = ("eval", "calls added, %", "with a fault, %")
ABSENT = "–"
WIDTH = 120  # characters of a line


def by_eval(rows: Rows) -> dict[str, dict[str, Row]]:
    """The rows by eval and metric."""
    found: dict[str, dict[str, Row]] = {}
    for row in rows:
        found.setdefault(row["suite"].removeprefix("inspect:"), {})[row["metric"]] = row
    return found


def cell(row: Row | None, places: int = 1) -> str:
    """A figure with its interval, where it has one."""
    if row is None or row["value"] is None:
        return ABSENT
    value = f"{row['value']:.{places}f}"
    return value if row["low"] is None else f"{value} [{row['low']:.{places}f}, {row['high']:.{places}f}]"


def added_time(rows: Rows) -> Iterator[Sequence[str]]:
    """What a run adds in processor time."""
    for name, own in by_eval(rows).items():
        added = (cell(own.get(metric)) for metric in ("added", "added_alike", "added_struck"))
        yield name, cell(own["samples"], 0), cell(own["sample_ms"], 0), *added, str(own["added"]["n"])


def has_calls(rows: Rows) -> bool:
    """Return whether calls were counted."""
    return any(row["metric"] == "calls" for row in rows)


def added_calls(rows: Rows) -> Iterator[Sequence[str]]:
    """What a run adds in function calls, where they were counted."""
    for name, own in by_eval(rows).items():
        if "calls" in own:
            yield name, cell(own["calls"]), cell(own.get("calls_struck"))


def words(made: Mapping[str, Any], rows: Rows, evals: Sequence[str]) -> str:
    """Sentences that say of each eval on which side of the goal it is, and which evals were not measured.

    Args:
        made: when and of which commit the figures are.
        rows: the figures.
        evals: all that there are.
    """
    found = by_eval(rows)
    sides: dict[str, list[str]] = {"less": [], "more": [], "open": []}
    for name, own in found.items():
        sides[side(own["added"])].append(name)
    said = [f"The aim is at most {GOAL} %."]
    if sides["less"]:
        said.append(f"The whole interval is below that in {listed(sides['less'])}.")
    if sides["more"]:
        said.append(f"More is added in {listed(sides['more'])}.")
    if sides["open"]:
        said.append(f"Undecided, because the interval holds {GOAL} % or is missing: {listed(sides['open'])}.")
    if absent := [name for name in evals if name not in found]:
        said.append(f"Not measured: {listed(absent)}.")
    for metric, what in (
        ("added_alike", "equal settings of the collector"),
        ("added_struck", "a fault in every sample"),
    ):
        if over := [name for name, own in found.items() if metric in own and side(own[metric]) == "more"]:
            said.append(f"With {what}, the whole interval is above it in {listed(over)}.")
        if lacking := [name for name, own in found.items() if metric not in own]:
            where = listed(lacking) if len(lacking) < len(found) else "any of them"
            said.append(f"There is no figure with {what} for {where}.")
    said.append(f"The figures are of {made['date']}, commit `{made['commit']}`.")
    return textwrap.fill(" ".join(said), WIDTH, break_long_words=False, break_on_hyphens=False) + "\n"


def side(added: Row) -> str:
    """Where the added share lies: `less` or `more` than the goal with its whole interval, else `open`."""
    if added["low"] is None:
        return "open"
    return "less" if added["high"] < GOAL else "more" if added["low"] > GOAL else "open"


def listed(names: Sequence[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
