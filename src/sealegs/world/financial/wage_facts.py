"""Deductions from wages in each country, in one rate each: a plain model of wage tax and social contributions.

Amounts are a month's. Does not cover tax classes, family, church tax, or progressive brackets.
"""

from __future__ import annotations

from dataclasses import dataclass

from sealegs.world.financial.facts import rounded_amount
from sealegs.world.tool import Refusal


@dataclass(frozen=True, slots=True)
class WageRules:
    """A country's rules: what stays untaxed a month, and rates in per cent (the employer's share on top of gross)."""

    country_code: str
    country: str
    currency: str
    allowance: float
    tax: float
    social: float
    employer: float


_ROWS = (
    WageRules("AT", "Austria", "EUR", 1_100.0, 27.0, 18.1, 21.0),
    WageRules("AU", "Australia", "AUD", 1_516.0, 28.0, 2.0, 12.0),
    WageRules("CA", "Canada", "CAD", 1_310.0, 25.5, 7.6, 8.2),
    WageRules("CH", "Switzerland", "CHF", 1_450.0, 14.0, 6.4, 6.4),
    WageRules("DE", "Germany", "EUR", 1_029.0, 25.0, 20.9, 20.9),
    WageRules("ES", "Spain", "EUR", 560.0, 24.0, 6.5, 30.6),
    WageRules("FR", "France", "EUR", 950.0, 15.0, 22.0, 42.0),
    WageRules("GB", "United Kingdom", "GBP", 1_047.5, 20.0, 8.0, 15.0),
    WageRules("IE", "Ireland", "EUR", 1_667.0, 31.0, 4.1, 11.2),
    WageRules("IT", "Italy", "EUR", 710.0, 29.0, 9.2, 30.0),
    WageRules("JP", "Japan", "JPY", 88_000, 13.0, 15.0, 15.5),
    WageRules("NL", "Netherlands", "EUR", 780.0, 36.0, 2.5, 19.0),
    WageRules("PL", "Poland", "PLN", 2_500.0, 12.0, 13.7, 20.5),
    WageRules("PT", "Portugal", "EUR", 870.0, 23.0, 11.0, 23.75),
    WageRules("SE", "Sweden", "SEK", 2_050.0, 30.0, 7.0, 31.42),
    WageRules("SG", "Singapore", "SGD", 1_667.0, 7.0, 20.0, 17.0),
    WageRules("US", "United States", "USD", 1_312.0, 18.0, 7.65, 7.65),
)
WAGES = {rules.country_code: rules for rules in _ROWS}


def wage_rules(country_code: str) -> WageRules:
    """The rules of a country.

    Raises:
        Refusal: 404 where none are on file.
    """
    found = WAGES.get(country_code)
    if found is None:
        message = f"The payroll service has no rules for the country {country_code!r}."
        raise Refusal(404, "JurisdictionNotFound", message, available=sorted(WAGES))
    return found


def wage_tax(taxable: float, percent: float, currency: str) -> float:
    """The tax on a taxable wage, rounded to the smallest unit."""
    return rounded_amount(taxable * percent / 100, currency)


def contribution(gross: float, percent: float, currency: str) -> float:
    """The social contribution on a gross wage, rounded to the smallest unit."""
    return rounded_amount(gross * percent / 100, currency)
