"""The company's payment cards: who holds them, what they may spend a billing period, and what they paid for.

Facts only. The holders are staff of the office domain, by name.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from sealegs.world.financial.facts import rounded_amount
from sealegs.world.tool import Refusal

PERIOD_START, PERIOD_END, DUE_ON = "2026-02-05", "2026-03-04", "2026-03-18"
"""The billing period in which the world stands still, and when it is paid."""

_MERCHANTS = (
    "Rail tickets",
    "Hotel stay",
    "Client dinner",
    "Taxi",
    "Software subscription",
    "Office supplies",
    "Conference fee",
    "Courier",
    "Parking",
)


@dataclass(frozen=True, slots=True)
class CardPurchase:
    """Something that was paid for with a card."""

    booked_on: str
    merchant: str
    amount: float


@dataclass(frozen=True, slots=True)
class Card:
    """A company card and the bank account that it is settled from; `limit` is for a billing period."""

    id: str
    holder: str
    last_four: str
    currency: str
    account_id: str
    limit: float
    expires_on: str
    amounts: tuple[float, ...]

    @property
    def purchases(self) -> tuple[CardPurchase, ...]:
        """The purchases of the billing period, the oldest first."""
        turn = int(self.last_four)
        start = date.fromisoformat(PERIOD_START)
        return tuple(
            CardPurchase(
                (start + timedelta(days=1 + turn % 3 + 5 * place)).isoformat(),
                _MERCHANTS[(turn + 2 * place) % len(_MERCHANTS)],
                amount,
            )
            for place, amount in enumerate(self.amounts)
        )

    @property
    def spent(self) -> float:
        """The amount that was spent in the billing period."""
        return rounded_amount(sum(self.amounts), self.currency)


_CARDS = (
    Card("CRD-4101", "Ines Duarte", "8214", "EUR", "ACC-1004", 4_000, "2028-06-30", (212.4, 389.0, 96.75, 41.2)),
    Card("CRD-4102", "Marta Quintela", "0457", "EUR", "ACC-1004", 2_500, "2027-11-30", (78.9, 154.35, 230.0)),
    Card("CRD-4103", "Hanna Vogt", "3390", "EUR", "ACC-1004", 1_500, "2029-01-31", (64.8, 119.0, 22.5)),
    Card("CRD-4104", "Jonas Kellerhals", "7126", "EUR", "ACC-1004", 6_000, "2028-03-31", (845.6, 312.9, 540.0, 77.45)),
    Card("CRD-4105", "Ruth Albrecht", "1903", "EUR", "ACC-1001", 12_000, "2027-08-31", (1_480.0, 962.3, 2_105.75)),
    Card("CRD-4106", "Lena Borgmann", "5582", "EUR", "ACC-1001", 8_000, "2028-10-31", (1_240.9, 318.4, 655.0, 89.95)),
    Card("CRD-4201", "Amelia Hartwell", "6641", "GBP", "ACC-1203", 5_000, "2027-12-31", (412.5, 228.8, 97.2)),
    Card("CRD-4202", "Oliver Finchley", "2077", "GBP", "ACC-1203", 2_000, "2028-05-31", (55.4, 140.25, 36.6, 18.9)),
    Card("CRD-4203", "Samuel Okoro", "9318", "GBP", "ACC-1203", 3_500, "2029-02-28", (684.0, 121.1)),
    Card("CRD-4301", "Grace Whitlow", "4475", "USD", "ACC-1103", 9_000, "2028-07-31", (1_312.0, 488.5, 742.1, 65.3)),
    Card("CRD-4302", "Noah Fielding", "0836", "USD", "ACC-1103", 5_500, "2027-10-31", (918.6, 204.9, 356.0)),
    Card("CRD-4303", "Lucas Penbrook", "7759", "USD", "ACC-1103", 3_000, "2028-12-31", (142.3, 519.99, 87.0)),
    Card("CRD-4401", "Freja Lindahl", "1268", "SEK", "ACC-1401", 40_000, "2028-04-30", (5_140.0, 2_895.5, 1_320.0)),
    Card("CRD-4501", "Kenji Morioka", "3846", "JPY", "ACC-1501", 450_000, "2028-09-30", (38_400, 64_800, 12_750)),
    Card("CRD-4502", "Yuki Hanabe", "5093", "JPY", "ACC-1501", 600_000, "2029-03-31", (91_300, 27_600, 8_450, 15_900)),
    Card("CRD-4601", "Priya Ramanath", "8820", "SGD", "ACC-1601", 7_000, "2027-09-30", (1_105.4, 376.2, 248.0)),
    Card("CRD-4602", "Mei Tan", "2461", "SGD", "ACC-1601", 2_200, "2028-08-31", (86.4, 133.75)),
    Card("CRD-4701", "Chloe Tremont", "6305", "CAD", "ACC-1701", 2_600, "2028-02-29", (174.2, 95.6, 310.0)),
)
CARDS = {card.id: card for card in _CARDS}
CARD_CURRENCIES = {card.id: card.currency for card in _CARDS}

WAITING_LIMITS = (("CRD-4103", 2_800.0), ("CRD-4203", 6_000.0), ("CRD-4302", 8_250.0), ("CRD-4502", 750_000.0))
"""Limits that were asked for and wait for approval: card, limit for a billing period."""


def card_by_id(id: str) -> Card:
    """The card of this id.

    Raises:
        Refusal: 404 where there is none.
    """
    found = CARDS.get(id)
    if found is None:
        raise Refusal(404, "CardNotFound", f"There is no card {id!r}.", card_id=id)
    return found


def card_of(holder: str) -> Card:
    """The card of this holder, in any case.

    Raises:
        Refusal: 404 where there is none.
    """
    found = next((c for c in _CARDS if c.holder.casefold() == holder.strip().casefold()), None)
    if found is None:
        raise Refusal(404, "CardholderNotFound", f"Nobody named {holder!r} holds a company card.")
    return found
