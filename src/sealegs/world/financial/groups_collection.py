"""Alternative groups of the financial domain: money that customers owe."""

from __future__ import annotations

from sealegs.tasks.pattern import Pattern, Way
from sealegs.world.financial.wiring import given, rows, told

__all__ = ["DEBIT_COLLECTION", "OVERDUE_REMINDER"]

_REMINDED = ("reminder_id", "invoice_no", "amount_due", "currency", "pay_by")

OVERDUE_REMINDER = Pattern(
    name="overdue_reminder",
    purpose="Send a customer a reminder of the invoice that is overdue longest, with interest and fee.",
    inputs=("customer_name",),
    exports=_REMINDED,
    ways=(
        Way(
            "list_and_remind",
            {
                "overdue_invoices": given("customer_name"),
                "send_payment_reminder": {"invoice_no": "overdue_invoices.oldest_invoice_no"},
            },
            told("send_payment_reminder", *_REMINDED),
        ),
        Way(
            "dunning_run",
            {
                "prepare_dunning_run": given("customer_name"),
                "send_dunning_run": {"run_id": "prepare_dunning_run.run_id"},
            },
            told("send_dunning_run", *_REMINDED),
        ),
    ),
    examples=rows(
        ("customer_name",),
        ("Aurelia Hotels",),
        ("Cobalt Bay Shipping",),
        ("Dorset Dairy Union",),
        ("Hanami Stationery",),
        ("Kestrel Aviation Training",),
    ),
)

_TERMS = ("amount", "currency", "collect_on")
_COLLECTED = ("collection_id", "credited_amount", "credit_account_id", "credited_on")

DEBIT_COLLECTION = Pattern(
    name="debit_collection",
    purpose="Collect an amount from a customer by direct debit on a later day.",
    inputs=("customer_name", *_TERMS),
    exports=_COLLECTED,
    ways=(
        Way(
            "by_name",
            {"collect_direct_debit": given("customer_name", *_TERMS)},
            told("collect_direct_debit", *_COLLECTED),
        ),
        Way(
            "by_mandate",
            {
                "find_debit_mandate": given("customer_name"),
                "collect_by_mandate": {"mandate_id": "find_debit_mandate.mandate_id", **given(*_TERMS)},
            },
            told("collect_by_mandate", *_COLLECTED),
        ),
    ),
    examples=rows(
        ("customer_name", *_TERMS),
        ("Fontaine Pharmacies", 7004.1, "EUR", "2026-03-09"),
        ("Isar Machine Tools", 3145.9, "EUR", "2026-03-27"),
        ("Granada Olive Growers", 1280, "EUR", "2026-04-08"),
        ("Baltic Timber Trading", 24500.0, "SEK", "2026-05-15"),
    ),
)
