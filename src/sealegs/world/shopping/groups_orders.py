"""Alternative groups of the shopping domain about orders that were placed: arrival, warranty, returns."""

from __future__ import annotations

from sealegs.tasks.pattern import Pattern, Way

__all__ = ["ORDER_ARRIVAL", "RETURNED_GOODS", "WARRANTY_OF_ORDER"]

ORDER_ARRIVAL = Pattern(
    name="order_arrival",
    purpose="Learn when an order's parcel leaves and arrives, where, and for whom it is.",
    inputs=("order_id", "tracking_number"),
    exports=("recipient", "city", "country", "ships_on", "delivery_date"),
    ways=(
        Way(
            "shop",
            calls={"customer_order": {"order_id": "in.order_id"}},
            exports={
                "recipient": "customer_order.customer",
                "city": "customer_order.city",
                "country": "customer_order.country",
                "ships_on": "customer_order.dispatch_on",
                "delivery_date": "customer_order.delivery_date",
            },
        ),
        Way(
            "carrier",
            calls={"track_parcel": {"tracking_number": "in.tracking_number"}},
            exports={
                "recipient": "track_parcel.recipient",
                "city": "track_parcel.destination_city",
                "country": "track_parcel.destination_country",
                "ships_on": "track_parcel.pickup_day",
                "delivery_date": "track_parcel.arrival_day",
            },
        ),
    ),
    examples=tuple(
        {"order_id": order_id, "tracking_number": tracking_number}
        for order_id, tracking_number in (
            ("ORD-3F81C2A0", "TRK-E0B74BD4"),
            ("ORD-B20C64EF", "TRK-28540C79"),
            ("ORD-16D9A3F8", "TRK-B1D9C568"),
            ("ORD-48E0FB92", "TRK-F86D264F"),
            ("ORD-9E70D2B8", "TRK-30A6910C"),
        )
    ),
)

WARRANTY_OF_ORDER = Pattern(
    name="warranty_of_order",
    purpose="Register the warranty of the first product of an order, of which only the number is known.",
    inputs=("order_id",),
    exports=("warranty_id", "product", "owner", "months", "expires_on"),
    ways=(
        Way(
            "from_order",
            calls={"register_order_warranty": {"order_id": "in.order_id"}},
            exports={
                "warranty_id": "register_order_warranty.registration",
                "product": "register_order_warranty.covers",
                "owner": "register_order_warranty.owner",
                "months": "register_order_warranty.months",
                "expires_on": "register_order_warranty.covered_until",
            },
        ),
        Way(
            "read_and_file",
            calls={
                "customer_order": {"order_id": "in.order_id"},
                "register_warranty": {
                    "sku": "customer_order.first_sku",
                    "owner": "customer_order.customer",
                    "purchased_on": "customer_order.placed_on",
                },
            },
            exports={
                "warranty_id": "register_warranty.warranty_id",
                "product": "register_warranty.product",
                "owner": "register_warranty.owner",
                "months": "register_warranty.months",
                "expires_on": "register_warranty.expires_on",
            },
        ),
    ),
    examples=tuple(
        {"order_id": order_id}
        for order_id in ("ORD-3F81C2A0", "ORD-6A2F90C4", "ORD-85D13E7B", "ORD-D36B8A17", "ORD-43F1A95E")
    ),
)

RETURNED_GOODS = Pattern(
    name="returned_goods",
    purpose="Send back pieces of the first product of an order and have them refunded.",
    inputs=("order_id", "quantity", "reason"),
    exports=("return_id", "refund_id", "product", "refund", "currency", "credited_on"),
    ways=(
        Way(
            "portal",
            calls={
                "open_return": {"order_id": "in.order_id", "quantity": "in.quantity", "reason": "in.reason"},
                "settle_return": {"return_id": "open_return.return_id"},
            },
            exports={
                "return_id": "open_return.return_id",
                "refund_id": "settle_return.refund_id",
                "product": "open_return.product",
                "refund": "settle_return.amount",
                "currency": "settle_return.currency",
                "credited_on": "settle_return.credited_on",
            },
        ),
        Way(
            "desk",
            calls={
                "customer_order": {"order_id": "in.order_id"},
                "refund_order_line": {
                    "line_id": "customer_order.first_line_id",
                    "pieces": "in.quantity",
                    "reason": "in.reason",
                },
            },
            exports={
                "return_id": "refund_order_line.return_number",
                "refund_id": "refund_order_line.refund_number",
                "product": "refund_order_line.product",
                "refund": "refund_order_line.refunded",
                "currency": "refund_order_line.currency",
                "credited_on": "refund_order_line.money_arrives_on",
            },
        ),
    ),
    examples=tuple(
        {"order_id": order_id, "quantity": quantity, "reason": reason}
        for order_id, quantity, reason in (
            ("ORD-3F81C2A0", 1, "damaged"),
            ("ORD-7C2E98B1", 2, "not needed"),
            ("ORD-91B07E44", 1, "arrived late"),
            ("ORD-27E6C81F", 4, "not needed"),
            ("ORD-BC5840D6", 3, "defective"),
        )
    ),
)
