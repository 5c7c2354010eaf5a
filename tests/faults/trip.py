"""A small tool that books trips, with an invariant of every family."""

from __future__ import annotations

import dataclasses
import operator
import random
from collections.abc import Mapping
from typing import Any

from sealegs.faults.call import Call, Failure, Outcome, Value
from sealegs.faults.fault import FaultSetting
from sealegs.faults.invariants import Bounds, Counts, Echo, Formula, Known, Mean, OneOf, Ordered, Requires, Sums
from sealegs.faults.spec import ToolSpec

# city: country, price per night, nights, kilometres, check-in, check-out, hotels
PLACES: dict[str, tuple[str, float, int, int, str, str, dict[str, float]]] = {
    "Oslo": ("Norway", 120.5, 3, 1240, "2026-05-04", "2026-05-07", {"Fjord Inn": 120.5, "Harbour House": 135.0}),
    "Lisbon": ("Portugal", 88.0, 5, 2310, "2026-06-11", "2026-06-16", {"Casa Azul": 88.0, "Tejo View": 97.25}),
    "Kyoto": ("Japan", 142.0, 2, 9130, "2026-10-20", "2026-10-22", {"Maple Ryokan": 142.0, "Kamo Stay": 110.0}),
}
COUNTRIES = {city: place[0] for city, place in PLACES.items()}


def booked(city: str) -> dict[str, Any]:
    """The tool's right answer."""
    country, price, nights, distance, check_in, check_out, hotels = PLACES[city]
    return {
        "city": city,
        "country": country,
        "check_in": check_in,
        "check_out": check_out,
        "nights": nights,
        "price_per_night": price,
        "room_price": price * nights,
        "tax": 10.0,
        "total_price": price * nights + 10.0,
        "currency": "EUR",
        "distance_km": distance,
        "hotels": [{"name": name, "price": cost} for name, cost in hotels.items()],
        "hotel_count": len(hotels),
        "mean_hotel_price": sum(hotels.values()) / len(hotels),
        "status": "confirmed",
        "confirmation_id": f"{city[:3].upper()}-7731",
        "note": "Breakfast is served until ten.",
    }


def book_trip(call: Call) -> Outcome:
    """The tool."""
    city = call.arguments.get("city")
    if city not in PLACES:
        return Failure(f"No city named {city}.", type="NotFound", status=404)
    return Value(booked(str(city)))


def _schema(value: Any) -> dict[str, Any]:
    if isinstance(value, Mapping):
        properties = {key: _schema(item) for key, item in value.items()}
        return {"type": "object", "required": list(value), "properties": properties}
    if isinstance(value, list):
        return {"type": "array", "items": _schema(value[0])}
    return {"type": "string" if isinstance(value, str) else "number"}


SPEC = ToolSpec(
    name="book_trip",
    description="Book a trip to a city.",
    parameters={"type": "object", "required": ["city"], "properties": {"city": {"type": "string"}}},
    returns=_schema(booked("Oslo")),
    tags=frozenset({"travel", "action"}),
    invariants=(
        Echo("city", "city"),
        Known("country", "city", COUNTRIES),
        Ordered("check_in", "check_out"),
        Formula("room_price", ("price_per_night", "nights"), operator.mul, "room_price is price_per_night x nights"),
        Sums("total_price", ("room_price", "tax")),
        Mean("mean_hotel_price", "hotels.price"),
        Counts("hotel_count", "hotels"),
        Requires("confirmation_id", "status", "confirmed"),
        OneOf("status", ("confirmed", "pending"), ("teleported", "imaginary")),
        Bounds("price_per_night", 0, 5000),
        Bounds("distance_km", 0, 20040),
    ),
    effects=True,
    examples=tuple({"city": city} for city in PLACES),
)
CALL = Call("book_trip", {"city": "Oslo"}, id="call-1", nth=2)
TRUTH = booked("Oslo")


def setting(
    seed: object = 0, spec: ToolSpec | None = SPEC, earlier: tuple[Outcome, ...] = (), same: tuple[Outcome, ...] = ()
) -> FaultSetting:
    """A setting with a stream of its own."""
    return FaultSetting(spec=spec, draw=random.Random(str(seed)), earlier=earlier, same=same)


def using(*used: str) -> ToolSpec:
    """The tool where later steps use these fields."""
    return dataclasses.replace(SPEC, used=used)
