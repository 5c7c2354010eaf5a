"""Debts of customers: invoices past their due day, and mandates by which the company may collect. Facts only."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from sealegs.world.financial.books import CUSTOMERS, IBAN_COUNTRIES, Customer, customer_named, iban
from sealegs.world.financial.facts import HOME, convert_amount, rounded_amount
from sealegs.world.state import TODAY
from sealegs.world.tool import Refusal

LATE_RATE = 8.0
"""Interest on late payment, per cent a year."""

LEVEL_FEES = {1: 0.0, 2: 10.0, 3: 25.0}
"""What a reminder of each level costs the customer, in euro."""

LEVEL_DAYS = {1: 14, 2: 10, 3: 7}
"""Days that a reminder of each level gives to pay."""


@dataclass(frozen=True, slots=True)
class OpenItem:
    """An invoice that is not paid, and how many reminders were sent for it before the world's moment."""

    invoice_no: str
    customer_id: str
    amount: float
    currency: str
    due_on: str
    reminders: int

    @property
    def customer(self) -> Customer:
        """The customer who owes it."""
        return CUSTOMERS[self.customer_id]

    @property
    def days(self) -> int:
        """Days since it was due."""
        return (date.fromisoformat(TODAY) - date.fromisoformat(self.due_on)).days

    @property
    def interest(self) -> float:
        """Interest for late payment until today."""
        return rounded_amount(self.amount * LATE_RATE * self.days / 36500, self.currency)

    def fee(self, level: int) -> float:
        """The charge for a reminder of this level, in the invoice's currency."""
        return convert_amount(LEVEL_FEES[level], HOME, self.currency) if LEVEL_FEES[level] else 0.0


_OPEN = (
    OpenItem("AR-2025-0871", "CUS-3101", 4_280.00, "EUR", "2025-12-19", 1),
    OpenItem("AR-2026-0034", "CUS-3101", 1_965.40, "EUR", "2026-02-06", 0),
    OpenItem("AR-2025-0902", "CUS-3102", 61_400.00, "SEK", "2026-01-12", 1),
    OpenItem("AR-2025-0915", "CUS-3103", 8_120.50, "SGD", "2026-01-08", 0),
    OpenItem("AR-2026-0051", "CUS-3103", 3_377.00, "SGD", "2026-02-13", 0),
    OpenItem("AR-2025-0844", "CUS-3104", 2_640.75, "GBP", "2025-11-28", 2),
    OpenItem("AR-2026-0012", "CUS-3104", 918.20, "GBP", "2026-01-30", 0),
    OpenItem("AR-2026-0027", "CUS-3105", 5_790.00, "CHF", "2026-02-03", 0),
    OpenItem("AR-2025-0867", "CUS-3106", 12_350.60, "EUR", "2025-12-15", 1),
    OpenItem("AR-2025-0933", "CUS-3106", 7_004.10, "EUR", "2026-01-21", 0),
    OpenItem("AR-2026-0040", "CUS-3106", 2_218.00, "EUR", "2026-02-17", 0),
    OpenItem("AR-2025-0889", "CUS-3108", 486_000, "JPY", "2026-01-05", 1),
    OpenItem("AR-2026-0046", "CUS-3109", 3_145.90, "EUR", "2026-02-10", 0),
    OpenItem("AR-2025-0858", "CUS-3111", 9_466.30, "CAD", "2025-12-09", 2),
    OpenItem("AR-2026-0019", "CUS-3111", 1_720.00, "CAD", "2026-02-02", 0),
    OpenItem("AR-2025-0921", "CUS-3113", 2_087.35, "EUR", "2026-01-16", 1),
)
OPEN_ITEMS = {item.invoice_no: item for item in _OPEN}


def open_item(invoice_no: str) -> OpenItem:
    """The unpaid invoice of this number.

    Raises:
        Refusal: 404 where there is none.
    """
    found = OPEN_ITEMS.get(invoice_no)
    if found is None:
        message = f"No overdue invoice has the number {invoice_no!r}."
        raise Refusal(404, "InvoiceNotFound", message, invoice_no=invoice_no)
    return found


def overdue_items(customer_name: str) -> list[OpenItem]:
    """The overdue invoices of the customer, the longest overdue first.

    Raises:
        Refusal: 404 where the customer is not known or owes nothing.
    """
    customer = customer_named(customer_name)
    found = sorted((item for item in _OPEN if item.customer_id == customer.id), key=lambda item: item.due_on)
    if not found:
        raise Refusal(404, "NothingOverdue", f"{customer.name} has no overdue invoice.", customer_id=customer.id)
    return found


@dataclass(frozen=True, slots=True)
class Mandate:
    """A customer's leave to collect from its bank account; `notice` in days, `ceiling` for each collection."""

    id: str
    customer_id: str
    scheme: str
    currency: str
    iban: str
    notice: int
    ceiling: float
    signed_on: str
    ends_on: str

    @property
    def customer(self) -> Customer:
        """The customer who gave it."""
        return CUSTOMERS[self.customer_id]

    @property
    def country(self) -> str:
        """Country of the customer's bank."""
        return IBAN_COUNTRIES[self.iban[:2]]


def _mandate(id: str, customer: str, scheme: str, currency: str, bank: str, *rest: str | float) -> Mandate:
    notice, ceiling, signed, ends = rest
    account = iban(bank[:2], bank[2:])
    return Mandate(id, customer, scheme, currency, account, int(notice), float(ceiling), str(signed), str(ends))


_MANDATES = (
    _mandate("MND-5101", "CUS-3101", "core", "EUR", "PT000700000012345678923", 5, 6_000, "2023-05-11", "2027-05-10"),
    _mandate("MND-5102", "CUS-3102", "core", "SEK", "SE50000000058311200456", 4, 90_000, "2024-02-19", "2028-02-18"),
    _mandate("MND-5104", "CUS-3104", "core", "GBP", "GBTSWK40218861207734", 3, 5_000, "2022-11-03", "2026-11-02"),
    _mandate("MND-5105", "CUS-3105", "core", "CHF", "CH00762011623858812", 6, 12_000, "2025-01-27", "2029-01-26"),
    _mandate(
        "MND-5106", "CUS-3106", "business", "EUR", "FR20041010050500027M02614", 2, 20_000, "2024-09-16", "2028-09-15"
    ),
    _mandate("MND-5107", "CUS-3107", "core", "EUR", "ES91000418450200077231", 5, 4_500, "2023-10-02", "2027-10-01"),
    _mandate("MND-5109", "CUS-3109", "business", "EUR", "DE370501980031556210", 2, 15_000, "2025-06-23", "2029-06-22"),
    _mandate("MND-5112", "CUS-3112", "core", "EUR", "ITX0542811101000000654321", 5, 8_000, "2022-04-08", "2026-04-07"),
    _mandate("MND-5113", "CUS-3113", "business", "EUR", "NLMSRT0411729305", 2, 9_500, "2024-12-12", "2028-12-11"),
    _mandate("MND-5114", "CUS-3114", "core", "EUR", "AT1904300234588317", 5, 3_000, "2025-03-31", "2029-03-30"),
)
MANDATES = {mandate.id: mandate for mandate in _MANDATES}


def mandate(id: str) -> Mandate:
    """The mandate of this id.

    Raises:
        Refusal: 404 where there is none.
    """
    found = MANDATES.get(id)
    if found is None:
        raise Refusal(404, "MandateNotFound", f"There is no direct debit mandate {id!r}.", mandate_id=id)
    return found


def mandate_of(customer_name: str) -> Mandate:
    """The mandate that the customer gave.

    Raises:
        Refusal: 404 where the customer is not known or gave none.
    """
    customer = customer_named(customer_name)
    found = next((m for m in _MANDATES if m.customer_id == customer.id), None)
    if found is None:
        message = f"{customer.name} has given no direct debit mandate."
        raise Refusal(404, "MandateNotFound", message, customer_id=customer.id)
    return found
