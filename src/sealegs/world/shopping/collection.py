"""Collecting a parcel oneself: the collection points of a city, and an hour to come.

An hour is booked at a point that was chosen, or held at the most central point of a city and then confirmed. Both
take the first hour of the day that is free, so they leave the same booking.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from sealegs.faults.invariants import Bounds, Counts, Formula, Invariant, Known, Ordered, Requires
from sealegs.world.shopping.collection_slots import HELD, book_slot, set_hour_aside, slots_by_hold
from sealegs.world.shopping.facts_collection import POINTS, collection_point, points_in
from sealegs.world.shopping.ledger import find_order
from sealegs.world.shopping.shop_arguments import OrderId, Place
from sealegs.world.state import NOW, World
from sealegs.world.tool import Answer, Refusal, simulated_tool

_HELD_UNTIL = "2026-03-02T09:20:00"
Day = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\d$", description="Day of collection, YYYY-MM-DD")]
_CITY_OF_POINT = {point.name: point.city for point in POINTS.values()}
_ADDRESSES = {point.name: f"{point.address}, {point.city}" for point in POINTS.values()}


class PointLine(BaseModel):
    """A collection point in a list."""

    model_config = ConfigDict(extra="forbid")
    point_id: str = Field(description="Id of the point")
    name: str = Field(description="Name")
    address: str = Field(description="Street and city")
    distance_km: float = Field(description="Distance from the middle of the city, kilometres")
    closes: str = Field(description="When it closes, HH:MM")


class CollectionPoints(Answer):
    """The collection points of a city; the most central one also on its own."""

    city: str = Field(description="City")
    status: Literal["ok"] = Field(description="ok where the city has collection points")
    points: list[PointLine] = Field(description="The points, the most central first")
    point_count: int = Field(description="Number of points")
    central_point_id: str = Field(description="Id of the most central point")
    central_name: str = Field(description="Its name")
    central_address: str = Field(description="Its street and city")
    central_distance_km: float = Field(description="Its distance from the middle of the city, kilometres")


@simulated_tool(
    category="source",
    answer=CollectionPoints,
    examples=tuple({"city": name} for name in ("Lisbon", "Toronto", "Tokyo", "Vienna", "London")),
    refusals=(({"city": "Atlantis"}, 404), ({"city": "San Francisco"}, 404), ({"city": "X"}, 422)),
    echoes=("city",),
    invariants=(
        Counts("point_count", "points"),
        Requires("central_point_id", "status", "ok"),
        Requires("central_name", "status", "ok"),
        Known("central_address", "central_name", _ADDRESSES),
        Known("central_point_id", "central_name", {point.name: point.point_id for point in POINTS.values()}),
        Formula(
            "central_distance_km",
            ("points.0.distance_km",),
            lambda nearest: nearest,
            "central_distance_km is that of the first point",
        ),
        Bounds("central_distance_km", 0, 60),
    ),
)
def collection_points(world: World, city: Place) -> dict[str, Any]:
    """List the places in a city where parcels of the shop can be collected, the most central first."""
    found = points_in(city)
    first = found[0]
    return {
        "city": first.city,
        "status": "ok",
        "points": [
            {
                "point_id": point.point_id,
                "name": point.name,
                "address": _ADDRESSES[point.name],
                "distance_km": point.distance_km,
                "closes": f"{point.closes}:00",
            }
            for point in found
        ],
        "point_count": len(found),
        "central_point_id": first.point_id,
        "central_name": first.name,
        "central_address": _ADDRESSES[first.name],
        "central_distance_km": first.distance_km,
    }


class BookedCollection(Answer):
    """An hour to collect a parcel, booked."""

    collection_id: str = Field(description="Number of the booking")
    status: Literal["booked"] = Field(description="booked once the hour is the customer's")
    order_id: str = Field(description="Order number")
    customer: str = Field(description="Who may collect")
    point_id: str = Field(description="Id of the collection point")
    point_name: str = Field(description="Its name")
    address: str = Field(description="Its street and city")
    starts_at: str = Field(description="Start of the hour, YYYY-MM-DDTHH:MM")
    ends_at: str = Field(description="End of the hour, YYYY-MM-DDTHH:MM")


_BOOKED: tuple[Invariant, ...] = (
    *(Requires(name, "status", "booked") for name in ("collection_id", "customer")),
    Known("address", "point_name", _ADDRESSES),
    Ordered("starts_at", "ends_at"),
)


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="collection_history",
    parts=2,
    answer=BookedCollection,
    examples=(
        {"point_id": "CP-PAR-01", "order_id": "ORD-16D9A3F8", "date": "2026-03-04"},
        {"point_id": "CP-TOR-01", "order_id": "ORD-48E0FB92", "date": "2026-03-09"},
        {"point_id": "CP-DXB-01", "order_id": "ORD-C7715E2D", "date": "2026-03-06"},
        {"point_id": "CP-TYO-02", "order_id": "ORD-70B9E6C3", "date": "2026-03-14"},
    ),
    refusals=(
        ({"point_id": "CP-XXX-09", "order_id": "ORD-16D9A3F8", "date": "2026-03-04"}, 404),
        ({"point_id": "CP-PAR-01", "order_id": "ORD-3F81C2A0", "date": "2026-03-04"}, 409),
        ({"point_id": "CP-TOR-01", "order_id": "ORD-16D9A3F8", "date": "2026-03-04"}, 409),
        ({"point_id": "CP-PAR-01", "order_id": "ORD-16D9A3F8", "date": "2026-03-02"}, 400),
        ({"point_id": "CP-PAR-01", "order_id": "ORD-16D9A3F8", "date": "2026-03-08"}, 409),
        ({"point_id": "CP-VIE-01", "order_id": "ORD-D36B8A17", "date": "2026-03-06"}, 409),
    ),
    echoes=("point_id", "order_id"),
    invariants=(
        *_BOOKED,
        Known("point_name", "point_id", {point.point_id: point.name for point in POINTS.values()}),
        Ordered("argument:date", "starts_at"),
    ),
)
def book_collection(
    world: World,
    point_id: Annotated[str, Field(pattern=r"^CP-[A-Z]{3}-\d\d$", description="Collection point, such as CP-LIS-01")],
    order_id: OrderId,
    date: Day,
) -> dict[str, Any]:
    """Book the first free hour of a day at a given collection point to collect the parcel of an order there."""
    slot = set_hour_aside(world, collection_point(point_id), order_id, date)
    book_slot(world, slot)
    starts_at, ends_at = slot.times
    return {
        "collection_id": slot.collection_id,
        "status": "booked",
        "customer": find_order(world, order_id).customer,
        "point_id": slot.point_id,
        "point_name": slot.point.name,
        "address": _ADDRESSES[slot.point.name],
        "starts_at": starts_at,
        "ends_at": ends_at,
    }


class HeldCollection(Answer):
    """An hour to collect a parcel, set aside."""

    hold_id: str = Field(description="Number of the hold")
    status: Literal["held"] = Field(description="held until the hold is confirmed or runs out")
    order_id: str = Field(description="Order number")
    city: str = Field(description="City of the collection point")
    point_name: str = Field(description="Name of the collection point")
    hour_starts: str = Field(description="Start of the hour, YYYY-MM-DDTHH:MM")
    hour_ends: str = Field(description="End of the hour, YYYY-MM-DDTHH:MM")
    held_from: str = Field(description="When the hour was set aside, YYYY-MM-DDTHH:MM:SS")
    held_until: str = Field(description="When the hold runs out, YYYY-MM-DDTHH:MM:SS")


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="collection_history",
    answer=HeldCollection,
    examples=(
        {"city": "Paris", "order_id": "ORD-16D9A3F8", "date": "2026-03-04"},
        {"city": "Toronto", "order_id": "ORD-48E0FB92", "date": "2026-03-09"},
        {"city": "Tokyo", "order_id": "ORD-70B9E6C3", "date": "2026-03-13"},
        {"city": "Dubai", "order_id": "ORD-C7715E2D", "date": "2026-03-05"},
    ),
    refusals=(
        ({"city": "San Francisco", "order_id": "ORD-16D9A3F8", "date": "2026-03-04"}, 404),
        ({"city": "Paris", "order_id": "ORD-00000000", "date": "2026-03-04"}, 404),
        ({"city": "Berlin", "order_id": "ORD-16D9A3F8", "date": "2026-03-04"}, 409),
        ({"city": "Paris", "order_id": "ORD-16D9A3F8", "date": "2026-02-30"}, 400),
    ),
    echoes=("city", "order_id"),
    invariants=(
        Requires("hold_id", "status", "held"),
        Requires("point_name", "status", "held"),
        Known("city", "point_name", _CITY_OF_POINT),
        Ordered("hour_starts", "hour_ends"),
        Ordered("argument:date", "hour_starts"),
        Ordered("held_from", "held_until"),
    ),
)
def hold_collection_slot(world: World, city: Place, order_id: OrderId, date: Day) -> dict[str, Any]:
    """Hold the first free hour of a day at the most central collection point of a city for an order's parcel.

    The hour is the customer's only once the hold is confirmed.
    """
    slot = set_hour_aside(world, points_in(city)[0], order_id, date)
    starts_at, ends_at = slot.times
    return {
        "hold_id": slot.hold_id,
        "status": "held",
        "city": slot.point.city,
        "point_name": slot.point.name,
        "hour_starts": starts_at,
        "hour_ends": ends_at,
        "held_from": NOW,
        "held_until": _HELD_UNTIL,
    }


class ConfirmedCollection(BookedCollection):
    """A hold that became a booking."""

    hold_id: str = Field(description="Number of the hold that was confirmed")


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="collection_history",
    answer=ConfirmedCollection,
    examples=tuple({"hold_id": old.hold_id} for old in HELD),
    refusals=(({"hold_id": "CLH-00000000"}, 404), ({"hold_id": "HOLD-7A31D0E5"}, 422), ({}, 422)),
    echoes=("hold_id",),
    invariants=(
        *_BOOKED,
        Requires("order_id", "status", "booked"),
        Requires("point_name", "status", "booked"),
        Known("point_id", "point_name", {point.name: point.point_id for point in POINTS.values()}),
    ),
)
def confirm_collection_slot(
    world: World,
    hold_id: Annotated[str, Field(pattern=r"^CLH-[0-9A-F]{8}$", description="Hold, such as CLH-7A31D0E5")],
) -> dict[str, Any]:
    """Confirm an hour that is held at a collection point, which books it."""
    slot = slots_by_hold(world).get(hold_id)
    if slot is None:
        raise Refusal(404, "HoldNotFound", f"There is no hold {hold_id!r}.", hold_id=hold_id)
    if slot.booked:
        raise Refusal(409, "AlreadyBooked", f"The hold {hold_id} is booked as {slot.collection_id}.", hold_id=hold_id)
    book_slot(world, slot)
    starts_at, ends_at = slot.times
    return {
        "hold_id": hold_id,
        "collection_id": slot.collection_id,
        "status": "booked",
        "order_id": slot.order_id,
        "customer": find_order(world, slot.order_id).customer,
        "point_id": slot.point_id,
        "point_name": slot.point.name,
        "address": _ADDRESSES[slot.point.name],
        "starts_at": starts_at,
        "ends_at": ends_at,
    }
