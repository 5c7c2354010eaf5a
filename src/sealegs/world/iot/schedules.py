"""Settings ahead of time: presets that are scheduled, and automation rules with a cron expression."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from sealegs.faults.invariants import Bounds, Formula, Known, OneOf, Ordered, Requires
from sealegs.world.iot.device_arguments import DeviceId
from sealegs.world.iot.device_arguments import moment_argument as read_moment
from sealegs.world.iot.facts import PROPERTY_UNITS, SITES, device, devices_in
from sealegs.world.iot.schedule_facts import PRESETS, in_reach, next_firing, preset, save_preset, schedule
from sealegs.world.state import NOW
from sealegs.world.tool import Answer, World, simulated_tool

Value = Annotated[
    float, Field(ge=0, le=100, description="Celsius for a thermostat, per cent for a light or blind, kept to 0.1")
]
At = Annotated[
    str,
    Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d$", description="Building's own time, such as 2026-03-04T06:30"),
]
THERMOSTATS = tuple(
    devices_in(SITES[city], room, "thermostat")[0].id
    for city, room in (("Lisbon", "Boardroom"), ("London", "Open Office"), ("Paris", "Reception"))
)
LIGHT = devices_in(SITES["Rome"], "Open Office", "light")[0].id
BLIND = devices_in(SITES["Madrid"], "Boardroom", "blind")[0].id
LOCK = devices_in(SITES["Lisbon"], "Boardroom", "door_lock")[0].id
NO_UNITS = ("fahrenheit", "lux", "kelvin")


class SavedPreset(Answer):
    """A preset of a device."""

    preset_id: str = Field(description="Id of the preset, which its schedule takes")
    device_id: str = Field(description="Id of the device")
    property: str = Field(description="temperature, brightness or position")
    value: float = Field(description="Value that the device is to take")
    unit: str = Field(description="Unit of the value")
    status: str = Field(description="saved")


@simulated_tool(
    category="action",
    repeat="no_effect",
    shown_by="setting_history",
    answer=SavedPreset,
    examples=(
        {"device_id": THERMOSTATS[0], "value": 21.5},
        {"device_id": THERMOSTATS[1], "value": 18},
        {"device_id": LIGHT, "value": 40},
        {"device_id": BLIND, "value": 100},
    ),
    refusals=(
        ({"device_id": "THM-LIS-0000", "value": 21}, 404),
        ({"device_id": LOCK, "value": 21}, 400),
        ({"device_id": THERMOSTATS[0], "value": 45}, 400),
        ({"device_id": THERMOSTATS[0], "value": 300}, 422),
    ),
    echoes=("device_id", "value"),
    invariants=(
        Requires("preset_id", "status", "saved"),
        Known("unit", "property", PROPERTY_UNITS),
        Bounds("value", 0, 100),
    ),
)
def save_device_preset(world: World, device_id: DeviceId, value: Value) -> dict[str, Any]:
    """Save a value as a preset of a thermostat, light or blind. Nothing changes until the preset is scheduled."""
    thing = device(device_id)
    saved = save_preset(world, thing, round(value, 1))
    return {
        "preset_id": saved.id,
        "device_id": thing.id,
        "property": thing.property,
        "value": saved.value,
        "unit": PROPERTY_UNITS[thing.property],
        "status": "saved",
    }


class ScheduledPreset(Answer):
    """A preset that will be applied."""

    schedule_id: str = Field(description="Id of the schedule")
    preset_id: str = Field(description="Id of the preset")
    device_id: str = Field(description="Id of the device")
    room: str = Field(description="Room of the device")
    value: float = Field(description="Value that the device will take")
    unit: str = Field(description="Unit of the value")
    created_at: str = Field(description="When this was scheduled")
    at: str = Field(description="When the preset is applied, building's own time")
    status: str = Field(description="scheduled")


KEPT = tuple(PRESETS)


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="setting_history",
    answer=ScheduledPreset,
    examples=(
        {"preset_id": KEPT[0], "at": "2026-03-04T06:30"},
        {"preset_id": KEPT[1], "at": "2026-03-05T07:45"},
        {"preset_id": KEPT[2], "at": "2026-03-02T14:00"},
        {"preset_id": KEPT[3], "at": "2026-03-09T05:15"},
    ),
    refusals=(
        ({"preset_id": "PRE-00000000", "at": "2026-03-04T06:30"}, 404),
        ({"preset_id": KEPT[0], "at": "2026-03-01T06:30"}, 400),
        ({"preset_id": KEPT[0], "at": "2026-02-31T06:30"}, 400),
        ({"preset_id": KEPT[0], "at": "tomorrow"}, 422),
    ),
    echoes=("preset_id", "at"),
    invariants=(
        Requires("schedule_id", "status", "scheduled"),
        Requires("device_id", "status", "scheduled"),
        Requires("room", "status", "scheduled"),
        OneOf("unit", ("celsius", "percent"), NO_UNITS),
        Bounds("value", 0, 100),
        Ordered("created_at", "at"),
    ),
)
def schedule_preset(
    world: World,
    preset_id: Annotated[str, Field(pattern=r"^PRE-[0-9A-F]{8}$", description="Id of a saved preset")],
    at: At,
) -> dict[str, Any]:
    """Schedule a saved preset: once, at the moment given, the building's controller applies it to its device."""
    wanted = preset(world, preset_id)
    read_moment(at)
    thing = device(wanted.device)
    return {
        "schedule_id": schedule(world, wanted, at),
        "preset_id": wanted.id,
        "device_id": thing.id,
        "room": thing.room,
        "value": wanted.value,
        "unit": PROPERTY_UNITS[thing.property],
        "created_at": NOW[:16],
        "status": "scheduled",
    }


class Cron(Answer):
    """A moment as a cron expression."""

    moment: str = Field(description="The moment that was given")
    cron: str = Field(description="Minute, hour, day of the month, month, any weekday")
    minute: int = Field(description="Minute")
    hour: int = Field(description="Hour")
    day: int = Field(description="Day of the month")
    month: int = Field(description="Month")
    status: str = Field(description="valid")


def _cron(minute: int, hour: int, day: int, month: int) -> str:
    return f"{minute} {hour} {day} {month} *"


@simulated_tool(
    category="processor",
    answer=Cron,
    examples=tuple({"moment": text} for text in ("2026-03-04T06:30", "2026-12-24T18:05", "2026-07-01T00:00")),
    refusals=(({"moment": "2026-02-31T06:30"}, 400), ({"moment": "half past six"}, 422)),
    echoes=("moment",),
    invariants=(
        Requires("cron", "status", "valid"),
        Formula("cron", ("minute", "hour", "day", "month"), _cron, "cron is minute, hour, day, month"),
        Bounds("minute", 0, 59),
        Bounds("hour", 0, 23),
        Bounds("day", 1, 31),
        Bounds("month", 1, 12),
    ),
)
def cron_expression(
    world: World,
    moment: Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d$", description="Such as 2026-03-04T06:30")],
) -> dict[str, Any]:
    """Write a moment as the five-field cron expression that automation rules take, and give its fields one by one."""
    at = read_moment(moment)
    return {
        "cron": _cron(at.minute, at.hour, at.day, at.month),
        "minute": at.minute,
        "hour": at.hour,
        "day": at.day,
        "month": at.month,
        "status": "valid",
    }


class AutomationRule(Answer):
    """An automation rule that runs once."""

    schedule_id: str = Field(description="Id of the schedule behind the rule")
    device_id: str = Field(description="Id of the device")
    cron: str = Field(description="Cron expression of the rule")
    value: float = Field(description="Value that the device will take")
    unit: str = Field(description="Unit of the value")
    state: str = Field(description="armed")
    armed_at: str = Field(description="When the rule was armed")
    next_run_at: str = Field(description="When it runs, building's own time")


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="setting_history",
    parts=2,
    answer=AutomationRule,
    examples=(
        {"device_id": THERMOSTATS[0], "cron": "30 6 4 3 *", "value": 21.5},
        {"device_id": THERMOSTATS[2], "cron": "0 5 9 3 *", "value": 17.5},
        {"device_id": LIGHT, "cron": "45 7 * * *", "value": 40},
        {"device_id": BLIND, "cron": "0 14 2 * *", "value": 0},
    ),
    refusals=(
        ({"device_id": "THM-LIS-0000", "cron": "30 6 4 3 *", "value": 21}, 404),
        ({"device_id": LOCK, "cron": "30 6 4 3 *", "value": 21}, 400),
        ({"device_id": THERMOSTATS[0], "cron": "30 6 31 2 *", "value": 21}, 400),
        ({"device_id": THERMOSTATS[0], "cron": "every morning", "value": 21}, 422),
    ),
    echoes=("device_id", "cron", "value"),
    invariants=(
        Requires("schedule_id", "state", "armed"),
        OneOf("unit", ("celsius", "percent"), NO_UNITS),
        Bounds("value", 0, 100),
        Ordered("armed_at", "next_run_at"),
    ),
)
def create_automation_rule(
    world: World,
    device_id: DeviceId,
    cron: Annotated[
        str,
        Field(
            pattern=r"^\d{1,2} \d{1,2} (\d{1,2}|\*) (\d{1,2}|\*) \*$",
            description="When, as minute, hour, day, month and *, such as 30 6 4 3 *",
        ),
    ],
    value: Value,
) -> dict[str, Any]:
    """Arm a rule that sets a thermostat, light or blind once, at the next moment that a cron expression names."""
    thing = device(device_id)
    at = next_firing(cron)
    in_reach(at)
    wanted = save_preset(world, thing, round(value, 1))
    return {
        "schedule_id": schedule(world, wanted, at),
        "device_id": thing.id,
        "value": wanted.value,
        "unit": PROPERTY_UNITS[thing.property],
        "state": "armed",
        "armed_at": NOW[:16],
        "next_run_at": at,
    }
