"""The service desk: tickets opened for somebody at once, or opened first and assigned later.

A ticket is known by its service and due date; there is never a second open one of both. Opening and assigning are two
deeds in the ledger. Working on and closing tickets is not covered.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Known, Ordered, Requires
from sealegs.world.office.facts import (
    DATE,
    EMAIL_OF,
    SERVICES,
    STAFF,
    TARGET_HOURS,
    THIS_MINUTE,
    TICKETS,
    Employee,
    UnassignedTicket,
    coming_day,
    employee,
)
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

Service = Annotated[
    Literal[
        "laptop replacement",
        "software access",
        "phone setup",
        "desk move",
        "equipment repair",
        "visitor badge",
        "expense reimbursement",
        "supplier setup",
        "contract review",
        "policy question",
        "new starter",
        "training enrolment",
    ],
    Field(description="Item of the service catalogue"),
]
Due = Annotated[str, Field(pattern=DATE, description="Day by which it is due, YYYY-MM-DD")]
Priority = Annotated[Literal["low", "normal", "high", "urgent"], Field(description="How soon it must be taken up")]
Assignee = Annotated[str, Field(pattern=r"^E-[0-9]{4}$", description="Employee id of who works on it")]
TicketId = Annotated[str, Field(pattern=r"^TCK-[0-9A-F]{8}$", description="Id of an open ticket")]
Details = Annotated[str, Field(max_length=2000, description="What else the desk should know")]


class TicketBody(Answer):
    """The fields of a ticket whatever its state."""

    ticket_id: str = Field(description="Id of the ticket")
    service: str = Field(description="Item of the service catalogue")
    queue: str = Field(description="Desk that the service belongs to")
    priority: str = Field(description="Priority")
    target_hours: int = Field(description="Working hours within which it is taken up")
    opened_at: str = Field(description="When it was opened, YYYY-MM-DDTHH:MM")
    due_date: str = Field(description="Day by which it is due, YYYY-MM-DD")


class OpenTicket(TicketBody):
    """A ticket that waits in its queue."""

    status: Literal["open"] = Field(description="State of the ticket")


class AssignedTicket(TicketBody):
    """A ticket that somebody works on."""

    status: Literal["assigned"] = Field(description="State of the ticket")
    assignee_id: str = Field(description="Employee id of who works on it")
    assignee_name: str = Field(description="Full name")
    assignee_email: str = Field(description="Work address")
    assigned_at: str = Field(description="When it was assigned, YYYY-MM-DDTHH:MM")


TICKET = (
    Known("queue", "service", SERVICES),
    Known("target_hours", "priority", TARGET_HOURS),
    Bounds("target_hours", 1, 200),
    Ordered("opened_at", "due_date"),
)
ASSIGNED = (
    *(Requires(f, "status", "assigned") for f in ("ticket_id", "service", "assignee_id", "assignee_email")),
    Known("assignee_email", "assignee_name", EMAIL_OF),
    Known("assignee_name", "assignee_id", {person.id: person.name for person in STAFF.values()}),
    Ordered("opened_at", "assigned_at"),
    *TICKET,
)


def _open(world: World, service: str, due_date: str, priority: str) -> UnassignedTicket:
    coming_day(due_date)
    ticket = UnassignedTicket(service, due_date, priority, THIS_MINUTE)
    opened = world.state("office.tickets")
    if ticket.id in TICKETS or ticket.id in opened:
        message = f"The ticket {ticket.id} for {service}, due {due_date}, is open already."
        raise Refusal(409, "DuplicateTicket", message, ticket_id=ticket.id)
    opened[ticket.id] = ticket
    world.effect("open_ticket", ticket.id, service=service, due_date=due_date, priority=priority)
    return ticket


def _assign(world: World, ticket: UnassignedTicket, person: Employee) -> dict[str, Any]:
    world.state("office.assignees")[ticket.id] = person.id
    world.effect("assign_ticket", ticket.id, assignee=person.id)
    return {
        **_described(ticket),
        "status": "assigned",
        "assignee_id": person.id,
        "assignee_name": person.name,
        "assignee_email": person.email,
        "assigned_at": THIS_MINUTE,
    }


def _described(ticket: UnassignedTicket) -> dict[str, Any]:
    return {
        "ticket_id": ticket.id,
        "service": ticket.service,
        "queue": SERVICES[ticket.service],
        "priority": ticket.priority,
        "target_hours": TARGET_HOURS[ticket.priority],
        "opened_at": ticket.opened_at,
        "due_date": ticket.due_date,
    }


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="work_item_history",
    parts=2,
    answer=AssignedTicket,
    examples=(
        {"service": "software access", "assignee_id": "E-1015", "due_date": "2026-03-05"},
        {"service": "visitor badge", "assignee_id": "E-1093", "due_date": "2026-03-04", "priority": "high"},
        {
            "service": "expense reimbursement",
            "assignee_id": "E-1047",
            "due_date": "2026-03-16",
            "priority": "low",
            "details": "Taxi receipts of the January fair are attached.",
        },
        {"service": "contract review", "assignee_id": "E-1084", "due_date": "2026-03-27", "priority": "urgent"},
    ),
    refusals=(
        ({"service": "software access", "assignee_id": "E-9999", "due_date": "2026-03-05"}, 404),
        ({"service": "desk move", "assignee_id": "E-1093", "due_date": "2026-03-13"}, 409),
        ({"service": "desk move", "assignee_id": "E-1093", "due_date": "2026-02-13"}, 400),
        ({"service": "haircut", "assignee_id": "E-1093", "due_date": "2026-03-13"}, 422),
    ),
    echoes=("service", "due_date", "priority", "assignee_id"),
    invariants=ASSIGNED,
    free_text=("details",),
)
def create_ticket(
    world: World,
    service: Service,
    assignee_id: Assignee,
    due_date: Due,
    priority: Priority = "normal",
    details: Details = "",
) -> dict[str, Any]:
    """Create a service desk ticket that is assigned to a named employee from the start."""
    person = employee(assignee_id)
    return _assign(world, _open(world, service, due_date, priority), person)


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="work_item_history",
    answer=OpenTicket,
    examples=(
        {"service": "software access", "due_date": "2026-03-05"},
        {"service": "visitor badge", "due_date": "2026-03-04", "priority": "high"},
        {"service": "equipment repair", "due_date": "2026-03-10", "details": "The projector of room Tyburn flickers."},
        {"service": "new starter", "due_date": "2026-04-01", "priority": "low"},
    ),
    refusals=(
        ({"service": "supplier setup", "due_date": "2026-03-11"}, 409),
        ({"service": "phone setup", "due_date": "2026-02-30"}, 400),
        ({"service": "phone setup", "due_date": "next week"}, 422),
    ),
    echoes=("service", "due_date", "priority"),
    invariants=(
        Requires("ticket_id", "status", "open"),
        Requires("service", "status", "open"),
        *TICKET,
    ),
    free_text=("details",),
)
def open_service_request(
    world: World, service: Service, due_date: Due, priority: Priority = "normal", details: Details = ""
) -> dict[str, Any]:
    """Hand in a request from the service catalogue; its ticket waits in the desk's queue until it is assigned."""
    ticket = _open(world, service, due_date, priority)
    return {**_described(ticket), "status": "open"}


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="work_item_history",
    answer=AssignedTicket,
    examples=tuple(
        {"ticket_id": id, "assignee_id": assignee}
        for id, assignee in zip(TICKETS, ("E-1015", "E-1093", "E-1081", "E-1043", "E-1063"), strict=True)
    ),
    refusals=(
        ({"ticket_id": "TCK-00000000", "assignee_id": "E-1015"}, 404),
        ({"ticket_id": next(iter(TICKETS)), "assignee_id": "E-9999"}, 404),
        ({"ticket_id": "17", "assignee_id": "E-1015"}, 422),
    ),
    echoes=("ticket_id", "assignee_id"),
    invariants=ASSIGNED,
)
def assign_ticket(world: World, ticket_id: TicketId, assignee_id: Assignee) -> dict[str, Any]:
    """Assign a ticket that is open in the service desk, and not yet assigned, to an employee."""
    ticket = (TICKETS | world.state("office.tickets")).get(ticket_id)
    if ticket is None:
        raise Refusal(404, "TicketNotFound", f"There is no open ticket {ticket_id!r}.", ticket_id=ticket_id)
    person = employee(assignee_id)
    holder = world.state("office.assignees").get(ticket_id)
    if holder is not None:
        raise Refusal(409, "AlreadyAssigned", f"{ticket_id} is assigned to {holder}.", assignee_id=holder)
    return _assign(world, ticket, person)
