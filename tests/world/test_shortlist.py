"""The flow of data between tools, and the list of tools that a request is likely to need."""

import os
import subprocess
import sys
from typing import Any

import pytest

from sealegs.world.corpus import load_corpus
from sealegs.world.shortlist import Shortlist, clauses, relative_scores
from sealegs.world.supply import Supply, ToolParameter, types_of
from sealegs.world.tool_search import ToolSearch

CORPUS = load_corpus()
SHORTLIST = Shortlist(CORPUS)
SUPPLY = Supply(CORPUS)
WEATHER = "What is the weather forecast for Lisbon on 5 March 2026?"
GIVEN = {"city": "Lisbon", "date": "2026-03-05"}


def parameter(tool: str, name: str) -> ToolParameter:
    return next(found for found in SUPPLY.parameters if (found.tool, found.name) == (tool, name))


def suppliers(tool: str, name: str) -> dict[str, float]:
    return dict(SUPPLY.suppliers[SUPPLY.parameters.index(parameter(tool, name))])


def test_the_same_name_fits_fully() -> None:
    found = suppliers("point_forecast", "latitude")
    assert found["geocode_place"] == found["city_profile"] == max(found.values()) == 1.0


def test_who_asks_for_it_does_not_find_it_out() -> None:
    found = suppliers("account_balance", "account_id")
    assert found["account_statement"] < found["find_account"]  # it answers the id that it was called with
    assert "account_balance" not in found


def test_types_must_agree() -> None:
    wanted = types_of(parameter("point_forecast", "latitude").schema)
    for tool in suppliers("point_forecast", "latitude"):
        fields = CORPUS.spec(tool).returns["properties"].values()
        assert any(wanted & types_of(field) for field in fields), tool


@pytest.mark.parametrize(
    ("schema", "types"),
    [
        ({"type": "integer"}, {"number"}),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, {"string"}),
        ({"type": ["number", "null"]}, {"number"}),
        ({"enum": ["a", "b"]}, {"string"}),
        ({"$ref": "#/$defs/Cell"}, {"object"}),
    ],
)
def test_types_of(schema: dict[str, Any], types: set[str]) -> None:
    assert types_of(schema) == types


def test_a_pattern_that_words_fit_tells_nothing() -> None:
    assert parameter("account_balance", "account_id").tells("ACC-9999")
    assert not parameter("add_checklist_item", "title").tells("Call the dentist")
    assert parameter("add_checklist_item", "title").tells("Call the landlord")  # one of its examples


@pytest.mark.parametrize(("request_", "given"), [(WEATHER, GIVEN), (WEATHER, {}), ("", {}), ("", {"x": None})])
def test_every_tool_stands_in_the_list_once(request_: str, given: dict[str, Any]) -> None:
    assert sorted(SHORTLIST.rank(request_, given)) == sorted(CORPUS.tools)


def test_what_supplies_a_likely_tool_moves_up() -> None:
    ranked = [hit.tool for hit in ToolSearch(CORPUS).search(WEATHER, len(CORPUS.tools))]
    listed = SHORTLIST.rank(WEATHER, GIVEN)
    assert listed.index("city_profile") < min(15, ranked.index("city_profile"))  # the forecast needs coordinates
    assert listed.index("point_forecast") < 5


def test_an_argument_that_few_tools_take_moves_them_up() -> None:
    request = "Have a look at it, please."
    assert "account_balance" in SHORTLIST.rank(request, {"number": "ACC-1001"})[:30]
    assert "account_balance" not in SHORTLIST.rank(request, {"number": 1001})[:30]


def test_the_list_is_the_same_under_every_hash_seed() -> None:
    code = (
        "from sealegs.world.corpus import load_corpus; from sealegs.world.shortlist import Shortlist;"
        f"print(Shortlist(load_corpus()).rank({WEATHER!r}, {GIVEN!r}))"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-P", "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout.strip()
        for seed in "12"
    ]
    assert runs == [str(SHORTLIST.rank(WEATHER, GIVEN))] * 2


def test_clauses_end_at_punctuation_and_connectives() -> None:
    assert clauses("Pay 2,315.40 today; then mail me the id, and the sum.") == [
        "Pay 2,315.40 today;",
        " mail me the id,",
        " the sum.",
    ]


def test_whole_is_a_share_of_the_highest() -> None:
    assert relative_scores([1.0, 4.0, 0.0]) == [0.25, 1.0, 0.0]
    assert relative_scores([0.0, 0.0]) == [0.0, 0.0]
