"""The page says what is so: its program runs, its checks are those of the kit, its table is that of the data."""

from __future__ import annotations

import json
import re
from typing import Any

import noxfile
import pytest

from sealegs.adapters.conformance import CHECKS
from tests.adapters.frameworks.table import DATA, PAGE, ROOT, agents_table, long_table, table, written

TEXT = PAGE.read_text(encoding="utf-8")


def test_the_program_of_the_page_runs() -> None:
    (block,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    scope: dict[str, Any] = {"__name__": "page"}
    exec(compile(block, "adapters.md", "exec"), scope)
    assert scope["report"].counts()["passed"] >= 10


def test_the_checks_are_all_there() -> None:
    assert re.findall(r"^\| `(\w+)` \| [a-z]", TEXT, re.MULTILINE) == list(CHECKS)


def test_the_tables_are_those_of_the_data() -> None:
    data = json.loads(DATA.read_text(encoding="utf-8"))
    rows, agents = data["frameworks"], data["agents"]
    assert written(TEXT, table(rows), agents_table(agents)) == TEXT
    assert data["rows"] == long_table(rows, agents)
    assert not any(row["failed"] for row in rows)
    assert not any(row["counts"]["failed"] for row in agents)
    assert {row["framework"] for row in agents} <= {row["framework"] for row in rows}


def test_every_adapter_is_tested_and_has_an_extra() -> None:
    there = {path.stem for path in (ROOT / "src" / "sealegs" / "adapters").glob("*.py")}
    loops = {"anthropic", "dispatch", "openai"}
    wire = {"asgi", "httpx", "httpx2", "httpx_transports", "requests", "wire", "body_cutters"}
    others = loops | wire | {"inspect_seam"}  # the second half of Inspect's
    others |= {"langgraph_store", "request_rules"}  # a store beside LangChain's adapter; the rules of all servers
    others |= {"__init__", "bridge", "marks", "pytest", "pytest_faults", "pytest_marks", "pytest_report"}
    assert there - others == set(noxfile.FRAMEWORKS) - {"plain", "loops"}, "adapters, extras and harnesses do not match"
    assert len(noxfile.needed("loops")) == 4


@pytest.mark.parametrize("name", [name for name in noxfile.FRAMEWORKS if name not in noxfile.NO_OWN_EXTRA])
def test_the_page_has_a_line_for_every_extra(name: str) -> None:
    assert re.search(rf"^\| .* \| `.*` \| `{noxfile.extra_of(name)}` \|$", TEXT, re.MULTILINE)
