"""Finding products: search, and one product's page.

Search shows what is in stock; the product's page shows sold-out products too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from sealegs.faults.invariants import Bounds, Counts, Formula, OneOf, Requires, Sums
from sealegs.world.shopping.facts import CATEGORIES, CURRENCY, product
from sealegs.world.shopping.ledger import available_pieces
from sealegs.world.shopping.product_listing import MAX_PRICE, Hit, by_price, by_rating, hit, in_stock
from sealegs.world.shopping.shop_arguments import IN_DOLLARS, Sku
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

Sorting = Literal["relevance", "price", "rating"]


def _words(text: str) -> set[str]:
    return {word.rstrip("s") for word in text.casefold().split()}


class FoundProducts(Answer):
    """Search results, the best one also on its own."""

    query: str = Field(description="The words searched for")
    status: Literal["ok"] = Field(description="ok where products were found")
    total_hits: int = Field(description="Number of products that match")
    hits: list[Hit] = Field(description="The matching products in the order asked for, at most `limit`")
    shown: int = Field(description="Number of products listed in hits")
    top_sku: str = Field(description="SKU of the first product listed")
    top_name: str = Field(description="Name of the first product listed")
    top_price: float = Field(description="Price of the first product listed, US dollars")
    top_rating: float = Field(description="Rating of the first product listed, 1 to 5 stars")
    currency: str = Field(description="ISO 4217 code of the prices, always USD")


@simulated_tool(
    category="source",
    answer=FoundProducts,
    examples=(
        {"query": "keyboard"},
        {"query": "headset", "max_price": 150, "sort": "rating"},
        {"query": "MO-2127"},
        {"query": "Miravel lamp", "sort": "price"},
        {"query": "coffee", "sort": "price", "limit": 2},
    ),
    refusals=(
        ({"query": "typewriter"}, 404),
        ({"query": "monitor", "max_price": 20}, 404),
        ({"query": "monitor", "sort": "newest"}, 422),
        ({"query": "monitor", "limit": 0}, 422),
    ),
    echoes=("query",),
    invariants=(
        Counts("shown", "hits"),
        Requires("top_sku", "status", "ok"),
        Requires("top_name", "status", "ok"),
        Formula("top_sku", ("hits.0.sku",), str, "top_sku is the SKU of the first hit"),
        Formula("top_name", ("hits.0.name",), str, "top_name is the name of the first hit"),
        Formula("top_price", ("hits.0.price",), float, "top_price is the price of the first hit"),
        Formula("top_rating", ("hits.0.rating",), float, "top_rating is the rating of the first hit"),
        Bounds("top_price", 0.01, MAX_PRICE),
        Bounds("top_rating", 1, 5),
        Bounds("total_hits", 1, 1_000),
        IN_DOLLARS,
    ),
)
def search_products(
    world: World,
    query: Annotated[
        str, Field(min_length=2, max_length=80, description="Words of a name, brand or category, or a SKU")
    ],
    max_price: Annotated[
        float | None, Field(ge=0.01, le=100_000, description="Leave out products that cost more, US dollars")
    ] = None,
    sort: Annotated[Sorting, Field(description="Order: best match, lowest price or best rating first")] = "relevance",
    limit: Annotated[int, Field(ge=1, le=20, description="Number of products to list at most")] = 5,
) -> dict[str, Any]:
    """Search the shop's products in stock by words of their name, brand or category, or by SKU.

    Takes an optional highest price, sorts by match, price or rating, and gives the first hit and the list.
    """
    wanted = _words(query)
    found = [
        hit(item)
        for item in in_stock(world)
        if wanted <= _words(f"{item.sku} {item.name} {item.category}")
        and (max_price is None or item.price <= max_price)
    ]
    if not found:
        raise Refusal(404, "NoProductsFound", f"Nothing in stock matches {query!r}.", query=query, max_price=max_price)
    orders = {"relevance": by_rating, "price": by_price, "rating": by_rating}
    ranked = sorted(found, key=orders[sort])
    if sort == "relevance":
        ranked = sorted(ranked, key=lambda hit: -len(wanted & _words(hit["name"])))
    top = ranked[0]
    return {
        "status": "ok",
        "total_hits": len(found),
        "hits": ranked[:limit],
        "shown": len(ranked[:limit]),
        **{f"top_{name}": top[name] for name in ("sku", "name", "price", "rating")},
        "currency": CURRENCY,
    }


class Stars(BaseModel):
    """How many customers gave so many stars."""

    model_config = ConfigDict(extra="forbid")
    stars: int = Field(description="Stars, 1 to 5")
    count: int = Field(description="Number of reviews with so many stars")


class Pieces(BaseModel):
    """Stock in one warehouse."""

    model_config = ConfigDict(extra="forbid")
    warehouse: str = Field(description="Warehouse code")
    available: int = Field(description="Pieces available there")


class ProductPage(Answer):
    """A product's page."""

    sku: str = Field(description="Stock-keeping unit")
    listing: Literal["active"] = Field(description="active where the product is on sale")
    name: str = Field(description="Product name")
    brand: str = Field(description="Brand")
    category: str = Field(description="Product category")
    price: float = Field(description="Price of one piece (pack) in US dollars")
    currency: str = Field(description="ISO 4217 code of the price, always USD")
    pack_size: float = Field(description="How much one pack holds, in pack_unit")
    pack_unit: str = Field(description="Unit of the pack's contents")
    unit_price: float = Field(description="Price of one pack_unit, US dollars")
    weight_kg: float = Field(description="Shipping weight of one piece in kilograms")
    weight_lb: float = Field(description="The same weight in pounds")
    warranty_months: int = Field(description="The maker's warranty in months, 0 where there is none")
    rating: float = Field(description="Mean customer rating, 1 to 5 stars")
    review_count: int = Field(description="Number of reviews")
    reviews: list[Stars] = Field(description="Reviews by stars")
    stock_total: int = Field(description="Pieces available in all warehouses")
    stock: list[Pieces] = Field(description="Pieces available by warehouse")


def _mean_stars(rows: Sequence[Mapping[str, Any]]) -> float:
    return float(sum(row["stars"] * row["count"] for row in rows) / sum(row["count"] for row in rows))


@simulated_tool(
    category="source",
    answer=ProductPage,
    examples=({"sku": "KB-3105"}, {"sku": "CH-1318"}, {"sku": "CO-5042"}, {"sku": "MO-2110"}, {"sku": "PA-6030"}),
    refusals=(({"sku": "ZZ-9999"}, 404), ({"sku": "keyboard"}, 422)),
    echoes=("sku",),
    invariants=(
        Requires("name", "listing", "active"),
        Requires("brand", "listing", "active"),
        OneOf("category", CATEGORIES, ("uncategorised", "N/A", "misc. 2")),
        IN_DOLLARS,
        Bounds("price", 0.01, MAX_PRICE),
        Bounds("weight_kg", 0.01, 100),
        Bounds("warranty_months", 0, 240),
        Bounds("rating", 1, 5),
        Formula("unit_price", ("price", "pack_size"), lambda p, n: p / n, "unit_price is price / pack_size"),
        Formula("weight_lb", ("weight_kg",), lambda kg: kg * 2.204623, "weight_lb is weight_kg x 2.204623"),
        Formula("rating", ("reviews",), _mean_stars, "rating is the mean of the stars in reviews"),
        Sums("review_count", ("reviews.count",)),
        Sums("stock_total", ("stock.available",)),
    ),
)
def product_details(world: World, sku: Sku) -> dict[str, Any]:
    """Read one product's page by its SKU: name, category, price, pack, shipping weight, warranty, ratings and stock."""
    item = product(sku)
    stock = available_pieces(world, item)
    return {
        "sku": item.sku,
        "listing": "active",
        "name": item.name,
        "brand": item.brand,
        "category": item.category,
        "price": item.price,
        "currency": CURRENCY,
        "pack_size": item.pack_size,
        "pack_unit": item.pack_unit,
        "unit_price": round(item.price / item.pack_size, 2),
        "weight_kg": item.weight_kg,
        "weight_lb": round(item.weight_kg * 2.204623, 2),
        "warranty_months": item.warranty_months,
        "rating": item.rating,
        "review_count": item.reviews,
        "reviews": [{"stars": 5 - place, "count": count} for place, count in enumerate(item.stars)],
        "stock_total": sum(stock.values()),
        "stock": [{"warehouse": name, "available": pieces} for name, pieces in stock.items()],
    }
