"""Times of sunrise and sunset: at a point given by coordinates, or in a city's almanac."""

from __future__ import annotations

import datetime
from typing import Annotated, Any

from pydantic import Field

from sealegs.faults.invariants import Bounds, Formula, Known, OneOf, Ordered, Sums
from sealegs.world.general.facts import COUNTRIES, OFFSETS
from sealegs.world.general.facts import city as city_named
from sealegs.world.general.place_and_time import (
    CityName,
    Day,
    Latitude,
    Longitude,
    format_moment,
    minutes_between,
    read_day,
)
from sealegs.world.general.sunlight import PHASES, moon_age, noon_height, phase, sun
from sealegs.world.tool import Answer, World, simulated_tool


class SunTimes(Answer):
    """The sun's day at a point."""

    latitude: float = Field(description="Degrees north, as asked")
    longitude: float = Field(description="Degrees east, as asked")
    date: str = Field(description="The day")
    utc_offset: float = Field(description="Hours ahead of UTC in which the times are given")
    sunrise: str = Field(description="When the sun rises, YYYY-MM-DDTHH:MM")
    solar_noon: str = Field(description="When it stands highest")
    sunset: str = Field(description="When it sets")
    daylight_minutes: int = Field(description="Minutes from sunrise to sunset")
    noon_height_degrees: float = Field(description="How high it stands at solar noon, degrees above the horizon")


Offset = Annotated[
    float, Field(ge=-12, le=14, description="Hours ahead of UTC in which to give the times; 0 gives them in UTC")
]


def _height(latitude: float, day: str) -> float:
    return round(noon_height(latitude, datetime.date.fromisoformat(day)), 1)


@simulated_tool(
    category="source",
    answer=SunTimes,
    examples=(
        {"latitude": 38.72, "longitude": -9.14, "date": "2026-03-05"},
        {"latitude": 35.68, "longitude": 139.69, "date": "2026-03-20", "utc_offset": 9},
        {"latitude": -33.87, "longitude": 151.21, "date": "2026-04-12", "utc_offset": 10},
        {"latitude": 59.33, "longitude": 18.07, "date": "2026-06-21", "utc_offset": 1},
        {"latitude": 19.08, "longitude": 72.88, "date": "2026-03-09", "utc_offset": 5.5},
    ),
    refusals=(
        ({"latitude": 82.5, "longitude": 15, "date": "2026-06-21"}, 400),
        ({"latitude": 38.72, "longitude": -9.14, "date": "2026-02-30"}, 400),
        ({"latitude": 38.72, "longitude": -9.14, "date": "1850-03-05"}, 400),
        ({"latitude": 98.72, "longitude": -9.14, "date": "2026-03-05"}, 422),
    ),
    echoes=("latitude", "longitude", "date", "utc_offset"),
    invariants=(
        Ordered("sunrise", "sunset"),
        Ordered("sunrise", "solar_noon"),
        Ordered("solar_noon", "sunset"),
        Bounds("daylight_minutes", 0, 1440),
        Bounds("noon_height_degrees", -2, 90),
        Formula("daylight_minutes", ("sunrise", "sunset"), minutes_between, "daylight_minutes run to sunset"),
        Formula("noon_height_degrees", ("latitude", "date"), _height, "noon_height_degrees follows from latitude"),
    ),
)
def sun_times(
    world: World, latitude: Latitude, longitude: Longitude, date: Day, utc_offset: Offset = 0
) -> dict[str, Any]:
    """Sunrise, solar noon, sunset and length of day at a latitude and longitude on a date, in a given UTC offset."""
    found = sun(latitude, longitude, read_day(date), utc_offset)
    sunrise, sunset = format_moment(found.sunrise), format_moment(found.sunset)
    return {
        "sunrise": sunrise,
        "solar_noon": format_moment(found.noon),
        "sunset": sunset,
        "daylight_minutes": minutes_between(sunrise, sunset),
        "noon_height_degrees": found.height,
    }


class Almanac(Answer):
    """A city's almanac for one day."""

    city: str = Field(description="City name")
    country: str = Field(description="Its country")
    date: str = Field(description="The day")
    sunrise: str = Field(description="When the sun rises, YYYY-MM-DDTHH:MM local time, daylight saving aside")
    sunset: str = Field(description="When it sets")
    utc_offset: float = Field(description="Hours that local time is ahead of UTC")
    daylight_minutes: int = Field(description="Minutes from sunrise to sunset")
    night_minutes: int = Field(description="The other minutes of 24 hours")
    day_minutes: int = Field(description="Both together, 1440")
    moon_age_days: float = Field(description="Days since the last new moon")
    moon_phase: str = Field(description="One of: " + ", ".join(PHASES))


def _age(day: str) -> float:
    return moon_age(datetime.date.fromisoformat(day))


@simulated_tool(
    category="source",
    answer=Almanac,
    examples=(
        {"city": "Lisbon", "date": "2026-03-05"},
        {"city": "Tokyo", "date": "2026-03-20"},
        {"city": "Sydney", "date": "2026-04-12"},
        {"city": "Stockholm", "date": "2026-06-21"},
        {"city": "Mumbai", "date": "2026-03-09"},
    ),
    refusals=(
        ({"city": "Atlantis", "date": "2026-03-05"}, 404),
        ({"city": "Lisbon", "date": "2026-02-30"}, 400),
        ({"city": "Lisbon", "date": "5 March"}, 422),
    ),
    echoes=("city", "date"),
    invariants=(
        Known("country", "city", COUNTRIES),
        Known("utc_offset", "city", OFFSETS),
        Ordered("date", "sunrise"),
        Ordered("sunrise", "sunset"),
        Bounds("daylight_minutes", 0, 1440),
        Bounds("moon_age_days", 0, 29.6),
        Sums("day_minutes", ("daylight_minutes", "night_minutes")),
        Formula("daylight_minutes", ("sunrise", "sunset"), minutes_between, "daylight_minutes run to sunset"),
        Formula("moon_age_days", ("date",), _age, "moon_age_days is counted from the last new moon"),
        OneOf("moon_phase", PHASES, ("half waxed", "undefined")),
    ),
)
def city_almanac(world: World, city: CityName, date: Day) -> dict[str, Any]:
    """A city's almanac for a date: sunrise and sunset in local time, minutes of daylight and night, moon phase."""
    place = city_named(city)
    day = read_day(date)
    found = sun(place.latitude, place.longitude, day, place.utc_offset)
    sunrise, sunset = format_moment(found.sunrise), format_moment(found.sunset)
    light = minutes_between(sunrise, sunset)
    age = moon_age(day)
    return {
        "city": place.name,
        "country": place.country,
        "sunrise": sunrise,
        "sunset": sunset,
        "utc_offset": place.utc_offset,
        "daylight_minutes": light,
        "night_minutes": 1440 - light,
        "day_minutes": 1440,
        "moon_age_days": age,
        "moon_phase": phase(age),
    }
