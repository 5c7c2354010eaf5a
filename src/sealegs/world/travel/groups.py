"""Alternative groups of the travel domain."""

from __future__ import annotations

from collections.abc import Iterable

from sealegs.tasks.pattern import Pattern, Way

__all__ = [
    "airport_car",
    "cheapest_fare",
    "cheapest_room",
    "cheapest_seat",
    "flight_ticket",
    "room_booking",
    "stay_price",
]


def given(*names: str) -> dict[str, str]:
    """Arguments that are the pattern's inputs of the same names."""
    return {name: f"in.{name}" for name in names}


def taken(tool: str, names: Iterable[str]) -> dict[str, str]:
    """Exports (or arguments) that are the tool's answer fields of the same names."""
    return {name: f"{tool}.{name}" for name in names}


cheapest_fare = Pattern(
    name="cheapest_fare",
    purpose="Find the cheapest flight between two cities on one day.",
    inputs=("origin", "destination", "date", "cabin"),
    exports=("flight_number", "fare", "currency"),
    ways=(
        Way(
            id="by_search",
            calls={"search_flights": given("origin", "destination", "date", "cabin")},
            exports={
                "flight_number": "search_flights.cheapest_flight",
                "fare": "search_flights.cheapest_fare",
                "currency": "search_flights.currency",
            },
        ),
        Way(
            id="by_calendar",
            calls={
                "fare_calendar": {
                    "origin": "in.origin",
                    "destination": "in.destination",
                    "from_date": "in.date",
                    "days": 1,
                    "cabin": "in.cabin",
                }
            },
            exports={
                "flight_number": "fare_calendar.cheapest_flight",
                "fare": "fare_calendar.cheapest_fare",
                "currency": "fare_calendar.currency",
            },
        ),
    ),
    examples=(
        {"origin": "Lisbon", "destination": "Berlin", "date": "2026-03-18", "cabin": "economy"},
        {"origin": "Tokyo", "destination": "San Francisco", "date": "2026-04-07", "cabin": "business"},
        {"origin": "Mumbai", "destination": "London", "date": "2026-05-12", "cabin": "economy"},
        {"origin": "New York", "destination": "Toronto", "date": "2026-03-24", "cabin": "economy"},
        {"origin": "Zurich", "destination": "Stockholm", "date": "2026-03-27", "cabin": "business"},
    ),
)

TICKET = ("booking_reference", "total", "currency", "departs_at", "arrives_at", "destination")

flight_ticket = Pattern(
    name="flight_ticket",
    purpose="Buy a passenger a seat on a given flight.",
    inputs=("flight_number", "date", "cabin", "passenger"),
    exports=TICKET,
    ways=(
        Way(
            id="at_once",
            calls={"book_flight": given("flight_number", "date", "cabin", "passenger")},
            exports=taken("book_flight", TICKET),
        ),
        Way(
            id="hold_first",
            calls={
                "hold_seat": given("flight_number", "date", "cabin", "passenger"),
                "issue_ticket": taken("hold_seat", ["hold_id"]),
            },
            exports=taken("issue_ticket", TICKET),
        ),
    ),
    examples=(
        {"flight_number": "SV101", "date": "2026-03-18", "cabin": "economy", "passenger": "Ines Carvalho"},
        {"flight_number": "BN226", "date": "2026-04-07", "cabin": "business", "passenger": "Kenji Mori"},
        {"flight_number": "BN941", "date": "2026-05-12", "cabin": "economy", "passenger": "Priya Nair"},
        {"flight_number": "AQ311", "date": "2026-03-25", "cabin": "economy", "passenger": "Dana Whitfield"},
    ),
)

SEAT = ("booking_reference", "flight_number", "total", "currency", "departs_at", "arrives_at")

cheapest_seat = Pattern(
    name="cheapest_seat",
    purpose="Buy a passenger the cheapest seat between two cities on one day.",
    inputs=("origin", "destination", "date", "cabin", "passenger"),
    exports=SEAT,
    ways=(
        Way(
            id="search_and_book",
            calls={
                "search_flights": given("origin", "destination", "date", "cabin"),
                "book_flight": {
                    "flight_number": "search_flights.cheapest_flight",
                    "date": "in.date",
                    "cabin": "in.cabin",
                    "passenger": "in.passenger",
                },
            },
            exports=taken("book_flight", SEAT),
        ),
        Way(
            id="calendar_and_hold",
            calls={
                "fare_calendar": {
                    "origin": "in.origin",
                    "destination": "in.destination",
                    "from_date": "in.date",
                    "days": 1,
                    "cabin": "in.cabin",
                },
                "hold_seat": {
                    "flight_number": "fare_calendar.cheapest_flight",
                    "date": "fare_calendar.cheapest_date",
                    "cabin": "in.cabin",
                    "passenger": "in.passenger",
                },
                "issue_ticket": taken("hold_seat", ["hold_id"]),
            },
            exports=taken("issue_ticket", SEAT),
        ),
    ),
    examples=(
        {
            "origin": "Vienna",
            "destination": "Paris",
            "date": "2026-03-19",
            "cabin": "economy",
            "passenger": "Ines Carvalho",
        },
        {
            "origin": "Chicago",
            "destination": "Mexico City",
            "date": "2026-04-14",
            "cabin": "business",
            "passenger": "Dana Whitfield",
        },
        {
            "origin": "Seoul",
            "destination": "Tokyo",
            "date": "2026-03-30",
            "cabin": "economy",
            "passenger": "Mei Tanaka",
        },
        {
            "origin": "Dubai",
            "destination": "Cape Town",
            "date": "2026-05-21",
            "cabin": "economy",
            "passenger": "Anil Deshmukh",
        },
    ),
)

STAY = given("city", "check_in", "check_out", "min_stars")
LISTING = given("city", "min_stars")

stay_price = Pattern(
    name="stay_price",
    purpose="Find the cheapest hotel of a class for a stay and its price with tax.",
    inputs=("city", "check_in", "check_out", "min_stars"),
    exports=("hotel_id", "hotel_name", "total", "currency"),
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
            },
            exports={
                "hotel_id": "search_hotels.hotel_id",
                "hotel_name": "search_hotels.hotel_name",
                "total": "lodging_tax.total",
                "currency": "lodging_tax.currency",
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
            },
            exports={
                "hotel_id": "hotel_directory.hotel_id",
                "hotel_name": "hotel_directory.hotel_name",
                "total": "stay_cost.total",
                "currency": "stay_cost.currency",
            },
        ),
    ),
    examples=(
        {"city": "Berlin", "check_in": "2026-03-18", "check_out": "2026-03-21", "min_stars": 3},
        {"city": "Tokyo", "check_in": "2026-04-06", "check_out": "2026-04-10", "min_stars": 4},
        {"city": "New York", "check_in": "2026-04-12", "check_out": "2026-04-19", "min_stars": 4},
        {"city": "Seoul", "check_in": "2026-05-29", "check_out": "2026-06-01", "min_stars": 5},
    ),
)

ROOM = ("confirmation", "hotel_name", "total", "currency")

cheapest_room = Pattern(
    name="cheapest_room",
    purpose="Book a guest the cheapest room of a class for a stay.",
    inputs=("city", "check_in", "check_out", "min_stars", "guest"),
    exports=ROOM,
    ways=(
        Way(
            id="offer",
            calls={
                "search_hotels": STAY,
                "book_hotel_offer": {"rate_key": "search_hotels.rate_key", "guest": "in.guest"},
            },
            exports=taken("book_hotel_offer", ROOM),
        ),
        Way(
            id="direct",
            calls={
                "hotel_directory": LISTING,
                "book_hotel_room": {
                    "hotel_id": "hotel_directory.hotel_id",
                    "check_in": "in.check_in",
                    "check_out": "in.check_out",
                    "guest": "in.guest",
                },
            },
            exports=taken("book_hotel_room", ROOM),
        ),
    ),
    examples=(
        {
            "city": "Madrid",
            "check_in": "2026-03-18",
            "check_out": "2026-03-20",
            "min_stars": 4,
            "guest": "Jonas Keller",
        },
        {
            "city": "London",
            "check_in": "2026-03-16",
            "check_out": "2026-03-21",
            "min_stars": 4,
            "guest": "Luca Baumann",
        },
        {
            "city": "Singapore",
            "check_in": "2026-04-06",
            "check_out": "2026-04-09",
            "min_stars": 5,
            "guest": "Mei Tanaka",
        },
        {
            "city": "Toronto",
            "check_in": "2026-03-24",
            "check_out": "2026-03-28",
            "min_stars": 3,
            "guest": "Dana Whitfield",
        },
    ),
)

room_booking = Pattern(
    name="room_booking",
    purpose="Book a guest the room of a found offer.",
    inputs=("rate_key", "hotel_id", "check_in", "check_out", "guest"),
    exports=(*ROOM, "nights"),
    ways=(
        Way(
            id="by_key",
            calls={"book_hotel_offer": given("rate_key", "guest")},
            exports=taken("book_hotel_offer", (*ROOM, "nights")),
        ),
        Way(
            id="by_hotel",
            calls={"book_hotel_room": given("hotel_id", "check_in", "check_out", "guest")},
            exports=taken("book_hotel_room", (*ROOM, "nights")),
        ),
    ),
    examples=(
        {
            "rate_key": "HBER01-20260318-3N",
            "hotel_id": "HBER01",
            "check_in": "2026-03-18",
            "check_out": "2026-03-21",
            "guest": "Ines Carvalho",
        },
        {
            "rate_key": "HHND02-20260406-4N",
            "hotel_id": "HHND02",
            "check_in": "2026-04-06",
            "check_out": "2026-04-10",
            "guest": "Grace O'Neill",
        },
        {
            "rate_key": "HBOM01-20260511-7N",
            "hotel_id": "HBOM01",
            "check_in": "2026-05-11",
            "check_out": "2026-05-18",
            "guest": "Jonas Keller",
        },
        {
            "rate_key": "HICN03-20260529-3N",
            "hotel_id": "HICN03",
            "check_in": "2026-05-29",
            "check_out": "2026-06-01",
            "guest": "Priya Nair",
        },
    ),
)

CAR = ("ride_id", "pickup_at", "dropoff_at", "fare", "currency")

airport_car = Pattern(
    name="airport_car",
    purpose="Book a car into the city for a traveller who lands with checked baggage.",
    inputs=("city", "arrives_at", "traveller", "checked_bags"),
    exports=CAR,
    ways=(
        Way(
            id="meet_and_greet",
            calls={"book_airport_transfer": given("city", "arrives_at", "traveller", "checked_bags")},
            exports=taken("book_airport_transfer", CAR),
        ),
        Way(
            id="timed_pickup",
            calls={
                "arrival_exit_time": given("arrives_at", "checked_bags"),
                "book_ride": {
                    "city": "in.city",
                    "pickup_at": "arrival_exit_time.exit_at",
                    "traveller": "in.traveller",
                },
            },
            exports=taken("book_ride", CAR),
        ),
    ),
    examples=(
        {"city": "Berlin", "arrives_at": "2026-03-18T19:35", "traveller": "Ines Carvalho", "checked_bags": 1},
        {"city": "Tokyo", "arrives_at": "2026-04-07T23:30", "traveller": "Mei Tanaka", "checked_bags": 3},
        {"city": "Chicago", "arrives_at": "2026-03-25T11:05", "traveller": "Dana Whitfield", "checked_bags": 0},
        {"city": "London", "arrives_at": "2026-05-12T22:15", "traveller": "Anil Deshmukh", "checked_bags": 2},
    ),
)
