"""The tables of the documentation are those that the results give."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.scripts import ROOT, load_script


@pytest.fixture(scope="module")
def tables() -> ModuleType:
    return load_script("benchmarks/doc_tables.py")


PAGES = [page for page in sorted((ROOT / "docs").rglob("*.md")) if "<!-- table: " in page.read_text(encoding="utf-8")]


def test_pages_with_tables_are_found() -> None:
    assert len(PAGES) >= 10


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_tables_are_as_they_would_be_written(tables: ModuleType, page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert tables.BLOCK.search(text)
    assert tables.written(text) == text, "run: python benchmarks/doc_tables.py"


def test_an_unknown_table_is_refused(tables: ModuleType) -> None:
    with pytest.raises(SystemExit, match="no table 'nothing'"):
        tables.written("<!-- table: nothing -->\n<!-- end -->")


def cost_row(
    name: str, metric: str, value: float, low: float | None = None, high: float | None = None
) -> dict[str, Any]:
    return {"suite": f"inspect:{name}", "metric": metric, "value": value, "low": low, "high": high, "n": 11}


COSTS = [
    *(cost_row(name, metric, 20) for name in ("cheap", "dear", "noisy") for metric in ("samples", "sample_ms")),
    cost_row("cheap", "added", 2, 1, 4.9),
    cost_row("cheap", "added_alike", 3, 2, 4),
    cost_row("cheap", "added_struck", 4.24, 3, 6),
    cost_row("cheap", "calls", 1.46),
    cost_row("cheap", "calls_struck", 6.9),
    cost_row("dear", "added", 9, 5.1, 12),
    cost_row("noisy", "added", 4),
]


def test_added_time_is_said_as_it_was_measured(tables: ModuleType) -> None:
    made = {"date": "2026-01-02", "commit": "abc"}
    words = " ".join(tables.foreign_cost_tables.words(made, COSTS, ["cheap", "dear", "noisy", "other"]).split())
    assert "The whole interval is below that in cheap." in words
    assert "More is added in dear." in words
    assert "or is missing: noisy." in words
    assert "Not measured: other." in words
    assert "no figure with a fault in every sample for dear and noisy." in words
    assert words.endswith("The figures are of 2026-01-02, commit `abc`.")


def test_every_figure_of_added_time_is_in_a_table(tables: ModuleType) -> None:
    made = tables.foreign_cost_tables
    assert next(made.added_time(COSTS)) == (
        "cheap",
        "20",
        "20",
        "2.0 [1.0, 4.9]",
        "3.0 [2.0, 4.0]",
        "4.2 [3.0, 6.0]",
        "11",
    )
    assert list(made.added_calls(COSTS)) == [("cheap", "1.5", "6.9")]


@pytest.mark.parametrize("file", sorted((ROOT / "benchmarks" / "results").glob("*.json")), ids=lambda file: file.stem)
def test_every_result_is_the_long_table(file: Path) -> None:
    rows = json.loads(file.read_text(encoding="utf-8"))["rows"]
    columns = {"suite", "level", "mode", "metric", "value", "low", "high", "n"}
    assert rows
    for row in rows:
        assert columns <= set(row)
        assert {"agent", "model"} & set(row)
