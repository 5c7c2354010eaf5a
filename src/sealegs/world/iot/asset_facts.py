"""Vehicles and equipment of the company that carry a tracker, and where they have been in the last two days."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from math import asin, cos, radians, sin, sqrt

from sealegs.world.general.facts import CITIES, City
from sealegs.world.iot.facts import scatter
from sealegs.world.state import NOW
from sealegs.world.tool import Refusal

EARTH_KM = 6371.0088


@dataclass(frozen=True, slots=True)
class Asset:
    """A tracked thing. `reach` is how many degrees it strays within a day."""

    tracker: str
    name: str
    kind: str
    city: str
    reach: float

    @property
    def place(self) -> City:
        """The city that it is in."""
        return CITIES[self.city.casefold()]

    @property
    def minutes(self) -> int:
        """The age of its last report at 09:00, in minutes."""
        return 7 + int(6 * scatter("tracker", self.tracker))


ASSETS = {
    asset.tracker: asset
    for asset in (
        Asset("TRK-1042", "Delivery van 3", "vehicle", "Lisbon", 0.06),
        Asset("TRK-1043", "Delivery van 7", "vehicle", "Berlin", 0.05),
        Asset("TRK-1057", "Service car 2", "vehicle", "Paris", 0.04),
        Asset("TRK-1061", "Service car 5", "vehicle", "Madrid", 0.05),
        Asset("TRK-1078", "Box truck 1", "vehicle", "New York", 0.06),
        Asset("TRK-1080", "Shuttle 4", "vehicle", "Chicago", 0.05),
        Asset("TRK-1095", "Pool car 12", "vehicle", "Vienna", 0.03),
        Asset("TRK-1101", "Pool car 9", "vehicle", "Stockholm", 0.04),
        Asset("TRK-1116", "Service car 8", "vehicle", "Sydney", 0.05),
        Asset("TRK-1124", "Delivery van 11", "vehicle", "Seoul", 0.04),
        Asset("TRK-2007", "Exhibition crate A", "crate", "Rome", 0.01),
        Asset("TRK-2015", "Exhibition crate C", "crate", "Tokyo", 0.01),
        Asset("TRK-2031", "Server pallet 6", "pallet", "Singapore", 0.008),
        Asset("TRK-2044", "Calibration kit 2", "instrument", "Zurich", 0.012),
        Asset("TRK-2052", "Projector case 5", "instrument", "London", 0.02),
        Asset("TRK-2068", "Spare parts pallet 1", "pallet", "Mumbai", 0.009),
        Asset("TRK-2073", "Survey drone kit", "instrument", "Cape Town", 0.03),
        Asset("TRK-2090", "Trade fair booth", "crate", "Toronto", 0.011),
    )
}


def asset(tracker: str) -> Asset:
    """The asset that carries this tracker.

    Raises:
        Refusal: 404 where none does.
    """
    found = ASSETS.get(tracker)
    if found is None:
        raise Refusal(404, "TrackerNotFound", f"No tracker has the id {tracker!r}.")
    return found


def position(thing: Asset, hours_ago: int) -> tuple[float, float]:
    """Degrees north and east of an asset some hours before its last report."""
    north = thing.place.latitude + thing.reach * scatter("north", thing.tracker, hours_ago)
    east = thing.place.longitude + thing.reach * scatter("east", thing.tracker, hours_ago)
    return round(north, 5), round(east, 5)


def reported(thing: Asset, hours_ago: int) -> str:
    """The moment of that report, on the clock of the asset's city."""
    return (datetime.fromisoformat(NOW) - timedelta(hours=hours_ago, minutes=thing.minutes)).isoformat()


def kilometres_between(one: tuple[float, float], other: tuple[float, float]) -> float:
    """Kilometres between two positions on a sphere, to 0.01 (haversine formula)."""
    north, other_north = radians(one[0]), radians(other[0])
    half = sin((other_north - north) / 2) ** 2
    half += cos(north) * cos(other_north) * sin(radians(other[1] - one[1]) / 2) ** 2
    return round(2 * EARTH_KM * asin(sqrt(half)), 2)
