"""Sunrise and sunset at a point, after the equations of the NOAA solar calculator; the moon's age.

Good to a few minutes between the polar circles. Refraction is the usual one (34'); mountains are not there.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from math import acos, asin, cos, degrees, pi, radians, sin, tan

from sealegs.world.tool import Refusal

NEW_MOON = datetime.fromisoformat("2000-01-06T18:14")
LUNATION = 29.530588
PHASES = (
    "new moon",
    "waxing crescent",
    "first quarter",
    "waxing gibbous",
    "full moon",
    "waning gibbous",
    "last quarter",
    "waning crescent",
)


@dataclass(frozen=True, slots=True)
class Sun:
    """A day's sun at a point: local moments, and its height at noon in degrees."""

    sunrise: datetime
    noon: datetime
    sunset: datetime
    height: float


def _declination_and_equation(day: date) -> tuple[float, float]:
    """The sun's declination in radians and the equation of time in minutes."""
    turn = 2 * pi / 365 * (day.timetuple().tm_yday - 1)
    equation = 229.18 * (
        0.000075 + 0.001868 * cos(turn) - 0.032077 * sin(turn) - 0.014615 * cos(2 * turn) - 0.040849 * sin(2 * turn)
    )
    declination = (
        0.006918 - 0.399912 * cos(turn) + 0.070257 * sin(turn) - 0.006758 * cos(2 * turn) + 0.000907 * sin(2 * turn)
    )
    return declination - 0.002697 * cos(3 * turn) + 0.00148 * sin(3 * turn), equation


def noon_height(latitude: float, day: date) -> float:
    """Degrees at which the sun stands above the horizon at its highest."""
    declination, _ = _declination_and_equation(day)
    north = radians(latitude)
    return degrees(asin(sin(north) * sin(declination) + cos(north) * cos(declination)))


def sun(latitude: float, longitude: float, day: date, utc_offset: float) -> Sun:
    """The sun at a point on a day, in the time of a UTC offset.

    Raises:
        Refusal: 400 where the year is not covered or the sun does not rise and set on that day.
    """
    if not 1950 <= day.year <= 2100:
        raise Refusal(400, "YearNotCovered", f"The tables cover 1950 to 2100; {day} lies outside.")
    declination, equation = _declination_and_equation(day)
    north = radians(latitude)
    if abs(latitude) > 89.9:
        raise Refusal(400, "NoSunrise", f"The sun does not rise and set at latitude {latitude} on {day}.")
    turned = cos(radians(90.833)) / (cos(north) * cos(declination)) - tan(north) * tan(declination)
    if not -1 <= turned <= 1:
        raise Refusal(400, "NoSunrise", f"The sun does not rise and set at latitude {latitude} on {day}.")
    noon = 720 - 4 * longitude - equation + 60 * utc_offset
    half = 4 * degrees(acos(turned))
    midnight = datetime.combine(day, datetime.min.time())
    rise, high, down = (midnight + timedelta(minutes=round(n)) for n in (noon - half, noon, noon + half))
    return Sun(rise, high, down, round(noon_height(latitude, day), 1))


def moon_age(day: date) -> float:
    """Days since the last new moon, at noon UTC."""
    passed = datetime.combine(day, datetime.min.time()) + timedelta(hours=12) - NEW_MOON
    return round(passed.total_seconds() / 86_400 % LUNATION, 1)


def phase(age: float) -> str:
    """The moon's phase at an age."""
    return PHASES[round(8 * age / LUNATION) % 8]
