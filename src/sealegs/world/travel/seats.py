"""Seats on flights in an episode: who holds one, who has a ticket, how many are left.

A passenger's seat on a flight passes from held to ticketed. However it gets there, the ledger shows one reserved seat
and one issued ticket.
"""

from __future__ import annotations

from dataclasses import asdict
from datetime import date

from sealegs.faults.seeds import digest
from sealegs.world.state import NOW, World, identifier
from sealegs.world.tool import Refusal
from sealegs.world.travel.facts import future_day, rounded_money
from sealegs.world.travel.flight_facts import HOLDS, Flight, SeatHold, flight, hold_of

TAX_SHARE = 0.16


def seats_left(world: World, found: Flight, day: date, cabin: str) -> int:
    """Seats for sale now."""
    taken = world.state("travel.seats_taken").get(f"{found.number} {day} {cabin}", 0)
    return max(0, found.seats(day, cabin) - int(taken))


def find_hold(world: World, id: str) -> SeatHold:
    """The hold of this id.

    Raises:
        Refusal: 404 where there is none.
    """
    kept = world.state("travel.holds").get(id)
    found = SeatHold(**kept) if kept is not None else HOLDS.get(id)
    if found is None:
        raise Refusal(404, "HoldNotFound", f"No seat is held under {id}.")
    return found


def is_ticketed(world: World, hold: SeatHold) -> bool:
    """Return whether a ticket was issued for the hold."""
    return hold.id in world.state("travel.tickets")


def hold_flight_seat(world: World, number: str, day_text: str, cabin: str, passenger: str) -> SeatHold:
    """Hold a seat for a passenger.

    Raises:
        Refusal: 404 for an unknown flight, 400 for a day that cannot be booked, 409 where the passenger already has a
            seat or none is left.
    """
    found, day = flight(number), future_day(day_text, "date")
    hold = hold_of(found, day_text, cabin, passenger, NOW)
    if is_ticketed(world, hold):
        reference = world.state("travel.tickets")[hold.id]
        message = f"{passenger} has a ticket for {number} on {day_text} already."
        raise Refusal(409, "DuplicateBooking", message, booking_reference=reference)
    if valid_hold(world, hold.id):
        raise Refusal(409, "AlreadyHeld", f"A seat on {number} is already held for {passenger}.", hold_id=hold.id)
    if seats_left(world, found, day, cabin) == 0:
        raise Refusal(409, "SoldOut", f"No {cabin} seat is left on {number} on {day_text}.")
    taken = world.state("travel.seats_taken")
    key = f"{number} {day} {cabin}"
    taken[key] = taken.get(key, 0) + 1
    world.state("travel.holds")[hold.id] = asdict(hold)
    world.effect("reserve_seat", f"{number} {day_text}", cabin=cabin, passenger=passenger)
    return hold


def valid_hold(world: World, id: str) -> SeatHold | None:
    """The hold of this id that can still be ticketed, if there is one."""
    try:
        found = find_hold(world, id)
    except Refusal:
        return None
    return None if found.expires_at <= NOW or is_ticketed(world, found) else found


def issue(world: World, hold: SeatHold) -> str:
    """Issue the ticket of a hold and give the booking reference.

    Raises:
        Refusal: 409 where it was issued before, 410 where the hold has lapsed.
    """
    if is_ticketed(world, hold):
        reference = world.state("travel.tickets")[hold.id]
        raise Refusal(409, "AlreadyTicketed", f"{hold.id} was ticketed already.", booking_reference=reference)
    if hold.expires_at <= NOW:
        raise Refusal(410, "HoldExpired", f"The hold {hold.id} lapsed at {hold.expires_at}.")
    reference = identifier("PNR", hold.flight, hold.day, hold.cabin, hold.passenger)
    world.state("travel.tickets")[hold.id] = reference
    total, currency = price(hold)["total"], flight(hold.flight).origin.currency
    world.effect("issue_ticket", reference, passenger=hold.passenger, total=total, currency=currency)
    return reference


def price(hold: SeatHold) -> dict[str, float]:
    """The parts of a seat's price: `base_fare` and `taxes` make `total`."""
    found = flight(hold.flight)
    total = found.fare(date.fromisoformat(hold.day), hold.cabin)
    taxes = rounded_money(total * TAX_SHARE, found.origin.currency)
    return {"base_fare": rounded_money(total - taxes, found.origin.currency), "taxes": taxes, "total": total}


def seat_of(hold: SeatHold) -> str:
    """The seat's row and letter."""
    drawn = digest("seat", hold.id)
    row = 1 + drawn % 6 if hold.cabin == "business" else 9 + drawn % 24
    return f"{row}{'ABCDEF'[drawn // 32 % 6]}"
