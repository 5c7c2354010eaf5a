"""Buying goods in for the shop: what suppliers ask, orders to a supplier, and restock requests that are approved.

A request takes the cheapest supplier; ordering from that supplier oneself leaves the same world.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from sealegs.faults.invariants import Bounds, Counts, Formula, Known, Ordered, Requires
from sealegs.world.shopping.facts import CURRENCY, PRODUCTS, product
from sealegs.world.shopping.facts_suppliers import SUPPLIERS, offer, offers, supplier
from sealegs.world.shopping.restocks import REQUESTS, amount, file_restock_request, order_restock
from sealegs.world.shopping.shop_arguments import IN_DOLLARS, Sku
from sealegs.world.shopping.terms_of_sale import business_day
from sealegs.world.state import TODAY, World
from sealegs.world.tool import Answer, Refusal, simulated_tool

Pieces = Annotated[int, Field(ge=1, le=2_000, description="Number of pieces to buy in")]
_EMAILS = {found.name: found.email for found in SUPPLIERS.values()}
_IDS = {found.name: found.supplier_id for found in SUPPLIERS.values()}


class SupplierOffer(BaseModel):
    """A supplier's offer of a product."""

    model_config = ConfigDict(extra="forbid")
    supplier_id: str = Field(description="Id of the supplier")
    name: str = Field(description="Name of the supplier")
    city: str = Field(description="City of the supplier")
    unit_cost: float = Field(description="Cost of one piece, US dollars")
    lead_days: int = Field(description="Working days from order to delivery")
    minimum: int = Field(description="Fewest pieces in an order")


class Offers(Answer):
    """What suppliers ask for a product; the cheapest also on its own."""

    sku: str = Field(description="Stock-keeping unit")
    status: Literal["ok"] = Field(description="ok where there are offers")
    offers: list[SupplierOffer] = Field(description="The offers, the cheapest first")
    offer_count: int = Field(description="Number of offers")
    cheapest_supplier_id: str = Field(description="Id of the cheapest supplier")
    cheapest_supplier: str = Field(description="Name of the cheapest supplier")
    cheapest_email: str = Field(description="Order address of the cheapest supplier")
    cheapest_unit_cost: float = Field(description="Cost of one piece there, US dollars")
    cheapest_lead_days: int = Field(description="Working days from order to delivery there")
    currency: str = Field(description="ISO 4217 code of the amounts, always USD")


@simulated_tool(
    category="source",
    answer=Offers,
    examples=tuple({"sku": sku} for sku in ("CH-1318", "MO-2127", "KB-3105", "CO-5042", "HS-4190")),
    refusals=(({"sku": "ZZ-9999"}, 404), ({"sku": "chair"}, 422), ({}, 422)),
    echoes=("sku",),
    invariants=(
        Counts("offer_count", "offers"),
        Requires("cheapest_supplier_id", "status", "ok"),
        Requires("cheapest_supplier", "status", "ok"),
        Known("cheapest_supplier_id", "cheapest_supplier", _IDS),
        Known("cheapest_email", "cheapest_supplier", _EMAILS),
        Formula("cheapest_unit_cost", ("offers.0.unit_cost",), lambda c: c, "cheapest_unit_cost is the first offer's"),
        Formula("cheapest_lead_days", ("offers.0.lead_days",), lambda d: d, "cheapest_lead_days is the first offer's"),
        Bounds("cheapest_unit_cost", 0.01, 5_000),
        Bounds("cheapest_lead_days", 0, 90),
        IN_DOLLARS,
    ),
)
def supplier_offers(world: World, sku: Sku) -> dict[str, Any]:
    """List what the shop's suppliers ask for a product: cost of a piece, lead time, fewest pieces; cheapest first."""
    item = product(sku)
    found = offers(item)
    best = found[0]
    return {
        "sku": item.sku,
        "status": "ok",
        "offers": [
            {
                "supplier_id": one.supplier.supplier_id,
                "name": one.supplier.name,
                "city": one.supplier.city,
                "unit_cost": one.unit_cost,
                "lead_days": one.supplier.lead_days,
                "minimum": one.supplier.minimum,
            }
            for one in found
        ],
        "offer_count": len(found),
        "cheapest_supplier_id": best.supplier.supplier_id,
        "cheapest_supplier": best.supplier.name,
        "cheapest_email": best.supplier.email,
        "cheapest_unit_cost": best.unit_cost,
        "cheapest_lead_days": best.supplier.lead_days,
        "currency": CURRENCY,
    }


class SupplierOrder(Answer):
    """An order to a supplier."""

    po_number: str = Field(description="Number of the purchase order")
    status: Literal["ordered"] = Field(description="ordered once the supplier has the order")
    supplier_id: str = Field(description="Id of the supplier")
    supplier: str = Field(description="Name of the supplier")
    supplier_email: str = Field(description="Order address of the supplier")
    sku: str = Field(description="Stock-keeping unit")
    product: str = Field(description="Product name")
    quantity: int = Field(description="Number of pieces")
    unit_cost: float = Field(description="Cost of one piece, US dollars")
    total: float = Field(description="Cost of all pieces, US dollars")
    currency: str = Field(description="ISO 4217 code of the amounts, always USD")
    ordered_on: str = Field(description="Day of the order, YYYY-MM-DD")
    due_on: str = Field(description="Day the goods are due, YYYY-MM-DD")


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="restock_history",
    parts=2,
    answer=SupplierOrder,
    examples=(
        {"supplier_id": "SUP-2041", "sku": "CH-1318", "quantity": 20},
        {"supplier_id": "SUP-2173", "sku": "MO-2127", "quantity": 12},
        {"supplier_id": "SUP-2284", "sku": "CO-5042", "quantity": 40},
        {"supplier_id": "SUP-2371", "sku": "BP-8050", "quantity": 15},
    ),
    refusals=(
        ({"supplier_id": "SUP-9999", "sku": "CH-1318", "quantity": 20}, 404),
        ({"supplier_id": "SUP-2041", "sku": "MO-2127", "quantity": 20}, 409),
        ({"supplier_id": "SUP-2041", "sku": "CH-1318", "quantity": 2}, 400),
        ({"supplier_id": "SUP-2041", "sku": "CH-1318", "quantity": 0}, 422),
    ),
    echoes=("supplier_id", "sku", "quantity"),
    invariants=(
        Requires("po_number", "status", "ordered"),
        Requires("product", "status", "ordered"),
        Known("supplier", "supplier_id", {found.supplier_id: found.name for found in SUPPLIERS.values()}),
        Known("supplier_email", "supplier", _EMAILS),
        Formula("total", ("unit_cost", "quantity"), lambda cost, n: cost * n, "total is unit_cost x quantity"),
        Bounds("total", 0.01, 10_000_000),
        Ordered("ordered_on", "due_on"),
        IN_DOLLARS,
    ),
)
def order_from_supplier(
    world: World,
    supplier_id: Annotated[str, Field(pattern=r"^SUP-\d{4}$", description="Supplier, such as SUP-2041")],
    sku: Sku,
    quantity: Pieces,
) -> dict[str, Any]:
    """Send a purchase order for pieces of a product to a given supplier of the shop."""
    source = supplier(supplier_id)
    item = product(sku)
    chosen = offer(source, item)
    made = file_restock_request(world, chosen, item.sku, quantity)
    bought = order_restock(world, made)
    return {
        "po_number": bought.pop("number"),
        "supplier_id": source.supplier_id,
        "supplier": source.name,
        "supplier_email": source.email,
        "unit_cost": chosen.unit_cost,
        "total": amount(made),
        **bought,
    }


class RequestedRestock(Answer):
    """A request to buy goods in."""

    request_id: str = Field(description="Number of the request")
    status: Literal["awaiting approval"] = Field(description="awaiting approval until it is approved")
    sku: str = Field(description="Stock-keeping unit")
    product: str = Field(description="Product name")
    quantity: int = Field(description="Number of pieces")
    proposed_supplier: str = Field(description="Name of the cheapest supplier")
    estimate: float = Field(description="What the pieces will cost there, US dollars")
    estimate_per_piece: float = Field(description="What a piece will cost there, US dollars")
    currency: str = Field(description="ISO 4217 code of the amounts, always USD")
    asked_on: str = Field(description="Day of the request, YYYY-MM-DD")
    expected_on: str = Field(description="Day the goods would come if approved today, YYYY-MM-DD")


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="restock_history",
    answer=RequestedRestock,
    examples=(
        {"sku": "CH-1318", "quantity": 20},
        {"sku": "MO-2127", "quantity": 12},
        {"sku": "CO-5042", "quantity": 40},
        {"sku": "BP-8050", "quantity": 15},
    ),
    refusals=(
        ({"sku": "ZZ-9999", "quantity": 20}, 404),
        ({"sku": "CH-1318", "quantity": 2}, 400),
        ({"sku": "CH-1318", "quantity": 5_000}, 422),
    ),
    echoes=("sku", "quantity"),
    invariants=(
        Requires("request_id", "status", "awaiting approval"),
        Requires("product", "status", "awaiting approval"),
        Requires("proposed_supplier", "status", "awaiting approval"),
        Formula(
            "estimate",
            ("estimate_per_piece", "quantity"),
            lambda cost, n: cost * n,
            "estimate is estimate_per_piece x quantity",
        ),
        Bounds("estimate", 0.01, 10_000_000),
        Ordered("asked_on", "expected_on"),
        IN_DOLLARS,
    ),
)
def request_restock(world: World, sku: Sku, quantity: Pieces) -> dict[str, Any]:
    """Ask for pieces of a product to be bought in for the shop; the cheapest supplier is proposed.

    Nothing is ordered until the request is approved.
    """
    item = product(sku)
    best = offers(item)[0]
    made = file_restock_request(world, best, item.sku, quantity)
    return {
        "request_id": made.request_id,
        "status": "awaiting approval",
        "sku": item.sku,
        "product": item.name,
        "proposed_supplier": best.supplier.name,
        "estimate": amount(made),
        "estimate_per_piece": best.unit_cost,
        "currency": CURRENCY,
        "asked_on": TODAY,
        "expected_on": business_day(TODAY, best.supplier.lead_days),
    }


class ApprovedRestock(Answer):
    """A request that became an order to a supplier."""

    purchase_order: str = Field(description="Number of the purchase order")
    status: Literal["ordered"] = Field(description="ordered once the supplier has the order")
    request_id: str = Field(description="Number of the request")
    vendor: str = Field(description="Name of the supplier")
    vendor_email: str = Field(description="Order address of the supplier")
    sku: str = Field(description="Stock-keeping unit")
    product: str = Field(description="Product name")
    quantity: int = Field(description="Number of pieces")
    amount: float = Field(description="Cost of all pieces, US dollars")
    currency: str = Field(description="ISO 4217 code of the amount, always USD")
    ordered_on: str = Field(description="Day of the order, YYYY-MM-DD")
    due_on: str = Field(description="Day the goods are due, YYYY-MM-DD")


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="restock_history",
    answer=ApprovedRestock,
    examples=tuple({"request_id": old.request_id} for old in REQUESTS),
    refusals=(({"request_id": "RSQ-00000000"}, 404), ({"request_id": "30D7B2E1"}, 422), ({}, 422)),
    echoes=("request_id",),
    invariants=(
        Requires("purchase_order", "status", "ordered"),
        Requires("product", "status", "ordered"),
        Requires("vendor", "status", "ordered"),
        Known("vendor_email", "vendor", _EMAILS),
        Bounds("quantity", 1, 2_000),
        Known("sku", "product", {item.name: item.sku for item in PRODUCTS.values()}),
        Bounds("amount", 0.01, 10_000_000),
        Ordered("ordered_on", "due_on"),
        IN_DOLLARS,
    ),
)
def approve_restock(
    world: World,
    request_id: Annotated[str, Field(pattern=r"^RSQ-[0-9A-F]{8}$", description="Request, such as RSQ-30D7B2E1")],
) -> dict[str, Any]:
    """Approve a request to buy goods in, which sends the purchase order to the supplier proposed in it."""
    known = {old.request_id: old for old in REQUESTS} | world.state("shopping.restocks")
    made = known.get(request_id)
    if made is None:
        raise Refusal(404, "RequestNotFound", f"There is no request {request_id!r}.", request_id=request_id)
    if not made.open:
        raise Refusal(409, "AlreadyApproved", f"The request {request_id} was approved.", request_id=request_id)
    bought = order_restock(world, made)
    source = supplier(made.supplier_id)
    return {
        "purchase_order": bought.pop("number"),
        "request_id": request_id,
        "vendor": source.name,
        "vendor_email": source.email,
        "amount": amount(made),
        **bought,
    }
