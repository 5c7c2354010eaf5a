"""Changes that an episode makes in the shop: pieces set aside, carts, holds and orders.

Two roads lead to an order, a cart and a hold; both set pieces aside and place the order through the functions here, so
that they leave the same world behind and the same order has the same number.
"""

from __future__ import annotations

from dataclasses import dataclass

from sealegs.world.shopping.facts import ORDERS, WAREHOUSES, LineItem, Product, product
from sealegs.world.shopping.terms_of_sale import Service, Shipment, shipment
from sealegs.world.state import TODAY, World, identifier
from sealegs.world.tool import Refusal

HELD_UNTIL = "2026-03-02T09:30:00"


@dataclass(frozen=True, slots=True)
class Order:
    """An order as the shop has it on file."""

    order_id: str
    customer: str
    lines: tuple[LineItem, ...]
    placed_on: str
    status: str
    city: str
    service: Service = "standard"


@dataclass(frozen=True, slots=True)
class PlacedOrder:
    """An order that was just placed, with its money in US dollars and its delivery."""

    order: Order
    goods_total: float
    delivery: Shipment
    total: float
    tracking_number: str


def available_pieces(world: World, item: Product) -> dict[str, int]:
    """Pieces of the product that can still be had, by warehouse."""
    taken = world.state("shopping.stock").get(item.sku, {})
    return {name: pieces - taken.get(name, 0) for name, pieces in zip(WAREHOUSES, item.stock, strict=True)}


def set_aside(world: World, line: LineItem, person: str) -> str:
    """Take the pieces out of the stock for this person.

    Returns:
        The warehouse that gave them, or most of them: the fullest ones give first.

    Raises:
        Refusal: 409 where there are not enough.
    """
    stock = available_pieces(world, product(line.sku))
    if sum(stock.values()) < line.quantity:
        raise Refusal(
            409,
            "OutOfStock",
            f"{line.quantity} pieces of {line.sku} were asked for; {sum(stock.values())} are available.",
            sku=line.sku,
            available=sum(stock.values()),
        )
    fullest = sorted(stock, key=lambda name: (-stock[name], name))
    taken, wanted = dict(world.state("shopping.stock").get(line.sku, {})), line.quantity
    for name in fullest:
        share = min(wanted, stock[name])
        taken[name] = taken.get(name, 0) + share
        wanted -= share
    world.state("shopping.stock")[line.sku] = taken
    world.effect("set_aside", line.sku, quantity=line.quantity, person=person)
    return fullest[0]


def goods(lines: tuple[LineItem, ...]) -> float:
    """The price of the lines together in US dollars, delivery aside."""
    return round(sum(product(line.sku).price * line.quantity for line in lines), 2)


def weight(lines: tuple[LineItem, ...]) -> float:
    """The weight of the lines together in kilograms."""
    return sum(product(line.sku).weight_kg * line.quantity for line in lines)


def place_order(world: World, customer: str, lines: tuple[LineItem, ...], city: str, service: Service) -> PlacedOrder:
    """Order pieces that were set aside before.

    Raises:
        Refusal: 404 for an unknown city, 400 for a parcel that is too heavy, 409 for an order that was already placed.
    """
    delivery = shipment(weight(lines), city, service)
    parts = (f"{line.sku}x{line.quantity}" for line in sorted(lines, key=lambda line: (line.sku, line.quantity)))
    order_id = identifier("ORD", customer, *parts, delivery.city, service)
    order = Order(order_id, customer, lines, TODAY, "processing", delivery.city, service)
    if order.order_id in world.state("shopping.orders"):
        raise Refusal(
            409, "DuplicateOrder", f"This order was already placed as {order.order_id}.", order_id=order.order_id
        )
    total = round(goods(lines) + delivery.fee, 2)
    world.state("shopping.orders")[order.order_id] = order
    world.effect("order", order.order_id, customer=customer, city=delivery.city, service=service, total=total)
    return PlacedOrder(order, goods(lines), delivery, total, identifier("TRK", order.order_id))


def find_order(world: World, order_id: str) -> Order:
    """The order with this number, whether placed in this episode or before it.

    Raises:
        Refusal: 404 where there is none.
    """
    new = world.state("shopping.orders").get(order_id)
    if isinstance(new, Order):
        return new
    past = ORDERS.get(order_id)
    if past is None:
        raise Refusal(404, "OrderNotFound", f"There is no order {order_id!r}.", order_id=order_id)
    return Order(past.order_id, past.customer, past.lines, past.placed_on, past.status, past.city)
