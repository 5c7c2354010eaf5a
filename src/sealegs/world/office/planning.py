"""Planning by the hour: how work is shared out, and on which working day it ends. Holidays as in `holidays`."""

from __future__ import annotations

from itertools import islice
from math import ceil
from typing import Annotated, Any

from pydantic import Field

from sealegs.faults.invariants import Bounds, Counts, Formula, Known, OneOf, Ordered, Sums
from sealegs.world.office.facts import DATE, office_date
from sealegs.world.office.working_days import WEEKDAY_OF, WORKING_WEEK, working_days_after
from sealegs.world.office.worktime import Country, DailyHours, Hours, People
from sealegs.world.tool import Answer, World, simulated_tool

After = Annotated[
    str,
    Field(pattern=DATE, description="Work begins on the next working day after it, YYYY-MM-DD"),
]


class Share(Answer):
    """One person's part."""

    person: int = Field(description="Number of the person, from 1")
    hours: float = Field(description="Hours of that person")


class WorkloadSplit(Answer):
    """Work shared out as evenly as quarters of an hour allow."""

    total_hours: float = Field(description="Hours of work in all")
    people: int = Field(description="People who share it")
    largest_share: float = Field(description="Hours of whoever has most")
    smallest_share: float = Field(description="Hours of whoever has least")
    shares: list[Share] = Field(description="Each person's part, the largest first")


@simulated_tool(
    category="processor",
    answer=WorkloadSplit,
    examples=(
        {"total_hours": 120, "people": 3},
        {"total_hours": 310.5, "people": 5},
        {"total_hours": 42, "people": 2},
        {"total_hours": 1000, "people": 12},
    ),
    refusals=(({"total_hours": -4, "people": 3}, 422), ({"total_hours": 40, "people": 61}, 422)),
    echoes=("total_hours", "people"),
    invariants=(
        Sums("total_hours", ("shares.hours",)),
        Counts("people", "shares"),
        Formula("largest_share", ("shares.0.hours",), lambda hours: hours, "largest_share is the first share"),
        Formula(
            "largest_share",
            ("total_hours", "people"),
            lambda hours, people: ceil(hours * 4 / people) / 4,
            "largest_share is total_hours / people, rounded up to a quarter",
        ),
        Bounds("largest_share", 0, 5000),
        Bounds("smallest_share", 0, 5000),
    ),
)
def workload_split(world: World, total_hours: Hours, people: People) -> dict[str, Any]:
    """Share hours of work out among people in quarters of an hour, as evenly as possible."""
    quarters, extra = divmod(round(total_hours * 4), people)
    shares = [(quarters + (number < extra)) / 4 for number in range(people)]
    return {
        "largest_share": shares[0],
        "smallest_share": shares[-1],
        "shares": [{"person": number, "hours": hours} for number, hours in enumerate(shares, start=1)],
    }


class WorkSchedule(Answer):
    """Work laid out over working days."""

    start_after: str = Field(description="The day after which work begins, YYYY-MM-DD")
    country_code: str = Field(description="Whose holidays are kept")
    hours: float = Field(description="Hours of work")
    hours_per_day: float = Field(description="Hours worked in a day")
    first_day: str = Field(description="First day of work, YYYY-MM-DD")
    finish_date: str = Field(description="Last day of work, YYYY-MM-DD")
    finish_weekday: str = Field(description="Day of the week of finish_date")
    days_scheduled: int = Field(description="Working days from first_day to finish_date")
    hours_on_full_days: float = Field(description="Hours worked before finish_date")
    hours_on_last_day: float = Field(description="Hours worked on finish_date")


@simulated_tool(
    category="processor",
    answer=WorkSchedule,
    examples=(
        {"hours": 40, "start_after": "2026-03-02", "country_code": "PT"},
        {"hours": 62.25, "start_after": "2026-03-27", "country_code": "DE", "hours_per_day": 7.5},
        {"hours": 21, "start_after": "2026-05-20", "country_code": "US", "hours_per_day": 6},
        {"hours": 83.5, "start_after": "2026-04-24", "country_code": "JP"},
    ),
    refusals=(
        ({"hours": 40, "start_after": "2026-02-30", "country_code": "PT"}, 400),
        ({"hours": 4000, "start_after": "2026-03-02", "country_code": "PT"}, 400),
        ({"hours": 40, "start_after": "2026-03-02", "country_code": "QQ"}, 404),
    ),
    echoes=("hours", "start_after", "country_code", "hours_per_day"),
    invariants=(
        Ordered("first_day", "finish_date"),
        Ordered("start_after", "first_day"),
        Sums("hours", ("hours_on_full_days", "hours_on_last_day")),
        Formula(
            "days_scheduled",
            ("hours", "hours_per_day"),
            lambda hours, daily: ceil(hours / daily),
            "days_scheduled is hours / hours_per_day, rounded up",
        ),
        Bounds("days_scheduled", 1, 260),
        Bounds("hours_on_last_day", 0, 12),
        Known("finish_weekday", "finish_date", WEEKDAY_OF),
        OneOf("finish_weekday", WORKING_WEEK, ("Saturday", "Sunday")),
    ),
)
def schedule_hours(
    world: World, hours: Hours, start_after: After, country_code: Country, hours_per_day: DailyHours = 8
) -> dict[str, Any]:
    """Lay one person's hours of work out over the working days after a date and tell the day on which they end."""
    count = ceil(hours / hours_per_day)
    days = list(islice(working_days_after(office_date(start_after), country_code), count))
    finish, full = days[-1].isoformat(), (count - 1) * hours_per_day
    return {
        "first_day": days[0].isoformat(),
        "finish_date": finish,
        "finish_weekday": WEEKDAY_OF[finish],
        "days_scheduled": count,
        "hours_on_full_days": full,
        "hours_on_last_day": hours - full,
    }
