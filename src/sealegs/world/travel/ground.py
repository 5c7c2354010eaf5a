"""From the airport into the city: when a traveller is out of it, and the car that waits.

Whichever way a car is booked, the ledger shows one reserved ride.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Formula, Invariant, Known, Ordered, Requires, Sums
from sealegs.world.state import identifier
from sealegs.world.tool import Answer, Refusal, World, simulated_tool
from sealegs.world.travel.facts import (
    AIRPORTS,
    CURRENCY_OF,
    format_local_moment,
    future_day,
    local_moment,
    rounded_money,
    served_city,
)
from sealegs.world.travel.travel_arguments import CityName, Moment, Person

TAXI_IN = 15
PASSPORT = 30
FIRST_BAG, NEXT_BAG = 20, 5
VEHICLES = {"saloon": 1.0, "estate": 1.3, "van": 1.6}
WITHOUT_VANS = frozenset({"Zurich", "Beijing"})

Vehicle = Annotated[Literal["saloon", "estate", "van"], Field(description="Kind of car")]
Bags = Annotated[int, Field(ge=0, le=6, description="Pieces of checked baggage to wait for")]
Passport = Annotated[bool, Field(description="Whether passport control lies on the way")]


def exit_of(landed: datetime, checked_bags: int, passport_control: bool) -> datetime:
    """The moment when a traveller is out of the airport."""
    return landed + timedelta(minutes=sum(_waits(checked_bags, passport_control)))


def _waits(checked_bags: int, passport_control: bool) -> tuple[int, int, int]:
    baggage = FIRST_BAG + NEXT_BAG * (checked_bags - 1) if checked_bags else 0
    return TAXI_IN, PASSPORT if passport_control else 0, baggage


def _minutes(start: str, end: str) -> float:
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds() / 60


class ExitTime(Answer):
    """When a traveller is out of the airport."""

    arrives_at: str = Field(description="Local arrival of the flight, YYYY-MM-DDTHH:MM")
    walk_minutes: int = Field(description="From the stand to the hall")
    passport_minutes: int = Field(description="Passport control")
    baggage_minutes: int = Field(description="Waiting for baggage")
    total_minutes: int = Field(description="From arrival to the exit")
    exit_at: str = Field(description="When the traveller is out, YYYY-MM-DDTHH:MM")


@simulated_tool(
    category="processor",
    answer=ExitTime,
    examples=(
        {"arrives_at": "2026-03-18T19:35", "checked_bags": 1},
        {"arrives_at": "2026-04-07T08:20", "checked_bags": 3, "passport_control": True},
        {"arrives_at": "2026-05-12T23:50", "checked_bags": 0, "passport_control": False},
        {"arrives_at": "2026-03-24T11:05", "checked_bags": 2, "passport_control": False},
    ),
    refusals=(
        ({"arrives_at": "2026-02-30T19:35", "checked_bags": 1}, 400),
        ({"arrives_at": "2026-03-18T19:35", "checked_bags": 9}, 422),
        ({"arrives_at": "tonight", "checked_bags": 1}, 422),
    ),
    echoes=("arrives_at",),
    invariants=(
        Sums("total_minutes", ("walk_minutes", "passport_minutes", "baggage_minutes")),
        Formula("total_minutes", ("arrives_at", "exit_at"), _minutes, "total_minutes lie from arrives_at to exit_at"),
        Ordered("arrives_at", "exit_at"),
        Bounds("total_minutes", 0, 240),
    ),
)
def arrival_exit_time(
    world: World, arrives_at: Moment, checked_bags: Bags, passport_control: Passport = True
) -> dict[str, Any]:
    """Estimate when a traveller is out of the airport after landing, from baggage and passport control."""
    landed = local_moment(arrives_at, "arrives_at")
    walk, passport, baggage = _waits(checked_bags, passport_control)
    return {
        "walk_minutes": walk,
        "passport_minutes": passport,
        "baggage_minutes": baggage,
        "total_minutes": walk + passport + baggage,
        "exit_at": format_local_moment(exit_of(landed, checked_bags, passport_control)),
    }


class Ride(Answer):
    """A booked car from the airport to the centre of its city."""

    status: str = Field(description="confirmed")
    ride_id: str = Field(description="Id of the booking")
    city: str = Field(description="City")
    airport: str = Field(description="IATA code of the airport")
    traveller: str = Field(description="First and last name")
    vehicle: str = Field(description="Kind of car")
    pickup_at: str = Field(description="Local time at which the car waits, YYYY-MM-DDTHH:MM")
    dropoff_at: str = Field(description="Expected local time in the centre, YYYY-MM-DDTHH:MM")
    drive_minutes: int = Field(description="Driving time in minutes")
    distance_km: float = Field(description="Road distance in kilometres")
    flagfall: float = Field(description="Basic charge")
    distance_charge: float = Field(description="Charge for the distance")
    fare: float = Field(description="Price of the ride")
    currency: str = Field(description="ISO 4217 code of the price")


RIDE: tuple[Invariant, ...] = (
    Known("airport", "city", {name: found.code for name, found in AIRPORTS.items()}),
    Known("city", "airport", {found.code: name for name, found in AIRPORTS.items()}),
    Known("currency", "city", CURRENCY_OF),
    Requires("ride_id", "status", "confirmed"),
    Requires("traveller", "status", "confirmed"),
    Sums("fare", ("flagfall", "distance_charge")),
    Bounds("fare", 1, 500_000),
    Bounds("distance_km", 1, 120),
    Bounds("drive_minutes", 5, 180),
    Formula("drive_minutes", ("pickup_at", "dropoff_at"), _minutes, "drive_minutes lie from pickup_at to dropoff_at"),
    Ordered("pickup_at", "dropoff_at"),
)


def _reserve(world: World, city: str, pickup: datetime, traveller: str, vehicle: str) -> dict[str, Any]:
    where = served_city(city).name
    future_day(format_local_moment(pickup)[:10], "the pick-up")
    if vehicle == "van" and where in WITHOUT_VANS:
        raise Refusal(409, "NoVehicle", f"No van is left at {AIRPORTS[where].name}.", vehicles=["saloon", "estate"])
    id = identifier("RDE", where, format_local_moment(pickup), traveller)
    booked = world.state("travel.rides")
    if id in booked:
        raise Refusal(409, "DuplicateBooking", f"A car waits for {traveller} at that time already.", ride_id=id)
    answer = _ride(id, where, pickup, traveller, vehicle)
    booked[id] = vehicle
    world.effect(
        "reserve_ride",
        id,
        traveller=traveller,
        city=where,
        pickup_at=format_local_moment(pickup),
        vehicle=vehicle,
        fare=answer["fare"],
    )
    return answer


def _ride(id: str, where: str, pickup: datetime, traveller: str, vehicle: str) -> dict[str, Any]:
    airport, currency, factor = AIRPORTS[where], CURRENCY_OF[where], VEHICLES[vehicle]
    flagfall = rounded_money(airport.flagfall * factor, currency)
    charge = rounded_money(airport.per_km * airport.road_km * factor, currency)
    return {
        "status": "confirmed",
        "ride_id": id,
        "city": where,
        "airport": airport.code,
        "traveller": traveller,
        "vehicle": vehicle,
        "pickup_at": format_local_moment(pickup),
        "dropoff_at": format_local_moment(pickup + timedelta(minutes=airport.drive_minutes)),
        "drive_minutes": airport.drive_minutes,
        "distance_km": airport.road_km,
        "flagfall": flagfall,
        "distance_charge": charge,
        "fare": round(flagfall + charge, 2),
        "currency": currency,
    }


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="ground_transport_history",
    answer=Ride,
    examples=(
        {"city": "Berlin", "pickup_at": "2026-03-18T20:40", "traveller": "Ines Carvalho"},
        {"city": "Seoul", "pickup_at": "2026-04-07T09:35", "traveller": "Kenji Mori", "vehicle": "estate"},
        {"city": "Toronto", "pickup_at": "2026-03-25T12:15", "traveller": "Dana Whitfield", "vehicle": "van"},
        {"city": "London", "pickup_at": "2026-05-12T23:10", "traveller": "Anil Deshmukh"},
    ),
    refusals=(
        ({"city": "Atlantis", "pickup_at": "2026-03-18T20:40", "traveller": "Ines Carvalho"}, 404),
        ({"city": "Zurich", "pickup_at": "2026-03-18T20:40", "traveller": "Ines Carvalho", "vehicle": "van"}, 409),
        ({"city": "Berlin", "pickup_at": "2026-02-18T20:40", "traveller": "Ines Carvalho"}, 400),
        ({"city": "Berlin", "pickup_at": "18 March, 20:40", "traveller": "Ines Carvalho"}, 422),
    ),
    echoes=("pickup_at", "city", "traveller", "vehicle"),
    invariants=RIDE,
)
def book_ride(
    world: World,
    city: CityName,
    pickup_at: Annotated[Moment, Field(description="Local time of the pick-up, such as 2026-03-18T20:40")],
    traveller: Person,
    vehicle: Vehicle = "saloon",
) -> dict[str, Any]:
    """Book a car from a city's airport to its centre for a given pick-up time, at the city's taxi tariff."""
    return _reserve(world, city, local_moment(pickup_at, "pickup_at"), traveller, vehicle)


class Transfer(Ride):
    """A booked car that follows a flight."""

    arrives_at: str = Field(description="Local arrival of the flight, YYYY-MM-DDTHH:MM")
    wait_minutes: int = Field(description="From arrival to the pick-up")


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="ground_transport_history",
    answer=Transfer,
    examples=(
        {"city": "Berlin", "arrives_at": "2026-03-18T19:35", "traveller": "Ines Carvalho", "checked_bags": 1},
        {"city": "Seoul", "arrives_at": "2026-04-07T08:20", "traveller": "Kenji Mori", "checked_bags": 3},
        {"city": "Toronto", "arrives_at": "2026-03-25T11:05", "traveller": "Dana Whitfield", "checked_bags": 0},
        {"city": "London", "arrives_at": "2026-05-12T22:15", "traveller": "Anil Deshmukh", "checked_bags": 2},
    ),
    refusals=(
        ({"city": "Atlantis", "arrives_at": "2026-03-18T19:35", "traveller": "Ines Carvalho", "checked_bags": 1}, 404),
        ({"city": "Berlin", "arrives_at": "2026-02-18T19:35", "traveller": "Ines Carvalho", "checked_bags": 1}, 400),
        ({"city": "Berlin", "arrives_at": "2026-03-18T19:35", "traveller": "Ines Carvalho", "checked_bags": 12}, 422),
    ),
    echoes=("arrives_at", "city", "traveller", "vehicle"),
    invariants=(
        *RIDE,
        Ordered("arrives_at", "pickup_at"),
        Formula("wait_minutes", ("arrives_at", "pickup_at"), _minutes, "wait_minutes lie from arrives_at to pickup_at"),
        Bounds("wait_minutes", 0, 240),
    ),
)
def book_airport_transfer(
    world: World,
    city: CityName,
    arrives_at: Moment,
    traveller: Person,
    checked_bags: Bags,
    passport_control: Passport = True,
    vehicle: Vehicle = "saloon",
) -> dict[str, Any]:
    """Book a driver who meets a landing traveller at the airport; the pick-up allows for passport and baggage."""
    landed = local_moment(arrives_at, "arrives_at")
    pickup = exit_of(landed, checked_bags, passport_control)
    waited = int((pickup - landed).total_seconds() // 60)
    return {
        **_reserve(world, city, pickup, traveller, vehicle),
        "arrives_at": arrives_at,
        "wait_minutes": waited,
    }
