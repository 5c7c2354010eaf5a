"""Measurements of sensors and meters, now and over the last days, and the meaning of the numbers."""

from __future__ import annotations

from math import floor
from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Counts, Formula, Known, Mean, OneOf, Ordered, Sums
from sealegs.world.iot.device_arguments import Days, DeviceId, Quantity
from sealegs.world.iot.facts import (
    DECIMALS,
    SITES,
    UNITS,
    calibration,
    day_mean,
    days_before_today,
    device,
    devices_in,
    latest,
    measures,
    received_at,
    reported_at,
)
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

THERMOSTAT = devices_in(SITES["Lisbon"], "Boardroom", "thermostat")[0].id
SENSORS = tuple(
    devices_in(SITES[name], room, "climate_sensor")[0].id
    for name, room in (("Tokyo", "Open Office"), ("Mumbai", "Boardroom"), ("Chicago", "Server Room"))
)
METER = devices_in(SITES["Berlin"], "Plant Room", "energy_meter")[0].id
LIGHT = devices_in(SITES["London"], "Reception", "light")[0].id


class Reading(Answer):
    """The last thing that a device reported of a quantity."""

    device_id: str = Field(description="Id of the device")
    quantity: str = Field(description="What was measured")
    value: float = Field(description="The measured value, calibrated")
    unit: str = Field(description="Its unit")
    raw_value: float = Field(description="The value before calibration")
    calibration_offset: float = Field(description="What calibration adds to the raw value")
    measured_at: str = Field(description="When it was measured, building's own time")
    received_at: str = Field(description="When it arrived")


@simulated_tool(
    category="source",
    answer=Reading,
    examples=(
        {"device_id": THERMOSTAT, "quantity": "temperature"},
        {"device_id": SENSORS[0], "quantity": "co2"},
        {"device_id": SENSORS[1], "quantity": "pm2_5"},
        {"device_id": SENSORS[2], "quantity": "humidity"},
        {"device_id": METER, "quantity": "power"},
    ),
    refusals=(
        ({"device_id": "CLS-LIS-0000", "quantity": "co2"}, 404),
        ({"device_id": THERMOSTAT, "quantity": "co2"}, 400),
        ({"device_id": LIGHT, "quantity": "power"}, 400),
        ({"device_id": THERMOSTAT, "quantity": "mood"}, 422),
    ),
    echoes=("device_id", "quantity"),
    invariants=(
        Bounds("value", 0, 5000),
        Sums("value", ("raw_value", "calibration_offset")),
        Known("unit", "quantity", UNITS),
        Ordered("measured_at", "received_at"),
    ),
)
def latest_reading(world: World, device_id: DeviceId, quantity: Quantity) -> dict[str, Any]:
    """Read the latest measured value of one quantity (temperature, humidity, CO2, PM2.5, power) from one device."""
    thing = device(device_id)
    measures(thing, quantity)
    value, offset = latest(thing, quantity), calibration(thing, quantity)
    return {
        "device_id": thing.id,
        "value": value,
        "unit": UNITS[quantity],
        "raw_value": round(value - offset, 3),
        "calibration_offset": offset,
        "measured_at": reported_at(thing),
        "received_at": received_at(thing),
    }


class ReadingHistory(Answer):
    """A quantity over the last complete days."""

    device_id: str = Field(description="Id of the device")
    quantity: str = Field(description="What was measured")
    unit: str = Field(description="Unit of every value")
    days: int = Field(description="How many days")
    hours: int = Field(description="The same in hours")
    from_date: str = Field(description="First day")
    to_date: str = Field(description="Last day, which is yesterday")
    mean: float = Field(description="Mean over the days")
    minimum: float = Field(description="Lowest day's mean")
    maximum: float = Field(description="Highest day's mean")
    latest_value: float = Field(description="What the device has reported last, today")
    latest_above_mean: float = Field(description="latest_value less mean")
    latest_at: str = Field(description="When that was measured")
    daily: list[dict[str, Any]] = Field(description="Each day: date, mean")


@simulated_tool(
    category="source",
    answer=ReadingHistory,
    examples=(
        {"device_id": SENSORS[0], "quantity": "temperature", "days": 7},
        {"device_id": SENSORS[1], "quantity": "pm2_5", "days": 1},
        {"device_id": SENSORS[2], "quantity": "co2", "days": 3},
        {"device_id": METER, "quantity": "power", "days": 14},
    ),
    refusals=(
        ({"device_id": "CLS-LIS-0000", "quantity": "co2", "days": 2}, 404),
        ({"device_id": METER, "quantity": "humidity", "days": 2}, 400),
        ({"device_id": METER, "quantity": "power", "days": 90}, 422),
    ),
    echoes=("device_id", "quantity", "days"),
    invariants=(
        Known("unit", "quantity", UNITS),
        Mean("mean", "daily.mean"),
        Bounds("mean", 0, 5000),
        Bounds("latest_value", 0, 5000),
        Sums("latest_value", ("mean", "latest_above_mean")),
        Formula("minimum", ("daily",), lambda daily: min(d["mean"] for d in daily), "minimum is the lowest day's mean"),
        Formula(
            "maximum", ("daily",), lambda daily: max(d["mean"] for d in daily), "maximum is the highest day's mean"
        ),
        Formula("hours", ("days",), lambda days: 24 * days, "hours is days x 24"),
        Counts("days", "daily"),
        Ordered("from_date", "to_date"),
        Ordered("to_date", "latest_at"),
    ),
)
def reading_history(world: World, device_id: DeviceId, quantity: Quantity, days: Days) -> dict[str, Any]:
    """Read one device's history of a quantity over the last complete days: daily means, overall mean, latest value.

    For an energy meter, power gives the building's mean load in kW.
    """
    thing = device(device_id)
    measures(thing, quantity)
    dates = days_before_today(days)
    means = [day_mean(thing, quantity, day) for day in dates]
    places = 6 if quantity == "power" else DECIMALS[quantity] + 1
    mean, value = round(sum(means) / days, places), latest(thing, quantity)
    shown = [round(number, 3) for number in means]
    return {
        "device_id": thing.id,
        "unit": UNITS[quantity],
        "hours": 24 * days,
        "from_date": dates[0],
        "to_date": dates[-1],
        "mean": mean,
        "minimum": min(shown),
        "maximum": max(shown),
        "latest_value": value,
        "latest_above_mean": round(value - mean, 3),
        "latest_at": reported_at(thing),
        "daily": [{"date": day, "mean": number} for day, number in zip(dates, shown, strict=True)],
    }


KWH = {"kwh": 1.0, "wh": 0.001, "mj": 1 / 3.6, "btu": 0.000293071}
KINDS = {**dict.fromkeys(("celsius", "fahrenheit", "kelvin"), "temperature"), **dict.fromkeys(KWH, "energy")}
Unit = Literal["celsius", "fahrenheit", "kelvin", "kwh", "wh", "mj", "btu"]


def _converted(value: float, from_unit: str, to_unit: str) -> float:
    if from_unit in KWH:
        return round(value * KWH[from_unit] / KWH[to_unit], 4)
    celsius = {"celsius": value, "fahrenheit": (value - 32) / 1.8, "kelvin": value - 273.15}[from_unit]
    return round({"celsius": celsius, "fahrenheit": celsius * 1.8 + 32, "kelvin": celsius + 273.15}[to_unit], 2)


class ConvertedReading(Answer):
    """A measured value in another unit."""

    value: float = Field(description="The value that was given")
    from_unit: str = Field(description="Its unit")
    to_unit: str = Field(description="The unit that was asked for")
    kind: str = Field(description="temperature or energy")
    result: float = Field(description="The value in the unit that was asked for")


@simulated_tool(
    category="processor",
    answer=ConvertedReading,
    examples=(
        {"value": 70, "from_unit": "fahrenheit", "to_unit": "celsius"},
        {"value": 21.4, "from_unit": "celsius", "to_unit": "fahrenheit"},
        {"value": 3.5, "from_unit": "kwh", "to_unit": "mj"},
        {"value": 12000, "from_unit": "btu", "to_unit": "kwh"},
    ),
    refusals=(
        ({"value": 20, "from_unit": "celsius", "to_unit": "kwh"}, 400),
        ({"value": -500, "from_unit": "fahrenheit", "to_unit": "celsius"}, 400),
        ({"value": 20, "from_unit": "reaumur", "to_unit": "celsius"}, 422),
    ),
    echoes=("value", "from_unit", "to_unit"),
    invariants=(
        Known("kind", "to_unit", KINDS),
        Bounds("result", -459.67, 1e13),
        Formula("result", ("value", "from_unit", "to_unit"), _converted, "result is value in to_unit"),
    ),
)
def convert_measurement(
    world: World,
    value: Annotated[float, Field(ge=-1e9, le=1e9, description="The value to convert")],
    from_unit: Annotated[Unit, Field(description="Its unit")],
    to_unit: Annotated[Unit, Field(description="The unit to convert to, of the same kind")],
) -> dict[str, Any]:
    """Convert a value between temperature scales (Celsius, Fahrenheit, kelvin) or energy units (kWh, Wh, MJ, BTU)."""
    if KINDS[from_unit] != KINDS[to_unit]:
        raise Refusal(400, "IncompatibleUnits", f"{from_unit} cannot be converted to {to_unit}.")
    if (_converted(value, from_unit, "kelvin") if KINDS[from_unit] == "temperature" else value) < 0:
        raise Refusal(400, "BelowZero", f"{value:g} {from_unit} is less than there can be.")
    return {"kind": KINDS[to_unit], "result": _converted(value, from_unit, to_unit)}


# Breakpoints of the US EPA (Technical Assistance Document, May 2024): highest concentration and index of each band.
BANDS = {
    "pm2_5": ((9.0, 50), (35.4, 100), (55.4, 150), (125.4, 200), (225.4, 300), (325.4, 500)),
    "pm10": ((54, 50), (154, 100), (254, 150), (354, 200), (424, 300), (604, 500)),
}
STEPS = {"pm2_5": 0.1, "pm10": 1.0}
CATEGORIES = (
    (50, "green", "Good"),
    (100, "yellow", "Moderate"),
    (150, "orange", "Unhealthy for sensitive groups"),
    (200, "red", "Unhealthy"),
    (300, "purple", "Very unhealthy"),
    (500, "maroon", "Hazardous"),
)


def _index(pollutant: str, concentration: float) -> int:
    """The index by linear interpolation within the band, as EPA's equation 1 has it."""
    step = STEPS[pollutant]
    counted = round(floor(concentration / step + 1e-9) * step, 1)
    low, low_index = 0.0, 0
    for high, high_index in BANDS[pollutant]:
        if counted <= high:
            return round(low_index + (high_index - low_index) * (counted - low) / (high - low))
        low, low_index = high + step, high_index + 1
    raise ValueError(f"{concentration} is beyond the index")


class AirQuality(Answer):
    """An air-quality index."""

    pollutant: str = Field(description="pm2_5 or pm10")
    concentration: float = Field(description="Concentration in ug/m3")
    aqi: int = Field(description="US EPA index, 0 to 500")
    category: str = Field(description="What the index means")
    colour: str = Field(description="The category's colour")


@simulated_tool(
    category="processor",
    answer=AirQuality,
    examples=(
        {"pollutant": "pm2_5", "concentration": 7.4},
        {"pollutant": "pm2_5", "concentration": 36.2},
        {"pollutant": "pm10", "concentration": 88},
        {"pollutant": "pm2_5", "concentration": 140.9},
    ),
    refusals=(
        ({"pollutant": "pm2_5", "concentration": 400}, 400),
        ({"pollutant": "pm2_5", "concentration": -1}, 422),
        ({"pollutant": "pollen", "concentration": 10}, 422),
    ),
    echoes=("pollutant", "concentration"),
    invariants=(
        Bounds("aqi", 0, 500),
        Formula("aqi", ("pollutant", "concentration"), _index, "aqi follows from the EPA breakpoints"),
        Known("category", "colour", {colour: category for _, colour, category in CATEGORIES}),
        OneOf("category", tuple(category for _, _, category in CATEGORIES), ("Unknown", "Severe", "Not rated")),
    ),
)
def air_quality_index(
    world: World,
    pollutant: Annotated[Literal["pm2_5", "pm10"], Field(description="Particulate matter up to 2.5 or 10 micrometres")],
    concentration: Annotated[float, Field(ge=0, le=2000, description="24-hour mean concentration in ug/m3")],
) -> dict[str, Any]:
    """Work out the US air-quality index (0 to 500) and its category from a particulate concentration in ug/m3."""
    try:
        aqi = _index(pollutant, concentration)
    except ValueError as error:
        raise Refusal(400, "BeyondIndex", f"{concentration:g} ug/m3 is beyond the index for {pollutant}.") from error
    colour, category = next((colour, category) for top, colour, category in CATEGORIES if aqi <= top)
    return {"aqi": aqi, "category": category, "colour": colour}
