"""Facts of the financial domain: currencies, exchange rates, value added tax, securities.

Rates, taxes and prices are those of the world's moment. Other domains may read `RATES`, `rate`, `converted` and
`settled`. Accounts, payees and customers are in `books`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from hashlib import blake2b

from sealegs.world.tool import Refusal

HOME = "EUR"
"""The currency that the company keeps its books in."""

RATES = {
    "EUR": 1.0,
    "USD": 1.18,
    "GBP": 0.87,
    "JPY": 183.5,
    "CHF": 0.912,
    "CNY": 8.16,
    "INR": 107.2,
    "BRL": 6.19,
    "MXN": 20.35,
    "KRW": 1709.0,
    "SEK": 10.68,
    "NOK": 11.26,
    "DKK": 7.468,
    "PLN": 4.22,
    "CZK": 24.25,
    "CAD": 1.613,
    "AUD": 1.668,
    "NZD": 1.974,
    "SGD": 1.495,
    "HKD": 9.228,
    "AED": 4.3336,
    "ZAR": 18.85,
}
"""Units of each currency for one euro (middle rate, 2 March 2026)."""

WHOLE = frozenset({"JPY", "KRW"})
"""Currencies without a minor unit in use."""


def quoted_currency(code: str) -> str:
    """The code itself, if it is a currency that rates are known for.

    Raises:
        Refusal: 404 where it is not.
    """
    if code not in RATES:
        raise Refusal(404, "CurrencyNotSupported", f"No rate is published for the currency {code!r}.")
    return code


def rate(base: str, quote: str) -> float:
    """Units of `quote` for one unit of `base`, to six significant digits.

    Raises:
        Refusal: 404 where one of them is not known.
    """
    return float(f"{RATES[quoted_currency(quote)] / RATES[quoted_currency(base)]:.6g}")


def rounded_amount(amount: float, currency: str) -> float:
    """The amount rounded to the smallest unit of its currency."""
    return round(float(amount), 0 if currency in WHOLE else 2)


def exact_amount(amount: float, currency: str) -> float:
    """The amount rounded to the smallest unit of its currency, where that hardly changes it.

    Raises:
        Refusal: 404 where the currency is not known, 400 where the amount is too small or too fine for it.
    """
    whole = rounded_amount(amount, quoted_currency(currency))
    if whole <= 0 or abs(whole - amount) > max(0.005, 0.005 * amount):
        raise Refusal(400, "AmountPrecision", f"{amount} {currency} is not a whole number of the smallest unit.")
    return whole


def convert_amount(amount: float, base: str, quote: str) -> float:
    """The amount in `base` as an amount in `quote`, rounded to the smallest unit.

    Raises:
        Refusal: 404 where one of them is not known.
    """
    return rounded_amount(amount * rate(base, quote), quote)


@dataclass(frozen=True, slots=True)
class Vat:
    """A country's value added tax (or goods and services tax), in per cent; no reduced rate is None."""

    country_code: str
    country: str
    standard: float
    reduced: float | None

    @property
    def rates(self) -> Mapping[str, float]:
        """The rate of each category that the country has."""
        return {"standard": self.standard} | ({} if self.reduced is None else {"reduced": self.reduced})


_VAT = (
    Vat("AE", "United Arab Emirates", 5.0, None),
    Vat("AT", "Austria", 20.0, 10.0),
    Vat("AU", "Australia", 10.0, None),
    Vat("BE", "Belgium", 21.0, 6.0),
    Vat("CA", "Canada", 5.0, None),
    Vat("CH", "Switzerland", 8.1, 2.6),
    Vat("CN", "China", 13.0, 9.0),
    Vat("CZ", "Czechia", 21.0, 12.0),
    Vat("DE", "Germany", 19.0, 7.0),
    Vat("DK", "Denmark", 25.0, None),
    Vat("ES", "Spain", 21.0, 10.0),
    Vat("FR", "France", 20.0, 5.5),
    Vat("GB", "United Kingdom", 20.0, 5.0),
    Vat("IE", "Ireland", 23.0, 13.5),
    Vat("IN", "India", 18.0, 5.0),
    Vat("IT", "Italy", 22.0, 10.0),
    Vat("JP", "Japan", 10.0, 8.0),
    Vat("KR", "South Korea", 10.0, None),
    Vat("MX", "Mexico", 16.0, None),
    Vat("NL", "Netherlands", 21.0, 9.0),
    Vat("NO", "Norway", 25.0, 15.0),
    Vat("PL", "Poland", 23.0, 8.0),
    Vat("PT", "Portugal", 23.0, 6.0),
    Vat("SE", "Sweden", 25.0, 12.0),
    Vat("SG", "Singapore", 9.0, None),
    Vat("ZA", "South Africa", 15.0, None),
)
VAT = {vat.country_code: vat for vat in _VAT}


def vat(country_code: str) -> Vat:
    """The value added tax of a country.

    Raises:
        Refusal: 404 where the country levies none, or none is known.
    """
    found = VAT.get(country_code)
    if found is None:
        raise Refusal(404, "JurisdictionNotFound", f"No value added tax is on file for the country {country_code!r}.")
    return found


@dataclass(frozen=True, slots=True)
class Security:
    """A listed share or fund: its venue by ISO 10383 code, its last close, and how far it moves in a day (a share)."""

    symbol: str
    name: str
    kind: str
    exchange: str
    currency: str
    price: float
    swing: float


EXCHANGES = {
    "XETR": "EUR",
    "XPAR": "EUR",
    "XAMS": "EUR",
    "XLON": "GBP",
    "XSWX": "CHF",
    "XNYS": "USD",
    "XNAS": "USD",
    "XTKS": "JPY",
    "XSTO": "SEK",
    "XTSE": "CAD",
    "XASX": "AUD",
    "XSES": "SGD",
}
"""The trading currency of each venue."""

_SECURITIES = (
    Security("NVLK", "Northvale Logistics", "share", "XETR", "EUR", 84.36, 0.014),
    Security("ALDA", "Aldamar Energia", "share", "XPAR", "EUR", 31.72, 0.011),
    Security("KRST", "Kerstholt Foods", "share", "XAMS", "EUR", 58.05, 0.009),
    Security("HBRW", "Harborwick Insurance", "share", "XLON", "GBP", 12.48, 0.012),
    Security("TARN", "Tarnside Water", "share", "XLON", "GBP", 7.93, 0.008),
    Security("ZLBG", "Zellberg Precision", "share", "XSWX", "CHF", 214.60, 0.010),
    Security("CPRC", "Copper Ridge Mining", "share", "XNYS", "USD", 46.18, 0.021),
    Security("LUMQ", "Lumiquant Systems", "share", "XNAS", "USD", 172.94, 0.019),
    Security("OAKF", "Oakfield Medical", "share", "XNYS", "USD", 98.27, 0.013),
    Security("SKUR", "Sakurabashi Robotics", "share", "XTKS", "JPY", 4385.0, 0.016),
    Security("FJLL", "Fjallstrom Paper", "share", "XSTO", "SEK", 143.20, 0.012),
    Security("MPLT", "Maplethorn Rail", "share", "XTSE", "CAD", 67.51, 0.010),
    Security("WNDG", "Wandoora Grain", "share", "XASX", "AUD", 23.84, 0.015),
    Security("MRLB", "Merlion Bay Ports", "share", "XSES", "SGD", 5.62, 0.011),
    Security("GLBE", "Meridian Global Equity Fund", "fund", "XETR", "EUR", 112.47, 0.007),
    Security("EUBD", "Lindenhof Euro Bond Fund", "fund", "XAMS", "EUR", 96.83, 0.003),
)
SECURITIES = {security.symbol: security for security in _SECURITIES}

LAST_CLOSE = date(2026, 2, 27)
"""The last trading day before the world's moment."""

_CLOSED = frozenset({"2025-12-25", "2025-12-26", "2026-01-01"})


def security(symbol: str) -> Security:
    """The security of this symbol.

    Raises:
        Refusal: 404 where there is none.
    """
    found = SECURITIES.get(symbol)
    if found is None:
        raise Refusal(404, "SymbolNotFound", f"No listed security has the symbol {symbol!r}.")
    return found


@cache
def closes(symbol: str) -> tuple[tuple[str, float], ...]:
    """Date and closing price of the last 60 trading days of a known security, the latest first."""
    found = SECURITIES[symbol]
    price, day = found.price, LAST_CLOSE
    history: list[tuple[str, float]] = []
    while len(history) < 60:
        if day.weekday() < 5 and day.isoformat() not in _CLOSED:
            history.append((day.isoformat(), rounded_amount(price, found.currency)))
            draw = int.from_bytes(blake2b(f"{symbol} {day}".encode(), digest_size=4).digest()) / 2**32
            price /= 1 + found.swing * (2 * draw - 0.96)
        day -= timedelta(days=1)
    return tuple(history)
