"""Buying a seat on a flight: at once, or held first and ticketed later."""

from __future__ import annotations

from datetime import date as calendar_date
from typing import Annotated, Any

from pydantic import Field

from sealegs.faults.invariants import Bounds, Formula, Invariant, Known, Ordered, Requires, Sums
from sealegs.world.tool import Answer, World, simulated_tool
from sealegs.world.travel.facts import AIRPORTS, CURRENCY_OF
from sealegs.world.travel.flight_facts import LAPSED_HOLDS, OPEN_HOLDS, SeatHold, flight, seat_hold_id
from sealegs.world.travel.flights import flight_minutes
from sealegs.world.travel.seats import find_hold, hold_flight_seat, issue, price, seat_of, valid_hold
from sealegs.world.travel.travel_arguments import Cabin, Day, FlightNumber, Person


class FlightSeat(Answer):
    """A passenger's seat on a flight and its price."""

    flight_number: str = Field(description="Carrier code and number")
    date: str = Field(description="Day of departure")
    cabin: str = Field(description="Cabin class")
    passenger: str = Field(description="First and last name")
    origin: str = Field(description="City of departure")
    destination: str = Field(description="City of arrival")
    base_fare: float = Field(description="Price before taxes")
    taxes: float = Field(description="Taxes and charges")
    total: float = Field(description="Price, taxes included")
    currency: str = Field(description="ISO 4217 code of the price: the origin's")


def _seat(hold: SeatHold) -> dict[str, Any]:
    found = flight(hold.flight)
    return {
        "flight_number": hold.flight,
        "date": hold.day,
        "cabin": hold.cabin,
        "passenger": hold.passenger,
        "origin": found.origin.name,
        "destination": found.destination.name,
        **price(hold),
        "currency": found.origin.currency,
    }


def _ticket(hold: SeatHold, reference: str) -> dict[str, Any]:
    found, day = flight(hold.flight), calendar_date.fromisoformat(hold.day)
    return {
        "status": "ticketed",
        "booking_reference": reference,
        **_seat(hold),
        "seat": seat_of(hold),
        "destination_airport": AIRPORTS[found.destination.name].code,
        "departs_at": found.departs(day),
        "arrives_at": found.arrives(day),
        "duration_minutes": found.minutes,
    }


PRICED: tuple[Invariant, ...] = (
    Known("currency", "origin", CURRENCY_OF),
    Sums("total", ("base_fare", "taxes")),
    Bounds("total", 1, 20_000_000),
    Bounds("base_fare", 1, 20_000_000),
    Bounds("taxes", 0, 5_000_000),
)
TICKETED: tuple[Invariant, ...] = (
    Requires("booking_reference", "status", "ticketed"),
    Requires("seat", "status", "ticketed"),
    Requires("passenger", "status", "ticketed"),
    Requires("flight_number", "status", "ticketed"),
    Known("destination_airport", "destination", {name: found.code for name, found in AIRPORTS.items()}),
    Known("destination", "destination_airport", {found.code: name for name, found in AIRPORTS.items()}),
    Ordered("date", "departs_at"),
    Ordered("date", "arrives_at"),
    Bounds("duration_minutes", 30, 2400),
    Formula(
        "duration_minutes",
        ("departs_at", "arrives_at", "origin", "destination"),
        flight_minutes,
        "duration_minutes lies between the local times departs_at and arrives_at",
    ),
)


class HeldSeat(FlightSeat):
    """A seat held for a passenger, not paid."""

    status: str = Field(description="held")
    hold_id: str = Field(description="Id of the hold, for issuing the ticket")
    held_at: str = Field(description="When the hold began")
    expires_at: str = Field(description="When the hold lapses if no ticket is issued")
    departs_at: str = Field(description="Local departure, YYYY-MM-DDTHH:MM")


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="travel_ticket_history",
    answer=HeldSeat,
    examples=(
        {"flight_number": "SV101", "date": "2026-03-18", "passenger": "Ines Carvalho"},
        {"flight_number": "MW227", "date": "2026-04-07", "passenger": "Kenji Mori", "cabin": "business"},
        {"flight_number": "AQ311", "date": "2026-03-03", "passenger": "Dana Whitfield"},
        {"flight_number": "PL831", "date": "2026-05-05", "passenger": "Grace O'Neill", "cabin": "business"},
    ),
    refusals=(
        ({"flight_number": "ZZ9999", "date": "2026-03-18", "passenger": "Ines Carvalho"}, 404),
        ({"flight_number": "SV101", "date": "2026-02-18", "passenger": "Ines Carvalho"}, 400),
        ({"flight_number": "AQ166", "date": "2026-03-18", "passenger": "Jonas Keller"}, 409),
        ({"flight_number": "MW102", "date": "2026-03-11", "passenger": "Ines Carvalho"}, 409),
        ({"flight_number": "101", "date": "2026-03-18", "passenger": "Ines Carvalho"}, 422),
    ),
    echoes=("flight_number", "date", "cabin", "passenger"),
    invariants=(
        *PRICED,
        Requires("hold_id", "status", "held"),
        Requires("passenger", "status", "held"),
        Requires("flight_number", "status", "held"),
        Ordered("held_at", "expires_at"),
        Ordered("expires_at", "departs_at"),
    ),
)
def hold_seat(
    world: World, flight_number: FlightNumber, date: Day, passenger: Person, cabin: Cabin = "economy"
) -> dict[str, Any]:
    """Hold a flight's seat for a passenger without paying. Its fare is kept until the hold lapses in a day or two."""
    hold = hold_flight_seat(world, flight_number, date, cabin, passenger)
    day = calendar_date.fromisoformat(date)
    return {
        "status": "held",
        "hold_id": hold.id,
        **_seat(hold),
        "held_at": hold.held_at,
        "expires_at": hold.expires_at,
        "departs_at": flight(flight_number).departs(day),
    }


class FlightTicket(FlightSeat):
    """A paid seat."""

    status: str = Field(description="ticketed")
    booking_reference: str = Field(description="Reference of the booking")
    seat: str = Field(description="Row and letter")
    destination_airport: str = Field(description="IATA code of the airport of arrival")
    departs_at: str = Field(description="Local departure, YYYY-MM-DDTHH:MM")
    arrives_at: str = Field(description="Local arrival, YYYY-MM-DDTHH:MM")
    duration_minutes: int = Field(description="Travel time in minutes, stops included")


class HoldTicket(FlightTicket):
    """The ticket of a held seat."""

    hold_id: str = Field(description="Id of the hold that was ticketed")


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="travel_ticket_history",
    answer=HoldTicket,
    examples=tuple({"hold_id": hold.id} for hold in OPEN_HOLDS),
    refusals=(
        ({"hold_id": "HLD-00000000"}, 404),
        ({"hold_id": LAPSED_HOLDS[0].id}, 410),
        ({"hold_id": "the one for Jonas"}, 422),
    ),
    echoes=("hold_id",),
    invariants=(*PRICED, *TICKETED),
)
def issue_ticket(
    world: World,
    hold_id: Annotated[str, Field(pattern=r"^HLD-[0-9A-F]{8}$", description="Id of a held seat, such as HLD-2FF4F235")],
) -> dict[str, Any]:
    """Pay for a held seat and issue its ticket. Each hold can be ticketed once, before it lapses."""
    hold = find_hold(world, hold_id)
    return {**_ticket(hold, issue(world, hold)), "hold_id": hold_id}


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="travel_ticket_history",
    parts=2,
    answer=FlightTicket,
    examples=(
        {"flight_number": "SV101", "date": "2026-03-18", "passenger": "Ines Carvalho"},
        {"flight_number": "BN226", "date": "2026-04-07", "passenger": "Kenji Mori", "cabin": "business"},
        {"flight_number": "SV596", "date": "2026-03-12", "passenger": "Luca Baumann", "cabin": "business"},
        {"flight_number": "BN941", "date": "2026-05-12", "passenger": "Priya Nair"},
        {"flight_number": "NF1034", "date": "2026-06-09", "passenger": "Min-jun Seo", "cabin": "business"},
    ),
    refusals=(
        ({"flight_number": "ZZ9999", "date": "2026-03-18", "passenger": "Ines Carvalho"}, 404),
        ({"flight_number": "SV101", "date": "2027-03-18", "passenger": "Ines Carvalho"}, 400),
        ({"flight_number": "MW102", "date": "2026-03-11", "passenger": "Ines Carvalho"}, 409),
        ({"flight_number": "SV101", "date": "2026-03-18", "passenger": "Ines"}, 422),
    ),
    echoes=("flight_number", "date", "cabin", "passenger"),
    invariants=(*PRICED, *TICKETED),
)
def book_flight(
    world: World, flight_number: FlightNumber, date: Day, passenger: Person, cabin: Cabin = "economy"
) -> dict[str, Any]:
    """Book and pay a seat on a flight at once; a seat already held for the passenger is the one that is paid."""
    hold = valid_hold(world, seat_hold_id(flight_number, date, cabin, passenger)) or hold_flight_seat(
        world, flight_number, date, cabin, passenger
    )
    return _ticket(hold, issue(world, hold))
