"""Repairs of devices."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Formula, Known, Ordered, Requires
from sealegs.world.iot.device_arguments import DeviceId
from sealegs.world.iot.facts import SITES, device, devices_in
from sealegs.world.state import NOW, identifier
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

TRADES = {
    "no_power": "electrician",
    "offline": "network technician",
    "reading_drift": "controls technician",
    "stuck": "mechanic",
    "noisy": "mechanic",
    "damaged": "general repairs",
    "battery_low": "caretaker",
}
RESPONSE_HOURS = {"urgent": 4, "high": 24, "normal": 72, "low": 240}


def _due(opened_at: str, hours: int) -> str:
    return (datetime.fromisoformat(opened_at) + timedelta(hours=hours)).isoformat()


class WorkOrder(Answer):
    """A work order for a device."""

    work_order_id: str = Field(description="Id of the work order")
    device_id: str = Field(description="Device to repair")
    city: str = Field(description="City of the building")
    site_name: str = Field(description="Name of the building")
    room: str = Field(description="Room that the device is in")
    fault: str = Field(description="What is wrong")
    trade: str = Field(description="Who will come")
    priority: str = Field(description="Priority")
    response_hours: int = Field(description="Hours until somebody has come, at that priority")
    opened_at: str = Field(description="When the order was opened")
    due_at: str = Field(description="By when somebody will have come")
    status: str = Field(description="open")


_DEVICES = tuple(
    devices_in(SITES[name], room, type)[0].id
    for name, room, type in (
        ("Lisbon", "Boardroom", "thermostat"),
        ("Berlin", "Plant Room", "energy_meter"),
        ("New York", "Reception", "door_lock"),
        ("Mumbai", "Server Room", "climate_sensor"),
        ("Seoul", "Open Office", "blind"),
    )
)


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="maintenance_history",
    answer=WorkOrder,
    examples=(
        {"device_id": _DEVICES[0], "fault": "reading_drift"},
        {"device_id": _DEVICES[1], "fault": "offline", "priority": "urgent"},
        {"device_id": _DEVICES[2], "fault": "battery_low", "priority": "low"},
        {"device_id": _DEVICES[3], "fault": "no_power", "priority": "high"},
        {"device_id": _DEVICES[4], "fault": "stuck", "priority": "normal"},
    ),
    refusals=(
        ({"device_id": "BLD-SEL-0000", "fault": "stuck"}, 404),
        ({"device_id": _DEVICES[0], "fault": "haunted"}, 422),
        ({"device_id": _DEVICES[0], "fault": "noisy", "priority": "whenever"}, 422),
    ),
    echoes=("device_id", "fault", "priority"),
    invariants=(
        Known("trade", "fault", TRADES),
        Known("site_name", "city", {name: site.name for name, site in SITES.items()}),
        Known("city", "site_name", {site.name: name for name, site in SITES.items()}),
        Known("response_hours", "priority", RESPONSE_HOURS),
        Formula("due_at", ("opened_at", "response_hours"), _due, "due_at is response_hours after opened_at"),
        Bounds("response_hours", 1, 240),
        Ordered("opened_at", "due_at"),
        Requires("work_order_id", "status", "open"),
    ),
)
def open_work_order(
    world: World,
    device_id: DeviceId,
    fault: Annotated[
        Literal["no_power", "offline", "reading_drift", "stuck", "noisy", "damaged", "battery_low"],
        Field(description="What is wrong with the device"),
    ],
    priority: Annotated[
        Literal["low", "normal", "high", "urgent"], Field(description="How soon: 240, 72, 24 or 4 hours")
    ] = "normal",
) -> dict[str, Any]:
    """Ask facility management to repair a device: opens a work order and tells which trade comes, and by when."""
    thing = device(device_id)
    id = identifier("WO", thing.id, fault)
    orders = world.state("iot.work_orders")
    if id in orders:
        raise Refusal(409, "WorkOrderExists", f"{id} is open for this fault of {thing.id}.", work_order_id=id)
    orders[id] = priority
    world.effect("request_repair", thing.id, fault=fault, priority=priority)
    hours = RESPONSE_HOURS[priority]
    return {
        "work_order_id": id,
        "device_id": thing.id,
        "city": thing.site.city,
        "site_name": thing.site.name,
        "room": thing.room,
        "trade": TRADES[fault],
        "response_hours": hours,
        "opened_at": NOW,
        "due_at": _due(NOW, hours),
        "status": "open",
    }
