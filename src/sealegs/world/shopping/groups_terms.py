"""Alternative groups of the shopping domain about prices: coupons on a given price, and what customs asks."""

from __future__ import annotations

from sealegs.tasks.pattern import Pattern, Way

__all__ = ["COUPON_SAVING", "DISCOUNTED_IMPORT", "IMPORT_COSTS"]

COUPON_SAVING = Pattern(
    name="coupon_saving",
    purpose="Find what some pieces at a known price cost with a coupon.",
    inputs=("unit_price", "quantity", "coupon"),
    exports=("payable", "saving", "currency"),
    ways=(
        Way(
            "reckoning",
            calls={
                "order_total": {"unit_price": "in.unit_price", "quantity": "in.quantity", "coupon_code": "in.coupon"}
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
                "coupon_discount": {"code": "in.coupon", "list_price": "in.unit_price", "pieces": "in.quantity"},
            },
            exports={
                "payable": "coupon_discount.payable",
                "saving": "coupon_discount.saving",
                "currency": "coupon_discount.currency",
            },
        ),
    ),
    examples=tuple(
        {"unit_price": price, "quantity": quantity, "coupon": code}
        for price, quantity, code in (
            (49.90, 4, "SPRING10"),
            (329.0, 2, "TEAM20"),
            (164.0, 8, "BULK25"),
            (31.0, 6, "COFFEE12"),
            (58.0, 3, "STAFF30"),
        )
    ),
)

_CHARGED = ("duty", "import_tax", "charges", "landed_total", "currency")
_BY_CATEGORY = {
    "duty": "landed_cost.duty",
    "import_tax": "landed_cost.import_tax",
    "charges": "landed_cost.charges",
    "landed_total": "landed_cost.landed_total",
    "currency": "landed_cost.currency",
}
_BY_RATES = {
    "duty": "import_charges.duty_amount",
    "import_tax": "import_charges.tax_amount",
    "charges": "import_charges.charges_total",
    "landed_total": "import_charges.cost_with_charges",
    "currency": "import_charges.currency",
}
_RATES = {
    "duty_percent": "import_rates.duty_percent",
    "tax_percent": "import_rates.import_tax_percent",
    "duty_free_up_to": "import_rates.duty_free_up_to",
}

IMPORT_COSTS = Pattern(
    name="import_costs",
    purpose="Find what customs asks for goods of a category sent to a country, and what they cost with that.",
    inputs=("category", "country", "goods_value", "shipping"),
    exports=_CHARGED,
    ways=(
        Way(
            "landed",
            calls={
                "landed_cost": {
                    "category": "in.category",
                    "country": "in.country",
                    "goods_value": "in.goods_value",
                    "shipping": "in.shipping",
                }
            },
            exports=_BY_CATEGORY,
        ),
        Way(
            "tariff",
            calls={
                "import_rates": {"category": "in.category", "country": "in.country"},
                "import_charges": {"goods_value": "in.goods_value", "shipping": "in.shipping", **_RATES},
            },
            exports=_BY_RATES,
        ),
    ),
    examples=tuple(
        {"category": category, "country": country, "goods_value": goods_value, "shipping": shipping}
        for category, country, goods_value, shipping in (
            ("backpacks", "Japan", 640.0, 31.5),
            ("keyboards", "Portugal", 199.6, 7.04),
            ("coffee", "India", 252.0, 55.9),
            ("office chairs", "United States", 1316.0, 45.66),
            ("desk lamps", "Germany", 88.0, 9.8),
        )
    ),
)

DISCOUNTED_IMPORT = Pattern(
    name="discounted_import",
    purpose="Find what customs asks for some pieces at a known price, bought with a coupon and sent to a country.",
    inputs=("unit_price", "quantity", "coupon", "shipping", "category", "country"),
    exports=("payable", *_CHARGED),
    ways=(
        Way(
            "reckoning_and_landed",
            calls={
                "order_total": {"unit_price": "in.unit_price", "quantity": "in.quantity", "coupon_code": "in.coupon"},
                "landed_cost": {
                    "category": "in.category",
                    "country": "in.country",
                    "goods_value": "order_total.net",
                    "shipping": "in.shipping",
                },
            },
            exports={"payable": "order_total.net", **_BY_CATEGORY},
        ),
        Way(
            "coupon_check_and_tariff",
            calls={
                "coupon_discount": {"code": "in.coupon", "list_price": "in.unit_price", "pieces": "in.quantity"},
                "import_rates": {"category": "in.category", "country": "in.country"},
                "import_charges": {"goods_value": "coupon_discount.payable", "shipping": "in.shipping", **_RATES},
            },
            exports={"payable": "coupon_discount.payable", **_BY_RATES},
        ),
    ),
    examples=tuple(
        {
            "unit_price": price,
            "quantity": quantity,
            "coupon": code,
            "shipping": shipping,
            "category": category,
            "country": country,
        }
        for price, quantity, code, shipping, category, country in (
            (64.0, 10, "SPRING10", 31.5, "backpacks", "Japan"),
            (329.0, 2, "TEAM20", 45.66, "office chairs", "Canada"),
            (164.0, 8, "BULK25", 33.0, "monitors", "Portugal"),
            (31.0, 6, "COFFEE12", 55.9, "coffee", "India"),
            (58.0, 3, "STAFF30", 12.4, "desk lamps", "Mexico"),
        )
    ),
)
