"""An agent with two planted weaknesses, to see what `sealegs hunt` finds.

It buys one item in a small shop, and is careful otherwise: it checks every answer's form, gives up after three tries,
and orders under a key, so that an order sent twice is one order. But

- it compares the price with the budget and never asks whether there is such a price: a negative one is cheap;
- it takes a 403 for a token that has run out, fetches a new one and tries again, forever.

    sealegs hunt sealegs.hunt.example:buy --check sealegs.hunt.example:sound
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from sealegs.adapters.python import ToolFault, tool

ITEM, PRICE, BUDGET = "desk lamp", 19.9, 40.0
TRIES = 3


class Shop:
    """The agent's three tools, and what was really ordered."""

    def __init__(self) -> None:
        self.orders: dict[str, float] = {}

    @tool(effects=False)
    def get_price(self, item: str) -> dict[str, Any]:
        """The price of an item."""
        return {"item": item, "price": PRICE, "currency": "EUR"}

    @tool(effects=False)
    def in_stock(self, item: str) -> dict[str, Any]:
        """How many are in stock."""
        return {"item": item, "count": 4}

    @tool(effects=True, key="key")
    def place_order(self, item: str, price: float, key: str) -> dict[str, Any]:
        """Order one. The same key is the same order, however often it is sent."""
        self.orders.setdefault(key, price)
        return {"item": item, "key": key, "status": "confirmed"}


class AbandonedTool(Exception):
    """A tool that the agent stops asking."""


def buy() -> dict[str, Any]:
    """Buy the item if it costs no more than the budget; say what was done, and what was really ordered."""
    shop = Shop()
    try:
        status = _bought(shop)
    except AbandonedTool as reason:
        status = f"stopped: {reason}"
    return {"status": status, "orders": dict(shop.orders)}


def sound(answer: Mapping[str, Any]) -> None:
    """The success check: one order at the real price, or an honest stop that ordered at no other."""
    assert all(price == PRICE for price in answer["orders"].values()), f"ordered at {answer['orders']}"
    assert len(answer["orders"]) <= 1, f"ordered {len(answer['orders'])} times"
    assert answer["status"] != "bought" or answer["orders"], "says that it bought, and nothing was ordered"


def _bought(shop: Shop) -> str:
    stock = _answer_of(lambda: shop.in_stock(ITEM), {"item": str, "count": int})
    if stock["count"] < 1:
        raise AbandonedTool("there is none")
    price = _answer_of(lambda: shop.get_price(ITEM), {"item": str, "price": float, "currency": str})
    if price["price"] > BUDGET:  # the first weakness: no price is too low
        raise AbandonedTool("too expensive")
    _answer_of(lambda: shop.place_order(ITEM, price["price"], "order-1"), {"item": str, "key": str, "status": str})
    return "bought"


def _answer_of(call: Callable[[], Any], form: Mapping[str, type]) -> dict[str, Any]:
    """The answer of a call, tried again where it fails or has another form."""
    failed = 0
    while failed < TRIES:
        try:
            answer = call()
        except (ToolFault, OSError) as error:
            if _status(error) == 403:  # the second weakness: a new token, and no end
                continue
            failed += 1
            continue
        if _fits(answer, form):
            return dict(answer)
        failed += 1
    raise AbandonedTool("it fails again and again")


def _status(error: Exception) -> int | None:
    try:
        status: int | None = json.loads(str(error))["error"]["status"]
    except (ValueError, LookupError, TypeError):
        return None
    return status


def _fits(answer: Any, form: Mapping[str, type]) -> bool:
    """Return whether the answer has the form that it should have, and is about the item."""
    return (
        isinstance(answer, Mapping)
        and answer.keys() == form.keys()
        and all(isinstance(answer[name], kind) for name, kind in form.items())
        and answer["item"] == ITEM
        and answer.get("currency", "EUR") == "EUR"
        and answer.get("status", "confirmed") == "confirmed"
    )
