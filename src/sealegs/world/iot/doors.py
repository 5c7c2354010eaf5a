"""Rights to open doors at given times: standing enrolments and drafts, and the rules by which an episode adds to them.

Two desks share them: security enrols a key holder on a lock and then grants windows of time; reception drafts a
visitor's pass with its window and then activates it. Both end in the same grant with the same code. A draft enrols its
visitor too; enrolling somebody who is enrolled changes nothing. Times are the building's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Annotated

from pydantic import Field

from sealegs.world.iot.device_arguments import DeviceId, moment_argument
from sealegs.world.iot.facts import SITES, devices_in
from sealegs.world.state import NOW, identifier
from sealegs.world.tool import Refusal, World

LONGEST = 31 * 24
Person = Annotated[
    str,
    Field(pattern=r"^[^\s\d@<>_]+( [^\s\d@<>_]+)+$", min_length=3, max_length=60, description="First and last name"),
]
LockId = Annotated[DeviceId, Field(description="Id of a door lock, such as LCK-LIS-79EF")]
Moment = Annotated[
    str,
    Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d$", description="Building's own time, such as 2026-03-04T09:30"),
]


@dataclass(frozen=True, slots=True)
class Enrolment:
    """A person known to a lock, who may or may not have a time window on it."""

    id: str
    lock: str
    person: str


@dataclass(frozen=True, slots=True)
class PassDraft:
    """A visitor's pass that is written but not active yet."""

    id: str
    lock: str
    person: str
    starts: str
    ends: str


def lock_in(name: str, room: str) -> str:
    """The id of the first lock of a room in a city's building."""
    return devices_in(SITES[name], room, "door_lock")[0].id


def holder_id(lock: str, person: str) -> str:
    """The id of a person's enrolment on a lock."""
    return identifier("KH", lock, person)


def pass_id(lock: str, person: str, starts: str, ends: str) -> str:
    """The id of a visitor's pass."""
    return identifier("PASS", lock, person, starts, ends)


def _enrolled(name: str, room: str, person: str) -> Enrolment:
    lock = lock_in(name, room)
    return Enrolment(holder_id(lock, person), lock, person)


def _drafted(name: str, room: str, person: str, starts: str, ends: str) -> PassDraft:
    lock = lock_in(name, room)
    return PassDraft(pass_id(lock, person, starts, ends), lock, person, starts, ends)


DRAFTS = {
    draft.id: draft
    for draft in (
        _drafted("Lisbon", "Reception", "Nadia Brandt", "2026-03-03T09:00", "2026-03-03T17:00"),
        _drafted("Berlin", "Boardroom", "Hugo Castellan", "2026-03-04T08:30", "2026-03-04T12:30"),
        _drafted("Tokyo", "Boardroom", "Rika Onodera", "2026-03-05T10:00", "2026-03-06T18:00"),
        _drafted("New York", "Reception", "Dennis Parrow", "2026-03-03T13:00", "2026-03-03T15:00"),
        _drafted("London", "Server Room", "Priya Nandor", "2026-03-09T07:00", "2026-03-09T19:00"),
        _drafted("Paris", "Plant Room", "Colin Estève", "2026-03-10T08:00", "2026-03-12T16:00"),
        _drafted("Rome", "Reception", "Giulia Ferrante", "2026-03-04T09:30", "2026-03-04T11:30"),
        _drafted("Stockholm", "Boardroom", "Elsa Nyhlen", "2026-03-06T08:00", "2026-03-06T16:30"),
        _drafted("Chicago", "Server Room", "Mark Dunleavy", "2026-03-11T06:00", "2026-03-11T10:00"),
        _drafted("Mumbai", "Reception", "Asha Menghani", "2026-03-05T09:00", "2026-03-05T13:00"),
        _drafted("Dubai", "Plant Room", "Karim Salloum", "2026-03-08T08:00", "2026-03-08T20:00"),
        _drafted("Seoul", "Boardroom", "Min Seo Baek", "2026-03-12T14:00", "2026-03-12T17:00"),
    )
}
ENROLMENTS = {
    enrolment.id: enrolment
    for enrolment in (
        _enrolled("Lisbon", "Boardroom", "Marta Figueira"),
        _enrolled("Berlin", "Server Room", "Jonas Weidner"),
        _enrolled("Tokyo", "Reception", "Emi Takahara"),
        _enrolled("New York", "Boardroom", "Carla Whitlow"),
        _enrolled("London", "Plant Room", "Owen Haddock"),
        _enrolled("Paris", "Boardroom", "Lucie Marchal"),
        _enrolled("Madrid", "Reception", "Pablo Serrador"),
        _enrolled("Vienna", "Server Room", "Anna Kolbinger"),
        _enrolled("Zurich", "Boardroom", "Reto Amsler"),
        _enrolled("Toronto", "Plant Room", "Grace Pelham"),
        _enrolled("Singapore", "Server Room", "Wei Ling Koh"),
        _enrolled("Sydney", "Reception", "Tom Barrow"),
        *(Enrolment(holder_id(draft.lock, draft.person), draft.lock, draft.person) for draft in DRAFTS.values()),
    )
}


def hours_between(starts_at: str, ends_at: str) -> float:
    """Hours from one moment to another."""
    return round((moment_argument(ends_at) - moment_argument(starts_at)).total_seconds() / 3600, 2)


def window(starts_at: str, ends_at: str) -> float:
    """The window's length in hours.

    Raises:
        Refusal: 400 where it is not a window, lies in the past or is too long.
    """
    hours = hours_between(starts_at, ends_at)
    if hours <= 0:
        raise Refusal(400, "WindowReversed", f"The window ends at {ends_at}, which is not after {starts_at}.")
    if starts_at < NOW[:16]:
        raise Refusal(400, "WindowInThePast", f"The window starts at {starts_at}; it is {NOW[:16]}.")
    if hours > LONGEST:
        raise Refusal(400, "WindowTooLong", f"A window lasts {LONGEST} hours at most, not {hours:g}.")
    return hours


def enrol(world: World, lock: str, person: str) -> Enrolment:
    """Make a person known to a lock, with an effect where they were not."""
    enrolment = Enrolment(holder_id(lock, person), lock, person)
    enrolled = world.state("iot.enrolments")
    if enrolment.id in ENROLMENTS or enrolment.id in enrolled:
        return enrolment
    enrolled[enrolment.id] = enrolment
    world.effect("enrol", lock, person=person)
    return enrolment


def admit(world: World, lock: str, person: str, starts_at: str, ends_at: str) -> tuple[str, str]:
    """Let a person open a lock: the grant's id and the code.

    Raises:
        Refusal: 409 where the person has a window on the lock that overlaps this one.
    """
    grants = world.state("iot.grants")
    holder = holder_id(lock, person)
    for id, other in grants.items():
        if other["holder"] == holder and other["starts"] < ends_at and starts_at < other["ends"]:
            raise Refusal(409, "WindowOverlaps", f"{person} has {id} on {lock} at that time.", grant_id=id)
    id = identifier("GRT", "grant", lock, person, starts_at, ends_at)
    grants[id] = {"holder": holder, "starts": starts_at, "ends": ends_at}
    world.effect("grant_access", lock, person=person, starts_at=starts_at, ends_at=ends_at)
    digits = int.from_bytes(blake2b(id.encode(), digest_size=4).digest(), "big") % 900_000
    return id, str(100_000 + digits)
