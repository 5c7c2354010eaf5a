"""What is read in a question by rule."""

from typing import Any

import pytest

from sealegs.agents.coders import CoderTask, Earlier
from sealegs.agents.questions import Question, arguments
from sealegs.agents.scripted_agent import Say, UseTool
from sealegs.agents.seekers import Document, Seeker
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
    words = set(tokenize("the genre, minutes and title of plays that last and are shown"))
    found = arguments(Question(text), parameters, words)
    assert (None if found is None else list(found.values())) == wanted


def test_documents_in_parts() -> None:
    body = "The name of huts whose grade is `arg_0` and id occurs among trails whose end is `arg_1` as id"
    document = Document("fn_a", f"{body}. Data: mountain huts.")
    assert (document.body, document.data, document.values, document.pads) == (
        body,
        "mountain huts.",
        ["arg_0", "arg_1"],
        [],
    )
    outer = Document("fn_b", "The name of huts whose grade is `arg_0` and id is one of the values in `arg_1`.")
    assert (outer.values, outer.pads) == (["arg_0"], ["arg_1"])


NAME = {"items": {"prefixItems": [{"description": "name"}]}}
PADS = {"properties": {"arg_0": {"type": "array"}}}
OFFERED: tuple[dict[str, Any], ...] = (
    {"name": "fn_a", "description": "The name of huts whose price is above average. Data: huts.", "returns": NAME},
    {"name": "fn_b", "description": "The average price over huts. Data: huts.",
     "returns": {"items": {"prefixItems": [{"description": "average price"}]}}},
    {"name": "fn_c", "description": "The name of huts whose price is greater than the value in `arg_0`. Data: huts.",
     "parameters": PADS, "returns": NAME},
    {"name": "fn_d", "description": "The town of huts whose price is greater than the value in `arg_0`. Data: huts.",
     "parameters": PADS, "returns": {"items": {"prefixItems": [{"description": "town"}]}}},
    {"name": "fn_e", "description": "The average price over boats. Data: boats.", "returns": NAME},
)  # fmt: skip
ERROR = '{"error": {"type": "FunctionUnavailable", "message": "not now"}}'


def test_a_way_round_is_composed_of_what_the_question_and_the_columns_say() -> None:
    """The text of the refused function says nothing of how it could be computed otherwise."""
    agent = Seeker(CoderTask("Which huts have a price above the average price of huts? Give the names.", OFFERED))
    shown = {"fn_a": ERROR, "fn_b": "[[40.5]]", "fn_c": '[["Alm"]]'}
    calls: list[UseTool] = []
    while isinstance(act := agent.act(), UseTool):
        calls.append(act)
        agent.observe(act, shown.get(act.tool, ERROR))
    assert [call.tool for call in calls] == ["fn_a", "fn_b", "fn_c"]
    assert calls[-1].arguments == {"arg_0": Earlier(1)}
    assert act == Say('[["Alm"]]')
