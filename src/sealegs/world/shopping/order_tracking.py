"""The state of an order: the shop's record of it, and the carrier's record of its parcel."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from sealegs.faults.invariants import Bounds, Counts, Formula, Known, OneOf, Ordered, Requires, Sums
from sealegs.world.shopping.consignments import Consignment, consignment, line_number, tracked_consignment
from sealegs.world.shopping.delivery import IN_COUNTRY
from sealegs.world.shopping.facts import CURRENCY, PRODUCTS, product
from sealegs.world.shopping.ledger import find_order, goods
from sealegs.world.shopping.shop_arguments import IN_DOLLARS, OrderId
from sealegs.world.shopping.terms_of_sale import billable_kg, business_day
from sealegs.world.state import World
from sealegs.world.tool import Answer, simulated_tool


class OrderLine(BaseModel):
    """So many pieces of one product in an order."""

    model_config = ConfigDict(extra="forbid")
    line_id: str = Field(description="Number of the order line")
    sku: str = Field(description="Stock-keeping unit")
    name: str = Field(description="Product name")
    quantity: int = Field(description="Number of pieces")
    unit_price: float = Field(description="Price of one piece, US dollars")
    amount: float = Field(description="Price of all pieces, US dollars")


class OrderRecord(Answer):
    """The shop's record of an order; its first line also on its own."""

    order_id: str = Field(description="Order number")
    status: Literal["found"] = Field(description="found where the order is on file")
    stage: Literal["processing", "shipped", "delivered", "cancelled"] = Field(description="How far the order is")
    customer: str = Field(description="Who ordered")
    city: str = Field(description="City of delivery")
    country: str = Field(description="Country of that city")
    placed_on: str = Field(description="Day of the order, YYYY-MM-DD")
    dispatch_on: str | None = Field(description="Day of dispatch, YYYY-MM-DD; null for a cancelled order")
    delivery_date: str | None = Field(description="Day of delivery, YYYY-MM-DD; null for a cancelled order")
    tracking_number: str | None = Field(description="The parcel's tracking number; null for a cancelled order")
    line_count: int = Field(description="Number of lines")
    lines: list[OrderLine] = Field(description="What was ordered")
    first_line_id: str = Field(description="Number of the first line")
    first_sku: str = Field(description="SKU of the first line's product")
    first_product: str = Field(description="Name of the first line's product")
    first_category: str = Field(description="Category of the first line's product")
    first_quantity: int = Field(description="Pieces in the first line")
    goods_total: float = Field(description="Price of the goods, US dollars")
    shipping_cost: float = Field(description="Delivery, US dollars")
    total: float = Field(description="Goods and delivery together, US dollars")
    currency: str = Field(description="ISO 4217 code of the amounts, always USD")


@simulated_tool(
    category="source",
    answer=OrderRecord,
    examples=(
        {"order_id": "ORD-3F81C2A0"},
        {"order_id": "ORD-7C2E98B1"},
        {"order_id": "ORD-B20C64EF"},
        {"order_id": "ORD-48E0FB92"},
        {"order_id": "ORD-2B94C05E"},
    ),
    refusals=(({"order_id": "ORD-00000000"}, 404), ({"order_id": "3F81C2A0"}, 422), ({}, 422)),
    echoes=("order_id",),
    invariants=(
        *(
            Requires(name, "status", "found")
            for name in ("customer", "city", "first_line_id", "first_product", "placed_on")
        ),
        *(Requires("tracking_number", "stage", stage) for stage in ("processing", "shipped", "delivered")),
        OneOf("stage", ("processing", "shipped", "delivered", "cancelled"), ("lost", "draft", "archived")),
        Counts("line_count", "lines"),
        Sums("goods_total", ("lines.amount",)),
        Sums("total", ("goods_total", "shipping_cost")),
        Formula("first_quantity", ("lines.0.quantity",), lambda n: n, "first_quantity is that of the first line"),
        Known("first_sku", "first_product", {item.name: item.sku for item in PRODUCTS.values()}),
        Known("first_category", "first_sku", {item.sku: item.category for item in PRODUCTS.values()}),
        IN_COUNTRY,
        Ordered("placed_on", "dispatch_on"),
        Ordered("dispatch_on", "delivery_date"),
        Bounds("shipping_cost", 0, 20_000),
        IN_DOLLARS,
    ),
)
def customer_order(world: World, order_id: OrderId) -> dict[str, Any]:
    """Read the shop's record of a customer's order: lines, amounts, how far it is, delivery day, tracking number."""
    found = find_order(world, order_id)
    parcel = consignment(found)
    sent = found.status != "cancelled"
    first = product(found.lines[0].sku)
    return {
        "order_id": found.order_id,
        "status": "found",
        "stage": found.status,
        "customer": found.customer,
        "city": parcel.terms.city,
        "country": parcel.terms.country,
        "placed_on": found.placed_on,
        "dispatch_on": parcel.ships_on if sent else None,
        "delivery_date": parcel.due_on if sent else None,
        "tracking_number": parcel.tracking_number if sent else None,
        "line_count": len(found.lines),
        "lines": [
            {
                "line_id": line_number(found.order_id, index),
                "sku": line.sku,
                "name": product(line.sku).name,
                "quantity": line.quantity,
                "unit_price": product(line.sku).price,
                "amount": round(product(line.sku).price * line.quantity, 2),
            }
            for index, line in enumerate(found.lines, 1)
        ],
        "first_line_id": line_number(found.order_id, 1),
        "first_sku": first.sku,
        "first_product": first.name,
        "first_category": first.category,
        "first_quantity": found.lines[0].quantity,
        "goods_total": goods(found.lines),
        "shipping_cost": parcel.terms.fee,
        "total": round(goods(found.lines) + parcel.terms.fee, 2),
        "currency": CURRENCY,
    }


class Scan(BaseModel):
    """One event in a parcel's travel."""

    model_config = ConfigDict(extra="forbid")
    on: str = Field(description="Day, YYYY-MM-DD")
    place: str = Field(description="City")
    event: str = Field(description="What happened there")


class Tracking(Answer):
    """The carrier's record of a parcel."""

    tracking_number: str = Field(description="The parcel's tracking number")
    status: Literal["found"] = Field(description="found where the carrier has the parcel on file")
    phase: Literal["announced", "in_transit", "handed_over"] = Field(description="Where in its travel the parcel is")
    recipient: str = Field(description="Whom the parcel is for")
    destination_city: str = Field(description="City the parcel goes to")
    destination_country: str = Field(description="Country of that city")
    origin_city: str = Field(description="City of the warehouse the parcel leaves from")
    weight_kg: float = Field(description="Weight in kilograms")
    billable_kg: float = Field(description="Weight charged: rounded up to half a kilogram")
    pickup_day: str = Field(description="Day the carrier takes the parcel, YYYY-MM-DD")
    transit_days: int = Field(description="Working days from pick-up to arrival")
    arrival_day: str = Field(description="Day the parcel arrives or arrived, YYYY-MM-DD")
    scans: list[Scan] = Field(description="Events so far, the latest last")
    scan_count: int = Field(description="Number of events so far")
    last_place: str = Field(description="City of the latest event")


def _scans(parcel: Consignment) -> list[dict[str, str]]:
    ready = {"on": parcel.order.placed_on, "place": parcel.origin, "event": "announced by the shop"}
    taken = {"on": parcel.ships_on, "place": parcel.origin, "event": "taken over by the carrier"}
    given = {"on": parcel.due_on, "place": parcel.terms.city, "event": "handed over to the recipient"}
    return {"processing": [ready], "shipped": [ready, taken], "delivered": [ready, taken, given]}[parcel.order.status]


_PHASES = {"processing": "announced", "shipped": "in_transit", "delivered": "handed_over"}


@simulated_tool(
    category="source",
    answer=Tracking,
    examples=(
        {"tracking_number": "TRK-E0B74BD4"},
        {"tracking_number": "TRK-28540C79"},
        {"tracking_number": "TRK-F86D264F"},
        {"tracking_number": "TRK-E1F372EF"},
    ),
    refusals=(
        ({"tracking_number": "TRK-00000000"}, 404),
        ({"tracking_number": "ORD-3F81C2A0"}, 422),
        ({"tracking_number": "TRK-0213D84E"}, 404),
    ),
    echoes=("tracking_number",),
    invariants=(
        *(Requires(name, "status", "found") for name in ("recipient", "destination_city", "origin_city", "last_place")),
        OneOf("phase", ("announced", "in_transit", "handed_over"), ("unknown", "recalled", "test_label")),
        Known("destination_country", "destination_city", IN_COUNTRY.table),
        Counts("scan_count", "scans"),
        Formula("billable_kg", ("weight_kg",), billable_kg, "billable_kg is weight_kg rounded up to half a kilogram"),
        Formula(
            "arrival_day",
            ("pickup_day", "transit_days"),
            business_day,
            "arrival_day is transit_days working days after pickup_day",
        ),
        Ordered("pickup_day", "arrival_day"),
        Bounds("weight_kg", 0, 500),
        Bounds("transit_days", 0, 60),
    ),
)
def track_parcel(
    world: World,
    tracking_number: Annotated[
        str, Field(pattern=r"^TRK-[0-9A-F]{8}$", description="Tracking number, such as TRK-5D20A9C4")
    ],
) -> dict[str, Any]:
    """Follow a parcel in the carrier's system by tracking number: its scans, recipient, destination, arrival day."""
    parcel = tracked_consignment(world, tracking_number)
    scans = _scans(parcel)
    return {
        "tracking_number": parcel.tracking_number,
        "status": "found",
        "phase": _PHASES[parcel.order.status],
        "recipient": parcel.order.customer,
        "destination_city": parcel.terms.city,
        "destination_country": parcel.terms.country,
        "origin_city": parcel.origin,
        "weight_kg": parcel.terms.weight_kg,
        "billable_kg": parcel.terms.billable_kg,
        "pickup_day": parcel.ships_on,
        "transit_days": parcel.terms.business_days,
        "arrival_day": parcel.due_on,
        "scans": scans,
        "scan_count": len(scans),
        "last_place": scans[-1]["place"],
    }
