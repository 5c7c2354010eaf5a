"""The pages say what is so: the program runs, the checks are those of the kit, the tables those of list and data."""

from __future__ import annotations

import json
import re
from typing import Any

import noxfile

from sealegs.adapters.conformance import CHECKS
from sealegs.adapters.frameworks import FRAMEWORKS
from sealegs.experiments.framework_agents import RUNNERS
from tests.adapters.frameworks.table import (
    DATA,
    OBJECTS_PAGE,
    PAGE,
    ROOT,
    agents_table,
    lines_table,
    long_table,
    objects_table,
    table,
    written,
)

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
    assert written(TEXT, lines_table(), table(rows), agents_table(agents)) == TEXT
    page = OBJECTS_PAGE.read_text(encoding="utf-8")
    assert written(page, objects_table()) == page
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
    others |= {"__init__", "bridge", "frameworks", "marks"}
    others |= {"pytest", "pytest_faults", "pytest_marks", "pytest_report"}
    assert there - others == {one.adapter for one in FRAMEWORKS} - {""}
    beside = {"__init__", "agent_runs", "suite", "table"}
    harnesses = {path.stem for path in (ROOT / "tests" / "adapters" / "frameworks").glob("*.py")} - beside
    assert harnesses == set(noxfile.FRAMEWORKS)
    assert {one.extra for one in FRAMEWORKS} - {""} <= set(noxfile.EXTRAS)
    assert len(noxfile.needed("loops")) == 4


def test_which_objects_are_run_is_listed_for_every_framework() -> None:
    """Every package whose objects are run is one by which a framework is seen, and the list says what is taken."""
    run = {one.name for one in FRAMEWORKS for package in RUNNERS if one.is_imported_as(package)}
    described = {one.name for one in FRAMEWORKS if one.objects}
    assert run <= described
    assert described - run <= {"LangGraph"}, "its objects are of LangChain's packages"
    assert all(any(one.is_imported_as(package) for one in FRAMEWORKS) for package in RUNNERS)
