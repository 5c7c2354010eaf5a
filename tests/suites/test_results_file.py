"""A file of results says of all its rows which command made them."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.scripts import ROOT, load_script

MADE: dict[str, Any] = {"date": "2026-11-30", "commit": "0123456789", "uncommitted": False}


@pytest.fixture
def results(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = load_script("benchmarks/results_file.py")
    monkeypatch.setattr(module, "provenance", lambda: {"command": "new", **MADE})
    return module


def stated(file: Path) -> tuple[list[int], list[str]]:
    """The rows of a file, and the commands that made them."""
    data = json.loads(file.read_text("utf-8"))
    return [row["n"] for row in data["rows"]], [one["command"] for one in data.get("parts", [data["made"]])]


def test_rows_that_stay_keep_what_made_them(results: ModuleType, tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    others = results.OtherRows.of(file, lambda row: False)
    others.write_with(file, [{"n": 1}])
    assert stated(file) == ([1], ["new"])
    for command in ("old", "older"):
        file.write_text(json.dumps({"made": {"command": command, **MADE}, "rows": [{"n": 1}, {"n": 2}]}))
        others = results.OtherRows.of(file, lambda row: row["n"] == 2)
        for _ in range(2):  # once a part, while a long command goes on
            others.write_with(file, [*others.rows, {"n": 2}])
            assert stated(file) == ([1, 2], [command, "new"])
    others = results.OtherRows.of(file, lambda row: row["n"] == 2)  # the same command once more
    others.write_with(file, [*others.rows, {"n": 2}])
    assert stated(file) == ([1, 2], ["older", "new"])
    results.OtherRows.of(file, lambda row: True).write_with(file, [{"n": 3}])
    assert stated(file) == ([3], ["new"])


def test_every_published_file_says_what_made_its_parts() -> None:
    for file in sorted((ROOT / "benchmarks" / "results").glob("*.json")):
        data = json.loads(file.read_text("utf-8"))
        if "parts" in data:
            joined = " --join " in (command := data["made"]["command"])
            assert joined or command in {one["command"] for one in data["parts"]}, file.name
            assert all(one["commit"] and one["date"] for one in data["parts"]), file.name
