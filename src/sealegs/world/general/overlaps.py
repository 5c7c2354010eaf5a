"""Tools of the general domain that can stand in for one another, or for others, on some inputs."""

from __future__ import annotations

from sealegs.world.tool import Overlap

__all__ = [
    "COUNTRY_OF_CITY",
    "NOTES",
    "TOTALS",
    "WEEKDAY",
    "WORKING_DAYS",
]

WORKING_DAYS = Overlap.of("calendar_day", "add_working_days", "expand_recurrence", "schedule_hours")
COUNTRY_OF_CITY = Overlap.of("calendar_day", "city_profile", "geocode_place")
WEEKDAY = Overlap.of("calendar_day", "shift_moment")
TOTALS = Overlap.of("list_statistics", "tally_amounts", "trip_cost", "order_total")
NOTES = Overlap.of("save_note", "add_checklist_item")
