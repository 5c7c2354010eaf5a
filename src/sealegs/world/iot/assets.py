"""Positions of tracked vehicles and equipment, now and over the last hours."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Any

from pydantic import Field

from sealegs.faults.invariants import Bounds, Counts, Formula, Known, Ordered, Requires, Sums
from sealegs.world.general.facts import COUNTRIES
from sealegs.world.iot.asset_facts import ASSETS, asset, kilometres_between, position, reported
from sealegs.world.state import NOW
from sealegs.world.tool import Answer, World, simulated_tool

TrackerId = Annotated[str, Field(pattern=r"^TRK-\d{4}$", description="Id of the tracker, such as TRK-1042")]


class LocatedAsset(Answer):
    """The last known position of an asset."""

    tracker_id: str = Field(description="Id of the tracker")
    asset_name: str = Field(description="What carries it")
    kind: str = Field(description="vehicle, crate, pallet or instrument")
    fix: str = Field(description="gnss where the position is known")
    city: str = Field(description="City that it is in")
    country: str = Field(description="Country that it is in")
    latitude: float = Field(description="Degrees north")
    longitude: float = Field(description="Degrees east")
    accuracy_m: int = Field(description="Radius in which it certainly is, in metres")
    battery_percent: int = Field(description="Charge of the tracker's own battery")
    seen_at: str = Field(description="When it last reported, local time")
    checked_at: str = Field(description="When this was looked up")


@simulated_tool(
    category="source",
    answer=LocatedAsset,
    examples=tuple({"tracker_id": id} for id in ("TRK-1042", "TRK-1078", "TRK-2015", "TRK-2044", "TRK-1116")),
    refusals=(({"tracker_id": "TRK-0000"}, 404), ({"tracker_id": "van 3"}, 422)),
    echoes=("tracker_id",),
    invariants=(
        Known("country", "city", COUNTRIES),
        Known("city", "tracker_id", {id: thing.city for id, thing in ASSETS.items()}),
        Requires("city", "fix", "gnss"),
        Requires("asset_name", "fix", "gnss"),
        Bounds("latitude", -90, 90),
        Bounds("longitude", -180, 180),
        Bounds("accuracy_m", 1, 500),
        Bounds("battery_percent", 0, 100),
        Ordered("seen_at", "checked_at"),
    ),
)
def locate_asset(world: World, tracker_id: TrackerId) -> dict[str, Any]:
    """Find where a tracked vehicle, crate, pallet or instrument is now: city, coordinates, and when it was seen."""
    thing = asset(tracker_id)
    north, east = position(thing, 0)
    return {
        "tracker_id": thing.tracker,
        "asset_name": thing.name,
        "kind": thing.kind,
        "fix": "gnss",
        "city": thing.city,
        "country": thing.place.country,
        "latitude": north,
        "longitude": east,
        "accuracy_m": 4 + int(thing.tracker[-1]),
        "battery_percent": 40 + int(thing.tracker[-2:]) // 2,
        "seen_at": reported(thing, 0),
        "checked_at": NOW,
    }


class Trail(Answer):
    """The positions of an asset over the last hours."""

    tracker_id: str = Field(description="Id of the tracker")
    hours: int = Field(description="How many hours back")
    first_at: str = Field(description="When the first point was reported")
    last_at: str = Field(description="When the last point was reported, local time")
    last_city: str = Field(description="City of the last point")
    last_country: str = Field(description="Country of the last point")
    last_latitude: float = Field(description="Last point, degrees north")
    last_longitude: float = Field(description="Last point, degrees east")
    distance_km: float = Field(description="Length of the trail")
    point_count: int = Field(description="How many points there are")
    points: list[dict[str, Any]] = Field(description="Oldest first: at, latitude, longitude, leg_km (since the last)")


@simulated_tool(
    category="source",
    answer=Trail,
    examples=(
        {"tracker_id": "TRK-1042", "hours": 6},
        {"tracker_id": "TRK-1078", "hours": 12},
        {"tracker_id": "TRK-2015", "hours": 3},
        {"tracker_id": "TRK-1116"},
    ),
    refusals=(({"tracker_id": "TRK-0000"}, 404), ({"tracker_id": "TRK-1042", "hours": 400}, 422)),
    echoes=("tracker_id", "hours"),
    invariants=(
        Known("last_city", "tracker_id", {id: thing.city for id, thing in ASSETS.items()}),
        Known("last_country", "last_city", COUNTRIES),
        Sums("distance_km", ("points.leg_km",)),
        Counts("point_count", "points"),
        Bounds("last_latitude", -90, 90),
        Bounds("last_longitude", -180, 180),
        Formula(
            "last_latitude", ("points",), lambda points: points[-1]["latitude"], "last_latitude is the last point's"
        ),
        Formula(
            "last_longitude", ("points",), lambda points: points[-1]["longitude"], "last_longitude is the last point's"
        ),
        Ordered("first_at", "last_at"),
    ),
)
def asset_trail(
    world: World,
    tracker_id: TrackerId,
    hours: Annotated[int, Field(ge=1, le=48, description="How many hours back")] = 8,
) -> dict[str, Any]:
    """List the hourly positions of a tracked asset over the last hours, the distance covered and the last point."""
    thing = asset(tracker_id)
    places = [position(thing, ago) for ago in range(hours, -1, -1)]
    legs = [0.0] + [kilometres_between(one, other) for one, other in pairwise(places)]
    points = [
        {"at": reported(thing, ago), "latitude": place[0], "longitude": place[1], "leg_km": leg}
        for ago, place, leg in zip(range(hours, -1, -1), places, legs, strict=True)
    ]
    return {
        "tracker_id": thing.tracker,
        "first_at": points[0]["at"],
        "last_at": points[-1]["at"],
        "last_city": thing.city,
        "last_country": thing.place.country,
        "last_latitude": places[-1][0],
        "last_longitude": places[-1][1],
        "distance_km": round(sum(legs), 2),
        "point_count": len(points),
        "points": points,
    }
