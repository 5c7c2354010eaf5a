"""Air of a room: the moisture in it, the fresh air it needs, and the heating or cooling that a run of days asks for.

Water vapour by the Magnus formula with the constants of WMO-No. 8 (over water). Fresh air by EN 16798-1, method 1, for
a low-polluting building. Nothing here knows a building: the caller brings the numbers.
"""

from __future__ import annotations

from math import exp, log
from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Counts, Echo, Formula, Known, Sums
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

AT_ZERO, SLOPE, SHIFT = 6.112, 17.62, 243.12
Celsius = Annotated[float, Field(ge=-40, le=60, description="Air temperature in Celsius")]
Humidity = Annotated[float, Field(ge=1, le=100, description="Relative humidity in per cent")]


def _saturation(celsius: float) -> float:
    return AT_ZERO * exp(SLOPE * celsius / (SHIFT + celsius))


def _dew_point(celsius: float, humidity: float) -> float:
    share = log(humidity / 100) + SLOPE * celsius / (SHIFT + celsius)
    return round(SHIFT * share / (SLOPE - share), 1) + 0.0


AIR = ({"celsius": 21.4, "humidity": 43.2}, {"celsius": 28, "humidity": 71}, {"celsius": 4.5, "humidity": 88})
NO_AIR = (
    ({"celsius": 21.4, "humidity": 143}, 422),
    ({"celsius": 210, "humidity": 43}, 422),
    ({"celsius": "warm", "humidity": 43}, 422),
)


class DewPoint(Answer):
    """The dew point of air."""

    celsius: float = Field(description="Temperature of the air")
    humidity: float = Field(description="Its relative humidity in per cent")
    dew_point_celsius: float = Field(description="Temperature at which it begins to condense")
    spread: float = Field(description="How many degrees the air is warmer than that")


@simulated_tool(
    category="processor",
    answer=DewPoint,
    examples=(*AIR, {"celsius": -6, "humidity": 90}),
    refusals=NO_AIR,
    echoes=("celsius", "humidity"),
    invariants=(
        Formula("dew_point_celsius", ("celsius", "humidity"), _dew_point, "it follows from the Magnus formula"),
        Sums("celsius", ("dew_point_celsius", "spread")),
        Bounds("dew_point_celsius", -90, 60.1),
    ),
)
def dew_point(world: World, celsius: Celsius, humidity: Humidity) -> dict[str, Any]:
    """Work out the dew point of air in Celsius from its temperature and relative humidity, and how far off it is."""
    dew = _dew_point(celsius, humidity)
    return {"dew_point_celsius": dew, "spread": round(celsius - dew, 4)}


class MoistAir(Answer):
    """The state of moist air."""

    dry_bulb: float = Field(description="Temperature of the air in Celsius")
    relative_humidity: float = Field(description="Relative humidity in per cent")
    pressure_hpa: float = Field(description="Pressure of the air")
    saturation_hpa: float = Field(description="Pressure of vapour that the air could hold")
    vapour_hpa: float = Field(description="Pressure of vapour that it holds")
    dew_point: float = Field(description="Dew point in Celsius")
    grams_per_m3: float = Field(description="Water in a cubic metre")
    grams_per_kg: float = Field(description="Water for each kilogram of dry air")


def _part(saturation: float, humidity: float) -> float:
    return saturation * humidity / 100


@simulated_tool(
    category="processor",
    answer=MoistAir,
    examples=(*AIR, {"celsius": 19.2, "humidity": 55, "pressure_hpa": 870}),
    refusals=(*NO_AIR, ({"celsius": 20, "humidity": 50, "pressure_hpa": 10}, 422)),
    invariants=(
        Echo("celsius", "dry_bulb"),
        Echo("humidity", "relative_humidity"),
        Echo("pressure_hpa", "pressure_hpa"),
        Formula(
            "vapour_hpa", ("saturation_hpa", "relative_humidity"), _part, "vapour_hpa is a share of saturation_hpa"
        ),
        Formula("dew_point", ("dry_bulb", "relative_humidity"), _dew_point, "it follows from the Magnus formula"),
        Bounds("dew_point", -90, 60.1),
        Bounds("grams_per_m3", 0, 140),
        Bounds("grams_per_kg", 0, 300),
    ),
)
def moist_air_state(
    world: World,
    celsius: Celsius,
    humidity: Humidity,
    pressure_hpa: Annotated[float, Field(ge=500, le=1100, description="Pressure of the air in hPa")] = 1013.25,
) -> dict[str, Any]:
    """Work out the full state of moist air: vapour pressures, dew point, and water per cubic metre and per kilogram."""
    saturation = _saturation(celsius)
    vapour = _part(saturation, humidity)
    return {
        "dry_bulb": celsius,
        "relative_humidity": humidity,
        "pressure_hpa": pressure_hpa,
        "saturation_hpa": round(saturation, 4),
        "vapour_hpa": round(vapour, 4),
        "dew_point": _dew_point(celsius, humidity),
        "grams_per_m3": round(216.68 * vapour / (celsius + 273.15), 2),
        "grams_per_kg": round(621.98 * vapour / (pressure_hpa - vapour), 2),
    }


# Litres a second for each person, and for each square metre, by category of indoor environment.
PER_PERSON = {"high": 10.0, "medium": 7.0, "moderate": 4.0}
PER_AREA = {"high": 1.0, "medium": 0.7, "moderate": 0.4}


class Ventilation(Answer):
    """The fresh air that a room needs."""

    people: int = Field(description="People in the room")
    floor_area_m2: float = Field(description="Floor area")
    quality: str = Field(description="Expected quality of the air")
    rate_per_person: float = Field(description="Litres a second for each person")
    people_l_s: float = Field(description="Litres a second for all people")
    area_l_s: float = Field(description="Litres a second for the floor area")
    total_l_s: float = Field(description="Litres a second in total")
    total_m3_h: float = Field(description="The same in cubic metres an hour")


@simulated_tool(
    category="processor",
    answer=Ventilation,
    examples=(
        {"people": 12, "floor_area_m2": 48},
        {"people": 40, "floor_area_m2": 320.5, "quality": "high"},
        {"people": 4, "floor_area_m2": 18, "quality": "moderate"},
    ),
    refusals=(
        ({"people": 0, "floor_area_m2": 48}, 422),
        ({"people": 400, "floor_area_m2": 48}, 400),
        ({"people": 12, "floor_area_m2": 48, "quality": "fresh"}, 422),
    ),
    echoes=("people", "floor_area_m2", "quality"),
    invariants=(
        Known("rate_per_person", "quality", PER_PERSON),
        Formula("people_l_s", ("people", "rate_per_person"), lambda n, rate: n * rate, "people x rate_per_person"),
        Sums("total_l_s", ("people_l_s", "area_l_s")),
        Formula("total_m3_h", ("total_l_s",), lambda rate: rate * 3.6, "total_m3_h is total_l_s x 3.6"),
        Bounds("total_l_s", 0, 1_000_000),
    ),
)
def ventilation_rate(
    world: World,
    people: Annotated[int, Field(ge=1, le=5000, description="People in the room")],
    floor_area_m2: Annotated[float, Field(ge=2, le=20_000, description="Floor area in square metres")],
    quality: Annotated[Literal["high", "medium", "moderate"], Field(description="Expected quality of the air")] = (
        "medium"
    ),
) -> dict[str, Any]:
    """Work out how much fresh air a room needs for a number of people and a floor area, in l/s and m3/h."""
    if floor_area_m2 / people < 0.4:
        raise Refusal(400, "TooCrowded", f"{people} people do not fit on {floor_area_m2:g} square metres.")
    by_people = round(people * PER_PERSON[quality], 2)
    by_area = round(floor_area_m2 * PER_AREA[quality], 2)
    total = round(by_people + by_area, 2)
    return {
        "rate_per_person": PER_PERSON[quality],
        "people_l_s": by_people,
        "area_l_s": by_area,
        "total_l_s": total,
        "total_m3_h": round(3.6 * total, 2),
    }


class DegreeDays(Answer):
    """The degree days of a run of days."""

    mode: str = Field(description="heating or cooling")
    base_celsius: float = Field(description="Temperature against which days count")
    day_count: int = Field(description="How many days were given")
    counting_days: int = Field(description="How many of them ask for heating or cooling")
    degree_days: float = Field(description="Degrees over all days")
    largest_day: float = Field(description="Degrees of the day with the most")
    daily: list[float] = Field(description="Degrees of each day, in the order given")


@simulated_tool(
    category="processor",
    answer=DegreeDays,
    examples=(
        {"mean_temperatures": [4.2, 6.8, 11.5, 16.1, 9.0]},
        {"mean_temperatures": [24.5, 27.1, 21.9], "mode": "cooling", "base_celsius": 22},
        {"mean_temperatures": [-3.5, -1.2, 0.4, 2.8, 1.1, -0.6, 3.3], "base_celsius": 18},
    ),
    refusals=(
        ({"mean_temperatures": []}, 422),
        ({"mean_temperatures": [4.2, 300]}, 422),
        ({"mean_temperatures": [4.2], "mode": "drying"}, 422),
    ),
    echoes=("mode", "base_celsius"),
    invariants=(
        Counts("day_count", "argument:mean_temperatures"),
        Sums("degree_days", ("daily",)),
        Formula("largest_day", ("daily",), max, "largest_day is the most of a day"),
        Formula("counting_days", ("daily",), lambda daily: sum(day > 0 for day in daily), "counting_days have degrees"),
        Bounds("degree_days", 0),
    ),
)
def degree_days(
    world: World,
    mean_temperatures: Annotated[
        list[Annotated[float, Field(ge=-60, le=60)]],
        Field(min_length=1, max_length=366, description="Mean outdoor temperature of each day in Celsius"),
    ],
    mode: Annotated[Literal["heating", "cooling"], Field(description="What the days are to ask for")] = "heating",
    base_celsius: Annotated[float, Field(ge=5, le=30, description="Temperature against which days count")] = 15.5,
) -> dict[str, Any]:
    """Sum the heating or cooling degree days of a list of daily mean temperatures against a base temperature."""
    sign = 1 if mode == "heating" else -1
    daily = [round(max(0.0, sign * (base_celsius - mean)), 2) for mean in mean_temperatures]
    return {
        "day_count": len(daily),
        "counting_days": sum(day > 0 for day in daily),
        "degree_days": round(sum(daily), 2),
        "largest_day": max(daily),
        "daily": daily,
    }
