"""Weather forecasts: by coordinates over a span of days, or by place for one day in its four parts."""

from __future__ import annotations

from datetime import timedelta
from statistics import fmean
from typing import Annotated, Any

from pydantic import Field

from sealegs.faults.invariants import Bounds, Counts, Formula, Known, Mean, OneOf, Ordered, Sums
from sealegs.world.general.climate import CONDITIONS, DayWeather, weather
from sealegs.world.general.facts import PLACES, city_by_place_id, nearest_city
from sealegs.world.general.place_and_time import Day, Latitude, Longitude, days_between, read_day
from sealegs.world.state import TODAY
from sealegs.world.tool import Answer, World, simulated_tool

ISSUED = f"{TODAY}T06:00"
PARTS = ("night", "morning", "afternoon", "evening")
NO_CONDITION = ("code 999", "undefined")


class DailyRow(Answer):
    """One day of a point forecast."""

    date: str = Field(description="The day")
    high_c: float = Field(description="Highest temperature, degrees Celsius")
    low_c: float = Field(description="Lowest temperature, degrees Celsius")
    mean_c: float = Field(description="Middle of high and low, degrees Celsius")
    rain_mm: float = Field(description="Precipitation, mm")


class PointForecast(Answer):
    """The weather at a point over a span of days."""

    latitude: float = Field(description="Degrees north, as asked")
    longitude: float = Field(description="Degrees east, as asked")
    start_date: str = Field(description="First day")
    end_date: str = Field(description="Last day")
    days: int = Field(description="Number of days")
    high_c: float = Field(description="Highest temperature of the span, degrees Celsius")
    low_c: float = Field(description="Lowest temperature of the span, degrees Celsius")
    mean_c: float = Field(description="Mean of the daily means, degrees Celsius")
    rain_mm: float = Field(description="Precipitation of the whole span, mm")
    rain_chance: int = Field(description="Chance of rain on the first day, per cent")
    condition: str = Field(description="Weather of the first day: " + ", ".join(CONDITIONS))
    daily_high_c: list[float] = Field(description="Each day's highest temperature, in order")
    daily_mean_c: list[float] = Field(description="Each day's mean temperature, in order")
    daily: list[DailyRow] = Field(description="The days in order")


Span = Annotated[int, Field(ge=1, le=14, description="Number of days, 1 to 14")]


@simulated_tool(
    category="source",
    answer=PointForecast,
    examples=(
        {"latitude": 38.72, "longitude": -9.14, "start_date": "2026-03-05"},
        {"latitude": 35.68, "longitude": 139.69, "start_date": "2026-03-09", "days": 5},
        {"latitude": -33.87, "longitude": 151.21, "start_date": "2026-03-02", "days": 7},
        {"latitude": 59.33, "longitude": 18.07, "start_date": "2026-03-12", "days": 3},
        {"latitude": 25.2, "longitude": 55.27, "start_date": "2026-04-01", "days": 2},
    ),
    refusals=(
        ({"latitude": 0, "longitude": 0, "start_date": "2026-03-05"}, 404),
        ({"latitude": 38.72, "longitude": -9.14, "start_date": "2026-09-05"}, 400),
        ({"latitude": 38.72, "longitude": -9.14, "start_date": "2026-03-05", "days": 30}, 422),
    ),
    echoes=("latitude", "longitude", "start_date"),
    invariants=(
        *(Bounds(field, -60, 55) for field in ("high_c", "low_c", "mean_c")),
        Bounds("rain_mm", 0, 2000),
        Bounds("rain_chance", 0, 100),
        OneOf("condition", CONDITIONS, NO_CONDITION),
        Counts("days", "daily"),
        Sums("rain_mm", ("daily.rain_mm",)),
        Mean("mean_c", "daily.mean_c"),
        Formula("high_c", ("daily_high_c",), max, "high_c is the highest daily high"),
        Formula("low_c", ("daily",), lambda rows: min(r["low_c"] for r in rows), "low_c is the lowest daily low"),
        Formula("mean_c", ("daily_mean_c",), fmean, "mean_c is the mean of daily_mean_c"),
        *(Bounds(f"{field}.0", -60, 55) for field in ("daily_high_c", "daily_mean_c")),
        Formula("daily_high_c.0", ("daily.0.high_c",), float, "the first daily_high_c is the first day's"),
        Formula("daily_mean_c.0", ("daily.0.mean_c",), float, "the first daily_mean_c is the first day's"),
        Formula("days", ("start_date", "end_date"), lambda s, e: days_between(s, e) + 1, "days run from start to end"),
        Ordered("start_date", "end_date"),
    ),
)
def point_forecast(
    world: World, latitude: Latitude, longitude: Longitude, start_date: Day, days: Span = 1
) -> dict[str, Any]:
    """Weather forecast at a latitude and longitude for 1 to 14 days from a date: high, low, mean, rain, per day too."""
    where = nearest_city(latitude, longitude)
    first = read_day(start_date)
    found = [weather(where, first + timedelta(days=n)) for n in range(days)]
    return {
        "end_date": found[-1].day.isoformat(),
        "days": days,
        "high_c": max(day.high for day in found),
        "low_c": min(day.low for day in found),
        "mean_c": round(fmean(day.mean for day in found), 2),
        # Tenths added up as floats leave dust.
        "rain_mm": round(sum(day.rain for day in found), 1),
        "rain_chance": found[0].rain_chance,
        "condition": found[0].condition,
        "daily_high_c": [day.high for day in found],
        "daily_mean_c": [day.mean for day in found],
        "daily": [_row(day) for day in found],
    }


def _row(day: DayWeather) -> dict[str, Any]:
    return {
        "date": day.day.isoformat(),
        "high_c": day.high,
        "low_c": day.low,
        "mean_c": day.mean,
        "rain_mm": day.rain,
    }


class PartOfDay(Answer):
    """A quarter of a day."""

    part: str = Field(description="night, morning, afternoon or evening")
    temperature_c: float = Field(description="Temperature, degrees Celsius")
    rain_mm: float = Field(description="Precipitation, mm")


class PlaceForecast(Answer):
    """The weather of one day at a place."""

    place_id: str = Field(description="Id of the place")
    city: str = Field(description="City name")
    date: str = Field(description="The day")
    issued_at: str = Field(description="When the forecast was made")
    high_c: float = Field(description="Highest temperature, degrees Celsius")
    low_c: float = Field(description="Lowest temperature, degrees Celsius")
    mean_c: float = Field(description="Middle of high and low, degrees Celsius")
    rain_mm: float = Field(description="Precipitation of the day, mm")
    rain_chance: int = Field(description="Chance of rain, per cent")
    condition: str = Field(description="Weather of the day: " + ", ".join(CONDITIONS))
    parts: list[PartOfDay] = Field(description="The four parts of the day")


PlaceId = Annotated[
    str,
    Field(pattern=r"^PLC-[0-9A-F]{8}$", description="Id of a place as geocode_place gives it, such as PLC-0A1B2C3D"),
]
_IDS = {where.name: where.place_id for where in PLACES.values()}


def _temperatures(parts: list[dict[str, Any]]) -> list[float]:
    return [part["temperature_c"] for part in parts]


@simulated_tool(
    category="source",
    answer=PlaceForecast,
    examples=(
        {"place_id": _IDS["Lisbon"], "date": "2026-03-05"},
        {"place_id": _IDS["Tokyo"], "date": "2026-03-09"},
        {"place_id": _IDS["Toronto"], "date": "2026-03-10"},
        {"place_id": _IDS["Singapore"], "date": "2026-03-02"},
        {"place_id": _IDS["Cape Town"], "date": "2026-04-10"},
    ),
    refusals=(
        ({"place_id": "PLC-00000000", "date": "2026-03-05"}, 404),
        ({"place_id": _IDS["Lisbon"], "date": "2026-12-24"}, 400),
        ({"place_id": "Lisbon", "date": "2026-03-05"}, 422),
    ),
    echoes=("place_id", "date"),
    invariants=(
        Known("city", "place_id", {key: where.name for key, where in PLACES.items()}),
        Ordered("issued_at", "date"),
        *(Bounds(field, -60, 55) for field in ("high_c", "low_c", "mean_c")),
        Bounds("rain_mm", 0, 500),
        Bounds("rain_chance", 0, 100),
        OneOf("condition", CONDITIONS, NO_CONDITION),
        Sums("rain_mm", ("parts.rain_mm",)),
        Formula("mean_c", ("high_c", "low_c"), lambda high, low: (high + low) / 2, "mean_c is midway of high and low"),
        Formula("high_c", ("parts",), lambda parts: max(_temperatures(parts)), "high_c is the warmest part's"),
        Formula("low_c", ("parts",), lambda parts: min(_temperatures(parts)), "low_c is the coldest part's"),
    ),
)
def place_forecast(world: World, place_id: PlaceId, date: Day) -> dict[str, Any]:
    """Weather of one day at a place, by its place id: high, low, mean, rain, condition and the day's four parts."""
    where = city_by_place_id(place_id)
    day = weather(where, read_day(date))
    return {
        "city": where.name,
        "issued_at": ISSUED,
        "high_c": day.high,
        "low_c": day.low,
        "mean_c": day.mean,
        "rain_mm": day.rain,
        "rain_chance": day.rain_chance,
        "condition": day.condition,
        "parts": [
            {"part": part, "temperature_c": temperature, "rain_mm": rain}
            for part, temperature, rain in zip(PARTS, day.temperatures, day.rains, strict=True)
        ],
    }
