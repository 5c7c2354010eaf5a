"""`sealegs plan check`: sound or not, and with tools, which rules can never be delivered on which."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sealegs.cli import app

TOOLS = """
from sealegs import tool

@tool
def weather(city: str) -> dict: ...

@tool(effects=False)
def price(item: str) -> dict: ...
"""


def checked(folder: Path, rules: str, tools: str = "tools_of_plan_check") -> tuple[int, list[str]]:
    """The exit code, and the lines after the first."""
    (folder / "tools_of_plan_check.py").write_text(TOOLS)
    (folder / "plan.yaml").write_text(f"name: x\nrules:\n{rules}")
    try:
        done = CliRunner().invoke(app, ["plan", "check", "plan.yaml", "--tools", tools])
    finally:
        sys.modules.pop("tools_of_plan_check", None)
    first, *lines = done.stdout.splitlines()
    assert first.startswith("plan.yaml: sound, ")
    return done.exit_code, lines


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])


def test_what_can_be_delivered_everywhere(tmp_path: Path) -> None:
    assert checked(tmp_path, "- {match: {tool: '*'}, fault: {kind: error}}") == (0, [])


def test_what_can_be_delivered_on_one_tool_alone(tmp_path: Path) -> None:
    assert checked(tmp_path, "- {id: twice, match: {tool: '*'}, fault: {kind: duplicate}}") == (
        0,
        [
            "rule 'twice' can never be delivered on tool 'price': "
            "it repeats an effect, and the tool has none (effects=False)"
        ],
    )


def test_what_can_be_delivered_on_none(tmp_path: Path) -> None:
    code, lines = checked(
        tmp_path,
        "- {id: law, match: {tool: weather}, fault: {kind: physics_violation}}\n"
        "- {id: far, match: {tool: nowhere}, fault: {kind: error}}\n"
        "- {id: part, match: {tool: weather}, moment: during, fault: {kind: error}}\n"
        "- {id: then, match: {tool: weather}, fault: {kind: error}, after: far}\n"
        "- {id: fine, match: {tool: weather}, fault: {kind: error}}\n",
    )
    assert code == 2
    assert lines == [
        "rule 'law' can never be delivered on tool 'weather': "
        "it breaks a declared invariant of its family, and the tool declares none (ToolSpec.invariants)",
        "rule 'part' can never be delivered on tool 'weather': "
        "it strikes during the work, and the tool's work has no parts (ToolSpec.parts)",
        "rule 'law' can never be delivered on any of these tools: see above for weather",
        "rule 'far' can never be delivered on any of these tools: it matches none of the 2",
        "rule 'part' can never be delivered on any of these tools: see above for weather",
        "rule 'then' can never be delivered on any of these tools: it waits for rule 'far'",
    ]
