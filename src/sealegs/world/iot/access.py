"""Key holders: who is enrolled on a door lock, and the windows of time in which they may open it."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Annotated, Any

from pydantic import Field

from sealegs.faults.invariants import Bounds, Formula, Ordered, Requires
from sealegs.world.iot.doors import (
    ENROLMENTS,
    LONGEST,
    LockId,
    Moment,
    Person,
    admit,
    enrol,
    hours_between,
    lock_in,
    window,
)
from sealegs.world.iot.facts import device
from sealegs.world.state import TODAY
from sealegs.world.tool import Answer, Refusal, World, simulated_tool


class Holder(Answer):
    """A person's enrolment on a lock."""

    holder_id: str = Field(description="Id of the enrolment, which a grant takes")
    lock_id: str = Field(description="Id of the lock")
    person: str = Field(description="Who is enrolled")
    status: str = Field(description="enrolled")
    enrolled_on: str = Field(description="Date of the enrolment's last confirmation")
    review_on: str = Field(description="Date on which security reviews it")


REVIEW_DAYS = 365


def _review(enrolled_on: str) -> str:
    return (date.fromisoformat(enrolled_on) + timedelta(days=REVIEW_DAYS)).isoformat()


@simulated_tool(
    category="action",
    repeat="no_effect",
    shown_by="access_history",
    answer=Holder,
    examples=(
        {"lock_id": lock_in("Lisbon", "Boardroom"), "person": "Ingrid Solberg"},
        {"lock_id": lock_in("Berlin", "Server Room"), "person": "Tomas Kralik"},
        {"lock_id": lock_in("New York", "Reception"), "person": "Alicia Boone"},
        {"lock_id": lock_in("Tokyo", "Plant Room"), "person": "Kenji Arata"},
    ),
    refusals=(
        ({"lock_id": "LCK-LIS-0000", "person": "Ingrid Solberg"}, 404),
        ({"lock_id": lock_in("Lisbon", "Boardroom"), "person": "x1"}, 422),
        ({"lock_id": "front door", "person": "Ingrid Solberg"}, 422),
    ),
    echoes=("lock_id", "person"),
    invariants=(
        Requires("holder_id", "status", "enrolled"),
        Ordered("enrolled_on", "review_on"),
    ),
)
def register_key_holder(world: World, lock_id: LockId, person: Person) -> dict[str, Any]:
    """Enrol a person as a key holder on a door lock, which opens to them only once a window is granted."""
    lock = device(lock_id, "door_lock")
    enrolment = enrol(world, lock.id, person)
    return {
        "holder_id": enrolment.id,
        "lock_id": lock.id,
        "status": "enrolled",
        "enrolled_on": TODAY,
        "review_on": _review(TODAY),
    }


class Grant(Answer):
    """A window in which a key holder's code opens a lock."""

    grant_id: str = Field(description="Id of the grant")
    holder_id: str = Field(description="Id of the enrolment")
    lock_id: str = Field(description="Id of the lock")
    person: str = Field(description="Who may open it")
    access_code: str = Field(description="Six-digit code for the key pad")
    starts_at: str = Field(description="From when the code works")
    ends_at: str = Field(description="Until when the code works")
    hours: float = Field(description="Length of the window in hours")
    status: str = Field(description="active")


HOLDERS = tuple(ENROLMENTS)


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="access_history",
    answer=Grant,
    examples=(
        {"holder_id": HOLDERS[0], "starts_at": "2026-03-03T08:00", "ends_at": "2026-03-03T18:00"},
        {"holder_id": HOLDERS[1], "starts_at": "2026-03-04T09:30", "ends_at": "2026-03-06T17:00"},
        {"holder_id": HOLDERS[2], "starts_at": "2026-03-09T07:15", "ends_at": "2026-03-09T11:45"},
        {"holder_id": HOLDERS[5], "starts_at": "2026-03-02T13:00", "ends_at": "2026-03-02T16:00"},
    ),
    refusals=(
        ({"holder_id": "KH-00000000", "starts_at": "2026-03-03T08:00", "ends_at": "2026-03-03T18:00"}, 404),
        ({"holder_id": HOLDERS[0], "starts_at": "2026-03-03T18:00", "ends_at": "2026-03-03T08:00"}, 400),
        ({"holder_id": HOLDERS[0], "starts_at": "2026-02-27T08:00", "ends_at": "2026-03-03T08:00"}, 400),
        ({"holder_id": HOLDERS[0], "starts_at": "2026-02-31T08:00", "ends_at": "2026-03-03T08:00"}, 400),
        ({"holder_id": HOLDERS[0], "starts_at": "2026-03-03T08:00", "ends_at": "2026-06-03T08:00"}, 400),
    ),
    echoes=("holder_id", "starts_at", "ends_at"),
    invariants=(
        Requires("grant_id", "status", "active"),
        Requires("access_code", "status", "active"),
        Ordered("starts_at", "ends_at"),
        Formula("hours", ("starts_at", "ends_at"), hours_between, "hours is the time from starts_at to ends_at"),
        Bounds("hours", 0, LONGEST),
    ),
)
def grant_access_window(
    world: World,
    holder_id: Annotated[str, Field(pattern=r"^KH-[0-9A-F]{8}$", description="Id of an enrolled key holder")],
    starts_at: Moment,
    ends_at: Moment,
) -> dict[str, Any]:
    """Let an enrolled key holder open their lock from one moment to another (31 days at most); gives the door code."""
    hours = window(starts_at, ends_at)
    enrolment = {**ENROLMENTS, **world.state("iot.enrolments")}.get(holder_id)
    if enrolment is None:
        raise Refusal(404, "KeyHolderNotFound", f"No key holder has the id {holder_id!r}.")
    lock, person = enrolment.lock, enrolment.person
    grant, code = admit(world, lock, person, starts_at, ends_at)
    return {
        "grant_id": grant,
        "lock_id": lock,
        "person": person,
        "access_code": code,
        "hours": hours,
        "status": "active",
    }
