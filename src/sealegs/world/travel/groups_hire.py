"""Alternative groups of car hire."""

from __future__ import annotations

from sealegs.tasks.pattern import Pattern, Way
from sealegs.world.travel.groups import given, taken

__all__ = ["hire_car_booked", "quoted_car_reserved"]

CAR = ("reservation_id", "model", "days", "total", "currency")
WISH = ("city", "car_class", "pickup_at", "return_at")

hire_car_booked = Pattern(
    name="hire_car_booked",
    purpose="Have a hire car of a class reserved for a driver at a city's airport.",
    inputs=(*WISH, "driver"),
    exports=CAR,
    ways=(
        Way(
            id="at_once",
            calls={"book_hire_car": given(*WISH, "driver")},
            exports=taken("book_hire_car", CAR),
        ),
        Way(
            id="quote_first",
            calls={
                "search_hire_cars": given(*WISH),
                "reserve_hire_quote": {"quote_id": "search_hire_cars.quote_id", "driver": "in.driver"},
            },
            exports=taken("reserve_hire_quote", CAR),
        ),
    ),
    examples=(
        {
            "city": "Madrid",
            "car_class": "compact",
            "pickup_at": "2026-03-18T10:00",
            "return_at": "2026-03-21T18:00",
            "driver": "Ines Carvalho",
        },
        {
            "city": "Seoul",
            "car_class": "economy",
            "pickup_at": "2026-04-07T09:30",
            "return_at": "2026-04-16T09:30",
            "driver": "Kenji Mori",
        },
        {
            "city": "Chicago",
            "car_class": "suv",
            "pickup_at": "2026-03-24T14:15",
            "return_at": "2026-03-26T12:00",
            "driver": "Dana Whitfield",
        },
        {
            "city": "Dubai",
            "car_class": "estate",
            "pickup_at": "2026-05-11T08:00",
            "return_at": "2026-05-12T08:00",
            "driver": "Priya Nair",
        },
    ),
)

quoted_car_reserved = Pattern(
    name="quoted_car_reserved",
    purpose="Reserve the hire car of a found quote for a driver.",
    inputs=("quote_id", *WISH, "driver"),
    exports=CAR,
    ways=(
        Way(
            id="by_quote",
            calls={"reserve_hire_quote": given("quote_id", "driver")},
            exports=taken("reserve_hire_quote", CAR),
        ),
        Way(
            id="by_class",
            calls={"book_hire_car": given(*WISH, "driver")},
            exports=taken("book_hire_car", CAR),
        ),
    ),
    examples=(
        {
            "quote_id": "BER-CDMR-202603181000-202603211800",
            "city": "Berlin",
            "car_class": "compact",
            "pickup_at": "2026-03-18T10:00",
            "return_at": "2026-03-21T18:00",
            "driver": "Ines Carvalho",
        },
        {
            "quote_id": "FCO-SWMR-202604070930-202604160930",
            "city": "Rome",
            "car_class": "estate",
            "pickup_at": "2026-04-07T09:30",
            "return_at": "2026-04-16T09:30",
            "driver": "Jonas Keller",
        },
        {
            "quote_id": "SYD-ECMR-202605110800-202605122000",
            "city": "Sydney",
            "car_class": "economy",
            "pickup_at": "2026-05-11T08:00",
            "return_at": "2026-05-12T20:00",
            "driver": "Grace O'Neill",
        },
    ),
)
