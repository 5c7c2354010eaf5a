"""Alternative groups of tables and stays."""

from __future__ import annotations

from sealegs.tasks.pattern import Pattern, Way
from sealegs.world.travel.cancellations import BEFORE
from sealegs.world.travel.groups import LISTING, STAY, given, taken

__all__ = ["lodging_share", "stay_cancelled", "table_reserved"]

WISH = given("city", "kitchen", "at", "party_size")
TABLE = ("reservation_id", "restaurant_name", "at", "until", "expected_bill", "currency")

table_reserved = Pattern(
    name="table_reserved",
    purpose="Reserve a table for a party at the best rated free restaurant of a kitchen in a city.",
    inputs=("city", "kitchen", "at", "party_size", "guest"),
    exports=TABLE,
    ways=(
        Way(
            id="find_and_reserve",
            calls={
                "find_restaurants": WISH,
                "reserve_table": {
                    "restaurant_id": "find_restaurants.restaurant_id",
                    **given("at", "party_size", "guest"),
                },
            },
            exports=taken("reserve_table", TABLE),
        ),
        Way(
            id="concierge",
            calls={
                "request_table": WISH,
                "confirm_table_request": {"request_id": "request_table.request_id", "guest": "in.guest"},
            },
            exports=taken("confirm_table_request", TABLE),
        ),
    ),
    examples=(
        {"city": "Berlin", "kitchen": "italian", "at": "2026-03-18T19:30", "party_size": 4, "guest": "Ines Carvalho"},
        {"city": "Tokyo", "kitchen": "japanese", "at": "2026-04-07T18:30", "party_size": 2, "guest": "Kenji Mori"},
        {
            "city": "Chicago",
            "kitchen": "vegetarian",
            "at": "2026-05-12T12:30",
            "party_size": 7,
            "guest": "Dana Whitfield",
        },
        {"city": "London", "kitchen": "indian", "at": "2026-03-24T20:00", "party_size": 3, "guest": "Priya Nair"},
    ),
)

GONE = ("cancellation_id", "hotel_name", "fee", "refund", "currency")

stay_cancelled = Pattern(
    name="stay_cancelled",
    purpose="Cancel a guest's stay at a hotel and learn what is paid back.",
    inputs=("confirmation", "hotel_id", "guest", "check_in"),
    exports=GONE,
    ways=(
        Way(
            id="by_confirmation",
            calls={"cancel_hotel_booking": given("confirmation")},
            exports=taken("cancel_hotel_booking", GONE),
        ),
        Way(
            id="by_guest",
            calls={"cancel_guest_stay": given("hotel_id", "guest", "check_in")},
            exports=taken("cancel_guest_stay", GONE),
        ),
    ),
    examples=tuple(
        {
            "confirmation": found.confirmation,
            "hotel_id": found.hotel_id,
            "guest": found.guest,
            "check_in": found.check_in,
        }
        for found in (BEFORE[0], BEFORE[1], BEFORE[4], BEFORE[9])
    ),
)

lodging_share = Pattern(
    name="lodging_share",
    purpose="Find what each person pays who shares the cheapest hotel of a class for a stay.",
    inputs=("city", "check_in", "check_out", "min_stars", "people"),
    exports=("hotel_name", "share", "currency"),
    ways=(
        Way(
            id="net_offer",
            calls={
                "search_hotels": STAY,
                "lodging_tax": {
                    "net_amount": "search_hotels.net_price",
                    "tax_percent": "search_hotels.tax_percent",
                    "currency": "search_hotels.currency",
                },
                "split_trip_bill": {
                    "bill": "lodging_tax.total",
                    "people": "in.people",
                    "currency": "lodging_tax.currency",
                },
            },
            exports={
                "hotel_name": "search_hotels.hotel_name",
                "share": "split_trip_bill.share",
                "currency": "split_trip_bill.currency",
            },
        ),
        Way(
            id="published_rates",
            calls={
                "hotel_directory": LISTING,
                "stay_cost": {
                    "weeknight_rate": "hotel_directory.weeknight_rate",
                    "weekend_rate": "hotel_directory.weekend_rate",
                    "check_in": "in.check_in",
                    "check_out": "in.check_out",
                    "tax_percent": "hotel_directory.tax_percent",
                    "currency": "hotel_directory.currency",
                },
                "trip_cost": {
                    "flights": 0,
                    "lodging": "stay_cost.total",
                    "currency": "stay_cost.currency",
                    "travellers": "in.people",
                },
            },
            exports={
                "hotel_name": "hotel_directory.hotel_name",
                "share": "trip_cost.per_traveller",
                "currency": "trip_cost.currency",
            },
        ),
    ),
    examples=(
        {"city": "Vienna", "check_in": "2026-03-18", "check_out": "2026-03-21", "min_stars": 3, "people": 2},
        {"city": "Tokyo", "check_in": "2026-04-06", "check_out": "2026-04-10", "min_stars": 4, "people": 3},
        {"city": "Dubai", "check_in": "2026-05-12", "check_out": "2026-05-19", "min_stars": 5, "people": 4},
    ),
)
