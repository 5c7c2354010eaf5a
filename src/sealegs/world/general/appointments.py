"""Appointments at public offices by their free slots: one looks the slots up and books one."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from sealegs.faults.invariants import Counts, Formula, OneOf, Ordered, Requires
from sealegs.world.general.civic_facts import HELD, SERVICES, free_slots, slot
from sealegs.world.general.facts import city as city_named
from sealegs.world.general.offices import (
    BOOKED,
    REQUESTS,
    SLOT,
    Appointment,
    From,
    Person,
    ServiceName,
    confirm_appointment,
    first_free,
    reserve_slot,
    slot_fields,
)
from sealegs.world.general.place_and_time import CityName, format_moment, read_day
from sealegs.world.tool import Answer, World, simulated_tool

SlotId = Annotated[
    str,
    Field(
        pattern=r"^[A-Z]{3}-[A-Z]{2}-\d{8}-\d{4}$",
        description="Id of a free slot as find_office_slots gives it, such as LIS-PR-20260305-1030",
    ),
]


class OfficeSlot(Answer):
    """A slot that is free."""

    slot_id: str = Field(description="Id of the slot")
    starts_at: str = Field(description="When it begins, YYYY-MM-DDTHH:MM local time")


class OfficeSlots(Answer):
    """The next free appointments at an office, the first of them in full."""

    status: str = Field(description="open")
    from_date: str = Field(description="Earliest day, as asked")
    slot_id: str = Field(description="Id of the first free slot, taken by book_office_slot")
    city: str = Field(description="City of the office")
    office_name: str = Field(description="Name of the office")
    service: str = Field(description="What the appointment is for")
    starts_at: str = Field(description="When the first slot begins, YYYY-MM-DDTHH:MM local time")
    ends_at: str = Field(description="When it ends")
    minutes: int = Field(description="How long an appointment takes")
    fee: int = Field(description="Fee to be paid at the office")
    currency: str = Field(description="Its currency")
    slot_count: int = Field(description="How many slots are listed")
    slots: list[OfficeSlot] = Field(description="The next free slots in order, five at most")


@simulated_tool(
    category="source",
    answer=OfficeSlots,
    examples=REQUESTS,
    refusals=(
        ({"city": "Atlantis", "service": "passport renewal", "from_date": "2026-03-04"}, 404),
        ({"city": "Lisbon", "service": "passport renewal", "from_date": "2026-09-04"}, 400),
        ({"city": "Lisbon", "service": "haircut", "from_date": "2026-03-04"}, 422),
    ),
    echoes=("city", "service", "from_date"),
    invariants=(
        Requires("slot_id", "status", "open"),
        OneOf("status", ("open",), ("suspended", "walk_in_only")),
        Formula("slot_id", ("slots.0.slot_id",), str, "slot_id is the first slot's"),
        Counts("slot_count", "slots"),
        Ordered("from_date", "starts_at"),
        *SLOT,
    ),
)
def find_office_slots(world: World, city: CityName, service: ServiceName, from_date: From) -> dict[str, Any]:
    """List the next free appointments for a service at a city's public office from a day on, with fee and duration."""
    free = first_free(world, city, service, from_date)
    return {
        "status": "open",
        **slot_fields(free[0]),
        "slot_count": len(free),
        "slots": [{"slot_id": found.slot_id, "starts_at": format_moment(found.start)} for found in free],
    }


def _example(city: str, service: str, day: str) -> str:
    return next(free_slots(city_named(city), SERVICES[service], read_day(day))).slot_id


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="public_service_history",
    parts=2,
    answer=Appointment,
    examples=(
        {"slot_id": _example("Lisbon", "passport renewal", "2026-03-04"), "person": "Nadia Ferreira"},
        {"slot_id": _example("Seoul", "identity card", "2026-03-17"), "person": "Min-jun Seo"},
        {"slot_id": _example("London", "parking permit", "2026-03-09"), "person": "Amara Okafor"},
        {"slot_id": _example("Berlin", "business registration", "2026-03-24"), "person": "Tobias Krug"},
    ),
    refusals=(
        ({"slot_id": "LIS-PR-20260308-1030", "person": "Nadia Ferreira"}, 404),
        ({"slot_id": next(iter(HELD.values()))[0], "person": "Nadia Ferreira"}, 409),
        ({"slot_id": "Monday at ten", "person": "Nadia Ferreira"}, 422),
    ),
    echoes=("slot_id", "person"),
    invariants=BOOKED,
)
def book_office_slot(world: World, slot_id: SlotId, person: Person) -> dict[str, Any]:
    """Book one free slot at a public office, by its id, for a person: final at once, with the papers to bring."""
    found = slot(slot_id)
    reserve_slot(world, found, person)
    return confirm_appointment(world, found, person)
