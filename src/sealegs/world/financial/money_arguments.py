"""The arguments that several financial tools take, and what holds for the fields that several answer with."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from pydantic import Field

from sealegs.faults.invariants import OneOf
from sealegs.world.financial.facts import RATES
from sealegs.world.state import TODAY
from sealegs.world.tool import Refusal

Code = Annotated[str, Field(pattern=r"^[A-Z]{3}$", description="ISO 4217 currency code, such as EUR")]
Amount = Annotated[float, Field(gt=0, le=1e9, description="Amount of money in units of its currency, such as 1250.50")]
AccountId = Annotated[str, Field(pattern=r"^ACC-\d{4}$", description="Id of a company bank account, such as ACC-1001")]
Country = Annotated[str, Field(pattern=r"^[A-Z]{2}$", description="ISO 3166-1 alpha-2 country code, such as DE")]
PartyName = Annotated[str, Field(min_length=2, max_length=80, description="Full name as it is on file")]
Symbol = Annotated[str, Field(pattern=r"^[A-Z]{4}$", description="Ticker symbol of a share or fund, such as NVLK")]
Day = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\d$", description="Calendar day, YYYY-MM-DD")]

CODED = OneOf("currency", tuple(RATES), ("XQE", "QAU", "ZZD"))
"""An answer's `currency` is one that is in circulation."""


def coming_date(day: str) -> date:
    """The day, if it is today or within the year that follows.

    Raises:
        Refusal: 400 where it is not a day of the calendar, past, or too far off.
    """
    try:
        found = date.fromisoformat(day)
    except ValueError as error:
        raise Refusal(400, "BadDate", f"{day!r} is no day of the calendar: {error}.") from error
    ahead = (found - date.fromisoformat(TODAY)).days
    if not 0 <= ahead <= 366:
        raise Refusal(400, "DateOutOfRange", f"{day} is not between {TODAY} and a year from then.", earliest=TODAY)
    return found
