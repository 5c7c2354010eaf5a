"""The tables that a run prints: success, recovery and cost by level and mode, and what lies behind them.

Each fits 120 columns; on a narrower terminal the interval is under its value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sealegs.reports import published
from sealegs.reports.comparison import MODES, ranking
from sealegs.reports.counts import STAGES, attributions, fault_modes, funnels, splits
from sealegs.reports.invalid_marks import InvalidMarks
from sealegs.reports.metric_grids import (
    INCONCLUSIVE,
    MAIN,
    NOT_EXPOSED,
    Grid,
    MetricCell,
    figure,
    grid,
    main_table,
    overall,
)
from sealegs.reports.modes import METRICS, SHORT
from sealegs.reports.outcome_splits import outcome_splits
from sealegs.scoring.maze_metrics import BY_RUNG, HARM, MazeResult
from sealegs.scoring.metric import ALL, Row

WIDE = 118
RANKED = 96  # columns that a ranking needs to tell every mode


def print_tables(rows: Sequence[Row], results: Sequence[MazeResult], console: Console) -> None:
    """Print a run's tables.

    Args:
        rows: the long table of one run (`scoring.maze_metrics.maze_table`).
        results: the judged episodes that it was made of.
        console: where they are printed.
    """
    if not results:
        console.print(Text("No episode to report."))
        return
    console.print(_headline(rows, results))
    for title, table in _tables(rows, results, console.width < WIDE):
        console.print()
        console.print(Text(title, style="bold"))
        console.print(table)


def print_limits(rows: Sequence[Row], limits: Sequence[Row], console: Console) -> None:
    """Print what was reached beside what could be: TSR and its ceiling, by level and mode; nothing without `limits`."""
    if not limits:
        return
    reached = {(row["level"], row["mode"]): row["value"] for row in rows if row["metric"] == "tsr"}
    # No column for all modes: there TSR counts clean episodes too.
    modes = list(dict.fromkeys(row["mode"] for row in limits if row["mode"] != ALL))
    table = plain_table(modes)
    ceiling = {(row["level"], row["mode"]): row["value"] for row in limits}
    for level in dict.fromkeys(row["level"] for row in limits):
        pairs = ((reached.get((level, mode)), ceiling.get((level, mode))) for mode in modes)
        table.add_row(level, *(" of ".join("–" if one is None else figure(one) for one in pair) for pair in pairs))
    console.print(Text("\nTSR of its ceiling: what recovery can reach by what is declared, %", style="bold"))
    console.print(table)


COMPARED = (
    "Shapes can be compared, ranks with care: ToolMaze has another corpus, other prompts and requests, and another"
    " judge. Ours adds a date and a status line to the prompt, and draws the moment of a fault and further implicit"
    " faults unless the run had --moment before --implicit published. Only the line by the published judge's rules is"
    " made the same way."
)


def print_ranking(rows: Sequence[Row], results: Sequence[MazeResult], prompt: str, console: Console) -> None:
    """Print the run among the published models, by composite score, and what differs."""
    who = next(iter(rows), Row())
    lines = ranking(rows, results, str(who.get("agent") or who.get("model")), prompt)
    modes = MODES if console.width >= RANKED else ()
    table = plain_table(("composite", "TSR", *modes, "PRR", "RC"))
    for line in lines:
        values = (line.composite, line.tsr, *(line.by_mode if modes else ()), line.prr, line.rc)
        cells = ("–" if value is None else figure(value) for value in values)
        table.add_row(line.name, *cells, style="bold" if line.own else "")
    console.print(Text(f"\nBeside the published models ({published.SOURCE}; {prompt} prompt), %", style="bold"))
    console.print(table)
    if not any(line.own for line in lines):
        console.print("The run lacks levels or modes, so it has no comparable line.", style="yellow")
    console.print(COMPARED, highlight=False)


def print_pairs(
    pairs: Iterable[tuple[str, str, str]], console: Console, names: Sequence[str] = ("Sealegs", "ToolMaze")
) -> None:
    """Print our figures beside the published ones: what, ours, theirs."""
    table = plain_table(names)
    for what, ours, theirs in pairs:
        table.add_row(what, ours, theirs)
    console.print(table)


def print_set_comparison(lines: Iterable[tuple[str, ...]], console: Console) -> None:
    """Print the figures of a set of tasks beside those of the public ones."""
    table = plain_table(("this set", "public", "standard errors apart"))
    for line in lines:
        table.add_row(*line)
    console.print(table)


def print_rows(rows: Sequence[Row], console: Console) -> None:
    """Print a long table as it is: a line for each metric, a column for each level."""
    levels = list(dict.fromkeys(row["level"] for row in rows))
    values = {(row["metric"], row["level"]): row["value"] for row in rows}
    table = plain_table(levels)
    for metric in dict.fromkeys(row["metric"] for row in rows):
        cells = (values.get((metric, level)) for level in levels)
        table.add_row(
            metric, *("–" if cell is None else figure(cell) if cell % 1 else f"{cell:,.0f}" for cell in cells)
        )
    console.print(table)


def print_table(title: str, columns: Sequence[str], lines: Iterable[Sequence[str]], console: Console) -> None:
    """Print lines under their columns; the first cell of a line is its name."""
    table = plain_table(columns)
    for line in lines:
        table.add_row(*line)
    console.print(Text(f"\n{title}", style="bold"))
    console.print(table)


def print_findings(rows: Sequence[Mapping[str, Any]], console: Console) -> None:
    """Print what is wrong with answers, a block for each answer: where it is, and every finding with its score."""
    before = None
    for row in rows:
        place = (row["episode"], row["call"], row["tool"])
        if place != before:
            console.print(Text(f"{place[0]}, call {place[1]}: {place[2]}", style="bold"))
        before = place
        console.print(Text(f"  {row['score']:5.2f}  {row['family']}: {row['reason']}"))


def print_verdicts(rows: Sequence[Mapping[str, Any]], console: Console) -> None:
    """Print judged traces of another format: both verdicts and the reason for each."""
    table = plain_table(("mode", "as published", "strict", "reason"))
    table.columns[-1].justify = "left"
    for row in rows:
        verdicts = ("yes" if row[name] else "no" for name in ("as_published", "strict"))
        table.add_row(row["task_id"], row["mode"], *verdicts, Text(row["reason"]))
    console.print(table)
    both = [sum(bool(row[name]) for row in rows) for name in ("as_published", "strict")]
    console.print(
        f"{len(rows)} traces: {both[0]} successes as published, {both[1]} by the strict judge.", highlight=False
    )


def _tables(rows: Sequence[Row], results: Sequence[MazeResult], narrow: bool) -> Iterator[tuple[str, Table]]:
    faulty, marks = bool(fault_modes(results)), InvalidMarks(rows)
    if faulty:
        yield "Success, recovery and harm by mode, % [95 % interval]", _main(rows, results, narrow, marks)
    for metric in ("tsr", "prr", "rc") if faulty else ("tsr",):
        found = grid(rows, results, metric)
        yield f"{SHORT[metric]}: {METRICS[metric]}, % [95 % interval]", _by_level_and_mode(found, narrow, marks)
    yield "Strict verdict, outcome and process, and which alone says success", _outcomes(rows, results, narrow, marks)
    title = "Two judges: how often they disagree, and which alone says success"
    yield title, _judges(rows, results, narrow, marks)
    if faulty:
        yield (
            "Harm under faults: episodes with any of it, and with its other kinds, %",
            _harm(rows, results, narrow, marks),
        )
        if any(r.rung for r in results):
            yield (
                "PRR by how a false answer is detectable, hardest fault of an episode, %",
                _by_rung(rows, results, narrow, marks),
            )
        yield "From fault to recovery, in episodes", _course(results)
    if attributions(results):
        yield "What went wrong, in episodes", _what_went_wrong(results)


def _headline(rows: Sequence[Row], results: Sequence[MazeResult]) -> Text:
    who = next(iter(rows), Row())
    name = who.get("agent") or who.get("model") or "?"
    parts = [f"{who.get('suite', '?')}: {name}", f"{len(results)} episodes"]
    composite = overall(rows, results, "composite")
    if composite.value is not None:
        parts.append(f"composite score {composite}")
    text = Text(", ".join(parts), style="bold")
    if fault_modes(results) and not any(r.verdict.exposed for r in results):
        text.append(
            f"\n{INCONCLUSIVE}: no planned fault was delivered, so nothing can be said about recovery", "yellow"
        )
    return text


def plain_table(columns: Iterable[str]) -> Table:
    """An empty table with a column of names and these beside it."""
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column()
    for column in columns:
        table.add_column(column, justify="right")
    keep_names_whole(table)
    return table


def keep_names_whole(table: Table, columns: int = 1) -> None:
    """Let the first columns, which name the row, break into lines where there is no room: cut names are useless."""
    for column in table.columns[:columns]:
        column.overflow = "fold"


def _by_level_and_mode(found: Grid, narrow: bool, marks: InvalidMarks) -> Table:
    table = plain_table((*found.modes, *marks.column))
    for level in found.levels:
        cells = (cell_text(found.at(level, mode), narrow) for mode in found.modes)
        table.add_row(level, *cells, *marks.cell(level, ALL), style=_weight(level))
    return table


def _weight(name: str) -> str:
    return "bold" if name == ALL else ""


def cell_text(cell: MetricCell, narrow: bool = False) -> Text:
    """An estimate with its interval; on a narrow terminal the interval is under it."""
    if cell.value is None:
        return Text(cell.note.replace(" ", "\n") if narrow else cell.note, style="yellow" if len(cell.note) > 1 else "")
    if narrow and cell.low is not None and cell.high is not None:
        return Text(f"{figure(cell.value)}\n{figure(cell.low)}–{figure(cell.high)}")
    return Text(str(cell))


def _judges(rows: Sequence[Row], results: Sequence[MazeResult], narrow: bool, marks: InvalidMarks) -> Table:
    strict, published = (grid(rows, results, metric) for metric in ("tsr", "tsr_as_published"))
    table = plain_table(
        ("strict TSR", "TSR as published", "disagree", "published alone", "strict alone", *marks.column)
    )
    for split in splits(results):
        cells = (cell_text(found.at(ALL, split.mode), narrow) for found in (strict, published))
        numbers = (split.looser + split.stricter, split.looser, split.stricter)
        table.add_row(split.mode, *cells, *map(str, numbers), *marks.cell(ALL, split.mode), style=_weight(split.mode))
    return table


def _main(rows: Sequence[Row], results: Sequence[MazeResult], narrow: bool, marks: InvalidMarks) -> Table:
    table = plain_table((*(SHORT[metric] for metric in MAIN), *marks.column))
    for mode, cells in main_table(rows, results).items():
        table.add_row(mode, *(cell_text(cell, narrow) for cell in cells), *marks.cell(ALL, mode), style=_weight(mode))
    return table


def _harm(rows: Sequence[Row], results: Sequence[MazeResult], narrow: bool, marks: InvalidMarks) -> Table:
    grids = [grid(rows, results, metric) for metric in HARM if metric not in MAIN]
    table = plain_table(("any", "on corrupt input", "false claim", *marks.column))
    for mode in grids[0].modes:
        cells = (cell_text(found.at(ALL, mode), narrow) for found in grids)
        table.add_row(mode, *cells, *marks.cell(ALL, mode), style=_weight(mode))
    return table


def _by_rung(rows: Sequence[Row], results: Sequence[MazeResult], narrow: bool, marks: InvalidMarks) -> Table:
    grids = [grid(rows, results, metric.name) for metric in BY_RUNG.values()]
    table = plain_table(("at a glance", "by arithmetic", "across tools", "by a second source", *marks.column))
    modes = {r.mode for r in results if r.rung}
    for mode in (*(one for one in grids[0].modes if one in modes), ALL):
        cells = (cell_text(found.at(ALL, mode), narrow) for found in grids)
        table.add_row(mode, *cells, *marks.cell(ALL, mode), style=_weight(mode))
    return table


def _outcomes(rows: Sequence[Row], results: Sequence[MazeResult], narrow: bool, marks: InvalidMarks) -> Table:
    grids = [grid(rows, results, metric) for metric in ("tsr", "outcome", "process")]
    table = plain_table(
        ("strict TSR", "outcome", "process", "outcome alone", "strict alone", "on a minefield", *marks.column)
    )
    for split in outcome_splits(results):
        cells = (cell_text(found.at(ALL, split.mode), narrow) for found in grids)
        numbers = (split.looser, split.stricter, split.mined)
        table.add_row(split.mode, *cells, *map(str, numbers), *marks.cell(ALL, split.mode), style=_weight(split.mode))
    return table


def _course(results: Sequence[MazeResult]) -> Table:
    table = plain_table(STAGES)
    for funnel in funnels(results):
        planned, exposed, *rest = funnel.counts
        if exposed:
            table.add_row(funnel.mode, *map(str, funnel.counts), style=_weight(funnel.mode))
        else:
            note = INCONCLUSIVE if funnel.mode == ALL else NOT_EXPOSED
            table.add_row(funnel.mode, str(planned), Text(note, style="yellow"), *("–" for _ in rest))
    return table


def _what_went_wrong(results: Sequence[MazeResult]) -> Table:
    modes = sorted({r.mode for r in results})
    table = plain_table((*modes, ALL))
    for term, counts in attributions(results).items():
        table.add_row(term, *(str(counts[mode] or "–") for mode in modes), str(sum(counts.values())))
    return table
