"""Every permitted system call on all that is shared, and the page that says what came of it."""

import re
from pathlib import Path

import pytest

from sealegs.sandbox.allowed_calls import effects_by_call, forms_of, try_calls, untried_calls
from sealegs.sandbox.seccomp import syscall_table
from tests.sandbox.places import place

PAGE = Path(__file__).parents[2] / "docs" / "sandbox-calls.md"
ROW = re.compile(r"^\| `(\w+)` \| (.*?) \| (.*?) \| (.*?) \| (.*?) \|$", re.MULTILINE)
PERMITTED = {"always": "yes", "scratch": "where there is a scratch folder", "checked": "with some arguments"}
WORDS = {**PERMITTED, "answered": "answered in Linux's stead", "unknown": "no, as if Linux did not know it"}


def of_page() -> dict[str, list[str]]:
    return {name: rest for name, *rest in ROW.findall(PAGE.read_text(encoding="utf-8"))}


def wording(did: tuple[str, ...]) -> str:
    return ", ".join("learns what there is" if one == "seen" else f"**{one}**" for one in did) or "nothing"


def test_every_permitted_call_has_a_form_or_a_reason() -> None:
    for entry in syscall_table():
        assert bool(forms_of(entry)) != (entry.name in untried_calls()), entry.name


def test_the_page_lists_the_calls_of_the_filter() -> None:
    page = of_page()
    assert list(page) == [entry.name for entry in syscall_table()]
    for entry in syscall_table():
        assert page[entry.name][0] == WORDS[entry.when]
        if entry.name in untried_calls():
            assert page[entry.name][1:] == ["-", f"not tried: {entry.takes[1:]}", "the same"]


@pytest.mark.parametrize(("isolation", "column"), [("bubblewrap", 2), ("weak", 3)])
def test_what_the_page_says_of_a_call_is_what_it_does(isolation: str, column: int) -> None:
    effects = effects_by_call(try_calls(place(isolation)))
    page = of_page()
    assert {name: wording(did) for name, (_, did) in effects.items()} == {name: page[name][column] for name in effects}
    assert {name: str(tried) for name, (tried, _) in effects.items()} == {name: page[name][1] for name in effects}
    assert set(page) - set(effects) <= set(untried_calls()) | not_here()


def not_here() -> set[str]:
    """Those that this machine does not have."""
    import platform

    return {entry.name for entry in syscall_table() if platform.machine() not in entry.numbers}
