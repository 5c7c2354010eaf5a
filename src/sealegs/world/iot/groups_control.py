"""Alternative groups of the iot domain around settings ahead of time and firmware."""

from __future__ import annotations

from sealegs.tasks.pattern import Pattern, Way
from sealegs.world.iot.facts import SITES, devices_in
from sealegs.world.iot.firmware import OUTDATED

__all__ = ["firmware_installed", "timed_setting"]


def _first(city: str, room: str, type: str) -> str:
    return devices_in(SITES[city], room, type)[0].id


timed_setting = Pattern(
    name="timed_setting",
    purpose="Have a thermostat, light or blind take a value once, at a moment to come.",
    inputs=("device_id", "value", "at"),
    exports=("schedule_id", "applied_at", "value", "unit"),
    ways=(
        Way(
            "preset",
            {
                "save_device_preset": {"device_id": "in.device_id", "value": "in.value"},
                "schedule_preset": {"preset_id": "save_device_preset.preset_id", "at": "in.at"},
            },
            {
                "schedule_id": "schedule_preset.schedule_id",
                "applied_at": "schedule_preset.at",
                "value": "schedule_preset.value",
                "unit": "schedule_preset.unit",
            },
        ),
        Way(
            "rule",
            {
                "cron_expression": {"moment": "in.at"},
                "create_automation_rule": {
                    "device_id": "in.device_id",
                    "cron": "cron_expression.cron",
                    "value": "in.value",
                },
            },
            {
                "schedule_id": "create_automation_rule.schedule_id",
                "applied_at": "create_automation_rule.next_run_at",
                "value": "create_automation_rule.value",
                "unit": "create_automation_rule.unit",
            },
        ),
    ),
    examples=(
        {"device_id": _first("Lisbon", "Boardroom", "thermostat"), "value": 20.5, "at": "2026-03-04T06:30"},
        {"device_id": _first("Rome", "Open Office", "light"), "value": 40, "at": "2026-03-05T07:45"},
        {"device_id": _first("Seoul", "Boardroom", "blind"), "value": 0, "at": "2026-03-02T14:05"},
        {"device_id": _first("Chicago", "Server Room", "thermostat"), "value": 18.25, "at": "2026-04-10T00:00"},
    ),
)

firmware_installed = Pattern(
    name="firmware_installed",
    purpose="Have the newest firmware installed on a device.",
    inputs=("device_id",),
    exports=("job_id", "version", "previous_version", "back_at"),
    ways=(
        Way(
            "at_once",
            {"update_device_firmware": {"device_id": "in.device_id"}},
            {name: f"update_device_firmware.{name}" for name in ("job_id", "version", "previous_version", "back_at")},
        ),
        Way(
            "staged",
            {
                "stage_firmware_package": {"device_id": "in.device_id"},
                "apply_firmware_package": {"package_id": "stage_firmware_package.package_id"},
            },
            {name: f"apply_firmware_package.{name}" for name in ("job_id", "version", "previous_version", "back_at")},
        ),
    ),
    examples=tuple({"device_id": thing.id} for thing in OUTDATED[2 : len(OUTDATED) : 97]),
)
