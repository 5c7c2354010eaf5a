"""Arguments that several general tools take, and how they are read."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated

from pydantic import Field

from sealegs.world.tool import Refusal

CityName = Annotated[str, Field(min_length=2, max_length=60, description="City name in English, such as Lisbon")]
Day = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\d$", description="A date, YYYY-MM-DD")]
Latitude = Annotated[float, Field(ge=-90, le=90, description="Degrees north")]
Longitude = Annotated[float, Field(ge=-180, le=180, description="Degrees east")]
Moment = Annotated[
    str,
    Field(
        pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?Z?$",
        description="Date and time, YYYY-MM-DDTHH:MM, such as 2026-03-05T14:30",
    ),
]


def parse_moment(text: str) -> datetime:
    """Read a moment, or a date as its midnight.

    Raises:
        ValueError: there is no such moment.
    """
    return datetime.fromisoformat(text.removesuffix("Z"))


def format_moment(when: datetime) -> str:
    """A moment as YYYY-MM-DDTHH:MM."""
    return when.isoformat(timespec="minutes")


def read_moment(text: str) -> datetime:
    """Read a moment that an argument gives.

    Raises:
        Refusal: 400 where there is no such moment.
    """
    try:
        return parse_moment(text)
    except ValueError as error:
        raise Refusal(400, "BadMoment", f"{text!r} is no moment: {error}.") from error


def read_day(text: str) -> date:
    """Read a date that an argument gives.

    Raises:
        Refusal: 400 where there is no such date.
    """
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise Refusal(400, "BadDate", f"{text!r} is no date: {error}.") from error


def minutes_between(start: str, end: str) -> int:
    """Whole minutes from one moment to another."""
    return round((parse_moment(end) - parse_moment(start)).total_seconds() / 60)


def days_between(start: str, end: str) -> int:
    """Days from one date to another."""
    return (date.fromisoformat(end) - date.fromisoformat(start)).days
