"""Meeting rooms: search by free time, booking at once, or a hold that is confirmed later."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Counts, Formula, Known, OneOf, Ordered, Requires
from sealegs.world.office.facts import (
    ADDRESS,
    DATE,
    HOLDS,
    ROOMS,
    STAFF,
    THIS_MINUTE,
    clock_after,
    clock_minutes_between,
    mailbox,
    room,
)
from sealegs.world.office.reservations import (
    HOLD_MINUTES,
    block_slot,
    confirm,
    fitting_rooms,
    hold,
    is_taken,
    open_hold,
    room_slot_fields,
    slot_at,
)
from sealegs.world.office.working_days import WEEKDAY_OF, WORKING_WEEK
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

City = Annotated[str, Field(min_length=2, max_length=60, description="City of the office, such as Berlin")]
Day = Annotated[str, Field(pattern=DATE, description="Day of the meeting, YYYY-MM-DD")]
Start = Annotated[
    str, Field(pattern=r"^([01][0-9]|2[0-3]):(00|15|30|45)$", description="Start on the office's clock, HH:MM")
]
Minutes = Annotated[int, Field(ge=15, le=480, multiple_of=15, description="Length in minutes, in quarters of an hour")]
Seats = Annotated[int, Field(ge=1, le=40, description="Least number of seats")]
RoomId = Annotated[str, Field(pattern=r"^[A-Z]{3}-[0-9]{3,4}$", description="Room id, such as BER-110")]
HoldId = Annotated[str, Field(pattern=r"^HLD-[0-9A-F]{8}$", description="Id of the hold to confirm")]
Organiser = Annotated[
    str,
    Field(
        pattern=ADDRESS,
        max_length=120,
        description="Work address of the employee who organises the meeting",
    ),
]


class RoomOption(Answer):
    """A free room."""

    room_id: str = Field(description="Room id")
    name: str = Field(description="Name on the door")
    floor: int = Field(description="Floor")
    seats: int = Field(description="Seats")


class RoomSlot(Answer):
    """A room at a time."""

    room_id: str = Field(description="Id of the room; of the smallest that fits where several do")
    room_name: str = Field(description="Name of that room")
    city: str = Field(description="City of the office")
    seats: int = Field(description="Seats of that room")
    date: str = Field(description="Day, YYYY-MM-DD")
    start: str = Field(description="Start, HH:MM")
    end: str = Field(description="End, HH:MM")
    minutes: int = Field(description="Length in minutes")


class FreeRooms(RoomSlot):
    """Rooms that are free at a time, the smallest first."""

    weekday: str = Field(description="Day of the week")
    status: Literal["available"] = Field(description="Whether the first room can be had")
    free_count: int = Field(description="How many rooms fit and are free")
    rooms: list[RoomOption] = Field(description="All of them, the smallest first")


class HeldRoom(RoomSlot):
    """A slot kept for an organiser until it is confirmed."""

    hold_id: str = Field(description="Id to confirm the hold with")
    status: Literal["held"] = Field(description="State of the slot")
    organiser_email: str = Field(description="Address of the organiser")
    held_at: str = Field(description="When the hold was made, YYYY-MM-DDTHH:MM")
    expires_at: str = Field(description="When it lapses unless confirmed, YYYY-MM-DDTHH:MM")


class BookedRoom(RoomSlot):
    """A confirmed booking of a room."""

    booking_id: str = Field(description="Id of the booking")
    status: Literal["confirmed"] = Field(description="State of the booking")
    weekday: str = Field(description="Day of the week")
    organiser_email: str = Field(description="Address of the organiser")
    booked_at: str = Field(description="When it was booked, YYYY-MM-DDTHH:MM")


class ConfirmedRoomHold(BookedRoom):
    """A booking made of a hold."""

    hold_id: str = Field(description="The hold that was confirmed")


SLOT = (
    Ordered("start", "end"),
    Formula("minutes", ("start", "end"), clock_minutes_between, "minutes is the time from start to end"),
    Bounds("minutes", 15, 480),
    Bounds("seats", 1, 40),
    Known("room_name", "room_id", {found.id: found.name for found in ROOMS.values()}),
    Known("city", "room_id", {found.id: found.city for found in ROOMS.values()}),
)
WEEKDAY = (Known("weekday", "date", WEEKDAY_OF), OneOf("weekday", WORKING_WEEK, ("Saturday", "Sunday")))
BOOKING = (
    *(Requires(field, "status", "confirmed") for field in ("booking_id", "room_id", "organiser_email")),
    Ordered("booked_at", "date"),
    *WEEKDAY,
    *SLOT,
)
ENOUGH_SEATS = Formula("seats", ("argument:seats", "seats"), max, "seats is at least the number asked for")


def _booking(date: str, start: str, minutes: int, **rest: Any) -> dict[str, Any]:
    return {"date": date, "start": start, "minutes": minutes, **rest}


@simulated_tool(
    category="source",
    answer=FreeRooms,
    examples=(
        _booking("2026-03-03", "10:00", 60, city="Lisbon", seats=5),
        _booking("2026-03-04", "14:00", 90, city="Berlin", seats=6),
        _booking("2026-03-05", "09:30", 45, city="New York", seats=10),
        _booking("2026-03-06", "16:00", 120, city="Tokyo", seats=3),
        _booking("2026-03-09", "13:15", 30, city="Stockholm", seats=12),
    ),
    refusals=(
        (_booking("2026-03-03", "10:00", 60, city="Atlantis", seats=5), 404),
        (_booking("2026-03-05", "15:30", 60, city="Singapore", seats=4), 409),
        (_booking("2026-03-07", "10:00", 60, city="Lisbon", seats=5), 400),
        (_booking("2026-03-03", "10:05", 60, city="Lisbon", seats=5), 422),
    ),
    echoes=("city", "date", "start", "minutes"),
    invariants=(
        ENOUGH_SEATS,
        Formula("seats", ("rooms.0.seats",), lambda seats: seats, "seats are those of the first room"),
        Formula("room_id", ("rooms.0.room_id",), lambda id: id, "room_id is that of the first room"),
        Requires("room_id", "status", "available"),
        Counts("free_count", "rooms"),
        Bounds("rooms.seats", 1, 40),
        *WEEKDAY,
        *SLOT,
    ),
)
def find_meeting_rooms(
    world: World, city: City, date: Day, start: Start, minutes: Minutes, seats: Seats
) -> dict[str, Any]:
    """Search one office for meeting rooms with enough seats that are free at a time; the smallest comes first."""
    free = fitting_rooms(world, city, date, start, minutes, seats)
    return {
        **room_slot_fields(free[0][1]),
        "weekday": WEEKDAY_OF[date],
        "status": "available",
        "free_count": len(free),
        "rooms": [{"room_id": r.id, "name": r.name, "floor": r.floor, "seats": r.seats} for r, _ in free],
    }


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="office_booking_history",
    parts=2,
    answer=BookedRoom,
    examples=(
        _booking("2026-03-03", "10:00", 60, room_id="LIS-301", organiser_email="tomas.ribeiro@fernhill.example"),
        _booking("2026-03-04", "14:00", 90, room_id="BER-110", organiser_email="hanna.vogt@fernhill.example"),
        _booking("2026-03-06", "09:15", 30, room_id="SIN-1211", organiser_email="mei.tan@fernhill.example"),
        _booking("2026-03-05", "16:30", 45, room_id="TOR-702", organiser_email="chloe.tremont@fernhill.example"),
    ),
    refusals=(
        (_booking("2026-03-03", "10:00", 60, room_id="LIS-999", organiser_email="mei.tan@fernhill.example"), 404),
        (_booking("2026-03-03", "10:00", 60, room_id="LIS-301", organiser_email="nobody@fernhill.example"), 404),
        (_booking("2026-03-03", "11:30", 60, room_id="LIS-204", organiser_email="mei.tan@fernhill.example"), 409),
        (_booking("2026-03-02", "08:00", 60, room_id="LIS-204", organiser_email="mei.tan@fernhill.example"), 400),
    ),
    echoes=("room_id", "organiser_email", "date", "start", "minutes"),
    invariants=BOOKING,
)
def book_meeting_room(
    world: World, room_id: RoomId, date: Day, start: Start, minutes: Minutes, organiser_email: Organiser
) -> dict[str, Any]:
    """Book one meeting room, named by its id, at once and finally; refused where the room is taken at that time."""
    slot = slot_at(room(room_id).id, date, start, minutes)
    organiser = mailbox(organiser_email)
    if is_taken(world, slot):
        raise Refusal(409, "RoomTaken", f"{room_id} is taken at {date} {start}.", room_id=room_id)
    block_slot(world, slot)
    return confirm(world, slot, organiser.id)


@simulated_tool(
    category="action",
    repeat="again",
    shown_by="office_booking_history",
    answer=HeldRoom,
    examples=(
        _booking("2026-03-03", "10:00", 60, city="Lisbon", seats=5, organiser_email="tomas.ribeiro@fernhill.example"),
        _booking("2026-03-05", "13:30", 45, city="London", seats=4, organiser_email="amelia.hartwell@fernhill.example"),
        _booking("2026-03-06", "11:00", 120, city="Toronto", seats=12, organiser_email="naomi.okoro@fernhill.example"),
        _booking("2026-03-04", "15:00", 30, city="New York", seats=8, organiser_email="noah.fielding@fernhill.example"),
    ),
    refusals=(
        (_booking("2026-03-03", "10:00", 60, city="Madrid", seats=5, organiser_email="mei.tan@fernhill.example"), 404),
        (_booking("2026-03-03", "10:00", 60, city="London", seats=30, organiser_email="mei.tan@fernhill.example"), 409),
        (_booking("2026-03-03", "19:30", 60, city="London", seats=4, organiser_email="mei.tan@fernhill.example"), 400),
    ),
    echoes=("city", "organiser_email", "date", "start", "minutes"),
    invariants=(
        ENOUGH_SEATS,
        *(Requires(field, "status", "held") for field in ("hold_id", "room_id", "organiser_email")),
        Ordered("held_at", "expires_at"),
        Ordered("held_at", "date"),
        *SLOT,
    ),
)
def hold_meeting_room(
    world: World, city: City, date: Day, start: Start, minutes: Minutes, seats: Seats, organiser_email: Organiser
) -> dict[str, Any]:
    """Have the smallest free room of an office that seats enough people kept for an organiser.

    The hold is provisional: it lapses after 15 minutes unless it is confirmed.
    """
    _, slot = fitting_rooms(world, city, date, start, minutes, seats)[0]
    made = hold(world, slot, mailbox(organiser_email).id)
    day, clock = THIS_MINUTE.split("T")
    return {
        "hold_id": made.id,
        "status": "held",
        **room_slot_fields(slot),
        "organiser_email": STAFF[made.organiser_id].email,
        "held_at": THIS_MINUTE,
        "expires_at": f"{day}T{clock_after(clock, HOLD_MINUTES)}",
    }


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="office_booking_history",
    answer=ConfirmedRoomHold,
    examples=tuple({"hold_id": waiting.id} for waiting in HOLDS),
    refusals=(({"hold_id": "HLD-00000000"}, 404), ({"hold_id": "RMB-00000000"}, 422)),
    echoes=("hold_id",),
    invariants=BOOKING,
)
def confirm_room_hold(world: World, hold_id: HoldId) -> dict[str, Any]:
    """Confirm a provisional hold on a meeting room, which makes it a booking in the organiser's name."""
    found = open_hold(world, hold_id)
    world.state("office.confirmed_holds")[hold_id] = True
    return {**confirm(world, found.slot, found.organiser_id), "hold_id": hold_id}
