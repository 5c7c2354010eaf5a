"""The carriers' baggage tariff: what is free, what more costs.

A piece may weigh 23 kg in economy and 32 kg in business, with every carrier; how many pieces are free, and what more of
them or more kilograms cost, is each carrier's own. Charges are in the currency of the flight's city of departure.
"""

from __future__ import annotations

from sealegs.world.travel.facts import PRICE_LEVEL, rounded_money
from sealegs.world.travel.flight_facts import Flight

MAX_KG = {"economy": 23, "business": 32}

# Carrier: free pieces in economy and business, euro for a further piece and for a kilogram too much.
_TARIFF = {
    "NF": (1, 2, 35, 9),
    "MW": (1, 3, 48, 12),
    "AQ": (0, 2, 30, 8),
    "PL": (2, 3, 70, 14),
    "SV": (0, 1, 27, 10),
    "BN": (1, 2, 41, 11),
}


def free_pieces(found: Flight, cabin: str) -> int:
    """Pieces that are free on the flight."""
    economy, business, _, _ = _TARIFF[found.carrier]
    return business if cabin == "business" else economy


def charges(found: Flight) -> tuple[float, float]:
    """The charges for a further piece and for a kilogram too much, in the currency of the flight's origin."""
    _, _, piece, kilogram = _TARIFF[found.carrier]
    currency = found.origin.currency
    level = PRICE_LEVEL[currency]
    return rounded_money(piece * level, currency), rounded_money(kilogram * level, currency)


def total_charge(count: float, each: float, currency: str) -> float:
    """So many pieces or kilograms at a charge."""
    return rounded_money(count * each, currency)
