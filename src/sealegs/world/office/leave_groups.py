"""Alternative groups over leave and working days."""

from __future__ import annotations

from sealegs.tasks.pattern import Pattern, Way
from sealegs.world.office.wiring import asked, told

__all__ = ["LEAVE_CHECKED_AND_REQUESTED", "LEAVE_HEADROOM", "LEAVE_REMAINING", "LEAVE_REQUESTED", "PERIOD_WORKING_DAYS"]

DAYS = ("first_day", "last_day")
REQUEST = ("request_id", "approver_email", "back_on", "balance_after")
ABSENCES = (
    {"employee_id": "E-1015", "first_day": "2026-03-30", "last_day": "2026-04-02"},
    {"employee_id": "E-1047", "first_day": "2026-05-14", "last_day": "2026-05-22"},
    {"employee_id": "E-1077", "first_day": "2026-04-30", "last_day": "2026-05-04"},
    {"employee_id": "E-1090", "first_day": "2026-03-16", "last_day": "2026-03-20"},
    {"employee_id": "E-1066", "first_day": "2026-06-08", "last_day": "2026-06-12"},
)

PERIOD_WORKING_DAYS = Pattern(
    name="period_working_days",
    purpose="Count the working days of a period in a country.",
    inputs=(*DAYS, "country_code"),
    exports=("working_days",),
    ways=(
        Way("net", {"net_workdays": asked(*DAYS, "country_code")}, told("net_workdays", "working_days")),
        Way(
            "weekly",
            {"period_by_week": asked(*DAYS, "country_code")},
            told("period_by_week", working_days="total_working_days"),
        ),
    ),
    examples=(
        {"first_day": "2026-03-02", "last_day": "2026-03-31", "country_code": "JP"},
        {"first_day": "2026-04-01", "last_day": "2026-04-30", "country_code": "GB"},
        {"first_day": "2026-05-18", "last_day": "2026-06-19", "country_code": "US"},
        {"first_day": "2026-06-03", "last_day": "2026-06-12", "country_code": "PT"},
    ),
)

LEAVE_REMAINING = Pattern(
    name="leave_remaining",
    purpose="Find how many days of annual leave an employee has left.",
    inputs=("employee_id",),
    exports=("remaining_days", "name", "country_code"),
    ways=(
        Way(
            "balance",
            {"leave_balance": asked("employee_id")},
            told("leave_balance", "remaining_days", "name", "country_code"),
        ),
        Way(
            "ledger",
            {"leave_ledger": asked("employee_id")},
            told("leave_ledger", "name", "country_code", remaining_days="closing_balance"),
        ),
    ),
    examples=(
        {"employee_id": "E-1012"},
        {"employee_id": "E-1040"},
        {"employee_id": "E-1063"},
        {"employee_id": "E-1095"},
        {"employee_id": "E-1001"},
    ),
)

LEAVE_HEADROOM = Pattern(
    name="leave_headroom",
    purpose="Find how many days of leave a period would take from an employee, and how many the employee has left.",
    inputs=("employee_id", *DAYS),
    exports=("remaining_days", "working_days", "country_code"),
    ways=(
        Way(
            "figures",
            {
                "leave_balance": asked("employee_id"),
                "net_workdays": {**asked(*DAYS), "country_code": "leave_balance.country_code"},
            },
            {**told("leave_balance", "remaining_days", "country_code"), **told("net_workdays", "working_days")},
        ),
        Way(
            "lines",
            {
                "leave_ledger": asked("employee_id"),
                "period_by_week": {**asked(*DAYS), "country_code": "leave_ledger.country_code"},
            },
            {
                **told("leave_ledger", "country_code", remaining_days="closing_balance"),
                **told("period_by_week", working_days="total_working_days"),
            },
        ),
    ),
    examples=ABSENCES,
)

LEAVE_REQUESTED = Pattern(
    name="leave_requested",
    purpose="Have a request for annual leave with the employee's line manager.",
    inputs=("employee_id", *DAYS),
    exports=(*REQUEST, "working_days"),
    ways=(
        Way(
            "at_once",
            {"request_leave": asked("employee_id", *DAYS)},
            told("request_leave", *REQUEST, "working_days"),
        ),
        Way(
            "draft_first",
            {
                "draft_leave_request": asked("employee_id", *DAYS),
                "submit_leave_request": {"draft_id": "draft_leave_request.draft_id"},
            },
            told("submit_leave_request", *REQUEST, "working_days"),
        ),
    ),
    examples=ABSENCES,
)

LEAVE_CHECKED_AND_REQUESTED = Pattern(
    name="leave_checked_and_requested",
    purpose="Learn what is left on an employee's leave account and ask for days off out of it.",
    inputs=("employee_id", *DAYS),
    exports=("remaining_days", *REQUEST),
    ways=(
        Way(
            "balance_and_request",
            {
                "leave_balance": asked("employee_id"),
                "request_leave": {**asked(*DAYS), "employee_id": "leave_balance.employee_id"},
            },
            {**told("leave_balance", "remaining_days"), **told("request_leave", *REQUEST)},
        ),
        Way(
            "ledger_and_draft",
            {
                "leave_ledger": asked("employee_id"),
                "draft_leave_request": {**asked(*DAYS), "employee_id": "leave_ledger.employee_id"},
                "submit_leave_request": {"draft_id": "draft_leave_request.draft_id"},
            },
            {**told("leave_ledger", remaining_days="closing_balance"), **told("submit_leave_request", *REQUEST)},
        ),
    ),
    examples=ABSENCES,
)
