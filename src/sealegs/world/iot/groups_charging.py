"""Alternative groups of the iot domain around vehicles: where they are, where they can charge, and charging them."""

from __future__ import annotations

from sealegs.tasks.pattern import Pattern, Way
from sealegs.world.general.facts import CITIES

__all__ = ["asset_position", "charge_in_city", "charger_near_asset", "cheapest_charger", "vehicle_charge"]


def _at(city: str) -> dict[str, object]:
    place = CITIES[city.casefold()]
    return {"city": city, "latitude": place.latitude, "longitude": place.longitude}


BY_CITY = {"city": "in.city", "connector": "in.connector"}
BY_POINT = {"latitude": "in.latitude", "longitude": "in.longitude", "connector": "in.connector"}
FOUND = {name: f"find_chargers.{name}" for name in ("charger_id", "price_per_kwh", "currency")}
MAPPED = {
    "charger_id": "charge_point_map.lowest_price_id",
    "price_per_kwh": "charge_point_map.lowest_price",
    "currency": "charge_point_map.currency",
}
SESSION = ("session_id", "cost", "currency", "ends_at")

cheapest_charger = Pattern(
    name="cheapest_charger",
    purpose="Find the cheapest free charge point for a vehicle's plug in a city.",
    inputs=("city", "latitude", "longitude", "connector"),
    exports=("charger_id", "price_per_kwh", "currency"),
    ways=(
        Way("by_city", {"find_chargers": BY_CITY}, FOUND),
        Way("by_point", {"charge_point_map": BY_POINT}, MAPPED),
    ),
    examples=(
        {**_at("Lisbon"), "connector": "ccs"},
        {**_at("Berlin"), "connector": "type2"},
        {**_at("Tokyo"), "connector": "chademo"},
        {**_at("Mexico City"), "connector": "ccs"},
        {**_at("Seoul"), "connector": "type2"},
    ),
)

vehicle_charge = Pattern(
    name="vehicle_charge",
    purpose="Have a vehicle charge some energy at a given charge point now.",
    inputs=("charger_id", "plate", "energy_kwh"),
    exports=SESSION,
    ways=(
        Way(
            "at_once",
            {"start_charging": {name: f"in.{name}" for name in ("charger_id", "plate", "energy_kwh")}},
            {name: f"start_charging.{name}" for name in SESSION},
        ),
        Way(
            "reserve_first",
            {
                "reserve_charger": {"charger_id": "in.charger_id", "plate": "in.plate"},
                "start_reserved_charging": {
                    "reservation_id": "reserve_charger.reservation_id",
                    "energy_kwh": "in.energy_kwh",
                },
            },
            {name: f"start_reserved_charging.{name}" for name in SESSION},
        ),
    ),
    examples=(
        {"charger_id": "EVC-LIS-03", "plate": "42-XT-18", "energy_kwh": 28},
        {"charger_id": "EVC-VIE-01", "plate": "W-4471 FH", "energy_kwh": 12.5},
        {"charger_id": "EVC-TYO-06", "plate": "SN 30-24", "energy_kwh": 40},
        {"charger_id": "EVC-TYO-01", "plate": "SN 81-02", "energy_kwh": 9.75},
    ),
)

charge_in_city = Pattern(
    name="charge_in_city",
    purpose="Have a vehicle charge some energy at the cheapest free charge point in a city.",
    inputs=("city", "latitude", "longitude", "connector", "plate", "energy_kwh"),
    exports=("charger_id", *SESSION),
    ways=(
        Way(
            "find_and_start",
            {
                "find_chargers": BY_CITY,
                "start_charging": {
                    "charger_id": "find_chargers.charger_id",
                    "plate": "in.plate",
                    "energy_kwh": "in.energy_kwh",
                },
            },
            {name: f"start_charging.{name}" for name in ("charger_id", *SESSION)},
        ),
        Way(
            "map_and_reserve",
            {
                "charge_point_map": BY_POINT,
                "reserve_charger": {"charger_id": "charge_point_map.lowest_price_id", "plate": "in.plate"},
                "start_reserved_charging": {
                    "reservation_id": "reserve_charger.reservation_id",
                    "energy_kwh": "in.energy_kwh",
                },
            },
            {name: f"start_reserved_charging.{name}" for name in ("charger_id", *SESSION)},
        ),
    ),
    examples=(
        {**_at("Madrid"), "connector": "ccs", "plate": "4471 KLD", "energy_kwh": 33},
        {**_at("Paris"), "connector": "type2", "plate": "GK-318-RB", "energy_kwh": 17.5},
        {**_at("Toronto"), "connector": "chademo", "plate": "CWXT 204", "energy_kwh": 24},
        {**_at("Seoul"), "connector": "ccs", "plate": "318 5527", "energy_kwh": 45},
    ),
)

asset_position = Pattern(
    name="asset_position",
    purpose="Find the city and the coordinates of a tracked vehicle or piece of equipment, and when it was seen there.",
    inputs=("tracker_id",),
    exports=("city", "latitude", "longitude", "seen_at"),
    ways=(
        Way(
            "fix",
            {"locate_asset": {"tracker_id": "in.tracker_id"}},
            {name: f"locate_asset.{name}" for name in ("city", "latitude", "longitude", "seen_at")},
        ),
        Way(
            "trail",
            {"asset_trail": {"tracker_id": "in.tracker_id"}},
            {
                "city": "asset_trail.last_city",
                "latitude": "asset_trail.last_latitude",
                "longitude": "asset_trail.last_longitude",
                "seen_at": "asset_trail.last_at",
            },
        ),
    ),
    examples=tuple({"tracker_id": id} for id in ("TRK-1042", "TRK-1078", "TRK-2031", "TRK-2073", "TRK-1124")),
)

charger_near_asset = Pattern(
    name="charger_near_asset",
    purpose="Find the cheapest free charge point in the city where a tracked vehicle is.",
    inputs=("tracker_id", "connector"),
    exports=("charger_id", "price_per_kwh", "currency"),
    ways=(
        Way(
            "by_city",
            {
                "locate_asset": {"tracker_id": "in.tracker_id"},
                "find_chargers": {"city": "locate_asset.city", "connector": "in.connector"},
            },
            FOUND,
        ),
        Way(
            "by_point",
            {
                "asset_trail": {"tracker_id": "in.tracker_id"},
                "charge_point_map": {
                    "latitude": "asset_trail.last_latitude",
                    "longitude": "asset_trail.last_longitude",
                    "connector": "in.connector",
                },
            },
            MAPPED,
        ),
    ),
    examples=(
        {"tracker_id": "TRK-1042", "connector": "ccs"},
        {"tracker_id": "TRK-1043", "connector": "type2"},
        {"tracker_id": "TRK-1080", "connector": "chademo"},
        {"tracker_id": "TRK-1101", "connector": "ccs"},
    ),
)
