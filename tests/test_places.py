"""Where a change is made: docs/architecture.md names files that are there, and what it calls one place is one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.test_layers import FILES, ROOMS, SOURCE

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs/architecture.md").read_text("utf-8")
SHEET = SOURCE / "reports/templates/page.css"
COLOUR = re.compile(r"(?<![&\w])#(?:[0-9a-fA-F]{6}|[0-9a-fA-F]{3})\b")
STAND_INS = re.compile(r"#0[ab]0[ab][0-9a-f{:}]+")  # in figures, until the colours of the page replace them
POINTS = {"binomial_ends", "student_point", "normal_point", "multinomial", "percentile"}
SPREADS_OF_OTHER_THINGS = {"scoring/sample_size.py", "scenarios/task_figures.py"}  # may only shrink


def section(heading: str) -> str:
    return PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def rows(heading: str) -> list[list[str]]:
    """The cells of the lines of a section's table, without its head."""
    lines = [line for line in section(heading).split("\n") if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


def named_files() -> Iterator[str]:
    for _, *cells in rows("Where a change is made"):
        for name in re.findall(r"`([^`]+)`", " ".join(cells)):
            if "/" in name or name.endswith((".py", ".toml")):
                yield name


def test_the_table_tells_of_ten_changes() -> None:
    assert len(rows("Where a change is made")) == 10


@pytest.mark.parametrize("name", sorted({*named_files()} - {"__init__.py"}))
def test_each_file_is_there(name: str) -> None:
    whole = ROOT if name.startswith(("docs", "tests", "pyproject")) else SOURCE
    parts = Path(name).parts
    placeholder = next((part for part in parts if "NAME" in part or "DOMAIN" in part), None)
    known = Path(*parts[: parts.index(placeholder)]) if placeholder else Path(name)
    assert (whole / known).exists()


def test_colours_are_named_in_the_style_sheet_alone() -> None:
    sources = [file for kind in ("py", "css", "j2", "html", "js") for file in SOURCE.rglob(f"*.{kind}")]
    assert len(sources) > 1000
    found = {
        file.relative_to(SOURCE).as_posix(): COLOUR.findall(STAND_INS.sub("", file.read_text("utf-8")))
        for file in sources
        if file != SHEET
    }
    assert not {name: colours for name, colours in found.items() if colours}
    assert COLOUR.search(SHEET.read_text("utf-8"))


def test_waits_double_in_one_file() -> None:
    found = {name for name, tree in trees() if any(map(doubles, ast.walk(tree)))}
    assert {name for name in found if not name.startswith(("intervals/", "scoring/", "reports/"))} == {
        "recovery/policies/retry.py"
    }


def trees() -> Iterator[tuple[str, ast.Module]]:
    for file in FILES:
        yield file.relative_to(SOURCE).as_posix(), ast.parse(file.read_text("utf-8"))


def doubles(node: ast.AST) -> bool:
    """Whether it is two to the power of something that is not a fixed number."""
    power = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow)
    return power and ast.unparse(node.left) == "2" and not isinstance(node.right, ast.Constant)  # type: ignore[attr-defined]


def test_intervals_are_made_in_one_room() -> None:
    users = {
        name
        for name, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and POINTS & {alias.name for alias in node.names}
    }
    assert users
    assert {name.partition("/")[0] for name in users} == {"intervals"}
    asks = re.compile(r"\b(binomial_ends|student_point|multinomial|percentile)\(")
    found = {file.relative_to(SOURCE).parts[0] for file in FILES if asks.search(file.read_text("utf-8"))}
    assert found == {"intervals"}
    spread = {name for name, tree in trees() if {"stdev", "NormalDist", "pstdev"} & set(imported(tree))}
    assert {name for name in spread if not name.startswith("intervals/")} <= SPREADS_OF_OTHER_THINGS


def imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from (alias.name for alias in node.names)


def test_the_rooms_are_in_the_order_of_their_imports() -> None:
    order = [cells[0].strip("`") for cells in rows("The rooms")]
    assert sorted(order) == sorted(ROOMS)
    for place, room in enumerate(order):
        assert ROOMS[room] <= set(order[:place]), room
    contributing = (
        (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("**Where things are.**")[2].partition("\n\n")[0]
    )
    assert {room for room in ROOMS if f"`{room}`" not in contributing} == set()


def test_every_recipe_is_named() -> None:
    recipes = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("**Adding**\n")[2].partition("\n\n")[0]
    names = re.findall(r"^- (an? [a-z ]+):", recipes, re.MULTILINE)
    text = " ".join(section("Where a change is made").split())
    assert {name for name in names if name.partition(" ")[2] not in text} == set()
