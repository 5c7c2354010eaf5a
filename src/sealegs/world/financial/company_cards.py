"""Company cards: who holds which, and what was spent with it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Counts, Formula, Known, Mean, Ordered, Requires, Sums
from sealegs.faults.invariants.invariant import Invariant
from sealegs.world.financial.card_facts import (
    CARD_CURRENCIES,
    DUE_ON,
    PERIOD_END,
    PERIOD_START,
    Card,
    card_of,
)
from sealegs.world.financial.facts import rounded_amount
from sealegs.world.financial.money_arguments import CODED
from sealegs.world.tool import Answer, World, simulated_tool

Holder = Annotated[
    str, Field(pattern=r"^\S+( \S+)+$", max_length=80, description="Cardholder's first and last name, Ines Duarte")
]


class HeldCard(Answer):
    """A company card in its billing period."""

    card_id: str = Field(description="Id of the card")
    holder: str = Field(description="Who holds the card")
    last_four: str = Field(description="Last four digits of the card's number")
    currency: str = Field(description="Currency of every amount")
    period_start: str = Field(description="First day of the billing period")
    period_end: str = Field(description="Last day of the billing period")
    spent: float = Field(description="What was spent in the billing period so far")


class FoundCard(HeldCard):
    """A company card and its limit."""

    monthly_limit: float = Field(description="What may be spent each billing period")
    available: float = Field(description="What may still be spent in this one")
    expires_on: str = Field(description="Last day on which the card is valid")
    status: Literal["active", "frozen"] = Field(description="Whether the card can be used")


class Spent(Answer):
    """Something paid for with a card."""

    booked_on: str = Field(description="Day of booking")
    merchant: str = Field(description="What it was for")
    amount: float = Field(description="Amount paid")


class CardStatement(HeldCard):
    """What a card paid for."""

    purchase_count: int = Field(description="How many purchases there are")
    average_purchase: float = Field(description="Mean amount of a purchase")
    largest_purchase: float = Field(description="Amount of the largest purchase")
    settlement_account_id: str = Field(description="Bank account that settles the card")
    due_on: str = Field(description="Day of the settlement")
    status: Literal["open", "settled"] = Field(description="Whether the period is still to be settled")
    purchases: list[Spent] = Field(description="The purchases, the oldest first")


_HOLDERS = tuple(
    {"holder": name} for name in ("Ines Duarte", "Amelia Hartwell", "Grace Whitlow", "Kenji Morioka", "Freja Lindahl")
)
_NOBODY = (({"holder": "Nobody Knows"}, 404), ({"holder": "Ines"}, 422))
_HELD: tuple[Invariant, ...] = (
    Known("currency", "card_id", CARD_CURRENCIES),
    CODED,
    Bounds("spent", 0, 1e8),
    Ordered("period_start", "period_end"),
)


def limit_of(world: World, found: Card) -> float:
    """The amount that may be spent with the card each billing period."""
    return float(world.state("financial.card_limits").get(found.id, found.limit))


def _held(found: Card) -> dict[str, Any]:
    return {
        "card_id": found.id,
        "holder": found.holder,
        "last_four": found.last_four,
        "currency": found.currency,
        "period_start": PERIOD_START,
        "period_end": PERIOD_END,
        "spent": found.spent,
    }


@simulated_tool(
    category="source",
    answer=FoundCard,
    examples=_HOLDERS,
    refusals=_NOBODY,
    echoes=("holder",),
    invariants=(
        *_HELD,
        Requires("card_id", "status", "active"),
        Requires("last_four", "status", "active"),
        Ordered("period_end", "expires_on"),
        Sums("monthly_limit", ("spent", "available")),
        Bounds("monthly_limit", 0, 1e8),
        Bounds("available", 0, 1e8),
        Formula(
            "available",
            ("monthly_limit", "spent"),
            lambda limit, spent: limit - spent,
            "available is monthly_limit less spent",
        ),
    ),
)
def find_card(world: World, holder: Holder) -> dict[str, Any]:
    """Find an employee's company payment card by the holder's name: card id, limit, spent and available, expiry."""
    found = card_of(holder)
    limit = limit_of(world, found)
    return {
        **_held(found),
        "monthly_limit": limit,
        "available": rounded_amount(limit - found.spent, found.currency),
        "expires_on": found.expires_on,
        "status": "active",
    }


@simulated_tool(
    category="source",
    answer=CardStatement,
    examples=_HOLDERS,
    refusals=_NOBODY,
    echoes=("holder",),
    invariants=(
        *_HELD,
        Requires("card_id", "status", "open"),
        Requires("last_four", "status", "open"),
        Requires("settlement_account_id", "status", "open"),
        Sums("spent", ("purchases.amount",)),
        Mean("average_purchase", "purchases.amount"),
        Counts("purchase_count", "purchases"),
        Formula(
            "largest_purchase",
            ("purchases",),
            lambda rows: max(row["amount"] for row in rows),
            "largest_purchase is the largest amount of the purchases",
        ),
        Ordered("period_end", "due_on"),
        Ordered("purchases.booked_on", "period_end"),
    ),
)
def card_statement(world: World, holder: Holder) -> dict[str, Any]:
    """List what an employee's company card paid for in the current billing period, with total, mean and due day."""
    found = card_of(holder)
    bought = found.purchases
    return {
        **_held(found),
        "purchase_count": len(bought),
        "average_purchase": rounded_amount(found.spent / len(bought), found.currency),
        "largest_purchase": max(purchase.amount for purchase in bought),
        "settlement_account_id": found.account_id,
        "due_on": DUE_ON,
        "status": "open",
        "purchases": [
            {"booked_on": purchase.booked_on, "merchant": purchase.merchant, "amount": purchase.amount}
            for purchase in bought
        ],
    }
