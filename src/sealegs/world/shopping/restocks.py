"""Requests to buy goods in, and the orders to suppliers that they become.

Two roads lead to an order; both go through the functions here, so that they leave the same world behind.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sealegs.world.shopping.facts import CURRENCY, product
from sealegs.world.shopping.facts_suppliers import Offer, offer, supplier
from sealegs.world.shopping.terms_of_sale import business_day
from sealegs.world.state import TODAY, World, identifier
from sealegs.world.tool import Refusal


@dataclass(frozen=True, slots=True)
class RestockRequest:
    """A request to buy pieces of a product in; `open` until they are ordered."""

    request_id: str
    supplier_id: str
    sku: str
    quantity: int
    open: bool = True


REQUESTS = (
    RestockRequest("RSQ-30D7B2E1", "SUP-2236", "CO-5003", 60),
    RestockRequest("RSQ-91AC64F8", "SUP-2138", "HS-4190", 25),
    RestockRequest("RSQ-C5E80A37", "SUP-2067", "LA-7051", 30),
    RestockRequest("RSQ-6F1942DB", "SUP-2317", "PA-6001", 120),
)


def amount(made: RestockRequest) -> float:
    """The cost of the pieces together, US dollars."""
    return round(offer(supplier(made.supplier_id), product(made.sku)).unit_cost * made.quantity, 2)


def file_restock_request(world: World, chosen: Offer, sku: str, quantity: int) -> RestockRequest:
    """Ask for pieces of a product at this offer.

    Raises:
        Refusal: 400 below the supplier's minimum, 409 where just this was asked for before.
    """
    source = chosen.supplier
    if quantity < source.minimum:
        raise Refusal(
            400,
            "BelowMinimum",
            f"{source.name} delivers {source.minimum} pieces or more, not {quantity}.",
            minimum=source.minimum,
        )
    made = RestockRequest(identifier("RSQ", source.supplier_id, sku, quantity), source.supplier_id, sku, quantity)
    if made.request_id in world.state("shopping.restocks"):
        raise Refusal(
            409, "DuplicateRequest", f"Just this was asked for as {made.request_id}.", request_id=made.request_id
        )
    world.state("shopping.restocks")[made.request_id] = made
    world.effect("ask_for_restock", sku, quantity=quantity, supplier_id=source.supplier_id)
    return made


def order_restock(world: World, made: RestockRequest) -> dict[str, Any]:
    """Order what was asked for from its supplier; gives the fields that every answer about the order has."""
    source = supplier(made.supplier_id)
    number = identifier("PO", "ordered", made.supplier_id, made.sku, made.quantity)
    world.state("shopping.restocks")[made.request_id] = RestockRequest(
        made.request_id, made.supplier_id, made.sku, made.quantity, open=False
    )
    world.effect("buy_from_supplier", number, sku=made.sku, quantity=made.quantity, total=amount(made))
    return {
        "status": "ordered",
        "sku": made.sku,
        "product": product(made.sku).name,
        "quantity": made.quantity,
        "currency": CURRENCY,
        "ordered_on": TODAY,
        "number": number,
        "due_on": business_day(TODAY, source.lead_days),
    }
