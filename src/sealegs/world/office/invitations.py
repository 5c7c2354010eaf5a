"""Sending a drafted invitation, and moving an event. Cancelling is not covered."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Formula, Known, Ordered, Requires
from sealegs.world.office.agenda import DRAFTS, EVENTS, draft_id, move_event, take_event_draft
from sealegs.world.office.calendars import EVENT, SENT, EventBody, InvitedEvent, body_of, invite_attendee
from sealegs.world.office.facts import THIS_MINUTE
from sealegs.world.office.office_arguments import Day, StartTime, days_apart
from sealegs.world.office.working_days import WEEKDAY_OF
from sealegs.world.tool import World, simulated_tool

EventId = Annotated[str, Field(pattern=r"^EVT-[0-9A-F]{8}$", description="Id of an event in a calendar")]
DraftId = Annotated[str, Field(pattern=r"^INV-[0-9A-F]{8}$", description="Id of a drafted invitation")]
_IDS = list(EVENTS)


class SentInvitation(InvitedEvent):
    """A draft that has become an event."""

    draft_id: str = Field(description="Id of the draft")


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="calendar_history",
    answer=SentInvitation,
    examples=tuple({"draft_id": draft_id(event)} for event in DRAFTS),
    refusals=(({"draft_id": "INV-00000000"}, 404), ({"draft_id": "EVT-00000000"}, 422)),
    echoes=("draft_id",),
    invariants=(*EVENT, *SENT),
)
def send_invitation(world: World, draft_id: DraftId) -> dict[str, Any]:
    """Send a drafted invitation to its attendee, which makes the tentative time an event."""
    return {**invite_attendee(world, take_event_draft(world, draft_id)), "draft_id": draft_id}


class MovedEvent(EventBody):
    """An event at its new time."""

    event_id: str = Field(description="Id of the event, which it keeps")
    status: Literal["moved"] = Field(description="State of the event")
    old_date: str = Field(description="Day on which it stood, YYYY-MM-DD")
    old_weekday: str = Field(description="Its day of the week")
    old_start: str = Field(description="Start until now, HH:MM")
    days_later: int = Field(description="Days from the old day to the new one; negative where it is earlier")
    changed_at: str = Field(description="When it was moved, YYYY-MM-DDTHH:MM")


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="calendar_history",
    answer=MovedEvent,
    examples=(
        {"event_id": _IDS[2], "date": "2026-03-06", "start": "14:00"},
        {"event_id": _IDS[8], "date": "2026-03-04", "start": "13:00"},
        {"event_id": _IDS[15], "date": "2026-03-10", "start": "10:15"},
        {"event_id": _IDS[24], "date": "2026-03-06", "start": "15:30"},
    ),
    refusals=(
        ({"event_id": "EVT-00000000", "date": "2026-03-06", "start": "14:00"}, 404),
        ({"event_id": _IDS[2], "date": "2026-03-04", "start": "09:30"}, 409),
        ({"event_id": _IDS[2], "date": "2026-03-08", "start": "14:00"}, 400),
    ),
    echoes=("event_id", "date", "start"),
    invariants=(
        *EVENT,
        *(Requires(field, "status", "moved") for field in ("event_id", "start", "end", "email")),
        Known("old_weekday", "old_date", WEEKDAY_OF),
        Formula("days_later", ("old_date", "date"), days_apart, "days_later is the time from old_date to date"),
        Ordered("changed_at", "date"),
    ),
)
def move_calendar_event(world: World, event_id: EventId, date: Day, start: StartTime) -> dict[str, Any]:
    """Move an event to another day or time, its length unchanged; refused where its attendee is busy then."""
    before, after = move_event(world, event_id, date, start)
    return {
        **body_of(after),
        "event_id": event_id,
        "status": "moved",
        "old_date": before.date,
        "old_weekday": WEEKDAY_OF[before.date],
        "old_start": before.start,
        "days_later": days_apart(before.date, after.date),
        "changed_at": THIS_MINUTE,
    }
