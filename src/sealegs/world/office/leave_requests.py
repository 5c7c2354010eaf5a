"""Asking for annual leave: at once, or drafted and handed in. Approval is the line manager's and not covered."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Formula, Known, Ordered, Requires
from sealegs.world.office.absence import (
    DRAFTS,
    Absence,
    absence_days,
    approver,
    back_on,
    remaining,
    reserve_leave,
    submit,
    take_leave_draft,
)
from sealegs.world.office.facts import EMAIL_OF, NAME_OF, STAFF, THIS_MINUTE
from sealegs.world.office.office_arguments import NAME_BY_ID, EmployeeId, FirstDay, LastDay
from sealegs.world.office.working_days import WEEKDAY_OF
from sealegs.world.tool import Answer, World, simulated_tool

DraftId = Annotated[str, Field(pattern=r"^LVD-[0-9A-F]{8}$", description="Id of a drafted leave request")]
EXAMPLES = (
    {"employee_id": "E-1012", "first_day": "2026-03-30", "last_day": "2026-04-02"},
    {"employee_id": "E-1079", "first_day": "2026-05-11", "last_day": "2026-05-15"},
    {"employee_id": "E-1034", "first_day": "2026-04-27", "last_day": "2026-05-08"},
    {"employee_id": "E-1086", "first_day": "2026-06-29", "last_day": "2026-07-03"},
    {"employee_id": "E-1001", "first_day": "2026-03-19", "last_day": "2026-03-20"},
)
REFUSALS = (
    ({**EXAMPLES[0], "employee_id": "E-9999"}, 404),
    ({**EXAMPLES[0], "first_day": "2026-02-27"}, 400),
    ({**EXAMPLES[0], "first_day": "2026-08-10", "last_day": "2026-08-20"}, 409),
    ({**EXAMPLES[1], "last_day": "2026-08-31"}, 409),
)


class LeaveBody(Answer):
    """The fields of a request whatever its state."""

    employee_id: str = Field(description="Employee id")
    name: str = Field(description="Full name")
    first_day: str = Field(description="First day off, YYYY-MM-DD")
    last_day: str = Field(description="Last day off, YYYY-MM-DD")
    working_days: int = Field(description="Days of leave that it takes")
    balance_before: int = Field(description="Days on the account before")
    balance_after: int = Field(description="Days on the account after")
    back_on: str = Field(description="First working day after the leave, YYYY-MM-DD")
    back_weekday: str = Field(description="Its day of the week")


class RequestedLeave(LeaveBody):
    """A request that its approver has."""

    request_id: str = Field(description="Id of the request")
    status: Literal["submitted"] = Field(description="State of the request")
    approver_name: str = Field(description="Who decides on it")
    approver_email: str = Field(description="Address of who decides on it")
    submitted_at: str = Field(description="When it was handed in, YYYY-MM-DDTHH:MM")


class DraftedLeave(LeaveBody):
    """A request that has not been handed in."""

    draft_id: str = Field(description="Id of the draft, taken by submit_leave_request")
    status: Literal["draft"] = Field(description="State of the request")
    drafted_at: str = Field(description="When it was drafted, YYYY-MM-DDTHH:MM")


BODY = (
    Known("name", "employee_id", NAME_BY_ID),
    Ordered("first_day", "last_day"),
    Ordered("last_day", "back_on"),
    Known("back_weekday", "back_on", WEEKDAY_OF),
    Formula(
        "balance_after",
        ("balance_before", "working_days"),
        lambda before, days: before - days,
        "balance_after is balance_before less working_days",
    ),
    Bounds("working_days", 1, 60),
    Bounds("balance_before", 0, 60),
    Bounds("balance_after", 0, 60),
)
HANDED_IN = (
    *(Requires(field, "status", "submitted") for field in ("request_id", "approver_email", "back_on", "employee_id")),
    Known("approver_name", "approver_email", NAME_OF),
    Known("approver_email", "approver_name", EMAIL_OF),
    Ordered("submitted_at", "first_day"),
)


def _body(world: World, absence: Absence) -> dict[str, Any]:
    left, back = remaining(world, absence.employee_id), back_on(absence)
    return {
        "employee_id": absence.employee_id,
        "name": NAME_BY_ID[absence.employee_id],
        "first_day": absence.first_day,
        "last_day": absence.last_day,
        "working_days": absence_days(absence),
        "balance_before": left + absence_days(absence),
        "balance_after": left,
        "back_on": back,
        "back_weekday": WEEKDAY_OF[back],
    }


def _submitted(world: World, absence: Absence) -> dict[str, Any]:
    submit(world, absence)
    above = approver(STAFF[absence.employee_id])
    return {
        **_body(world, absence),
        "request_id": absence.request_id,
        "status": "submitted",
        "approver_name": above.name,
        "approver_email": above.email,
        "submitted_at": THIS_MINUTE,
    }


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="working_time_history",
    parts=2,
    answer=RequestedLeave,
    examples=EXAMPLES,
    refusals=REFUSALS,
    echoes=("employee_id", "first_day", "last_day"),
    invariants=(*BODY, *HANDED_IN),
)
def request_leave(world: World, employee_id: EmployeeId, first_day: FirstDay, last_day: LastDay) -> dict[str, Any]:
    """Hand in a request for annual leave for an employee; it goes to the line manager and comes off the balance."""
    absence = reserve_leave(world, employee_id, first_day, last_day)
    world.state("office.leave_requests")[absence.request_id] = True
    return _submitted(world, absence)


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="working_time_history",
    answer=DraftedLeave,
    examples=EXAMPLES,
    refusals=REFUSALS,
    echoes=("employee_id", "first_day", "last_day"),
    invariants=(
        *BODY,
        *(Requires(field, "status", "draft") for field in ("draft_id", "back_on", "employee_id")),
        Ordered("drafted_at", "first_day"),
    ),
)
def draft_leave_request(
    world: World, employee_id: EmployeeId, first_day: FirstDay, last_day: LastDay
) -> dict[str, Any]:
    """Draft a leave request: its days are kept on the balance, but nobody is asked until the draft is submitted."""
    absence = reserve_leave(world, employee_id, first_day, last_day)
    return {**_body(world, absence), "draft_id": absence.draft_id, "status": "draft", "drafted_at": THIS_MINUTE}


class SubmittedDraft(RequestedLeave):
    """A draft that has been handed in."""

    draft_id: str = Field(description="Id of the draft")


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="working_time_history",
    answer=SubmittedDraft,
    examples=tuple({"draft_id": absence.draft_id} for absence in DRAFTS),
    refusals=(({"draft_id": "LVD-00000000"}, 404), ({"draft_id": "LVR-00000000"}, 422)),
    echoes=("draft_id",),
    invariants=(*BODY, *HANDED_IN),
)
def submit_leave_request(world: World, draft_id: DraftId) -> dict[str, Any]:
    """Submit a drafted leave request to the employee's line manager."""
    return {**_submitted(world, take_leave_draft(world, draft_id)), "draft_id": draft_id}
