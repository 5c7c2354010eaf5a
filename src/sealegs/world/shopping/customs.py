"""Customs charges on goods sent to a country: the rates for a category, and the charges on a consignment.

The rates are those of a simple tariff, not a legal one: duty by category and country, import tax at the country's
standard rate of value added tax.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Formula, Known, OneOf, Requires, Sums
from sealegs.world.general.facts import COUNTRY_CODES
from sealegs.world.shopping.facts import CURRENCY, Category
from sealegs.world.shopping.shop_arguments import IN_DOLLARS
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

_HEADINGS = {
    **{"office chairs": "9401.39", "monitors": "8528.52", "keyboards": "8471.60", "headsets": "8518.30"},
    **{"coffee": "0901.21", "printer paper": "4802.56", "desk lamps": "9405.21", "backpacks": "4202.92"},
}
_DUTY = {
    **{"office chairs": 2.7, "monitors": 1.5, "keyboards": 1.0, "headsets": 2.0},
    **{"coffee": 7.5, "printer paper": 0.5, "desk lamps": 3.7, "backpacks": 9.7},
}
_FACTOR = {
    **dict.fromkeys(("PT", "DE", "FR", "ES", "IT", "AT", "SE"), 1.0),
    **{"GB": 0.8, "US": 1.1, "CH": 0.4, "CA": 0.9, "JP": 0.5, "CN": 1.6, "KR": 1.2},
    **{"SG": 0.2, "AU": 0.7, "IN": 3.0, "AE": 1.3, "MX": 2.0, "ZA": 2.2},
}
_TAX = {
    **{"PT": 23.0, "DE": 19.0, "FR": 20.0, "ES": 21.0, "IT": 22.0, "AT": 20.0, "SE": 25.0, "GB": 20.0, "US": 0.0},
    **{"CH": 8.1, "CA": 5.0, "JP": 10.0, "CN": 13.0, "KR": 10.0, "SG": 9.0, "AU": 10.0, "IN": 18.0, "AE": 5.0},
    **{"MX": 16.0, "ZA": 15.0},
}
_DUTY_FREE = {**dict.fromkeys(_TAX, 150.0), "US": 800.0, "AU": 650.0, "JP": 65.0, "SG": 300.0, "IN": 0.0, "CN": 7.0}
_CODES = {name.casefold(): (name, code) for name, code in COUNTRY_CODES.items()}

Country = Annotated[
    str, Field(min_length=4, max_length=40, pattern=r"^\D+$", description="Country in English, such as Japan")
]
Kind = Annotated[Category, Field(description="What is sent")]
GoodsValue = Annotated[float, Field(ge=0.01, le=5_000_000, description="Value of the goods, US dollars")]
Shipping = Annotated[float, Field(ge=0, le=20_000, description="Delivery, US dollars")]


@dataclass(frozen=True, slots=True)
class _Rates:
    country: str
    country_code: str
    duty_percent: float
    tax_percent: float
    duty_free_up_to: float


def _rates(category: str, country: str) -> _Rates:
    found = _CODES.get(country.strip().casefold())
    if found is None:
        raise Refusal(404, "CountryNotFound", f"The tariff has no country {country!r}.", country=country)
    name, code = found
    return _Rates(name, code, round(_DUTY[category] * _FACTOR[code], 2), _TAX[code], _DUTY_FREE[code])


def _duty(goods: float, shipping: float, percent: float, free_up_to: float) -> float:
    return round((goods + shipping) * percent / 100, 2) if goods > free_up_to else 0.0


def _tax(goods: float, shipping: float, duty: float, percent: float) -> float:
    return round((goods + shipping + duty) * percent / 100, 2)


class Rates(Answer):
    """What customs takes of a category of goods."""

    category: str = Field(description="What is sent")
    status: Literal["found"] = Field(description="found where the tariff has the country")
    heading: str = Field(description="Heading of the Harmonised System")
    country: str = Field(description="Country of import")
    country_code: str = Field(description="ISO 3166 code of that country")
    duty_percent: float = Field(description="Duty on goods and delivery, per cent")
    import_tax_percent: float = Field(description="Import tax on goods, delivery and duty, per cent")
    combined_percent: float = Field(description="Duty and import tax together on goods and delivery, per cent")
    duty_free_up_to: float = Field(description="No duty on goods worth up to this, US dollars")
    currency: str = Field(description="ISO 4217 code of the amount, always USD")


@simulated_tool(
    category="source",
    answer=Rates,
    examples=(
        {"category": "backpacks", "country": "Japan"},
        {"category": "office chairs", "country": "United Kingdom"},
        {"category": "coffee", "country": "India"},
        {"category": "headsets", "country": "Portugal"},
        {"category": "desk lamps", "country": "Canada"},
    ),
    refusals=(
        ({"category": "backpacks", "country": "Ruritania"}, 404),
        ({"category": "bicycles", "country": "Japan"}, 422),
        ({"category": "backpacks", "country": "JP"}, 422),
    ),
    echoes=("category", "country"),
    invariants=(
        Requires("heading", "status", "found"),
        Known("country_code", "country", COUNTRY_CODES),
        Known("heading", "category", _HEADINGS),
        Bounds("duty_percent", 0, 60),
        Bounds("import_tax_percent", 0, 30),
        Bounds("duty_free_up_to", 0, 1_000),
        Formula(
            "combined_percent",
            ("duty_percent", "import_tax_percent"),
            lambda duty, tax: duty + tax + duty * tax / 100,
            "combined_percent is duty_percent + import_tax_percent + the tax on the duty",
        ),
        IN_DOLLARS,
    ),
)
def import_rates(world: World, category: Kind, country: Country) -> dict[str, Any]:
    """Look up the customs tariff: rates of duty and import tax for a category of goods in a country."""
    rates = _rates(category, country)
    both = rates.duty_percent + rates.tax_percent + rates.duty_percent * rates.tax_percent / 100
    return {
        "status": "found",
        "heading": _HEADINGS[category],
        "country": rates.country,
        "country_code": rates.country_code,
        "duty_percent": rates.duty_percent,
        "import_tax_percent": rates.tax_percent,
        "combined_percent": round(both, 2),
        "duty_free_up_to": rates.duty_free_up_to,
        "currency": CURRENCY,
    }


class Charges(Answer):
    """What customs takes of a consignment, from given rates."""

    goods_value: float = Field(description="Value of the goods, US dollars")
    shipping: float = Field(description="Delivery, US dollars")
    customs_value: float = Field(description="Goods and delivery together, US dollars")
    duty_percent: float = Field(description="Duty, per cent")
    tax_percent: float = Field(description="Import tax, per cent")
    duty_amount: float = Field(description="Duty, US dollars")
    tax_amount: float = Field(description="Import tax, US dollars")
    charges_total: float = Field(description="Duty and import tax together, US dollars")
    cost_with_charges: float = Field(description="Goods, delivery, duty and import tax together, US dollars")
    currency: str = Field(description="ISO 4217 code of the amounts, always USD")


@simulated_tool(
    category="processor",
    answer=Charges,
    examples=(
        {"goods_value": 640.0, "shipping": 31.5, "duty_percent": 4.85, "tax_percent": 10},
        {"goods_value": 199.6, "shipping": 7.04, "duty_percent": 1.0, "tax_percent": 23, "duty_free_up_to": 150},
        {"goods_value": 88.0, "shipping": 9.8, "duty_percent": 9.7, "tax_percent": 19, "duty_free_up_to": 150},
        {"goods_value": 2590.0, "shipping": 140.2, "duty_percent": 4.5, "tax_percent": 18},
    ),
    refusals=(
        ({"goods_value": 0, "shipping": 0, "duty_percent": 5, "tax_percent": 20}, 422),
        ({"goods_value": 100, "shipping": 5, "duty_percent": 500, "tax_percent": 20}, 422),
        ({"goods_value": 100, "shipping": 5, "duty_percent": 5}, 422),
    ),
    echoes=("goods_value", "shipping", "duty_percent", "tax_percent"),
    invariants=(
        Sums("customs_value", ("goods_value", "shipping")),
        Sums("charges_total", ("duty_amount", "tax_amount")),
        Sums("cost_with_charges", ("customs_value", "charges_total")),
        Formula(
            "duty_amount",
            ("goods_value", "shipping", "duty_percent", "argument:duty_free_up_to"),
            _duty,
            "duty_amount is duty_percent of goods_value + shipping, 0 up to the argument duty_free_up_to",
        ),
        Formula(
            "tax_amount",
            ("goods_value", "shipping", "duty_amount", "tax_percent"),
            _tax,
            "tax_amount is tax_percent of goods_value + shipping + duty_amount",
        ),
        Bounds("charges_total", 0, 10_000_000),
        IN_DOLLARS,
    ),
)
def import_charges(
    world: World,
    goods_value: GoodsValue,
    shipping: Shipping,
    duty_percent: Annotated[float, Field(ge=0, le=100, description="Rate of duty, per cent")],
    tax_percent: Annotated[float, Field(ge=0, le=50, description="Rate of import tax, per cent")],
    duty_free_up_to: Annotated[
        float, Field(ge=0, le=1_000, description="No duty on goods worth up to this, US dollars")
    ] = 0.0,
) -> dict[str, Any]:
    """Reckon duty and import tax on goods and their delivery from given rates of duty and tax."""
    duty = _duty(goods_value, shipping, duty_percent, duty_free_up_to)
    tax = _tax(goods_value, shipping, duty, tax_percent)
    return {
        "customs_value": round(goods_value + shipping, 2),
        "duty_amount": duty,
        "tax_amount": tax,
        "charges_total": round(duty + tax, 2),
        "cost_with_charges": round(goods_value + shipping + duty + tax, 2),
        "currency": CURRENCY,
    }


class LandedCost(Answer):
    """What goods cost once they are through customs."""

    category: str = Field(description="What is sent")
    status: Literal["dutiable", "duty free"] = Field(description="Whether duty is due")
    country: str = Field(description="Country of import")
    country_code: str = Field(description="ISO 3166 code of that country")
    goods_value: float = Field(description="Value of the goods, US dollars")
    shipping: float = Field(description="Delivery, US dollars")
    duty: float = Field(description="Duty, US dollars")
    import_tax: float = Field(description="Import tax, US dollars")
    charges: float = Field(description="Duty and import tax together, US dollars")
    landed_total: float = Field(description="Goods, delivery, duty and import tax together, US dollars")
    currency: str = Field(description="ISO 4217 code of the amounts, always USD")


@simulated_tool(
    category="processor",
    answer=LandedCost,
    examples=(
        {"category": "backpacks", "country": "Japan", "goods_value": 640.0, "shipping": 31.5},
        {"category": "keyboards", "country": "Portugal", "goods_value": 199.6, "shipping": 7.04},
        {"category": "coffee", "country": "India", "goods_value": 252.0, "shipping": 55.9},
        {"category": "office chairs", "country": "United States", "goods_value": 658.0, "shipping": 45.66},
        {"category": "desk lamps", "country": "Germany", "goods_value": 88.0, "shipping": 9.8},
    ),
    refusals=(
        ({"category": "coffee", "country": "Ruritania", "goods_value": 252.0, "shipping": 55.9}, 404),
        ({"category": "coffee", "country": "India", "goods_value": 0, "shipping": 55.9}, 422),
        ({"category": "bicycles", "country": "India", "goods_value": 10, "shipping": 5}, 422),
    ),
    echoes=("category", "country", "goods_value", "shipping"),
    invariants=(
        Known("country_code", "country", COUNTRY_CODES),
        Sums("charges", ("duty", "import_tax")),
        Sums("landed_total", ("goods_value", "shipping", "charges")),
        Formula(
            "import_tax",
            ("goods_value", "shipping", "duty", "country_code"),
            lambda goods, shipping, duty, code: _tax(goods, shipping, duty, _TAX[code]),
            "import_tax is the country's standard rate of goods_value + shipping + duty",
        ),
        OneOf("status", ("dutiable", "duty free"), ("unrated", "pending", "exempted by note")),
        Bounds("charges", 0, 10_000_000),
        Bounds("duty", 0, 5_000_000),
        IN_DOLLARS,
    ),
)
def landed_cost(
    world: World, category: Kind, country: Country, goods_value: GoodsValue, shipping: Shipping
) -> dict[str, Any]:
    """Work out what goods of a category cost landed in a country: duty, import tax and all together."""
    rates = _rates(category, country)
    duty = _duty(goods_value, shipping, rates.duty_percent, rates.duty_free_up_to)
    tax = _tax(goods_value, shipping, duty, rates.tax_percent)
    return {
        "status": "dutiable" if duty else "duty free",
        "country": rates.country,
        "country_code": rates.country_code,
        "duty": duty,
        "import_tax": tax,
        "charges": round(duty + tax, 2),
        "landed_total": round(goods_value + shipping + duty + tax, 2),
        "currency": CURRENCY,
    }
