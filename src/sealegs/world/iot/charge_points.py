"""Charge points for vehicles: two directories, one by city and one by coordinates. Only free points are offered."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Counts, Formula, Known, Ordered, Requires
from sealegs.world.general.facts import CITIES, nearest_city
from sealegs.world.iot.charging_facts import CURRENCY_OF, Charger, free_chargers
from sealegs.world.iot.facts import SITES, site_in
from sealegs.world.state import NOW
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

Connector = Annotated[Literal["type2", "ccs", "chademo"], Field(description="Plug that the vehicle takes")]
REFERENCE_KWH = 30
SITE_OF = {name: site.name for name, site in SITES.items()}


class FreeChargers(Answer):
    """The free charge points of one connector beside a building."""

    city: str = Field(description="City that was asked for")
    site_name: str = Field(description="Building that the points stand at")
    connector: str = Field(description="Plug that was asked for")
    status: str = Field(description="available where the cheapest point is free")
    charger_id: str = Field(description="Id of the cheapest free point, which a reservation or a session takes")
    bay: str = Field(description="Where it stands")
    power_kw: float = Field(description="Its power")
    price_per_kwh: float = Field(description="Its price of one kWh")
    currency: str = Field(description="Currency of all prices")
    count: int = Field(description="How many free points are listed")
    chargers: list[dict[str, Any]] = Field(description="All of them, cheapest first: charger_id, power_kw, price")


def _strong(points: list[Charger], least: float) -> list[Charger]:
    strong = [point for point in points if point.power >= least]
    if not strong:
        strongest = max(point.power for point in points)
        raise Refusal(404, "NoChargePointFree", f"No free point gives {least:g} kW.", strongest_kw=strongest)
    return strong


@simulated_tool(
    category="source",
    answer=FreeChargers,
    examples=(
        {"city": "Lisbon", "connector": "ccs"},
        {"city": "Berlin", "connector": "type2"},
        {"city": "Tokyo", "connector": "chademo"},
        {"city": "New York", "connector": "ccs", "min_power_kw": 50},
        {"city": "Stockholm", "connector": "type2", "min_power_kw": 11},
    ),
    refusals=(
        ({"city": "Atlantis", "connector": "ccs"}, 404),
        ({"city": "Lisbon", "connector": "type2", "min_power_kw": 200}, 404),
        ({"city": "Lisbon", "connector": "domestic"}, 422),
    ),
    echoes=("city", "connector"),
    invariants=(
        Known("currency", "city", CURRENCY_OF),
        Known("site_name", "city", SITE_OF),
        Known("city", "site_name", {site: name for name, site in SITE_OF.items()}),
        Requires("bay", "status", "available"),
        Requires("charger_id", "status", "available"),
        Counts("count", "chargers"),
        Bounds("count", 1, 20),
        Bounds("power_kw", 3, 400),
        Formula(
            "price_per_kwh",
            ("chargers",),
            lambda points: min(point["price"] for point in points),
            "price_per_kwh is the lowest of the list",
        ),
    ),
)
def find_chargers(
    world: World,
    city: Annotated[str, Field(min_length=2, max_length=60, description="City, such as Lisbon")],
    connector: Connector,
    min_power_kw: Annotated[float, Field(ge=0, le=400, description="Least power in kW")] = 0,
) -> dict[str, Any]:
    """Find the free charge points for electric vehicles at our building in a city, the cheapest per kWh first."""
    site = site_in(city)
    points = _strong(free_chargers(world, site, connector), min_power_kw)
    best = points[0]
    return {
        "city": site.city,
        "site_name": site.name,
        "status": "available",
        "charger_id": best.id,
        "bay": best.bay,
        "power_kw": best.power,
        "price_per_kwh": best.price,
        "currency": best.currency,
        "count": len(points),
        "chargers": [{"charger_id": p.id, "power_kw": p.power, "price": p.price} for p in points],
    }


class MappedChargers(Answer):
    """The charge points on the map around a position."""

    latitude: float = Field(description="Position that was asked for, degrees north")
    longitude: float = Field(description="Position that was asked for, degrees east")
    connector: str = Field(description="Plug that was asked for")
    city: str = Field(description="City that the position lies in")
    evse_state: str = Field(description="AVAILABLE where the lowest-priced point is free")
    lowest_price_id: str = Field(description="Id of the free point with the lowest price")
    lowest_price: float = Field(description="Its price of one kWh")
    currency: str = Field(description="Currency of all prices")
    max_power_kw: float = Field(description="Its power")
    point_latitude: float = Field(description="Where it stands, degrees north")
    point_longitude: float = Field(description="Where it stands, degrees east")
    cost_of_30_kwh: float = Field(description="What 30 kWh cost there")
    status_since: str = Field(description="Since when it is free")
    refreshed_at: str = Field(description="When the map was refreshed")
    free_points: int = Field(description="How many free points there are")


def _near(name: str, connector: str) -> dict[str, Any]:
    place = CITIES[name.casefold()]
    return {"latitude": place.latitude, "longitude": place.longitude, "connector": connector}


@simulated_tool(
    category="source",
    answer=MappedChargers,
    examples=(
        _near("Lisbon", "ccs"),
        _near("Berlin", "type2"),
        _near("Tokyo", "chademo"),
        _near("Sydney", "ccs"),
        {"latitude": 48.91, "longitude": 2.29, "connector": "ccs"},
    ),
    refusals=(
        ({"latitude": 0.5, "longitude": -30.2, "connector": "ccs"}, 404),
        ({"latitude": 95, "longitude": 2.3, "connector": "ccs"}, 422),
        ({"latitude": 48.9, "longitude": 2.3, "connector": "mains"}, 422),
    ),
    echoes=("latitude", "longitude", "connector"),
    invariants=(
        Known("currency", "city", CURRENCY_OF),
        Requires("lowest_price_id", "evse_state", "AVAILABLE"),
        Requires("city", "evse_state", "AVAILABLE"),
        Formula(
            "lowest_price",
            ("cost_of_30_kwh",),
            lambda cost: cost / REFERENCE_KWH,
            "cost_of_30_kwh is 30 x lowest_price",
        ),
        Bounds("max_power_kw", 3, 400),
        Bounds("point_latitude", -90, 90),
        Bounds("point_longitude", -180, 180),
        Bounds("free_points", 1, 20),
        Ordered("status_since", "refreshed_at"),
    ),
)
def charge_point_map(
    world: World,
    latitude: Annotated[float, Field(ge=-90, le=90, description="Degrees north")],
    longitude: Annotated[float, Field(ge=-180, le=180, description="Degrees east")],
    connector: Connector,
) -> dict[str, Any]:
    """Ask the map of vehicle charge points around a pair of coordinates for the free point with the lowest price."""
    site = site_in(nearest_city(latitude, longitude).name)
    points = free_chargers(world, site, connector)
    best = points[0]
    north, east = best.position
    return {
        "city": site.city,
        "evse_state": "AVAILABLE",
        "lowest_price_id": best.id,
        "lowest_price": best.price,
        "currency": best.currency,
        "max_power_kw": best.power,
        "point_latitude": north,
        "point_longitude": east,
        "cost_of_30_kwh": round(REFERENCE_KWH * best.price, 3),
        "status_since": f"{NOW[:10]}T0{int(best.id[-2:]) % 8}:40:00",
        "refreshed_at": NOW,
        "free_points": len(points),
    }
