"""Training courses: the catalogue with the next session of each course, and places, taken at once or kept first.

A course runs at one office and its fee is in that office's currency. Courses elsewhere are not covered.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Echo, Known, Ordered, Requires, Sums
from sealegs.world.office.facts import EMAIL_OF, NAME_OF, THIS_MINUTE, mailbox
from sealegs.world.office.office_arguments import CURRENCY_OF, WorkAddress
from sealegs.world.office.working_days import WEEKDAY_OF
from sealegs.world.state import identifier
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

CourseName = Annotated[
    str, Field(min_length=3, max_length=80, description="Title of the course, such as Negotiation basics")
]
SessionId = Annotated[str, Field(pattern=r"^SES-[0-9]{4}$", description="Id of a session, such as SES-6101")]
PlaceId = Annotated[str, Field(pattern=r"^TRP-[0-9A-F]{8}$", description="Id of a place that is kept")]


@dataclass(frozen=True, slots=True)
class CourseSession:
    """The next session of a course: where, when, its places and how many of them are taken, and its fee."""

    id: str
    course: str
    city: str
    date: str
    start: str
    end: str
    places: int
    taken: int
    fee: float

    @property
    def currency(self) -> str:
        """ISO 4217 code of the fee."""
        return CURRENCY_OF[self.city]


_ROWS = (
    CourseSession("SES-6101", "Negotiation basics", "London", "2026-03-17", "09:30", "16:30", 12, 7, 420),
    CourseSession("SES-6102", "First aid", "Berlin", "2026-03-12", "09:00", "15:00", 15, 11, 85),
    CourseSession("SES-6103", "Spreadsheet modelling", "Toronto", "2026-03-19", "10:00", "16:00", 10, 4, 310),
    CourseSession("SES-6104", "Presenting with ease", "New York", "2026-03-24", "13:00", "17:00", 8, 5, 260),
    CourseSession("SES-6105", "Data protection", "Lisbon", "2026-03-10", "14:00", "16:00", 25, 13, 60),
    CourseSession("SES-6106", "Leading small teams", "Stockholm", "2026-04-14", "09:00", "17:00", 12, 9, 5_400),
    CourseSession("SES-6107", "Incident response", "Lisbon", "2026-03-26", "09:30", "13:30", 10, 6, 190),
    CourseSession("SES-6108", "Business Japanese", "Tokyo", "2026-04-08", "17:30", "19:00", 9, 3, 28_000),
    CourseSession("SES-6109", "Contract drafting", "Singapore", "2026-03-31", "09:00", "12:30", 14, 8, 540),
    CourseSession("SES-6110", "Fire warden", "Tokyo", "2026-03-18", "10:00", "12:00", 6, 2, 9_500),
    CourseSession("SES-6111", "Interview skills", "Stockholm", "2026-03-23", "13:00", "16:30", 10, 5, 2_150),
    CourseSession("SES-6112", "Project estimating", "Berlin", "2026-04-21", "09:30", "16:00", 12, 10, 330),
    CourseSession("SES-6113", "Cloud cost control", "Lisbon", "2026-04-02", "10:00", "15:00", 8, 8, 275),
)
SESSIONS = {session.id: session for session in _ROWS}
COURSE_OF = {session.id: session.course for session in _ROWS}
KEPT = (
    ("SES-6101", "noah.fielding@fernhill.example"),
    ("SES-6103", "chloe.tremont@fernhill.example"),
    ("SES-6108", "kenji.morioka@fernhill.example"),
    ("SES-6111", "erik.sandmark@fernhill.example"),
)


class SessionBody(Answer):
    """A session of a course."""

    session_id: str = Field(description="Id of the session")
    course: str = Field(description="Title of the course")
    city: str = Field(description="City of the office where it is held")
    date: str = Field(description="Day of the session, YYYY-MM-DD")
    weekday: str = Field(description="Its day of the week")
    start: str = Field(description="Start, HH:MM")
    end: str = Field(description="End, HH:MM")
    fee: float = Field(description="Fee for one place")
    currency: str = Field(description="ISO 4217 code of the fee")


class CourseOffer(SessionBody):
    """A course of the catalogue with its next session."""

    status: Literal["open"] = Field(description="Whether places can be had")
    places: int = Field(description="Places in all")
    places_taken: int = Field(description="Places taken or kept")
    places_left: int = Field(description="Places left")


class EnrolledPlace(SessionBody):
    """A place that somebody has."""

    enrolment_id: str = Field(description="Id of the enrolment")
    status: Literal["enrolled"] = Field(description="State of the enrolment")
    participant_email: str = Field(description="Address of who takes part")
    participant_name: str = Field(description="Name of who takes part")
    enrolled_at: str = Field(description="When it was entered, YYYY-MM-DDTHH:MM")


class KeptPlace(SessionBody):
    """A place that is kept for somebody."""

    place_id: str = Field(description="Id of the kept place, taken by confirm_training_place")
    status: Literal["kept"] = Field(description="State of the place")
    participant_email: str = Field(description="Address of whom it is kept for")
    participant_name: str = Field(description="Name of whom it is kept for")
    kept_until: str = Field(description="When it lapses, YYYY-MM-DDTHH:MM")
    kept_at: str = Field(description="Since when it is kept, YYYY-MM-DDTHH:MM")
    places_left: int = Field(description="Places left after it")


SESSION = (
    Known("course", "session_id", COURSE_OF),
    Known("currency", "city", CURRENCY_OF),
    Known("weekday", "date", WEEKDAY_OF),
    Ordered("start", "end"),
    Bounds("fee", 0, 100_000),
)
PERSON = (
    Known("participant_name", "participant_email", NAME_OF),
    Known("participant_email", "participant_name", EMAIL_OF),
)
ENROLLED = (
    *SESSION,
    *PERSON,
    *(Requires(field, "status", "enrolled") for field in ("enrolment_id", "session_id", "date", "start", "city")),
    Ordered("enrolled_at", "date"),
)


def _session(course: str) -> CourseSession:
    found = next((s for s in _ROWS if s.course.casefold() == course.strip().casefold()), None)
    if found is None:
        raise Refusal(404, "CourseNotFound", f"The catalogue has no course {course!r}.", course=course)
    return found


def _left(world: World, session: CourseSession) -> int:
    added: int = len(world.state("office.training").get(session.id, ()))
    return session.places - session.taken - added


def _take(world: World, session: CourseSession, email: str) -> str:
    person, takers = mailbox(email).email, world.state("office.training")
    if person in takers.get(session.id, ()) or (session.id, person) in KEPT:
        raise Refusal(409, "PlaceExists", f"{person} has a place in {session.id} already.", session_id=session.id)
    if not _left(world, session):
        raise Refusal(409, "SessionFull", f"The session {session.id} has no place left.", session_id=session.id)
    takers[session.id] = (*takers.get(session.id, ()), person)
    world.effect("take_training_place", session.id, participant=person)
    return person


def _body(session: CourseSession) -> dict[str, Any]:
    return {
        "session_id": session.id,
        "course": session.course,
        "city": session.city,
        "date": session.date,
        "weekday": WEEKDAY_OF[session.date],
        "start": session.start,
        "end": session.end,
        "fee": session.fee,
        "currency": session.currency,
    }


def _enrolled(world: World, session: CourseSession, email: str) -> dict[str, Any]:
    world.effect("enrol", session.id, participant=email)
    return {
        **_body(session),
        "enrolment_id": identifier("ENR", session.id, email),
        "status": "enrolled",
        "participant_email": email,
        "participant_name": NAME_OF[email],
        "enrolled_at": THIS_MINUTE,
    }


@simulated_tool(
    category="source",
    answer=CourseOffer,
    examples=tuple(
        {"course": name}
        for name in ("Negotiation basics", "First aid", "Business Japanese", "Data protection", "Interview skills")
    ),
    refusals=(({"course": "Deep sea diving"}, 404), ({"course": "x"}, 422)),
    echoes=("course",),
    invariants=(
        *SESSION,
        *(Requires(field, "status", "open") for field in ("session_id", "date", "start", "city")),
        Sums("places", ("places_taken", "places_left")),
        Bounds("places_left", 0, 100),
        Bounds("places", 1, 100),
    ),
)
def training_catalogue(world: World, course: CourseName) -> dict[str, Any]:
    """Look a training course up in the catalogue: its next session, where and when, fee and places left."""
    session = _session(course)
    left = _left(world, session)
    counts = {"places": session.places, "places_taken": session.places - left, "places_left": left}
    return {**_body(session), "status": "open", **counts}


ENROLMENTS = (
    {"session_id": "SES-6101", "email": "priya.ramanath@fernhill.example"},
    {"session_id": "SES-6105", "email": "hanna.vogt@fernhill.example"},
    {"session_id": "SES-6110", "email": "yuki.hanabe@fernhill.example"},
    {"session_id": "SES-6112", "email": "jonas.kellerhals@fernhill.example"},
)


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="training_history",
    parts=2,
    answer=EnrolledPlace,
    examples=ENROLMENTS,
    refusals=(
        ({**ENROLMENTS[0], "session_id": "SES-9999"}, 404),
        ({**ENROLMENTS[0], "email": "nobody@fernhill.example"}, 404),
        ({**ENROLMENTS[0], "session_id": "SES-6113"}, 409),
    ),
    echoes=("session_id",),
    invariants=(Echo("email", "participant_email"), *ENROLLED),
)
def enrol_in_session(world: World, session_id: SessionId, email: WorkAddress) -> dict[str, Any]:
    """Enrol a colleague in a session of a training course, by the session's id, at once and finally."""
    if session_id not in SESSIONS:
        raise Refusal(404, "SessionNotFound", f"There is no session {session_id!r}.", session_id=session_id)
    session = SESSIONS[session_id]
    return _enrolled(world, session, _take(world, session, email))


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="training_history",
    answer=KeptPlace,
    examples=(
        {"course": "First aid", "email": "jonas.kellerhals@fernhill.example"},
        {"course": "Contract drafting", "email": "mei.tan@fernhill.example"},
        {"course": "Presenting with ease", "email": "lucas.penbrook@fernhill.example"},
        {"course": "Incident response", "email": "tomas.ribeiro@fernhill.example"},
    ),
    refusals=(
        ({"course": "Deep sea diving", "email": "mei.tan@fernhill.example"}, 404),
        ({"course": "Cloud cost control", "email": "mei.tan@fernhill.example"}, 409),
        ({"course": "First aid", "email": "nobody@fernhill.example"}, 404),
    ),
    echoes=("course",),
    invariants=(
        Echo("email", "participant_email"),
        *SESSION,
        *PERSON,
        *(Requires(field, "status", "kept") for field in ("place_id", "session_id", "date", "city")),
        Ordered("kept_at", "kept_until"),
        Ordered("kept_until", "date"),
        Bounds("places_left", 0, 100),
    ),
)
def reserve_training_place(world: World, course: CourseName, email: WorkAddress) -> dict[str, Any]:
    """Have a place in the next session of a course kept for a colleague; it lapses tonight unless it is confirmed."""
    session = _session(course)
    person = _take(world, session, email)
    place = identifier("TRP", session.id, person)
    world.state("office.training_places")[place] = (session.id, person)
    return {
        **_body(session),
        "place_id": place,
        "status": "kept",
        "participant_email": person,
        "participant_name": NAME_OF[person],
        "kept_until": f"{THIS_MINUTE[:10]}T23:59",
        "kept_at": THIS_MINUTE,
        "places_left": _left(world, session),
    }


class ConfirmedPlace(EnrolledPlace):
    """A kept place that has become an enrolment."""

    place_id: str = Field(description="Id of the place that was kept")


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="training_history",
    answer=ConfirmedPlace,
    examples=tuple({"place_id": identifier("TRP", session, email)} for session, email in KEPT),
    refusals=(({"place_id": "TRP-00000000"}, 404), ({"place_id": "SES-6101"}, 422)),
    echoes=("place_id",),
    invariants=ENROLLED,
)
def confirm_training_place(world: World, place_id: PlaceId) -> dict[str, Any]:
    """Confirm a place that is kept in a training session, which enrols the colleague it is kept for."""
    places = {identifier("TRP", *place): place for place in KEPT} | world.state("office.training_places")
    if place_id not in places:
        raise Refusal(404, "PlaceNotFound", f"No place {place_id!r} is kept, or it has lapsed.", place_id=place_id)
    if place_id in world.state("office.confirmed_places"):
        raise Refusal(409, "AlreadyConfirmed", f"The place {place_id} is confirmed already.", place_id=place_id)
    world.state("office.confirmed_places")[place_id] = True
    session, person = places[place_id]
    return {**_enrolled(world, SESSIONS[session], person), "place_id": place_id}
