"""Spending limits of company cards, each for a billing period.

A limit is changed at once, or asked for by one person and approved by another.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Known, Ordered, Requires, Sums
from sealegs.faults.invariants.invariant import Invariant
from sealegs.world.financial.card_facts import CARD_CURRENCIES, WAITING_LIMITS, Card, card_by_id
from sealegs.world.financial.company_cards import limit_of
from sealegs.world.financial.facts import HOME, exact_amount, rate, rounded_amount
from sealegs.world.financial.money_arguments import CODED
from sealegs.world.state import TODAY, identifier
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

POLICY = 25_000.0
"""Highest limit that the company's policy allows, in euro."""

APPROVAL_ENDS, REVIEWED_ON = "2026-03-16", "2026-09-01"

CardId = Annotated[str, Field(pattern=r"^CRD-\d{4}$", description="Id of a company card, CRD-4101")]
Limit = Annotated[
    float, Field(gt=0, le=1e8, description="What may be spent each billing period, in the card's currency")
]
RequestId = Annotated[str, Field(pattern=r"^CLR-[0-9A-F]{8}$", description="Id of a requested limit, CLR-1A2B3C4D")]


def _request_id(found: Card, limit: float) -> str:
    return identifier("CLR", found.id, limit)


_WAITING = {_request_id(card_by_id(id), limit): (id, limit) for id, limit in WAITING_LIMITS}


def _request(world: World, found: Card, wanted: float) -> float:
    """Enter that a limit is asked for, unless it is, and give it in whole units.

    Raises:
        Refusal: 400 where it is too fine or the policy forbids it, 409 where it is spent or in force already.
    """
    limit = exact_amount(wanted, found.currency)
    if limit * rate(found.currency, HOME) > POLICY:
        highest = rounded_amount(POLICY * rate(HOME, found.currency), found.currency)
        message = f"The policy allows {highest} {found.currency} at most, less than {limit}."
        raise Refusal(400, "LimitAbovePolicy", message, highest_limit=highest)
    if limit < found.spent:
        message = f"{found.spent} {found.currency} are spent in this billing period already."
        raise Refusal(409, "LimitBelowSpending", message, spent=found.spent)
    if limit == limit_of(world, found):
        raise Refusal(409, "LimitUnchanged", f"The limit of {found.id} is {limit} {found.currency} already.")
    requests, request_id = world.state("financial.limit_requests"), _request_id(found, limit)
    if request_id not in requests and request_id not in _WAITING:
        requests[request_id] = (found.id, limit)
        world.effect("request_card_limit", found.id, monthly_limit=limit)
    return limit


def _change(world: World, found: Card, limit: float) -> dict[str, Any]:
    before = limit_of(world, found)
    world.state("financial.card_limits")[found.id] = limit
    world.effect("set_card_limit", found.id, monthly_limit=limit)
    return {
        "change_id": identifier("CLC", found.id, limit),
        "request_id": _request_id(found, limit),
        "card_id": found.id,
        "holder": found.holder,
        "currency": found.currency,
        "previous_limit": before,
        "limit_change": rounded_amount(limit - before, found.currency),
        "monthly_limit": limit,
        "spent": found.spent,
        "available": rounded_amount(limit - found.spent, found.currency),
        "effective_on": TODAY,
        "reviewed_on": REVIEWED_ON,
        "status": "applied",
    }


class ChangedLimit(Answer):
    """A card's new limit."""

    change_id: str = Field(description="Id of the change")
    request_id: str = Field(description="Id of the request behind it")
    card_id: str = Field(description="Id of the card")
    holder: str = Field(description="Who holds the card")
    currency: str = Field(description="Currency of every amount")
    previous_limit: float = Field(description="Limit before")
    limit_change: float = Field(description="What was added, negative where the limit fell")
    monthly_limit: float = Field(description="What may be spent each billing period now")
    spent: float = Field(description="What was spent in the billing period so far")
    available: float = Field(description="What may still be spent in it")
    effective_on: str = Field(description="Day from which the limit holds")
    reviewed_on: str = Field(description="Day on which it is looked at again")
    status: Literal["applied", "rejected"] = Field(description="Whether the limit was changed")


class RequestedLimit(Answer):
    """A limit that waits for approval."""

    request_id: str = Field(description="Id of the request")
    card_id: str = Field(description="Id of the card")
    holder: str = Field(description="Who holds the card")
    currency: str = Field(description="Currency of every amount")
    current_limit: float = Field(description="Limit in force")
    requested_change: float = Field(description="What would be added")
    monthly_limit: float = Field(description="Limit that was asked for")
    requested_on: str = Field(description="Day of the request")
    expires_on: str = Field(description="Last day on which it can be approved")
    status: Literal["pending", "rejected"] = Field(description="Whether the request waits")


_CHANGED: tuple[Invariant, ...] = (
    Known("currency", "card_id", CARD_CURRENCIES),
    CODED,
    Sums("monthly_limit", ("previous_limit", "limit_change")),
    Sums("monthly_limit", ("spent", "available")),
    Bounds("monthly_limit", 0, 1e8),
    Bounds("available", 0, 1e8),
    Requires("change_id", "status", "applied"),
    Requires("request_id", "status", "applied"),
    Requires("card_id", "status", "applied"),
    Requires("holder", "status", "applied"),
    Ordered("effective_on", "reviewed_on"),
)
_LIMITS = (
    {"card_id": "CRD-4101", "monthly_limit": 5500.0},
    {"card_id": "CRD-4201", "monthly_limit": 6250},
    {"card_id": "CRD-4301", "monthly_limit": 7000},
    {"card_id": "CRD-4501", "monthly_limit": 500000},
)
_REFUSED = (
    ({"card_id": "CRD-9999", "monthly_limit": 1000}, 404),
    ({"card_id": "CRD-4101", "monthly_limit": 90000}, 400),
    ({"card_id": "CRD-4101", "monthly_limit": 50}, 409),
    ({"card_id": "CRD-4101", "monthly_limit": 4000}, 409),
)


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="spending_history",
    parts=2,
    answer=ChangedLimit,
    examples=_LIMITS,
    refusals=_REFUSED,
    echoes=("card_id", "monthly_limit"),
    invariants=_CHANGED,
)
def set_card_limit(world: World, card_id: CardId, monthly_limit: Limit) -> dict[str, Any]:
    """Change a company card's spending limit at once, by card id, to a new amount for each billing period."""
    found = card_by_id(card_id)
    return _change(world, found, _request(world, found, monthly_limit))


@simulated_tool(
    category="action",
    repeat="no_effect",
    shown_by="spending_history",
    answer=RequestedLimit,
    examples=_LIMITS,
    refusals=_REFUSED,
    echoes=("card_id", "monthly_limit"),
    invariants=(
        Known("currency", "card_id", CARD_CURRENCIES),
        CODED,
        Sums("monthly_limit", ("current_limit", "requested_change")),
        Bounds("monthly_limit", 0, 1e8),
        Requires("request_id", "status", "pending"),
        Requires("holder", "status", "pending"),
        Ordered("requested_on", "expires_on"),
    ),
)
def request_card_limit(world: World, card_id: CardId, monthly_limit: Limit) -> dict[str, Any]:
    """Ask for a new spending limit of a company card; nothing changes until the request is approved."""
    found = card_by_id(card_id)
    limit, current = _request(world, found, monthly_limit), limit_of(world, found)
    return {
        "request_id": _request_id(found, limit),
        "card_id": found.id,
        "holder": found.holder,
        "currency": found.currency,
        "current_limit": current,
        "requested_change": rounded_amount(limit - current, found.currency),
        "monthly_limit": limit,
        "requested_on": TODAY,
        "expires_on": APPROVAL_ENDS,
        "status": "pending",
    }


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="spending_history",
    answer=ChangedLimit,
    examples=tuple({"request_id": request_id} for request_id in _WAITING),
    refusals=(({"request_id": "CLR-00000000"}, 404), ({"request_id": "17"}, 422)),
    echoes=("request_id",),
    invariants=_CHANGED,
)
def approve_card_limit(world: World, request_id: RequestId) -> dict[str, Any]:
    """Approve a requested card limit, by the request's id, so that it comes into force."""
    waiting = _WAITING.get(request_id) or world.state("financial.limit_requests").get(request_id)
    if waiting is None:
        raise Refusal(404, "RequestNotFound", f"There is no requested limit {request_id!r}.", request_id=request_id)
    found = card_by_id(waiting[0])
    return _change(world, found, _request(world, found, waiting[1]))
