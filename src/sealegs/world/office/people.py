"""Staff: the personnel directory and the mail system's address book, two systems over the same people."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Echo, Formula, Known, Ordered, Requires
from sealegs.world.office.facts import (
    EMAIL_OF,
    NAME_OF,
    QUOTA_MB,
    SITES,
    STAFF,
    TEAMS,
    Employee,
    employee_named,
    manager,
    site,
)
from sealegs.world.state import TODAY
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

FullName = Annotated[
    str, Field(min_length=3, max_length=80, description="First and last name of the employee, such as Ines Duarte")
]
Recipient = Annotated[
    str, Field(min_length=3, max_length=80, description="Full name, or a last name that only one person has")
]


class StaffRecord(Answer):
    """An employee's record in the personnel directory."""

    employee_id: str = Field(description="Employee id, E- and four digits")
    status: Literal["active"] = Field(description="Employment status")
    full_name: str = Field(description="First and last name")
    email: str = Field(description="Work address")
    title: str = Field(description="Job title")
    team: str = Field(description="Team")
    cost_centre: str = Field(description="Cost centre that the team books on")
    manager_name: str | None = Field(description="Line manager; null for the managing director")
    manager_email: str | None = Field(description="Line manager's address; null for the managing director")
    city: str = Field(description="City of the office")
    country: str = Field(description="Country of the office")
    extension: str = Field(description="Internal telephone extension")
    hired_on: str = Field(description="First day of work, YYYY-MM-DD")
    years_of_service: float = Field(description="Years since then, to one decimal place")
    as_of: str = Field(description="Day on which the record was read, YYYY-MM-DD")


def _years(hired_on: str, as_of: str) -> float:
    (year, month, day), (now, this_month, today) = (map(int, text.split("-")) for text in (hired_on, as_of))
    return round(now - year + (this_month - month) / 12 + (today - day) / 365, 1)


@simulated_tool(
    category="source",
    answer=StaffRecord,
    examples=(
        {"name": "Ines Duarte"},
        {"name": "Oliver Finchley"},
        {"name": "Noah Fielding"},
        {"name": "Yuki Hanabe"},
        {"name": "Erik Sandmark"},
        {"name": "Mei Tan"},
    ),
    refusals=(({"name": "Barnaby Nobody"}, 404), ({"name": "Duarte"}, 404), ({"name": "x"}, 422)),
    invariants=(
        Echo("name", "full_name"),
        Requires("employee_id", "status", "active"),
        *(Requires(field, "status", "active") for field in ("email", "full_name", "title", "extension")),
        Known("email", "full_name", EMAIL_OF),
        Known("manager_email", "manager_name", EMAIL_OF),
        Known("manager_name", "manager_email", NAME_OF),
        Known("team", "cost_centre", {team.cost_centre: team.name for team in TEAMS.values()}),
        Known("cost_centre", "team", {team.name: team.cost_centre for team in TEAMS.values()}),
        Known("city", "country", {office.country: office.city for office in SITES.values()}),
        Known("country", "city", {office.city: office.country for office in SITES.values()}),
        Ordered("hired_on", "as_of"),
        Formula("years_of_service", ("hired_on", "as_of"), _years, "years_of_service are the years since hired_on"),
        Bounds("years_of_service", 0, 60),
    ),
)
def staff_directory_lookup(world: World, name: FullName) -> dict[str, Any]:
    """Look an employee up in the personnel directory by full name.

    Gives id, address, job, team with cost centre, line manager and office.
    """
    person = employee_named(name)
    above, office = manager(person), site(person.city)
    return {
        "employee_id": person.id,
        "status": "active",
        "full_name": person.name,
        "email": person.email,
        "title": person.title,
        "team": person.team,
        "cost_centre": TEAMS[person.team].cost_centre,
        "manager_name": above.name if above else None,
        "manager_email": above.email if above else None,
        "city": person.city,
        "country": office.country,
        "extension": person.extension,
        "hired_on": person.hired_on,
        "years_of_service": _years(person.hired_on, TODAY),
        "as_of": TODAY,
    }


class AddressBookEntry(Answer):
    """A mailbox in the address book."""

    query: str = Field(description="What was looked for")
    display_name: str = Field(description="Name as shown to recipients")
    account_id: str = Field(description="Account that owns the mailbox; the owner's employee id")
    mailbox_status: Literal["enabled"] = Field(description="Whether the mailbox takes mail")
    smtp_address: str = Field(description="Primary address")
    department: str = Field(description="Team of the owner")
    office_location: str = Field(description="City of the owner's office")
    time_zone: str = Field(description="IANA time zone of the mailbox")
    used_mb: int = Field(description="Size of the mailbox in megabytes")
    quota_mb: int = Field(description="Largest size allowed in megabytes")
    free_mb: int = Field(description="What is left of the quota in megabytes")


def _resolved(query: str, shown: str) -> str:
    """The name shown, where the query is that name or its last part; else the query."""
    wanted = query.strip().casefold()
    return shown if wanted in (shown.casefold(), shown.casefold().split()[-1]) else query


def _recipient(text: str) -> Employee:
    wanted = text.strip().casefold()
    found = [p for p in STAFF.values() if wanted in (p.name.casefold(), p.name.casefold().split()[-1])]
    if not found:
        raise Refusal(404, "RecipientNotFound", f"The address book has no entry for {text!r}.", query=text)
    if len(found) > 1:
        names = [person.name for person in found]
        raise Refusal(409, "AmbiguousRecipient", f"{text!r} fits {len(names)} entries.", candidates=names)
    return found[0]


@simulated_tool(
    category="source",
    answer=AddressBookEntry,
    examples=(
        {"recipient": "Ines Duarte"},
        {"recipient": "Finchley"},
        {"recipient": "Noah Fielding"},
        {"recipient": "Yuki Hanabe"},
        {"recipient": "Sandmark"},
        {"recipient": "Mei Tan"},
    ),
    refusals=(({"recipient": "Nobody"}, 404), ({"recipient": "Okoro"}, 409), ({"recipient": ""}, 422)),
    invariants=(
        Echo("recipient", "query"),
        Formula("display_name", ("query", "display_name"), _resolved, "display_name is the name that was looked for"),
        Requires("account_id", "mailbox_status", "enabled"),
        Requires("smtp_address", "mailbox_status", "enabled"),
        Requires("department", "mailbox_status", "enabled"),
        Known("smtp_address", "display_name", EMAIL_OF),
        Known("display_name", "smtp_address", NAME_OF),
        Known("office_location", "time_zone", {office.time_zone: office.city for office in SITES.values()}),
        Known("time_zone", "office_location", {office.city: office.time_zone for office in SITES.values()}),
        Bounds("used_mb", 0, QUOTA_MB),
        Formula("free_mb", ("quota_mb", "used_mb"), lambda quota, used: quota - used, "free_mb is quota_mb - used_mb"),
    ),
)
def mail_address_book(world: World, recipient: Recipient) -> dict[str, Any]:
    """Resolve a recipient in the mail system's address book, by full name or unambiguous last name.

    Gives the mailbox: address, owning account, office, time zone and quota.
    """
    person = _recipient(recipient)
    return {
        "query": recipient,
        "display_name": person.name,
        "account_id": person.id,
        "mailbox_status": "enabled",
        "smtp_address": person.email,
        "department": person.team,
        "office_location": person.city,
        "time_zone": site(person.city).time_zone,
        "used_mb": person.mailbox_mb,
        "quota_mb": QUOTA_MB,
        "free_mb": QUOTA_MB - person.mailbox_mb,
    }
