"""The tools that a name stands for, and what is known of each before it is called."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sealegs.adapters.python.tool_listing import listed_tools
from sealegs.faults.user_error import UserError

SHOP = """
from sealegs import tool
from sealegs.faults import ToolSpec
from helpers_of_shop import borrowed

@tool
def weather(city: str) -> dict:
    return {}

@tool(effects=False, name="price_of")
def price(item: str) -> dict:
    return {}

def dry_pay(to: str): ...

@tool(effects=True, dry=dry_pay)
def pay(to: str): ...

def plain(x, y=2):
    return x

class Framed:
    name = "framed"
    description = "A tool of a framework."
    args_schema = None
    metadata = {"effects": False}

framed = Framed()
GIVEN = {"type": "function", "function": {"name": "given", "parameters": {"type": "object", "properties": {"q": {}}}}}
SPEC = ToolSpec("specified", effects=True)
MANY = [weather, plain, framed, GIVEN, SPEC]
NAMED = {"first": plain, "second": weather}
LAMBDA = lambda x: x
number = 3
nothing = []
"""


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "shop_of_tools.py").write_text(SHOP)
    (tmp_path / "helpers_of_shop.py").write_text("def borrowed(): ...\n")
    (tmp_path / "listing_of_tools.py").write_text("def a(x): ...\ndef b(x): ...\ntools = [a, b]\n")
    (tmp_path / "empty_of_tools.py").write_text("x = 1\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield
    for name in ("shop_of_tools", "helpers_of_shop", "listing_of_tools", "empty_of_tools"):
        sys.modules.pop(name, None)


def known(name: str) -> dict[str, Any]:
    return {one.spec.name: one for one in listed_tools(name)}


@pytest.mark.usefixtures("shop")
def test_a_modules_own_tools() -> None:
    found = known("shop_of_tools")
    assert set(found) == {"weather", "price_of", "pay", "framed", "given", "specified"}
    assert {name: one.dry for name, one in found.items()} == {
        **{"weather": False, "price_of": False, "pay": True, "framed": False},
        **{"given": None, "specified": None},
    }
    assert found["price_of"].spec.effects is False
    assert found["framed"].spec.effects is False
    assert found["pay"].spec.effects is True


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("shop_of_tools:MANY", ["weather", "plain", "framed", "given", "specified"]),
        ("shop_of_tools:NAMED", ["first", "second"]),
        ("shop_of_tools:plain", ["plain"]),
        ("shop_of_tools:SPEC", ["specified"]),
        ("shop_of_tools:GIVEN", ["given"]),
        ("listing_of_tools", ["a", "b"]),
    ],
)
def test_a_list_a_mapping_or_one(name: str, names: list[str]) -> None:
    assert list(known(name)) == names


@pytest.mark.usefixtures("shop")
def test_what_a_plain_function_shows() -> None:
    (plain,) = listed_tools("shop_of_tools:plain")
    assert plain.spec.parameters == {
        "type": "object",
        "properties": {"x": {}, "y": {"default": 2}},
        "required": ["x"],
        "additionalProperties": False,
    }
    assert plain.dry is False


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("shop_of_tools:number", "3 is not a tool; give callables"),
        ("shop_of_tools:nothing", "holds no tools; name a list of tools or of ToolSpecs as module:name"),
        ("empty_of_tools", "'empty_of_tools' holds no tools"),
        ("shop_of_tools:nowhere", "has no 'nowhere'"),
        ("no_such_module_of_tools", "there is no module 'no_such_module_of_tools' in"),
        (":x", "':x' names no"),
        ("", "holds no tools"),
    ],
)
def test_what_holds_no_tools(name: str, message: str) -> None:
    with pytest.raises(UserError, match=message.replace("(", r"\(")) as caught:
        listed_tools(name)
    assert "\n" not in str(caught.value)
    assert "__dict__" not in str(caught.value)
