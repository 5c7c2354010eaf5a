"""Public holidays of 2026 and what a working day is. Facts and arithmetic, no tools.

National holidays that fall on a weekday, substitutes included (England's for GB, federal ones for US and CA, those that
nearly every canton keeps for CH, those of most states for AU). Other years and regional holidays are not covered.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Final

from sealegs.world.tool import Refusal

YEAR: Final = 2026
_MONTH_DAYS = {
    "AT": "01-01 01-06 04-06 05-01 05-14 05-25 06-04 10-26 12-08 12-25",
    "AU": "01-01 01-26 04-03 04-06 12-25 12-28",
    "CA": "01-01 04-03 05-18 07-01 09-07 09-30 10-12 11-11 12-25",
    "CH": "01-01 04-03 04-06 05-14 05-25 12-25",
    "DE": "01-01 04-03 04-06 05-01 05-14 05-25 12-25",
    "ES": "01-01 01-06 04-03 05-01 10-12 12-08 12-25",
    "FR": "01-01 04-06 05-01 05-08 05-14 05-25 07-14 11-11 12-25",
    "GB": "01-01 04-03 04-06 05-04 05-25 08-31 12-25 12-28",
    "IT": "01-01 01-06 04-06 05-01 06-02 12-08 12-25",
    "JP": "01-01 01-12 02-11 02-23 03-20 04-29 05-04 05-05 05-06 07-20 08-11 09-21 09-22 09-23 10-12 11-03 11-23",
    "MX": "01-01 02-02 03-16 05-01 09-16 11-16 12-25",
    "PT": "01-01 04-03 05-01 06-04 06-10 10-05 12-01 12-08 12-25",
    "SE": "01-01 01-06 04-03 04-06 05-01 05-14 12-25",
    "SG": "01-01 02-17 02-18 04-03 05-01 05-27 06-01 08-10 11-09 12-25",
    "US": "01-01 01-19 02-16 05-25 06-19 07-03 09-07 10-12 11-11 11-26 12-25",
    "ZA": "01-01 04-03 04-06 04-27 05-01 06-16 08-10 09-24 12-16 12-25",
}
HOLIDAYS = {
    country: frozenset(date.fromisoformat(f"{YEAR}-{text}") for text in days.split())
    for country, days in _MONTH_DAYS.items()
}
WORKING_WEEK = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
_DAYS = tuple(date(YEAR, 1, 1) + timedelta(days=number) for number in range(365))
WEEKDAY_OF = {day.isoformat(): day.strftime("%A") for day in _DAYS}


def holidays(country_code: str) -> frozenset[date]:
    """The country's public holidays on weekdays.

    Raises:
        Refusal: 404 where its calendar is not kept.
    """
    if country_code not in HOLIDAYS:
        kept = ", ".join(HOLIDAYS)
        raise Refusal(404, "CalendarNotFound", f"No holiday calendar for {country_code!r}. There are: {kept}.")
    return HOLIDAYS[country_code]


def within_year(day: date) -> date:
    """The day itself.

    Raises:
        Refusal: 400 where it lies outside the year whose holidays are known.
    """
    if day.year != YEAR:
        raise Refusal(400, "OutsideCalendar", f"Holiday calendars cover {YEAR}; {day.isoformat()} lies outside.")
    return day


def weekend(day: date) -> bool:
    """Return whether the day is a Saturday or Sunday."""
    return day.weekday() >= len(WORKING_WEEK)


def working_days_after(start: date, country_code: str) -> Iterator[date]:
    """The working days after `start`, one by one.

    Raises:
        Refusal: 404 for an unknown country, 400 on leaving the year.
    """
    free, day = holidays(country_code), within_year(start)
    while True:
        day = within_year(day + timedelta(days=1))
        if not weekend(day) and day not in free:
            yield day
