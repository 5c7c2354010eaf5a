"""Sending goods back: a return is opened and settled in two steps, or a line of an order is refunded at the desk.

Both roads open the same return and pay the same refund. What the goods look like when they come back is not covered.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Formula, Invariant, Known, OneOf, Ordered, Requires
from sealegs.world.shopping.consignments import find_line
from sealegs.world.shopping.facts import CURRENCY, PRODUCTS, product
from sealegs.world.shopping.ledger import Order, find_order
from sealegs.world.shopping.shop_arguments import IN_DOLLARS, OrderId
from sealegs.world.shopping.terms_of_sale import business_day
from sealegs.world.state import TODAY, World, identifier
from sealegs.world.tool import Answer, Refusal, simulated_tool

Reason = Literal["damaged", "defective", "wrong item", "arrived late", "not needed"]
_FEE_PERCENT = {"damaged": 0, "defective": 0, "wrong item": 0, "arrived late": 0, "not needed": 10}
_SEND_BY, _CREDIT_DAYS = "2026-03-16", 3
Pieces = Annotated[int, Field(ge=1, le=200, description="Number of pieces that go back")]
Why = Annotated[Reason, Field(description="Why the goods go back; a tenth is kept of goods that are not needed")]


@dataclass(frozen=True, slots=True)
class _Return:
    return_id: str
    order_id: str
    line: int
    sku: str
    pieces: int
    reason: str
    open: bool = True

    @property
    def gross(self) -> float:
        """The price of the goods, US dollars."""
        return round(product(self.sku).price * self.pieces, 2)

    @property
    def fee(self) -> float:
        """The amount that the shop keeps, US dollars."""
        return round(self.gross * _FEE_PERCENT[self.reason] / 100, 2)

    @property
    def refund(self) -> float:
        """The amount that the customer gets back, US dollars."""
        return round(self.gross - self.fee, 2)


_OLD = (
    _Return("RET-4C07D9A1", "ORD-91B07E44", 1, "MO-2127", 1, "defective"),
    _Return("RET-E83B5F26", "ORD-7C2E98B1", 2, "KB-3105", 1, "wrong item"),
    _Return("RET-1D96A0C8", "ORD-E45A1D09", 1, "LA-7023", 1, "damaged"),
    _Return("RET-B752E43F", "ORD-58F3B7C6", 1, "CH-1204", 2, "not needed"),
    _Return("RET-60F8C17D", "ORD-27E6C81F", 1, "CH-1422", 3, "not needed"),
)


def _returns(world: World) -> dict[str, _Return]:
    return {old.return_id: old for old in _OLD} | world.state("shopping.returns")


def _open(world: World, found: Order, line: int, pieces: int, reason: str) -> _Return:
    if found.status != "delivered":
        raise Refusal(409, "NotDelivered", f"The order {found.order_id} is {found.status}.", stage=found.status)
    if line > len(found.lines):
        raise Refusal(404, "LineNotFound", f"The order {found.order_id} has {len(found.lines)} line(s).", line=line)
    bought = found.lines[line - 1]
    back = sum(r.pieces for r in _returns(world).values() if (r.order_id, r.line) == (found.order_id, line))
    if pieces > bought.quantity - back:
        raise Refusal(
            409,
            "TooManyPieces",
            f"{bought.quantity - back} piece(s) of {bought.sku} can still go back, not {pieces}.",
            returnable=bought.quantity - back,
        )
    made = _Return(
        identifier("RET", found.order_id, line, pieces, reason, back), found.order_id, line, bought.sku, pieces, reason
    )
    world.state("shopping.returns")[made.return_id] = made
    world.effect("return_goods", made.return_id, sku=made.sku, pieces=pieces, reason=reason)
    return made


def _settle(world: World, made: _Return) -> str:
    if not made.open:
        raise Refusal(
            409, "AlreadyRefunded", f"The return {made.return_id} was already paid.", return_id=made.return_id
        )
    refund_id = identifier("RFD", made.return_id)
    world.state("shopping.returns")[made.return_id] = _Return(
        made.return_id, made.order_id, made.line, made.sku, made.pieces, made.reason, open=False
    )
    world.effect("refund", refund_id, return_id=made.return_id, amount=made.refund)
    return refund_id


_REASONS = OneOf("reason", tuple(_FEE_PERCENT), ("other", "n/a", "see attachment"))
_SKU_KNOWN = Known("sku", "product", {item.name: item.sku for item in PRODUCTS.values()})


def _money(gross: str, fee: str, refund: str) -> tuple[Invariant, ...]:
    """The refund is what the goods cost less the fee, which follows from the reason."""
    return (
        Formula(refund, (gross, fee), lambda cost, kept: cost - kept, f"{refund} is {gross} - {fee}"),
        Formula(
            fee,
            (gross, "reason"),
            lambda cost, reason: cost * _FEE_PERCENT[reason] / 100,
            f"{fee} is 10 % of {gross} for goods not needed, else 0",
        ),
        Bounds(refund, 0.01, 1_000_000),
    )


class OpenedReturn(Answer):
    """A return that was opened."""

    return_id: str = Field(description="Return number")
    status: Literal["opened"] = Field(description="opened until the refund is paid")
    order_id: str = Field(description="Order number")
    line: int = Field(description="Line of the order, from 1")
    sku: str = Field(description="Stock-keeping unit of what goes back")
    product: str = Field(description="Its name")
    quantity: int = Field(description="Number of pieces that go back")
    reason: str = Field(description="Why the goods go back")
    goods_value: float = Field(description="Price paid for the pieces, US dollars")
    restocking_fee: float = Field(description="What the shop keeps, US dollars")
    refund_due: float = Field(description="What will be paid back, US dollars")
    currency: str = Field(description="ISO 4217 code of the amounts, always USD")
    opened_on: str = Field(description="Day the return was opened, YYYY-MM-DD")
    send_by: str = Field(description="Last day to send the goods, YYYY-MM-DD")


@simulated_tool(
    category="action",
    repeat="again",
    shown_by="return_history",
    answer=OpenedReturn,
    examples=(
        {"order_id": "ORD-3F81C2A0", "quantity": 1, "reason": "damaged"},
        {"order_id": "ORD-7C2E98B1", "quantity": 2, "reason": "not needed"},
        {"order_id": "ORD-6A2F90C4", "quantity": 3, "reason": "wrong item", "line": 2},
        {"order_id": "ORD-BC5840D6", "quantity": 4, "reason": "defective"},
        {"order_id": "ORD-43F1A95E", "quantity": 1, "reason": "arrived late"},
    ),
    refusals=(
        ({"order_id": "ORD-00000000", "quantity": 1, "reason": "damaged"}, 404),
        ({"order_id": "ORD-48E0FB92", "quantity": 1, "reason": "damaged"}, 409),
        ({"order_id": "ORD-91B07E44", "quantity": 2, "reason": "damaged"}, 409),
        ({"order_id": "ORD-3F81C2A0", "quantity": 1, "reason": "damaged", "line": 2}, 404),
        ({"order_id": "ORD-3F81C2A0", "quantity": 1, "reason": "bored"}, 422),
    ),
    echoes=("order_id", "quantity", "reason", "line"),
    invariants=(
        Requires("return_id", "status", "opened"),
        Requires("product", "status", "opened"),
        _REASONS,
        _SKU_KNOWN,
        *_money("goods_value", "restocking_fee", "refund_due"),
        Ordered("opened_on", "send_by"),
        IN_DOLLARS,
    ),
)
def open_return(
    world: World,
    order_id: OrderId,
    quantity: Pieces,
    reason: Why,
    line: Annotated[int, Field(ge=1, le=100, description="Line of the order that the goods are from")] = 1,
) -> dict[str, Any]:
    """Open a return for pieces of a delivered order's line; gives the return number and the refund that is due.

    Nothing is paid until the return is settled.
    """
    made = _open(world, find_order(world, order_id), line, quantity, reason)
    return {
        "return_id": made.return_id,
        "status": "opened",
        "order_id": made.order_id,
        "sku": made.sku,
        "product": product(made.sku).name,
        "goods_value": made.gross,
        "restocking_fee": made.fee,
        "refund_due": made.refund,
        "currency": CURRENCY,
        "opened_on": TODAY,
        "send_by": _SEND_BY,
    }


class SettledReturn(Answer):
    """A return whose refund was paid."""

    refund_id: str = Field(description="Number of the refund")
    status: Literal["refunded"] = Field(description="refunded once the refund is paid")
    return_id: str = Field(description="Return number")
    order_id: str = Field(description="Order number")
    customer: str = Field(description="Who gets the money")
    amount: float = Field(description="What is paid back, US dollars")
    currency: str = Field(description="ISO 4217 code of the amount, always USD")
    refunded_on: str = Field(description="Day of the refund, YYYY-MM-DD")
    credited_on: str = Field(description="Day the money arrives, YYYY-MM-DD")


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="return_history",
    answer=SettledReturn,
    examples=tuple({"return_id": old.return_id} for old in _OLD),
    refusals=(({"return_id": "RET-00000000"}, 404), ({"return_id": "4C07D9A1"}, 422), ({}, 422)),
    echoes=("return_id",),
    invariants=(
        Requires("refund_id", "status", "refunded"),
        Requires("customer", "status", "refunded"),
        Requires("order_id", "status", "refunded"),
        Bounds("amount", 0.01, 1_000_000),
        Ordered("refunded_on", "credited_on"),
        IN_DOLLARS,
    ),
)
def settle_return(
    world: World,
    return_id: Annotated[str, Field(pattern=r"^RET-[0-9A-F]{8}$", description="Return number, such as RET-4C07D9A1")],
) -> dict[str, Any]:
    """Pay the refund of an opened return to the customer, by return number."""
    made = _returns(world).get(return_id)
    if made is None:
        raise Refusal(404, "ReturnNotFound", f"There is no return {return_id!r}.", return_id=return_id)
    refund_id = _settle(world, made)
    return {
        "refund_id": refund_id,
        "status": "refunded",
        "return_id": made.return_id,
        "order_id": made.order_id,
        "customer": find_order(world, made.order_id).customer,
        "amount": made.refund,
        "currency": CURRENCY,
        "refunded_on": TODAY,
        "credited_on": business_day(TODAY, _CREDIT_DAYS),
    }


class DeskRefund(Answer):
    """Pieces of an order's line that were taken back and refunded at once."""

    refund_number: str = Field(description="Number of the refund")
    return_number: str = Field(description="Number under which the goods go back")
    status: Literal["refunded"] = Field(description="refunded once the refund is paid")
    line_id: str = Field(description="Number of the order line")
    sku: str = Field(description="Stock-keeping unit of what goes back")
    product: str = Field(description="Its name")
    pieces: int = Field(description="Number of pieces that go back")
    reason: str = Field(description="Why the goods go back")
    unit_price: float = Field(description="Price paid for one piece, US dollars")
    gross: float = Field(description="Price paid for the pieces, US dollars")
    kept: float = Field(description="What the shop keeps, US dollars")
    refunded: float = Field(description="What is paid back, US dollars")
    currency: str = Field(description="ISO 4217 code of the amounts, always USD")
    refunded_on: str = Field(description="Day of the refund, YYYY-MM-DD")
    money_arrives_on: str = Field(description="Day the money arrives, YYYY-MM-DD")


@simulated_tool(
    category="action",
    repeat="again",
    key="idempotency_key",
    shown_by="return_history",
    parts=2,
    answer=DeskRefund,
    examples=(
        {"line_id": "LIN-A4C742C6", "pieces": 1, "reason": "damaged"},
        {"line_id": "LIN-7DD43C9F", "pieces": 2, "reason": "not needed"},
        {"line_id": "LIN-836ACC63", "pieces": 2, "reason": "wrong item"},
        {"line_id": "LIN-7D7B396D", "pieces": 3, "reason": "defective"},
    ),
    refusals=(
        ({"line_id": "LIN-00000000", "pieces": 1, "reason": "damaged"}, 404),
        ({"line_id": "LIN-98105BFE", "pieces": 1, "reason": "damaged"}, 409),
        ({"line_id": "LIN-A4C742C6", "pieces": 2, "reason": "damaged"}, 409),
        ({"line_id": "LIN-A4C742C6", "pieces": 0, "reason": "damaged"}, 422),
    ),
    echoes=("line_id", "pieces", "reason"),
    invariants=(
        *(Requires(name, "status", "refunded") for name in ("refund_number", "return_number", "product")),
        _REASONS,
        _SKU_KNOWN,
        Formula("gross", ("unit_price", "pieces"), lambda price, n: price * n, "gross is unit_price x pieces"),
        *_money("gross", "kept", "refunded"),
        Ordered("refunded_on", "money_arrives_on"),
        IN_DOLLARS,
    ),
)
def refund_order_line(
    world: World,
    line_id: Annotated[str, Field(pattern=r"^LIN-[0-9A-F]{8}$", description="Order line, such as LIN-A4C742C6")],
    pieces: Pieces,
    reason: Why,
) -> dict[str, Any]:
    """Take back pieces of one line of a delivered order and refund them at once, by the line's number."""
    found, line = find_line(world, line_id)
    made = _open(world, found, line, pieces, reason)
    return {
        "refund_number": _settle(world, made),
        "return_number": made.return_id,
        "status": "refunded",
        "sku": made.sku,
        "product": product(made.sku).name,
        "unit_price": product(made.sku).price,
        "gross": made.gross,
        "kept": made.fee,
        "refunded": made.refund,
        "currency": CURRENCY,
        "refunded_on": TODAY,
        "money_arrives_on": business_day(TODAY, _CREDIT_DAYS),
    }
