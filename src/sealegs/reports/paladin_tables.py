"""The tables of `paladin`: runs arm by arm in the shape of the published table, class by class, and correlations.

The published figures are shown beside ours and never averaged with them: other tasks, trained models, a model as the
grader.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import combinations

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sealegs.faults.csv_tables import table_rows
from sealegs.reports.invalid_marks import InvalidMarks
from sealegs.scoring.correlation import pearson
from sealegs.scoring.metric import ALL, Row
from sealegs.scoring.paladin_metrics import CLEAN

SHOWN = {"rr": "RR", "tsr": "TSR", "csr": "CSR", "es": "ES", "efficiency": "efficiency", "calls": "calls"}
PUBLISHED_ARMS = ("vanilla", "critic", "toolreflect", "toolbench", "paladin")
PUBLISHED = "paladin_table1.csv"
SOURCE = "PALADIN, AAAI 2026 workshop, table 1"
CORRELATED = ("rr", "tsr", "csr", "es")


@dataclass(frozen=True, slots=True)
class MetricCorrelation:
    """Pearson's r of two metrics over runs, with its two-sided p; nan where it is not defined."""

    one: str
    other: str
    r: float
    p: float
    n: int


@cache
def published_paladin_rows() -> tuple[Mapping[str, str], ...]:
    """The rows of the published table: backbone, benchmark, metric, and a figure for each arm."""
    text = files("sealegs.reports.published").joinpath(PUBLISHED).read_text(encoding="utf-8")
    return tuple(table_rows(text))


def name_of(row: Row) -> str:
    """The name of the agent or model of a row."""
    return str(row.get("agent") or row.get("model") or "?")


def correlations(rows: Sequence[Row]) -> list[MetricCorrelation]:
    """The correlations of the metrics over the runs of a long table, over all classes."""
    values = {(name_of(row), row["mode"], row["metric"]): row["value"] for row in rows if row["level"] == ALL}
    runs = list(dict.fromkeys((name, mode) for name, mode, _ in values))
    return [_correlated(one, other, values, runs) for one, other in combinations(CORRELATED, 2)]


def published_correlations() -> list[MetricCorrelation]:
    """The same over the published figures: a run is an arm over a backbone on a benchmark."""
    values: dict[tuple[str, str, str], float | None] = {}
    for row in published_paladin_rows():
        for arm in PUBLISHED_ARMS:
            values[f"{row['backbone']} {arm}", row["benchmark"], row["metric"].lower()] = float(row[arm])
    runs = list(dict.fromkeys((name, mode) for name, mode, _ in values))
    return [_correlated(one, other, values, runs) for one, other in combinations(CORRELATED, 2)]


def _correlated(
    one: str, other: str, values: Mapping[tuple[str, str, str], float | None], runs: Sequence[tuple[str, str]]
) -> MetricCorrelation:
    pairs = [(values.get((*run, one)), values.get((*run, other))) for run in runs]
    known = [(a, b) for a, b in pairs if a is not None and b is not None]
    r, p = pearson([a for a, _ in known], [b for _, b in known])
    return MetricCorrelation(one, other, r, p, len(known))


def correlation_rows(found: Sequence[MetricCorrelation], who: Row) -> Iterator[Row]:
    """Correlations in the long table: r and p of each pair."""
    for each in found:
        for metric, value in (("r", each.r), ("p", each.p)):
            row: Row = {**who, "level": ALL, "mode": ALL, "metric": f"{metric}({each.one},{each.other})"}
            yield {
                **row,
                "value": None if math.isnan(value) else float(f"{value:.4g}"),
                "low": None,
                "high": None,
                "n": each.n,
            }


def print_paladin(rows: Sequence[Row], console: Console) -> None:
    """Print the tables of runs: one line a run, then class by class where there is one run."""
    runs = list(dict.fromkeys((name_of(row), row["mode"]) for row in rows))
    console.print(Text("Over the seven classes, % [95 % interval]; ES is 1 / the mean number of calls", style="bold"))
    console.print(_by_run(rows, runs))
    if len(runs) == 1:
        console.print(Text("\nClass by class", style="bold"))
        console.print(_by_class(rows))
    if len(runs) > 2:
        console.print(Text("\nPearson's r over the runs, with p", style="bold"))
        console.print(_correlations(correlations(rows)))


def print_published_paladin(console: Console) -> None:
    """Print the published table and its correlations."""
    table = _table(("benchmark", "metric", *PUBLISHED_ARMS))
    for row in published_paladin_rows():
        table.add_row(row["backbone"], row["benchmark"], row["metric"], *(row[arm] for arm in PUBLISHED_ARMS))
    console.print(Text(f"\nAs published ({SOURCE}): other tasks, trained models, a model as the grader", style="bold"))
    console.print(table)
    console.print(Text("\nPearson's r over the published figures, with p", style="bold"))
    console.print(_correlations(published_correlations()))


def _table(columns: Sequence[str]) -> Table:
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column(overflow="fold", min_width=16)
    for column in columns:
        table.add_column(column, justify="right")
    return table


def _by_run(rows: Sequence[Row], runs: Sequence[tuple[str, str]]) -> Table:
    sets, marks = len({mode for _, mode in runs}) > 1, InvalidMarks(rows)
    table = _table((*(["set"] if sets else []), *SHOWN.values(), "clean TSR", "n", *marks.column))
    for name, mode in runs:
        own = {(row["level"], row["metric"]): row for row in rows if (name_of(row), row["mode"]) == (name, mode)}
        cells = [_cell(own.get((ALL, metric))) for metric in SHOWN]
        n = own.get((ALL, "tsr"), Row(n=0))["n"]
        clean, invalid = _cell(own.get((CLEAN, "tsr"))), marks.cell(ALL, mode, name)
        table.add_row(name, *([mode] if sets else []), *cells, clean, str(n), *invalid)
    return table


def _by_class(rows: Sequence[Row]) -> Table:
    marks = InvalidMarks(rows)
    table = _table((*SHOWN.values(), "n", *marks.column))
    values = {(row["level"], row["metric"]): row for row in rows}
    modes = [row["mode"] for row in rows]
    for level in dict.fromkeys(row["level"] for row in rows):
        n = values.get((level, "tsr"), Row(n=0))["n"]  # none where all episodes of a class are invalid
        cells = (_cell(values.get((level, metric))) for metric in SHOWN)
        invalid = marks.cell(level, modes[0])
        table.add_row(level, *cells, str(n), *invalid, style="bold" if level == ALL else "")
    return table


def _cell(row: Row | None) -> str:
    if row is None or row["value"] is None:
        return "–"
    places = 3 if row["metric"] == "es" else 1
    value, low, high = (f"{number:.{places}f}" if number is not None else "?" for number in _numbers(row))
    return value if row["metric"] == "calls" else f"{value}\n[{low}, {high}]"


def _numbers(row: Row) -> tuple[float | None, ...]:
    return row["value"], row["low"], row["high"]


def _correlations(found: Sequence[MetricCorrelation]) -> Table:
    table = _table(("r", "p", "n"))
    for each in found:
        known = not math.isnan(each.r)
        pair = f"{SHOWN[each.one]}, {SHOWN[each.other]}"
        table.add_row(pair, f"{each.r:.2f}" if known else "–", f"{each.p:.2g}" if known else "–", str(each.n))
    return table
