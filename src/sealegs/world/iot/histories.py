"""The history tools of the domain's actions, which show today's requests to the services of buildings and devices."""

from __future__ import annotations

from sealegs.world.history import history
from sealegs.world.iot.access import grant_access_window, register_key_holder
from sealegs.world.iot.charging import reserve_charger, start_charging, start_reserved_charging
from sealegs.world.iot.firmware import apply_firmware_package, stage_firmware_package, update_device_firmware
from sealegs.world.iot.maintenance import open_work_order
from sealegs.world.iot.schedules import create_automation_rule, save_device_preset, schedule_preset
from sealegs.world.iot.setpoints import set_thermostat, update_device_shadow
from sealegs.world.iot.visitors import activate_visitor_pass, draft_visitor_pass

access_history = history(
    "access_history",
    register_key_holder,
    grant_access_window,
    draft_visitor_pass,
    activate_visitor_pass,
    shows="Show who was let in where today: key holders, access windows and visitors' passes.",
)
charging_history = history(
    "charging_history",
    reserve_charger,
    start_reserved_charging,
    start_charging,
    shows="Show what charge points were reserved and what charging was started today.",
)
maintenance_history = history(
    "maintenance_history",
    open_work_order,
    stage_firmware_package,
    apply_firmware_package,
    update_device_firmware,
    shows="Show what repairs and firmware updates of devices were ordered today.",
)
setting_history = history(
    "setting_history",
    set_thermostat,
    update_device_shadow,
    save_device_preset,
    schedule_preset,
    create_automation_rule,
    shows="Show what devices were set to today, at once, by preset or by rule.",
)
