"""Parts that the tools for appointments at public offices share: arguments, taking a slot, an appointment's fields."""

from __future__ import annotations

from itertools import islice
from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Counts, Formula, Known, OneOf, Ordered, Requires
from sealegs.world.general.civic_facts import (
    CURRENCY_OF,
    HELD,
    OFFICES,
    SERVICES,
    AppointmentSlot,
    fee,
    free_slots,
)
from sealegs.world.general.facts import city as city_named
from sealegs.world.general.place_and_time import format_moment, minutes_between, read_day
from sealegs.world.state import NOW, identifier
from sealegs.world.tool import Answer, Refusal, World

AT = NOW[:16]
CITY_OF_OFFICE = {office: name for name, office in OFFICES.items()}

ServiceName = Annotated[
    Literal[
        "passport renewal",
        "identity card",
        "residence registration",
        "driving licence exchange",
        "parking permit",
        "business registration",
    ],
    Field(description="What the appointment is for"),
]
From = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\d$", description="Earliest day that suits, YYYY-MM-DD")]
Person = Annotated[
    str, Field(pattern=r"^\S+( \S+)+$", max_length=60, description="Who comes: first and last name, Nadia Ferreira")
]


def taken_slots(world: World) -> set[str]:
    """The ids of the slots that somebody has."""
    return {slot_id for slot_id, _ in HELD.values()} | world.state("general.office_slots").keys()


def first_free(world: World, city: str, service: str, from_date: str) -> list[AppointmentSlot]:
    """The next free slots, five at most.

    Raises:
        Refusal: 404 where none is free.
    """
    gone = taken_slots(world)
    every = free_slots(city_named(city), SERVICES[service], read_day(from_date))
    free = list(islice((found for found in every if found.slot_id not in gone), 5))
    if not free:
        raise Refusal(404, "FullyBooked", f"{OFFICES[city_named(city).name]} has no slot free from {from_date} on.")
    return free


def reserve_slot(world: World, found: AppointmentSlot, person: str) -> None:
    """Take a slot for a person.

    Raises:
        Refusal: 409 where somebody has it.
    """
    if found.slot_id in taken_slots(world):
        raise Refusal(409, "SlotTaken", f"Slot {found.slot_id} has been taken.", slot_id=found.slot_id)
    world.state("general.office_slots")[found.slot_id] = person
    world.effect("reserve_slot", found.slot_id, person=person)


def confirm_appointment(world: World, found: AppointmentSlot, person: str) -> dict[str, Any]:
    """Make a reserved slot an appointment."""
    world.effect("confirm_appointment", found.slot_id, person=person)
    return {
        "appointment_id": identifier("APT", found.slot_id, person),
        "status": "confirmed",
        **slot_fields(found),
        "person": person,
        "booked_at": AT,
        "papers": list(found.service.papers),
        "paper_count": len(found.service.papers),
    }


def slot_fields(found: AppointmentSlot) -> dict[str, Any]:
    """The fields of a slot that every answer has."""
    place = found.place
    return {
        "slot_id": found.slot_id,
        "city": place.name,
        "office_name": OFFICES[place.name],
        "service": found.service.name,
        "starts_at": format_moment(found.start),
        "ends_at": format_moment(found.end),
        "minutes": found.service.minutes,
        "fee": fee(found.service.name, place.currency),
        "currency": place.currency,
    }


SLOT = (
    Known("office_name", "city", OFFICES),
    Known("city", "office_name", CITY_OF_OFFICE),
    Known("currency", "city", CURRENCY_OF),
    Known("minutes", "service", {name: service.minutes for name, service in SERVICES.items()}),
    Formula("fee", ("service", "currency"), fee, "fee is the service's in that currency"),
    Formula("minutes", ("starts_at", "ends_at"), minutes_between, "minutes run from starts_at to ends_at"),
    Ordered("starts_at", "ends_at"),
    Bounds("fee", 0, 200_000),
)


REQUESTS = (
    {"city": "Lisbon", "service": "passport renewal", "from_date": "2026-03-04"},
    {"city": "Tokyo", "service": "driving licence exchange", "from_date": "2026-03-18"},
    {"city": "New York", "service": "parking permit", "from_date": "2026-03-10"},
    {"city": "Berlin", "service": "residence registration", "from_date": "2026-03-06"},
    {"city": "Cape Town", "service": "business registration", "from_date": "2026-04-02"},
)


class Appointment(Answer):
    """A confirmed appointment at a public office."""

    appointment_id: str = Field(description="Id of the appointment")
    status: str = Field(description="confirmed")
    slot_id: str = Field(description="The slot that it takes")
    city: str = Field(description="City of the office")
    office_name: str = Field(description="Name of the office")
    service: str = Field(description="What it is for")
    starts_at: str = Field(description="When it begins, YYYY-MM-DDTHH:MM local time")
    ends_at: str = Field(description="When it ends")
    minutes: int = Field(description="How long it takes")
    fee: int = Field(description="Fee to be paid at the office")
    currency: str = Field(description="Its currency")
    person: str = Field(description="Who comes")
    booked_at: str = Field(description="When it was confirmed")
    papers: list[str] = Field(description="Papers to bring")
    paper_count: int = Field(description="How many they are")


BOOKED = (
    Requires("appointment_id", "status", "confirmed"),
    Requires("person", "status", "confirmed"),
    OneOf("status", ("confirmed",), ("cancelled", "no_show")),
    Ordered("booked_at", "starts_at"),
    Counts("paper_count", "papers"),
    *SLOT,
)
