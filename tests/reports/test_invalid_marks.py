"""The column of invalid episodes in the tables of every suite."""

from __future__ import annotations

import io
from typing import Any

from rich.console import Console

from sealegs.reports.highwater_tables import highwater_lines
from sealegs.reports.invalid_marks import InvalidMarks
from sealegs.reports.paladin_tables import print_paladin
from sealegs.reports.tables import print_tables
from sealegs.scoring.invalid import PlayedCell, playing_rows
from tests.reports.report_runs import episodes, material


def printed(show: Any) -> str:
    console = Console(file=io.StringIO(), width=160)
    show(console)
    return str(console.file.getvalue())  # type: ignore[attr-defined]


def rows_of(cells: list[tuple[str, str, bool]], **who: Any) -> list[Any]:
    played = [
        PlayedCell(level, mode, f"t{n}", "no network" if bad else "") for n, (level, mode, bad) in enumerate(cells)
    ]
    return list(playing_rows(played, {"suite": "x", **who}))


def test_counts_by_level_and_mode() -> None:
    rows = rows_of([("C1", "P1", True), ("C1", "P1", False), ("C2", "NP", False)], model="m")
    marks = InvalidMarks(rows)
    assert marks.column == ("invalid",)
    assert (marks.cell("C1", "P1"), marks.cell("all", "all")) == (("1 of 2",), ("1 of 3",))
    assert marks.cell("C1", "NP") == ("–",), "there is no such episode"
    assert InvalidMarks([]).column == InvalidMarks([]).cell("C1", "P1") == ()


def test_every_table_of_maze_with_a_rate_has_the_column() -> None:
    whole = material(episodes())
    results = list(whole.results)
    bare = printed(lambda console: print_tables(whole.rows, results, console))
    assert "invalid" not in bare
    cells = [(result.level, result.mode, False) for result in results] + [("C1", "P1", True)]
    text = printed(lambda console: print_tables([*whole.rows, *rows_of(cells, model="m")], results, console))
    heads = [line for line in text.splitlines() if line.rstrip().endswith("invalid")]
    assert len(heads) == 7, "the main table, TSR, PRR, RC, two judges, outcome and harm"
    assert text.count(f"1 of {len(cells)}") == 7


def test_highwater_and_paladin_have_it() -> None:
    row: Any = {"suite": "highwater", "model": "m", "level": "open", "mode": "no errors", "metric": "accuracy"}
    row |= {"value": 50.0, "low": 40.0, "high": 60.0, "n": 2}
    invalid = rows_of([("open", "no errors", True), ("open", "no errors", False)], model="m")
    (table, *_) = highwater_lines([row, *invalid], [])
    assert (table.columns[-1], table.lines[0][-1]) == ("invalid", "1 of 2")
    other: Any = {**row, "suite": "paladin", "level": "all", "mode": "eval", "metric": "tsr"}
    more = [one for one in rows_of([("rate", "eval", True)], model="m") if one["mode"] != "all"]
    assert "1 of 1" in printed(lambda console: print_paladin([other, *more], console))
