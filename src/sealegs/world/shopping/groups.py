"""Alternative groups of the shopping domain."""

from __future__ import annotations

from sealegs.tasks.pattern import Pattern, Way

__all__ = [
    "CHEAPEST_IN_CATEGORY",
    "COUPON_PRICE",
    "DELIVERY_TERMS",
    "OFFER_WITHIN_BUDGET",
    "PRODUCT_ORDER",
    "WARRANTY_REGISTRATION",
]

CHEAPEST_IN_CATEGORY = Pattern(
    name="cheapest_in_category",
    purpose="Find the cheapest product in stock of a category.",
    inputs=("category",),
    exports=("sku", "name", "price", "currency"),
    ways=(
        Way(
            "shelf",
            calls={"browse_category": {"category": "in.category"}},
            exports={
                "sku": "browse_category.cheapest_sku",
                "name": "browse_category.cheapest_name",
                "price": "browse_category.cheapest_price",
                "currency": "browse_category.currency",
            },
        ),
        Way(
            "search",
            calls={"search_products": {"query": "in.category", "sort": "price"}},
            exports={
                "sku": "search_products.top_sku",
                "name": "search_products.top_name",
                "price": "search_products.top_price",
                "currency": "search_products.currency",
            },
        ),
    ),
    examples=tuple({"category": name} for name in ("monitors", "coffee", "desk lamps", "backpacks", "headsets")),
)

WARRANTY_REGISTRATION = Pattern(
    name="warranty_registration",
    purpose="Register the warranty of a product that was ordered.",
    inputs=("order_id", "sku", "owner", "purchased_on"),
    exports=("warranty_id", "product", "months", "expires_on"),
    ways=(
        Way(
            "form",
            calls={"register_warranty": {"sku": "in.sku", "owner": "in.owner", "purchased_on": "in.purchased_on"}},
            exports={
                "warranty_id": "register_warranty.warranty_id",
                "product": "register_warranty.product",
                "months": "register_warranty.months",
                "expires_on": "register_warranty.expires_on",
            },
        ),
        Way(
            "from_order",
            calls={"register_order_warranty": {"order_id": "in.order_id"}},
            exports={
                "warranty_id": "register_order_warranty.registration",
                "product": "register_order_warranty.covers",
                "months": "register_order_warranty.months",
                "expires_on": "register_order_warranty.covered_until",
            },
        ),
    ),
    examples=tuple(
        {"order_id": order_id, "sku": sku, "owner": owner, "purchased_on": day}
        for order_id, sku, owner, day in (
            ("ORD-3F81C2A0", "CH-1318", "Marta Lindqvist", "2026-01-12"),
            ("ORD-91B07E44", "MO-2127", "Owen Prescott", "2026-01-20"),
            ("ORD-7C2E98B1", "HS-4115", "Tomas Ferreira", "2026-02-02"),
            ("ORD-D36B8A17", "KB-3277", "Jonas Bergmeier", "2026-02-26"),
        )
    ),
)

DELIVERY_TERMS = Pattern(
    name="delivery_terms",
    purpose="Find what the delivery of some pieces of a product to a city costs and when they would come.",
    inputs=("sku", "quantity", "city", "service"),
    exports=("shipping_cost", "delivery_date", "currency"),
    ways=(
        Way(
            "quote",
            calls={
                "delivery_quote": {
                    "sku": "in.sku",
                    "quantity": "in.quantity",
                    "city": "in.city",
                    "service": "in.service",
                }
            },
            exports={
                "shipping_cost": "delivery_quote.shipping_cost",
                "delivery_date": "delivery_quote.delivery_date",
                "currency": "delivery_quote.currency",
            },
        ),
        Way(
            "by_weight",
            calls={
                "product_details": {"sku": "in.sku"},
                "parcel_rate": {
                    "unit_weight_kg": "product_details.weight_kg",
                    "pieces": "in.quantity",
                    "city": "in.city",
                    "service": "in.service",
                },
            },
            exports={
                "shipping_cost": "parcel_rate.fee",
                "delivery_date": "parcel_rate.arrives_on",
                "currency": "parcel_rate.currency",
            },
        ),
    ),
    examples=tuple(
        {"sku": sku, "quantity": quantity, "city": city, "service": service}
        for sku, quantity, city, service in (
            ("KB-3105", 4, "Lisbon", "standard"),
            ("CH-1318", 2, "Toronto", "express"),
            ("CO-5042", 7, "Tokyo", "standard"),
            ("PA-6001", 12, "Dubai", "express"),
            ("LA-7051", 3, "Mexico City", "standard"),
        )
    ),
)

PRODUCT_ORDER = Pattern(
    name="product_order",
    purpose="Order some pieces of a product for someone, delivered to a city.",
    inputs=("sku", "quantity", "customer", "city"),
    exports=("order_id", "total", "currency", "ordered_on", "delivery_date", "tracking_number"),
    ways=(
        Way(
            "cart",
            calls={
                "add_to_cart": {"customer": "in.customer", "sku": "in.sku", "quantity": "in.quantity"},
                "checkout_cart": {"cart_id": "add_to_cart.cart_id", "city": "in.city"},
            },
            exports={
                "order_id": "checkout_cart.order_id",
                "total": "checkout_cart.total",
                "currency": "checkout_cart.currency",
                "ordered_on": "checkout_cart.ordered_on",
                "delivery_date": "checkout_cart.delivery_date",
                "tracking_number": "checkout_cart.tracking_number",
            },
        ),
        Way(
            "hold",
            calls={
                "hold_stock": {"sku": "in.sku", "quantity": "in.quantity", "held_for": "in.customer"},
                "order_held_stock": {"hold_id": "hold_stock.hold_id", "deliver_to": "in.city"},
            },
            exports={
                "order_id": "order_held_stock.order_number",
                "total": "order_held_stock.amount_due",
                "currency": "order_held_stock.currency",
                "ordered_on": "order_held_stock.ordered_on",
                "delivery_date": "order_held_stock.arrives_on",
                "tracking_number": "order_held_stock.tracking_number",
            },
        ),
    ),
    examples=tuple(
        {"sku": sku, "quantity": quantity, "customer": customer, "city": city}
        for sku, quantity, customer, city in (
            ("KB-3105", 4, "Marta Lindqvist", "Stockholm"),
            ("MO-2127", 2, "Samir Haddoun", "Dubai"),
            ("PA-6030", 15, "Grace Wexley", "Toronto"),
            ("HS-4115", 3, "Keiko Hanabe", "Tokyo"),
            ("BP-8012", 1, "Tomas Ferreira", "Lisbon"),
        )
    ),
)

OFFER_WITHIN_BUDGET = Pattern(
    name="offer_within_budget",
    purpose="Find the best-rated product in stock of a category that a budget allows.",
    inputs=("category", "budget"),
    exports=("sku", "name", "price", "rating"),
    ways=(
        Way(
            "search_and_read",
            calls={
                "search_products": {"query": "in.category", "max_price": "in.budget", "sort": "rating"},
                "product_details": {"sku": "search_products.top_sku"},
            },
            exports={name: f"product_details.{name}" for name in ("sku", "name", "price", "rating")},
        ),
        Way(
            "shelf_and_choose",
            calls={
                "browse_category": {"category": "in.category"},
                "choose_offer": {"offers": "browse_category.offers", "max_price": "in.budget", "by": "rating"},
            },
            exports={name: f"choose_offer.best_{name}" for name in ("sku", "name", "price", "rating")},
        ),
    ),
    examples=(
        {"category": "office chairs", "budget": 200},
        {"category": "monitors", "budget": 300.0},
        {"category": "headsets", "budget": 131.45},
        {"category": "keyboards", "budget": 80},
        {"category": "printer paper", "budget": 30},
    ),
)

COUPON_PRICE = Pattern(
    name="coupon_price",
    purpose="Find what some pieces of a product cost with a coupon, delivery aside.",
    inputs=("sku", "quantity", "coupon"),
    exports=("payable", "saving", "currency"),
    ways=(
        Way(
            "reckoning",
            calls={
                "product_details": {"sku": "in.sku"},
                "order_total": {
                    "unit_price": "product_details.price",
                    "quantity": "in.quantity",
                    "coupon_code": "in.coupon",
                },
            },
            exports={
                "payable": "order_total.total",
                "saving": "order_total.discount",
                "currency": "order_total.currency",
            },
        ),
        Way(
            "coupon_check",
            calls={
                "search_products": {"query": "in.sku"},
                "coupon_discount": {
                    "code": "in.coupon",
                    "list_price": "search_products.top_price",
                    "pieces": "in.quantity",
                },
            },
            exports={
                "payable": "coupon_discount.payable",
                "saving": "coupon_discount.saving",
                "currency": "coupon_discount.currency",
            },
        ),
    ),
    examples=tuple(
        {"sku": sku, "quantity": quantity, "coupon": code}
        for sku, quantity, code in (
            ("KB-3105", 4, "SPRING10"),
            ("CH-1318", 2, "TEAM20"),
            ("MO-2110", 8, "BULK25"),
            ("CO-5042", 6, "COFFEE12"),
            ("LA-7023", 3, "STAFF30"),
        )
    ),
)
