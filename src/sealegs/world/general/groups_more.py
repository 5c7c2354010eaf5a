"""Alternative groups on what a place, a quantity or a book is known by: forecasts, daylight, measures, holds."""

from __future__ import annotations

from sealegs.tasks.pattern import Pattern, Way
from sealegs.world.general.facts import city
from sealegs.world.general.library_facts import BOOKS, HOLDINGS

__all__ = ["book_hold", "daylight", "located_forecast", "miles_of_distance", "pounds_of_weights"]

_WEATHER = ("high_c", "low_c", "mean_c", "rain_mm", "rain_chance", "condition")

located_forecast = Pattern(
    name="located_forecast",
    purpose="Learn the weather on a day at a place whose id and coordinates are known.",
    inputs=("place_id", "latitude", "longitude", "date"),
    exports=_WEATHER,
    ways=(
        Way(
            "point",
            {
                "point_forecast": {
                    "latitude": "in.latitude",
                    "longitude": "in.longitude",
                    "start_date": "in.date",
                },
            },
            {name: f"point_forecast.{name}" for name in _WEATHER},
        ),
        Way(
            "place",
            {"place_forecast": {"place_id": "in.place_id", "date": "in.date"}},
            {name: f"place_forecast.{name}" for name in _WEATHER},
        ),
    ),
    examples=tuple(
        {
            "place_id": city(name).place_id,
            "latitude": city(name).latitude,
            "longitude": city(name).longitude,
            "date": date,
        }
        for name, date in (
            ("Madrid", "2026-03-07"),
            ("Seoul", "2026-03-18"),
            ("Chicago", "2026-03-04"),
            ("Cape Town", "2026-04-02"),
        )
    ),
)

_SUN = ("sunrise", "sunset", "daylight_minutes")

daylight = Pattern(
    name="daylight",
    purpose="Learn when the sun rises and sets in a city on a day, in its local time.",
    inputs=("city", "latitude", "longitude", "utc_offset", "date"),
    exports=_SUN,
    ways=(
        Way(
            "coordinates",
            {
                "sun_times": {
                    "latitude": "in.latitude",
                    "longitude": "in.longitude",
                    "date": "in.date",
                    "utc_offset": "in.utc_offset",
                },
            },
            {name: f"sun_times.{name}" for name in _SUN},
        ),
        Way(
            "almanac",
            {"city_almanac": {"city": "in.city", "date": "in.date"}},
            {name: f"city_almanac.{name}" for name in _SUN},
        ),
    ),
    examples=tuple(
        {
            "city": name,
            "latitude": city(name).latitude,
            "longitude": city(name).longitude,
            "utc_offset": city(name).utc_offset,
            "date": date,
        }
        for name, date in (
            ("Lisbon", "2026-03-05"),
            ("San Francisco", "2026-03-14"),
            ("Mumbai", "2026-03-27"),
            ("Sydney", "2026-04-12"),
            ("Stockholm", "2026-06-21"),
        )
    ),
)

miles_of_distance = Pattern(
    name="miles_of_distance",
    purpose="Express a distance given in kilometres in miles.",
    inputs=("kilometres",),
    exports=("miles",),
    ways=(
        Way(
            "units",
            {"convert_units": {"value": "in.kilometres", "from_unit": "km", "to_unit": "mi"}},
            {"miles": "convert_units.result"},
        ),
        Way(
            "customary",
            {"us_customary_measure": {"metric_value": "in.kilometres", "metric_unit": "km"}},
            {"miles": "us_customary_measure.customary_value"},
        ),
    ),
    examples=({"kilometres": 2314.5}, {"kilometres": 42.2}, {"kilometres": 17}, {"kilometres": 0.8}),
)

pounds_of_weights = Pattern(
    name="pounds_of_weights",
    purpose="Add up weights given in kilograms and express the total in pounds.",
    inputs=("kilograms",),
    exports=("total_kg", "total_lb", "count"),
    ways=(
        Way(
            "tally",
            {
                "tally_amounts": {"amounts": "in.kilograms"},
                "convert_units": {"value": "tally_amounts.total", "from_unit": "kg", "to_unit": "lb"},
            },
            {
                "total_kg": "tally_amounts.total",
                "total_lb": "convert_units.result",
                "count": "tally_amounts.entry_count",
            },
        ),
        Way(
            "statistics",
            {
                "list_statistics": {"values": "in.kilograms"},
                "us_customary_measure": {"metric_value": "list_statistics.total", "metric_unit": "kg"},
            },
            {
                "total_kg": "list_statistics.total",
                "total_lb": "us_customary_measure.customary_value",
                "count": "list_statistics.count",
            },
        ),
    ),
    examples=(
        {"kilograms": [23, 18.4, 7.5]},
        {"kilograms": [0.65, 1.2]},
        {"kilograms": [112, 96.5, 140.25, 88]},
        {"kilograms": [5.4]},
    ),
)

_RECORDS = {book.title: book.record_id for book in BOOKS.values()}
_HOLD = ("hold_id", "title", "library", "ready_on", "collect_by")

book_hold = Pattern(
    name="book_hold",
    purpose="Have the copy of a library book that is in first put aside for a reader, once the catalogue was searched.",
    inputs=("record_id", "barcode", "city", "reader"),
    exports=_HOLD,
    ways=(
        Way(
            "title",
            {"place_title_hold": {"record_id": "in.record_id", "city": "in.city", "reader": "in.reader"}},
            {name: f"place_title_hold.{name}" for name in _HOLD},
        ),
        Way(
            "copy",
            {"request_library_copy": {"barcode": "in.barcode", "reader": "in.reader"}},
            {name: f"request_library_copy.{name}" for name in _HOLD},
        ),
    ),
    examples=tuple(
        {
            "record_id": _RECORDS[title],
            "barcode": HOLDINGS[name, _RECORDS[title]][0].barcode,
            "city": name,
            "reader": reader,
        }
        for name, title, reader in (
            ("Lisbon", "Notes on Harbours", "Ines Duarte"),
            ("London", "The Quiet Ledger", "Amara Okafor"),
            ("Rome", "The Cartographer's Daughter", "Dario Leone"),
            ("Toronto", "A Short History of Salt", "Grace Bennett"),
        )
    ),
)
