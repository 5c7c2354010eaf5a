"""The daily allowance of a business trip: the rates of each city, and what a trip comes to.

A day of departure or return is a part day, which pays three quarters of the rate; a trip out and back on one day is one
part day. Rates are the policy's, in the currency of the city.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any

from pydantic import Field

from sealegs.faults.invariants import Bounds, Formula, Known, OneOf, Ordered, Requires, Sums
from sealegs.world.tool import Answer, Refusal, World, simulated_tool
from sealegs.world.travel.facts import (
    CURRENCIES,
    CURRENCY_OF,
    PRICE_LEVEL,
    known_currency,
    rounded_money,
    served_city,
    travel_date,
)
from sealegs.world.travel.travel_arguments import Amount, CityName, Currency, Day

PART_SHARE = 0.75
COUNTRY_OF = {name: served_city(name).country for name in CURRENCY_OF}

# Euro a day for meals and for small expenses, before the currency.
_EURO = {
    "Lisbon": (38, 8), "Berlin": (42, 9), "Tokyo": (56, 12), "Beijing": (44, 9), "New York": (68, 15),
    "London": (61, 13), "Paris": (58, 12), "Madrid": (43, 9), "Rome": (46, 10), "Vienna": (45, 9),
    "Zurich": (74, 16), "Stockholm": (57, 12), "Toronto": (52, 11), "San Francisco": (70, 15), "Chicago": (60, 13),
    "Sydney": (55, 12), "Singapore": (54, 11), "Mumbai": (34, 7), "Dubai": (53, 11), "Seoul": (48, 10),
    "Mexico City": (37, 8), "Cape Town": (35, 7),
}  # fmt: skip


def _local(euro: float, city: str) -> float:
    return rounded_money(round(euro * PRICE_LEVEL[CURRENCY_OF[city]]), CURRENCY_OF[city])


MEALS = {city: _local(meals, city) for city, (meals, _) in _EURO.items()}
INCIDENTALS = {city: _local(small, city) for city, (_, small) in _EURO.items()}
DAILY = {city: MEALS[city] + INCIDENTALS[city] for city in _EURO}


def part_of(days: int, daily_rate: float, currency: str) -> float:
    """The allowance for part days."""
    return rounded_money(days * daily_rate * PART_SHARE, currency)


def full_of(days: int, daily_rate: float, currency: str) -> float:
    """The allowance for full days."""
    return rounded_money(days * daily_rate, currency)


class PerDiem(Answer):
    """A city's daily allowance."""

    city: str = Field(description="City")
    country: str = Field(description="Country")
    status: str = Field(description="in_force")
    meals: float = Field(description="For meals, a full day")
    incidentals: float = Field(description="For small expenses, a full day")
    daily_rate: float = Field(description="The allowance of a full day")
    part_day_rate: float = Field(description="The allowance of a day of departure or return")
    currency: str = Field(description="ISO 4217 code of the rates")
    valid_from: str = Field(description="First day of the rates")
    valid_until: str = Field(description="Last day of the rates")


def _part_rate(daily_rate: float, currency: str) -> float:
    return part_of(1, daily_rate, currency)


@simulated_tool(
    category="source",
    answer=PerDiem,
    examples=({"city": "Berlin"}, {"city": "Tokyo"}, {"city": "Zurich"}, {"city": "Mumbai"}, {"city": "Chicago"}),
    refusals=(({"city": "Atlantis"}, 404), ({"city": "B"}, 422)),
    echoes=("city",),
    invariants=(
        Known("country", "city", COUNTRY_OF),
        Known("currency", "city", CURRENCY_OF),
        Requires("city", "status", "in_force"),
        Sums("daily_rate", ("meals", "incidentals")),
        Formula("part_day_rate", ("daily_rate", "currency"), _part_rate, "part_day_rate is 75 % of daily_rate"),
        Bounds("daily_rate", 1, 500_000),
        Ordered("valid_from", "valid_until"),
    ),
)
def per_diem_rate(world: World, city: CityName) -> dict[str, Any]:
    """Look up the company's per diem for business trips to a city: meals, incidentals, full-day and part-day rate."""
    where = served_city(city).name
    return {
        "city": where,
        "country": COUNTRY_OF[where],
        "status": "in_force",
        "meals": MEALS[where],
        "incidentals": INCIDENTALS[where],
        "daily_rate": DAILY[where],
        "part_day_rate": _part_rate(DAILY[where], CURRENCY_OF[where]),
        "currency": CURRENCY_OF[where],
        "valid_from": "2026-01-01",
        "valid_until": "2026-12-31",
    }


class DayAllowance(Answer):
    """The allowance of full and part days in a city."""

    city: str = Field(description="City")
    full_days: int = Field(description="Full days away")
    part_days: int = Field(description="Days of departure and return")
    paid_days: int = Field(description="Full and part days together")
    full_amount: float = Field(description="What the full days come to")
    part_amount: float = Field(description="What the part days come to")
    total: float = Field(description="The whole allowance")
    currency: str = Field(description="ISO 4217 code of the amounts")


Days = Annotated[int, Field(ge=0, le=90)]


@simulated_tool(
    category="source",
    answer=DayAllowance,
    examples=(
        {"city": "Berlin", "full_days": 2, "part_days": 2},
        {"city": "Tokyo", "full_days": 5, "part_days": 2},
        {"city": "Zurich", "full_days": 0, "part_days": 1},
        {"city": "Chicago", "full_days": 9},
    ),
    refusals=(
        ({"city": "Atlantis", "full_days": 2}, 404),
        ({"city": "Berlin", "full_days": 0}, 400),
        ({"city": "Berlin", "full_days": 2, "part_days": 5}, 422),
    ),
    echoes=("city", "full_days", "part_days"),
    invariants=(
        Known("currency", "city", CURRENCY_OF),
        Sums("paid_days", ("full_days", "part_days")),
        Sums("total", ("full_amount", "part_amount")),
        Bounds("total", 0.01, 10_000_000),
        Bounds("paid_days", 1, 92),
    ),
)
def allowance_for_days(
    world: World,
    city: CityName,
    full_days: Annotated[Days, Field(description="Full days away")],
    part_days: Annotated[int, Field(ge=0, le=2, description="Days of departure and return")] = 0,
) -> dict[str, Any]:
    """Tell the per diem allowance that a number of full and part days in a city comes to, by the policy's table."""
    where = served_city(city).name
    if full_days + part_days == 0:
        raise Refusal(400, "NoDays", "Give at least one full or part day.")
    currency = CURRENCY_OF[where]
    full = full_of(full_days, DAILY[where], currency)
    part = part_of(part_days, DAILY[where], currency)
    return {
        "city": where,
        "paid_days": full_days + part_days,
        "full_amount": full,
        "part_amount": part,
        "total": rounded_money(full + part, currency),
        "currency": currency,
    }


def calendar_days(departs_on: str, returns_on: str) -> int:
    """Days from departure to return, both counted."""
    return (date.fromisoformat(returns_on) - date.fromisoformat(departs_on)).days + 1


def split_days(departs_on: str, returns_on: str) -> tuple[int, int]:
    """Full and part days of a trip of up to 90 days.

    Raises:
        Refusal: 400 where a text is not a date or the trip has no such length.
    """
    start, end = travel_date(departs_on, "departs_on"), travel_date(returns_on, "returns_on")
    length = (end - start).days + 1
    if not 1 <= length <= 90:
        raise Refusal(400, "InvalidTrip", f"A trip lasts 1 to 90 days, {departs_on} to {returns_on} does not.")
    return (0, 1) if length == 1 else (length - 2, 2)


class TravelDays(Answer):
    """The days of a trip."""

    departs_on: str = Field(description="Day of departure")
    returns_on: str = Field(description="Day of return")
    calendar_days: int = Field(description="All days, first and last included")
    full_days: int = Field(description="Days between departure and return")
    part_days: int = Field(description="Days of departure and return")
    nights: int = Field(description="Nights away")


TRIPS = (
    {"departs_on": "2026-03-18", "returns_on": "2026-03-21"},
    {"departs_on": "2026-04-06", "returns_on": "2026-04-16"},
    {"departs_on": "2026-03-24", "returns_on": "2026-03-24"},
    {"departs_on": "2026-05-29", "returns_on": "2026-06-02"},
)


@simulated_tool(
    category="processor",
    answer=TravelDays,
    examples=TRIPS,
    refusals=(
        ({"departs_on": "2026-03-21", "returns_on": "2026-03-18"}, 400),
        ({"departs_on": "2026-02-30", "returns_on": "2026-03-18"}, 400),
        ({"departs_on": "Monday", "returns_on": "2026-03-18"}, 422),
    ),
    echoes=("departs_on", "returns_on"),
    invariants=(
        Ordered("departs_on", "returns_on"),
        Sums("calendar_days", ("full_days", "part_days")),
        Formula(
            "calendar_days", ("departs_on", "returns_on"), calendar_days, "calendar_days run from departure to return"
        ),
        Formula("nights", ("calendar_days",), lambda days: days - 1, "nights are one fewer than calendar_days"),
        Bounds("part_days", 1, 2),
    ),
)
def count_travel_days(
    world: World,
    departs_on: Annotated[Day, Field(description="Day of departure, such as 2026-03-18")],
    returns_on: Annotated[Day, Field(description="Day of return, such as 2026-03-21")],
) -> dict[str, Any]:
    """Count the full days, part days (departure and return) and nights of a business trip from its two dates."""
    full, part = split_days(departs_on, returns_on)
    return {"calendar_days": full + part, "full_days": full, "part_days": part, "nights": full + part - 1}


class Allowance(Answer):
    """The allowance of a trip at a daily rate."""

    departs_on: str = Field(description="Day of departure")
    returns_on: str = Field(description="Day of return")
    days: int = Field(description="All days, first and last included")
    daily_rate: float = Field(description="The allowance of a full day")
    full_days_amount: float = Field(description="What the full days come to")
    travel_days_amount: float = Field(description="What the days of departure and return come to")
    total: float = Field(description="The whole allowance")
    currency: str = Field(description="ISO 4217 code of the amounts")


@simulated_tool(
    category="processor",
    answer=Allowance,
    examples=(
        {"daily_rate": 51, "currency": "EUR", **TRIPS[0]},
        {"daily_rate": 10_880, "currency": "JPY", **TRIPS[1]},
        {"daily_rate": 90.5, "currency": "CHF", **TRIPS[2]},
        {"daily_rate": 80, "currency": "USD", **TRIPS[3]},
    ),
    refusals=(
        ({"daily_rate": 51, "currency": "EUR", "departs_on": "2026-03-21", "returns_on": "2026-03-18"}, 400),
        ({"daily_rate": 51, "currency": "XAU", **TRIPS[0]}, 400),
        ({"daily_rate": -51, "currency": "EUR", **TRIPS[0]}, 422),
    ),
    echoes=("daily_rate", "departs_on", "returns_on", "currency"),
    invariants=(
        OneOf("currency", CURRENCIES, ("EUX", "UDS", "PTS", "XXX")),
        Ordered("departs_on", "returns_on"),
        Formula("days", ("departs_on", "returns_on"), calendar_days, "days run from departure to return"),
        Sums("total", ("full_days_amount", "travel_days_amount")),
        Bounds("total", 0, None),
        Bounds("daily_rate", 0, None),
    ),
)
def per_diem_allowance(
    world: World,
    daily_rate: Annotated[Amount, Field(description="The allowance of a full day")],
    departs_on: Annotated[Day, Field(description="Day of departure, such as 2026-03-18")],
    returns_on: Annotated[Day, Field(description="Day of return, such as 2026-03-21")],
    currency: Currency,
) -> dict[str, Any]:
    """Work out the per diem of a business trip from a daily rate and its dates; first and last day pay 75 %."""
    full, part = split_days(departs_on, returns_on)
    known_currency(currency)
    whole, rest = full_of(full, daily_rate, currency), part_of(part, daily_rate, currency)
    return {
        "days": full + part,
        "full_days_amount": whole,
        "travel_days_amount": rest,
        "total": rounded_money(whole + rest, currency),
    }
