"""Dates and times: a city's clock, shifting a moment, and what a city's calendar says of a date."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Annotated, Any

from pydantic import Field

from sealegs.faults.invariants import Bounds, Formula, Known, OneOf, Ordered, Requires
from sealegs.world.general.facts import COUNTRIES, OFFSETS
from sealegs.world.general.facts import city as city_named
from sealegs.world.general.holidays import (
    HOLIDAYS,
    WEEKDAY_OF,
    WEEKDAYS,
    day_type,
    in_calendar,
    next_holiday,
    next_working_day,
)
from sealegs.world.general.place_and_time import (
    CityName,
    Day,
    Moment,
    days_between,
    format_moment,
    parse_moment,
    read_day,
    read_moment,
)
from sealegs.world.tool import Answer, Refusal, World, simulated_tool


class LocalTime(Answer):
    """A moment in a city's own time."""

    city: str = Field(description="City name")
    utc: str = Field(description="The moment in UTC, as given")
    utc_offset: float = Field(description="Hours ahead of UTC")
    local_time: str = Field(description="The moment on the city's clocks, YYYY-MM-DDTHH:MM")
    local_date: str = Field(description="The date there, YYYY-MM-DD")


def _shifted(start: str, hours: float) -> str:
    return format_moment(parse_moment(start) + timedelta(hours=hours))


def _beyond(start: str) -> Refusal:
    return Refusal(400, "OutOfRange", f"{start!r} cannot be moved that far: years run from 1 to 9999.")


@simulated_tool(
    category="processor",
    answer=LocalTime,
    examples=(
        {"city": "Tokyo", "utc": "2026-03-02T14:30"},
        {"city": "Mumbai", "utc": "2026-03-05T08:00"},
        {"city": "San Francisco", "utc": "2026-03-02T02:15"},
        {"city": "Berlin", "utc": "2026-03-11T23:30:00Z"},
    ),
    refusals=(
        ({"city": "Atlantis", "utc": "2026-03-02T14:30"}, 404),
        ({"city": "Tokyo", "utc": "half past two"}, 422),
        ({"city": "Tokyo", "utc": "2026-13-40T14:30"}, 400),
    ),
    echoes=("city", "utc"),
    invariants=(
        Bounds("utc_offset", -12, 14),
        Known("utc_offset", "city", OFFSETS),
        Formula("local_time", ("utc", "utc_offset"), _shifted, "local_time is utc moved by utc_offset hours"),
        Formula("local_date", ("local_time",), lambda local: local[:10], "local_date is the date of local_time"),
        Ordered("local_date", "local_time"),
    ),
)
def time_in_city(world: World, city: CityName, utc: Moment) -> dict[str, Any]:
    """Convert a moment given in UTC to the local time and date of a city, daylight saving aside."""
    found = city_named(city)
    start = read_moment(utc)
    try:
        local = format_moment(start + timedelta(hours=found.utc_offset))
    except OverflowError as error:
        raise _beyond(utc) from error
    return {"city": found.name, "utc_offset": found.utc_offset, "local_time": local, "local_date": local[:10]}


class ShiftedMoment(Answer):
    """A moment and the one so much later."""

    moment: str = Field(description="Where it starts, as given")
    shift_minutes: int = Field(description="How far it is moved, in minutes; negative is earlier")
    result: str = Field(description="The moment after the shift, YYYY-MM-DDTHH:MM")
    date: str = Field(description="The date of the result, YYYY-MM-DD")
    weekday: str = Field(description="The weekday of the result, such as Monday")
    iso_week: int = Field(description="ISO 8601 week of the result")


Start = Annotated[
    str,
    Field(
        pattern=r"^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?Z?)?$",
        description="A date (taken as its midnight) or a moment, such as 2026-03-02 or 2026-03-02T14:30",
    ),
]
Days = Annotated[int, Field(ge=-3660, le=3660, description="Days to add; negative to go back")]
Hours = Annotated[float, Field(ge=-1000, le=1000, description="Hours to add, fractions allowed; negative to go back")]


def _week(result: str) -> int:
    return parse_moment(result).isocalendar().week


@simulated_tool(
    category="processor",
    answer=ShiftedMoment,
    examples=(
        {"moment": "2026-03-02", "days": 10},
        {"moment": "2026-03-05T14:30", "hours": 9},
        {"moment": "2026-04-20T08:00", "days": -3},
        {"moment": "2026-03-11T22:45:00", "days": 1, "hours": -5.5},
    ),
    refusals=(
        ({"moment": "2026-02-30", "days": 1}, 400),
        ({"moment": "next Monday", "days": 1}, 422),
        ({"moment": "2026-03-02", "days": 90_000}, 422),
        ({"moment": "9999-12-31", "days": 1}, 400),
    ),
    echoes=("moment",),
    invariants=(
        Formula(
            "shift_minutes",
            ("argument:days", "argument:hours"),
            lambda days, hours: round(days * 1440 + hours * 60),
            "shift_minutes is days x 1440 + hours x 60",
        ),
        Formula(
            "result", ("moment", "shift_minutes"), lambda m, s: _shifted(m, s / 60), "result is moment + shift_minutes"
        ),
        Formula("date", ("result",), lambda result: result[:10], "date is the date of result"),
        Formula("weekday", ("date",), lambda d: WEEKDAYS[date.fromisoformat(d).weekday()], "weekday is that of date"),
        Formula("iso_week", ("result",), _week, "iso_week is that of result"),
        Ordered("date", "result"),
        Known("weekday", "date", WEEKDAY_OF),
        Bounds("iso_week", 1, 53),
    ),
)
def shift_moment(world: World, moment: Start, days: Days = 0, hours: Hours = 0) -> dict[str, Any]:
    """Add days and hours to a date or moment (or take them away) and get the new date, time and weekday."""
    start = read_moment(moment)
    shift = round(days * 1440 + hours * 60)
    try:
        end = start + timedelta(minutes=shift)
    except OverflowError as error:
        raise _beyond(moment) from error
    return {
        "shift_minutes": shift,
        "result": format_moment(end),
        "date": end.date().isoformat(),
        "weekday": WEEKDAYS[end.weekday()],
        "iso_week": end.isocalendar().week,
    }


class CalendarDay(Answer):
    """What a city's calendar says of a date."""

    city: str = Field(description="City name")
    country: str = Field(description="Country whose public holidays count")
    date: str = Field(description="The date, YYYY-MM-DD")
    weekday: str = Field(description="Its weekday, such as Monday")
    day_type: str = Field(description="working_day, weekend or public_holiday")
    holiday: str | None = Field(description="Name of the public holiday on the date, if it is one")
    calendar_status: str = Field(description="final where the year's holidays are published")
    next_working_day: str = Field(description="First working day after the date")
    next_holiday: str = Field(description="Name of the first public holiday after the date")
    next_holiday_date: str = Field(description="Its date")
    days_to_next_holiday: int = Field(description="Days from the date to it")


@simulated_tool(
    category="source",
    answer=CalendarDay,
    examples=(
        {"city": "Lisbon", "date": "2026-04-03"},
        {"city": "Seoul", "date": "2026-03-02"},
        {"city": "Tokyo", "date": "2026-03-19"},
        {"city": "Mumbai", "date": "2026-03-04"},
        {"city": "Chicago", "date": "2026-12-24"},
    ),
    refusals=(
        ({"city": "Atlantis", "date": "2026-04-03"}, 404),
        ({"city": "Lisbon", "date": "2026-02-30"}, 400),
        ({"city": "Lisbon", "date": "2031-04-03"}, 400),
    ),
    echoes=("city", "date"),
    invariants=(
        Known("country", "city", COUNTRIES),
        Known("weekday", "date", WEEKDAY_OF),
        OneOf("day_type", ("working_day", "weekend", "public_holiday"), ("closed_season", "undefined")),
        Requires("holiday", "day_type", "public_holiday"),
        Requires("next_holiday", "calendar_status", "final"),
        Ordered("date", "next_working_day"),
        Ordered("date", "next_holiday_date"),
        Bounds("days_to_next_holiday", 1, 365),
        Formula(
            "days_to_next_holiday",
            ("date", "next_holiday_date"),
            days_between,
            "days_to_next_holiday counts from date to next_holiday_date",
        ),
    ),
)
def calendar_day(world: World, city: CityName, date: Day) -> dict[str, Any]:
    """Tell of a date in 2026 in a city: weekday, working day or public holiday, next working day and next holiday."""
    found = city_named(city)
    day = in_calendar(read_day(date))
    code = found.country_code
    coming, name = next_holiday(code, day)
    kind = day_type(code, day)
    return {
        "city": found.name,
        "country": found.country,
        "weekday": WEEKDAYS[day.weekday()],
        "day_type": kind,
        "holiday": HOLIDAYS[code].get(day),
        "calendar_status": "final",
        "next_working_day": next_working_day(code, day).isoformat(),
        "next_holiday": name,
        "next_holiday_date": coming.isoformat(),
        "days_to_next_holiday": (coming - day).days,
    }
