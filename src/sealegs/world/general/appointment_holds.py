"""Appointments at public offices by a hold: the first free slot is held for a while, then confirmed."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any

from pydantic import Field

from sealegs.faults.invariants import Known, OneOf, Ordered, Requires
from sealegs.world.general import civic_facts
from sealegs.world.general.civic_facts import HELD, slot
from sealegs.world.general.offices import (
    AT,
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
from sealegs.world.general.place_and_time import CityName, format_moment
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

HELD_UNTIL = "2026-03-02T09:20"
HoldId = Annotated[str, Field(pattern=r"^AHD-[0-9A-F]{8}$", description="Id of a hold, such as AHD-0A1B2C3D")]


class OfficeHold(Answer):
    """A slot that is kept for a person for twenty minutes."""

    hold_id: str = Field(description="Id of the hold, taken by confirm_office_appointment")
    status: str = Field(description="held")
    from_date: str = Field(description="Earliest day, as asked")
    slot_id: str = Field(description="The slot that is held")
    city: str = Field(description="City of the office")
    office_name: str = Field(description="Name of the office")
    service: str = Field(description="What it is for")
    starts_at: str = Field(description="When it begins, YYYY-MM-DDTHH:MM local time")
    ends_at: str = Field(description="When it ends")
    minutes: int = Field(description="How long it takes")
    fee: int = Field(description="Fee to be paid at the office")
    currency: str = Field(description="Its currency")
    person: str = Field(description="Who comes")
    held_at: str = Field(description="Since when it is held")
    held_until: str = Field(description="When the hold lapses unless it is confirmed")


@simulated_tool(
    category="action",
    repeat="again",
    shown_by="public_service_history",
    answer=OfficeHold,
    examples=tuple(
        {**request, "person": person}
        for request, person in zip(
            REQUESTS,
            ("Nadia Ferreira", "Haruto Inoue", "Lowell Banks", "Celia Wendt", "Thandi Nkosi"),
            strict=True,
        )
    ),
    refusals=(
        (
            {
                "city": "Atlantis",
                "service": "identity card",
                "from_date": "2026-03-04",
                "person": "Nadia Ferreira",
            },
            404,
        ),
        (
            {"city": "Lisbon", "service": "identity card", "from_date": "2026-02-04", "person": "Nadia Ferreira"},
            400,
        ),
        ({"city": "Lisbon", "service": "identity card", "from_date": "2026-03-04", "person": "Nadia"}, 422),
    ),
    echoes=("city", "service", "from_date", "person"),
    invariants=(
        Requires("hold_id", "status", "held"),
        OneOf("status", ("held",), ("lapsed", "released")),
        Ordered("held_at", "held_until"),
        Ordered("from_date", "starts_at"),
        *SLOT,
    ),
)
def hold_office_appointment(
    world: World, city: CityName, service: ServiceName, from_date: From, person: Person
) -> dict[str, Any]:
    """Hold the first free appointment for a service at a city's public office for a person, until it is confirmed."""
    found = first_free(world, city, service, from_date)[0]
    reserve_slot(world, found, person)
    hold = civic_facts.appointment_hold_id(found, person)
    world.state("general.office_holds")[hold] = (found.slot_id, person)
    return {
        "hold_id": hold,
        "status": "held",
        **slot_fields(found),
        "person": person,
        "held_at": AT,
        "held_until": HELD_UNTIL,
    }


class ConfirmedAppointment(Appointment):
    """An appointment that was held before."""

    hold_id: str = Field(description="The hold that was confirmed")
    cancel_by: str = Field(description="Until when it can be cancelled, a day before it begins")


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="public_service_history",
    answer=ConfirmedAppointment,
    examples=tuple({"hold_id": hold} for hold in HELD),
    refusals=(({"hold_id": "AHD-00000000"}, 404), ({"hold_id": "LIS-PR-20260305-1030"}, 422)),
    echoes=("hold_id",),
    invariants=(
        Known("slot_id", "hold_id", {hold: slot_id for hold, (slot_id, _) in HELD.items()}),
        Known("person", "hold_id", {hold: person for hold, (_, person) in HELD.items()}),
        Ordered("cancel_by", "starts_at"),
        *BOOKED,
    ),
)
def confirm_office_appointment(world: World, hold_id: HoldId) -> dict[str, Any]:
    """Confirm a held appointment at a public office, by the id of the hold, which makes it final."""
    held = world.state("general.office_holds").get(hold_id) or HELD.get(hold_id)
    if held is None:
        raise Refusal(404, "HoldNotFound", f"There is no hold {hold_id}, or it has lapsed.")
    done = world.state("general.office_confirmed")
    if hold_id in done:
        raise Refusal(409, "AlreadyConfirmed", f"Hold {hold_id} has been confirmed.", hold_id=hold_id)
    found = slot(held[0])
    done[hold_id] = held[0]
    cancel_by = format_moment(found.start - timedelta(days=1))
    return {**confirm_appointment(world, found, held[1]), "hold_id": hold_id, "cancel_by": cancel_by}
