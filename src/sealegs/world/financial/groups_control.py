"""Alternative groups of the financial domain: cards, budgets, purchases."""

from __future__ import annotations

from sealegs.tasks.pattern import Pattern, Way
from sealegs.world.financial.wiring import given, rows, told

__all__ = [
    "BUDGET_EMPTIED",
    "BUDGET_MOVED",
    "CARDHOLDER_LIMIT",
    "CARD_LIMIT",
    "CARD_SPENDING",
    "CENTRE_BUDGET",
    "GOODS_ORDERED",
]

CARD_SPENDING = Pattern(
    name="card_spending",
    purpose="Which company card an employee holds, and what was spent with it in the current billing period.",
    inputs=("holder",),
    exports=("card_id", "spent", "currency"),
    ways=(
        Way("card", {"find_card": given("holder")}, told("find_card", "card_id", "spent", "currency")),
        Way("statement", {"card_statement": given("holder")}, told("card_statement", "card_id", "spent", "currency")),
    ),
    examples=rows(("holder",), ("Jonas Kellerhals",), ("Priya Ramanath",), ("Oliver Finchley",), ("Yuki Hanabe",)),
)

_LIMIT = ("change_id", "monthly_limit", "available", "currency")
_REQUESTED = {"approve_card_limit": {"request_id": "request_card_limit.request_id"}}

CARD_LIMIT = Pattern(
    name="card_limit",
    purpose="Give a company card another spending limit.",
    inputs=("card_id", "monthly_limit"),
    exports=_LIMIT,
    ways=(
        Way("at_once", {"set_card_limit": given("card_id", "monthly_limit")}, told("set_card_limit", *_LIMIT)),
        Way(
            "request_and_approve",
            {"request_card_limit": given("card_id", "monthly_limit"), **_REQUESTED},
            told("approve_card_limit", *_LIMIT),
        ),
    ),
    examples=rows(
        ("card_id", "monthly_limit"),
        ("CRD-4102", 3200.0),
        ("CRD-4202", 1500),
        ("CRD-4303", 4750.5),
        ("CRD-4401", 65000),
    ),
)

CARDHOLDER_LIMIT = Pattern(
    name="cardholder_limit",
    purpose="Give the company card of an employee, known by name, another spending limit.",
    inputs=("holder", "monthly_limit"),
    exports=("card_id", *_LIMIT),
    ways=(
        Way(
            "find_and_set",
            {
                "find_card": given("holder"),
                "set_card_limit": {"card_id": "find_card.card_id", "monthly_limit": "in.monthly_limit"},
            },
            told("set_card_limit", "card_id", *_LIMIT),
        ),
        Way(
            "statement_and_request",
            {
                "card_statement": given("holder"),
                "request_card_limit": {"card_id": "card_statement.card_id", "monthly_limit": "in.monthly_limit"},
                **_REQUESTED,
            },
            told("approve_card_limit", "card_id", *_LIMIT),
        ),
    ),
    examples=rows(
        ("holder", "monthly_limit"),
        ("Lena Borgmann", 9500.0),
        ("Mei Tan", 3400),
        ("Grace Whitlow", 6000),
        ("Kenji Morioka", 380000),
    ),
)

_STANDING = ("cost_centre_name", "annual_budget", "budget_spent", "budget_remaining")

CENTRE_BUDGET = Pattern(
    name="centre_budget",
    purpose="How a cost centre's budget stands this year: granted, spent, and still to be spent.",
    inputs=("cost_centre",),
    exports=_STANDING,
    ways=(
        Way("summary", {"cost_centre_budget": given("cost_centre")}, told("cost_centre_budget", *_STANDING)),
        Way("lines", {"budget_lines": given("cost_centre")}, told("budget_lines", *_STANDING)),
    ),
    examples=rows(("cost_centre",), ("CC-120",), ("CC-220",), ("CC-310",), ("CC-410",), ("CC-510",)),
)

_MOVED = ("transfer_id", "amount", "to_budget_remaining", "currency")
_ASSIGNED = {
    "assign_budget": {"release_id": "release_budget.release_id", "to_cost_centre": "in.to_cost_centre"},
}

BUDGET_MOVED = Pattern(
    name="budget_moved",
    purpose="Move an amount of budget, in euro, from one cost centre to another.",
    inputs=("from_cost_centre", "to_cost_centre", "amount"),
    exports=_MOVED,
    ways=(
        Way(
            "at_once",
            {"transfer_budget": given("from_cost_centre", "to_cost_centre", "amount")},
            told("transfer_budget", *_MOVED),
        ),
        Way(
            "release_and_assign",
            {"release_budget": given("amount", cost_centre="from_cost_centre"), **_ASSIGNED},
            told("assign_budget", *_MOVED),
        ),
    ),
    examples=rows(
        ("from_cost_centre", "to_cost_centre", "amount"),
        ("CC-210", "CC-230", 6000.0),
        ("CC-420", "CC-110", 1875.25),
        ("CC-330", "CC-320", 940),
        ("CC-120", "CC-510", 12500),
    ),
)

BUDGET_EMPTIED = Pattern(
    name="budget_emptied",
    purpose="Move all that is left of a cost centre's budget to another cost centre.",
    inputs=("from_cost_centre", "to_cost_centre"),
    exports=_MOVED,
    ways=(
        Way(
            "read_and_transfer",
            {
                "cost_centre_budget": given(cost_centre="from_cost_centre"),
                "transfer_budget": {
                    "from_cost_centre": "in.from_cost_centre",
                    "to_cost_centre": "in.to_cost_centre",
                    "amount": "cost_centre_budget.budget_remaining",
                },
            },
            told("transfer_budget", *_MOVED),
        ),
        Way(
            "list_release_and_assign",
            {
                "budget_lines": given(cost_centre="from_cost_centre"),
                "release_budget": {"cost_centre": "in.from_cost_centre", "amount": "budget_lines.budget_remaining"},
                **_ASSIGNED,
            },
            told("assign_budget", *_MOVED),
        ),
    ),
    examples=rows(
        ("from_cost_centre", "to_cost_centre"),
        ("CC-230", "CC-210"),
        ("CC-320", "CC-330"),
        ("CC-130", "CC-120"),
        ("CC-510", "CC-110"),
    ),
)

_TERMS = ("cost_centre", "goods", "quantity", "unit_price", "currency")
_ORDER = ("po_number", "net_amount", "committed_amount", "budget_remaining", "deliver_by")

GOODS_ORDERED = Pattern(
    name="goods_ordered",
    purpose="Order goods or services from a supplier of the address book on a cost centre.",
    inputs=("supplier_name", *_TERMS),
    exports=_ORDER,
    ways=(
        Way(
            "look_up_and_order",
            {
                "find_payee": given(name="supplier_name"),
                "raise_purchase_order": {"payee_id": "find_payee.payee_id", **given(*_TERMS)},
            },
            told("raise_purchase_order", *_ORDER),
        ),
        Way(
            "requisition_and_approval",
            {
                "raise_requisition": given("supplier_name", *_TERMS),
                "approve_requisition": {"requisition_id": "raise_requisition.requisition_id"},
            },
            told("approve_requisition", *_ORDER),
        ),
    ),
    examples=rows(
        ("supplier_name", *_TERMS),
        ("Brightwater Catering", "CC-310", "catering", 35, 28.9, "EUR"),
        ("Lindqvist Office Supply", "CC-410", "office supplies", 120, 84.0, "SEK"),
        ("Moreau Legal Partners", "CC-330", "legal advice", 18, 240, "EUR"),
        ("Desert Rose Exhibitions", "CC-120", "event space", 3, 7250.0, "AED"),
        ("Alpenblick Facility Services", "CC-420", "electrical work", 22, 135.5, "CHF"),
    ),
)
