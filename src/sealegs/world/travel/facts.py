"""Facts of the whole travel domain: money, the days that can be booked, airports and taxi tariffs.

Amounts are in the currency of the city where a thing is sold: a flight's departure city, a hotel's or a taxi's city.
Changes of an episode (seats taken, rooms booked) are in the world's state, not here; flights and hotels have their own
modules of facts.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from sealegs.world.general.facts import CITIES, City, city
from sealegs.world.state import TODAY
from sealegs.world.tool import Refusal

WEEKEND_NIGHTS = (4, 5)  # Friday and Saturday, as date.weekday() counts them
LAST_DAY = date.fromisoformat(TODAY) + timedelta(days=330)
WHOLE_UNITS = frozenset({"JPY", "KRW"})

# The price, in each local currency, of what costs one euro in Lisbon: a price level, not an exchange rate.
PRICE_LEVEL = {
    "EUR": 1.0, "USD": 1.1, "GBP": 0.87, "CHF": 1.0, "SEK": 11.2, "CAD": 1.5, "AUD": 1.7, "SGD": 1.5,
    "JPY": 160.0, "CNY": 7.8, "KRW": 1450.0, "INR": 88.0, "AED": 4.0, "MXN": 20.0, "ZAR": 19.5,
}  # fmt: skip
CURRENCIES = tuple(sorted(PRICE_LEVEL))


def rounded_money(amount: float, currency: str) -> float:
    """The amount rounded to the currency's smallest unit."""
    return float(round(amount)) if currency in WHOLE_UNITS else round(amount, 2)


def share_of(amount: float, percent: float, currency: str) -> float:
    """So many per cent of the amount, rounded to the currency's smallest unit."""
    return rounded_money(amount * percent / 100, currency)


def known_currency(code: str) -> str:
    """The code, if the travel system settles in it.

    Raises:
        Refusal: 400 where it does not.
    """
    if code not in CURRENCIES:
        raise Refusal(400, "UnsupportedCurrency", f"{code} is not settled here.", supported=list(CURRENCIES))
    return code


def travel_date(text: str, what: str) -> date:
    """The day that the text names.

    Raises:
        Refusal: 400 where the text is not a date.
    """
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise Refusal(400, "InvalidDate", f"{what} {text!r} is not a date: {error}.") from error


def future_day(text: str, what: str) -> date:
    """A day that can be booked: from tomorrow to 330 days ahead.

    Raises:
        Refusal: 400 where the text is not a date or the day cannot be booked.
    """
    found = travel_date(text, what)
    if not date.fromisoformat(TODAY) < found <= LAST_DAY:
        raise Refusal(400, "DateNotBookable", f"{what} must lie after {TODAY} and not after {LAST_DAY}, got {text}.")
    return found


def stay_span(check_in: str, check_out: str) -> tuple[date, date]:
    """The first and last day of a stay of 1 to 30 nights.

    Raises:
        Refusal: 400 where a text is not a date or the stay has no such length.
    """
    first, last = travel_date(check_in, "check_in"), travel_date(check_out, "check_out")
    if not 1 <= (last - first).days <= 30:
        raise Refusal(400, "InvalidStay", f"A stay lasts 1 to 30 nights, {check_in} to {check_out} does not.")
    return first, last


def bookable_span(check_in: str, check_out: str) -> tuple[date, date]:
    """The first and last day of a stay that can be booked.

    Raises:
        Refusal: 400 where `span` refuses or a day cannot be booked.
    """
    future_day(check_in, "check_in")
    future_day(check_out, "check_out")
    return stay_span(check_in, check_out)


@dataclass(frozen=True, slots=True)
class Airport:
    """A city's main airport: road distance (km) and driving time (minutes) to the centre, taxi tariff of the city."""

    city: str
    code: str
    name: str
    road_km: float
    drive_minutes: int
    flagfall: float
    per_km: float


_AIRPORTS = (
    Airport("Lisbon", "LIS", "Humberto Delgado", 8.0, 20, 3.9, 1.1),
    Airport("Berlin", "BER", "Berlin Brandenburg", 27.0, 40, 4.3, 2.1),
    Airport("Tokyo", "HND", "Tokyo Haneda", 18.5, 35, 500, 420),
    Airport("Beijing", "PEK", "Beijing Capital", 28.0, 50, 13, 2.6),
    Airport("New York", "JFK", "John F. Kennedy", 27.5, 55, 5.0, 2.4),
    Airport("London", "LHR", "London Heathrow", 26.0, 55, 4.2, 2.5),
    Airport("Paris", "CDG", "Charles de Gaulle", 31.0, 50, 4.4, 1.7),
    Airport("Madrid", "MAD", "Adolfo Suárez Barajas", 16.0, 25, 3.2, 1.5),
    Airport("Rome", "FCO", "Rome Fiumicino", 31.5, 45, 3.5, 1.4),
    Airport("Vienna", "VIE", "Vienna Schwechat", 19.5, 25, 4.0, 1.6),
    Airport("Zurich", "ZRH", "Zurich Kloten", 12.0, 20, 8.0, 3.8),
    Airport("Stockholm", "ARN", "Stockholm Arlanda", 41.0, 40, 55, 14.5),
    Airport("Toronto", "YYZ", "Toronto Pearson", 25.5, 35, 4.5, 2.0),
    Airport("San Francisco", "SFO", "San Francisco International", 21.5, 30, 4.15, 2.2),
    Airport("Chicago", "ORD", "Chicago O'Hare", 28.5, 45, 4.0, 1.6),
    Airport("Sydney", "SYD", "Kingsford Smith", 9.5, 25, 4.6, 2.5),
    Airport("Singapore", "SIN", "Singapore Changi", 20.0, 30, 4.4, 1.2),
    Airport("Mumbai", "BOM", "Chhatrapati Shivaji", 24.0, 60, 31, 20.7),
    Airport("Dubai", "DXB", "Dubai International", 13.5, 20, 25, 2.3),
    Airport("Seoul", "ICN", "Seoul Incheon", 58.0, 65, 4800, 950),
    Airport("Mexico City", "MEX", "Benito Juárez", 13.0, 40, 28, 14.5),
    Airport("Cape Town", "CPT", "Cape Town International", 19.0, 25, 32, 15.5),
)
AIRPORTS = {airport.city: airport for airport in _AIRPORTS}


PLACES = {name: CITIES[name.casefold()] for name in AIRPORTS}
CURRENCY_OF = {name: found.currency for name, found in PLACES.items()}


def served_city(name: str) -> City:
    """The city of this name, in any case, if the travel system serves it.

    Raises:
        Refusal: 404 where the city is unknown or not served.
    """
    found = city(name)
    if found.name not in PLACES:
        raise Refusal(404, "CityNotServed", f"{found.name} has no airport in this system.", served=list(PLACES))
    return found


def local_moment(text: str, what: str) -> datetime:
    """The moment that the text names.

    Raises:
        Refusal: 400 where it names none.
    """
    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        raise Refusal(400, "InvalidTime", f"{what} {text!r} is not a moment: {error}.") from error


def format_local_moment(when: datetime) -> str:
    """The moment as YYYY-MM-DDTHH:MM."""
    return when.isoformat(timespec="minutes")
