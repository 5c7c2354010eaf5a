"""Arithmetic of a day's clock: hours worked between two times, and what of them is overtime. Nights are not covered."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from sealegs.faults.invariants import Bounds, Echo, Formula, Ordered, Sums
from sealegs.world.office.facts import clock_minutes_between
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

TIME = r"^([01][0-9]|2[0-3]):[0-5][0-9]$"
ClockIn = Annotated[str, Field(pattern=TIME, description="Time of coming, HH:MM on a 24 h clock")]
ClockOut = Annotated[str, Field(pattern=TIME, description="Time of going on the same day, HH:MM on a 24 h clock")]
Break = Annotated[int, Field(ge=0, le=240, description="Minutes of breaks, which are not counted")]
NormalHours = Annotated[float, Field(ge=1, le=12, multiple_of=0.25, description="Hours of a normal day")]
EXAMPLES = (
    {"clock_in": "08:30", "clock_out": "17:15", "break_minutes": 45},
    {"clock_in": "07:45", "clock_out": "12:45", "break_minutes": 15},
    {"clock_in": "09:00", "clock_out": "19:30", "break_minutes": 60},
    {"clock_in": "13:00", "clock_out": "16:30", "break_minutes": 0},
)
REFUSALS = (
    ({"clock_in": "17:15", "clock_out": "08:30", "break_minutes": 45}, 400),
    ({"clock_in": "08:30", "clock_out": "09:00", "break_minutes": 60}, 400),
    ({"clock_in": "8:30", "clock_out": "17:15", "break_minutes": 45}, 422),
)
CLOCK = (Ordered("clock_in", "clock_out"),)


def _worked(clock_in: str, clock_out: str, break_minutes: int) -> int:
    """Minutes worked.

    Raises:
        Refusal: 400 where nothing is left.
    """
    minutes = clock_minutes_between(clock_in, clock_out) - break_minutes
    if minutes <= 0:
        raise Refusal(400, "NoWorkingTime", f"Nothing is left of {clock_in} to {clock_out} after the breaks.")
    return minutes


class Timecard(Answer):
    """A day on the time clock."""

    clock_in: str = Field(description="Time of coming, HH:MM")
    clock_out: str = Field(description="Time of going, HH:MM")
    present_minutes: int = Field(description="Minutes between coming and going")
    break_minutes: int = Field(description="Minutes of breaks")
    worked_minutes: int = Field(description="Minutes worked")
    worked_hours: float = Field(description="The same in hours, to two decimal places")


@simulated_tool(
    category="processor",
    answer=Timecard,
    examples=EXAMPLES,
    refusals=REFUSALS,
    echoes=("clock_in", "clock_out", "break_minutes"),
    invariants=(
        *CLOCK,
        Formula(
            "present_minutes", ("clock_in", "clock_out"), clock_minutes_between, "present_minutes is the time between"
        ),
        Sums("present_minutes", ("break_minutes", "worked_minutes")),
        Formula(
            "worked_hours", ("worked_minutes",), lambda minutes: minutes / 60, "worked_hours is worked_minutes / 60"
        ),
        Bounds("worked_minutes", 1, 1440),
        Bounds("worked_hours", 0, 24),
    ),
)
def timecard_hours(world: World, clock_in: ClockIn, clock_out: ClockOut, break_minutes: Break) -> dict[str, Any]:
    """Reckon the hours worked on a day from the times of coming and going and the minutes of breaks."""
    minutes = _worked(clock_in, clock_out, break_minutes)
    return {
        "present_minutes": minutes + break_minutes,
        "worked_minutes": minutes,
        "worked_hours": round(minutes / 60, 2),
    }


class Overtime(Answer):
    """A day's hours, normal and beyond."""

    clock_in: str = Field(description="Time of coming, HH:MM")
    clock_out: str = Field(description="Time of going, HH:MM")
    break_minutes: int = Field(description="Minutes of breaks")
    normal_hours: float = Field(description="Hours of a normal day")
    regular_hours: float = Field(description="Hours worked up to those of a normal day")
    overtime_hours: float = Field(description="Hours worked beyond")
    total_hours: float = Field(description="All hours worked")


@simulated_tool(
    category="processor",
    answer=Overtime,
    examples=(*EXAMPLES, {**EXAMPLES[2], "normal_hours": 7.5}),
    refusals=REFUSALS,
    echoes=("clock_in", "clock_out", "break_minutes"),
    invariants=(
        *CLOCK,
        Echo("normal_hours", "normal_hours"),
        Sums("total_hours", ("regular_hours", "overtime_hours")),
        Formula(
            "total_hours",
            ("clock_in", "clock_out", "break_minutes"),
            lambda start, end, rest: (clock_minutes_between(start, end) - rest) / 60,
            "total_hours is the time between less the breaks",
        ),
        *(Bounds(field, 0, 24) for field in ("regular_hours", "overtime_hours", "total_hours")),
    ),
)
def overtime_split(
    world: World, clock_in: ClockIn, clock_out: ClockOut, break_minutes: Break, normal_hours: NormalHours = 8.0
) -> dict[str, Any]:
    """Split the hours worked on a day, by the clock, into those of a normal day and overtime."""
    total = round(_worked(clock_in, clock_out, break_minutes) / 60, 2)
    regular = min(total, normal_hours)
    return {
        "normal_hours": normal_hours,
        "regular_hours": regular,
        "overtime_hours": round(total - regular, 2),
        "total_hours": total,
    }
