"""Tools of the financial domain that can stand in for one another, or for others, on some inputs."""

from __future__ import annotations

from sealegs.world.tool import Overlap

BUDGETS = Overlap.of("budget_lines", "cost_centre_budget", "open_expense_report")
GROWTH = Overlap.of("amount_after_inflation", "compound_growth", "growth_schedule", "index_adjusted_amount")
ORDERS = Overlap.of(
    "order_catering", "order_from_supplier", "raise_purchase_order", "raise_requisition", "request_restock"
)
RAISED = Overlap.of(
    "amount_after_inflation", "import_charges", "index_adjusted_amount", "lodging_tax", "order_total", "vat_breakdown"
)
SPOT_RATES = Overlap.of("exchange_rate", "forward_points", "request_forward_quote")
SUMS = Overlap.of("discounted_cash_flow_table", "list_statistics", "net_present_value", "tally_amounts")
