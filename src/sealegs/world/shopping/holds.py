"""Ordering through a hold: a warehouse keeps pieces for someone, the hold becomes an order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Formula, OneOf, Ordered, Requires, Sums
from sealegs.world.shopping.facts import CURRENCY, HOLDS, WAREHOUSES, LineItem, product
from sealegs.world.shopping.ledger import HELD_UNTIL, place_order, set_aside
from sealegs.world.shopping.shop_arguments import IN_DOLLARS, Person, Place, Quantity, Service, Sku
from sealegs.world.state import NOW, World, identifier
from sealegs.world.tool import Answer, Refusal, simulated_tool


@dataclass(frozen=True, slots=True)
class _Hold:
    hold_id: str
    held_for: str
    line: LineItem
    warehouse: str
    open: bool = True


class HoldSlip(Answer):
    """Pieces that a warehouse keeps for someone."""

    hold_id: str = Field(description="Hold number")
    status: Literal["held"] = Field(description="held while the pieces are kept")
    held_for: str = Field(description="For whom they are kept")
    sku: str = Field(description="Stock-keeping unit")
    quantity: int = Field(description="Number of pieces kept")
    warehouse: str = Field(description="Code of the warehouse that keeps them, or most of them")
    unit_price: float = Field(description="Price of one piece, US dollars")
    held_value: float = Field(description="Price of all pieces, US dollars")
    currency: str = Field(description="ISO 4217 code of the amounts, always USD")
    held_at: str = Field(description="Start of the hold, YYYY-MM-DDTHH:MM:SS")
    held_until: str = Field(description="End of the hold, YYYY-MM-DDTHH:MM:SS")


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="order_history",
    answer=HoldSlip,
    examples=(
        {"sku": "KB-3105", "quantity": 4, "held_for": "Marta Lindqvist"},
        {"sku": "CH-1318", "quantity": 2, "held_for": "Owen Prescott"},
        {"sku": "MO-2316", "quantity": 15, "held_for": "Keiko Hanabe"},
        {"sku": "BP-8036", "quantity": 3, "held_for": "Priya Ramdas"},
    ),
    refusals=(
        ({"sku": "ZZ-9999", "quantity": 1, "held_for": "Marta Lindqvist"}, 404),
        ({"sku": "HS-4190", "quantity": 1, "held_for": "Marta Lindqvist"}, 409),
        ({"sku": "BP-8077", "quantity": 150, "held_for": "Marta Lindqvist"}, 409),
        ({"sku": "KB-3105", "quantity": 201, "held_for": "Marta Lindqvist"}, 422),
    ),
    echoes=("sku", "quantity", "held_for"),
    invariants=(
        Requires("hold_id", "status", "held"),
        OneOf("warehouse", tuple(WAREHOUSES), ("NONE", "XXX0", "LOST9")),
        Formula("held_value", ("unit_price", "quantity"), lambda p, n: p * n, "held_value is unit_price x quantity"),
        Bounds("unit_price", 0.01, 5_000),
        Bounds("held_value", 0.01, 1_000_000),
        Ordered("held_at", "held_until"),
        IN_DOLLARS,
    ),
)
def hold_stock(world: World, sku: Sku, quantity: Quantity, held_for: Person) -> dict[str, Any]:
    """Have the fullest warehouse hold pieces of a product for someone for half an hour; gives the hold number."""
    item = product(sku)
    hold_id = identifier("HOLD", held_for, item.sku, quantity)
    if hold_id in world.state("shopping.holds"):
        raise Refusal(409, "HoldExists", f"The same pieces are held already as {hold_id}.", hold_id=hold_id)
    line = LineItem(item.sku, quantity)
    warehouse = set_aside(world, line, held_for)
    world.state("shopping.holds")[hold_id] = _Hold(hold_id, held_for, line, warehouse)
    return {
        "hold_id": hold_id,
        "status": "held",
        "sku": item.sku,
        "warehouse": warehouse,
        "unit_price": item.price,
        "held_value": round(item.price * quantity, 2),
        "currency": CURRENCY,
        "held_at": NOW,
        "held_until": HELD_UNTIL,
    }


class HeldOrder(Answer):
    """An order made from a hold."""

    order_number: str = Field(description="Order number")
    status: Literal["confirmed"] = Field(description="confirmed once the order is placed")
    hold_id: str = Field(description="The hold it was made from")
    ordered_for: str = Field(description="For whom it was ordered")
    deliver_to: str = Field(description="City of delivery")
    sku: str = Field(description="Stock-keeping unit")
    quantity: int = Field(description="Number of pieces ordered")
    unit_price: float = Field(description="Price of one piece, US dollars")
    goods: float = Field(description="Price of all pieces, US dollars")
    delivery: float = Field(description="Delivery, US dollars")
    amount_due: float = Field(description="Goods and delivery together, US dollars")
    currency: str = Field(description="ISO 4217 code of the amounts, always USD")
    ordered_on: str = Field(description="Day of the order, YYYY-MM-DD")
    arrives_on: str = Field(description="Day of delivery, YYYY-MM-DD")
    tracking_number: str = Field(description="The parcel's tracking number")


def _open_hold(world: World, hold_id: str) -> _Hold:
    hold: _Hold | None = world.state("shopping.holds").get(hold_id)
    if hold is None and hold_id in HOLDS:
        old = HOLDS[hold_id]
        hold = _Hold(old.hold_id, old.held_for, old.line, old.warehouse)
    if hold is None:
        raise Refusal(404, "HoldNotFound", f"There is no hold {hold_id!r}.", hold_id=hold_id)
    if not hold.open:
        raise Refusal(409, "HoldUsed", f"The hold {hold_id} was already ordered.", hold_id=hold_id)
    return hold


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="order_history",
    answer=HeldOrder,
    examples=(
        {"hold_id": "HOLD-7D02B6F9", "deliver_to": "Chicago"},
        {"hold_id": "HOLD-31CE8A40", "deliver_to": "Berlin", "service": "express"},
        {"hold_id": "HOLD-A94F05D2", "deliver_to": "Singapore", "service": "standard"},
        {"hold_id": "HOLD-6B18C37E", "deliver_to": "Vienna"},
    ),
    refusals=(
        ({"hold_id": "HOLD-00000000", "deliver_to": "Berlin"}, 404),
        ({"hold_id": "HOLD-7D02B6F9", "deliver_to": "Atlantis"}, 404),
        ({"hold_id": "HOLD-7D02B6F9", "deliver_to": "Berlin", "service": "overnight"}, 422),
    ),
    echoes=("hold_id", "deliver_to"),
    invariants=(
        Requires("order_number", "status", "confirmed"),
        Requires("tracking_number", "status", "confirmed"),
        Requires("ordered_for", "status", "confirmed"),
        Requires("sku", "status", "confirmed"),
        Formula("goods", ("unit_price", "quantity"), lambda p, n: p * n, "goods is unit_price x quantity"),
        Sums("amount_due", ("goods", "delivery")),
        Bounds("delivery", 0, 20_000),
        Bounds("amount_due", 0.01, 1_000_000),
        Ordered("ordered_on", "arrives_on"),
        IN_DOLLARS,
    ),
)
def order_held_stock(
    world: World,
    hold_id: Annotated[str, Field(pattern=r"^HOLD-[0-9A-F]{8}$", description="Hold number, such as HOLD-7D02B6F9")],
    deliver_to: Place,
    service: Service = "standard",
) -> dict[str, Any]:
    """Turn a hold at a warehouse into an order for delivery to a city.

    Gives the order number, the amount due and the tracking number.
    """
    hold = _open_hold(world, hold_id)
    placed = place_order(world, hold.held_for, (hold.line,), deliver_to, service)
    world.state("shopping.holds")[hold_id] = _Hold(hold_id, hold.held_for, hold.line, hold.warehouse, open=False)
    return {
        "order_number": placed.order.order_id,
        "status": "confirmed",
        "ordered_for": hold.held_for,
        "deliver_to": placed.delivery.city,
        "sku": hold.line.sku,
        "quantity": hold.line.quantity,
        "unit_price": product(hold.line.sku).price,
        "goods": placed.goods_total,
        "delivery": placed.delivery.fee,
        "amount_due": placed.total,
        "currency": CURRENCY,
        "ordered_on": placed.order.placed_on,
        "arrives_on": placed.delivery.delivery_date,
        "tracking_number": placed.tracking_number,
    }
