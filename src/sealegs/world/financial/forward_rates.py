"""Forward exchange rates: what a currency costs in another for delivery on a later day.

The forward rate follows from the spot rate and the two money market rates, S (1 + q d/360) / (1 + b d/360), for d days
(interest parity).
"""

from __future__ import annotations

from datetime import date
from typing import Any

from pydantic import Field

from sealegs.faults.invariants import Bounds, Formula, Known, Ordered, Sums
from sealegs.world.financial.facts import quoted_currency, rate
from sealegs.world.financial.market_facts import INTEREST
from sealegs.world.financial.money_arguments import Code, Day, coming_date
from sealegs.world.state import NOW, TODAY
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

SPOT_DAYS = 3
"""Days ahead from which a deal counts as a forward."""


def banking_day(day: str) -> int:
    """The number of days from today to a day of delivery.

    Raises:
        Refusal: 400 where it cannot be one: too near or too far, or at a weekend.
    """
    found = coming_date(day)
    ahead = (found - date.fromisoformat(TODAY)).days
    if ahead < SPOT_DAYS:
        raise Refusal(400, "ValueDateTooEarly", f"{day} is nearer than {SPOT_DAYS} days.", value_date=day)
    if found.weekday() > 4:
        raise Refusal(400, "NotABankingDay", f"{day} is at a weekend.", value_date=day)
    return ahead


def parity(spot: float, base_interest: float, quote_interest: float, days: int) -> float:
    """The forward rate to six significant digits; interest in per cent a year."""
    return float(f"{spot * (1 + quote_interest * days / 36000) / (1 + base_interest * days / 36000):.6g}")


def forward(base: str, quote: str, days: int) -> float:
    """Units of `quote` for one unit of `base` in so many days.

    Raises:
        Refusal: 404 where one of them is not known, 400 where both are one.
    """
    if quoted_currency(base) == quoted_currency(quote):
        raise Refusal(400, "SameCurrency", f"Both currencies are {base}.")
    return parity(rate(base, quote), INTEREST[base], INTEREST[quote], days)


class ForwardPoints(Answer):
    """The forward rate of a pair of currencies."""

    base: str = Field(description="Currency of which one unit is priced")
    quote: str = Field(description="Currency in which it is priced")
    value_date: str = Field(description="Day of delivery")
    days: int = Field(description="Days until then")
    spot_rate: float = Field(description="Middle rate of today")
    forward_points: float = Field(description="forward_rate less spot_rate")
    forward_rate: float = Field(description="Units of quote for one unit of base on value_date")
    base_interest: float = Field(description="Money market rate of base, per cent a year")
    quote_interest: float = Field(description="Money market rate of quote, per cent a year")
    quoted_at: str = Field(description="Moment of the quotation, UTC")


@simulated_tool(
    category="source",
    answer=ForwardPoints,
    examples=(
        {"base": "USD", "quote": "EUR", "value_date": "2026-06-17"},
        {"base": "GBP", "quote": "JPY", "value_date": "2026-09-01"},
        {"base": "CHF", "quote": "USD", "value_date": "2026-04-08"},
        {"base": "EUR", "quote": "SEK", "value_date": "2027-01-15"},
        {"base": "MXN", "quote": "EUR", "value_date": "2026-12-03"},
    ),
    refusals=(
        ({"base": "EUR", "quote": "ISK", "value_date": "2026-06-17"}, 404),
        ({"base": "EUR", "quote": "USD", "value_date": "2026-06-20"}, 400),
        ({"base": "EUR", "quote": "USD", "value_date": "in June"}, 422),
    ),
    echoes=("base", "quote", "value_date"),
    invariants=(
        Bounds("forward_rate", 1e-5, 1e5),
        Bounds("spot_rate", 1e-5, 1e5),
        Sums("forward_rate", ("spot_rate", "forward_points")),
        Known("base_interest", "base", INTEREST),
        Known("quote_interest", "quote", INTEREST),
        Ordered("quoted_at", "value_date"),
        Formula(
            "days",
            ("quoted_at", "value_date"),
            lambda start, end: (date.fromisoformat(end) - date.fromisoformat(start[:10])).days,
            "days lie between quoted_at and value_date",
        ),
        Formula(
            "forward_rate",
            ("spot_rate", "base_interest", "quote_interest", "days"),
            parity,
            "forward_rate follows from spot_rate and the two interest rates",
        ),
    ),
)
def forward_points(world: World, base: Code, quote: Code, value_date: Day) -> dict[str, Any]:
    """Look up the forward exchange rate of a currency pair for a later day: spot rate, forward points and their sum."""
    days = banking_day(value_date)
    later, spot = forward(base, quote, days), rate(base, quote)
    return {
        "days": days,
        "spot_rate": spot,
        "forward_points": round(later - spot, 8),
        "forward_rate": later,
        "base_interest": INTEREST[base],
        "quote_interest": INTEREST[quote],
        "quoted_at": NOW,
    }
