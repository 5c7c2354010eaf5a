"""The rewards scheme: a member's account and statement, and what a purchase earns. Spending points is not covered."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from sealegs.faults.invariants import Bounds, Counts, Echo, Formula, Known, OneOf, Ordered, Requires, Sums
from sealegs.world.shopping.facts import CURRENCY
from sealegs.world.shopping.facts_rewards import MEMBERS, RATES, TIERS, Tier, earned_points, member, points_value
from sealegs.world.shopping.shop_arguments import IN_DOLLARS, Person
from sealegs.world.state import TODAY, World
from sealegs.world.tool import Answer, simulated_tool

_SINCE = "2026-01-01"
_MEMBER_IDS = {found.name: found.member_id for found in MEMBERS.values()}
_TIER = OneOf("tier", TIERS, ("bronze", "trial", "suspended"))
_REFUSED = (
    ({"customer": "Victor Nowhere"}, 404),
    ({"customer": "RW-104417"}, 422),
    ({"customer": ""}, 422),
)
Amount = Annotated[float, Field(ge=0.01, le=1_000_000, description="What the goods cost, US dollars")]


class RewardsAccount(Answer):
    """A member's account."""

    customer: str = Field(description="The member's name")
    status: Literal["active"] = Field(description="active for a member")
    member_id: str = Field(description="Membership number")
    tier: str = Field(description="basic, silver, gold or platinum")
    points_per_dollar: float = Field(description="Points that a dollar spent earns in this tier")
    points: int = Field(description="Points that can be spent")
    points_value: float = Field(description="What they are worth, US dollars")
    currency: str = Field(description="ISO 4217 code of the amount, always USD")
    joined_on: str = Field(description="Day of joining, YYYY-MM-DD")
    valid_until: str = Field(description="Last day of the points, YYYY-MM-DD")


@simulated_tool(
    category="source",
    answer=RewardsAccount,
    examples=tuple(
        {"customer": name}
        for name in ("Marta Lindqvist", "Ines Duarte", "Hannah Vogt", "Kenji Morioka", "Freja Lindahl")
    ),
    refusals=_REFUSED,
    echoes=("customer",),
    invariants=(
        Requires("member_id", "status", "active"),
        Known("member_id", "customer", _MEMBER_IDS),
        Known("points_per_dollar", "tier", RATES),
        _TIER,
        Formula("points_value", ("points",), points_value, "points_value is one dollar for each 100 points"),
        Bounds("points", 0, 10_000_000),
        Bounds("points_per_dollar", 0.5, 5),
        Ordered("joined_on", "valid_until"),
        IN_DOLLARS,
    ),
)
def rewards_account(world: World, customer: Person) -> dict[str, Any]:
    """Read a customer's account in the shop's rewards scheme: membership number, tier, points and their value."""
    found = member(customer)
    return {
        "customer": found.name,
        "status": "active",
        "member_id": found.member_id,
        "tier": found.tier,
        "points_per_dollar": RATES[found.tier],
        "points": found.points,
        "points_value": points_value(found.points),
        "currency": CURRENCY,
        "joined_on": found.joined_on,
        "valid_until": "2027-12-31",
    }


class Posting(BaseModel):
    """Points that came or went."""

    model_config = ConfigDict(extra="forbid")
    on: str = Field(description="Day, YYYY-MM-DD")
    text: str = Field(description="What for")
    points: int = Field(description="Points, negative where they were spent")
    order_id: str | None = Field(description="The order that earned them, else null")


class RewardsStatement(Answer):
    """A member's points this year."""

    customer: str = Field(description="The member's name")
    status: Literal["complete"] = Field(description="complete where every posting of the year is listed")
    membership: str = Field(description="Membership number")
    from_date: str = Field(description="First day, YYYY-MM-DD")
    to_date: str = Field(description="Last day, YYYY-MM-DD")
    opening_points: int = Field(description="Points at the start of the year")
    postings: list[Posting] = Field(description="What came and went, oldest first")
    posting_count: int = Field(description="Number of postings")
    points_earned: int = Field(description="Points that came")
    points_spent: int = Field(description="Points that went")
    closing_points: int = Field(description="Points that can be spent today")
    earning_rate: float = Field(description="Points that a dollar spent earns now")
    last_order_id: str = Field(description="The latest order that earned points")


@simulated_tool(
    category="source",
    answer=RewardsStatement,
    examples=tuple(
        {"customer": name}
        for name in ("Marta Lindqvist", "Ines Duarte", "Tomas Ferreira", "Grace Whitlow", "Owen Prescott")
    ),
    refusals=_REFUSED,
    echoes=("customer",),
    invariants=(
        Requires("last_order_id", "status", "complete"),
        Requires("membership", "status", "complete"),
        Known("membership", "customer", _MEMBER_IDS),
        Counts("posting_count", "postings"),
        Sums("closing_points", ("opening_points", "postings.points")),
        Formula(
            "closing_points",
            ("opening_points", "points_earned", "points_spent"),
            lambda before, earned, spent: before + earned - spent,
            "closing_points is opening_points + points_earned - points_spent",
        ),
        Bounds("closing_points", 0, 10_000_000),
        Bounds("points_spent", 0, 10_000_000),
        Bounds("earning_rate", 0.5, 5),
        OneOf("earning_rate", tuple(RATES.values()), (0.1, 3.75, 12.0)),
        Ordered("from_date", "to_date"),
    ),
)
def rewards_statement(world: World, customer: Person) -> dict[str, Any]:
    """List a customer's rewards points this year: opening, earned, spent, closing, earning rate, last order."""
    found = member(customer)
    entries = found.entries
    return {
        "customer": found.name,
        "status": "complete",
        "membership": found.member_id,
        "from_date": _SINCE,
        "to_date": TODAY,
        "opening_points": found.opening,
        "postings": [{"on": e.on, "text": e.text, "points": e.points, "order_id": e.order_id} for e in entries],
        "posting_count": len(entries),
        "points_earned": sum(e.points for e in entries if e.points > 0),
        "points_spent": -sum(e.points for e in entries if e.points < 0),
        "closing_points": found.points,
        "earning_rate": RATES[found.tier],
        "last_order_id": next(e.order_id for e in reversed(entries) if e.order_id),
    }


class EarnedPoints(Answer):
    """What a purchase earns in a tier."""

    amount: float = Field(description="What the goods cost, US dollars")
    tier: str = Field(description="basic, silver, gold or platinum")
    base_points: int = Field(description="A point for each whole dollar")
    tier_bonus: int = Field(description="What the tier adds")
    points: int = Field(description="All points earned")
    value: float = Field(description="What they are worth, US dollars")
    currency: str = Field(description="ISO 4217 code of the amounts, always USD")


@simulated_tool(
    category="processor",
    answer=EarnedPoints,
    examples=(
        {"amount": 329.0, "tier": "gold"},
        {"amount": 1069.5, "tier": "platinum"},
        {"amount": 199.6, "tier": "silver"},
        {"amount": 84.25, "tier": "basic"},
    ),
    refusals=(
        ({"amount": 0, "tier": "gold"}, 422),
        ({"amount": 329.0, "tier": "diamond"}, 422),
        ({"tier": "gold"}, 422),
    ),
    echoes=("amount", "tier"),
    invariants=(
        _TIER,
        Sums("points", ("base_points", "tier_bonus")),
        Formula(
            "points",
            ("amount", "tier"),
            lambda amount, tier: earned_points(amount, RATES[tier]),
            "points are amount x the tier's rate (basic 1, silver 1.25, gold 1.5, platinum 2), rounded down",
        ),
        Formula("value", ("points",), points_value, "value is one dollar for each 100 points"),
        Bounds("points", 0, 10_000_000),
        IN_DOLLARS,
    ),
)
def points_for_purchase(
    world: World, amount: Amount, tier: Annotated[Tier, Field(description="Tier of the member who buys")]
) -> dict[str, Any]:
    """Work out the rewards points that a purchase earns a member of a tier, with base, bonus and worth."""
    points, base = earned_points(amount, RATES[tier]), earned_points(amount, 1.0)
    return {
        "base_points": base,
        "tier_bonus": points - base,
        "points": points,
        "value": points_value(points),
        "currency": CURRENCY,
    }


class PointsAtRate(Answer):
    """What an amount earns at a rate."""

    dollars: float = Field(description="The amount, US dollars")
    rate: float = Field(description="Points for a dollar")
    exact_points: float = Field(description="Points before rounding down, to two decimals")
    whole_points: int = Field(description="Points credited: rounded down")
    worth: float = Field(description="What they are worth, US dollars")
    currency: str = Field(description="ISO 4217 code of the amounts, always USD")


@simulated_tool(
    category="processor",
    answer=PointsAtRate,
    examples=(
        {"dollars": 329.0, "points_per_dollar": 1.5},
        {"dollars": 1069.5, "points_per_dollar": 2},
        {"dollars": 199.6, "points_per_dollar": 1.25},
        {"dollars": 84.25, "points_per_dollar": 1},
    ),
    refusals=(
        ({"dollars": 0, "points_per_dollar": 1.5}, 422),
        ({"dollars": 329.0, "points_per_dollar": 60}, 422),
        ({"dollars": 329.0}, 422),
    ),
    echoes=("dollars",),
    invariants=(
        Echo("points_per_dollar", "rate"),
        Formula("exact_points", ("dollars", "rate"), lambda d, r: d * r, "exact_points is dollars x rate"),
        Formula("whole_points", ("dollars", "rate"), earned_points, "whole_points is dollars x rate, rounded down"),
        Formula("worth", ("whole_points",), points_value, "worth is one dollar for each 100 whole_points"),
        Bounds("whole_points", 0, 10_000_000),
        Bounds("worth", 0, 100_000),
        IN_DOLLARS,
    ),
)
def points_at_rate(
    world: World,
    dollars: Amount,
    points_per_dollar: Annotated[float, Field(ge=0.5, le=5, description="Rewards points that a dollar earns")],
) -> dict[str, Any]:
    """Multiply an amount spent by an earning rate: rewards points credited and what they are worth."""
    points = earned_points(dollars, points_per_dollar)
    return {
        "rate": points_per_dollar,
        "exact_points": round(dollars * points_per_dollar, 2),
        "whole_points": points,
        "worth": points_value(points),
        "currency": CURRENCY,
    }
