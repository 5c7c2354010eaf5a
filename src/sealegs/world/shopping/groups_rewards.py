"""Alternative groups of the shopping domain about the rewards scheme."""

from __future__ import annotations

from sealegs.tasks.pattern import Pattern, Way

__all__ = ["MEMBER_POINTS", "POINTS_EARNED", "POINTS_OF_MEMBER"]

MEMBER_POINTS = Pattern(
    name="member_points",
    purpose="Learn a customer's rewards membership number, points and points for a dollar.",
    inputs=("customer",),
    exports=("member_id", "points", "points_per_dollar"),
    ways=(
        Way(
            "account",
            calls={"rewards_account": {"customer": "in.customer"}},
            exports={
                "member_id": "rewards_account.member_id",
                "points": "rewards_account.points",
                "points_per_dollar": "rewards_account.points_per_dollar",
            },
        ),
        Way(
            "statement",
            calls={"rewards_statement": {"customer": "in.customer"}},
            exports={
                "member_id": "rewards_statement.membership",
                "points": "rewards_statement.closing_points",
                "points_per_dollar": "rewards_statement.earning_rate",
            },
        ),
    ),
    examples=tuple(
        {"customer": name}
        for name in ("Marta Lindqvist", "Ines Duarte", "Amelia Hartwell", "Priya Ramdas", "Freja Lindahl")
    ),
)

POINTS_EARNED = Pattern(
    name="points_earned",
    purpose="Find the rewards points that a purchase earns a member whose tier and earning rate are known.",
    inputs=("amount", "tier", "points_per_dollar"),
    exports=("points", "value", "currency"),
    ways=(
        Way(
            "tier",
            calls={"points_for_purchase": {"amount": "in.amount", "tier": "in.tier"}},
            exports={
                "points": "points_for_purchase.points",
                "value": "points_for_purchase.value",
                "currency": "points_for_purchase.currency",
            },
        ),
        Way(
            "rate",
            calls={"points_at_rate": {"dollars": "in.amount", "points_per_dollar": "in.points_per_dollar"}},
            exports={
                "points": "points_at_rate.whole_points",
                "value": "points_at_rate.worth",
                "currency": "points_at_rate.currency",
            },
        ),
    ),
    examples=tuple(
        {"amount": amount, "tier": tier, "points_per_dollar": rate}
        for amount, tier, rate in (
            (329.0, "gold", 1.5),
            (1069.5, "platinum", 2.0),
            (199.6, "silver", 1.25),
            (84.25, "basic", 1.0),
        )
    ),
)

POINTS_OF_MEMBER = Pattern(
    name="points_of_member",
    purpose="Find the rewards points that a purchase earns a customer known by name.",
    inputs=("customer", "amount"),
    exports=("points", "value", "currency", "member_id"),
    ways=(
        Way(
            "by_tier",
            calls={
                "rewards_account": {"customer": "in.customer"},
                "points_for_purchase": {"amount": "in.amount", "tier": "rewards_account.tier"},
            },
            exports={
                "points": "points_for_purchase.points",
                "value": "points_for_purchase.value",
                "currency": "points_for_purchase.currency",
                "member_id": "rewards_account.member_id",
            },
        ),
        Way(
            "by_rate",
            calls={
                "rewards_statement": {"customer": "in.customer"},
                "points_at_rate": {"dollars": "in.amount", "points_per_dollar": "rewards_statement.earning_rate"},
            },
            exports={
                "points": "points_at_rate.whole_points",
                "value": "points_at_rate.worth",
                "currency": "points_at_rate.currency",
                "member_id": "rewards_statement.membership",
            },
        ),
    ),
    examples=tuple(
        {"customer": customer, "amount": amount}
        for customer, amount in (
            ("Marta Lindqvist", 329.0),
            ("Ines Duarte", 1069.5),
            ("Kenji Morioka", 199.6),
            ("Freja Lindahl", 84.25),
            ("Hannah Vogt", 412.5),
        )
    ),
)
