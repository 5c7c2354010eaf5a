"""Customers who pay late: what is overdue, and reminders with interest and fee.

A reminder of an invoice is sent at once, or prepared by a dunning run over a customer's account and sent afterwards.
An invoice has three reminders at most, one a day. Does not cover collection agencies and courts.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Counts, Formula, OneOf, Ordered, Requires, Sums
from sealegs.faults.invariants.invariant import Invariant
from sealegs.world.financial.facts import rounded_amount
from sealegs.world.financial.money_arguments import CODED, PartyName
from sealegs.world.financial.receivable_facts import (
    LATE_RATE,
    LEVEL_DAYS,
    OPEN_ITEMS,
    OpenItem,
    open_item,
    overdue_items,
)
from sealegs.world.state import TODAY, identifier
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

InvoiceNo = Annotated[str, Field(pattern=r"^AR-\d{4}-\d{4}$", description="Number of an overdue invoice, AR-2025-0871")]
RunId = Annotated[str, Field(pattern=r"^DRN-[0-9A-F]{8}$", description="Id of a prepared dunning run, DRN-1A2B3C4D")]


class Item(Answer):
    """An overdue invoice."""

    invoice_no: str = Field(description="Number of the invoice")
    open_amount: float = Field(description="What is unpaid")
    due_on: str = Field(description="Day on which it was due")
    days_overdue: int = Field(description="Days since then")


class OverdueInvoices(Answer):
    """What a customer should have paid."""

    customer_id: str = Field(description="Id of the customer")
    customer_name: str = Field(description="Full name of the customer")
    currency: str = Field(description="Currency of every amount")
    total_overdue: float = Field(description="Sum of the overdue invoices")
    invoice_count: int = Field(description="How many invoices are overdue")
    oldest_invoice_no: str = Field(description="Number of the invoice that is overdue longest")
    oldest_amount: float = Field(description="What is unpaid of it")
    oldest_due_on: str = Field(description="Day on which it was due")
    oldest_days_overdue: int = Field(description="Days since then")
    as_of: str = Field(description="Day of the list")
    status: Literal["overdue", "paid"] = Field(description="Whether the customer owes anything")
    invoices: list[Item] = Field(description="The overdue invoices, the oldest first")


@simulated_tool(
    category="source",
    answer=OverdueInvoices,
    examples=tuple(
        {"customer_name": name}
        for name in ("Aurelia Hotels", "Baltic Timber Trading", "Dorset Dairy Union", "Fontaine Pharmacies")
    ),
    refusals=(
        ({"customer_name": "Nobody and Sons"}, 404),
        ({"customer_name": "Granada Olive Growers"}, 404),
        ({"customer_name": ""}, 422),
    ),
    echoes=("customer_name",),
    invariants=(
        CODED,
        Sums("total_overdue", ("invoices.open_amount",)),
        Counts("invoice_count", "invoices"),
        Bounds("total_overdue", 0, 1e9),
        Bounds("oldest_days_overdue", 1, 3650),
        Requires("customer_id", "status", "overdue"),
        Requires("oldest_invoice_no", "status", "overdue"),
        Formula(
            "oldest_amount", ("invoices.0.open_amount",), lambda amount: amount, "oldest_amount is that of the first"
        ),
        Ordered("oldest_due_on", "as_of"),
    ),
)
def overdue_invoices(world: World, customer_name: PartyName) -> dict[str, Any]:
    """List a customer's overdue invoices: numbers, open amounts, days overdue, their total, and the oldest of them."""
    items = overdue_items(customer_name)
    oldest = items[0]
    return {
        "customer_id": oldest.customer_id,
        "customer_name": oldest.customer.name,
        "currency": oldest.currency,
        "total_overdue": rounded_amount(sum(item.amount for item in items), oldest.currency),
        "invoice_count": len(items),
        "oldest_invoice_no": oldest.invoice_no,
        "oldest_amount": oldest.amount,
        "oldest_due_on": oldest.due_on,
        "oldest_days_overdue": oldest.days,
        "as_of": TODAY,
        "status": "overdue",
        "invoices": [
            {
                "invoice_no": item.invoice_no,
                "open_amount": item.amount,
                "due_on": item.due_on,
                "days_overdue": item.days,
            }
            for item in items
        ],
    }


class Claim(Answer):
    """A claim for an overdue invoice."""

    invoice_no: str = Field(description="Number of the invoice")
    customer_name: str = Field(description="Full name of the customer")
    level: int = Field(description="Level of the reminder, 1 to 3")
    open_amount: float = Field(description="What is unpaid")
    late_interest: float = Field(description="Interest for late payment until today")
    dunning_fee: float = Field(description="Charge for the reminder")
    amount_due: float = Field(description="All that the customer is to pay")
    currency: str = Field(description="Currency of every amount")
    due_on: str = Field(description="Day on which the invoice was due")
    days_overdue: int = Field(description="Days since then")
    pay_by: str = Field(description="Day until which the reminder gives time to pay")


class PreparedReminder(Claim):
    """A reminder that is not sent yet."""

    run_id: str = Field(description="Id of the dunning run")
    prepared_on: str = Field(description="Day of the run")
    status: Literal["prepared", "sent"] = Field(description="Whether the reminder waits")


class SentReminder(Claim):
    """A reminder that was sent."""

    reminder_id: str = Field(description="Id of the reminder")
    run_id: str = Field(description="Id of the dunning run behind it")
    sent_on: str = Field(description="Day on which it was sent")
    status: Literal["prepared", "sent"] = Field(description="Whether the reminder was sent")


_CLAIMED: tuple[Invariant, ...] = (
    CODED,
    Sums("amount_due", ("open_amount", "late_interest", "dunning_fee")),
    Bounds("amount_due", 0, 1e9),
    Bounds("open_amount", 0, 1e9),
    Bounds("dunning_fee", 0, 1e5),
    OneOf("level", (1, 2, 3), (0, 7, 12)),
    Formula(
        "late_interest",
        ("open_amount", "days_overdue"),
        lambda amount, days: amount * LATE_RATE * days / 36500,
        "late_interest is 8 per cent a year of open_amount for days_overdue",
    ),
    Ordered("due_on", "pay_by"),
)
_REMINDED: tuple[Invariant, ...] = (
    *_CLAIMED,
    Requires("reminder_id", "status", "sent"),
    Requires("run_id", "status", "sent"),
    Requires("customer_name", "status", "sent"),
    Requires("invoice_no", "status", "sent"),
    Ordered("sent_on", "pay_by"),
)


def _run_id(item: OpenItem) -> str:
    return identifier("DRN", item.invoice_no, item.reminders + 1)


_WAITING = {
    _run_id(item): item.invoice_no
    for item in map(open_item, ("AR-2025-0915", "AR-2025-0867", "AR-2025-0889", "AR-2026-0046"))
}


def _claim(item: OpenItem) -> dict[str, Any]:
    level = item.reminders + 1
    pay_by = date.fromisoformat(TODAY) + timedelta(days=LEVEL_DAYS[level])
    return {
        "invoice_no": item.invoice_no,
        "customer_name": item.customer.name,
        "level": level,
        "open_amount": item.amount,
        "late_interest": item.interest,
        "dunning_fee": item.fee(level),
        "amount_due": rounded_amount(item.amount + item.interest + item.fee(level), item.currency),
        "currency": item.currency,
        "due_on": item.due_on,
        "days_overdue": item.days,
        "pay_by": pay_by.isoformat(),
    }


def _prepare(world: World, item: OpenItem) -> None:
    """Enter the reminder as prepared, unless it is.

    Raises:
        Refusal: 409 where one was sent today.
    """
    if item.invoice_no in world.state("financial.reminders"):
        raise Refusal(409, "RemindedToday", f"A reminder of {item.invoice_no} was sent today already.")
    runs = world.state("financial.dunning_runs")
    if _run_id(item) not in runs and _run_id(item) not in _WAITING:
        runs[_run_id(item)] = item.invoice_no
        world.effect("prepare_reminder", item.customer_id, invoice_no=item.invoice_no, level=item.reminders + 1)


def _send(world: World, item: OpenItem) -> dict[str, Any]:
    _prepare(world, item)
    level = item.reminders + 1
    world.state("financial.reminders")[item.invoice_no] = level
    world.effect("send_reminder", item.customer_id, invoice_no=item.invoice_no, level=level)
    return {
        **_claim(item),
        "reminder_id": identifier("DUN", item.invoice_no, level),
        "run_id": _run_id(item),
        "sent_on": TODAY,
        "status": "sent",
    }


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="invoice_history",
    parts=2,
    answer=SentReminder,
    examples=tuple(
        {"invoice_no": invoice_no} for invoice_no in ("AR-2025-0871", "AR-2025-0902", "AR-2025-0844", "AR-2026-0051")
    ),
    refusals=(({"invoice_no": "AR-2019-0001"}, 404), ({"invoice_no": "17"}, 422)),
    echoes=("invoice_no",),
    invariants=_REMINDED,
)
def send_payment_reminder(world: World, invoice_no: InvoiceNo) -> dict[str, Any]:
    """Send a customer the next dunning letter for one overdue invoice, by its number, with late interest and fee."""
    return _send(world, open_item(invoice_no))


@simulated_tool(
    category="action",
    repeat="no_effect",
    shown_by="invoice_history",
    answer=PreparedReminder,
    examples=tuple(
        {"customer_name": name}
        for name in ("Aurelia Hotels", "Baltic Timber Trading", "Dorset Dairy Union", "Edelweiss Watch Parts")
    ),
    refusals=(
        ({"customer_name": "Nobody and Sons"}, 404),
        ({"customer_name": "Lombardy Ceramics"}, 404),
        ({"customer_name": "X"}, 422),
    ),
    echoes=("customer_name",),
    invariants=(
        *_CLAIMED,
        Requires("run_id", "status", "prepared"),
        Requires("invoice_no", "status", "prepared"),
        Ordered("prepared_on", "pay_by"),
    ),
)
def prepare_dunning_run(world: World, customer_name: PartyName) -> dict[str, Any]:
    """Run dunning over a customer's account: prepares, but does not send, the letter for the oldest overdue invoice."""
    item = overdue_items(customer_name)[0]
    _prepare(world, item)
    return {**_claim(item), "run_id": _run_id(item), "prepared_on": TODAY, "status": "prepared"}


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="invoice_history",
    answer=SentReminder,
    examples=tuple({"run_id": run_id} for run_id in _WAITING),
    refusals=(({"run_id": "DRN-00000000"}, 404), ({"run_id": "first"}, 422)),
    echoes=("run_id",),
    invariants=_REMINDED,
)
def send_dunning_run(world: World, run_id: RunId) -> dict[str, Any]:
    """Release a prepared dunning run, by its id, so that its letter goes out to the customer."""
    invoice_no = _WAITING.get(run_id) or world.state("financial.dunning_runs").get(run_id)
    if invoice_no is None:
        raise Refusal(404, "RunNotFound", f"There is no prepared dunning run {run_id!r}.", run_id=run_id)
    return _send(world, OPEN_ITEMS[invoice_no])
