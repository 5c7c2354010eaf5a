"""The total of an order: the whole calculation with coupon, delivery and tax, and a coupon's worth alone."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from sealegs.faults.invariants import Bounds, Formula, Ordered, Sums
from sealegs.world.shopping.facts import CURRENCY
from sealegs.world.shopping.shop_arguments import IN_DOLLARS, Price, Quantity
from sealegs.world.shopping.terms_of_sale import saving
from sealegs.world.state import TODAY
from sealegs.world.tool import Answer, World, simulated_tool

CODE = r"^[A-Za-z0-9]{4,12}$"


class Reckoning(Answer):
    """An order's amounts, each step of the reckoning shown."""

    quantity: int = Field(description="Number of pieces")
    subtotal: float = Field(description="Price of all pieces, US dollars")
    discount: float = Field(description="What the coupon takes off, US dollars")
    net: float = Field(description="Subtotal less discount, US dollars")
    shipping: float = Field(description="Delivery, US dollars")
    tax: float = Field(description="Tax on net and delivery, US dollars")
    total: float = Field(description="Net, delivery and tax together, US dollars")
    total_per_piece: float = Field(description="Total divided by the pieces, US dollars")
    currency: str = Field(description="ISO 4217 code of the amounts, always USD")


@simulated_tool(
    category="processor",
    answer=Reckoning,
    examples=(
        {"unit_price": 49.90, "quantity": 4},
        {"unit_price": 329.00, "quantity": 2, "coupon_code": "TEAM20", "shipping": 22.4, "tax_percent": 7},
        {"unit_price": 31.00, "quantity": 6, "coupon_code": "COFFEE12", "shipping": 14.50, "tax_percent": 8},
        {"unit_price": 164.00, "quantity": 3, "coupon_code": "STAFF30", "shipping": 9.15, "tax_percent": 19},
    ),
    refusals=(
        ({"unit_price": 49.90, "quantity": 4, "coupon_code": "NOSUCH99"}, 404),
        ({"unit_price": 49.90, "quantity": 4, "coupon_code": "WINTER35"}, 409),
        ({"unit_price": 49.90, "quantity": 1, "coupon_code": "TEAM20"}, 400),
        ({"unit_price": -5, "quantity": 4}, 422),
    ),
    echoes=("quantity", "shipping"),
    invariants=(
        Formula(
            "subtotal",
            ("argument:unit_price", "argument:quantity"),
            lambda price, pieces: price * pieces,
            "subtotal is the arguments unit_price x quantity",
        ),
        Formula("net", ("subtotal", "discount"), lambda gross, off: gross - off, "net is subtotal - discount"),
        Formula(
            "tax",
            ("net", "shipping", "argument:tax_percent"),
            lambda net, shipping, percent: (net + shipping) * percent / 100,
            "tax is the argument tax_percent of net + shipping",
        ),
        Sums("total", ("net", "shipping", "tax")),
        Formula(
            "total_per_piece", ("total", "quantity"), lambda total, n: total / n, "total_per_piece is total / quantity"
        ),
        Bounds("total", 0, 50_000_000),
        Bounds("discount", 0, 10_000),
        IN_DOLLARS,
    ),
)
def order_total(
    world: World,
    unit_price: Price,
    quantity: Quantity,
    coupon_code: Annotated[str | None, Field(pattern=CODE, description="Coupon to take off, such as DESK15")] = None,
    shipping: Annotated[float, Field(ge=0, le=20_000, description="Delivery to add, US dollars")] = 0.0,
    tax_percent: Annotated[float, Field(ge=0, le=50, description="Sales tax to add, per cent")] = 0.0,
) -> dict[str, Any]:
    """Reckon up an order before it is placed: so many pieces at a price, less a coupon, plus delivery and tax."""
    subtotal = round(unit_price * quantity, 2)
    discount = saving(coupon_code, subtotal).discount if coupon_code is not None else 0.0
    net = round(subtotal - discount, 2)
    tax = round((net + shipping) * tax_percent / 100, 2)
    total = round(net + shipping + tax, 2)
    return {
        "subtotal": subtotal,
        "discount": discount,
        "net": net,
        "shipping": round(shipping, 2),
        "tax": tax,
        "total": total,
        "total_per_piece": round(total / quantity, 2),
        "currency": CURRENCY,
    }


class Worth(Answer):
    """What a coupon is worth on a purchase."""

    code: str = Field(description="The coupon's code")
    percent_off: float = Field(description="Per cent that the coupon takes off")
    purchase: float = Field(description="Value of the purchase without the coupon, US dollars")
    saving: float = Field(description="What the coupon takes off, US dollars")
    payable: float = Field(description="What is left to pay, US dollars")
    currency: str = Field(description="ISO 4217 code of the amounts, always USD")
    checked_on: str = Field(description="Day of this check, YYYY-MM-DD")
    valid_until: str = Field(description="Last day of the coupon, YYYY-MM-DD")


@simulated_tool(
    category="processor",
    answer=Worth,
    examples=(
        {"code": "SPRING10", "list_price": 49.90, "pieces": 4},
        {"code": "TEAM20", "list_price": 329.00, "pieces": 2},
        {"code": "BULK25", "list_price": 164.00, "pieces": 8},
        {"code": "LIGHT7", "list_price": 58.00},
    ),
    refusals=(
        ({"code": "NOSUCH99", "list_price": 49.90}, 404),
        ({"code": "XMAS40", "list_price": 49.90}, 409),
        ({"code": "BULK25", "list_price": 49.90}, 400),
        ({"code": "ten percent", "list_price": 49.90}, 422),
    ),
    echoes=("code",),
    invariants=(
        Formula(
            "purchase",
            ("argument:list_price", "argument:pieces"),
            lambda price, pieces: price * pieces,
            "purchase is the arguments list_price x pieces",
        ),
        Formula("payable", ("purchase", "saving"), lambda gross, off: gross - off, "payable is purchase - saving"),
        Bounds("percent_off", 0, 100),
        Bounds("saving", 0, 10_000),
        Bounds("payable", 0, 20_000_000),
        Ordered("checked_on", "valid_until"),
        IN_DOLLARS,
    ),
)
def coupon_discount(
    world: World,
    code: Annotated[str, Field(pattern=CODE, description="Coupon code, such as DESK15")],
    list_price: Price,
    pieces: Annotated[int, Field(ge=1, le=200, description="Number of pieces bought")] = 1,
) -> dict[str, Any]:
    """Check a coupon code against a purchase: per cent off, saving, what remains to pay, its last day."""
    purchase = round(list_price * pieces, 2)
    worth = saving(code, purchase)
    return {
        "code": worth.code,
        "percent_off": worth.percent,
        "purchase": purchase,
        "saving": worth.discount,
        "payable": round(purchase - worth.discount, 2),
        "currency": CURRENCY,
        "checked_on": TODAY,
        "valid_until": worth.valid_until,
    }
