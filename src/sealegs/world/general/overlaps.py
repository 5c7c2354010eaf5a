"""Tools of the general domain that can stand in for one another, or for others, on some inputs."""

from __future__ import annotations

from sealegs.world.tool import Overlap

WORKING_DAYS = Overlap.of("calendar_day", "add_working_days", "expand_recurrence", "schedule_hours")
COUNTRY_OF_CITY = Overlap.of("calendar_day", "city_profile", "geocode_place")
WEEKDAY = Overlap.of("calendar_day", "shift_moment")
TOTALS = Overlap.of("list_statistics", "tally_amounts", "trip_cost", "order_total")
NOTES = Overlap.of("save_note", "add_checklist_item")
RINGING = Overlap.of("set_alarm", "start_timer", "set_note_reminder", "schedule_item_alert")
ALMANAC = Overlap.of("city_almanac", "city_profile", "geocode_place")
LISTS = Overlap.of("add_to_shared_list", "add_checklist_item", "save_note")
SPANS = Overlap.of("time_between", "count_travel_days", "net_workdays", "timecard_hours")
WEIGHTS = Overlap.of("weigh_baggage", "list_statistics", "tally_amounts")
