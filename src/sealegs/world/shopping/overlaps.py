"""Tools of the shopping domain that can stand in for one another, or for others, on some inputs."""

from __future__ import annotations

from sealegs.world.tool import Overlap

PRODUCTS = Overlap.of("search_products", "browse_category", "product_details", "choose_offer")
IMPORT_TAXES = Overlap.of(
    "import_charges", "import_rates", "landed_cost", "lodging_tax", "vat_breakdown", "order_total"
)
PRICE_TIMES_PIECES = Overlap.of("unit_price", "order_total", "coupon_discount")
AMOUNT_TIMES_RATE = Overlap.of("points_at_rate", "points_for_purchase", "amount_at_rate")
