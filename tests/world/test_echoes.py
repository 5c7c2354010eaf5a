"""An echo is declared once: the invariant and the returned value follow from the tool's `echoes`."""

from typing import Any

import pytest
from pydantic import Field

from sealegs.faults.call import Call, Value
from sealegs.faults.invariants import Bounds, Echo
from sealegs.world.corpus import Corpus
from sealegs.world.state import World
from sealegs.world.tool import Answer, simulated_tool


class Priced(Answer):
    """What some pieces cost."""

    sku: str = Field(description="What is bought")
    total: float = Field(description="What the pieces cost")
    pieces: int = Field(description="How many there are")


POSITIVE = Bounds("total", 0, None)


@simulated_tool(
    category="source", answer=Priced, examples=[{"sku": "A"}], echoes=("pieces", "sku"), invariants=[POSITIVE]
)
def price(world: World, sku: str, pieces: int = 1) -> dict[str, Any]:
    """Say what pieces cost."""
    return {"total": 2.5 * pieces}


@simulated_tool(category="source", answer=Priced, examples=[{"sku": "A"}], echoes=("sku",))
def price_of_known(world: World, sku: str) -> dict[str, Any]:
    """Say what one piece costs, under its name in the catalogue."""
    return {"pieces": 1, "total": 2.5, "sku": sku.upper()}


def answered(name: str, **arguments: Any) -> Any:
    corpus = Corpus({"price": price, "price_of_known": price_of_known}, {})
    outcome = corpus.run(Call(name, arguments), World())
    assert isinstance(outcome, Value)
    return outcome.value


def test_echoes_are_the_first_invariants_in_their_order() -> None:
    assert price.invariants == (Echo("pieces", "pieces"), Echo("sku", "sku"), POSITIVE)
    assert price.spec.invariants == price.invariants


def test_what_the_function_leaves_out_stands_where_the_answer_has_it() -> None:
    assert list(answered("price", sku="A", pieces=4).items()) == [("sku", "A"), ("total", 10.0), ("pieces", 4)]
    assert answered("price", sku="A") == {"sku": "A", "total": 2.5, "pieces": 1}


def test_what_the_function_returns_is_kept_as_it_is() -> None:
    assert list(answered("price_of_known", sku="a").items()) == [("pieces", 1), ("total", 2.5), ("sku", "A")]


def test_a_category_is_one_that_there_is() -> None:
    with pytest.raises(ValueError, match="lookup is of the unknown category 'reader'; choose from source, processor,"):

        @simulated_tool(category="reader", answer=Priced, examples=[])
        def lookup(world: World) -> dict[str, Any]:
            """Look something up."""
            return {}


@pytest.mark.parametrize("name", ["total", "colour", "pieces"])
def test_an_echo_is_a_parameter_and_a_field(name: str) -> None:
    def function(world: World, sku: str, colour: str) -> dict[str, Any]:
        """Say what one piece costs."""
        return {}

    message = f"function echoes {name}, which must be a parameter and a field of Priced; rename it or use the invariant"
    decorated = simulated_tool(
        category="action", repeat="again", key="pieces", answer=Priced, examples=[], echoes=("sku", name)
    )
    with pytest.raises(ValueError, match=message):
        decorated(function)
