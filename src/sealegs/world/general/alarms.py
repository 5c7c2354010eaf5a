"""Alarms and timers: the device rings at a moment, which is given as such or as so long from now."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated, Any

from pydantic import Field

from sealegs.faults.invariants import Bounds, Counts, Formula, OneOf, Ordered, Requires
from sealegs.world.general.own_facts import ALARMS
from sealegs.world.general.place_and_time import Moment, format_moment, minutes_between, parse_moment, read_moment
from sealegs.world.state import NOW, identifier
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

SET_AT = NOW[:16]
FAILED = ("muted", "dismissed")

Label = Annotated[
    str, Field(min_length=2, max_length=60, pattern=r"\S", description="What it rings for, such as 'Leave for the gym'")
]


def _ring(world: World, label: str, rings_at: str) -> tuple[str, list[str]]:
    """Make the device ring, and return the alarm's id and the labels of all that is set.

    Raises:
        Refusal: 400 where the moment has passed, 409 where the device rings for this at that moment already.
    """
    if rings_at <= SET_AT:
        raise Refusal(400, "AlarmInPast", f"{rings_at} is not after now, which is {SET_AT}.")
    alarm_id = identifier("ALM", label, rings_at)
    alarms = world.state("general.alarms")
    if alarm_id in alarms or alarm_id in {identifier("ALM", name, at) for name, at in ALARMS.items()}:
        raise Refusal(409, "AlarmExists", f"{label!r} rings at {rings_at} already.", alarm_id=alarm_id)
    alarms[alarm_id] = label
    world.effect("ring", label, at=rings_at)
    return alarm_id, [*ALARMS, *alarms.values()]


class Alarm(Answer):
    """An alarm that was set."""

    alarm_id: str = Field(description="Id of the alarm")
    status: str = Field(description="set")
    label: str = Field(description="What it rings for")
    set_at: str = Field(description="When it was set")
    rings_at: str = Field(description="When it rings, YYYY-MM-DDTHH:MM")
    minutes_from_now: int = Field(description="Minutes until then")
    active_count: int = Field(description="Alarms and timers that are set, this one among them")
    active: list[str] = Field(description="What they ring for")


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="alert_history",
    answer=Alarm,
    examples=(
        {"at": "2026-03-03T07:15", "label": "Train to Porto"},
        {"at": "2026-03-05T14:45", "label": "Call the notary"},
        {"at": "2026-03-18T16:05:00", "label": "Boarding"},
        {"at": "2026-03-02T21:30", "label": "Feed the cat"},
    ),
    refusals=(
        ({"at": "2026-03-02T08:30", "label": "Boarding"}, 400),
        ({"at": "2026-02-31T08:30", "label": "Boarding"}, 400),
        ({"at": "2026-03-03T06:45", "label": "Wake up"}, 409),
        ({"at": "07:15", "label": "Boarding"}, 422),
    ),
    echoes=("label",),
    invariants=(
        Requires("alarm_id", "status", "set"),
        OneOf("status", ("set",), FAILED),
        Counts("active_count", "active"),
        Ordered("set_at", "rings_at"),
        Bounds("minutes_from_now", 0),
        Formula(
            "rings_at", ("argument:at",), lambda at: format_moment(parse_moment(at)), "rings_at is the argument at"
        ),
        Formula("minutes_from_now", ("set_at", "rings_at"), minutes_between, "minutes_from_now runs to rings_at"),
    ),
)
def set_alarm(world: World, at: Moment, label: Label) -> dict[str, Any]:
    """Set an alarm on the user's device that rings once at a date and time, under a label."""
    rings_at = format_moment(read_moment(at))
    alarm_id, active = _ring(world, label, rings_at)
    return {
        "alarm_id": alarm_id,
        "status": "set",
        "set_at": SET_AT,
        "rings_at": rings_at,
        "minutes_from_now": minutes_between(SET_AT, rings_at),
        "active_count": len(active),
        "active": active,
    }


class Timer(Answer):
    """A timer that is running."""

    timer_id: str = Field(description="Id of the timer")
    status: str = Field(description="running")
    label: str = Field(description="What it rings for")
    hours: int = Field(description="Hours of its duration, as given")
    minutes: int = Field(description="Minutes that come on top, as given")
    duration_minutes: int = Field(description="Its whole duration in minutes")
    started_at: str = Field(description="When it was started")
    ends_at: str = Field(description="When it rings, YYYY-MM-DDTHH:MM")
    active_count: int = Field(description="Alarms and timers that are set, this one among them")


def _whole(hours: int, minutes: int) -> int:
    return 60 * hours + minutes


Hours = Annotated[int, Field(ge=0, le=2000, description="Hours of the duration")]
Minutes = Annotated[int, Field(ge=0, le=130_000, description="Minutes that come on top of the hours; 60 and more too")]


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="alert_history",
    answer=Timer,
    examples=(
        {"label": "Laundry", "minutes": 95},
        {"label": "Parking meter", "hours": 2},
        {"label": "Check in online", "hours": 24, "minutes": 30},
        {"label": "Call the notary", "minutes": 4665},
    ),
    refusals=(
        ({"label": "Laundry"}, 400),
        ({"label": "Take the bread out", "minutes": 40}, 409),
        ({"label": "Laundry", "minutes": -5}, 422),
        ({"label": "Laundry", "hours": 1.5}, 422),
    ),
    echoes=("label", "hours", "minutes"),
    invariants=(
        Requires("timer_id", "status", "running"),
        OneOf("status", ("running",), FAILED),
        Bounds("active_count", 1, 1000),
        Bounds("duration_minutes", 1, 250_000),
        Ordered("started_at", "ends_at"),
        Formula("duration_minutes", ("hours", "minutes"), _whole, "duration_minutes is hours x 60 + minutes"),
        Formula("duration_minutes", ("started_at", "ends_at"), minutes_between, "duration_minutes runs to ends_at"),
    ),
)
def start_timer(world: World, label: Label, hours: Hours = 0, minutes: Minutes = 0) -> dict[str, Any]:
    """Start a countdown on the user's device that rings after so many hours and minutes from now, under a label."""
    duration = _whole(hours, minutes)
    if not duration:
        raise Refusal(400, "NoDuration", "A timer runs for one minute at least.")
    ends_at = (datetime.fromisoformat(NOW) + timedelta(minutes=duration)).isoformat(timespec="minutes")
    timer_id, active = _ring(world, label, ends_at)
    return {
        "timer_id": timer_id,
        "status": "running",
        "duration_minutes": duration,
        "started_at": SET_AT,
        "ends_at": ends_at,
        "active_count": len(active),
    }


class Interval(Answer):
    """The time from one moment to another."""

    start: str = Field(description="Where it begins, as given; else the present moment")
    end: str = Field(description="Where it ends, as given")
    minutes: int = Field(description="Whole minutes between them")
    hours: float = Field(description="The same in hours, to two decimals")
    days: float = Field(description="The same in days, to three decimals")
    weeks: float = Field(description="The same in weeks, to four decimals")


Either = Annotated[
    str,
    Field(
        pattern=r"^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?Z?)?$",
        description="A moment or a date (taken as its midnight), such as 2026-03-05T14:30 or 2026-03-05",
    ),
]


def _minutes(start: str, end: str) -> int:
    """Minutes between two moments, seconds left out of both."""
    return minutes_between(format_moment(parse_moment(start)), format_moment(parse_moment(end)))


@simulated_tool(
    category="processor",
    answer=Interval,
    examples=(
        {"end": "2026-03-05T14:45"},
        {"start": "2026-03-18T06:25", "end": "2026-03-18T19:35"},
        {"start": "2026-03-09", "end": "2026-04-06"},
        {"end": "2026-03-03T07:15:00"},
    ),
    refusals=(
        ({"end": "2026-03-01T09:00"}, 400),
        ({"start": "2026-03-09", "end": "2026-02-30"}, 400),
        ({"end": "next Friday"}, 422),
    ),
    echoes=("start", "end"),
    invariants=(
        Ordered("start", "end"),
        *(Bounds(field, 0) for field in ("minutes", "hours", "days", "weeks")),
        Formula("minutes", ("start", "end"), _minutes, "minutes run from start to end"),
        Formula("hours", ("minutes",), lambda minutes: minutes / 60, "hours is minutes over 60"),
        Formula("days", ("hours",), lambda hours: hours / 24, "days is hours over 24"),
        Formula("weeks", ("days",), lambda days: days / 7, "weeks is days over 7"),
    ),
)
def time_between(world: World, end: Either, start: Either = SET_AT) -> dict[str, Any]:
    """Work out how long it is from one moment or date to a later one, or from now: minutes, hours, days, weeks."""
    read_moment(start), read_moment(end)
    length = _minutes(start, end)
    if length < 0:
        raise Refusal(400, "EndBeforeStart", f"{end} lies before {start}.")
    return {
        "minutes": length,
        "hours": round(length / 60, 2),
        "days": round(length / 1440, 3),
        "weeks": round(length / 10_080, 4),
    }
