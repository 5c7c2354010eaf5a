"""One category's shelf, and the choice among offers.

A shelf shows what is in stock; the choice works on any offers and knows no products.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Counts, Formula, Mean, Requires
from sealegs.world.shopping.facts import CURRENCY, Category
from sealegs.world.shopping.product_listing import MAX_PRICE, Hit, by_price, by_rating, hit, in_stock
from sealegs.world.shopping.shop_arguments import IN_DOLLARS
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

Shelf = Annotated[Category, Field(description="Product category")]


class ShelfList(Answer):
    """What a category has in stock."""

    category: str = Field(description="Product category")
    status: Literal["ok"] = Field(description="ok where the category has products in stock")
    count: int = Field(description="Number of products in stock")
    offers: list[Hit] = Field(description="The products in stock, by SKU")
    mean_price: float = Field(description="Mean price of the offers, US dollars")
    cheapest_sku: str = Field(description="SKU of the cheapest offer")
    cheapest_name: str = Field(description="Name of the cheapest offer")
    cheapest_price: float = Field(description="Price of the cheapest offer, US dollars")
    currency: str = Field(description="ISO 4217 code of the prices, always USD")


@simulated_tool(
    category="source",
    answer=ShelfList,
    examples=tuple({"category": name} for name in ("monitors", "desk lamps", "coffee", "headsets")),
    refusals=(({"category": "fax machines"}, 422), ({}, 422)),
    echoes=("category",),
    invariants=(
        Counts("count", "offers"),
        Mean("mean_price", "offers.price"),
        Requires("cheapest_sku", "status", "ok"),
        Requires("cheapest_name", "status", "ok"),
        Formula("cheapest_price", ("offers",), lambda o: min(o, key=by_price)["price"], "cheapest_price is the lowest"),
        Formula("cheapest_sku", ("offers",), lambda o: min(o, key=by_price)["sku"], "cheapest_sku has that price"),
        Formula("cheapest_name", ("offers",), lambda o: min(o, key=by_price)["name"], "cheapest_name has that price"),
        Bounds("cheapest_price", 0.01, MAX_PRICE),
        Bounds("offers.rating", 1, 5),
        IN_DOLLARS,
    ),
)
def browse_category(world: World, category: Shelf) -> dict[str, Any]:
    """List everything a product category has in stock with price and rating, the cheapest offer and the mean price."""
    offers = [hit(item) for item in in_stock(world) if item.category == category]
    if not offers:
        raise Refusal(404, "CategorySoldOut", f"The category {category!r} has nothing in stock.", category=category)
    cheapest = min(offers, key=by_price)
    return {
        "status": "ok",
        "count": len(offers),
        "offers": offers,
        "mean_price": round(sum(offer["price"] for offer in offers) / len(offers), 2),
        **{f"cheapest_{name}": cheapest[name] for name in ("sku", "name", "price")},
        "currency": CURRENCY,
    }


class Choice(Answer):
    """The offer chosen."""

    status: Literal["chosen"] = Field(description="chosen where an offer is within the budget")
    by: str = Field(description="What was looked for")
    max_price: float = Field(description="The budget, US dollars")
    offers_seen: int = Field(description="Number of offers given")
    within_budget: int = Field(description="Number of offers that cost at most max_price")
    best_sku: str = Field(description="SKU of the offer chosen")
    best_name: str = Field(description="Name of the offer chosen")
    best_price: float = Field(description="Price of the offer chosen, US dollars")
    best_rating: float = Field(description="Rating of the offer chosen, 1 to 5 stars")
    budget_left: float = Field(description="max_price less best_price, US dollars")


def _affordable(offers: Sequence[Mapping[str, Any]], max_price: float) -> list[Mapping[str, Any]]:
    return [offer for offer in offers if offer["price"] <= max_price]


def _best(offers: Sequence[Mapping[str, Any]], max_price: float, by: str) -> Mapping[str, Any]:
    return min(_affordable(offers, max_price), key=by_rating if by == "rating" else by_price)


_OFFERS = (
    {"sku": "KB-3105", "name": "Velqua Compact Keyboard", "price": 49.9, "rating": 4.29},
    {"sku": "KB-3140", "name": "Velqua Split Keyboard", "price": 118.0, "rating": 4.55},
    {"sku": "KB-3212", "name": "Corvain Quiet Keyboard", "price": 72.4, "rating": 4.48},
)
_CHOICE = ("argument:offers", "argument:max_price", "argument:by")


@simulated_tool(
    category="processor",
    answer=Choice,
    examples=(
        {"offers": list(_OFFERS), "max_price": 100, "by": "rating"},
        {"offers": list(_OFFERS), "max_price": 60, "by": "price"},
        {"offers": list(_OFFERS[1:]), "max_price": 250},
    ),
    refusals=(
        ({"offers": list(_OFFERS), "max_price": 20}, 404),
        ({"offers": [], "max_price": 20}, 422),
        ({"offers": [{"sku": "KB-3105"}], "max_price": 20}, 422),
    ),
    echoes=("max_price", "by"),
    invariants=(
        Counts("offers_seen", "argument:offers"),
        Requires("best_sku", "status", "chosen"),
        Requires("best_name", "status", "chosen"),
        Formula("best_sku", _CHOICE, lambda o, m, by: _best(o, m, by)["sku"], "best_sku is the best offer's"),
        Formula("best_name", _CHOICE, lambda o, m, by: _best(o, m, by)["name"], "best_name is the best offer's"),
        Formula("best_price", _CHOICE, lambda o, m, by: _best(o, m, by)["price"], "best_price is the best offer's"),
        Formula("best_rating", _CHOICE, lambda o, m, by: _best(o, m, by)["rating"], "best_rating is the best offer's"),
        Formula("within_budget", _CHOICE[:2], lambda o, m: len(_affordable(o, m)), "within_budget counts what fits"),
        Formula(
            "budget_left", ("max_price", "best_price"), lambda m, p: m - p, "budget_left is max_price - best_price"
        ),
        Bounds("best_price", 0.01, 100_000),
        Bounds("best_rating", 1, 5),
    ),
)
def choose_offer(
    world: World,
    offers: Annotated[list[Hit], Field(min_length=1, max_length=100, description="Offers to choose from")],
    max_price: Annotated[float, Field(ge=0.01, le=100_000, description="The budget for one piece, US dollars")],
    by: Annotated[Literal["rating", "price"], Field(description="Take the best rated or the cheapest")] = "rating",
) -> dict[str, Any]:
    """Choose among given offers the best rated, or the cheapest, one that a budget allows."""
    plain = [offer.model_dump() for offer in offers]
    fitting = _affordable(plain, max_price)
    if not fitting:
        lowest = min(offer["price"] for offer in plain)
        raise Refusal(
            404,
            "NothingWithinBudget",
            f"No offer costs {max_price:.2f} USD or less; the lowest is {lowest:.2f}.",
            lowest=lowest,
        )
    best = _best(plain, max_price, by)
    return {
        "status": "chosen",
        "offers_seen": len(plain),
        "within_budget": len(fitting),
        **{f"best_{name}": best[name] for name in ("sku", "name", "price", "rating")},
        "budget_left": round(max_price - best["price"], 2),
    }
