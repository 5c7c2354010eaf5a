"""Registering a product's warranty: by the maker's form, or from an order that the shop has on file."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Formula, Invariant, Ordered, Requires
from sealegs.world.shopping.facts import product
from sealegs.world.shopping.ledger import find_order
from sealegs.world.shopping.shop_arguments import OrderId, Person, Sku
from sealegs.world.shopping.terms_of_sale import months_after
from sealegs.world.state import TODAY, World, identifier
from sealegs.world.tool import Answer, Refusal, simulated_tool


def _register(world: World, sku: str, owner: str, starts_on: str) -> dict[str, Any]:
    item = product(sku)
    if not item.warranty_months:
        raise Refusal(409, "NoWarranty", f"{item.name} is a consumable and has no warranty.", sku=item.sku)
    warranty_id = identifier("WTY", owner, item.sku, starts_on)
    if warranty_id in world.state("shopping.warranties"):
        raise Refusal(409, "WarrantyExists", f"This warranty is registered as {warranty_id}.", warranty_id=warranty_id)
    expires_on = months_after(starts_on, item.warranty_months)
    world.state("shopping.warranties")[warranty_id] = expires_on
    world.effect("register_warranty", warranty_id, sku=item.sku, owner=owner, expires_on=expires_on)
    return {
        "warranty_id": warranty_id,
        "status": "registered",
        "sku": item.sku,
        "product": item.name,
        "owner": owner,
        "months": item.warranty_months,
        "expires_on": expires_on,
    }


class Certificate(Answer):
    """A registered warranty."""

    warranty_id: str = Field(description="Warranty number")
    status: Literal["registered"] = Field(description="registered once the warranty is on file")
    sku: str = Field(description="Stock-keeping unit")
    product: str = Field(description="Product name")
    owner: str = Field(description="Who owns the product")
    months: int = Field(description="Length of the warranty in months")
    purchased_on: str = Field(description="Day of purchase, on which the warranty starts, YYYY-MM-DD")
    expires_on: str = Field(description="Last day of the warranty, YYYY-MM-DD")


_REGISTERED: tuple[Invariant, ...] = (
    Requires("warranty_id", "status", "registered"),
    Requires("product", "status", "registered"),
    Requires("owner", "status", "registered"),
    Requires("sku", "status", "registered"),
    Bounds("months", 1, 240),
)


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="warranty_history",
    answer=Certificate,
    examples=(
        {"sku": "CH-1318", "owner": "Marta Lindqvist", "purchased_on": "2026-01-12"},
        {"sku": "MO-2127", "owner": "Owen Prescott", "purchased_on": "2026-01-20"},
        {"sku": "BP-8012", "owner": "Priya Ramdas", "purchased_on": "2026-02-05"},
        {"sku": "KB-3105", "owner": "Nadia Kessler", "purchased_on": "2025-11-30"},
    ),
    refusals=(
        ({"sku": "ZZ-9999", "owner": "Marta Lindqvist", "purchased_on": "2026-01-12"}, 404),
        ({"sku": "CO-5003", "owner": "Marta Lindqvist", "purchased_on": "2026-01-12"}, 409),
        ({"sku": "CH-1318", "owner": "Marta Lindqvist", "purchased_on": "2026-05-01"}, 400),
        ({"sku": "CH-1318", "owner": "Marta Lindqvist", "purchased_on": "2026-02-30"}, 400),
        ({"sku": "CH-1318", "owner": "Marta Lindqvist", "purchased_on": "last week"}, 422),
    ),
    echoes=("sku", "owner", "purchased_on"),
    invariants=(
        *_REGISTERED,
        Ordered("purchased_on", "expires_on"),
        Formula("expires_on", ("purchased_on", "months"), months_after, "expires_on is months after purchased_on"),
    ),
)
def register_warranty(
    world: World,
    sku: Sku,
    owner: Person,
    purchased_on: Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\d$", description="Day of purchase, YYYY-MM-DD")],
) -> dict[str, Any]:
    """File the maker's warranty form for a product: SKU, owner and day of purchase; gives warranty number and end."""
    try:
        day = date.fromisoformat(purchased_on)
    except ValueError as error:
        raise Refusal(400, "BadDate", f"{purchased_on!r} is no day: {error}.") from error
    if day > date.fromisoformat(TODAY):
        raise Refusal(400, "PurchaseInFuture", f"{purchased_on} is after today, {TODAY}.", today=TODAY)
    return {**_register(world, sku, owner, purchased_on), "purchased_on": purchased_on}


class OrderCertificate(Answer):
    """A warranty registered from an order."""

    registration: str = Field(description="Warranty number")
    status: Literal["registered"] = Field(description="registered once the warranty is on file")
    order_id: str = Field(description="Order number")
    line: int = Field(description="Line of the order, from 1")
    line_count: int = Field(description="Number of lines of the order")
    covers: str = Field(description="Name of the product covered")
    sku: str = Field(description="Stock-keeping unit of the product covered")
    owner: str = Field(description="The customer who ordered")
    months: int = Field(description="Length of the warranty in months")
    covered_from: str = Field(description="Day of the order, YYYY-MM-DD")
    covered_until: str = Field(description="Last day of the warranty, YYYY-MM-DD")


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="warranty_history",
    answer=OrderCertificate,
    examples=(
        {"order_id": "ORD-3F81C2A0"},
        {"order_id": "ORD-91B07E44", "line": 1},
        {"order_id": "ORD-7C2E98B1", "line": 2},
        {"order_id": "ORD-58F3B7C6"},
    ),
    refusals=(
        ({"order_id": "ORD-00000000"}, 404),
        ({"order_id": "ORD-3F81C2A0", "line": 3}, 404),
        ({"order_id": "ORD-2B94C05E"}, 409),
        ({"order_id": "ORD-B20C64EF"}, 409),
        ({"order_id": "3F81C2A0"}, 422),
    ),
    echoes=("order_id", "line"),
    invariants=(
        Requires("registration", "status", "registered"),
        Requires("covers", "status", "registered"),
        Requires("owner", "status", "registered"),
        Requires("sku", "status", "registered"),
        Bounds("months", 1, 240),
        Bounds("line_count", 1, 100),
        Ordered("covered_from", "covered_until"),
        Formula(
            "covered_until", ("covered_from", "months"), months_after, "covered_until is months after covered_from"
        ),
    ),
)
def register_order_warranty(
    world: World,
    order_id: OrderId,
    line: Annotated[int, Field(ge=1, le=100, description="Line of the order whose product is to be covered")] = 1,
) -> dict[str, Any]:
    """Register a product's warranty from the shop's record of an order, by order number and line of the order."""
    found = find_order(world, order_id)
    if found.status == "cancelled":
        raise Refusal(409, "OrderCancelled", f"The order {order_id} was cancelled.", order_id=order_id)
    if line > len(found.lines):
        raise Refusal(404, "LineNotFound", f"The order {order_id} has {len(found.lines)} line(s).", line=line)
    made = _register(world, found.lines[line - 1].sku, found.customer, found.placed_on)
    return {
        "registration": made["warranty_id"],
        "status": made["status"],
        "line_count": len(found.lines),
        "covers": made["product"],
        "sku": made["sku"],
        "owner": made["owner"],
        "months": made["months"],
        "covered_from": found.placed_on,
        "covered_until": made["expires_on"],
    }
