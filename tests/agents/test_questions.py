"""What is read in a question by rule."""

from typing import Any

import pytest

from sealegs.agents.questions import Question, arguments
from sealegs.agents.seekers import Document, _parts, _same
from sealegs.search.bm25 import tokenize


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("How many sales after 2024-05-04 moved more than the product Ginger Star?", ["2024-05-04", "Ginger Star"]),
        ("Which huts lie above 1475 m?", [1475]),
        ("Which plays cost more than 1,250.50?", [1250.5]),
        ("Give the stops that Line 12 calls at.", ["Line 12"]),
        ("Who read 'the long road' in 2019?", ["the long road", 2019]),
        ('Which stops are called "Town Hall"?', ["Town Hall"]),
        ("Which members live in Isle of Man?", ["Isle of Man"]),
        ("Which book has the most pages? Give its title.", []),
        ("Castle Square has which books?", ["Castle Square"]),
        ("", []),
    ],
)
def test_values(text: str, values: list[Any]) -> None:
    assert [found.value for found in Question(text).values()] == values


TEXT = {"type": "string", "description": "a text, as in the genre of the play"}
WHOLE = {"type": "integer", "description": "a whole number, as in the minutes of the play"}


@pytest.mark.parametrize(
    ("text", "parameters", "wanted"),
    [
        ("Which plays of the genre satire last over 94 minutes?", {"arg_0": TEXT, "arg_1": WHOLE}, ["satire", 94]),
        ("Which plays last between 94 and 115 minutes?", {"arg_0": WHOLE, "arg_1": WHOLE}, [94, 115]),
        ("Which plays of the genre satire or farce?", {"arg_0": TEXT, "arg_1": TEXT}, ["satire", "farce"]),
        ("Which plays are there?", {"arg_0": WHOLE}, None),
        ("Which plays are there?", {}, []),
        ("What was shown in 2019?", {"arg_0": {"type": "string", "description": "a text, as in the year"}}, ["2019"]),
    ],
)
def test_arguments(text: str, parameters: dict[str, Any], wanted: list[Any] | None) -> None:
    said = set(tokenize("the genre, minutes and title of plays that last and are shown"))
    found = arguments(Question(text), parameters, said)
    assert (None if found is None else list(found.values())) == wanted


def test_documents_in_parts() -> None:
    told = (
        "The name from hut where the grade is `arg_0` and the id is one of (the id from trail where the end is "
        "(the id from place where the name is `arg_1`))"
    )
    document = Document("fn_a", f"{told}. Data: mountain huts.")
    assert (document.body, document.data, document.values, document.pads) == (
        told,
        "mountain huts.",
        ["arg_0", "arg_1"],
        [],
    )
    (part,) = _parts(told)
    assert part.startswith("the id from trail")
    assert part.endswith("`arg_1`)")
    outer = Document("fn_b", "The name from hut where the grade is `arg_0` and the id is one of the values in `arg_1`.")
    assert (outer.values, outer.pads) == (["arg_0"], ["arg_1"])
    assert _same(told.replace(f"({part})", "given-rows"), outer.body) > 0.9
    assert _same(told, outer.body) < 0.8
