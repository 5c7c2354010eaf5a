"""Interest rates of currencies, and consumer price indices of countries. Facts only.

The indices are a plain model: prices of a year rise evenly, month by month, by the year's inflation.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from sealegs.world.tool import Refusal

INTEREST = {
    "EUR": 2.05,
    "USD": 3.65,
    "GBP": 3.75,
    "JPY": 0.78,
    "CHF": 0.02,
    "CNY": 1.55,
    "INR": 5.3,
    "BRL": 14.2,
    "MXN": 7.1,
    "KRW": 2.55,
    "SEK": 1.85,
    "NOK": 4.1,
    "DKK": 1.9,
    "PLN": 4.0,
    "CZK": 3.5,
    "CAD": 2.3,
    "AUD": 3.7,
    "NZD": 2.35,
    "SGD": 1.3,
    "HKD": 3.1,
    "AED": 3.7,
    "ZAR": 6.8,
}
"""Money market rate of each currency, per cent a year."""


@dataclass(frozen=True, slots=True)
class Prices:
    """Inflation of a country, December to December in per cent, for the years from 2020 on."""

    country_code: str
    country: str
    yearly: tuple[float, ...]


_PRICES = (
    Prices("AT", "Austria", (1.0, 3.8, 10.5, 5.7, 2.1, 3.9)),
    Prices("AU", "Australia", (0.9, 3.5, 7.8, 4.1, 2.4, 3.8)),
    Prices("CA", "Canada", (0.7, 4.8, 6.3, 3.4, 1.8, 2.4)),
    Prices("CH", "Switzerland", (-0.8, 1.5, 2.8, 1.7, 0.6, 0.1)),
    Prices("DE", "Germany", (-0.7, 5.7, 9.6, 3.8, 2.8, 2.0)),
    Prices("ES", "Spain", (-0.6, 6.6, 5.5, 3.3, 2.8, 3.0)),
    Prices("FR", "France", (0.0, 3.4, 6.7, 4.1, 1.8, 0.7)),
    Prices("GB", "United Kingdom", (0.6, 5.4, 10.5, 4.0, 2.5, 3.4)),
    Prices("IN", "India", (4.6, 5.7, 5.7, 5.7, 5.2, 1.3)),
    Prices("IT", "Italy", (-0.3, 4.2, 12.3, 0.5, 1.4, 1.2)),
    Prices("JP", "Japan", (-1.2, 0.8, 4.0, 2.6, 3.6, 2.1)),
    Prices("MX", "Mexico", (3.2, 7.4, 7.8, 4.7, 4.2, 3.7)),
    Prices("NL", "Netherlands", (0.9, 6.4, 11.0, 1.0, 3.9, 2.7)),
    Prices("PL", "Poland", (3.4, 8.0, 15.3, 6.2, 3.9, 2.4)),
    Prices("PT", "Portugal", (-0.3, 2.8, 9.8, 1.9, 3.1, 2.4)),
    Prices("SE", "Sweden", (0.5, 3.9, 12.3, 4.4, 0.8, 0.3)),
    Prices("SG", "Singapore", (0.0, 4.0, 6.5, 3.7, 1.5, 1.2)),
    Prices("US", "United States", (1.3, 7.2, 6.4, 3.3, 2.9, 2.7)),
    Prices("ZA", "South Africa", (3.1, 5.9, 7.2, 5.1, 3.0, 3.6)),
)
PRICES = {prices.country_code: prices for prices in _PRICES}
COUNTRIES = {prices.country_code: prices.country for prices in _PRICES}

FIRST_MONTH, LAST_MONTH = "2019-12", "2025-12"
"""The months that an index is known for; in the first it is 100."""


@cache
def indices(country_code: str) -> dict[str, float]:
    """The consumer price index of each month, rounded to two decimals.

    Raises:
        Refusal: 404 where there is none for the country.
    """
    found = PRICES.get(country_code)
    if found is None:
        raise Refusal(404, "SeriesNotFound", f"No consumer price index is kept for the country {country_code!r}.")
    level, months = 100.0, {FIRST_MONTH: 100.0}
    for year, percent in enumerate(found.yearly, 2020):
        for month in range(1, 13):
            months[f"{year}-{month:02}"] = round(level * (1 + percent / 100) ** (month / 12), 2)
        level *= 1 + percent / 100
    return months


def indices_between(country_code: str, first: str, last: str) -> dict[str, float]:
    """The index of each month from the first to the last.

    Raises:
        Refusal: 404 where the country or a month is not known, 400 where the first is not before the last.
    """
    known = indices(country_code)
    for month in (first, last):
        if month not in known:
            message = f"The index is kept from {FIRST_MONTH} to {LAST_MONTH}; {month} is not among them."
            raise Refusal(404, "MonthNotCovered", message, first_month=FIRST_MONTH, last_month=LAST_MONTH)
    if first >= last:
        raise Refusal(400, "MonthOrder", f"{first} is not before {last}.")
    return {month: value for month, value in known.items() if first <= month <= last}
