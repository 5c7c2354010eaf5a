"""Argument types that several tools of the domain take, and the answer for a bad moment."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from sealegs.world.tool import Refusal

DeviceType = Annotated[
    Literal["thermostat", "climate_sensor", "light", "blind", "door_lock", "energy_meter"],
    Field(description="Kind of device"),
]
DeviceId = Annotated[
    str,
    Field(pattern=r"^[A-Z]{3}-[A-Z]{3}-[0-9A-F]{4}$", description="Device id from the registry, such as THM-LIS-79EF"),
]
Quantity = Annotated[
    Literal["temperature", "humidity", "co2", "pm2_5", "power"],
    Field(description="What is measured: celsius, per cent, ppm, ug/m3 and kW respectively"),
]
Days = Annotated[int, Field(ge=1, le=31, description="How many complete days, counted back from yesterday")]


def moment_argument(text: str) -> datetime:
    """The moment that the text names.

    Raises:
        Refusal: 400 where the calendar has no such moment.
    """
    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        raise Refusal(400, "BadMoment", f"{text!r} is no moment: {error}.") from error
