"""Reading leave accounts, and counting the working days of a period. Accounts cover 2026 only."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import groupby
from typing import Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Counts, Formula, Known, Ordered, Requires, Sums
from sealegs.world.office.absence import (
    CARRIED,
    COUNTRY_BY_ID,
    ENTITLED,
    absence_days,
    planned_leave,
    taken_leave,
    workdays,
)
from sealegs.world.office.facts import STAFF, employee
from sealegs.world.office.office_arguments import (
    NAME_BY_ID,
    CountryCode,
    EmployeeId,
    FirstDay,
    LastDay,
    days_apart,
    period,
)
from sealegs.world.office.working_days import weekend
from sealegs.world.state import TODAY
from sealegs.world.tool import Answer, World, simulated_tool

OPENED, ENDS = "2026-01-01", "2026-12-31"
PEOPLE = tuple({"employee_id": id} for id in ("E-1012", "E-1021", "E-1043", "E-1074", "E-1084", "E-1060"))
UNKNOWN = (({"employee_id": "E-9999"}, 404), ({"employee_id": "Duarte"}, 422))
OWNER = (Known("name", "employee_id", NAME_BY_ID),)


class LeaveBalance(Answer):
    """A leave account in figures."""

    employee_id: str = Field(description="Employee id")
    name: str = Field(description="Full name")
    country_code: str = Field(description="Whose public holidays do not count as leave, ISO 3166-1 alpha-2")
    status: Literal["active"] = Field(description="State of the account")
    entitled_days: int = Field(description="Days of leave in 2026")
    carried_over_days: int = Field(description="Days left over from 2025")
    taken_days: int = Field(description="Days taken so far")
    planned_days: int = Field(description="Days planned and not yet taken")
    remaining_days: int = Field(description="Days that can still be asked for")
    as_of: str = Field(description="Day on which the account was read, YYYY-MM-DD")
    use_by: str = Field(description="Last day on which the days can be taken, YYYY-MM-DD")


@simulated_tool(
    category="source",
    answer=LeaveBalance,
    examples=PEOPLE,
    refusals=UNKNOWN,
    echoes=("employee_id",),
    invariants=(
        *OWNER,
        *(Requires(field, "status", "active") for field in ("remaining_days", "country_code", "employee_id")),
        Formula(
            "remaining_days",
            ("entitled_days", "carried_over_days", "taken_days", "planned_days"),
            lambda entitled, carried, used, planned: entitled + carried - used - planned,
            "remaining_days are the entitled and carried days less those taken and planned",
        ),
        *(Bounds(f"{part}_days", 0, 60) for part in ("entitled", "carried_over", "taken", "planned", "remaining")),
        Ordered("as_of", "use_by"),
    ),
)
def leave_balance(world: World, employee_id: EmployeeId) -> dict[str, Any]:
    """Read an employee's annual leave balance: entitlement, days carried over, taken, planned and remaining."""
    person = employee(employee_id)
    country, carried = COUNTRY_BY_ID[person.id], CARRIED[person.id]
    used, planned = (
        sum(map(absence_days, taken_leave(person.id))),
        sum(map(absence_days, planned_leave(world, person.id))),
    )
    return {
        "employee_id": person.id,
        "name": person.name,
        "country_code": country,
        "status": "active",
        "entitled_days": ENTITLED[country],
        "carried_over_days": carried,
        "taken_days": used,
        "planned_days": planned,
        "remaining_days": ENTITLED[country] + carried - used - planned,
        "as_of": TODAY,
        "use_by": ENDS,
    }


class Posting(Answer):
    """A line of a leave account."""

    from_date: str = Field(description="Day from which it counts, YYYY-MM-DD")
    text: str = Field(description="What it is")
    days: int = Field(description="Days added; negative where days are taken")


class Ledger(Answer):
    """A leave account line by line."""

    employee_id: str = Field(description="Employee id")
    name: str = Field(description="Full name")
    country_code: str = Field(description="Country of the account, ISO 3166-1 alpha-2")
    account_status: Literal["open"] = Field(description="State of the account")
    postings: list[Posting] = Field(description="The lines, in order of their days")
    posting_count: int = Field(description="How many lines there are")
    credited_days: int = Field(description="All days added")
    debited_days: int = Field(description="All days taken or planned")
    closing_balance: int = Field(description="What is left")
    opened_on: str = Field(description="First day of the account, YYYY-MM-DD")
    read_on: str = Field(description="Day on which it was read, YYYY-MM-DD")


@simulated_tool(
    category="source",
    answer=Ledger,
    examples=PEOPLE,
    refusals=UNKNOWN,
    echoes=("employee_id",),
    invariants=(
        *OWNER,
        *(Requires(field, "account_status", "open") for field in ("closing_balance", "country_code", "employee_id")),
        Sums("closing_balance", ("postings.days",)),
        Formula("closing_balance", ("credited_days", "debited_days"), lambda c, d: c - d, "the balance is the rest"),
        Counts("posting_count", "postings"),
        Bounds("closing_balance", 0, 60),
        Bounds("credited_days", 0, 60),
        Bounds("debited_days", 0, 60),
        Ordered("opened_on", "read_on"),
    ),
)
def leave_ledger(world: World, employee_id: EmployeeId) -> dict[str, Any]:
    """Open an employee's leave account line by line: credits, each absence taken or planned, closing balance."""
    person = STAFF[employee(employee_id).id]
    country = COUNTRY_BY_ID[person.id]
    lines = [(OPENED, "Entitlement for 2026", ENTITLED[country]), (OPENED, "Carried over", CARRIED[person.id])]
    absences = sorted(
        (*taken_leave(person.id), *planned_leave(world, person.id)), key=lambda absence: absence.first_day
    )
    lines += [(a.first_day, "Taken" if a.first_day < TODAY else "Planned", -absence_days(a)) for a in absences]
    credited = ENTITLED[country] + CARRIED[person.id]
    closing = sum(days for _, _, days in lines)
    return {
        "employee_id": person.id,
        "name": person.name,
        "country_code": country,
        "account_status": "open",
        "postings": [{"from_date": day, "text": text, "days": days} for day, text, days in lines],
        "posting_count": len(lines),
        "credited_days": credited,
        "debited_days": credited - closing,
        "closing_balance": closing,
        "opened_on": OPENED,
        "read_on": TODAY,
    }


PERIODS = (
    {"first_day": "2026-03-30", "last_day": "2026-04-10", "country_code": "PT"},
    {"first_day": "2026-05-11", "last_day": "2026-05-29", "country_code": "DE"},
    {"first_day": "2026-04-27", "last_day": "2026-05-08", "country_code": "JP"},
    {"first_day": "2026-06-15", "last_day": "2026-07-10", "country_code": "US"},
    {"first_day": "2026-12-21", "last_day": "2026-12-31", "country_code": "GB"},
)
BAD_PERIODS = (
    ({**PERIODS[0], "country_code": "QQ"}, 404),
    ({**PERIODS[0], "last_day": "2026-03-29"}, 400),
    ({**PERIODS[0], "first_day": "2026-02-30"}, 400),
    ({**PERIODS[0], "last_day": "2027-01-08"}, 400),
)
SPAN = (Ordered("first_day", "last_day"),)


class Workdays(Answer):
    """The days of a period by kind."""

    first_day: str = Field(description="First day of the period, YYYY-MM-DD")
    last_day: str = Field(description="Last day of the period, YYYY-MM-DD")
    country_code: str = Field(description="Whose holidays are kept")
    calendar_days: int = Field(description="All days of the period")
    weekend_days: int = Field(description="Saturdays and Sundays")
    holidays: int = Field(description="Public holidays on weekdays")
    working_days: int = Field(description="What is left")


@simulated_tool(
    category="processor",
    answer=Workdays,
    examples=PERIODS,
    refusals=BAD_PERIODS,
    echoes=("first_day", "last_day", "country_code"),
    invariants=(
        *SPAN,
        Sums("calendar_days", ("weekend_days", "holidays", "working_days")),
        Formula(
            "calendar_days",
            ("first_day", "last_day"),
            lambda first, last: days_apart(first, last) + 1,
            "calendar_days are the days from first_day to last_day",
        ),
        *(Bounds(field, 0, 365) for field in ("calendar_days", "weekend_days", "holidays", "working_days")),
    ),
)
def net_workdays(world: World, first_day: FirstDay, last_day: LastDay, country_code: CountryCode) -> dict[str, Any]:
    """Count the working days from one date of 2026 to another, both included, without a country's public holidays."""
    first, last = period(first_day, last_day)
    days = [first + timedelta(days=number) for number in range((last - first).days + 1)]
    worked = len(workdays(first, last, country_code))
    weekends = sum(map(weekend, days))
    return {
        "calendar_days": len(days),
        "weekend_days": weekends,
        "holidays": len(days) - weekends - worked,
        "working_days": worked,
    }


class Week(Answer):
    """A week of a period."""

    monday: str = Field(description="Monday of the week, YYYY-MM-DD")
    working_days: int = Field(description="Working days of it that lie in the period")


class Weeks(Answer):
    """A period week by week."""

    first_day: str = Field(description="First day of the period, YYYY-MM-DD")
    last_day: str = Field(description="Last day of the period, YYYY-MM-DD")
    country_code: str = Field(description="Whose holidays are kept")
    weeks: list[Week] = Field(description="The weeks that the period touches, in order")
    week_count: int = Field(description="How many they are")
    total_working_days: int = Field(description="Working days of all weeks")
    busiest_week: int = Field(description="Most working days in one week")


def _most(weeks: list[dict[str, Any]]) -> int:
    return max(int(week["working_days"]) for week in weeks)


@simulated_tool(
    category="processor",
    answer=Weeks,
    examples=PERIODS,
    refusals=BAD_PERIODS,
    echoes=("first_day", "last_day", "country_code"),
    invariants=(
        *SPAN,
        Sums("total_working_days", ("weeks.working_days",)),
        Counts("week_count", "weeks"),
        Bounds("weeks.working_days", 0, 5),
        Bounds("total_working_days", 0, 262),
        Formula("busiest_week", ("weeks",), _most, "busiest_week is the most working days of one week"),
    ),
)
def period_by_week(world: World, first_day: FirstDay, last_day: LastDay, country_code: CountryCode) -> dict[str, Any]:
    """Lay a period of 2026 out week by week with the working days in each, as a planning sheet does, and the total."""
    first, last = period(first_day, last_day)
    worked = set(workdays(first, last, country_code))
    days = (first + timedelta(days=number) for number in range((last - first).days + 1))
    weeks = [
        {"monday": monday.isoformat(), "working_days": sum(day in worked for day in group)}
        for monday, group in groupby(days, key=_monday)
    ]
    return {"weeks": weeks, "week_count": len(weeks), "total_working_days": len(worked), "busiest_week": _most(weeks)}


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())
