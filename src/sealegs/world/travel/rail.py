"""Finding trains: the timetable of a day, or offers for a journey."""

from __future__ import annotations

from datetime import date as calendar_date
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from sealegs.faults.invariants import Bounds, Counts, Formula, Invariant, Known, Ordered, Requires, Sums
from sealegs.world.tool import Answer, Refusal, World, simulated_tool
from sealegs.world.travel.facts import CURRENCY_OF, future_day
from sealegs.world.travel.flights import flight_minutes, least
from sealegs.world.travel.rail_facts import KG_PER_KM, STATIONS, Train, trains_between
from sealegs.world.travel.rail_tickets import TravelClass, offer_id, seats_free
from sealegs.world.travel.travel_arguments import CityName, Day

JOURNEY: tuple[Invariant, ...] = (
    Known("currency", "origin", CURRENCY_OF),
    Ordered("argument:date", "departs_at"),
    Ordered("argument:date", "arrives_at"),
    Bounds("duration_minutes", 30, 2400),
    Bounds("fare", 1, 1_000_000),
    Formula(
        "duration_minutes",
        ("departs_at", "arrives_at", "origin", "destination"),
        flight_minutes,
        "duration_minutes lies between the local times departs_at and arrives_at",
    ),
)


def _open(world: World, origin: str, destination: str, date: str, travel_class: str) -> list[Train]:
    choice = trains_between(origin, destination)
    day = future_day(date, "date")
    found = [t for t in choice if seats_free(world, t, day, travel_class) > 0]
    if not found:
        raise Refusal(404, "NoTrains", f"No train on {date} has {travel_class}-class seats left.")
    return found


def _dearness(day: calendar_date, travel_class: str) -> Any:
    return lambda found: (found.fare(day, travel_class), found.number)


class TimetableTrain(BaseModel):
    """One train of a day."""

    train_number: str = Field(description="Number of the train")
    departs_at: str = Field(description="Local departure, YYYY-MM-DDTHH:MM")
    arrives_at: str = Field(description="Local arrival, YYYY-MM-DDTHH:MM")
    fare: float = Field(description="Price of one seat, reservation included")


class Timetable(Answer):
    """The trains of one day and the cheapest of them."""

    origin: str = Field(description="City of departure")
    destination: str = Field(description="City of arrival")
    date: str = Field(description="Day of departure")
    travel_class: str = Field(description="Class of travel")
    status: str = Field(description="running: at least one train has seats")
    count: int = Field(description="Trains with free seats")
    cheapest_train: str = Field(description="Number of the cheapest train")
    fare: float = Field(description="Its price for one seat, reservation included")
    currency: str = Field(description="ISO 4217 code of the fares: the origin's")
    departs_at: str = Field(description="Its local departure, YYYY-MM-DDTHH:MM")
    arrives_at: str = Field(description="Its local arrival, YYYY-MM-DDTHH:MM")
    duration_minutes: int = Field(description="Its travel time in minutes")
    distance_km: int = Field(description="Length of the line in kilometres")
    average_speed_kmh: float = Field(description="Its speed over the whole way in km/h")
    trains: list[TimetableTrain] = Field(description="All trains with free seats, by departure")


def _speed(distance_km: float, duration_minutes: float) -> float:
    return round(distance_km / duration_minutes * 60, 1)


@simulated_tool(
    category="source",
    answer=Timetable,
    examples=(
        {"origin": "Paris", "destination": "London", "date": "2026-03-18"},
        {"origin": "Berlin", "destination": "Vienna", "date": "2026-04-07", "travel_class": "first"},
        {"origin": "New York", "destination": "Toronto", "date": "2026-03-24"},
        {"origin": "Rome", "destination": "Zurich", "date": "2026-05-12"},
        {"origin": "Stockholm", "destination": "Berlin", "date": "2026-03-09", "travel_class": "first"},
    ),
    refusals=(
        ({"origin": "Paris", "destination": "Atlantis", "date": "2026-03-18"}, 404),
        ({"origin": "Paris", "destination": "Tokyo", "date": "2026-03-18"}, 404),
        ({"origin": "Paris", "destination": "Paris", "date": "2026-03-18"}, 400),
        ({"origin": "Paris", "destination": "London", "date": "tomorrow"}, 422),
    ),
    echoes=("origin", "destination", "date", "travel_class"),
    invariants=(
        *JOURNEY,
        Counts("count", "trains"),
        Requires("cheapest_train", "status", "running"),
        Formula("fare", ("trains",), least("fare"), "fare is the lowest fare of trains"),
        Bounds("distance_km", 50, 3000),
        Formula(
            "average_speed_kmh", ("distance_km", "duration_minutes"), _speed, "average_speed_kmh is distance over time"
        ),
    ),
)
def train_timetable(
    world: World, origin: CityName, destination: CityName, date: Day, travel_class: TravelClass = "second"
) -> dict[str, Any]:
    """List the direct trains between two cities on a day with times, fares and track distance, naming the cheapest."""
    found = _open(world, origin, destination, date, travel_class)
    day = calendar_date.fromisoformat(date)
    best = min(found, key=_dearness(day, travel_class))
    return {
        "origin": best.origin.name,
        "destination": best.destination.name,
        "status": "running",
        "count": len(found),
        "cheapest_train": best.number,
        "fare": best.fare(day, travel_class),
        "currency": best.currency,
        "departs_at": best.departs(day),
        "arrives_at": best.arrives(day),
        "duration_minutes": best.minutes,
        "distance_km": best.km,
        "average_speed_kmh": _speed(best.km, best.minutes),
        "trains": [
            {
                "train_number": t.number,
                "departs_at": t.departs(day),
                "arrives_at": t.arrives(day),
                "fare": t.fare(day, travel_class),
            }
            for t in found
        ],
    }


class RailOffer(BaseModel):
    """One offer for a journey."""

    offer_id: str = Field(description="Key by which the offer is reserved")
    train_number: str = Field(description="Number of the train")
    seats_left: int = Field(description="Seats for sale")
    price: float = Field(description="Price of one seat, reservation included")


class RailPlan(Answer):
    """Offers for a journey by train, from the cheapest."""

    origin: str = Field(description="City of departure")
    destination: str = Field(description="City of arrival")
    origin_station: str = Field(description="Station of departure")
    destination_station: str = Field(description="Station of arrival")
    date: str = Field(description="Day of departure")
    travel_class: str = Field(description="Class of travel")
    status: str = Field(description="offered")
    offer_count: int = Field(description="Offers made")
    offer_id: str = Field(description="Key of the cheapest offer")
    train_number: str = Field(description="Its train")
    base_price: float = Field(description="Its price before the reservation")
    reservation_fee: float = Field(description="Charge for the seat")
    fare: float = Field(description="Its price, reservation included")
    currency: str = Field(description="ISO 4217 code of the prices")
    departs_at: str = Field(description="Its local departure, YYYY-MM-DDTHH:MM")
    arrives_at: str = Field(description="Its local arrival, YYYY-MM-DDTHH:MM")
    duration_minutes: int = Field(description="Its travel time in minutes")
    kg_co2_per_traveller: float = Field(description="Carbon dioxide of the journey per traveller in kilograms")
    offers: list[RailOffer] = Field(description="All offers, from the cheapest")


@simulated_tool(
    category="source",
    answer=RailPlan,
    examples=(
        {"origin": "Lisbon", "destination": "Madrid", "date": "2026-03-18"},
        {"origin": "Vienna", "destination": "Rome", "date": "2026-04-14", "travel_class": "first"},
        {"origin": "Chicago", "destination": "Toronto", "date": "2026-03-25"},
        {"origin": "London", "destination": "Berlin", "date": "2026-05-21"},
    ),
    refusals=(
        ({"origin": "Gotham", "destination": "Madrid", "date": "2026-03-18"}, 404),
        ({"origin": "Lisbon", "destination": "Sydney", "date": "2026-03-18"}, 404),
        ({"origin": "Lisbon", "destination": "Madrid", "date": "2026-02-18"}, 400),
        ({"origin": "Lisbon", "destination": "Madrid", "date": "2026-03-18", "travel_class": "third"}, 422),
    ),
    echoes=("origin", "destination", "date", "travel_class"),
    invariants=(
        *JOURNEY,
        Counts("offer_count", "offers"),
        Requires("offer_id", "status", "offered"),
        Requires("train_number", "status", "offered"),
        Known("origin_station", "origin", STATIONS),
        Known("destination_station", "destination", STATIONS),
        Sums("fare", ("base_price", "reservation_fee")),
        Formula("fare", ("offers",), least("price"), "fare is the lowest price of offers"),
        Bounds("kg_co2_per_traveller", 1, 200),
    ),
)
def plan_rail_journey(
    world: World,
    origin: CityName,
    destination: CityName,
    date: Day,
    travel_class: Annotated[Literal["second", "first"], Field(description="Class of travel")] = "second",
) -> dict[str, Any]:
    """Get bookable offers for a train journey: stations, seats left, price with reservation and carbon per traveller.

    Each offer has an id by which a seat is reserved.
    """
    found = _open(world, origin, destination, date, travel_class)
    day = calendar_date.fromisoformat(date)
    ranked = sorted(found, key=_dearness(day, travel_class))
    best = ranked[0]
    return {
        "origin": best.origin.name,
        "destination": best.destination.name,
        "origin_station": STATIONS[best.origin.name],
        "destination_station": STATIONS[best.destination.name],
        "status": "offered",
        "offer_count": len(ranked),
        "offer_id": offer_id(best, day, travel_class),
        "train_number": best.number,
        "base_price": best.base(day, travel_class),
        "reservation_fee": best.reservation,
        "fare": best.fare(day, travel_class),
        "currency": best.currency,
        "departs_at": best.departs(day),
        "arrives_at": best.arrives(day),
        "duration_minutes": best.minutes,
        "kg_co2_per_traveller": round(best.km * KG_PER_KM, 2),
        "offers": [
            {
                "offer_id": offer_id(t, day, travel_class),
                "train_number": t.number,
                "seats_left": seats_free(world, t, day, travel_class),
                "price": t.fare(day, travel_class),
            }
            for t in ranked
        ],
    }
