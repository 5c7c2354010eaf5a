"""Invoices to customers: issued at once, or drafted and then finalised.

An invoice is known by its customer, amounts and currency, so that it cannot be issued twice, whichever tool does it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Formula, Known, Ordered, Requires, Sums
from sealegs.faults.invariants.invariant import Invariant
from sealegs.world.financial.books import (
    CUSTOMERS,
    WAITING_DRAFTS,
    Customer,
    account_for,
    customer_named,
)
from sealegs.world.financial.facts import HOME, VAT, exact_amount, rounded_amount
from sealegs.world.financial.money_arguments import CODED, Amount, Code, Country, PartyName
from sealegs.world.financial.tax import percent, tax_on_net
from sealegs.world.state import TODAY, identifier
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

Tax = Annotated[float, Field(ge=0, le=1e9, description="Value added tax on the net amount, in the same currency")]
DraftId = Annotated[str, Field(pattern=r"^DRF-[0-9A-F]{8}$", description="Id of an invoice draft, DRF-1A2B3C4D")]


@dataclass(frozen=True, slots=True)
class Bill:
    """A bill to a customer, whether drafted or issued.

    Raises:
        Refusal: 404 where the currency is not known, 400 where the amount is too fine for it.
    """

    customer: Customer
    net: float
    tax: float
    currency: str

    def __post_init__(self) -> None:
        exact_amount(self.net, self.currency)

    def id(self, prefix: str) -> str:
        """The bill's id as a draft (DRF) or as an invoice (INV)."""
        net = rounded_amount(self.net, self.currency)
        return identifier(prefix, self.customer.id, net, self.tax, self.currency)

    @property
    def total(self) -> float:
        """Net amount and tax."""
        return rounded_amount(self.net + self.tax, self.currency)

    @property
    def details(self) -> dict[str, Any]:
        """The fields that tell the bill from another of the same customer."""
        net = rounded_amount(self.net, self.currency)
        return {"net_amount": net, "vat_amount": self.tax, "currency": self.currency}

    @property
    def shown(self) -> dict[str, Any]:
        """The fields that draft and invoice share."""
        return {
            "customer_id": self.customer.id,
            "customer_name": self.customer.name,
            "net_amount": self.net,
            "vat_amount": self.tax,
            "total_amount": self.total,
            "currency": self.currency,
            "payment_terms_days": self.customer.terms,
        }


def _bill(customer: Customer, net: float, currency: str, country_code: str) -> Bill:
    return Bill(customer, net, tax_on_net(net, percent(country_code, "standard"), currency), currency)


_WAITING: Mapping[str, Bill] = {
    bill.id("DRF"): bill for bill in (_bill(CUSTOMERS[row[0]], *row[1:]) for row in WAITING_DRAFTS)
}


def _record(world: World, bill: Bill) -> None:
    """Enter the bill as a draft, unless it is one."""
    drafts: dict[str, Bill] = world.state("financial.drafts")
    if bill.id("DRF") not in drafts and bill.id("DRF") not in _WAITING:
        drafts[bill.id("DRF")] = bill
        world.effect("record_invoice", bill.customer.id, **bill.details)


def _refuse_second(world: World, bill: Bill) -> None:
    invoice_id = bill.id("INV")
    if invoice_id in world.state("financial.invoices"):
        message = "This invoice was issued already."
        raise Refusal(409, "InvoiceAlreadyIssued", message, invoice_id=invoice_id)


def _issued(world: World, bill: Bill) -> dict[str, Any]:
    world.state("financial.invoices")[bill.id("INV")] = True
    world.effect("issue_invoice", bill.customer.id, **bill.details)
    collecting = account_for("operating", bill.currency) or account_for("operating", HOME)
    assert collecting is not None
    due = date.fromisoformat(TODAY) + timedelta(days=bill.customer.terms)
    return {
        **bill.shown,
        "invoice_id": bill.id("INV"),
        "draft_id": bill.id("DRF"),
        "status": "issued",
        "issued_on": TODAY,
        "due_on": due.isoformat(),
        "collection_account_id": collecting.id,
    }


class Billed(Answer):
    """The amounts that a customer is billed."""

    customer_id: str = Field(description="Id of the customer")
    customer_name: str = Field(description="Full name of the customer")
    net_amount: float = Field(description="Amount before tax")
    vat_amount: float = Field(description="Value added tax")
    total_amount: float = Field(description="Amount to pay")
    currency: str = Field(description="Currency of every amount")
    payment_terms_days: int = Field(description="Days that the customer has to pay")


class InvoiceDraft(Billed):
    """An invoice that is not sent yet."""

    draft_id: str = Field(description="Id of the draft")
    tax_country: str = Field(description="Country whose tax was applied, ISO 3166-1 alpha-2")
    vat_rate: float = Field(description="Standard rate of that country in per cent")
    status: Literal["draft"] = Field(description="The invoice is a draft")


class Invoice(Billed):
    """An invoice that was sent to the customer."""

    invoice_id: str = Field(description="Number of the invoice")
    draft_id: str = Field(description="Id of the draft behind it")
    status: Literal["issued"] = Field(description="The invoice is with the customer")
    issued_on: str = Field(description="Day of issue")
    due_on: str = Field(description="Last day to pay")
    collection_account_id: str = Field(description="Account of the company on which the payment is expected")


_BILLED: tuple[Invariant, ...] = (
    Sums("total_amount", ("net_amount", "vat_amount")),
    Bounds("total_amount", 0, 2e9),
    Bounds("vat_amount", 0, 1e9),
    Bounds("payment_terms_days", 0, 120),
    CODED,
)
_SENT: tuple[Invariant, ...] = (
    *_BILLED,
    Requires("invoice_id", "status", "issued"),
    Requires("draft_id", "status", "issued"),
    Requires("customer_id", "status", "issued"),
    Requires("collection_account_id", "status", "issued"),
    Ordered("issued_on", "due_on"),
    Formula(
        "payment_terms_days",
        ("issued_on", "due_on"),
        lambda issued, due: (date.fromisoformat(due) - date.fromisoformat(issued)).days,
        "payment_terms_days lie between issued_on and due_on",
    ),
)


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="invoice_history",
    parts=2,
    answer=Invoice,
    examples=(
        {"customer_name": "Isar Machine Tools", "net_amount": 1200.0, "vat_amount": 228.0, "currency": "EUR"},
        {"customer_name": "Dorset Dairy Union", "net_amount": 845.5, "vat_amount": 169.1, "currency": "GBP"},
        {"customer_name": "Edelweiss Watch Parts", "net_amount": 3980, "vat_amount": 322.38, "currency": "CHF"},
        {"customer_name": "Hanami Stationery", "net_amount": 64000, "vat_amount": 6400, "currency": "JPY"},
    ),
    refusals=(
        ({"customer_name": "Nobody and Sons", "net_amount": 100, "vat_amount": 19, "currency": "EUR"}, 404),
        ({"customer_name": "Aurelia Hotels", "net_amount": 100, "vat_amount": 230, "currency": "EUR"}, 400),
        ({"customer_name": "Aurelia Hotels", "net_amount": 100, "vat_amount": -1, "currency": "EUR"}, 422),
    ),
    echoes=("customer_name", "net_amount", "vat_amount", "currency"),
    invariants=_SENT,
)
def issue_invoice(
    world: World, customer_name: PartyName, net_amount: Amount, vat_amount: Tax, currency: Code
) -> dict[str, Any]:
    """Issue an invoice to a customer at once, for a net amount and a tax amount that you have worked out already."""
    customer = customer_named(customer_name)
    if vat_amount > 0.3 * net_amount:
        message = f"{vat_amount} is no plausible tax on {net_amount}: more than 30 per cent."
        raise Refusal(400, "TaxImplausible", message, net_amount=net_amount)
    tax = exact_amount(vat_amount, currency) if vat_amount else 0.0
    bill = Bill(customer, net_amount, tax, currency)
    _refuse_second(world, bill)
    _record(world, bill)
    return _issued(world, bill)


@simulated_tool(
    category="action",
    repeat="no_effect",
    shown_by="invoice_history",
    answer=InvoiceDraft,
    examples=(
        {"customer_name": "Isar Machine Tools", "net_amount": 1200.0, "currency": "EUR", "tax_country": "DE"},
        {"customer_name": "Dorset Dairy Union", "net_amount": 845.5, "currency": "GBP", "tax_country": "GB"},
        {"customer_name": "Aurelia Hotels", "net_amount": 2310, "currency": "EUR", "tax_country": "PT"},
        {"customer_name": "Hanami Stationery", "net_amount": 64000, "currency": "JPY", "tax_country": "JP"},
    ),
    refusals=(
        ({"customer_name": "Nobody and Sons", "net_amount": 100, "currency": "EUR", "tax_country": "DE"}, 404),
        ({"customer_name": "Aurelia Hotels", "net_amount": 100, "currency": "USD", "tax_country": "US"}, 404),
    ),
    echoes=("customer_name", "net_amount", "currency", "tax_country"),
    invariants=(
        *_BILLED,
        Requires("draft_id", "status", "draft"),
        Requires("customer_id", "status", "draft"),
        Known("vat_rate", "tax_country", {code: v.standard for code, v in VAT.items()}),
        Formula(
            "vat_amount", ("net_amount", "vat_rate", "currency"), tax_on_net, "vat_amount is vat_rate of net_amount"
        ),
    ),
)
def draft_invoice(
    world: World, customer_name: PartyName, net_amount: Amount, currency: Code, tax_country: Country
) -> dict[str, Any]:
    """Draft an invoice for a customer and add the standard tax of a country; nothing is sent until it is finalised."""
    bill = _bill(customer_named(customer_name), net_amount, currency, tax_country)
    _refuse_second(world, bill)
    _record(world, bill)
    return {
        **bill.shown,
        "draft_id": bill.id("DRF"),
        "tax_country": tax_country,
        "vat_rate": VAT[tax_country].standard,
        "status": "draft",
    }


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="invoice_history",
    answer=Invoice,
    examples=tuple({"draft_id": draft_id} for draft_id in _WAITING),
    refusals=(
        ({"draft_id": "DRF-00000000"}, 404),
        ({"draft_id": "first"}, 422),
    ),
    echoes=("draft_id",),
    invariants=_SENT,
)
def finalise_invoice(world: World, draft_id: DraftId) -> dict[str, Any]:
    """Finalise an invoice draft: it gets its number and due day and is sent to the customer."""
    bill = _WAITING.get(draft_id) or world.state("financial.drafts").get(draft_id)
    if bill is None:
        raise Refusal(404, "DraftNotFound", f"There is no invoice draft {draft_id!r}.", draft_id=draft_id)
    _refuse_second(world, bill)
    return _issued(world, bill)
