"""Doubling."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from sealegs.faults.invariants import Bounds, Formula
from sealegs.world.state import World
from sealegs.world.tool import Answer, simulated_tool


class Doubled(Answer):
    """A number and twice that number."""

    number: int = Field(description="The number")
    twice: int = Field(description="Twice the number")


@simulated_tool(
    category="processor",
    answer=Doubled,
    examples=[{"number": 1}, {"number": 2}, {"number": 5}],
    refusals=[({"number": -1}, 422)],
    invariants=[
        Formula("twice", ("number",), lambda one: 2 * one, "it is twice the number"),
        Bounds("twice", minimum=0),
    ],
    echoes=("number",),
)
def double_number(world: World, number: Annotated[int, Field(ge=0, description="A number")]) -> dict[str, Any]:
    """Work out twice a number, as a till does for a second piece of the same thing."""
    return {"twice": 2 * number}
