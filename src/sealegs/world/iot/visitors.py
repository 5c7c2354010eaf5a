"""Visitors: passes that reception drafts and activates."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from sealegs.faults.invariants import Bounds, Formula, Ordered, Requires
from sealegs.world.iot.doors import (
    DRAFTS,
    LONGEST,
    LockId,
    Moment,
    PassDraft,
    Person,
    admit,
    enrol,
    hours_between,
    lock_in,
    window,
)
from sealegs.world.iot.doors import pass_id as id_of_pass
from sealegs.world.iot.facts import device
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

PASSES = tuple(DRAFTS)
STANDING = DRAFTS[PASSES[0]]


def _visit(lock: str, visitor: str, starts: str, ends: str) -> dict[str, str]:
    return {"lock_id": lock, "visitor": visitor, "starts_at": starts, "ends_at": ends}


class VisitorDraft(Answer):
    """A visitor's pass that is not active yet."""

    pass_id: str = Field(description="Id of the pass, which its activation takes")
    lock_id: str = Field(description="Id of the lock")
    visitor: str = Field(description="Who the pass is for")
    starts_at: str = Field(description="From when it is to open the lock")
    ends_at: str = Field(description="Until when it is to open the lock")
    hours: float = Field(description="Length of the window in hours")
    status: str = Field(description="draft")


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="access_history",
    answer=VisitorDraft,
    examples=(
        _visit(lock_in("Lisbon", "Reception"), "Ingrid Solberg", "2026-03-04T09:00", "2026-03-04T17:00"),
        _visit(lock_in("Paris", "Boardroom"), "Tomas Kralik", "2026-03-05T13:30", "2026-03-05T15:00"),
        _visit(lock_in("Singapore", "Server Room"), "Alicia Boone", "2026-03-09T06:00", "2026-03-11T20:00"),
        _visit(lock_in("Seoul", "Plant Room"), "Kenji Arata", "2026-03-16T08:15", "2026-03-16T11:45"),
    ),
    refusals=(
        (_visit("LCK-LIS-0000", "Ingrid Solberg", "2026-03-04T09:00", "2026-03-04T17:00"), 404),
        (_visit(STANDING.lock, STANDING.person, STANDING.starts, STANDING.ends), 409),
        (_visit(STANDING.lock, "Ingrid Solberg", "2026-03-04T17:00", "2026-03-04T09:00"), 400),
        (_visit(STANDING.lock, "Ingrid", "2026-03-04T09:00", "2026-03-04T17:00"), 422),
    ),
    echoes=("lock_id", "visitor", "starts_at", "ends_at"),
    invariants=(
        Requires("pass_id", "status", "draft"),
        Ordered("starts_at", "ends_at"),
        Formula("hours", ("starts_at", "ends_at"), hours_between, "hours is the time from starts_at to ends_at"),
    ),
)
def draft_visitor_pass(
    world: World, lock_id: LockId, visitor: Person, starts_at: Moment, ends_at: Moment
) -> dict[str, Any]:
    """Draft a visitor's pass for a door and a window of time and enrol the visitor. Activating it gives the code."""
    lock = device(lock_id, "door_lock")
    hours = window(starts_at, ends_at)
    id = id_of_pass(lock.id, visitor, starts_at, ends_at)
    passes = world.state("iot.passes")
    if id in DRAFTS or id in passes:
        raise Refusal(409, "PassExists", f"{visitor} has this very pass already.", pass_id=id)
    enrol(world, lock.id, visitor)
    passes[id] = PassDraft(id, lock.id, visitor, starts_at, ends_at)
    return {"pass_id": id, "lock_id": lock.id, "hours": hours, "status": "draft"}


class VisitorPass(Answer):
    """An active visitor's pass."""

    pass_id: str = Field(description="Id of the pass")
    grant_id: str = Field(description="Id of the grant behind it")
    lock_id: str = Field(description="Id of the lock")
    visitor: str = Field(description="Who the pass is for")
    access_code: str = Field(description="Six-digit code for the key pad")
    starts_at: str = Field(description="From when the code works")
    ends_at: str = Field(description="Until when the code works")
    hours: float = Field(description="Length of the window in hours")
    status: str = Field(description="active")


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="access_history",
    answer=VisitorPass,
    examples=({"pass_id": PASSES[0]}, {"pass_id": PASSES[2]}, {"pass_id": PASSES[5]}, {"pass_id": PASSES[9]}),
    refusals=(({"pass_id": "PASS-00000000"}, 404), ({"pass_id": "visitor"}, 422)),
    echoes=("pass_id",),
    invariants=(
        Requires("grant_id", "status", "active"),
        Requires("access_code", "status", "active"),
        Ordered("starts_at", "ends_at"),
        Formula("hours", ("starts_at", "ends_at"), hours_between, "hours is the time from starts_at to ends_at"),
        Bounds("hours", 0, LONGEST),
    ),
)
def activate_visitor_pass(
    world: World,
    pass_id: Annotated[str, Field(pattern=r"^PASS-[0-9A-F]{8}$", description="Id of a drafted pass")],
) -> dict[str, Any]:
    """Activate a drafted visitor's pass: its code, which this gives, opens the door in the pass's window of time."""
    draft = {**DRAFTS, **world.state("iot.passes")}.get(pass_id)
    if draft is None:
        raise Refusal(404, "PassNotFound", f"No pass has the id {pass_id!r}.")
    grant, code = admit(world, draft.lock, draft.person, draft.starts, draft.ends)
    return {
        "grant_id": grant,
        "lock_id": draft.lock,
        "visitor": draft.person,
        "access_code": code,
        "starts_at": draft.starts,
        "ends_at": draft.ends,
        "hours": hours_between(draft.starts, draft.ends),
        "status": "active",
    }
