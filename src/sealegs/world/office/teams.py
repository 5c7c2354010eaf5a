"""Members of a team or an office: the organisation chart and the mail system's distribution lists."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Counts, Known, Ordered, Requires, Sums
from sealegs.world.office.facts import EMAIL_OF, MAIL_DOMAIN, NAME_OF, SITES, STAFF, TEAMS, Employee
from sealegs.world.state import TODAY
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

TeamName = Annotated[str, Field(min_length=3, max_length=40, description="Name of the team, such as Finance")]
ListName = Annotated[
    str,
    Field(min_length=3, max_length=60, description="Name of the list: a team or an office, such as Finance or Lisbon"),
]
_BY_NAME = {name.casefold(): team for name, team in TEAMS.items()}
CENTRES = {name: team.cost_centre for name, team in TEAMS.items()}
LEADS = {name: STAFF[team.lead_id].email for name, team in TEAMS.items()}
OWNERS = LEADS | {
    office.city: min((p for p in STAFF.values() if p.city == office.city), key=lambda p: p.hired_on).email
    for office in SITES.values()
}
LISTS = {name: f"{name.casefold().replace(' ', '-')}-all@{MAIL_DOMAIN}" for name in OWNERS}


class Member(Answer):
    """A member of a team."""

    name: str = Field(description="Full name")
    title: str = Field(description="Job title")
    city: str = Field(description="City of the office")


class Roster(Answer):
    """A team."""

    team: str = Field(description="Name of the team")
    status: Literal["active"] = Field(description="State of the team")
    cost_centre: str = Field(description="Cost centre that it books on")
    lead_name: str = Field(description="Who leads the team")
    lead_email: str = Field(description="Address of who leads the team")
    members: list[Member] = Field(description="All members, the lead among them, by name")
    head_count: int = Field(description="How many members there are")
    lead_count: int = Field(description="How many of them lead the team")
    report_count: int = Field(description="How many of them do not")
    city_count: int = Field(description="In how many offices they work")


@simulated_tool(
    category="source",
    answer=Roster,
    examples=tuple({"team": name} for name in TEAMS),
    refusals=(({"team": "Astronauts"}, 404), ({"team": "x"}, 422)),
    echoes=("team",),
    invariants=(
        *(Requires(field, "status", "active") for field in ("lead_email", "cost_centre", "team")),
        Known("cost_centre", "team", CENTRES),
        Known("lead_email", "lead_name", EMAIL_OF),
        Known("lead_name", "lead_email", NAME_OF),
        Counts("head_count", "members"),
        Sums("head_count", ("lead_count", "report_count")),
        Bounds("head_count", 1, 500),
        Bounds("city_count", 1, len(SITES)),
    ),
)
def team_roster(world: World, team: TeamName) -> dict[str, Any]:
    """Show a team in the organisation chart: who leads it, every member with job and office, and its cost centre."""
    found = _BY_NAME.get(team.strip().casefold())
    if found is None:
        raise Refusal(404, "TeamNotFound", f"There is no team {team!r}. Teams: {', '.join(TEAMS)}.", team=team)
    members = _members(found.name)
    return {
        "team": found.name,
        "status": "active",
        "cost_centre": found.cost_centre,
        "lead_name": STAFF[found.lead_id].name,
        "lead_email": LEADS[found.name],
        "members": [{"name": p.name, "title": p.title, "city": p.city} for p in members],
        "head_count": len(members),
        "lead_count": 1,
        "report_count": len(members) - 1,
        "city_count": len({person.city for person in members}),
    }


class MailList(Answer):
    """A distribution list."""

    list_name: str = Field(description="Name of the list")
    list_status: Literal["enabled"] = Field(description="Whether the list takes mail")
    list_address: str = Field(description="Address of the list, which reaches every mailbox on it")
    owner_name: str = Field(description="Who looks after the list")
    owner_address: str = Field(description="Address of who looks after the list")
    addresses: list[str] = Field(description="Addresses of the mailboxes on it, in order of the alphabet")
    address_count: int = Field(description="How many they are")
    created_on: str = Field(description="Day on which the list was made, YYYY-MM-DD")
    checked_on: str = Field(description="Day on which its mailboxes were last checked, YYYY-MM-DD")


@simulated_tool(
    category="source",
    answer=MailList,
    examples=(
        {"list_name": "Finance"},
        {"list_name": "Platform"},
        {"list_name": "Sales"},
        {"list_name": "Lisbon"},
        {"list_name": "New York"},
    ),
    refusals=(({"list_name": "Astronauts"}, 404), ({"list_name": "x"}, 422)),
    echoes=("list_name",),
    invariants=(
        *(Requires(field, "list_status", "enabled") for field in ("list_address", "owner_address", "list_name")),
        Known("list_address", "list_name", LISTS),
        Known("owner_name", "owner_address", NAME_OF),
        Known("owner_address", "owner_name", EMAIL_OF),
        Counts("address_count", "addresses"),
        Bounds("address_count", 1, 500),
        Ordered("created_on", "checked_on"),
    ),
)
def distribution_list(world: World, list_name: ListName) -> dict[str, Any]:
    """Expand a mail distribution list of a team or an office: address, owner and the address of everyone on it.

    A team's list is owned by who leads the team, an office's by the colleague who has been there longest.
    """
    name = next((name for name in OWNERS if name.casefold() == list_name.strip().casefold()), None)
    if name is None:
        raise Refusal(404, "ListNotFound", f"There is no distribution list {list_name!r}.", list_name=list_name)
    addresses = list_addresses(LISTS[name])
    return {
        "list_name": name,
        "list_status": "enabled",
        "list_address": LISTS[name],
        "owner_name": NAME_OF[OWNERS[name]],
        "owner_address": OWNERS[name],
        "addresses": addresses,
        "address_count": len(addresses),
        "created_on": min(person.hired_on for person in _members(name)),
        "checked_on": TODAY,
    }


def list_addresses(address: str) -> list[str]:
    """The addresses of everyone on the distribution list with this address; none where there is no such list."""
    name = next((name for name, own in LISTS.items() if own == address.casefold()), None)
    return sorted(person.email for person in _members(name)) if name is not None else []


def _members(name: str) -> list[Employee]:
    """The staff of a team or of an office, by name."""
    return sorted((p for p in STAFF.values() if name in (p.team, p.city)), key=lambda person: person.name)
