"""Prices over time and by the unit: an alert on a falling price, and what a unit in a pack costs."""

from __future__ import annotations

from math import ceil
from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Formula, Known, Ordered, Requires
from sealegs.world.shopping.facts import CURRENCY, PRODUCTS, product
from sealegs.world.shopping.shop_arguments import IN_DOLLARS, Sku
from sealegs.world.state import TODAY, World, identifier
from sealegs.world.tool import Answer, Refusal, simulated_tool


class Alert(Answer):
    """An alert that is set."""

    alert_id: str = Field(description="Number of the alert")
    status: Literal["active"] = Field(description="active until the price falls or the alert ends")
    sku: str = Field(description="Stock-keeping unit")
    product: str = Field(description="Product name")
    email: str = Field(description="Who is told")
    target_price: float = Field(description="Price of one piece at which the alert goes out, US dollars")
    current_price: float = Field(description="Price of one piece now, US dollars")
    gap: float = Field(description="How far the price must fall, US dollars")
    gap_percent: float = Field(description="How far the price must fall, per cent of the price now")
    currency: str = Field(description="ISO 4217 code of the prices, always USD")
    set_on: str = Field(description="Day the alert was set, YYYY-MM-DD")
    ends_on: str = Field(description="Last day of the alert, YYYY-MM-DD")


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="order_history",
    answer=Alert,
    examples=(
        {"sku": "CH-1318", "target_price": 290.0, "email": "ines.duarte@fernhill.example"},
        {"sku": "MO-2127", "target_price": 219.0, "email": "owen.prescott@mail.example"},
        {"sku": "CO-5042", "target_price": 27.5, "email": "lena.borgmann@fernhill.example"},
        {"sku": "HS-4190", "target_price": 69.9, "email": "grace.whitlow@fernhill.example"},
    ),
    refusals=(
        ({"sku": "ZZ-9999", "target_price": 20.0, "email": "ines.duarte@fernhill.example"}, 404),
        ({"sku": "KB-3105", "target_price": 60.0, "email": "ines.duarte@fernhill.example"}, 409),
        ({"sku": "KB-3105", "target_price": 40.0, "email": "Ines Duarte"}, 422),
    ),
    echoes=("sku", "email", "target_price"),
    invariants=(
        Requires("alert_id", "status", "active"),
        Requires("product", "status", "active"),
        Known("product", "sku", {item.sku: item.name for item in PRODUCTS.values()}),
        Formula("gap", ("current_price", "target_price"), lambda n, t: n - t, "gap is current_price - target_price"),
        Formula(
            "gap_percent",
            ("gap", "current_price"),
            lambda gap, now: 100 * gap / now,
            "gap_percent is gap in per cent of current_price",
        ),
        Bounds("current_price", 0.01, 5_000),
        Bounds("gap_percent", 0, 100),
        Ordered("set_on", "ends_on"),
        IN_DOLLARS,
    ),
)
def set_price_alert(
    world: World,
    sku: Sku,
    target_price: Annotated[float, Field(ge=0.01, le=5_000, description="Price to wait for, US dollars a piece")],
    email: Annotated[
        str, Field(pattern=r"^[^@\s]+@[^@\s]+\.[^@\s]+$", max_length=120, description="Address that is told")
    ],
) -> dict[str, Any]:
    """Have an e-mail sent to someone when a product's price falls to a target within the next months."""
    item = product(sku)
    if target_price >= item.price:
        raise Refusal(
            409, "AlreadyBelow", f"{item.name} costs {item.price:.2f} USD now, no more than asked.", price=item.price
        )
    alert_id = identifier("PAL", item.sku, f"{target_price:.2f}", email)
    if alert_id in world.state("shopping.price_alerts"):
        raise Refusal(409, "AlertExists", f"This alert is set as {alert_id}.", alert_id=alert_id)
    world.state("shopping.price_alerts")[alert_id] = target_price
    world.effect("price_alert", alert_id, sku=item.sku, target_price=target_price, email=email)
    gap = round(item.price - target_price, 2)
    return {
        "alert_id": alert_id,
        "status": "active",
        "sku": item.sku,
        "product": item.name,
        "current_price": item.price,
        "gap": gap,
        "gap_percent": round(100 * gap / item.price, 2),
        "currency": CURRENCY,
        "set_on": TODAY,
        "ends_on": "2026-06-30",
    }


class PackPrice(Answer):
    """What a unit in a pack costs, and the packs that an amount takes."""

    pack_size: float = Field(description="Units in a pack")
    unit: str = Field(description="The unit")
    unit_price: float = Field(description="Price of one unit, US dollars, to four decimals")
    wanted: float = Field(description="Units wanted")
    packs: int = Field(description="Whole packs that hold the units wanted")
    pack_price: float = Field(description="Price of one pack, US dollars")
    cost: float = Field(description="Price of these packs, US dollars")
    surplus: float = Field(description="Units in these packs beyond those wanted")
    currency: str = Field(description="ISO 4217 code of the amounts, always USD")


def _packs(wanted: float, pack_size: float) -> int:
    return ceil(round(wanted / pack_size, 6))


@simulated_tool(
    category="processor",
    answer=PackPrice,
    examples=(
        {"pack_price": 31.0, "pack_size": 2, "unit": "kg", "wanted": 7},
        {"pack_price": 27.5, "pack_size": 5, "unit": "ream", "wanted": 42},
        {"pack_price": 9.9, "pack_size": 0.5, "unit": "kg", "wanted": 3.2},
        {"pack_price": 18.6, "pack_size": 12, "unit": "piece", "wanted": 100},
    ),
    refusals=(
        ({"pack_price": 31.0, "pack_size": 0, "unit": "kg", "wanted": 7}, 422),
        ({"pack_price": 31.0, "pack_size": 2, "unit": "stone", "wanted": 7}, 422),
        ({"pack_price": 31.0, "pack_size": 2, "unit": "kg", "wanted": -1}, 422),
    ),
    echoes=("pack_price", "pack_size", "unit", "wanted"),
    invariants=(
        Formula("unit_price", ("pack_price", "pack_size"), lambda p, n: p / n, "unit_price is pack_price / pack_size"),
        Formula("packs", ("wanted", "pack_size"), _packs, "packs is wanted / pack_size, rounded up"),
        Formula("cost", ("packs", "pack_price"), lambda n, price: n * price, "cost is packs x pack_price"),
        Formula(
            "surplus",
            ("packs", "pack_size", "wanted"),
            lambda n, size, wanted: n * size - wanted,
            "surplus is packs x pack_size - wanted",
        ),
        Bounds("unit_price", 0, 100_000),
        Bounds("packs", 1, 1_000_000),
        IN_DOLLARS,
    ),
)
def unit_price(
    world: World,
    pack_price: Annotated[float, Field(ge=0.5, le=10_000, description="Price of one pack, US dollars")],
    pack_size: Annotated[float, Field(ge=0.1, le=1_000, description="Units in a pack")],
    unit: Annotated[Literal["kg", "l", "m", "ream", "piece"], Field(description="The unit that packs are sold by")],
    wanted: Annotated[float, Field(ge=0.1, le=10_000, description="Units wanted")],
) -> dict[str, Any]:
    """Compare packs by the unit: what a kilogram, ream or piece costs, and the whole packs that an amount takes."""
    packs = _packs(wanted, pack_size)
    return {
        "unit_price": round(pack_price / pack_size, 4),
        "packs": packs,
        "cost": round(packs * pack_price, 2),
        "surplus": round(packs * pack_size - wanted, 3),
        "currency": CURRENCY,
    }
