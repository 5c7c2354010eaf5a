"""Calendars: when a colleague is free, and events with one colleague, entered at once or drafted first.

Rooms are booked elsewhere; series of events and time zones between offices are not covered.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Counts, Echo, Formula, Known, OneOf, Ordered, Requires, Sums
from sealegs.world.office.agenda import (
    CLOSES,
    OPENS,
    Event,
    busy,
    draft_id,
    free_starts,
    invite,
    keep_draft,
    keep_event,
    planned_event,
)
from sealegs.world.office.facts import (
    EMAIL_OF,
    NAME_OF,
    SITES,
    THIS_MINUTE,
    clock_after,
    clock_minutes_between,
    mailbox,
)
from sealegs.world.office.office_arguments import Day, Minutes, StartTime, WorkAddress
from sealegs.world.office.working_days import WEEKDAY_OF, WORKING_WEEK
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

WHOLE_DAY = clock_minutes_between(OPENS, CLOSES)
Subject = Annotated[str, Field(min_length=1, max_length=200, description="What the event is about")]

FREE_REQUESTS = (
    {"email": "ines.duarte@fernhill.example", "date": "2026-03-04", "minutes": 60},
    {"email": "tomas.ribeiro@fernhill.example", "date": "2026-03-03", "minutes": 45},
    {"email": "amelia.hartwell@fernhill.example", "date": "2026-03-03", "minutes": 30},
    {"email": "grace.whitlow@fernhill.example", "date": "2026-03-09", "minutes": 90},
    {"email": "yuki.hanabe@fernhill.example", "date": "2026-03-05", "minutes": 75},
)
FREE_REFUSED = (
    ({"email": "nobody@fernhill.example", "date": "2026-03-04", "minutes": 60}, 404),
    ({"email": "ines.duarte@fernhill.example", "date": "2026-03-07", "minutes": 60}, 400),
    ({"email": "ines.duarte@fernhill.example", "date": "2026-03-04", "minutes": 5}, 422),
)
PLANNED = (
    {"email": "ines.duarte@fernhill.example", "date": "2026-03-04", "start": "11:00", "minutes": 60},
    {"email": "noah.fielding@fernhill.example", "date": "2026-03-05", "start": "10:30", "minutes": 45},
    {"email": "hanna.vogt@fernhill.example", "date": "2026-03-09", "start": "13:00", "minutes": 30},
    {"email": "samuel.okoro@fernhill.example", "date": "2026-03-12", "start": "15:00", "minutes": 90},
)
SUBJECTS = ("Cloud budget", "Offer for the harbour", "Release notes", "Supplier contract")
EXAMPLES = tuple({**slot, "subject": subject} for slot, subject in zip(PLANNED, SUBJECTS, strict=True))
REFUSALS = (
    ({**EXAMPLES[0], "email": "nobody@fernhill.example"}, 404),
    ({**EXAMPLES[0], "start": "10:00"}, 409),
    ({**EXAMPLES[0], "start": "18:00"}, 400),
    ({**EXAMPLES[0], "date": "2026-02-27"}, 400),
)


class Block(Answer):
    """A time that is taken."""

    start: str = Field(description="Start, HH:MM")
    end: str = Field(description="End, HH:MM")
    subject: str = Field(description="What it is about")


class FreeBusy(Answer):
    """A person's calendar of a day."""

    email: str = Field(description="Address of the person")
    name: str = Field(description="Name of the person")
    date: str = Field(description="The day, YYYY-MM-DD")
    weekday: str = Field(description="Its day of the week")
    status: str = Field(description="available where there is a free time that long")
    free_from: str = Field(description="Start of the first free time that long, HH:MM")
    free_until: str = Field(description="When that time would be over, HH:MM")
    busy: list[Block] = Field(description="What stands in the calendar, in order")
    busy_count: int = Field(description="How many entries these are")
    busy_minutes: int = Field(description="Minutes of the working day that are taken")
    free_minutes: int = Field(description="Minutes of the working day that are free")
    day_minutes: int = Field(description="Minutes of the working day, 09:00 to 17:30")


PERSON = (Known("name", "email", NAME_OF), Known("email", "name", EMAIL_OF))
DATED = (Known("weekday", "date", WEEKDAY_OF), OneOf("weekday", WORKING_WEEK, ("Sunday",)))


@simulated_tool(
    category="source",
    answer=FreeBusy,
    examples=FREE_REQUESTS,
    refusals=FREE_REFUSED,
    echoes=("email",),
    invariants=(
        *PERSON,
        Echo("date", "date"),
        *DATED,
        OneOf("status", ("available",), ("mailbox_offline", "unknown")),
        *(Requires(field, "status", "available") for field in ("free_from", "free_until", "date")),
        Ordered("free_from", "free_until"),
        Counts("busy_count", "busy"),
        Sums("day_minutes", ("busy_minutes", "free_minutes")),
        Bounds("busy_minutes", 0, WHOLE_DAY),
        Bounds("free_minutes", 0, WHOLE_DAY),
    ),
)
def calendar_free_busy(world: World, email: WorkAddress, date: Day, minutes: Minutes = 30) -> dict[str, Any]:
    """Read a colleague's calendar of one day: what takes up time, and the first free time of a wanted length."""
    person = mailbox(email)
    first = free_starts(world, person, date, minutes)[0]
    blocks = busy(world, person, date)
    used = sum(clock_minutes_between(block.start, block.end) for block in blocks)
    return {
        "email": person.email,
        "name": person.name,
        "date": date,
        "weekday": WEEKDAY_OF[date],
        "status": "available",
        "free_from": first,
        "free_until": clock_after(first, minutes),
        "busy": [{"start": block.start, "end": block.end, "subject": block.subject} for block in blocks],
        "busy_count": len(blocks),
        "busy_minutes": used,
        "free_minutes": WHOLE_DAY - used,
        "day_minutes": WHOLE_DAY,
    }


class Suggestion(Answer):
    """A time at which all can meet."""

    start: str = Field(description="Start, HH:MM")
    end: str = Field(description="End, HH:MM")


class Suggestions(Answer):
    """Times at which all can meet."""

    attendee_email: str = Field(description="Address of the required attendee")
    second_email: str | None = Field(description="Address of the second attendee; null where there is none")
    date: str = Field(description="The day, YYYY-MM-DD")
    weekday: str = Field(description="Its day of the week")
    time_zone: str = Field(description="IANA time zone of the required attendee")
    outcome: str = Field(description="found where there is a time")
    best_start: str = Field(description="Start of the earliest time, HH:MM")
    best_end: str = Field(description="End of the earliest time, HH:MM")
    minutes: int = Field(description="Length in minutes")
    suggestions: list[Suggestion] = Field(description="Up to three times, the earliest first")
    suggestion_count: int = Field(description="How many are listed")


@simulated_tool(
    category="source",
    answer=Suggestions,
    examples=(
        *({"attendee_email": a["email"], "date": a["date"], "minutes": a["minutes"]} for a in FREE_REQUESTS),
        {
            "attendee_email": "hanna.vogt@fernhill.example",
            "date": "2026-03-04",
            "minutes": 60,
            "second_email": "oliver.finchley@fernhill.example",
        },
    ),
    refusals=tuple(
        ({"attendee_email": a["email"], "date": a["date"], "minutes": a["minutes"]}, status)
        for a, status in FREE_REFUSED
    ),
    echoes=("attendee_email", "second_email", "minutes", "date"),
    invariants=(
        *DATED,
        OneOf("outcome", ("found",), ("attendees_unavailable", "unknown")),
        *(Requires(field, "outcome", "found") for field in ("best_start", "best_end", "attendee_email", "date")),
        Bounds("minutes", 15, 240),
        Known("time_zone", "attendee_email", {a: SITES[mailbox(a).city.casefold()].time_zone for a in NAME_OF}),
        Ordered("best_start", "best_end"),
        Counts("suggestion_count", "suggestions"),
        Bounds("suggestion_count", 1, 3),
        Formula("best_start", ("suggestions.0.start",), str, "best_start is that of the first suggestion"),
    ),
)
def scheduling_assistant(
    world: World,
    attendee_email: WorkAddress,
    date: Day,
    minutes: Minutes,
    second_email: Annotated[WorkAddress | None, Field(description="Address of a second attendee, if any")] = None,
) -> dict[str, Any]:
    """Have the scheduling assistant suggest up to three times of a day at which one or two colleagues are free."""
    people = [mailbox(email) for email in (attendee_email, second_email) if email is not None]
    free = [free_starts(world, person, date, minutes) for person in people]
    starts = [start for start in free[0] if all(start in other for other in free)][:3]
    # Whoever has no such time at all was refused by `free_starts`: here each has some, and none in common.
    if not starts:
        raise Refusal(409, "AttendeesUnavailable", f"There is no common free time of {minutes} minutes on {date}.")
    times = [{"start": start, "end": clock_after(start, minutes)} for start in starts]
    return {
        "attendee_email": people[0].email,
        "second_email": people[1].email if len(people) > 1 else None,
        "date": date,
        "weekday": WEEKDAY_OF[date],
        "time_zone": SITES[people[0].city.casefold()].time_zone,
        "outcome": "found",
        "best_start": times[0]["start"],
        "best_end": times[0]["end"],
        "suggestions": times,
        "suggestion_count": len(times),
    }


class EventBody(Answer):
    """The fields of an event whatever its state."""

    email: str = Field(description="Address of the attendee")
    name: str = Field(description="Name of the attendee")
    subject: str = Field(description="What the event is about")
    date: str = Field(description="Day of the event, YYYY-MM-DD")
    weekday: str = Field(description="Its day of the week")
    start: str = Field(description="Start, HH:MM")
    end: str = Field(description="End, HH:MM")
    minutes: int = Field(description="Length in minutes")


class InvitedEvent(EventBody):
    """An event whose invitation has gone out."""

    event_id: str = Field(description="Id of the event")
    status: Literal["invited"] = Field(description="State of the event")
    invited_at: str = Field(description="When the invitation left, YYYY-MM-DDTHH:MM")


class DraftedEvent(EventBody):
    """An invitation that has not been sent."""

    draft_id: str = Field(description="Id of the draft, taken by send_invitation")
    status: Literal["tentative"] = Field(description="State of the event")
    drafted_at: str = Field(description="When it was drafted, YYYY-MM-DDTHH:MM")


EVENT = (
    Known("name", "email", NAME_OF),
    Known("email", "name", EMAIL_OF),
    Known("weekday", "date", WEEKDAY_OF),
    Ordered("start", "end"),
    Formula("minutes", ("start", "end"), clock_minutes_between, "minutes is the time from start to end"),
    Bounds("minutes", 15, 240),
)
SENT = (
    *(Requires(field, "status", "invited") for field in ("event_id", "start", "end", "email")),
    Ordered("invited_at", "date"),
)


def body_of(event: Event) -> dict[str, Any]:
    """The event as fields of an answer."""
    return {
        "email": event.email,
        "name": NAME_OF[event.email],
        "subject": event.subject,
        "date": event.date,
        "weekday": WEEKDAY_OF[event.date],
        "start": event.start,
        "end": event.end,
        "minutes": clock_minutes_between(event.start, event.end),
    }


def invite_attendee(world: World, event: Event) -> dict[str, Any]:
    """Invite the attendee and give the event."""
    invite(world, event)
    return {**body_of(event), "event_id": event.id, "status": "invited", "invited_at": THIS_MINUTE}


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="calendar_history",
    parts=2,
    answer=InvitedEvent,
    examples=EXAMPLES,
    refusals=REFUSALS,
    echoes=("email", "date", "start", "subject"),
    invariants=(*EVENT, *SENT),
    free_text=("subject",),
)
def create_calendar_event(
    world: World, email: WorkAddress, date: Day, start: StartTime, minutes: Minutes, subject: Subject
) -> dict[str, Any]:
    """Enter an event with a colleague in the calendar and invite them at once; refused where they are busy."""
    event = planned_event(world, email, date, start, minutes, subject)
    keep_event(world, event)
    return invite_attendee(world, event)


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="calendar_history",
    answer=DraftedEvent,
    examples=EXAMPLES,
    refusals=REFUSALS,
    echoes=("email", "date", "start", "subject"),
    invariants=(
        *EVENT,
        *(Requires(field, "status", "tentative") for field in ("draft_id", "start", "end")),
        Ordered("drafted_at", "date"),
    ),
    free_text=("subject",),
)
def draft_invitation(
    world: World, email: WorkAddress, date: Day, start: StartTime, minutes: Minutes, subject: Subject
) -> dict[str, Any]:
    """Draft an invitation: the colleague's time is kept tentatively, and nothing is sent until the draft is sent."""
    event = planned_event(world, email, date, start, minutes, subject)
    keep_event(world, event)
    keep_draft(world, event)
    return {**body_of(event), "draft_id": draft_id(event), "status": "tentative", "drafted_at": THIS_MINUTE}
