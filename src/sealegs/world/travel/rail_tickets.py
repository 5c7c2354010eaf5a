"""Buying a seat on a train: by its number, or by the key of an offer.

Whichever way a seat is bought, the ledger shows one issued train ticket.
"""

from __future__ import annotations

from datetime import date as calendar_date
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Formula, Invariant, Known, Ordered, Requires, Sums
from sealegs.faults.seeds import digest
from sealegs.world.state import identifier
from sealegs.world.tool import Answer, Refusal, World, simulated_tool
from sealegs.world.travel.facts import CURRENCY_OF, future_day
from sealegs.world.travel.flights import flight_minutes
from sealegs.world.travel.rail_facts import STATIONS, Train, train_by_number
from sealegs.world.travel.travel_arguments import Day, Person

TravelClass = Annotated[Literal["second", "first"], Field(description="Class of travel")]
CLASS_CODES = {"first": "1", "second": "2"}


def seats_free(world: World, found: Train, day: calendar_date, travel_class: str) -> int:
    """Seats for sale now."""
    taken = world.state("travel.train_seats").get(f"{found.number} {day} {travel_class}", 0)
    return max(0, found.seats(day, travel_class) - int(taken))


def offer_id(found: Train, day: calendar_date, travel_class: str) -> str:
    """The key of an offer: train, day and class."""
    return f"{found.number}-{day:%Y%m%d}-{CLASS_CODES[travel_class]}"


class TrainTicket(Answer):
    """A paid seat on a train."""

    status: str = Field(description="issued")
    ticket_id: str = Field(description="Id of the ticket")
    train_number: str = Field(description="Number of the train")
    date: str = Field(description="Day of departure")
    travel_class: str = Field(description="Class of travel")
    passenger: str = Field(description="First and last name")
    origin: str = Field(description="City of departure")
    destination: str = Field(description="City of arrival")
    destination_station: str = Field(description="Station of arrival")
    coach: int = Field(description="Number of the coach")
    seat: int = Field(description="Number of the seat")
    departs_at: str = Field(description="Local departure, YYYY-MM-DDTHH:MM")
    arrives_at: str = Field(description="Local arrival, YYYY-MM-DDTHH:MM")
    duration_minutes: int = Field(description="Travel time in minutes")
    base_price: float = Field(description="Price before the reservation")
    reservation_fee: float = Field(description="Charge for the seat")
    total: float = Field(description="Price, reservation included")
    currency: str = Field(description="ISO 4217 code of the price: the origin's")


ISSUED: tuple[Invariant, ...] = (
    Known("currency", "origin", CURRENCY_OF),
    Known("destination_station", "destination", STATIONS),
    Known("destination", "destination_station", {station: name for name, station in STATIONS.items()}),
    Requires("ticket_id", "status", "issued"),
    Requires("train_number", "status", "issued"),
    Requires("passenger", "status", "issued"),
    Requires("origin", "status", "issued"),
    Sums("total", ("base_price", "reservation_fee")),
    Bounds("total", 1, 1_000_000),
    Bounds("seat", 1, 80),
    Bounds("coach", 1, 14),
    Bounds("duration_minutes", 30, 2400),
    Ordered("date", "departs_at"),
    Ordered("date", "arrives_at"),
    Formula(
        "duration_minutes",
        ("departs_at", "arrives_at", "origin", "destination"),
        flight_minutes,
        "duration_minutes lies between the local times departs_at and arrives_at",
    ),
)


def _issue(world: World, found: Train, date: str, travel_class: str, passenger: str) -> dict[str, Any]:
    day = future_day(date, "date")
    id = identifier("TRN", found.number, date, travel_class, passenger)
    issued = world.state("travel.train_tickets")
    if id in issued:
        message = f"{passenger} has a ticket for {found.number} on {date} already."
        raise Refusal(409, "DuplicateTicket", message, ticket_id=id)
    if seats_free(world, found, day, travel_class) == 0:
        raise Refusal(409, "SoldOut", f"No {travel_class}-class seat is left on {found.number} on {date}.")
    taken = world.state("travel.train_seats")
    key = f"{found.number} {day} {travel_class}"
    taken[key] = taken.get(key, 0) + 1
    issued[id] = True
    total = found.fare(day, travel_class)
    world.effect("issue_train_ticket", id, train=found.number, date=date, passenger=passenger, total=total)
    drawn = digest("coach", id)
    return {
        "status": "issued",
        "ticket_id": id,
        "train_number": found.number,
        "date": date,
        "travel_class": travel_class,
        "passenger": passenger,
        "origin": found.origin.name,
        "destination": found.destination.name,
        "destination_station": STATIONS[found.destination.name],
        "coach": 1 + drawn % (3 if travel_class == "first" else 12),
        "seat": 1 + drawn // 16 % 80,
        "departs_at": found.departs(day),
        "arrives_at": found.arrives(day),
        "duration_minutes": found.minutes,
        "base_price": found.base(day, travel_class),
        "reservation_fee": found.reservation,
        "total": total,
        "currency": found.currency,
    }


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="travel_ticket_history",
    answer=TrainTicket,
    examples=(
        {"train_number": "IC-233", "date": "2026-03-18", "passenger": "Ines Carvalho"},
        {"train_number": "IC-297", "date": "2026-04-07", "passenger": "Jonas Keller", "travel_class": "first"},
        {"train_number": "NX-409", "date": "2026-03-24", "passenger": "Dana Whitfield"},
        {"train_number": "IC-401", "date": "2026-05-12", "passenger": "Luca Baumann"},
    ),
    refusals=(
        ({"train_number": "IC-999", "date": "2026-03-18", "passenger": "Ines Carvalho"}, 404),
        ({"train_number": "IC-233", "date": "2026-02-18", "passenger": "Ines Carvalho"}, 400),
        ({"train_number": "the express", "date": "2026-03-18", "passenger": "Ines Carvalho"}, 422),
    ),
    echoes=("train_number", "date", "travel_class", "passenger"),
    invariants=ISSUED,
)
def buy_train_ticket(
    world: World,
    train_number: Annotated[
        str, Field(pattern=r"^[A-Z]{2}-\d{3}$", description="Number of a train of the timetable, such as IC-233")
    ],
    date: Day,
    passenger: Person,
    travel_class: TravelClass = "second",
) -> dict[str, Any]:
    """Buy a passenger a ticket with a reserved seat on a train, by train number, day and class."""
    return _issue(world, train_by_number(train_number), date, travel_class, passenger)


class OfferTicket(TrainTicket):
    """A seat reserved from an offer."""

    offer_id: str = Field(description="Key of the offer that was reserved")
    board_by: str = Field(description="Local time at which the doors close, YYYY-MM-DDTHH:MM")


def _day_of(offer: str) -> str:
    return datetime.strptime(offer.split("-")[2], "%Y%m%d").date().isoformat()  # noqa: DTZ007


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="travel_ticket_history",
    answer=OfferTicket,
    examples=(
        {"offer_id": "IC-233-20260318-2", "passenger": "Ines Carvalho"},
        {"offer_id": "IC-297-20260407-1", "passenger": "Jonas Keller"},
        {"offer_id": "NX-409-20260324-2", "passenger": "Dana Whitfield"},
        {"offer_id": "IC-202-20260519-2", "passenger": "Grace O'Neill"},
    ),
    refusals=(
        ({"offer_id": "IC-999-20260318-2", "passenger": "Ines Carvalho"}, 404),
        ({"offer_id": "IC-233-20260218-2", "passenger": "Ines Carvalho"}, 400),
        ({"offer_id": "IC-233-20261399-2", "passenger": "Ines Carvalho"}, 400),
        ({"offer_id": "IC-233", "passenger": "Ines Carvalho"}, 422),
    ),
    echoes=("offer_id", "passenger"),
    invariants=(*ISSUED, Ordered("board_by", "departs_at"), Ordered("date", "board_by")),
)
def reserve_rail_offer(
    world: World,
    offer_id: Annotated[
        str,
        Field(pattern=r"^[A-Z]{2}-\d{3}-\d{8}-[12]$", description="Id of a train offer, such as IC-233-20260318-2"),
    ],
    passenger: Person,
) -> dict[str, Any]:
    """Reserve and pay the train offer behind an offer id for a passenger; gives the ticket with coach and seat."""
    found = train_by_number(offer_id[:6])
    try:
        day = _day_of(offer_id)
    except ValueError as error:
        raise Refusal(400, "InvalidOffer", f"The offer {offer_id} names no date.") from error
    travel_class = next(name for name, code in CLASS_CODES.items() if code == offer_id[-1])
    answer = _issue(world, found, day, travel_class, passenger)
    return {**answer, "offer_id": offer_id, "board_by": answer["departs_at"]}
