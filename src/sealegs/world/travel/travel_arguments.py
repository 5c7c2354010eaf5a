"""The arguments that several travel tools take, with their limits."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

CityName = Annotated[str, Field(min_length=2, max_length=60, description="City name in English, such as Lisbon")]
Day = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\d$", description="A date, such as 2026-03-18")]
CheckIn = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\d$", description="Date of arrival, such as 2026-03-18")]
CheckOut = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\d$", description="Date of departure, such as 2026-03-20")]
Moment = Annotated[
    str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d$", description="A local time, such as 2026-03-18T14:35")
]
Person = Annotated[
    str,
    Field(
        pattern=r"^\S+( \S+)+$",
        min_length=3,
        max_length=60,
        description="First and last name as in the passport, such as Jonas Keller",
    ),
]
Cabin = Annotated[Literal["economy", "business"], Field(description="Cabin class")]
FlightNumber = Annotated[str, Field(pattern=r"^[A-Z]{2}\d{3,4}$", description="Carrier code and number, such as AQ166")]
HotelId = Annotated[str, Field(pattern=r"^H[A-Z]{3}\d\d$", description="Id of a hotel, such as HLIS01")]
Stars = Annotated[int, Field(ge=1, le=5, description="Lowest class of hotel, in stars")]
Currency = Annotated[str, Field(pattern=r"^[A-Z]{3}$", description="ISO 4217 code, such as EUR")]
Amount = Annotated[
    float, Field(ge=0, le=1_000_000_000, allow_inf_nan=False, description="An amount in the given currency")
]
Percent = Annotated[float, Field(ge=0, le=40, allow_inf_nan=False, description="Per cent")]
