"""Every escape can succeed: without its guards it does, and with any one of them put back it does not.

Each mutant runs on a machine of its own, as root and as an ordinary user. All of them take more than a
quarter of an hour, so most are slow tests; the list itself is always checked.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from sealegs.sandbox.escapes import escapes
from tests import needs
from tests.sandbox.mutants.calls import changes_by
from tests.sandbox.mutants.own_machine import why_no_machine
from tests.sandbox.mutants.trial import try_mutant
from tests.sandbox.places import place

TABLE: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "mutants/table.yaml").read_text("utf-8"))
PAGE = Path(__file__).parents[2] / "docs" / "sandbox-mutants.md"
# Escapes that no removal of a guard was seen to let succeed; may only shrink.
NEVER = {"stack-overflow", "deep-source", "hostile-objects", "other-system-calls"}
QUICK = {"fork-bomb", "unix-socket", "forged-call", "the-machine-itself"}
WITHOUT = [
    pytest.param(at, user, id=f"{row['escape']}-{at}-{user}", marks=() if row["escape"] in QUICK else pytest.mark.slow)
    for at, row in enumerate(TABLE)
    for user in ("root", "user")
    if row.get("only", user) == user
]
PUT_BACK = [
    pytest.param(at, guard, id=f"{row['escape']}-{at}-{guard}")
    for at, row in enumerate(TABLE)
    for guard in row["guards"]
    if len(row["guards"]) > 1
]


@pytest.fixture(scope="module")
def own_machine() -> None:
    place("bubblewrap")
    if reason := why_no_machine():
        pytest.skip(f"{needs.OWN_MACHINE} ({reason})")


def signs(row: dict[str, Any], guards: set[str], user: str) -> list[str]:
    """Signs in the verdict that are those of the row."""
    if user == "root" and os.getuid():
        pytest.skip(needs.ROOT)
    # The other guards stay away, which an ordinary user alone needs.
    more = set(row.get("user", [])) if user == "user" else set()
    found = try_mutant(row["escape"], guards | more, row.get("smaller", {}), user == "user")
    return [one for one in found if re.search(row["sees"], one)]


@pytest.mark.usefixtures("own_machine")
@pytest.mark.parametrize(("at", "user"), WITHOUT)
def test_without_its_guards_it_succeeds(at: int, user: str) -> None:
    assert signs(TABLE[at], set(TABLE[at]["guards"]), user)


@pytest.mark.slow
@pytest.mark.usefixtures("own_machine")
@pytest.mark.parametrize(("at", "guard"), PUT_BACK)
def test_each_guard_is_enough(at: int, guard: str) -> None:
    user = "root" if os.getuid() == 0 else "user"
    assert not signs(TABLE[at], set(TABLE[at]["guards"]) - {guard}, user)


def test_every_escape_has_a_mutant_or_is_named() -> None:
    assert {row["escape"] for row in TABLE} | NEVER == {escape.name for escape in escapes()}
    assert not {row["escape"] for row in TABLE} & NEVER


def line(row: dict[str, Any]) -> str:
    more = f"; an ordinary user's also {', '.join(row['user'])}" if row.get("user") else ""
    who = "root only" if row.get("only") else "root, user"
    size = "smaller" if row.get("smaller") else "whole"
    return f"| `{row['escape']}` | {', '.join(row['guards'])}{more} | {who} | {size} |"


def test_the_page_is_the_table() -> None:
    lines = [one for one in PAGE.read_text(encoding="utf-8").splitlines() if one.startswith("| `")]
    assert lines[: len(TABLE)] == [line(row) for row in TABLE]
    assert {one.split("`")[1] for one in lines[len(TABLE) :]} == NEVER


BY_CALL = [
    pytest.param(("keyctl", 250, 219, "1 0"), [], "keys of the user", id="keys"),
    pytest.param(("shmget", 29, 194, "0 4096 01600"), ["ipc namespace"], "System V objects", id="ipc"),
    pytest.param(
        ("sethostname", 170, 161, "own 3"),
        ["capabilities", "user namespace", "uts namespace"],
        "name of the machine",
        id="uts",
    ),
    pytest.param(
        ("mount", 165, 40, "path path 0 0x1000 0"),
        ["bubblewrap", "capabilities", "landlock"],
        "mounts of the machine",
        id="mnt",
    ),
]


@pytest.mark.usefixtures("own_machine")
@pytest.mark.parametrize(("row", "guards", "seen"), BY_CALL)
def test_a_permitted_call_that_reaches_a_namespace_is_seen(
    row: tuple[str, int, int, str], guards: list[str], seen: str
) -> None:
    if os.getuid():
        pytest.skip(needs.ROOT)
    assert seen in changes_by(row, guards)
    # No namespace keeps keys apart: what the filter permits there is seen at once.
    assert not guards or seen not in changes_by(row, [])
