"""The history tools of the domain's actions, which show today's requests to the services of money."""

from __future__ import annotations

from sealegs.world.financial.billing import draft_invoice, finalise_invoice, issue_invoice
from sealegs.world.financial.budget_moves import assign_budget, release_budget, transfer_budget
from sealegs.world.financial.card_limits import approve_card_limit, request_card_limit, set_card_limit
from sealegs.world.financial.debits import collect_by_mandate, collect_direct_debit
from sealegs.world.financial.dunning import prepare_dunning_run, send_dunning_run, send_payment_reminder
from sealegs.world.financial.expenses import add_expense_line, open_expense_report, submit_expense_claim
from sealegs.world.financial.forwards import accept_forward_quote, book_forward
from sealegs.world.financial.payments import authorise_payment_order, prepare_payment_order, send_payment
from sealegs.world.financial.purchasing import approve_requisition, raise_purchase_order, raise_requisition
from sealegs.world.financial.securities import place_security_order
from sealegs.world.history import history

invoice_history = history(
    "invoice_history",
    draft_invoice,
    finalise_invoice,
    issue_invoice,
    prepare_dunning_run,
    send_dunning_run,
    send_payment_reminder,
    shows="Show what invoices and payment reminders were drafted and sent today.",
)
payment_history = history(
    "payment_history",
    prepare_payment_order,
    authorise_payment_order,
    send_payment,
    collect_by_mandate,
    collect_direct_debit,
    shows="Show what payments and direct debits were ordered today.",
)
procurement_history = history(
    "procurement_history",
    release_budget,
    assign_budget,
    transfer_budget,
    raise_requisition,
    approve_requisition,
    raise_purchase_order,
    shows="Show what purchases were asked for and ordered today, and what budget was moved.",
)
spending_history = history(
    "spending_history",
    request_card_limit,
    approve_card_limit,
    set_card_limit,
    open_expense_report,
    add_expense_line,
    submit_expense_claim,
    shows="Show what was done today about company cards' limits and employees' expenses.",
)
trading_history = history(
    "trading_history",
    accept_forward_quote,
    book_forward,
    place_security_order,
    shows="Show what currency forwards and security orders were dealt today.",
)
