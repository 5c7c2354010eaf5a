"""Set points of devices: thermostats, lights and blinds.

A device has a shadow: the reported value, the desired one, and a version that counts every setting. Setting is accepted
at once and reported later, so within an episode the reported value does not change.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Formula, Known, OneOf, Ordered, Requires, Sums
from sealegs.world.iot.device_arguments import DeviceId
from sealegs.world.iot.facts import (
    PROPERTY_UNITS,
    SITES,
    Device,
    device,
    devices_in,
    latest,
    reported_at,
    setpoint_limits,
    standing_target,
    standing_version,
)
from sealegs.world.state import NOW, identifier
from sealegs.world.tool import Answer, Refusal, World, simulated_tool


def fahrenheit(celsius: float) -> float:
    """Degrees Fahrenheit to 0.01."""
    return round(celsius * 9 / 5 + 32, 2)


def _desired(world: World, thing: Device) -> tuple[float, int]:
    """The desired value of a device now, and its version."""
    state = world.state("iot.shadows").get(thing.id, {})
    return state.get("desired", standing_target(thing)), state.get("version", standing_version(thing))


def _before(world: World, thing: Device, value: float) -> tuple[float, int]:
    """The desired value and its version before the device was set to this value, which may have been done already."""
    state = world.state("iot.shadows").get(thing.id, {})
    before: tuple[float, int] = state["before"] if state.get("desired") == value else _desired(world, thing)
    return before


def _set(world: World, thing: Device, value: float) -> str:
    """Set a device: the command's id, and an effect where the value was not set in this episode already.

    Raises:
        Refusal: 400 where the value is beyond the device's limits.
    """
    low, high = setpoint_limits(thing)
    if not low <= value <= high:
        unit = PROPERTY_UNITS[thing.property]
        message = f"{thing.id} in {thing.room} takes {low:g} to {high:g} {unit}, not {value:g}."
        raise Refusal(400, "SetpointOutOfRange", message, minimum=low, maximum=high, unit=unit)
    states = world.state("iot.shadows")
    if states.get(thing.id, {}).get("desired") != value:
        before = _desired(world, thing)
        states[thing.id] = {"desired": value, "version": before[1] + 1, "before": before}
        world.effect("set", thing.id, property=thing.property, value=value)
    return identifier("CMD", thing.id, thing.property, f"{value:.1f}")


class Shadow(Answer):
    """What a device reports and what is desired of it."""

    device_id: str = Field(description="Id of the device")
    device_type: str = Field(description="Kind of device")
    property: str = Field(description="temperature, brightness or position")
    unit: str = Field(description="Unit of reported, desired and delta")
    reported: float = Field(description="What the device last reported")
    desired: float = Field(description="The set point")
    delta: float = Field(description="desired less reported")
    version: int = Field(description="Counts every setting; needed for a conditional update")
    installed_on: str = Field(description="Date of installation")
    reported_at: str = Field(description="When the device last reported, building's own time")


THERMOSTATS = tuple(
    devices_in(SITES[name], room, "thermostat")[0].id
    for name, room in (
        ("Lisbon", "Boardroom"),
        ("Berlin", "Open Office"),
        ("New York", "Reception"),
        ("Singapore", "Server Room"),
        ("Stockholm", "Boardroom"),
    )
)
LIGHT = devices_in(SITES["London"], "Reception", "light")[0].id
BLIND = devices_in(SITES["Madrid"], "Open Office", "blind")[1].id
LOCK = devices_in(SITES["Paris"], "Boardroom", "door_lock")[0].id


@simulated_tool(
    category="source",
    answer=Shadow,
    examples=(
        {"device_id": THERMOSTATS[0]},
        {"device_id": THERMOSTATS[2], "units": "imperial"},
        {"device_id": THERMOSTATS[3]},
        {"device_id": LIGHT},
        {"device_id": BLIND},
    ),
    refusals=(
        ({"device_id": "THM-LIS-0000"}, 404),
        ({"device_id": LOCK}, 400),
        ({"device_id": THERMOSTATS[0], "units": "nautical"}, 422),
    ),
    echoes=("device_id",),
    invariants=(
        Known("property", "device_type", {"thermostat": "temperature", "light": "brightness", "blind": "position"}),
        OneOf("unit", ("celsius", "fahrenheit", "percent"), ("kelvin", "lux", "bar")),
        Sums("desired", ("reported", "delta")),
        Bounds("reported", 0, 110),
        Bounds("version", 1, 100_000),
        Ordered("installed_on", "reported_at"),
    ),
)
def device_shadow(
    world: World,
    device_id: DeviceId,
    units: Annotated[Literal["metric", "imperial"], Field(description="imperial gives temperatures in Fahrenheit")] = (
        "metric"
    ),
) -> dict[str, Any]:
    """Read a settable device's shadow: its reported and desired state (temperature, brightness, position) and version.

    Thermostats, lights and blinds have one.
    """
    thing = device(device_id)
    kind = thing.property
    desired, version = _desired(world, thing)
    reported = latest(thing, "temperature") if kind == "temperature" else standing_target(thing)
    unit = PROPERTY_UNITS[kind]
    if units == "imperial" and unit == "celsius":
        reported, desired, unit = fahrenheit(reported), fahrenheit(desired), "fahrenheit"
    return {
        "device_id": thing.id,
        "device_type": thing.type,
        "property": kind,
        "unit": unit,
        "reported": reported,
        "desired": desired,
        "delta": round(desired - reported, 2),
        "version": version,
        "installed_on": thing.installed,
        "reported_at": reported_at(thing),
    }


class Thermostat(Answer):
    """A thermostat's new target."""

    device_id: str = Field(description="Id of the thermostat")
    room: str = Field(description="Room that it governs")
    status: str = Field(description="accepted")
    command_id: str = Field(description="Id of the command")
    target_celsius: float = Field(description="The new target")
    target_fahrenheit: float = Field(description="The new target in Fahrenheit")
    previous_celsius: float = Field(description="The target before")
    change: float = Field(description="How many degrees Celsius the target has moved")


@simulated_tool(
    category="action",
    repeat="no_effect",
    shown_by="setting_history",
    answer=Thermostat,
    examples=(
        {"device_id": THERMOSTATS[0], "target_celsius": 21.5},
        {"device_id": THERMOSTATS[1], "target_celsius": 19},
        {"device_id": THERMOSTATS[2], "target_celsius": 23.4},
        {"device_id": THERMOSTATS[3], "target_celsius": 18},
    ),
    refusals=(
        ({"device_id": "THM-LIS-0000", "target_celsius": 21}, 404),
        ({"device_id": LIGHT, "target_celsius": 21}, 400),
        ({"device_id": THERMOSTATS[3], "target_celsius": 27}, 400),
        ({"device_id": THERMOSTATS[0], "target_celsius": 68}, 422),
    ),
    echoes=("device_id", "target_celsius"),
    invariants=(
        Bounds("target_celsius", 5, 35),
        Sums("target_celsius", ("previous_celsius", "change")),
        Formula("target_fahrenheit", ("target_celsius",), fahrenheit, "target_fahrenheit is target_celsius x 1.8 + 32"),
        Requires("command_id", "status", "accepted"),
    ),
)
def set_thermostat(
    world: World,
    device_id: DeviceId,
    target_celsius: Annotated[float, Field(ge=5, le=35, description="Target in Celsius, kept to 0.1 degrees")],
) -> dict[str, Any]:
    """Set the target temperature of one thermostat, in degrees Celsius, and learn what the target was before."""
    thing = device(device_id, "thermostat")
    target = round(target_celsius, 1)
    previous, _ = _before(world, thing, target)
    command = _set(world, thing, target)
    return {
        "device_id": thing.id,
        "room": thing.room,
        "status": "accepted",
        "command_id": command,
        "target_celsius": target,
        "target_fahrenheit": fahrenheit(target),
        "previous_celsius": previous,
        "change": round(target - previous, 1),
    }


class UpdatedShadow(Answer):
    """A shadow that has been updated."""

    device_id: str = Field(description="Id of the device")
    property: str = Field(description="temperature, brightness or position")
    desired: float = Field(description="The value that was asked for")
    unit: str = Field(description="Its unit")
    applied: float = Field(description="The value as the device keeps it, in its own unit, to 0.1")
    applied_unit: str = Field(description="celsius or percent")
    status: str = Field(description="accepted")
    command_id: str = Field(description="Id of the command")
    previous_version: int = Field(description="Version before the update")
    version: int = Field(description="Version after the update")
    accepted_at: str = Field(description="When it was accepted")


def _own_unit(desired: float, unit: str) -> float:
    return round((desired - 32) / 1.8 if unit == "fahrenheit" else desired, 1) + 0.0


@simulated_tool(
    category="action",
    repeat="no_effect",
    shown_by="setting_history",
    answer=UpdatedShadow,
    examples=(
        {"device_id": THERMOSTATS[0], "desired": 21.5, "unit": "celsius"},
        {"device_id": THERMOSTATS[2], "desired": 68, "unit": "fahrenheit"},
        {"device_id": LIGHT, "desired": 40, "unit": "percent"},
        {"device_id": BLIND, "desired": 0, "unit": "percent"},
        {"device_id": THERMOSTATS[4], "desired": 20, "unit": "celsius"},
    ),
    refusals=(
        ({"device_id": "LGT-LIS-0000", "desired": 40, "unit": "percent"}, 404),
        ({"device_id": LIGHT, "desired": 21, "unit": "celsius"}, 400),
        ({"device_id": LIGHT, "desired": 140, "unit": "percent"}, 400),
        ({"device_id": THERMOSTATS[0], "desired": 21, "unit": "celsius", "version": 7}, 409),
    ),
    echoes=("device_id", "desired", "unit"),
    invariants=(
        Bounds("applied", 0, 100),
        Formula("applied", ("desired", "unit"), _own_unit, "applied is desired in the device's own unit"),
        Known("applied_unit", "property", PROPERTY_UNITS),
        Formula("version", ("previous_version",), lambda before: before + 1, "version is previous_version + 1"),
        Requires("command_id", "status", "accepted"),
    ),
)
def update_device_shadow(
    world: World,
    device_id: DeviceId,
    desired: Annotated[float, Field(ge=-50, le=200, description="Desired value of the device's one settable property")],
    unit: Annotated[Literal["celsius", "fahrenheit", "percent"], Field(description="Unit of desired")],
    version: Annotated[
        int | None, Field(ge=1, description="Update only where the shadow still has this version; leave out to force")
    ] = None,
) -> dict[str, Any]:
    """Write a device's desired state: the temperature of a thermostat, a light's brightness, a blind's position.

    With a version, the update is refused where somebody has set the device since.
    """
    thing = device(device_id)
    own = PROPERTY_UNITS[thing.property]
    if (unit == "percent") != (own == "percent"):
        raise Refusal(400, "WrongUnit", f"{thing.property} is not set in {unit}.", unit=own)
    applied = _own_unit(desired, unit)
    _, before = _before(world, thing, applied)
    _, now = _desired(world, thing)
    if version not in (None, before, now):
        raise Refusal(409, "VersionConflict", f"The shadow has version {now}, not {version}.", version=now)
    return {
        "device_id": thing.id,
        "property": thing.property,
        "applied": applied,
        "applied_unit": own,
        "status": "accepted",
        "command_id": _set(world, thing, applied),
        "previous_version": before,
        "version": before + 1,
        "accepted_at": NOW,
    }
