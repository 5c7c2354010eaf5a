"""Alternative groups of the general domain."""

from __future__ import annotations

from sealegs.tasks.pattern import Pattern, Way

__all__ = [
    "city_location",
    "day_weather",
    "kept_reminder",
    "list_average",
    "local_calendar_day",
    "local_clock",
]

_CITIES = tuple({"city": name} for name in ("Lisbon", "Tokyo", "New York", "Zurich", "Mumbai"))
_LOCATED = ("city", "country", "country_code", "currency", "latitude", "longitude", "utc_offset")

city_location = Pattern(
    name="city_location",
    purpose="Learn where a city lies: country, currency, coordinates and UTC offset.",
    inputs=("city",),
    exports=_LOCATED,
    ways=(
        Way("gazetteer", {"city_profile": {"name": "in.city"}}, {name: f"city_profile.{name}" for name in _LOCATED}),
        Way("search", {"geocode_place": {"query": "in.city"}}, {name: f"geocode_place.{name}" for name in _LOCATED}),
    ),
    examples=_CITIES,
)

list_average = Pattern(
    name="list_average",
    purpose="Find total and mean of a list of numbers.",
    inputs=("numbers",),
    exports=("total", "mean", "largest", "count"),
    ways=(
        Way(
            "statistics",
            {"list_statistics": {"values": "in.numbers"}},
            {
                "total": "list_statistics.total",
                "mean": "list_statistics.mean",
                "largest": "list_statistics.maximum",
                "count": "list_statistics.count",
            },
        ),
        Way(
            "tally",
            {"tally_amounts": {"amounts": "in.numbers"}},
            {
                "total": "tally_amounts.total",
                "mean": "tally_amounts.average_amount",
                "largest": "tally_amounts.largest_amount",
                "count": "tally_amounts.entry_count",
            },
        ),
    ),
    examples=(
        {"numbers": [412.5, 389, 455.25, 401]},
        {"numbers": [19.5, 21.25, 18.75]},
        {"numbers": [-2.5, 0, 3.1, 4.9, 1.2]},
        {"numbers": [1250]},
    ),
)

local_clock = Pattern(
    name="local_clock",
    purpose="Find the local time and date in a city at a moment given in UTC.",
    inputs=("city", "utc"),
    exports=("local_time", "local_date"),
    ways=(
        Way(
            "city",
            {"time_in_city": {"city": "in.city", "utc": "in.utc"}},
            {"local_time": "time_in_city.local_time", "local_date": "time_in_city.local_date"},
        ),
        Way(
            "by_offset",
            {
                "geocode_place": {"query": "in.city"},
                "shift_moment": {"moment": "in.utc", "hours": "geocode_place.utc_offset"},
            },
            {"local_time": "shift_moment.result", "local_date": "shift_moment.date"},
        ),
    ),
    examples=(
        {"city": "Tokyo", "utc": "2026-03-05T18:30"},
        {"city": "Mumbai", "utc": "2026-03-09T08:00"},
        {"city": "Chicago", "utc": "2026-03-11T03:15"},
        {"city": "London", "utc": "2026-03-06T12:00:00"},
    ),
)

local_calendar_day = Pattern(
    name="local_calendar_day",
    purpose="Find date and weekday on a city's calendar at a moment in 2026 given in UTC.",
    inputs=("city", "utc"),
    exports=("local_time", "local_date", "weekday"),
    ways=(
        Way(
            "calendar",
            {
                "time_in_city": {"city": "in.city", "utc": "in.utc"},
                "calendar_day": {"city": "in.city", "date": "time_in_city.local_date"},
            },
            {
                "local_time": "time_in_city.local_time",
                "local_date": "time_in_city.local_date",
                "weekday": "calendar_day.weekday",
            },
        ),
        Way(
            "by_offset",
            {
                "city_profile": {"name": "in.city"},
                "shift_moment": {"moment": "in.utc", "hours": "city_profile.utc_offset"},
            },
            {
                "local_time": "shift_moment.result",
                "local_date": "shift_moment.date",
                "weekday": "shift_moment.weekday",
            },
        ),
    ),
    examples=(
        {"city": "Sydney", "utc": "2026-03-06T20:00"},
        {"city": "San Francisco", "utc": "2026-03-10T04:30"},
        {"city": "Seoul", "utc": "2026-03-08T16:00"},
        {"city": "Berlin", "utc": "2026-03-12T09:45"},
    ),
)

_WEATHER = ("high_c", "low_c", "mean_c", "rain_mm", "rain_chance", "condition")

day_weather = Pattern(
    name="day_weather",
    purpose="Learn the weather that a city will have on a day of the next weeks.",
    inputs=("city", "date"),
    exports=_WEATHER,
    ways=(
        Way(
            "by_point",
            {
                "city_profile": {"name": "in.city"},
                "point_forecast": {
                    "latitude": "city_profile.latitude",
                    "longitude": "city_profile.longitude",
                    "start_date": "in.date",
                },
            },
            {name: f"point_forecast.{name}" for name in _WEATHER},
        ),
        Way(
            "by_place",
            {
                "geocode_place": {"query": "in.city"},
                "place_forecast": {"place_id": "geocode_place.place_id", "date": "in.date"},
            },
            {name: f"place_forecast.{name}" for name in _WEATHER},
        ),
    ),
    examples=(
        {"city": "Tokyo", "date": "2026-03-12"},
        {"city": "Lisbon", "date": "2026-03-05"},
        {"city": "Toronto", "date": "2026-03-03"},
        {"city": "Singapore", "date": "2026-03-20"},
        {"city": "Vienna", "date": "2026-04-08"},
    ),
)

kept_reminder = Pattern(
    name="kept_reminder",
    purpose="Keep something under a title and have the user reminded of it at a moment.",
    inputs=("title", "content", "at"),
    exports=("reminder_id", "remind_at", "minutes_from_now"),
    ways=(
        Way(
            "note",
            {
                "save_note": {"title": "in.title", "content": "in.content"},
                "set_note_reminder": {"note_id": "save_note.note_id", "at": "in.at"},
            },
            {
                "reminder_id": "set_note_reminder.reminder_id",
                "remind_at": "set_note_reminder.remind_at",
                "minutes_from_now": "set_note_reminder.minutes_from_now",
            },
        ),
        Way(
            "checklist",
            {
                "add_checklist_item": {"title": "in.title", "due_at": "in.at", "details": "in.content"},
                "schedule_item_alert": {"item_id": "add_checklist_item.item_id"},
            },
            {
                "reminder_id": "schedule_item_alert.reminder_id",
                "remind_at": "schedule_item_alert.remind_at",
                "minutes_from_now": "schedule_item_alert.minutes_from_now",
            },
        ),
    ),
    examples=(
        {"title": "Transfer the deposit", "content": 450.0, "at": "2026-03-05T09:00"},
        {"title": "Call the hotel in Rome", "content": "Ask for a late check-in.", "at": "2026-03-09T16:30"},
        {"title": "Umbrella for Lisbon", "content": "showers", "at": "2026-03-04T07:15"},
        {"title": "Send the agenda", "content": "To the sales team", "at": "2026-03-06T13:00:00"},
    ),
)
