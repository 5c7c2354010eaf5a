"""Alternative groups of the shopping domain about goods on the move: parcels collected, goods bought in."""

from __future__ import annotations

from sealegs.tasks.pattern import Pattern, Way

__all__ = ["PARCEL_COLLECTION", "RESTOCK_ORDER"]

PARCEL_COLLECTION = Pattern(
    name="parcel_collection",
    purpose="Book the first free hour of a day to collect an order's parcel at a city's most central collection point.",
    inputs=("city", "order_id", "date"),
    exports=("collection_id", "point_name", "address", "starts_at", "ends_at", "customer"),
    ways=(
        Way(
            "choose_and_book",
            calls={
                "collection_points": {"city": "in.city"},
                "book_collection": {
                    "point_id": "collection_points.central_point_id",
                    "order_id": "in.order_id",
                    "date": "in.date",
                },
            },
            exports={
                name: f"book_collection.{name}"
                for name in ("collection_id", "point_name", "address", "starts_at", "ends_at", "customer")
            },
        ),
        Way(
            "hold_and_confirm",
            calls={
                "hold_collection_slot": {"city": "in.city", "order_id": "in.order_id", "date": "in.date"},
                "confirm_collection_slot": {"hold_id": "hold_collection_slot.hold_id"},
            },
            exports={
                "collection_id": "confirm_collection_slot.collection_id",
                "point_name": "hold_collection_slot.point_name",
                "address": "confirm_collection_slot.address",
                "starts_at": "hold_collection_slot.hour_starts",
                "ends_at": "hold_collection_slot.hour_ends",
                "customer": "confirm_collection_slot.customer",
            },
        ),
    ),
    examples=tuple(
        {"city": city, "order_id": order_id, "date": day}
        for city, order_id, day in (
            ("Paris", "ORD-16D9A3F8", "2026-03-04"),
            ("Toronto", "ORD-48E0FB92", "2026-03-09"),
            ("Dubai", "ORD-C7715E2D", "2026-03-05"),
            ("Tokyo", "ORD-70B9E6C3", "2026-03-13"),
        )
    ),
)

RESTOCK_ORDER = Pattern(
    name="restock_order",
    purpose="Buy pieces of a product in for the shop from its cheapest supplier.",
    inputs=("sku", "quantity"),
    exports=("po_number", "supplier", "supplier_email", "product", "total", "currency", "due_on"),
    ways=(
        Way(
            "compare_and_order",
            calls={
                "supplier_offers": {"sku": "in.sku"},
                "order_from_supplier": {
                    "supplier_id": "supplier_offers.cheapest_supplier_id",
                    "sku": "in.sku",
                    "quantity": "in.quantity",
                },
            },
            exports={
                name: f"order_from_supplier.{name}"
                for name in ("po_number", "supplier", "supplier_email", "product", "total", "currency", "due_on")
            },
        ),
        Way(
            "request_and_approve",
            calls={
                "request_restock": {"sku": "in.sku", "quantity": "in.quantity"},
                "approve_restock": {"request_id": "request_restock.request_id"},
            },
            exports={
                "po_number": "approve_restock.purchase_order",
                "supplier": "approve_restock.vendor",
                "supplier_email": "approve_restock.vendor_email",
                "product": "approve_restock.product",
                "total": "approve_restock.amount",
                "currency": "approve_restock.currency",
                "due_on": "approve_restock.due_on",
            },
        ),
    ),
    examples=tuple(
        {"sku": sku, "quantity": quantity}
        for sku, quantity in (("CH-1318", 20), ("MO-2127", 12), ("CO-5042", 40), ("BP-8050", 15), ("LA-7023", 8))
    ),
)
