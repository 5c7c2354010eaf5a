"""Contracts: the register, by exact title or by search, and the dates that follow from a term of notice."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Counts, Echo, Formula, Known, Ordered, Requires, Sums
from sealegs.world.office.contract_facts import (
    TITLES,
    Contract,
    contract_titled,
    contracts_like,
    months_from,
)
from sealegs.world.office.facts import DATE, EMAIL_OF, NAME_OF, office_date
from sealegs.world.office.office_arguments import days_apart
from sealegs.world.state import TODAY
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

Title = Annotated[
    str, Field(min_length=3, max_length=120, description="Title of the contract, such as Lisbon office lease")
]
Query = Annotated[str, Field(min_length=3, max_length=120, description="Words of the title or the other party's name")]
EndsOn = Annotated[str, Field(pattern=DATE, description="Last day of the contract, YYYY-MM-DD, from 2000 to 2099")]
NoticeMonths = Annotated[int, Field(ge=1, le=24, description="Months before the end by which notice must be given")]
RenewalMonths = Annotated[int, Field(ge=1, le=60, description="Months by which the contract runs on without notice")]
STATED = ("contract_id", "ends_on", "counterparty", "currency")
NAMES = ("Lisbon office lease", "Cloud hosting agreement", "Tokyo printer rental", "Coffee machine service")


class ContractBody(Answer):
    """A contract of the register."""

    contract_id: str = Field(description="Id of the contract")
    title: str = Field(description="Title of the contract")
    counterparty: str = Field(description="The other party")
    ends_on: str = Field(description="Last day of the contract, YYYY-MM-DD")
    notice_months: int = Field(description="Months before the end by which notice must be given")
    annual_value: float = Field(description="What it costs in a year")
    currency: str = Field(description="ISO 4217 code of the value")


BODY = (
    Known("title", "contract_id", TITLES),
    Bounds("notice_months", 1, 24),
    Bounds("annual_value", 0, 10_000_000),
)


def _body(contract: Contract) -> dict[str, Any]:
    return {
        "contract_id": contract.id,
        "title": contract.title,
        "counterparty": contract.counterparty,
        "ends_on": contract.ends_on,
        "notice_months": contract.notice_months,
        "annual_value": contract.annual_value,
        "currency": contract.currency,
    }


class ContractRecord(ContractBody):
    """The record of one contract."""

    status: Literal["in_force"] = Field(description="State of the contract")
    starts_on: str = Field(description="First day of the contract, YYYY-MM-DD")
    owner_name: str = Field(description="Who looks after it in the company")
    owner_email: str = Field(description="Address of who looks after it")
    monthly_value: float = Field(description="What it costs in a month, to two decimal places")


@simulated_tool(
    category="source",
    answer=ContractRecord,
    examples=tuple({"title": name} for name in (*NAMES, "Travel agency framework")),
    refusals=(({"title": "Moon base lease"}, 404), ({"title": "x"}, 422)),
    echoes=("title",),
    invariants=(
        *BODY,
        *(Requires(field, "status", "in_force") for field in (*STATED, "owner_email")),
        Known("owner_email", "owner_name", EMAIL_OF),
        Known("owner_name", "owner_email", NAME_OF),
        Ordered("starts_on", "ends_on"),
        Formula("monthly_value", ("annual_value",), lambda value: value / 12, "monthly_value is annual_value / 12"),
    ),
)
def contract_record(world: World, title: Title) -> dict[str, Any]:
    """Open one contract's record in the register by its exact title: parties, owner, term, notice and value."""
    found = contract_titled(title)
    return {
        **_body(found),
        "status": "in_force",
        "starts_on": found.starts_on,
        "owner_name": NAME_OF[found.owner_email],
        "owner_email": found.owner_email,
        "monthly_value": round(found.annual_value / 12, 2),
    }


class Hit(Answer):
    """A contract that was found."""

    contract_id: str = Field(description="Id of the contract")
    title: str = Field(description="Title of the contract")
    ends_on: str = Field(description="Last day of the contract, YYYY-MM-DD")


class Hits(ContractBody):
    """What a search of the register finds, the best match in full."""

    query: str = Field(description="What was searched for")
    outcome: Literal["found"] = Field(description="Whether something was found")
    hits: list[Hit] = Field(description="The contracts found, the best match first")
    hit_count: int = Field(description="How many are listed")
    searched_on: str = Field(description="Day of the search, YYYY-MM-DD")


@simulated_tool(
    category="source",
    answer=Hits,
    examples=(
        *({"query": name} for name in NAMES),
        {"query": "Quillmark", "limit": 1},
        {"query": "maintenance", "limit": 5},
    ),
    refusals=(({"query": "submarine"}, 404), ({"query": "lease", "limit": 50}, 422)),
    echoes=("query",),
    invariants=(
        *BODY,
        *(Requires(field, "outcome", "found") for field in STATED),
        Counts("hit_count", "hits"),
        Bounds("hit_count", 1, 10),
        Formula("contract_id", ("hits.0.contract_id",), str, "contract_id is that of the first hit"),
        Ordered("searched_on", "ends_on"),
    ),
)
def contract_search(
    world: World, query: Query, limit: Annotated[int, Field(ge=1, le=10, description="Contracts to list at most")] = 3
) -> dict[str, Any]:
    """Search the register of contracts by words of title or other party; gives the best match with its terms."""
    found = contracts_like(query)[:limit]
    if not found:
        raise Refusal(404, "NoMatch", f"No contract in the register matches {query!r}.", query=query)
    return {
        **_body(found[0]),
        "query": query,
        "outcome": "found",
        "hits": [{"contract_id": c.id, "title": c.title, "ends_on": c.ends_on} for c in found],
        "hit_count": len(found),
        "searched_on": TODAY,
    }


TERMS = (
    {"ends_on": "2026-06-30", "notice_months": 3},
    {"ends_on": "2026-11-30", "notice_months": 6},
    {"ends_on": "2026-05-31", "notice_months": 2},
    {"ends_on": "2027-01-31", "notice_months": 4},
)
BAD_TERMS = (
    ({"ends_on": "2026-02-30", "notice_months": 3}, 400),
    ({"ends_on": "1926-06-30", "notice_months": 3}, 400),
    ({"ends_on": "2026-06-30", "notice_months": 0}, 422),
)
TERM = (
    Ordered("notice_by", "ends_on"),
    Formula(
        "notice_by",
        ("ends_on", "notice_months"),
        lambda end, months: months_from(end, -months),
        "notice_by lies notice_months before ends_on",
    ),
    Bounds("notice_months", 1, 24),
)


def _notice(ends_on: str, months: int) -> str:
    """The last day for giving notice.

    Raises:
        Refusal: 400 where there is no such end, or it lies outside 2000 to 2099.
    """
    if office_date(ends_on).year not in range(2000, 2100):
        raise Refusal(400, "OutsideCalendar", f"{ends_on} lies outside 2000 to 2099.", ends_on=ends_on)
    return months_from(ends_on, -months)


class Notice(Answer):
    """By when notice must be given."""

    ends_on: str = Field(description="Last day of the contract, YYYY-MM-DD")
    notice_months: int = Field(description="Months of notice")
    notice_by: str = Field(description="Last day for giving notice, YYYY-MM-DD")
    notice_days: int = Field(description="Days from that day to the end")
    status: Literal["computed"] = Field(description="Whether there is a result")


@simulated_tool(
    category="processor",
    answer=Notice,
    examples=TERMS,
    refusals=BAD_TERMS,
    echoes=("ends_on", "notice_months"),
    invariants=(
        *TERM,
        Requires("notice_by", "status", "computed"),
        Formula(
            "notice_days", ("notice_by", "ends_on"), days_apart, "notice_days is the time from notice_by to the end"
        ),
        Bounds("notice_days", 28, 731),
    ),
)
def notice_deadline(world: World, ends_on: EndsOn, notice_months: NoticeMonths) -> dict[str, Any]:
    """Work out the last day for giving notice of a contract that ends on a date, a number of months before it."""
    by = _notice(ends_on, notice_months)
    return {"notice_by": by, "notice_days": days_apart(by, ends_on), "status": "computed"}


class Milestone(Answer):
    """A date in the life of a contract."""

    name: str = Field(description="What happens then")
    date: str = Field(description="The day, YYYY-MM-DD")


class Timeline(Answer):
    """The dates ahead of a contract."""

    ends_on: str = Field(description="Last day of the contract, YYYY-MM-DD")
    notice_months: int = Field(description="Months of notice")
    renewal_months: int = Field(description="Months by which it runs on")
    review_from: str = Field(
        description="Day from which the contract should be looked at, a month before notice is due"
    )
    notice_by: str = Field(description="Last day for giving notice, YYYY-MM-DD")
    renewed_until: str = Field(description="Last day if no notice is given, YYYY-MM-DD")
    timeline: list[Milestone] = Field(description="All these dates in order")
    milestone_count: int = Field(description="How many they are")
    days_to_notice: int = Field(description="Days from review_from to notice_by")
    days_to_end: int = Field(description="Days from notice_by to ends_on")
    days_in_all: int = Field(description="Days from review_from to ends_on")


@simulated_tool(
    category="processor",
    answer=Timeline,
    examples=(*TERMS, {"ends_on": "2026-08-31", "notice_months": 2, "renewal_months": 6}),
    refusals=BAD_TERMS,
    echoes=("ends_on", "notice_months"),
    invariants=(
        *TERM,
        Echo("renewal_months", "renewal_months"),
        Ordered("review_from", "notice_by"),
        Ordered("ends_on", "renewed_until"),
        Counts("milestone_count", "timeline"),
        Sums("days_in_all", ("days_to_notice", "days_to_end")),
        Formula("days_to_end", ("notice_by", "ends_on"), days_apart, "days_to_end is the time from notice_by"),
        Bounds("days_to_notice", 28, 31),
        Bounds("days_to_end", 28, 731),
    ),
)
def contract_timeline(
    world: World, ends_on: EndsOn, notice_months: NoticeMonths, renewal_months: RenewalMonths = 12
) -> dict[str, Any]:
    """Draw up the dates ahead of a contract that renews itself: review, notice, end, and the end after renewal."""
    by = _notice(ends_on, notice_months)
    review, renewed = months_from(by, -1), months_from(ends_on, renewal_months)
    dates = (("Review", review), ("Notice", by), ("End", ends_on), ("End after renewal", renewed))
    return {
        "renewal_months": renewal_months,
        "review_from": review,
        "notice_by": by,
        "renewed_until": renewed,
        "timeline": [{"name": name, "date": at} for name, at in dates],
        "milestone_count": len(dates),
        "days_to_notice": days_apart(review, by),
        "days_to_end": days_apart(by, ends_on),
        "days_in_all": days_apart(review, ends_on),
    }
