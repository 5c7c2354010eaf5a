"""The tables of the documentation are those that the results give."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def tables() -> ModuleType:
    spec = importlib.util.spec_from_file_location("doc_tables", ROOT / "benchmarks" / "doc_tables.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "benchmarks"))  # where it finds the scripts beside it
        spec.loader.exec_module(module)
    return module


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


@pytest.mark.parametrize("file", sorted((ROOT / "benchmarks" / "results").glob("*.json")), ids=lambda file: file.stem)
def test_every_result_is_the_long_table(file: Path) -> None:
    rows = json.loads(file.read_text(encoding="utf-8"))["rows"]
    columns = {"suite", "level", "mode", "metric", "value", "low", "high", "n"}
    assert rows
    for row in rows:
        assert columns <= set(row)
        assert {"agent", "model"} & set(row)
