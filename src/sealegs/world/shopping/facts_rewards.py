"""Facts of the shop's rewards scheme: tiers, members, and the points that members spent this year.

Points earned follow from the orders in `facts`: each delivered order of 2026 earned points on its goods.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor
from typing import Literal, get_args

from sealegs.world.shopping.facts import ORDERS
from sealegs.world.shopping.ledger import goods
from sealegs.world.tool import Refusal

Tier = Literal["basic", "silver", "gold", "platinum"]
TIERS: tuple[str, ...] = get_args(Tier)
RATES = {"basic": 1.0, "silver": 1.25, "gold": 1.5, "platinum": 2.0}
POINTS_PER_DOLLAR_BACK = 100


@dataclass(frozen=True, slots=True)
class PointsEntry:
    """Points that came (positive) or went (negative) on a day; `order_id` where an order earned them."""

    on: str
    text: str
    points: int
    order_id: str | None = None


@dataclass(frozen=True, slots=True)
class RewardsMember:
    """A member: points at the start of 2026 and what was spent since."""

    member_id: str
    name: str
    tier: str
    joined_on: str
    opening: int
    spent: tuple[PointsEntry, ...] = ()

    @property
    def entries(self) -> tuple[PointsEntry, ...]:
        """Everything that came and went this year, oldest first."""
        earned = (
            PointsEntry(order.placed_on, "order", earned_points(goods(order.lines), RATES[self.tier]), order.order_id)
            for order in ORDERS.values()
            if order.customer == self.name and order.status == "delivered"
        )
        return tuple(sorted((*earned, *self.spent), key=lambda entry: (entry.on, entry.text)))

    @property
    def points(self) -> int:
        """Points that can be spent today."""
        return self.opening + sum(entry.points for entry in self.entries)


def earned_points(dollars: float, rate: float) -> int:
    """Whole points that a purchase of so many dollars earns."""
    return floor(round(dollars * rate, 6))


def points_value(points: int) -> float:
    """The worth of points in US dollars."""
    return round(points / POINTS_PER_DOLLAR_BACK, 2)


_MEMBERS = (
    RewardsMember(
        "RW-104417", "Marta Lindqvist", "gold", "2021-05-18", 1_240, (PointsEntry("2026-02-12", "voucher", -500),)
    ),
    RewardsMember("RW-104862", "Owen Prescott", "silver", "2022-09-02", 365),
    RewardsMember("RW-105233", "Keiko Hanabe", "basic", "2024-03-27", 88),
    RewardsMember(
        "RW-105691", "Tomas Ferreira", "gold", "2020-11-09", 2_715, (PointsEntry("2026-01-19", "voucher", -1_000),)
    ),
    RewardsMember("RW-106008", "Priya Ramdas", "silver", "2023-01-30", 512),
    RewardsMember(
        "RW-106450", "Hannah Vogt", "platinum", "2019-06-14", 6_930, (PointsEntry("2026-02-20", "gift card", -2_500),)
    ),
    RewardsMember(
        "RW-107126", "Ines Duarte", "gold", "2021-02-08", 1_805, (PointsEntry("2026-02-24", "voucher", -700),)
    ),
    RewardsMember(
        "RW-107389",
        "Amelia Hartwell",
        "platinum",
        "2018-10-22",
        4_460,
        (PointsEntry("2026-01-28", "gift card", -1_500),),
    ),
    RewardsMember("RW-107744", "Kenji Morioka", "silver", "2022-04-19", 640),
    RewardsMember(
        "RW-108095", "Lena Borgmann", "gold", "2020-07-01", 3_120, (PointsEntry("2026-02-05", "voucher", -900),)
    ),
    RewardsMember(
        "RW-108517", "Grace Whitlow", "silver", "2023-08-16", 275, (PointsEntry("2026-02-27", "voucher", -200),)
    ),
    RewardsMember("RW-108930", "Freja Lindahl", "basic", "2025-02-11", 144),
)
MEMBERS = {member.name.casefold(): member for member in _MEMBERS}


def member(name: str) -> RewardsMember:
    """The member of this name, in any case.

    Raises:
        Refusal: 404 where there is none.
    """
    found = MEMBERS.get(name.strip().casefold())
    if found is None:
        raise Refusal(404, "MemberNotFound", f"{name!r} is no member of the rewards scheme.", name=name)
    return found
