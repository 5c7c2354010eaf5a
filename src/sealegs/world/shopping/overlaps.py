"""Tools of the shopping domain that can stand in for one another, or for others, on some inputs."""

from __future__ import annotations

from sealegs.world.tool import Overlap

__all__ = ["PRODUCTS"]

PRODUCTS = Overlap.of("search_products", "browse_category", "product_details", "choose_offer")
