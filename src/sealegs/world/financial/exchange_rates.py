"""Foreign exchange: quoted rates, conversion at the middle rate, and conversion at a rate of one's own."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from sealegs.faults.invariants import Bounds, Formula, Known
from sealegs.world.financial.facts import convert_amount, quoted_currency, rate, rounded_amount
from sealegs.world.financial.money_arguments import Amount, Code
from sealegs.world.state import NOW
from sealegs.world.tool import Answer, World, simulated_tool

ISSUERS = {
    "EUR": "Euro area",
    "USD": "United States",
    "GBP": "United Kingdom",
    "JPY": "Japan",
    "CHF": "Switzerland",
    "CNY": "China",
    "INR": "India",
    "BRL": "Brazil",
    "MXN": "Mexico",
    "KRW": "South Korea",
    "SEK": "Sweden",
    "NOK": "Norway",
    "DKK": "Denmark",
    "PLN": "Poland",
    "CZK": "Czechia",
    "CAD": "Canada",
    "AUD": "Australia",
    "NZD": "New Zealand",
    "SGD": "Singapore",
    "HKD": "Hong Kong",
    "AED": "United Arab Emirates",
    "ZAR": "South Africa",
}
HALF_SPREAD = 0.0008


class ExchangeQuote(Answer):
    """The market's rate of a pair of currencies."""

    base: str = Field(description="Currency of which one unit is priced")
    quote: str = Field(description="Currency in which it is priced")
    rate: float = Field(description="Middle rate: units of quote for one unit of base")
    inverse_rate: float = Field(description="Units of base for one unit of quote")
    bid: float = Field(description="Units of quote that a bank pays for one unit of base")
    ask: float = Field(description="Units of quote that a bank asks for one unit of base")
    base_area: str = Field(description="Where the base currency is legal tender")
    quoted_at: str = Field(description="Moment of the quotation, UTC")


def _digits(value: float) -> float:
    return float(f"{value:.6g}")


@simulated_tool(
    category="source",
    answer=ExchangeQuote,
    examples=(
        {"base": "USD", "quote": "EUR"},
        {"base": "GBP", "quote": "JPY"},
        {"base": "CHF", "quote": "USD"},
        {"base": "JPY", "quote": "EUR"},
        {"base": "EUR", "quote": "SEK"},
    ),
    refusals=(
        ({"base": "EUR", "quote": "ISK"}, 404),
        ({"base": "euro", "quote": "USD"}, 422),
    ),
    echoes=("base", "quote"),
    invariants=(
        Bounds("rate", 1e-5, 1e5),
        Bounds("inverse_rate", 1e-5, 1e5),
        Formula("rate", ("bid", "ask"), lambda bid, ask: (bid + ask) / 2, "rate lies midway between bid and ask"),
        Formula("inverse_rate", ("rate",), lambda value: 1 / value, "inverse_rate is 1 / rate"),
        Known("base_area", "base", ISSUERS),
    ),
)
def exchange_rate(world: World, base: Code, quote: Code) -> dict[str, Any]:
    """Quote the current market exchange rate of a currency pair: middle rate, its inverse, bid and ask."""
    middle = rate(base, quote)
    return {
        "rate": middle,
        "inverse_rate": _digits(1 / middle),
        "bid": _digits(middle * (1 - HALF_SPREAD)),
        "ask": _digits(middle * (1 + HALF_SPREAD)),
        "base_area": ISSUERS[base],
        "quoted_at": NOW,
    }


class Conversion(Answer):
    """An amount of money in two currencies."""

    amount: float = Field(description="Amount that was converted")
    from_currency: str = Field(description="Its currency")
    to_currency: str = Field(description="Currency of the converted amount")
    rate: float = Field(description="Units of to_currency for one unit of from_currency")
    converted_amount: float = Field(description="The amount in to_currency, rounded to its smallest unit")


@simulated_tool(
    category="processor",
    answer=Conversion,
    examples=(
        {"amount": 250.0, "from_currency": "USD", "to_currency": "EUR"},
        {"amount": 1180.5, "from_currency": "EUR", "to_currency": "GBP"},
        {"amount": 96000, "from_currency": "JPY", "to_currency": "USD"},
        {"amount": 3400, "from_currency": "SEK", "to_currency": "CHF"},
    ),
    refusals=(
        ({"amount": 100, "from_currency": "EUR", "to_currency": "XAU"}, 404),
        ({"amount": -5, "from_currency": "EUR", "to_currency": "USD"}, 422),
    ),
    echoes=("amount", "from_currency", "to_currency"),
    invariants=(
        Bounds("rate", 1e-5, 1e5),
        Bounds("converted_amount", 0, 1e14),
        Formula(
            "converted_amount",
            ("amount", "rate", "to_currency"),
            lambda amount, rate, to: rounded_amount(amount * rate, to),
            "converted_amount is amount x rate",
        ),
    ),
)
def convert_currency(world: World, amount: Amount, from_currency: Code, to_currency: Code) -> dict[str, Any]:
    """Convert an amount of money from one currency into another at the current middle rate."""
    return {
        "rate": rate(from_currency, to_currency),
        "converted_amount": convert_amount(amount, from_currency, to_currency),
    }


class AmountAtRate(Answer):
    """An amount of money converted at a given rate."""

    amount: float = Field(description="Amount that was converted")
    exchange_rate: float = Field(description="Rate that was applied")
    to_currency: str = Field(description="Currency of the converted amount")
    converted_amount: float = Field(description="amount x exchange_rate, rounded to the smallest unit of to_currency")
    remainder: float = Field(description="What rounding took away (negative: added), in to_currency")


Rate = Annotated[float, Field(gt=0, le=1e6, description="Units of the target currency for one unit of the source")]


@simulated_tool(
    category="processor",
    answer=AmountAtRate,
    examples=(
        {"amount": 250.0, "exchange_rate": 0.847458, "to_currency": "EUR"},
        {"amount": 1420.75, "exchange_rate": 1.29352, "to_currency": "USD"},
        {"amount": 88.2, "exchange_rate": 183.5, "to_currency": "JPY"},
        {"amount": 15300, "exchange_rate": 0.0936, "to_currency": "EUR"},
    ),
    refusals=(
        ({"amount": 100, "exchange_rate": 1.1, "to_currency": "XAU"}, 404),
        ({"amount": 100, "exchange_rate": 0, "to_currency": "EUR"}, 422),
    ),
    echoes=("amount", "exchange_rate", "to_currency"),
    invariants=(
        Bounds("converted_amount", 0, 1e15),
        Bounds("remainder", -0.5, 0.5),
        Formula(
            "converted_amount",
            ("amount", "exchange_rate", "to_currency"),
            lambda amount, rate, to: rounded_amount(amount * rate, to),
            "converted_amount is amount x exchange_rate",
        ),
    ),
)
def amount_at_rate(world: World, amount: Amount, exchange_rate: Rate, to_currency: Code) -> dict[str, Any]:
    """Convert an amount of money at an exchange rate that you supply, such as a contract rate or one just quoted."""
    exact = amount * exchange_rate
    whole = rounded_amount(exact, quoted_currency(to_currency))
    return {"converted_amount": whole, "remainder": round(exact - whole, 6)}
