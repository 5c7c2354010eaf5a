"""The device registry."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from sealegs.faults.invariants import Bounds, Counts, Known, Requires
from sealegs.world.iot.device_arguments import DeviceType
from sealegs.world.iot.facts import MODELS, ROOMS, SITES, devices_in, room_of, site_in
from sealegs.world.tool import Answer, World, simulated_tool


class FoundDevices(Answer):
    """Devices of one type in one room."""

    city: str = Field(description="City of the building")
    site_id: str = Field(description="Id of the building")
    site_name: str = Field(description="Name of the building")
    room: str = Field(description="Name of the room")
    floor: int = Field(description="Floor of the room; 0 is the ground floor")
    device_type: str = Field(description="Kind of device that was asked for")
    model: str = Field(description="Model of these devices")
    connection: str = Field(description="online where the first device answers")
    device_id: str = Field(description="Id of the first device found, which other tools take")
    count: int = Field(description="How many devices were found")
    devices: list[dict[str, Any]] = Field(description="All of them: device_id, zone, installed_on")


@simulated_tool(
    category="source",
    answer=FoundDevices,
    examples=(
        {"city": "Lisbon", "room": "Boardroom", "device_type": "thermostat"},
        {"city": "Berlin", "room": "Plant Room", "device_type": "energy_meter"},
        {"city": "New York", "room": "Reception", "device_type": "door_lock"},
        {"city": "Singapore", "room": "Open Office", "device_type": "blind"},
        {"city": "Mumbai", "room": "Server Room", "device_type": "climate_sensor"},
        {"city": "London", "room": "Reception", "device_type": "light"},
    ),
    refusals=(
        ({"city": "Atlantis", "room": "Boardroom", "device_type": "light"}, 404),
        ({"city": "Lisbon", "room": "Ballroom", "device_type": "light"}, 404),
        ({"city": "Lisbon", "room": "Boardroom", "device_type": "energy_meter"}, 404),
        ({"city": "Lisbon", "room": "Boardroom", "device_type": "toaster"}, 422),
    ),
    echoes=("city", "room", "device_type"),
    invariants=(
        Known("site_id", "city", {name: site.id for name, site in SITES.items()}),
        Known("site_name", "city", {name: site.name for name, site in SITES.items()}),
        Known("model", "device_type", MODELS),
        Known("floor", "room", {room: floor for room, (floor, _, _) in ROOMS.items()}),
        Requires("device_id", "connection", "online"),
        Counts("count", "devices"),
        Bounds("count", 1, 40),
    ),
)
def find_devices(
    world: World,
    city: Annotated[str, Field(min_length=2, max_length=60, description="City of the building, such as Lisbon")],
    room: Annotated[str, Field(min_length=2, max_length=60, description="Name of the room, such as Boardroom")],
    device_type: DeviceType,
) -> dict[str, Any]:
    """Find the devices of one type in a room of our building in a city, with the ids that other device tools take.

    Every building has a Reception, an Open Office, a Boardroom, a Server Room and a Plant Room, which holds the
    building's energy meter.
    """
    site = site_in(city)
    name = room_of(site, room)
    found = devices_in(site, name, device_type)
    return {
        "city": site.city,
        "site_id": site.id,
        "site_name": site.name,
        "room": name,
        "floor": ROOMS[name][0],
        "model": MODELS[device_type],
        "connection": "online",
        "device_id": found[0].id,
        "count": len(found),
        "devices": [{"device_id": d.id, "zone": d.zone, "installed_on": d.installed} for d in found],
    }
