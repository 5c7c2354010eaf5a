"""Arithmetic of working days and hours: deadlines, repeated dates, effort of a team. Uses the holidays of 2026 only."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from itertools import islice
from math import ceil
from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Counts, Echo, Formula, Known, OneOf, Ordered, Sums
from sealegs.world.office.facts import DATE, office_date
from sealegs.world.office.working_days import (
    WEEKDAY_OF,
    WORKING_WEEK,
    holidays,
    weekend,
    within_year,
    working_days_after,
)
from sealegs.world.tool import Answer, World, simulated_tool

Frequency = Literal["workday", "weekly", "fortnightly", "monthly"]
Start = Annotated[str, Field(pattern=DATE, description="Day to count from, YYYY-MM-DD; not itself counted")]
First = Annotated[str, Field(pattern=DATE, description="First date of the series, YYYY-MM-DD")]
Country = Annotated[str, Field(pattern=r"^[A-Z]{2}$", description="ISO 3166-1 alpha-2 code whose holidays are kept")]
Hours = Annotated[float, Field(ge=0.25, le=5000, multiple_of=0.25, description="Hours of work, in quarters")]
DailyHours = Annotated[float, Field(ge=1, le=12, multiple_of=0.5, description="Hours that one person works in a day")]
People = Annotated[int, Field(ge=1, le=60, description="How many people share the work")]


def _days_between(start: str, end: str) -> int:
    return (date.fromisoformat(end) - date.fromisoformat(start)).days


def _week_part(field: str, at: str) -> tuple[Known, OneOf]:
    """The weekday is that of the date and none of a weekend."""
    return Known(field, at, WEEKDAY_OF), OneOf(field, WORKING_WEEK, ("Saturday", "Sunday"))


class Deadline(Answer):
    """A day so many working days after another."""

    start_date: str = Field(description="Day counted from, YYYY-MM-DD")
    country_code: str = Field(description="Whose holidays are kept")
    due_date: str = Field(description="The last working day counted, YYYY-MM-DD")
    weekday: str = Field(description="Day of the week of due_date")
    working_days: int = Field(description="Working days after start_date up to due_date")
    weekend_days: int = Field(description="Saturdays and Sundays among them")
    holidays_skipped: int = Field(description="Public holidays on weekdays among them")
    calendar_days: int = Field(description="Days from start_date to due_date")


@simulated_tool(
    category="processor",
    answer=Deadline,
    examples=(
        {"start_date": "2026-03-02", "working_days": 10, "country_code": "PT"},
        {"start_date": "2026-03-27", "working_days": 5, "country_code": "DE"},
        {"start_date": "2026-03-16", "working_days": 7, "country_code": "JP"},
        {"start_date": "2026-05-20", "working_days": 3, "country_code": "US"},
    ),
    refusals=(
        ({"start_date": "2026-02-30", "working_days": 5, "country_code": "DE"}, 400),
        ({"start_date": "2026-12-20", "working_days": 60, "country_code": "DE"}, 400),
        ({"start_date": "2026-03-02", "working_days": 5, "country_code": "QQ"}, 404),
        ({"start_date": "2026-03-02", "working_days": 0, "country_code": "DE"}, 422),
    ),
    echoes=("start_date", "working_days", "country_code"),
    invariants=(
        Ordered("start_date", "due_date"),
        Sums("calendar_days", ("working_days", "weekend_days", "holidays_skipped")),
        Formula("calendar_days", ("start_date", "due_date"), _days_between, "calendar_days is the time between them"),
        Bounds("calendar_days", 1, 365),
        *_week_part("weekday", "due_date"),
    ),
)
def add_working_days(
    world: World,
    start_date: Start,
    working_days: Annotated[int, Field(ge=1, le=200, description="Working days to add")],
    country_code: Country,
) -> dict[str, Any]:
    """Find the date that lies a number of working days after a date, weekends and public holidays left out."""
    start = office_date(start_date)
    due = next(islice(working_days_after(start, country_code), working_days - 1, None))
    passed = [start + timedelta(days=number) for number in range(1, (due - start).days + 1)]
    weekends = sum(map(weekend, passed))
    return {
        "due_date": due.isoformat(),
        "weekday": WEEKDAY_OF[due.isoformat()],
        "weekend_days": weekends,
        "holidays_skipped": len(passed) - weekends - working_days,
        "calendar_days": len(passed),
    }


class Recurrence(Answer):
    """The dates of a series."""

    first_date: str = Field(description="First date of the series, YYYY-MM-DD")
    frequency: str = Field(description="How often it comes back")
    country_code: str = Field(description="Whose holidays are left out")
    occurrences: list[str] = Field(description="The dates, YYYY-MM-DD, in order")
    occurrence_count: int = Field(description="How many there are")
    last_date: str = Field(description="The last of them")
    last_weekday: str = Field(description="Day of the week of last_date")
    span_days: int = Field(description="Days from first_date to last_date")
    left_out: list[str] = Field(description="Dates of the series that fall on a public holiday")


def _series(first: date, frequency: Frequency) -> Iterator[date]:
    """The dates of the series from the first on, as RFC 5545 counts them: a month without that day is passed over."""
    steps = {"workday": 1, "weekly": 7, "fortnightly": 14}
    at = within_year(first)
    while True:
        if not (frequency == "workday" and weekend(at)) and not (frequency == "monthly" and at.day != first.day):
            yield at
        at = within_year(at + timedelta(days=steps.get(frequency, 1)))


@simulated_tool(
    category="processor",
    answer=Recurrence,
    examples=(
        {"first_date": "2026-03-02", "frequency": "workday", "count": 10, "country_code": "PT"},
        {"first_date": "2026-03-04", "frequency": "weekly", "count": 6, "country_code": "GB"},
        {"first_date": "2026-03-31", "frequency": "monthly", "count": 4, "country_code": "CA"},
        {
            "first_date": "2026-03-20",
            "frequency": "fortnightly",
            "count": 5,
            "country_code": "SE",
            "first_counts": False,
        },
    ),
    refusals=(
        ({"first_date": "2026-03-02", "frequency": "weekly", "count": 6, "country_code": "QQ"}, 404),
        ({"first_date": "2026-11-02", "frequency": "monthly", "count": 6, "country_code": "GB"}, 400),
        ({"first_date": "2026-03-02", "frequency": "yearly", "count": 6, "country_code": "GB"}, 422),
    ),
    echoes=("first_date", "frequency", "country_code"),
    invariants=(
        Echo("count", "occurrence_count"),
        Counts("occurrence_count", "occurrences"),
        Ordered("first_date", "last_date"),
        Formula("span_days", ("first_date", "last_date"), _days_between, "span_days is the time between them"),
        Bounds("span_days", 0, 365),
        Formula("last_date", ("occurrences",), lambda dates: dates[-1], "last_date is the last occurrence"),
        Known("last_weekday", "last_date", WEEKDAY_OF),
    ),
)
def expand_recurrence(
    world: World,
    first_date: First,
    frequency: Annotated[Frequency, Field(description="How often; workday is Monday to Friday")],
    count: Annotated[int, Field(ge=1, le=200, description="How many dates are wanted")],
    country_code: Country,
    first_counts: Annotated[bool, Field(description="Whether first_date is the first of the dates")] = True,
) -> dict[str, Any]:
    """List the dates of a calendar series that comes back each workday, week, fortnight or month.

    A date on a public holiday is left out and does not count.
    """
    free, first = holidays(country_code), office_date(first_date)
    series = (at for at in _series(first, frequency) if first_counts or at != first)
    dates: list[date] = []
    left_out: list[date] = []
    while len(dates) < count:
        at = next(series)
        (left_out if at in free else dates).append(at)
    last = dates[-1].isoformat()
    return {
        "occurrences": [at.isoformat() for at in dates],
        "occurrence_count": count,
        "last_date": last,
        "last_weekday": WEEKDAY_OF[last],
        "span_days": _days_between(first_date, last),
        "left_out": [at.isoformat() for at in left_out],
    }


class Effort(Answer):
    """How long a team takes."""

    hours: float = Field(description="Hours of work in all")
    people: int = Field(description="People on it")
    hours_per_day: float = Field(description="Hours that each works in a day")
    team_hours_per_day: float = Field(description="Hours that all work in a day")
    person_days: float = Field(description="Days that one person would take, to two decimal places")
    working_days: int = Field(description="Full working days that the team takes, rounded up")
    idle_hours: float = Field(description="Hours of the team left over on the last day")


@simulated_tool(
    category="processor",
    answer=Effort,
    examples=(
        {"hours": 120, "people": 3},
        {"hours": 310.5, "people": 5, "hours_per_day": 7.5},
        {"hours": 42, "people": 2, "hours_per_day": 6},
        {"hours": 1000, "people": 12},
    ),
    refusals=(({"hours": 0, "people": 3}, 422), ({"hours": 40.1, "people": 3}, 422), ({"hours": 40, "people": 0}, 422)),
    echoes=("hours", "people", "hours_per_day"),
    invariants=(
        Formula(
            "team_hours_per_day", ("people", "hours_per_day"), lambda n, h: n * h, "all work people x hours_per_day"
        ),
        Formula("person_days", ("hours", "hours_per_day"), lambda h, d: h / d, "person_days is hours / hours_per_day"),
        Formula(
            "working_days",
            ("hours", "team_hours_per_day"),
            lambda hours, daily: ceil(hours / daily),
            "working_days is hours / team_hours_per_day, rounded up",
        ),
        Bounds("working_days", 1, 5000),
        Bounds("idle_hours", 0, 720),
    ),
)
def team_effort(world: World, hours: Hours, people: People, hours_per_day: DailyHours = 8) -> dict[str, Any]:
    """Convert hours of work into person days and into the full working days that a team of a given size takes."""
    daily = people * hours_per_day
    days = ceil(hours / daily)
    return {
        "team_hours_per_day": daily,
        "person_days": round(hours / hours_per_day, 2),
        "working_days": days,
        "idle_hours": round(days * daily - hours, 2),
    }
