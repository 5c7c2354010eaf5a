"""The weather that each city will have: a March and April climate and a day's departure from it.

The departure is a function of city and date alone, so every forecast service that reads it says the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

from sealegs.faults.seeds import uniform
from sealegs.world.general.facts import City
from sealegs.world.state import TODAY
from sealegs.world.tool import Refusal

HORIZON = 45
CONDITIONS = ("clear", "partly cloudy", "overcast", "showers", "rain", "snow")


@dataclass(frozen=True, slots=True)
class Climate:
    """Mean temperature in March and April and half the day's range, degrees Celsius; share of wet days; mm on one."""

    march: float
    april: float
    swing: float
    wet: float
    millimetres: float


CLIMATES = {
    "Lisbon": Climate(14.9, 15.9, 4.5, 0.35, 6),
    "Berlin": Climate(5.4, 9.9, 4.5, 0.40, 3),
    "Tokyo": Climate(9.4, 14.3, 4.5, 0.35, 9),
    "Beijing": Climate(7.5, 15.1, 6.0, 0.12, 3),
    "New York": Climate(6.1, 11.9, 4.5, 0.36, 9),
    "London": Climate(7.6, 9.9, 4.0, 0.38, 4),
    "Paris": Climate(8.8, 11.7, 4.5, 0.36, 4),
    "Madrid": Climate(11.2, 13.3, 5.5, 0.22, 4),
    "Rome": Climate(11.0, 13.6, 5.5, 0.28, 6),
    "Vienna": Climate(6.5, 11.6, 5.0, 0.30, 4),
    "Zurich": Climate(5.6, 9.2, 4.5, 0.40, 6),
    "Stockholm": Climate(1.6, 6.0, 4.0, 0.35, 3),
    "Toronto": Climate(0.1, 6.6, 4.5, 0.36, 5),
    "San Francisco": Climate(12.7, 13.5, 4.0, 0.33, 8),
    "Chicago": Climate(3.9, 10.0, 5.0, 0.36, 6),
    "Sydney": Climate(21.6, 18.9, 4.0, 0.42, 11),
    "Singapore": Climate(27.8, 28.2, 4.0, 0.47, 12),
    "Mumbai": Climate(26.9, 28.6, 4.5, 0.02, 2),
    "Dubai": Climate(23.0, 27.0, 5.5, 0.08, 4),
    "Seoul": Climate(6.1, 12.6, 5.0, 0.25, 7),
    "Mexico City": Climate(18.2, 19.8, 7.0, 0.15, 4),
    "Cape Town": Climate(20.3, 17.7, 5.0, 0.15, 5),
}


@dataclass(frozen=True, slots=True)
class DayWeather:
    """One day's weather: degrees Celsius, millimetres, per cent.

    `temperatures` and `rains` are those of night, morning, afternoon and evening; the mean is that of low and high.
    """

    day: date
    high: float
    low: float
    mean: float
    rain: float
    rain_chance: int
    condition: str
    temperatures: tuple[float, ...]
    rains: tuple[float, ...]


@lru_cache(maxsize=4096)
def weather(place: City, day: date) -> DayWeather:
    """The weather of a city on a day.

    Raises:
        Refusal: 400 where the day lies outside the forecast's range.
    """
    first = date.fromisoformat(TODAY)
    last = first + timedelta(days=HORIZON)
    if not first <= day <= last:
        raise Refusal(400, "OutOfForecastRange", f"Forecasts run from {first} to {last}; {day} lies outside.")
    climate = CLIMATES[place.name]
    drawn = [uniform("weather", place.name, day, part) for part in range(6)]
    warmth = climate.march + (climate.april - climate.march) * (day - date(2026, 3, 15)).days / 31
    middle = warmth + 6 * (drawn[0] - 0.5)
    high = round(middle + climate.swing * (0.7 + 0.6 * drawn[1]), 1)
    low = round(middle - climate.swing * (0.7 + 0.6 * drawn[2]), 1)
    wet = drawn[3] < climate.wet
    tenths = round(10 * climate.millimetres * (0.3 + 1.4 * drawn[4])) if wet else 0
    chance = 55 + 5 * int(8 * drawn[5]) if wet else 5 * int(6 * drawn[5])
    temperatures = (low, round(low + 0.4 * (high - low), 1), high, round(low + 0.55 * (high - low), 1))
    return DayWeather(
        day=day,
        high=high,
        low=low,
        mean=round((high + low) / 2, 2),
        rain=tenths / 10,
        rain_chance=chance,
        condition=_condition(wet, middle, tenths, drawn[5]),
        temperatures=temperatures,
        rains=_spread(tenths),
    )


def _condition(wet: bool, middle: float, tenths: int, draw: float) -> str:
    if wet:
        return "snow" if middle < 0.5 else "rain" if tenths > 50 else "showers"
    return CONDITIONS[int(3 * draw)]


def _spread(tenths: int) -> tuple[float, ...]:
    """A day's rain over its four parts, which add up to it exactly."""
    shares = [tenths * share // 10 for share in (2, 3, 1)]
    return tuple(part / 10 for part in (*shares, tenths - sum(shares)))
