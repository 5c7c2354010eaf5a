"""Calendars of people: standing meetings of the teams, single events, and those that an episode adds. Rules, no tools.

Times are the clock of the person's office; only the working day from 09:00 to 17:30 is looked at.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from sealegs.world.office.facts import STAFF, Employee, clock_after, clock_minutes_between, mailbox
from sealegs.world.office.office_arguments import office_day
from sealegs.world.office.working_days import WEEKDAY_OF
from sealegs.world.state import TODAY, identifier
from sealegs.world.tool import Refusal, World

OPENS: Final = "09:00"
CLOSES: Final = "17:30"
STEP: Final = 15


@dataclass(frozen=True, slots=True)
class Event:
    """An event in a person's calendar."""

    email: str
    date: str
    start: str
    end: str
    subject: str

    @property
    def id(self) -> str:
        """The event's id, a function of person, date and start as first planned."""
        return calendar_event_id(self.email, self.date, self.start)


DAILY = {
    "Platform": ("09:15", "09:30", "Stand-up"),
    "Sales": ("09:00", "09:30", "Pipeline call"),
    "People": ("13:00", "13:30", "Cases"),
    "Workplace": ("09:00", "09:15", "Morning round"),
}
WEEKLY = {
    "Leadership": ("Monday", "10:00", "11:30", "Leadership meeting"),
    "Platform": ("Tuesday", "14:00", "15:00", "Sprint planning"),
    "Finance": ("Wednesday", "09:30", "10:30", "Cash review"),
    "People": ("Thursday", "10:00", "11:00", "Hiring round"),
    "Sales": ("Monday", "11:00", "12:00", "Forecast"),
    "Legal": ("Tuesday", "09:00", "10:00", "Matters"),
    "Workplace": ("Friday", "11:00", "11:45", "Suppliers"),
}
_SINGLE = (
    ("E-1001", "2026-03-03", "09:00", "10:30", "Board preparation"),
    ("E-1001", "2026-03-05", "13:00", "15:00", "Bank"),
    ("E-1012", "2026-03-04", "09:30", "11:00", "Architecture review"),
    ("E-1012", "2026-03-05", "09:30", "10:00", "One to one with Tomas"),
    ("E-1015", "2026-03-03", "09:30", "12:00", "Disaster recovery test"),
    ("E-1015", "2026-03-06", "09:30", "10:30", "Post-mortem"),
    ("E-1021", "2026-03-04", "09:30", "10:15", "Code review"),
    ("E-1034", "2026-03-05", "09:30", "11:30", "Data migration"),
    ("E-1040", "2026-03-03", "09:00", "12:00", "Auditors"),
    ("E-1043", "2026-03-05", "09:00", "11:15", "Month-end close"),
    ("E-1047", "2026-03-04", "10:30", "11:30", "Supplier ledger"),
    ("E-1052", "2026-03-06", "09:00", "09:45", "Budget model"),
    ("E-1060", "2026-03-04", "09:00", "10:00", "Works council"),
    ("E-1063", "2026-03-03", "09:00", "10:45", "Interviews"),
    ("E-1066", "2026-03-05", "09:00", "10:00", "Onboarding"),
    ("E-1070", "2026-03-04", "09:30", "11:00", "Customer visit"),
    ("E-1074", "2026-03-05", "09:30", "10:30", "Demo"),
    ("E-1077", "2026-03-06", "09:30", "12:30", "Trade fair"),
    ("E-1079", "2026-03-03", "09:30", "10:00", "Technical scoping"),
    ("E-1081", "2026-03-04", "09:00", "11:30", "Mediation"),
    ("E-1084", "2026-03-05", "10:00", "11:00", "Patent counsel"),
    ("E-1086", "2026-03-06", "09:00", "10:15", "Filing"),
    ("E-1090", "2026-03-03", "09:15", "11:00", "Landlord"),
    ("E-1093", "2026-03-05", "09:15", "10:45", "Lift inspection"),
    ("E-1095", "2026-03-06", "09:15", "10:00", "Fire drill"),
)


def calendar_event_id(email: str, date: str, start: str) -> str:
    """The id of an event that begins then."""
    return identifier("EVT", email, date, start)


EVENTS = {
    event.id: event
    for event in (Event(STAFF[id].email, date, start, end, text) for id, date, start, end, text in _SINGLE)
}
DRAFTS = tuple(
    Event(STAFF[id].email, date, start, end, text)
    for id, date, start, end, text in (
        ("E-1021", "2026-03-10", "10:00", "10:45", "Pairing"),
        ("E-1043", "2026-03-11", "14:00", "15:00", "Forecast"),
        ("E-1066", "2026-03-12", "11:30", "12:15", "Probation talk"),
        ("E-1074", "2026-03-13", "15:00", "16:00", "Quarterly targets"),
    )
)


def draft_id(event: Event) -> str:
    """The id of the drafted invitation to this event."""
    return identifier("INV", event.email, event.date, event.start)


def events_by_id(world: World) -> dict[str, Event]:
    """Every single event by id, as it stands now."""
    return EVENTS | {event.id: event for event in DRAFTS} | world.state("office.calendar_events")


def busy(world: World, person: Employee, date: str) -> tuple[Event, ...]:
    """The entries of a person's calendar on a day, in order, without standing meetings that an event covers."""
    found = [event for event in events_by_id(world).values() if (event.email, event.date) == (person.email, date)]
    standing = []
    if person.team in DAILY:
        standing.append(Event(person.email, date, *DAILY[person.team]))
    weekday, start, end, text = WEEKLY[person.team]
    if WEEKDAY_OF[date] == weekday:
        standing.append(Event(person.email, date, start, end, text))
    free = [event for event in standing if not any(_clash(event, other) for other in found)]
    return tuple(sorted((*found, *free), key=lambda event: event.start))


def free_starts(world: World, person: Employee, date: str, minutes: int) -> tuple[str, ...]:
    """Every start, on the quarter of an hour, of a free time that long in the person's working day.

    Raises:
        Refusal: 400 where the day is past or a weekend, 409 where the day is full.
    """
    working_day(date)
    taken = busy(world, person, date)
    starts = (clock_after(OPENS, number * STEP) for number in range(clock_minutes_between(OPENS, CLOSES) // STEP))
    wanted = (Event(person.email, date, start, clock_after(start, minutes), "") for start in starts)
    free = [slot.start for slot in wanted if slot.end <= CLOSES and not any(_clash(slot, event) for event in taken)]
    if not free:
        raise Refusal(409, "NoFreeTime", f"{person.email} has no {minutes} free minutes on {date}.", date=date)
    return tuple(free)


def planned_event(world: World, email: str, date: str, start: str, minutes: int, subject: str) -> Event:
    """An event that a person has time for.

    Raises:
        Refusal: 404 for an unknown person, 400 for a time outside the working day, 409 where the person is busy.
    """
    person = mailbox(email)
    working_day(date)
    end = clock_after(start, minutes)
    if not OPENS <= start < end <= CLOSES:
        raise Refusal(400, "OutsideWorkingHours", f"{start} to {end} is not within {OPENS} to {CLOSES}.", start=start)
    wanted = Event(person.email, date, start, end, subject)
    other = next((event for event in busy(world, person, date) if _clash(wanted, event)), None)
    if other is not None:
        message = f"{person.email} is busy from {other.start} to {other.end} on {date}."
        raise Refusal(409, "AttendeeBusy", message, busy_from=other.start, busy_until=other.end)
    return wanted


def keep_event(world: World, event: Event) -> None:
    """Take the person's time."""
    world.state("office.calendar_events")[event.id] = event
    world.effect("take_time", event.email, date=event.date, start=event.start, end=event.end)


def invite(world: World, event: Event) -> None:
    """Send the person the invitation."""
    world.effect("invite", event.email, date=event.date, start=event.start, end=event.end)


def keep_draft(world: World, event: Event) -> None:
    """Remember that the invitation is drafted."""
    world.state("office.invitations")[draft_id(event)] = event


def take_event_draft(world: World, id: str) -> Event:
    """The event whose invitation is drafted under this id; it is a draft no longer.

    Raises:
        Refusal: 404 where there is none, 409 where it was sent already.
    """
    drafts: dict[str, Event] = {draft_id(event): event for event in DRAFTS} | world.state("office.invitations")
    sent = world.state("office.sent_invitations")
    if id not in drafts:
        raise Refusal(404, "DraftNotFound", f"There is no drafted invitation {id!r}.", draft_id=id)
    if id in sent:
        raise Refusal(409, "AlreadySent", f"The invitation {id} was sent already.", draft_id=id)
    sent[id] = True
    return drafts[id]


def move_event(world: World, id: str, date: str, start: str) -> tuple[Event, Event]:
    """The event before and after it is moved, under its old id.

    Raises:
        Refusal: 404 where there is no such event, 400 or 409 where it cannot stand there.
    """
    found = events_by_id(world).get(id)
    if found is None:
        raise Refusal(404, "EventNotFound", f"There is no event {id!r}.", event_id=id)
    if (found.date, found.start) == (date, start):
        raise Refusal(409, "EventUnchanged", f"The event {id} begins on {date} at {start} already.", event_id=id)
    without = world.fork()
    without.state("office.calendar_events")[id] = replace(found, date="", start="", end="")
    minutes = clock_minutes_between(found.start, found.end)
    after = planned_event(without, found.email, date, start, minutes, found.subject)
    world.state("office.calendar_events")[id] = after
    world.effect("move_event", id, date=after.date, start=after.start, end=after.end)
    return found, after


def working_day(date: str) -> None:
    """Refuse a day that is past or on which offices are closed.

    Raises:
        Refusal: 400.
    """
    office_day(date)
    if date < TODAY:
        raise Refusal(400, "DateInThePast", f"{date} is before today, {TODAY}.", value=date)


def _clash(left: Event, right: Event) -> bool:
    return left.start < right.end and right.start < left.end
