"""The form of a product in a list, and the orders that lists come in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from sealegs.world.shopping.facts import PRODUCTS, Product
from sealegs.world.shopping.ledger import available_pieces
from sealegs.world.state import World

MAX_PRICE = 5_000


class Hit(BaseModel):
    """A product as a list shows it."""

    model_config = ConfigDict(extra="forbid")
    sku: str = Field(min_length=1, description="Stock-keeping unit")
    name: str = Field(min_length=1, description="Product name")
    price: float = Field(ge=0.01, le=100_000, description="Price of one piece in US dollars")
    rating: float = Field(ge=1, le=5, description="Mean customer rating, 1 to 5 stars")


def hit(item: Product) -> dict[str, Any]:
    """The product as a list shows it."""
    return {"sku": item.sku, "name": item.name, "price": item.price, "rating": item.rating}


def in_stock(world: World) -> list[Product]:
    """Every product of which a warehouse has a piece left."""
    return [item for item in PRODUCTS.values() if any(available_pieces(world, item).values())]


def by_price(hit: Mapping[str, Any]) -> tuple[float, float, str]:
    """Cheapest first; of equal price, the better rated one."""
    return hit["price"], -hit["rating"], hit["sku"]


def by_rating(hit: Mapping[str, Any]) -> tuple[float, float, str]:
    """Best rated first; of equal rating, the cheaper one."""
    return -hit["rating"], hit["price"], hit["sku"]
