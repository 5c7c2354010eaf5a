"""Working out what a trip costs: a stay at given rates, the lodging tax, the whole trip."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from sealegs.faults.invariants import Bounds, Echo, Formula, Invariant, OneOf, Ordered, Sums
from sealegs.world.tool import Answer, Refusal, World, simulated_tool
from sealegs.world.travel.facts import CURRENCIES, known_currency, rounded_money, share_of, stay_span
from sealegs.world.travel.hotel_facts import net_of, nights, weekend_nights
from sealegs.world.travel.hotels import nights_between
from sealegs.world.travel.travel_arguments import Amount, CheckIn, CheckOut, Currency, Percent

SETTLED: tuple[Invariant, ...] = (OneOf("currency", CURRENCIES, ("EUX", "UDS", "PTS", "XXX")),)


class StayCost(Answer):
    """What a stay costs at given rates."""

    check_in: str = Field(description="Date of arrival")
    check_out: str = Field(description="Date of departure")
    nights: int = Field(description="Length of the stay")
    weeknights: int = Field(description="Nights from Sunday to Thursday")
    weekend_nights: int = Field(description="Friday and Saturday nights")
    net: float = Field(description="Price before tax")
    tax: float = Field(description="Lodging tax")
    total: float = Field(description="Price, tax included")
    currency: str = Field(description="ISO 4217 code of the amounts")


def _net(weeknights: int, weekend: int, weeknight_rate: float, weekend_rate: float, currency: str) -> float:
    return rounded_money(weeknights * weeknight_rate + weekend * weekend_rate, currency)


@simulated_tool(
    category="processor",
    answer=StayCost,
    examples=(
        {
            "weeknight_rate": 88,
            "weekend_rate": 106,
            "check_in": "2026-03-18",
            "check_out": "2026-03-21",
            "tax_percent": 7.5,
            "currency": "EUR",
        },
        {
            "weeknight_rate": 23_500,
            "weekend_rate": 28_200,
            "check_in": "2026-04-06",
            "check_out": "2026-04-10",
            "tax_percent": 10,
            "currency": "JPY",
        },
        {
            "weeknight_rate": 420,
            "weekend_rate": 504,
            "check_in": "2026-05-22",
            "check_out": "2026-05-31",
            "tax_percent": 13,
            "currency": "CAD",
        },
    ),
    refusals=(
        (
            {
                "weeknight_rate": 88,
                "weekend_rate": 106,
                "check_in": "2026-03-21",
                "check_out": "2026-03-18",
                "tax_percent": 7.5,
                "currency": "EUR",
            },
            400,
        ),
        (
            {
                "weeknight_rate": 88,
                "weekend_rate": 106,
                "check_in": "2026-03-18",
                "check_out": "2026-03-21",
                "tax_percent": 75,
                "currency": "EUR",
            },
            422,
        ),
    ),
    echoes=("check_in", "check_out", "currency"),
    invariants=(
        *SETTLED,
        Ordered("check_in", "check_out"),
        Formula("nights", ("check_in", "check_out"), nights_between, "nights are the days from check_in to check_out"),
        Sums("nights", ("weeknights", "weekend_nights")),
        Formula(
            "net",
            ("weeknights", "weekend_nights", "argument:weeknight_rate", "argument:weekend_rate", "currency"),
            _net,
            "net is the nights at their rates",
        ),
        Formula("tax", ("net", "argument:tax_percent", "currency"), share_of, "tax is tax_percent of net"),
        Sums("total", ("net", "tax")),
        Bounds("nights", 1, 30),
        Bounds("net", 0, None),
        Bounds("total", 0, None),
    ),
)
def stay_cost(
    world: World,
    weeknight_rate: Amount,
    weekend_rate: Amount,
    check_in: CheckIn,
    check_out: CheckOut,
    tax_percent: Percent,
    currency: Currency,
) -> dict[str, Any]:
    """Price a hotel stay from nightly rates: Friday and Saturday nights at the weekend rate, lodging tax on top."""
    first, last = stay_span(check_in, check_out)
    net = net_of(weeknight_rate, weekend_rate, first, last, known_currency(currency))
    tax = share_of(net, tax_percent, currency)
    weekend = weekend_nights(first, last)
    return {
        "nights": len(nights(first, last)),
        "weeknights": len(nights(first, last)) - weekend,
        "weekend_nights": weekend,
        "net": net,
        "tax": tax,
        "total": round(net + tax, 2),
        "currency": currency,
    }


class LodgingTax(Answer):
    """An amount with lodging tax added."""

    net: float = Field(description="The amount before tax")
    tax_percent: float = Field(description="The tax in per cent")
    tax: float = Field(description="The tax")
    total: float = Field(description="The amount, tax included")
    currency: str = Field(description="ISO 4217 code of the amounts")


@simulated_tool(
    category="processor",
    answer=LodgingTax,
    examples=(
        {"net_amount": 282, "tax_percent": 7.5, "currency": "EUR"},
        {"net_amount": 94_000, "tax_percent": 10, "currency": "JPY"},
        {"net_amount": 840.5, "tax_percent": 13, "currency": "CAD"},
        {"net_amount": 1634, "tax_percent": 14.75, "currency": "USD"},
    ),
    refusals=(
        ({"net_amount": 282, "tax_percent": 7.5, "currency": "XAU"}, 400),
        ({"net_amount": -282, "tax_percent": 7.5, "currency": "EUR"}, 422),
    ),
    invariants=(
        Echo("net_amount", "net"),
        Echo("tax_percent", "tax_percent"),
        Echo("currency", "currency"),
        *SETTLED,
        Formula("tax", ("net", "tax_percent", "currency"), share_of, "tax is tax_percent of net"),
        Sums("total", ("net", "tax")),
        Bounds("tax_percent", 0, 40),
        Bounds("tax", 0, None),
        Bounds("total", 0, None),
    ),
)
def lodging_tax(world: World, net_amount: Amount, tax_percent: Percent, currency: Currency) -> dict[str, Any]:
    """Add a city's lodging tax to the net price of a hotel offer and give tax and total."""
    tax = share_of(net_amount, tax_percent, known_currency(currency))
    return {
        "net": net_amount,
        "tax_percent": tax_percent,
        "tax": tax,
        "total": round(net_amount + tax, 2),
        "currency": currency,
    }


def _share(total: float, travellers: int, currency: str) -> float:
    return rounded_money(total / travellers, currency)


class TripCost(Answer):
    """What a trip costs in all."""

    flights: float = Field(description="Flights")
    lodging: float = Field(description="Lodging")
    ground: float = Field(description="Ground transport")
    subtotal: float = Field(description="The parts together")
    contingency: float = Field(description="Reserve on top")
    total: float = Field(description="The whole trip")
    travellers: int = Field(description="People who share the cost")
    per_traveller: float = Field(description="The total for each of them")
    currency: str = Field(description="ISO 4217 code of the amounts")


@simulated_tool(
    category="processor",
    answer=TripCost,
    examples=(
        {"flights": 199.81, "lodging": 303.15, "ground": 61, "currency": "EUR"},
        {"flights": 87_700, "lodging": 103_400, "currency": "JPY", "contingency_percent": 10},
        {"flights": 1240.5, "lodging": 960, "ground": 140.2, "currency": "USD", "travellers": 3},
        {"flights": 0, "lodging": 540, "ground": 75, "currency": "GBP", "travellers": 2, "contingency_percent": 5},
    ),
    refusals=(
        ({"flights": 0, "lodging": 0, "currency": "EUR"}, 400),
        ({"flights": 199.81, "lodging": 303.15, "currency": "DEM"}, 400),
        ({"flights": 199.81, "lodging": 303.15, "currency": "EUR", "travellers": 0}, 422),
    ),
    echoes=("flights", "lodging", "ground", "travellers", "currency"),
    invariants=(
        *SETTLED,
        Sums("subtotal", ("flights", "lodging", "ground")),
        Formula(
            "contingency",
            ("subtotal", "argument:contingency_percent", "currency"),
            share_of,
            "contingency is contingency_percent of subtotal",
        ),
        Sums("total", ("subtotal", "contingency")),
        Formula("per_traveller", ("total", "travellers", "currency"), _share, "per_traveller is total / travellers"),
        Bounds("total", 0, None),
        Bounds("per_traveller", 0, None),
        Bounds("travellers", 1, 50),
    ),
)
def trip_cost(
    world: World,
    flights: Annotated[Amount, Field(description="Price of the flights")],
    lodging: Annotated[Amount, Field(description="Price of the lodging")],
    currency: Currency,
    ground: Annotated[Amount, Field(description="Price of trains, taxis and other ground transport")] = 0.0,
    travellers: Annotated[int, Field(ge=1, le=50, description="People who share the cost")] = 1,
    contingency_percent: Annotated[Percent, Field(description="Reserve on top in per cent")] = 0.0,
) -> dict[str, Any]:
    """Add up a trip's flights, lodging and ground transport, all in one currency, with a reserve and a share each."""
    known_currency(currency)
    parts = {"flights": flights, "lodging": lodging, "ground": ground}
    subtotal = round(sum(parts.values()), 2)
    if subtotal == 0:
        raise Refusal(400, "EmptyTrip", "Every part of the trip is 0; there is nothing to add up.")
    contingency = share_of(subtotal, contingency_percent, currency)
    total = round(subtotal + contingency, 2)
    return {
        **parts,
        "subtotal": subtotal,
        "contingency": contingency,
        "total": total,
        "travellers": travellers,
        "per_traveller": _share(total, travellers, currency),
        "currency": currency,
    }
