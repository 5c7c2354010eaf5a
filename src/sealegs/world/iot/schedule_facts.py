"""Settings that a building's controller will make by itself: presets, and the moments at which they are applied.

Two interfaces share them: presets are saved and then scheduled; an automation rule names value and moment at once, and
saves the preset that it needs. Both end in the same schedule. Each runs once. Times are the building's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from sealegs.world.iot.device_arguments import moment_argument
from sealegs.world.iot.facts import PROPERTY_UNITS, SITES, Device, devices_in, setpoint_limits
from sealegs.world.state import NOW, identifier
from sealegs.world.tool import Refusal, World

HORIZON_DAYS = 300


@dataclass(frozen=True, slots=True)
class Preset:
    """A value that a device is to take when the preset is applied."""

    id: str
    device: str
    value: float


def _preset(thing: str, value: float) -> Preset:
    return Preset(identifier("PRE", thing, f"{value:.1f}"), thing, value)


def _standing(city: str, room: str, type: str, value: float) -> Preset:
    return _preset(devices_in(SITES[city], room, type)[0].id, value)


PRESETS = {
    preset.id: preset
    for preset in (
        _standing("Lisbon", "Boardroom", "thermostat", 20.5),
        _standing("Berlin", "Open Office", "light", 60.0),
        _standing("Tokyo", "Boardroom", "blind", 0.0),
        _standing("New York", "Reception", "thermostat", 19.0),
        _standing("Zurich", "Open Office", "thermostat", 22.0),
        _standing("Sydney", "Reception", "light", 35.0),
    )
}


def save_preset(world: World, thing: Device, value: float) -> Preset:
    """Keep a value as a preset of a device, with an effect where there is none of that value.

    Raises:
        Refusal: 400 where the device cannot be set, or not to that value.
    """
    unit = PROPERTY_UNITS[thing.property]
    low, high = setpoint_limits(thing)
    if not low <= value <= high:
        message = f"{thing.id} in {thing.room} takes {low:g} to {high:g} {unit}, not {value:g}."
        raise Refusal(400, "SetpointOutOfRange", message, minimum=low, maximum=high, unit=unit)
    preset = _preset(thing.id, value)
    saved = world.state("iot.presets")
    if preset.id not in PRESETS and preset.id not in saved:
        saved[preset.id] = preset
        world.effect("save_preset", thing.id, property=thing.property, value=value)
    return preset


def preset(world: World, id: str) -> Preset:
    """The preset of this id.

    Raises:
        Refusal: 404 where there is none.
    """
    found: Preset | None = {**PRESETS, **world.state("iot.presets")}.get(id)
    if found is None:
        raise Refusal(404, "PresetNotFound", f"No preset has the id {id!r}.")
    return found


def in_reach(at: str) -> None:
    """Refuse a moment for which the controller takes no schedules.

    Raises:
        Refusal: 400 where the moment has passed or is too far ahead.
    """
    if at <= NOW[:16]:
        raise Refusal(400, "MomentPassed", f"{at} is not after {NOW[:16]}.")
    if moment_argument(at) > datetime.fromisoformat(NOW) + timedelta(days=HORIZON_DAYS):
        raise Refusal(400, "TooFarAhead", f"{at} is more than {HORIZON_DAYS} days ahead.")


def schedule(world: World, wanted: Preset, at: str) -> str:
    """Have a preset applied once at a moment (`2026-03-04T06:30`); the schedule's id.

    Raises:
        Refusal: 400 where the moment has passed or is too far ahead, 409 where that is scheduled already.
    """
    in_reach(at)
    id = identifier("SCH", wanted.device, f"{wanted.value:.1f}", at)
    schedules = world.state("iot.schedules")
    if id in schedules:
        raise Refusal(409, "ScheduleExists", f"{wanted.device} is scheduled so already.", schedule_id=id)
    schedules[id] = at
    world.effect("schedule_setting", wanted.device, value=wanted.value, at=at)
    return id


def next_firing(cron: str) -> str:
    """The next moment that `MINUTE HOUR DAY MONTH *` names; DAY and MONTH may be `*`.

    Raises:
        Refusal: 400 where no moment of the coming year is named.
    """
    minute, hour, day, month, _ = cron.split()
    if int(minute) > 59 or int(hour) > 23:
        raise Refusal(400, "BadCron", f"{cron!r} names no time of a day.")
    today = date.fromisoformat(NOW[:10])
    for ahead in range(367):
        on = today + timedelta(days=ahead)
        at = f"{on.isoformat()}T{int(hour):02d}:{int(minute):02d}"
        if at > NOW[:16] and _names(day, on.day) and _names(month, on.month):
            return at
    raise Refusal(400, "CronNeverFires", f"{cron!r} names no moment of the coming year.")


def _names(field: str, number: int) -> bool:
    return field == "*" or int(field) == number
