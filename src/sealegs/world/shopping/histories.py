"""The history tools of the domain's actions, which show today's requests to the services of the shop."""

from __future__ import annotations

from sealegs.world.history import history
from sealegs.world.shopping.carts import add_to_cart, checkout_cart
from sealegs.world.shopping.collection import book_collection, confirm_collection_slot, hold_collection_slot
from sealegs.world.shopping.holds import hold_stock, order_held_stock
from sealegs.world.shopping.prices import set_price_alert
from sealegs.world.shopping.returns import open_return, refund_order_line, settle_return
from sealegs.world.shopping.suppliers import approve_restock, order_from_supplier, request_restock
from sealegs.world.shopping.warranty import register_order_warranty, register_warranty

order_history = history(
    "order_history",
    add_to_cart,
    checkout_cart,
    hold_stock,
    order_held_stock,
    set_price_alert,
    shows="Show what was put into carts, held and ordered today, and what price alerts were set.",
)
collection_history = history(
    "collection_history",
    hold_collection_slot,
    confirm_collection_slot,
    book_collection,
    shows="Show what hours at collection points were held and booked today.",
)
return_history = history(
    "return_history",
    open_return,
    settle_return,
    refund_order_line,
    shows="Show what goods were taken back and what was refunded today.",
)
restock_history = history(
    "restock_history",
    request_restock,
    approve_restock,
    order_from_supplier,
    shows="Show what goods were bought in from suppliers today.",
)
warranty_history = history(
    "warranty_history",
    register_warranty,
    register_order_warranty,
    shows="Show what warranties were registered today.",
)
