"""Value added tax by country.

Goods and services tax counts as one. Does not cover sales tax of single states, exemptions, or reverse charge.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Formula, Known, Sums
from sealegs.world.financial.facts import VAT, exact_amount, rounded_amount, vat
from sealegs.world.financial.money_arguments import CODED, Amount, Code, Country
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

Category = Annotated[Literal["standard", "reduced"], Field(description="Which rate of the country applies")]


class Breakdown(Answer):
    """A net amount, its tax, and both together."""

    net_amount: float = Field(description="Amount before tax")
    currency: str = Field(description="Currency of every amount")
    country_code: str = Field(description="Country whose tax applies, ISO 3166-1 alpha-2")
    country: str = Field(description="Country whose tax applies")
    rate_id: str = Field(description="Country and category of the rate")
    vat_rate: float = Field(description="Rate in per cent")
    vat_amount: float = Field(description="Tax on the net amount")
    gross_amount: float = Field(description="Net amount and tax together")


def percent(country_code: str, category: str) -> float:
    """The country's rate of the category in per cent.

    Raises:
        Refusal: 404 where the country levies no such tax, 400 where it has no such rate.
    """
    rates = vat(country_code).rates
    if category not in rates:
        message = f"{VAT[country_code].country} has no {category} rate."
        raise Refusal(400, "RateNotAvailable", message, available=sorted(rates))
    return rates[category]


def tax_on_net(net: float, percent: float, currency: str) -> float:
    """The tax on a net amount, rounded to the smallest unit."""
    return rounded_amount(net * percent / 100, currency)


@simulated_tool(
    category="processor",
    answer=Breakdown,
    examples=(
        {"net_amount": 1200.0, "currency": "EUR", "country_code": "DE"},
        {"net_amount": 845.5, "currency": "GBP", "country_code": "GB"},
        {"net_amount": 3980, "currency": "CHF", "country_code": "CH"},
        {"net_amount": 64000, "currency": "JPY", "country_code": "JP", "category": "reduced"},
        {"net_amount": 515.25, "currency": "EUR", "country_code": "FR", "category": "reduced"},
    ),
    refusals=(
        ({"net_amount": 100, "currency": "USD", "country_code": "US"}, 404),
        ({"net_amount": 100, "currency": "DKK", "country_code": "DK", "category": "reduced"}, 400),
        ({"net_amount": 100, "currency": "EUR", "country_code": "Germany"}, 422),
    ),
    echoes=("net_amount", "currency", "country_code"),
    invariants=(
        Sums("gross_amount", ("net_amount", "vat_amount")),
        CODED,
        Bounds("vat_rate", 0, 30),
        Bounds("vat_amount", 0, 1e9),
        Bounds("gross_amount", 0, 2e9),
        Known("vat_rate", "rate_id", {f"{c}-{kind}": rate for c, v in VAT.items() for kind, rate in v.rates.items()}),
        Known("country", "country_code", {code: v.country for code, v in VAT.items()}),
        Formula(
            "vat_amount",
            ("net_amount", "vat_rate", "currency"),
            tax_on_net,
            "vat_amount is vat_rate per cent of net_amount",
        ),
    ),
)
def vat_breakdown(
    world: World, net_amount: Amount, currency: Code, country_code: Country, category: Category = "standard"
) -> dict[str, Any]:
    """Work out the value added tax that a country levies on a net amount: rate, tax amount and gross amount."""
    exact_amount(net_amount, currency)
    applied = percent(country_code, category)
    tax = tax_on_net(net_amount, applied, currency)
    return {
        "country": VAT[country_code].country,
        "rate_id": f"{country_code}-{category}",
        "vat_rate": applied,
        "vat_amount": tax,
        "gross_amount": rounded_amount(net_amount + tax, currency),
    }
