"""Sharing a bill among the people of a trip."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from sealegs.faults.invariants import Bounds, Formula, OneOf, Sums
from sealegs.world.tool import Answer, Refusal, World, simulated_tool
from sealegs.world.travel.facts import CURRENCIES, known_currency, rounded_money, share_of
from sealegs.world.travel.travel_arguments import Amount, Currency, Percent


def _each(total: float, people: int, currency: str) -> float:
    return rounded_money(total / people, currency)


class SplitBill(Answer):
    """A bill shared evenly."""

    bill: float = Field(description="The bill before the tip")
    tip: float = Field(description="The tip")
    total: float = Field(description="Bill and tip")
    people: int = Field(description="People who share it")
    share: float = Field(description="What each of them pays")
    currency: str = Field(description="ISO 4217 code of the amounts")


@simulated_tool(
    category="processor",
    answer=SplitBill,
    examples=(
        {"bill": 303.15, "people": 3, "currency": "EUR"},
        {"bill": 34_200, "people": 4, "currency": "JPY"},
        {"bill": 286.4, "people": 5, "currency": "USD", "tip_percent": 18},
    ),
    refusals=(
        ({"bill": 0, "people": 3, "currency": "EUR"}, 400),
        ({"bill": 303.15, "people": 3, "currency": "DEM"}, 400),
        ({"bill": 303.15, "people": 1, "currency": "EUR"}, 422),
    ),
    echoes=("bill", "people", "currency"),
    invariants=(
        OneOf("currency", CURRENCIES, ("EUX", "UDS", "PTS", "XXX")),
        Formula("tip", ("bill", "argument:tip_percent", "currency"), share_of, "tip is tip_percent of bill"),
        Sums("total", ("bill", "tip")),
        Formula("share", ("total", "people", "currency"), _each, "share is total / people"),
        Bounds("people", 2, 50),
        Bounds("share", 0, None),
        Bounds("total", 0, None),
    ),
)
def split_trip_bill(
    world: World,
    bill: Annotated[Amount, Field(description="The bill before the tip")],
    people: Annotated[int, Field(ge=2, le=50, description="People who share it")],
    currency: Currency,
    tip_percent: Annotated[Percent, Field(description="Tip on top, in per cent")] = 0.0,
) -> dict[str, Any]:
    """Split a hotel or restaurant bill evenly among the people of a trip, with a tip where one is given."""
    known_currency(currency)
    if bill == 0:
        raise Refusal(400, "EmptyBill", "The bill is 0; there is nothing to share.")
    tip = share_of(bill, tip_percent, currency)
    total = round(bill + tip, 2)
    return {"tip": tip, "total": total, "share": _each(total, people, currency)}
