"""Alternative groups over hours worked."""

from __future__ import annotations

from sealegs.tasks.pattern import Pattern, Way
from sealegs.world.office.wiring import asked, told

__all__ = ["CLOCKED_HOURS_BOOKED", "TIME_LOGGED", "WORKED_HOURS"]

CLOCK = ("clock_in", "clock_out", "break_minutes")
ENTRY = ("entry_id", "project_code", "project_hours", "timesheet_id")

WORKED_HOURS = Pattern(
    name="worked_hours",
    purpose="Find the hours worked on a day from the times of coming and going and the breaks.",
    inputs=CLOCK,
    exports=("worked_hours",),
    ways=(
        Way("timecard", {"timecard_hours": asked(*CLOCK)}, told("timecard_hours", "worked_hours")),
        Way("split", {"overtime_split": asked(*CLOCK)}, told("overtime_split", worked_hours="total_hours")),
    ),
    examples=(
        {"clock_in": "08:00", "clock_out": "16:45", "break_minutes": 30},
        {"clock_in": "09:15", "clock_out": "18:20", "break_minutes": 50},
        {"clock_in": "10:00", "clock_out": "13:40", "break_minutes": 0},
        {"clock_in": "06:30", "clock_out": "17:00", "break_minutes": 60},
    ),
)

TIME_LOGGED = Pattern(
    name="time_logged",
    purpose="Have an employee's hours of a day booked on a project that is known by name.",
    inputs=("project", "employee_id", "date", "hours"),
    exports=ENTRY,
    ways=(
        Way(
            "by_code",
            {
                "find_project": asked(name="project"),
                "log_time": {**asked("employee_id", "date", "hours"), "project_code": "find_project.project_code"},
            },
            told("log_time", *ENTRY),
        ),
        Way(
            "by_sheet",
            {
                "open_timesheet": asked("employee_id", "date"),
                "add_timesheet_row": {
                    **asked("date", "hours", project_name="project"),
                    "timesheet_id": "open_timesheet.timesheet_id",
                },
            },
            told("add_timesheet_row", *ENTRY),
        ),
    ),
    examples=(
        {"project": "Website relaunch", "employee_id": "E-1021", "date": "2026-02-27", "hours": 6.5},
        {"project": "Tokyo office move", "employee_id": "E-1095", "date": "2026-03-02", "hours": 3},
        {"project": "Graduate programme", "employee_id": "E-1063", "date": "2026-03-11", "hours": 7.75},
        {"project": "Privacy audit", "employee_id": "E-1086", "date": "2026-02-24", "hours": 4.25},
    ),
)

CLOCKED_HOURS_BOOKED = Pattern(
    name="clocked_hours_booked",
    purpose="Have the hours that an employee worked on a day, by the clock, booked on a project known by name.",
    inputs=("project", "employee_id", "date", *CLOCK),
    exports=("hours", *ENTRY),
    ways=(
        Way(
            "timecard_and_code",
            {
                "timecard_hours": asked(*CLOCK),
                "find_project": asked(name="project"),
                "log_time": {
                    **asked("employee_id", "date"),
                    "project_code": "find_project.project_code",
                    "hours": "timecard_hours.worked_hours",
                },
            },
            told("log_time", "hours", *ENTRY),
        ),
        Way(
            "split_and_sheet",
            {
                "overtime_split": asked(*CLOCK),
                "open_timesheet": asked("employee_id", "date"),
                "add_timesheet_row": {
                    **asked("date", project_name="project"),
                    "timesheet_id": "open_timesheet.timesheet_id",
                    "hours": "overtime_split.total_hours",
                },
            },
            told("add_timesheet_row", "hours", *ENTRY),
        ),
    ),
    examples=(
        {
            "project": "Partner portal",
            "employee_id": "E-1021",
            "date": "2026-02-26",
            "clock_in": "08:30",
            "clock_out": "17:15",
            "break_minutes": 45,
        },
        {
            "project": "Data warehouse",
            "employee_id": "E-1034",
            "date": "2026-03-02",
            "clock_in": "09:00",
            "clock_out": "12:30",
            "break_minutes": 15,
        },
        {
            "project": "Payroll switch",
            "employee_id": "E-1066",
            "date": "2026-02-19",
            "clock_in": "10:15",
            "clock_out": "18:45",
            "break_minutes": 60,
        },
    ),
)
