"""Arguments that several office tools take, and tables that several check their answers against."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from pydantic import Field

from sealegs.world.office.facts import ADDRESS, DATE, SITES, STAFF, office_date
from sealegs.world.office.working_days import weekend, within_year
from sealegs.world.tool import Refusal

Day = Annotated[str, Field(pattern=DATE, description="A day of 2026, YYYY-MM-DD")]
FirstDay = Annotated[str, Field(pattern=DATE, description="First day of the period, YYYY-MM-DD; counted")]
LastDay = Annotated[str, Field(pattern=DATE, description="Last day of the period, YYYY-MM-DD; counted")]
DueDay = Annotated[str, Field(pattern=DATE, description="Day by which it is due, YYYY-MM-DD")]
StartTime = Annotated[
    str, Field(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$", description="Start, HH:MM on a 24 h clock")
]
Minutes = Annotated[int, Field(ge=15, le=240, description="Length in minutes")]
EmployeeId = Annotated[str, Field(pattern=r"^E-[0-9]{4}$", description="Employee id, such as E-1015")]
WorkAddress = Annotated[
    str, Field(pattern=ADDRESS, max_length=120, description="Work address, such as ines.duarte@fernhill.example")
]
OfficeCity = Annotated[str, Field(min_length=3, max_length=60, description="City of the office, such as Lisbon")]
CountryCode = Annotated[str, Field(pattern=r"^[A-Z]{2}$", description="ISO 3166-1 alpha-2 code, such as PT")]

NAME_BY_ID = {person.id: person.name for person in STAFF.values()}
CURRENCY_OF = {office.city: office.currency for office in SITES.values()}
COUNTRY_OF = {office.city: office.country for office in SITES.values()}


def period(first_day: str, last_day: str) -> tuple[date, date]:
    """First and last day of a period.

    Raises:
        Refusal: 400 where a day does not exist or lies outside 2026, or the period ends before it begins.
    """
    first, last = within_year(office_date(first_day)), within_year(office_date(last_day))
    if last < first:
        raise Refusal(400, "InvalidPeriod", f"The period ends on {last_day}, before it begins on {first_day}.")
    return first, last


def office_day(text: str) -> date:
    """A day on which offices are open.

    Raises:
        Refusal: 400 where there is no such day in 2026 or it falls on a weekend.
    """
    found = within_year(office_date(text))
    if weekend(found):
        raise Refusal(400, "OfficeClosed", f"{text} falls on a weekend.", date=text)
    return found


def days_apart(start: str, end: str) -> int:
    """Days from one date to another."""
    return (date.fromisoformat(end) - date.fromisoformat(start)).days
