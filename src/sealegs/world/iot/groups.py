"""Alternative groups of the iot domain."""

from __future__ import annotations

from sealegs.tasks.pattern import Pattern, Way
from sealegs.world.iot.doors import lock_in
from sealegs.world.iot.facts import SITES, devices_in

__all__ = [
    "building_energy_cost",
    "door_access",
    "room_temperature",
    "room_temperature_fahrenheit",
    "thermostat_target",
    "thermostat_target_fahrenheit",
]


def _thermostat(city: str, room: str) -> str:
    return devices_in(SITES[city], room, "thermostat")[0].id


def _meter(city: str) -> str:
    return devices_in(SITES[city], "Plant Room", "energy_meter")[0].id


room_temperature = Pattern(
    name="room_temperature",
    purpose="What temperature in Celsius a thermostat measures now, and when it measured that.",
    inputs=("device_id",),
    exports=("celsius", "measured_at"),
    ways=(
        Way(
            "reading",
            {"latest_reading": {"device_id": "in.device_id", "quantity": "temperature"}},
            {"celsius": "latest_reading.value", "measured_at": "latest_reading.measured_at"},
        ),
        Way(
            "history",
            {"reading_history": {"device_id": "in.device_id", "quantity": "temperature", "days": 1}},
            {"celsius": "reading_history.latest_value", "measured_at": "reading_history.latest_at"},
        ),
        Way(
            "shadow",
            {"device_shadow": {"device_id": "in.device_id"}},
            {"celsius": "device_shadow.reported", "measured_at": "device_shadow.reported_at"},
        ),
    ),
    examples=(
        {"device_id": _thermostat("Lisbon", "Boardroom")},
        {"device_id": _thermostat("Tokyo", "Server Room")},
        {"device_id": _thermostat("Cape Town", "Open Office")},
        {"device_id": _thermostat("Chicago", "Reception")},
    ),
)

room_temperature_fahrenheit = Pattern(
    name="room_temperature_fahrenheit",
    purpose="What temperature in Fahrenheit a thermostat measures now.",
    inputs=("device_id",),
    exports=("fahrenheit",),
    ways=(
        Way(
            "imperial_shadow",
            {"device_shadow": {"device_id": "in.device_id", "units": "imperial"}},
            {"fahrenheit": "device_shadow.reported"},
        ),
        Way(
            "read_and_convert",
            {
                "latest_reading": {"device_id": "in.device_id", "quantity": "temperature"},
                "convert_measurement": {
                    "value": "latest_reading.value",
                    "from_unit": "celsius",
                    "to_unit": "fahrenheit",
                },
            },
            {"fahrenheit": "convert_measurement.result"},
        ),
    ),
    examples=(
        {"device_id": _thermostat("New York", "Boardroom")},
        {"device_id": _thermostat("San Francisco", "Open Office")},
        {"device_id": _thermostat("Chicago", "Server Room")},
        {"device_id": _thermostat("London", "Reception")},
    ),
)

thermostat_target = Pattern(
    name="thermostat_target",
    purpose="Set a thermostat's target in Celsius.",
    inputs=("device_id", "celsius"),
    exports=("target_celsius", "command_id"),
    ways=(
        Way(
            "thermostat",
            {"set_thermostat": {"device_id": "in.device_id", "target_celsius": "in.celsius"}},
            {"target_celsius": "set_thermostat.target_celsius", "command_id": "set_thermostat.command_id"},
        ),
        Way(
            "shadow",
            {"update_device_shadow": {"device_id": "in.device_id", "desired": "in.celsius", "unit": "celsius"}},
            {"target_celsius": "update_device_shadow.applied", "command_id": "update_device_shadow.command_id"},
        ),
    ),
    examples=(
        {"device_id": _thermostat("Paris", "Boardroom"), "celsius": 21},
        {"device_id": _thermostat("Stockholm", "Open Office"), "celsius": 19.5},
        {"device_id": _thermostat("Dubai", "Server Room"), "celsius": 18.25},
        {"device_id": _thermostat("Sydney", "Reception"), "celsius": 23.4},
    ),
)

thermostat_target_fahrenheit = Pattern(
    name="thermostat_target_fahrenheit",
    purpose="Set a thermostat's target that is given in Fahrenheit.",
    inputs=("device_id", "fahrenheit"),
    exports=("target_celsius", "command_id"),
    ways=(
        Way(
            "convert_and_set",
            {
                "convert_measurement": {"value": "in.fahrenheit", "from_unit": "fahrenheit", "to_unit": "celsius"},
                "set_thermostat": {"device_id": "in.device_id", "target_celsius": "convert_measurement.result"},
            },
            {"target_celsius": "set_thermostat.target_celsius", "command_id": "set_thermostat.command_id"},
        ),
        Way(
            "read_version_and_update",
            {
                "device_shadow": {"device_id": "in.device_id"},
                "update_device_shadow": {
                    "device_id": "in.device_id",
                    "desired": "in.fahrenheit",
                    "unit": "fahrenheit",
                    "version": "device_shadow.version",
                },
            },
            {"target_celsius": "update_device_shadow.applied", "command_id": "update_device_shadow.command_id"},
        ),
    ),
    examples=(
        {"device_id": _thermostat("New York", "Boardroom"), "fahrenheit": 70},
        {"device_id": _thermostat("San Francisco", "Reception"), "fahrenheit": 68.5},
        {"device_id": _thermostat("Chicago", "Open Office"), "fahrenheit": 73},
        {"device_id": _thermostat("London", "Server Room"), "fahrenheit": 66},
    ),
)

building_energy_cost = Pattern(
    name="building_energy_cost",
    purpose="How much energy a building took over the last complete days, and what that costs at a tariff.",
    inputs=("meter_id", "days", "price_per_kwh", "currency"),
    exports=("energy_kwh", "cost", "currency"),
    ways=(
        Way(
            "count_and_price",
            {
                "meter_consumption": {"meter_id": "in.meter_id", "days": "in.days"},
                "energy_cost": {
                    "energy_kwh": "meter_consumption.total_kwh",
                    "price_per_kwh": "in.price_per_kwh",
                    "currency": "in.currency",
                },
            },
            {"energy_kwh": "energy_cost.energy_kwh", "cost": "energy_cost.cost", "currency": "energy_cost.currency"},
        ),
        Way(
            "mean_load",
            {
                "reading_history": {"device_id": "in.meter_id", "quantity": "power", "days": "in.days"},
                "running_cost": {
                    "power_kw": "reading_history.mean",
                    "hours": "reading_history.hours",
                    "price_per_kwh": "in.price_per_kwh",
                    "currency": "in.currency",
                },
            },
            {"energy_kwh": "running_cost.energy_kwh", "cost": "running_cost.cost", "currency": "running_cost.currency"},
        ),
    ),
    examples=(
        {"meter_id": _meter("Lisbon"), "days": 7, "price_per_kwh": 0.21, "currency": "EUR"},
        {"meter_id": _meter("Berlin"), "days": 31, "price_per_kwh": 0.337, "currency": "EUR"},
        {"meter_id": _meter("Tokyo"), "days": 14, "price_per_kwh": 31, "currency": "JPY"},
        {"meter_id": _meter("Toronto"), "days": 1, "price_per_kwh": 0.14, "currency": "CAD"},
        {"meter_id": _meter("Mumbai"), "days": 10, "price_per_kwh": 8.5, "currency": "INR"},
    ),
)

door_access = Pattern(
    name="door_access",
    purpose="Let a person open a door from one moment to another, and get the code for it.",
    inputs=("lock_id", "person", "starts_at", "ends_at"),
    exports=("grant_id", "access_code", "starts_at", "ends_at"),
    ways=(
        Way(
            "key_holder",
            {
                "register_key_holder": {"lock_id": "in.lock_id", "person": "in.person"},
                "grant_access_window": {
                    "holder_id": "register_key_holder.holder_id",
                    "starts_at": "in.starts_at",
                    "ends_at": "in.ends_at",
                },
            },
            {name: f"grant_access_window.{name}" for name in ("grant_id", "access_code", "starts_at", "ends_at")},
        ),
        Way(
            "visitor_pass",
            {
                "draft_visitor_pass": {
                    "lock_id": "in.lock_id",
                    "visitor": "in.person",
                    "starts_at": "in.starts_at",
                    "ends_at": "in.ends_at",
                },
                "activate_visitor_pass": {"pass_id": "draft_visitor_pass.pass_id"},
            },
            {name: f"activate_visitor_pass.{name}" for name in ("grant_id", "access_code", "starts_at", "ends_at")},
        ),
    ),
    examples=tuple(
        {"lock_id": lock_in(city, room), "person": person, "starts_at": starts_at, "ends_at": ends_at}
        for city, room, person, starts_at, ends_at in (
            ("Lisbon", "Boardroom", "Ingrid Solberg", "2026-03-04T09:00", "2026-03-04T17:00"),
            ("Berlin", "Server Room", "Jonas Weidner", "2026-03-05T18:00", "2026-03-05T22:30"),
            ("Tokyo", "Reception", "Alicia Boone", "2026-03-09T08:00", "2026-03-12T18:00"),
            ("Rome", "Plant Room", "Tomas Kralik", "2026-03-03T06:30", "2026-03-03T07:45"),
        )
    ),
)
