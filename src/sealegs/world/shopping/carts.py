"""Ordering through a cart: pieces go in and are set aside, the cart is checked out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from sealegs.faults.invariants import Bounds, Counts, Formula, Ordered, Requires, Sums
from sealegs.world.shopping.facts import CARTS, CURRENCY, LineItem, product
from sealegs.world.shopping.ledger import HELD_UNTIL, goods, place_order, set_aside
from sealegs.world.shopping.shop_arguments import IN_DOLLARS, Person, Place, Quantity, Service, Sku
from sealegs.world.state import NOW, World, identifier
from sealegs.world.tool import Answer, Refusal, simulated_tool

CartId = Annotated[str, Field(pattern=r"^CART-[0-9A-F]{8}$", description="Cart number, such as CART-5A10D3E7")]


@dataclass(frozen=True, slots=True)
class _Cart:
    cart_id: str
    customer: str
    lines: tuple[LineItem, ...]
    open: bool = True


class CartLine(BaseModel):
    """So many pieces of one product in a cart or an order."""

    model_config = ConfigDict(extra="forbid")
    sku: str = Field(description="Stock-keeping unit")
    name: str = Field(description="Product name")
    quantity: int = Field(description="Number of pieces")
    unit_price: float = Field(description="Price of one piece, US dollars")
    amount: float = Field(description="Price of all pieces, US dollars")


def _shown(line: LineItem) -> dict[str, Any]:
    item = product(line.sku)
    return {
        "sku": item.sku,
        "name": item.name,
        "quantity": line.quantity,
        "unit_price": item.price,
        "amount": round(item.price * line.quantity, 2),
    }


def _open_cart(world: World, cart_id: str) -> _Cart:
    cart: _Cart | None = world.state("shopping.carts").get(cart_id)
    if cart is None and cart_id in CARTS:
        old = CARTS[cart_id]
        cart = _Cart(old.cart_id, old.customer, old.lines)
    if cart is None:
        raise Refusal(404, "CartNotFound", f"There is no cart {cart_id!r}.", cart_id=cart_id)
    if not cart.open:
        raise Refusal(409, "CartClosed", f"The cart {cart_id} was already checked out.", cart_id=cart_id)
    return cart


class CartView(Answer):
    """A cart with what is in it."""

    cart_id: str = Field(description="Cart number")
    status: Literal["open"] = Field(description="open until the cart is checked out")
    customer: str = Field(description="Whose cart it is")
    sku: str = Field(description="What was put in")
    quantity: int = Field(description="Number of pieces put in")
    lines: list[CartLine] = Field(description="Everything in the cart")
    pieces: int = Field(description="Number of pieces in the cart")
    subtotal: float = Field(description="Price of everything in the cart, US dollars")
    currency: str = Field(description="ISO 4217 code of the amounts, always USD")
    added_at: str = Field(description="When it was put in, YYYY-MM-DDTHH:MM:SS")
    kept_until: str = Field(description="The pieces stay set aside until then, YYYY-MM-DDTHH:MM:SS")


@simulated_tool(
    category="action",
    repeat="again",
    shown_by="order_history",
    answer=CartView,
    examples=(
        {"customer": "Marta Lindqvist", "sku": "KB-3105", "quantity": 4},
        {"customer": "Owen Prescott", "sku": "CH-1318", "quantity": 2},
        {"customer": "Keiko Hanabe", "sku": "CO-5042", "quantity": 6},
        {"customer": "Yuna Seo", "sku": "LA-7051", "quantity": 1, "cart_id": "CART-0C97E1AB"},
    ),
    refusals=(
        ({"customer": "Marta Lindqvist", "sku": "ZZ-9999", "quantity": 1}, 404),
        ({"customer": "Marta Lindqvist", "sku": "HS-4190", "quantity": 1}, 409),
        ({"customer": "Marta Lindqvist", "sku": "KB-3105", "quantity": 1, "cart_id": "CART-00000000"}, 404),
        ({"customer": "Marta Lindqvist", "sku": "KB-3105", "quantity": 1, "cart_id": "CART-0C97E1AB"}, 403),
        ({"customer": "Marta Lindqvist", "sku": "KB-3105", "quantity": 0}, 422),
    ),
    echoes=("customer", "sku", "quantity"),
    invariants=(
        Formula(
            "cart_id",
            ("argument:cart_id", "cart_id"),
            lambda argument, own: own if argument is None else argument,
            "cart_id repeats the argument cart_id where that is given",
        ),
        Requires("cart_id", "status", "open"),
        Sums("subtotal", ("lines.amount",)),
        Sums("pieces", ("lines.quantity",)),
        Bounds("subtotal", 0.01, 5_000_000),
        Formula(
            "lines.0.amount",
            ("lines.0.unit_price", "lines.0.quantity"),
            lambda price, pieces: price * pieces,
            "a line's amount is its unit_price x quantity",
        ),
        Ordered("added_at", "kept_until"),
        IN_DOLLARS,
    ),
)
def add_to_cart(
    world: World,
    customer: Person,
    sku: Sku,
    quantity: Quantity,
    cart_id: Annotated[
        str | None, Field(pattern=r"^CART-[0-9A-F]{8}$", description="An open cart to add to; a new one by default")
    ] = None,
) -> dict[str, Any]:
    """Put pieces of a product into a customer's cart, which sets them aside for half an hour.

    A new cart is opened unless the number of an open one is given.
    """
    line = LineItem(product(sku).sku, quantity)
    if cart_id is None:
        cart = _Cart(identifier("CART", customer, line.sku, quantity), customer, ())
        if cart.cart_id in world.state("shopping.carts"):
            raise Refusal(
                409, "CartExists", f"The cart {cart.cart_id} was opened with just this.", cart_id=cart.cart_id
            )
    else:
        cart = _open_cart(world, cart_id)
        if cart.customer.casefold() != customer.strip().casefold():
            raise Refusal(403, "NotYourCart", f"The cart {cart_id} does not belong to {customer}.", cart_id=cart_id)
    set_aside(world, line, customer)
    filled = _Cart(cart.cart_id, cart.customer, (*cart.lines, line))
    world.state("shopping.carts")[filled.cart_id] = filled
    return {
        "cart_id": filled.cart_id,
        "status": "open",
        "sku": line.sku,
        "lines": [_shown(one) for one in filled.lines],
        "pieces": sum(one.quantity for one in filled.lines),
        "subtotal": goods(filled.lines),
        "currency": CURRENCY,
        "added_at": NOW,
        "kept_until": HELD_UNTIL,
    }


class Checkout(Answer):
    """An order made from a cart."""

    order_id: str = Field(description="Order number")
    status: Literal["confirmed"] = Field(description="confirmed once the order is placed")
    cart_id: str = Field(description="The cart it was made from")
    customer: str = Field(description="Who ordered")
    city: str = Field(description="City of delivery")
    line_count: int = Field(description="Number of lines")
    lines: list[CartLine] = Field(description="What was ordered")
    goods_total: float = Field(description="Price of the goods, US dollars")
    shipping_cost: float = Field(description="Delivery, US dollars")
    total: float = Field(description="Goods and delivery together, US dollars")
    currency: str = Field(description="ISO 4217 code of the amounts, always USD")
    ordered_on: str = Field(description="Day of the order, YYYY-MM-DD")
    delivery_date: str = Field(description="Day of delivery, YYYY-MM-DD")
    tracking_number: str = Field(description="The parcel's tracking number")


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="order_history",
    answer=Checkout,
    examples=(
        {"cart_id": "CART-5A10D3E7", "city": "Vienna"},
        {"cart_id": "CART-B8F24C61", "city": "London", "service": "express"},
        {"cart_id": "CART-0C97E1AB", "city": "Seoul", "service": "standard"},
        {"cart_id": "CART-D4631F58", "city": "Madrid"},
    ),
    refusals=(
        ({"cart_id": "CART-00000000", "city": "Vienna"}, 404),
        ({"cart_id": "CART-5A10D3E7", "city": "Atlantis"}, 404),
        ({"cart_id": "5A10D3E7", "city": "Vienna"}, 422),
    ),
    echoes=("cart_id", "city"),
    invariants=(
        Requires("order_id", "status", "confirmed"),
        Requires("tracking_number", "status", "confirmed"),
        Requires("customer", "status", "confirmed"),
        Counts("line_count", "lines"),
        Sums("goods_total", ("lines.amount",)),
        Sums("total", ("goods_total", "shipping_cost")),
        Bounds("shipping_cost", 0, 20_000),
        Bounds("total", 0.01, 5_000_000),
        Ordered("ordered_on", "delivery_date"),
        IN_DOLLARS,
    ),
)
def checkout_cart(world: World, cart_id: CartId, city: Place, service: Service = "standard") -> dict[str, Any]:
    """Check a cart out: order everything in it for delivery to a city.

    Gives the order number, the total with delivery and the tracking number.
    """
    cart = _open_cart(world, cart_id)
    placed = place_order(world, cart.customer, cart.lines, city, service)
    world.state("shopping.carts")[cart_id] = _Cart(cart.cart_id, cart.customer, cart.lines, open=False)
    return {
        "order_id": placed.order.order_id,
        "status": "confirmed",
        "customer": cart.customer,
        "city": placed.delivery.city,
        "line_count": len(cart.lines),
        "lines": [_shown(line) for line in cart.lines],
        "goods_total": placed.goods_total,
        "shipping_cost": placed.delivery.fee,
        "total": placed.total,
        "currency": CURRENCY,
        "ordered_on": placed.order.placed_on,
        "delivery_date": placed.delivery.delivery_date,
        "tracking_number": placed.tracking_number,
    }
