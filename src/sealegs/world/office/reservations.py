"""Free meeting rooms, and the effects that holding and booking one have on the world. Rules, no tools.

A booking does two things, which the ledger names apart: it blocks the slot and it confirms it for an organiser. A hold
does the first, its confirmation the second. Times are the office's own clock; series of meetings are not covered.
"""

from __future__ import annotations

from typing import Any

from sealegs.world.office.facts import (
    BOOKED,
    HOLDS,
    ROOMS,
    STAFF,
    THIS_MINUTE,
    Room,
    RoomHold,
    TimeSlot,
    clock_after,
    clock_minutes_between,
    coming_day,
    room,
    site,
)
from sealegs.world.office.working_days import WEEKDAY_OF, weekend, within_year
from sealegs.world.state import identifier
from sealegs.world.tool import Refusal, World

OPENS, CLOSES = "07:00", "20:00"
HOLD_MINUTES = 15


def slot_at(room_id: str, date: str, start: str, minutes: int) -> TimeSlot:
    """The slot.

    Raises:
        Refusal: 400 where it is past, on a weekend or outside opening hours.
    """
    if weekend(within_year(coming_day(date))):
        raise Refusal(400, "OfficeClosed", f"{date} is a {WEEKDAY_OF[date]}; offices open Monday to Friday.", date=date)
    if f"{date}T{start}" < THIS_MINUTE:
        raise Refusal(400, "TimeInThePast", f"{date} {start} is before now, {THIS_MINUTE}.", start=start)
    end = clock_after(start, minutes)
    if start < OPENS or not start < end <= CLOSES:
        raise Refusal(400, "OfficeClosed", f"Rooms can be had from {OPENS} to {CLOSES}.", start=start, end=end)
    return TimeSlot(room_id, date, start, end)


def is_taken(world: World, slot: TimeSlot) -> bool:
    """Return whether a booking or a hold stands in the way."""
    added = world.state("office.room_slots").values()
    return any(_overlap(slot, other) for other in (*BOOKED, *(hold.slot for hold in HOLDS), *added))


def fitting_rooms(
    world: World, city: str, date: str, start: str, minutes: int, seats: int
) -> list[tuple[Room, TimeSlot]]:
    """The free rooms with enough seats, the smallest first.

    Raises:
        Refusal: 404 where the city has no office, 409 where no room fits, 400 as `slot_at`.
    """
    office = site(city)
    large = [found for found in ROOMS.values() if found.city == office.city and found.seats >= seats]
    slots = [(found, slot_at(found.id, date, start, minutes)) for found in sorted(large, key=lambda r: (r.seats, r.id))]
    free = [(found, slot) for found, slot in slots if not is_taken(world, slot)]
    if not free:
        reason = f"has no free room for {seats} at {date} {start}" if large else f"has no room with {seats} seats"
        raise Refusal(409, "NoRoomAvailable", f"The office in {office.city} {reason}.", city=office.city, seats=seats)
    return free


def block_slot(world: World, slot: TimeSlot) -> None:
    """Keep the slot from everybody else."""
    world.state("office.room_slots")[f"{slot.room_id} {slot.date} {slot.start}"] = slot
    world.effect("block_room", slot.room_id, date=slot.date, start=slot.start, end=slot.end)


def hold(world: World, slot: TimeSlot, organiser_id: str) -> RoomHold:
    """Block the slot and remember for whom."""
    made = RoomHold(slot, organiser_id)
    world.state("office.room_holds")[made.id] = made
    block_slot(world, slot)
    return made


def open_hold(world: World, id: str) -> RoomHold:
    """The hold with this id.

    Raises:
        Refusal: 404 where there is none, 409 where it is confirmed already.
    """
    made: dict[str, RoomHold] = world.state("office.room_holds")
    found = ({hold.id: hold for hold in HOLDS} | made).get(id)
    if found is None:
        raise Refusal(404, "HoldNotFound", f"There is no hold {id!r}, or it has lapsed.", hold_id=id)
    if id in world.state("office.confirmed_holds"):
        raise Refusal(409, "AlreadyConfirmed", f"The hold {id} is confirmed already.", hold_id=id)
    return found


def confirm(world: World, slot: TimeSlot, organiser_id: str) -> dict[str, Any]:
    """Confirm a blocked slot and give the booking."""
    organiser = STAFF[organiser_id].email
    details = {"date": slot.date, "start": slot.start, "end": slot.end, "organiser": organiser}
    world.effect("confirm_room", slot.room_id, **details)
    return {
        "booking_id": identifier("RMB", slot.room_id, slot.date, slot.start),
        "status": "confirmed",
        **room_slot_fields(slot),
        "weekday": WEEKDAY_OF[slot.date],
        "organiser_email": organiser,
        "booked_at": THIS_MINUTE,
    }


def room_slot_fields(slot: TimeSlot) -> dict[str, Any]:
    """The slot and its room as fields of an answer."""
    found = room(slot.room_id)
    return {
        "room_id": found.id,
        "room_name": found.name,
        "city": found.city,
        "seats": found.seats,
        "date": slot.date,
        "start": slot.start,
        "end": slot.end,
        "minutes": clock_minutes_between(slot.start, slot.end),
    }


def _overlap(left: TimeSlot, right: TimeSlot) -> bool:
    same = left.room_id == right.room_id and left.date == right.date
    return same and left.start < right.end and right.start < left.end
