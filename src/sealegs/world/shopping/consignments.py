"""The parcel of an order: its days of dispatch and delivery, its tracking number and the numbers of its lines.

A delivered order left on the day it was placed, one that is being packed leaves today; the days on which the parcels
now under way left are here. Returns and collections build on this.
"""

from __future__ import annotations

from dataclasses import dataclass

from sealegs.world.general.facts import city as known_city
from sealegs.world.shopping.facts import ORDERS
from sealegs.world.shopping.ledger import Order, find_order, weight
from sealegs.world.shopping.terms_of_sale import Shipment, business_day, shipment
from sealegs.world.state import TODAY, World, identifier
from sealegs.world.tool import Refusal

_LEFT_ON = {
    "ORD-B20C64EF": "2026-02-24",
    "ORD-16D9A3F8": "2026-02-26",
    "ORD-C7715E2D": "2026-02-23",
    "ORD-9E70D2B8": "2026-02-26",
}
_ORIGINS = {1: "Berlin", 2: "Chicago", 3: "Singapore", 4: "Singapore"}


@dataclass(frozen=True, slots=True)
class Consignment:
    """An order's parcel. `ships_on` and `due_on` are days, YYYY-MM-DD; `terms` is what it costs and weighs."""

    tracking_number: str
    order: Order
    origin: str
    country_code: str
    terms: Shipment
    ships_on: str
    due_on: str


def consignment(found: Order) -> Consignment:
    """The parcel of an order, as it was or would have been sent."""
    terms = shipment(weight(found.lines), found.city, found.service)
    ships_on = found.placed_on if found.status == "delivered" else _LEFT_ON.get(found.order_id, TODAY)
    return Consignment(
        identifier("TRK", found.order_id),
        found,
        _ORIGINS[terms.zone],
        known_city(found.city).country_code,
        terms,
        ships_on,
        business_day(ships_on, terms.business_days),
    )


def tracked_consignment(world: World, tracking_number: str) -> Consignment:
    """The parcel with this tracking number.

    Raises:
        Refusal: 404 where there is none, also for an order that was cancelled.
    """
    for order_id in (*ORDERS, *world.state("shopping.orders")):
        found = find_order(world, order_id)
        if found.status != "cancelled" and identifier("TRK", order_id) == tracking_number:
            return consignment(found)
    raise Refusal(404, "ParcelNotFound", f"No parcel travels as {tracking_number!r}.", tracking_number=tracking_number)


def line_number(order_id: str, line: int) -> str:
    """The number of an order's line, counted from 1."""
    return identifier("LIN", order_id, line)


def find_line(world: World, line_id: str) -> tuple[Order, int]:
    """The order and the line, counted from 1, that a line's number names.

    Raises:
        Refusal: 404 where there is none.
    """
    for order_id in (*ORDERS, *world.state("shopping.orders")):
        found = find_order(world, order_id)
        for line in range(1, len(found.lines) + 1):
            if line_number(order_id, line) == line_id:
                return found, line
    raise Refusal(404, "OrderLineNotFound", f"There is no order line {line_id!r}.", line_id=line_id)
