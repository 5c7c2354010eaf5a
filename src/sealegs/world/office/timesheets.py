"""Time sheets: hours booked on projects, straight or row by row in the sheet of a week.

A day takes one entry per person and project and 12 hours per person; sheets may be filled in ahead. Hours that stood in
sheets before this week only show in the projects' totals.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Formula, Known, Ordered, Requires
from sealegs.world.office.facts import EMAIL_OF, NAME_OF, employee
from sealegs.world.office.office_arguments import NAME_BY_ID, Day, EmployeeId, office_day
from sealegs.world.office.project_facts import PROJECTS, Project, project_coded, project_named
from sealegs.world.office.working_days import WEEKDAY_OF
from sealegs.world.state import identifier
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

TARGET_HOURS: Final = 40
DAY_HOURS: Final = 12
ProjectCode = Annotated[str, Field(pattern=r"^PRJ-[0-9]{4}$", description="Project code, such as PRJ-2101")]
ProjectName = Annotated[
    str, Field(min_length=3, max_length=80, description="Name of the project, such as Data warehouse")
]
Hours = Annotated[float, Field(ge=0.1, le=12, description="Hours worked, such as 7.25")]
SheetId = Annotated[str, Field(pattern=r"^TSH-[0-9A-F]{8}$", description="Id of an open time sheet")]
NAMES = {project.code: project.name for project in PROJECTS.values()}


@dataclass(frozen=True, slots=True)
class Sheet:
    """The sheet of an employee for the week that begins on a Monday."""

    employee_id: str
    monday: str

    @property
    def id(self) -> str:
        """The sheet's id."""
        return identifier("TSH", self.employee_id, self.monday)

    @property
    def sunday(self) -> str:
        """Last day of the week."""
        return (date.fromisoformat(self.monday) + timedelta(days=6)).isoformat()


SHEETS = (
    Sheet("E-1015", "2026-02-23"),
    Sheet("E-1047", "2026-02-23"),
    Sheet("E-1079", "2026-02-23"),
    Sheet("E-1093", "2026-02-23"),
)


class FoundProject(Answer):
    """A project in the register."""

    project_code: str = Field(description="Code on which hours are booked")
    name: str = Field(description="Name of the project")
    status: Literal["open"] = Field(description="Whether hours can be booked on it")
    lead_name: str = Field(description="Who leads it")
    lead_email: str = Field(description="Address of who leads it")
    budget_hours: float = Field(description="Hours planned in all")
    booked_hours: float = Field(description="Hours booked so far")
    remaining_hours: float = Field(description="Hours of the budget that are left")
    starts_on: str = Field(description="First day, YYYY-MM-DD")
    ends_on: str = Field(description="Planned last day, YYYY-MM-DD")


@simulated_tool(
    category="source",
    answer=FoundProject,
    examples=tuple(
        {"name": name}
        for name in ("Website relaunch", "Ledger migration", "Data warehouse", "Privacy audit", "Singapore launch")
    ),
    refusals=(({"name": "Moon base"}, 404), ({"name": "x"}, 422)),
    echoes=("name",),
    invariants=(
        Requires("project_code", "status", "open"),
        Known("name", "project_code", NAMES),
        Known("lead_email", "lead_name", EMAIL_OF),
        Known("lead_name", "lead_email", NAME_OF),
        Formula(
            "remaining_hours",
            ("budget_hours", "booked_hours"),
            lambda budget, booked: budget - booked,
            "remaining_hours is budget_hours less booked_hours",
        ),
        *(Bounds(field, 0, 10_000) for field in ("budget_hours", "booked_hours", "remaining_hours")),
        Ordered("starts_on", "ends_on"),
    ),
)
def find_project(world: World, name: ProjectName) -> dict[str, Any]:
    """Look a project up by name: code for booking hours, lead, budget of hours, hours booked and left, and dates."""
    found = project_named(name)
    booked = _booked(world, found)
    return {
        "project_code": found.code,
        "name": found.name,
        "status": "open",
        "lead_name": NAME_OF[found.lead_email],
        "lead_email": found.lead_email,
        "budget_hours": found.budget_hours,
        "booked_hours": booked,
        "remaining_hours": found.budget_hours - booked,
        "starts_on": found.starts_on,
        "ends_on": found.ends_on,
    }


class TimesheetEntry(Answer):
    """Hours in a time sheet."""

    entry_id: str = Field(description="Id of the entry")
    status: Literal["recorded"] = Field(description="State of the entry")
    timesheet_id: str = Field(description="Id of the sheet that it stands in")
    employee_id: str = Field(description="Employee id of who worked")
    name: str = Field(description="Full name of who worked")
    project_code: str = Field(description="Code of the project")
    project_name: str = Field(description="Name of the project")
    date: str = Field(description="Day of the work, YYYY-MM-DD")
    weekday: str = Field(description="Its day of the week")
    hours: float = Field(description="Hours of the entry")
    project_hours_before: float = Field(description="Hours booked on the project before")
    project_hours: float = Field(description="Hours booked on the project now")
    week_begins: str = Field(description="Monday of the sheet's week, YYYY-MM-DD")
    week_ends: str = Field(description="Sunday of the sheet's week, YYYY-MM-DD")


ENTRY = (
    *(Requires(field, "status", "recorded") for field in ("entry_id", "timesheet_id", "project_code", "employee_id")),
    Known("name", "employee_id", NAME_BY_ID),
    Known("project_name", "project_code", NAMES),
    Known("weekday", "date", WEEKDAY_OF),
    Ordered("week_begins", "date"),
    Ordered("date", "week_ends"),
    Formula(
        "project_hours", ("project_hours_before", "hours"), lambda before, new: before + new, "the hours are added up"
    ),
    Bounds("hours", 0.1, DAY_HOURS),
    Bounds("project_hours", 0, 20_000),
)
LOGGED = (
    {"employee_id": "E-1021", "project_code": "PRJ-2106", "date": "2026-02-27", "hours": 6.5},
    {"employee_id": "E-1052", "project_code": "PRJ-2112", "date": "2026-03-02", "hours": 4},
    {"employee_id": "E-1066", "project_code": "PRJ-2109", "date": "2026-03-05", "hours": 7.25},
    {"employee_id": "E-1084", "project_code": "PRJ-2108", "date": "2026-02-26", "hours": 3.75},
)


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="working_time_history",
    parts=2,
    answer=TimesheetEntry,
    examples=LOGGED,
    refusals=(
        ({**LOGGED[0], "project_code": "PRJ-9999"}, 404),
        ({**LOGGED[0], "employee_id": "E-9999"}, 404),
        ({**LOGGED[0], "date": "2026-02-28"}, 400),
        ({**LOGGED[0], "hours": 13}, 422),
    ),
    echoes=("employee_id", "project_code", "date", "hours"),
    invariants=ENTRY,
)
def log_time(
    world: World, employee_id: EmployeeId, project_code: ProjectCode, date: Day, hours: Hours
) -> dict[str, Any]:
    """Book an employee's hours of a day on a project, by its code; the week's time sheet opens itself if need be."""
    project = project_coded(project_code)
    sheet = _sheet(employee_id, date)
    _refuse_full_day(world, sheet, project, date, hours)
    if sheet.id not in _opened(world):
        _open(world, sheet)
    return _recorded(world, sheet, project, date, hours)


class OpenedSheet(Answer):
    """The time sheet of a week."""

    timesheet_id: str = Field(description="Id of the sheet, taken by add_timesheet_row")
    status: Literal["open"] = Field(description="State of the sheet")
    employee_id: str = Field(description="Employee id of the owner")
    name: str = Field(description="Full name of the owner")
    week_begins: str = Field(description="Monday of the week, YYYY-MM-DD")
    week_ends: str = Field(description="Sunday of the week, YYYY-MM-DD")
    days: int = Field(description="Working days of the week, holidays aside")
    hours_per_day: float = Field(description="Hours of a working day")
    target_hours: float = Field(description="Hours that the week should come to")


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="working_time_history",
    answer=OpenedSheet,
    examples=(
        {"employee_id": "E-1021", "date": "2026-02-27"},
        {"employee_id": "E-1052", "date": "2026-03-02"},
        {"employee_id": "E-1066", "date": "2026-03-12"},
        {"employee_id": "E-1084", "date": "2026-02-17"},
    ),
    refusals=(
        ({"employee_id": "E-9999", "date": "2026-02-27"}, 404),
        ({"employee_id": "E-1015", "date": "2026-02-27"}, 409),
        ({"employee_id": "E-1021", "date": "2026-03-01"}, 400),
    ),
    echoes=("employee_id",),
    invariants=(
        Requires("timesheet_id", "status", "open"),
        Requires("employee_id", "status", "open"),
        Known("name", "employee_id", NAME_BY_ID),
        Ordered("week_begins", "argument:date"),
        Ordered("argument:date", "week_ends"),
        Ordered("week_begins", "week_ends"),
        Formula("target_hours", ("days", "hours_per_day"), lambda d, h: d * h, "target_hours is days x hours_per_day"),
        Bounds("target_hours", 1, 60),
    ),
)
def open_timesheet(world: World, employee_id: EmployeeId, date: Day) -> dict[str, Any]:
    """Open an employee's time sheet of the week in which a day lies; rows are then added to it."""
    sheet = _sheet(employee_id, date)
    if sheet.id in _opened(world):
        message = f"The sheet of {employee_id} for the week of {sheet.monday} is open already."
        raise Refusal(409, "SheetExists", message, timesheet_id=sheet.id)
    _open(world, sheet)
    return {
        "timesheet_id": sheet.id,
        "status": "open",
        "employee_id": sheet.employee_id,
        "name": NAME_BY_ID[sheet.employee_id],
        "week_begins": sheet.monday,
        "week_ends": sheet.sunday,
        "days": 5,
        "hours_per_day": TARGET_HOURS / 5,
        "target_hours": float(TARGET_HOURS),
    }


ROWS = (
    {"timesheet_id": SHEETS[0].id, "project_name": "Website relaunch", "date": "2026-02-26", "hours": 5.5},
    {"timesheet_id": SHEETS[1].id, "project_name": "Ledger migration", "date": "2026-02-27", "hours": 7},
    {"timesheet_id": SHEETS[2].id, "project_name": "Partner portal", "date": "2026-02-24", "hours": 2.25},
    {"timesheet_id": SHEETS[3].id, "project_name": "Energy saving", "date": "2026-02-25", "hours": 4.75},
)


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="working_time_history",
    answer=TimesheetEntry,
    examples=ROWS,
    refusals=(
        ({**ROWS[0], "timesheet_id": "TSH-00000000"}, 404),
        ({**ROWS[0], "project_name": "Moon base"}, 404),
        ({**ROWS[0], "date": "2026-03-04"}, 400),
        ({**ROWS[0], "hours": 0.05}, 422),
    ),
    echoes=("timesheet_id", "project_name", "date", "hours"),
    invariants=ENTRY,
)
def add_timesheet_row(
    world: World, timesheet_id: SheetId, project_name: ProjectName, date: Day, hours: Hours
) -> dict[str, Any]:
    """Add a row of hours on a project, by its name, to an open time sheet; the day must lie in the sheet's week."""
    sheet = _opened(world).get(timesheet_id)
    if sheet is None:
        raise Refusal(404, "SheetNotFound", f"There is no open time sheet {timesheet_id!r}.", timesheet_id=timesheet_id)
    project = project_named(project_name)
    if _sheet(sheet.employee_id, date) != sheet:
        raise Refusal(400, "OutsideWeek", f"{date} is not in the week of {sheet.monday}.", date=date)
    _refuse_full_day(world, sheet, project, date, hours)
    return _recorded(world, sheet, project, date, hours)


def _opened(world: World) -> dict[str, Sheet]:
    return {sheet.id: sheet for sheet in SHEETS} | world.state("office.timesheets")


def _sheet(employee_id: str, day: str) -> Sheet:
    at = office_day(day)
    return Sheet(employee(employee_id).id, (at - timedelta(days=at.weekday())).isoformat())


def _open(world: World, sheet: Sheet) -> None:
    world.state("office.timesheets")[sheet.id] = sheet
    world.effect("open_timesheet", sheet.id, employee=sheet.employee_id, week=sheet.monday)


def _booked(world: World, project: Project) -> float:
    added: float = world.state("office.project_hours").get(project.code, 0.0)
    return project.booked_hours + added


def _refuse_full_day(world: World, sheet: Sheet, project: Project, day: str, hours: float) -> None:
    entries = world.state("office.time_entries")
    if f"{sheet.employee_id} {day} {project.code}" in entries:
        entry = identifier("TME", sheet.id, project.code, day)
        raise Refusal(409, "EntryExists", f"Hours on {project.code} are booked for {day} already.", entry_id=entry)
    worked = sum(other for name, other in entries.items() if name.startswith(f"{sheet.employee_id} {day} "))
    if worked + hours > DAY_HOURS:
        raise Refusal(409, "DayFull", f"{day} would come to {worked + hours} hours; {DAY_HOURS} is the limit.")


def _recorded(world: World, sheet: Sheet, project: Project, day: str, hours: float) -> dict[str, Any]:
    before = _booked(world, project)
    world.state("office.time_entries")[f"{sheet.employee_id} {day} {project.code}"] = hours
    world.state("office.project_hours")[project.code] = before - project.booked_hours + hours
    world.effect("record_hours", sheet.employee_id, project=project.code, date=day, hours=hours)
    return {
        "entry_id": identifier("TME", sheet.id, project.code, day),
        "status": "recorded",
        "timesheet_id": sheet.id,
        "employee_id": sheet.employee_id,
        "name": NAME_BY_ID[sheet.employee_id],
        "project_code": project.code,
        "project_name": project.name,
        "date": day,
        "weekday": WEEKDAY_OF[day],
        "hours": hours,
        "project_hours_before": before,
        "project_hours": round(before + hours, 2),
        "week_begins": sheet.monday,
        "week_ends": sheet.sunday,
    }
