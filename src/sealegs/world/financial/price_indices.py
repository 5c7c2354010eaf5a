"""Consumer prices: index and inflation of a country, and amounts brought from one month's prices to another's.

Does not cover price indices of single goods, wages, or producers.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from sealegs.faults.invariants import Bounds, Counts, Echo, Formula, Known, Mean, Ordered, Sums
from sealegs.faults.invariants.invariant import Invariant
from sealegs.world.financial.facts import exact_amount, rounded_amount
from sealegs.world.financial.market_facts import COUNTRIES, indices_between
from sealegs.world.financial.money_arguments import CODED, Amount, Code, Country
from sealegs.world.tool import Answer, World, simulated_tool

Month = Annotated[str, Field(pattern=r"^\d{4}-(0[1-9]|1[0-2])$", description="Month from 2019-12 to 2025-12, YYYY-MM")]
Index = Annotated[float, Field(gt=0, le=1e5, description="Index value of a month, such as 118.42")]
Percent = Annotated[float, Field(gt=-60, le=500, description="Rise of prices in per cent, such as 7.3")]


class PriceChange(Answer):
    """The change of prices from one month to another."""

    country_code: str = Field(description="Country, ISO 3166-1 alpha-2")
    country: str = Field(description="Country")
    from_month: str = Field(description="First month")
    to_month: str = Field(description="Last month")
    first_index: float = Field(description="Consumer price index of from_month (December 2019 = 100)")
    last_index: float = Field(description="Consumer price index of to_month")
    inflation_percent: float = Field(description="Rise of the index over the whole time in per cent")


class Inflation(PriceChange):
    """How prices changed from one month to another, by the year."""

    months: int = Field(description="Months from the first to the last")
    annual_percent: float = Field(description="Mean rise a year in per cent")


class Point(Answer):
    """The index of a month."""

    month: str = Field(description="Month")
    index: float = Field(description="Consumer price index")


class Series(PriceChange):
    """How prices changed, month by month."""

    mean_index: float = Field(description="Mean of the index values")
    month_count: int = Field(description="How many months are listed, both ends included")
    series: list[Point] = Field(description="The months, the first first")


_SPANS = (
    {"country_code": "DE", "from_month": "2020-06", "to_month": "2025-12"},
    {"country_code": "US", "from_month": "2021-01", "to_month": "2024-01"},
    {"country_code": "JP", "from_month": "2023-03", "to_month": "2025-06"},
    {"country_code": "PT", "from_month": "2019-12", "to_month": "2025-11"},
    {"country_code": "SE", "from_month": "2024-12", "to_month": "2025-12"},
)
_REFUSALS = (
    ({"country_code": "BR", "from_month": "2020-06", "to_month": "2025-12"}, 404),
    ({"country_code": "DE", "from_month": "2011-06", "to_month": "2025-12"}, 404),
    ({"country_code": "DE", "from_month": "2025-06", "to_month": "2021-12"}, 400),
    ({"country_code": "DE", "from_month": "June 2020", "to_month": "2025-12"}, 422),
)


def _percent(first: float, last: float) -> float:
    return 100 * (last / first - 1)


_RISEN: tuple[Invariant, ...] = (
    Known("country", "country_code", COUNTRIES),
    Ordered("from_month", "to_month"),
    Bounds("first_index", 1, 1e4),
    Bounds("last_index", 1, 1e4),
    Bounds("inflation_percent", -60, 1e4),
    Formula("inflation_percent", ("first_index", "last_index"), _percent, "inflation_percent is the rise of the index"),
)


def _risen(country_code: str, points: dict[str, float]) -> dict[str, Any]:
    months, values = list(points), list(points.values())
    return {
        "country_code": country_code,
        "country": COUNTRIES[country_code],
        "from_month": months[0],
        "to_month": months[-1],
        "first_index": values[0],
        "last_index": values[-1],
        "inflation_percent": round(_percent(values[0], values[-1]), 8),
    }


@simulated_tool(
    category="source",
    answer=Inflation,
    examples=_SPANS,
    refusals=_REFUSALS,
    echoes=("country_code", "from_month", "to_month"),
    invariants=(
        *_RISEN,
        Formula(
            "annual_percent",
            ("first_index", "last_index", "months"),
            lambda first, last, months: 100 * ((last / first) ** (12 / months) - 1),
            "annual_percent is the mean rise of the index a year",
        ),
    ),
)
def inflation_between(world: World, country_code: Country, from_month: Month, to_month: Month) -> dict[str, Any]:
    """Tell how much consumer prices of a country rose from one month to a later one, in total and a year."""
    shown = _risen(country_code, points := indices_between(country_code, from_month, to_month))
    months = len(points) - 1
    yearly = 100 * ((shown["last_index"] / shown["first_index"]) ** (12 / months) - 1)
    return {**shown, "months": months, "annual_percent": round(yearly, 4)}


@simulated_tool(
    category="source",
    answer=Series,
    examples=_SPANS,
    refusals=_REFUSALS,
    echoes=("country_code", "from_month", "to_month"),
    invariants=(
        *_RISEN,
        Mean("mean_index", "series.index"),
        Counts("month_count", "series"),
        Formula("first_index", ("series.0.index",), lambda value: value, "first_index is the first of the series"),
        Formula("last_index", ("series",), lambda rows: rows[-1]["index"], "last_index is the last of the series"),
    ),
)
def price_index_series(world: World, country_code: Country, from_month: Month, to_month: Month) -> dict[str, Any]:
    """List a country's consumer price index month by month over a period (December 2019 = 100), with both ends."""
    points = indices_between(country_code, from_month, to_month)
    return {
        **_risen(country_code, points),
        "mean_index": round(sum(points.values()) / len(points), 2),
        "month_count": len(points),
        "series": [{"month": month, "index": value} for month, value in points.items()],
    }


class AdjustedAmount(Answer):
    """An amount in the prices of another time."""

    amount: float = Field(description="Amount in the old prices")
    currency: str = Field(description="Currency of every amount")
    increase: float = Field(description="What was added, negative where prices fell")
    adjusted_amount: float = Field(description="Amount in the new prices")


class IndexedAmount(AdjustedAmount):
    """An amount adjusted by two index values."""

    from_index: float = Field(description="Index of the old prices")
    to_index: float = Field(description="Index of the new prices")
    factor: float = Field(description="to_index / from_index")


class InflatedAmount(AdjustedAmount):
    """An amount adjusted by a rise in per cent."""

    inflation_percent: float = Field(description="Rise of prices that was applied, in per cent")


_ADJUSTED: tuple[Invariant, ...] = (
    CODED,
    Sums("adjusted_amount", ("amount", "increase")),
    Bounds("adjusted_amount", 0, 1e14),
)


def _adjusted(amount: float, factor: float, currency: str) -> dict[str, Any]:
    whole = exact_amount(amount, currency)
    adjusted = rounded_amount(whole * factor, currency)
    return {
        "amount": whole,
        "currency": currency,
        "increase": rounded_amount(adjusted - whole, currency),
        "adjusted_amount": adjusted,
    }


@simulated_tool(
    category="processor",
    answer=IndexedAmount,
    examples=(
        {"amount": 2400.0, "currency": "EUR", "from_index": 99.65, "to_index": 125.22},
        {"amount": 18500, "currency": "USD", "from_index": 101.88, "to_index": 119.7},
        {"amount": 640000, "currency": "JPY", "from_index": 104.26, "to_index": 110.9},
        {"amount": 75.5, "currency": "GBP", "from_index": 130.2, "to_index": 127.9},
    ),
    refusals=(
        ({"amount": 2400, "currency": "XAU", "from_index": 99.65, "to_index": 125.22}, 404),
        ({"amount": 2400, "currency": "EUR", "from_index": 0, "to_index": 125.22}, 422),
    ),
    echoes=("amount", "currency"),
    invariants=(
        *_ADJUSTED,
        Echo("from_index", "from_index"),
        Echo("to_index", "to_index"),
        Formula("factor", ("from_index", "to_index"), lambda old, new: new / old, "factor is to_index / from_index"),
        Formula(
            "adjusted_amount",
            ("amount", "from_index", "to_index", "currency"),
            lambda amount, old, new, currency: rounded_amount(amount * new / old, currency),
            "adjusted_amount is amount x to_index / from_index",
        ),
    ),
)
def index_adjusted_amount(
    world: World, amount: Amount, currency: Code, from_index: Index, to_index: Index
) -> dict[str, Any]:
    """Adjust an amount by an indexation clause: from one index value to another, such as those of two months."""
    factor = to_index / from_index
    return {
        **_adjusted(amount, factor, currency),
        "from_index": from_index,
        "to_index": to_index,
        "factor": round(factor, 6),
    }


@simulated_tool(
    category="processor",
    answer=InflatedAmount,
    examples=(
        {"amount": 2400.0, "currency": "EUR", "inflation_percent": 25.66},
        {"amount": 18500, "currency": "USD", "inflation_percent": 17.4911},
        {"amount": 640000, "currency": "JPY", "inflation_percent": 6.3687},
        {"amount": 75.5, "currency": "GBP", "inflation_percent": -1.8},
    ),
    refusals=(
        ({"amount": 2400, "currency": "XAU", "inflation_percent": 5}, 404),
        ({"amount": 2400, "currency": "EUR", "inflation_percent": -90}, 422),
    ),
    echoes=("amount", "currency"),
    invariants=(
        *_ADJUSTED,
        Echo("inflation_percent", "inflation_percent"),
        Formula(
            "adjusted_amount",
            ("amount", "inflation_percent", "currency"),
            lambda amount, percent, currency: rounded_amount(amount * (1 + percent / 100), currency),
            "adjusted_amount is amount raised by inflation_percent",
        ),
    ),
)
def amount_after_inflation(world: World, amount: Amount, currency: Code, inflation_percent: Percent) -> dict[str, Any]:
    """Express an amount of earlier money in later prices, given by how many per cent prices rose in between."""
    return {**_adjusted(amount, 1 + inflation_percent / 100, currency), "inflation_percent": inflation_percent}
