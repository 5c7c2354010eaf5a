"""Alternative groups of travel by train."""

from __future__ import annotations

from sealegs.tasks.pattern import Pattern, Way
from sealegs.world.travel.groups import given, taken

__all__ = ["cheapest_train", "rail_emissions", "train_seat", "train_ticket"]

JOURNEY = given("origin", "destination", "date")
PLANNED = ("train_number", "fare", "currency", "departs_at", "arrives_at")

cheapest_train = Pattern(
    name="cheapest_train",
    purpose="Find the cheapest direct train between two cities on one day.",
    inputs=("origin", "destination", "date"),
    exports=PLANNED,
    ways=(
        Way(
            id="timetable",
            calls={"train_timetable": JOURNEY},
            exports={"train_number": "train_timetable.cheapest_train", **taken("train_timetable", PLANNED[1:])},
        ),
        Way(id="offers", calls={"plan_rail_journey": JOURNEY}, exports=taken("plan_rail_journey", PLANNED)),
    ),
    examples=(
        {"origin": "Paris", "destination": "London", "date": "2026-03-18"},
        {"origin": "Berlin", "destination": "Vienna", "date": "2026-04-07"},
        {"origin": "Toronto", "destination": "New York", "date": "2026-03-24"},
        {"origin": "Zurich", "destination": "Rome", "date": "2026-05-12"},
        {"origin": "Stockholm", "destination": "Berlin", "date": "2026-03-09"},
    ),
)

TICKET = ("ticket_id", "total", "currency", "departs_at", "arrives_at", "destination_station")

train_ticket = Pattern(
    name="train_ticket",
    purpose="Buy a passenger the second-class seat of a found train offer.",
    inputs=("offer_id", "train_number", "date", "passenger"),
    exports=TICKET,
    ways=(
        Way(
            id="by_offer",
            calls={"reserve_rail_offer": given("offer_id", "passenger")},
            exports=taken("reserve_rail_offer", TICKET),
        ),
        Way(
            id="by_train",
            calls={"buy_train_ticket": given("train_number", "date", "passenger")},
            exports=taken("buy_train_ticket", TICKET),
        ),
    ),
    examples=(
        {
            "offer_id": "IC-233-20260318-2",
            "train_number": "IC-233",
            "date": "2026-03-18",
            "passenger": "Ines Carvalho",
        },
        {
            "offer_id": "NX-409-20260324-2",
            "train_number": "NX-409",
            "date": "2026-03-24",
            "passenger": "Dana Whitfield",
        },
        {"offer_id": "IC-401-20260512-2", "train_number": "IC-401", "date": "2026-05-12", "passenger": "Luca Baumann"},
        {"offer_id": "IC-202-20260519-2", "train_number": "IC-202", "date": "2026-05-19", "passenger": "Priya Nair"},
    ),
)

SEAT = ("ticket_id", "train_number", "total", "currency", "departs_at", "arrives_at")

train_seat = Pattern(
    name="train_seat",
    purpose="Buy a passenger a seat on the cheapest direct train between two cities on one day.",
    inputs=("origin", "destination", "date", "passenger"),
    exports=SEAT,
    ways=(
        Way(
            id="timetable_and_buy",
            calls={
                "train_timetable": JOURNEY,
                "buy_train_ticket": {
                    "train_number": "train_timetable.cheapest_train",
                    "date": "in.date",
                    "passenger": "in.passenger",
                },
            },
            exports=taken("buy_train_ticket", SEAT),
        ),
        Way(
            id="plan_and_reserve",
            calls={
                "plan_rail_journey": JOURNEY,
                "reserve_rail_offer": {"offer_id": "plan_rail_journey.offer_id", "passenger": "in.passenger"},
            },
            exports=taken("reserve_rail_offer", SEAT),
        ),
    ),
    examples=(
        {"origin": "Paris", "destination": "Zurich", "date": "2026-03-18", "passenger": "Ines Carvalho"},
        {"origin": "Vienna", "destination": "Berlin", "date": "2026-04-08", "passenger": "Jonas Keller"},
        {"origin": "Chicago", "destination": "New York", "date": "2026-03-25", "passenger": "Dana Whitfield"},
        {"origin": "London", "destination": "Paris", "date": "2026-05-12", "passenger": "Anil Deshmukh"},
    ),
)

rail_emissions = Pattern(
    name="rail_emissions",
    purpose="Find how much carbon dioxide a party causes that takes the train between two cities.",
    inputs=("origin", "destination", "date", "travellers"),
    exports=("kg_co2", "train_number"),
    ways=(
        Way(
            id="by_distance",
            calls={
                "train_timetable": JOURNEY,
                "carbon_footprint": {
                    "distance_km": "train_timetable.distance_km",
                    "mode": "train",
                    "travellers": "in.travellers",
                },
            },
            exports={"kg_co2": "carbon_footprint.kg_co2", "train_number": "train_timetable.cheapest_train"},
        ),
        Way(
            id="by_head",
            calls={
                "plan_rail_journey": JOURNEY,
                "group_emissions": {
                    "kg_per_traveller": "plan_rail_journey.kg_co2_per_traveller",
                    "travellers": "in.travellers",
                },
            },
            exports={"kg_co2": "group_emissions.total_kg", "train_number": "plan_rail_journey.train_number"},
        ),
    ),
    examples=(
        {"origin": "Madrid", "destination": "Lisbon", "date": "2026-03-18", "travellers": 6},
        {"origin": "Berlin", "destination": "Zurich", "date": "2026-04-07", "travellers": 2},
        {"origin": "New York", "destination": "Toronto", "date": "2026-03-24", "travellers": 14},
        {"origin": "Rome", "destination": "Vienna", "date": "2026-05-12", "travellers": 3},
    ),
)
