"""Money collected from customers by direct debit, under a mandate that they gave.

A collection is known by mandate, amount and day, so that it cannot be made twice, whichever tool makes it.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Formula, Known, OneOf, Ordered, Requires, Sums
from sealegs.faults.invariants.invariant import Invariant
from sealegs.world.financial.books import IBAN_COUNTRIES, account_for
from sealegs.world.financial.facts import HOME, convert_amount, exact_amount, rounded_amount
from sealegs.world.financial.money_arguments import CODED, Amount, Code, Day, PartyName, coming_date
from sealegs.world.financial.receivable_facts import MANDATES, Mandate, mandate, mandate_of
from sealegs.world.state import TODAY, identifier
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

FEE = 0.35
"""What the bank takes for a collection, in euro."""

MandateId = Annotated[str, Field(pattern=r"^MND-\d{4}$", description="Id of a direct debit mandate, MND-5101")]


class SignedMandate(Answer):
    """A customer's direct debit mandate."""

    mandate_id: str = Field(description="Id of the mandate")
    customer_id: str = Field(description="Id of the customer")
    customer_name: str = Field(description="Full name of the customer")
    scheme: str = Field(description="Core (can be returned for eight weeks) or business (cannot)")
    debtor_iban: str = Field(description="Account that is debited")
    debtor_country_code: str = Field(description="Country of its bank, ISO 3166-1 alpha-2")
    debtor_country: str = Field(description="Country of its bank")
    currency: str = Field(description="Currency of the collections")
    ceiling: float = Field(description="Highest amount of a collection")
    notice_days: int = Field(description="Days between submission and collection, at least")
    signed_on: str = Field(description="Day on which it was given")
    ends_on: str = Field(description="Last day on which it can be used")
    status: Literal["active", "revoked"] = Field(description="Whether it can be used")


@simulated_tool(
    category="source",
    answer=SignedMandate,
    examples=tuple(
        {"customer_name": name}
        for name in ("Aurelia Hotels", "Baltic Timber Trading", "Dorset Dairy Union", "Fontaine Pharmacies")
    ),
    refusals=(
        ({"customer_name": "Nobody and Sons"}, 404),
        ({"customer_name": "Hanami Stationery"}, 404),
        ({"customer_name": ""}, 422),
    ),
    echoes=("customer_name",),
    invariants=(
        CODED,
        OneOf("scheme", ("core", "business"), ("giro", "prepaid")),
        Requires("mandate_id", "status", "active"),
        Requires("debtor_iban", "status", "active"),
        Requires("customer_id", "status", "active"),
        Bounds("ceiling", 0, 1e8),
        Bounds("notice_days", 1, 30),
        Known("debtor_country", "debtor_country_code", IBAN_COUNTRIES),
        Known("debtor_country_code", "debtor_country", {name: code for code, name in IBAN_COUNTRIES.items()}),
        Formula("debtor_country_code", ("debtor_iban",), lambda iban: iban[:2], "the code opens debtor_iban"),
        Ordered("signed_on", "ends_on"),
    ),
)
def find_debit_mandate(world: World, customer_name: PartyName) -> dict[str, Any]:
    """Find the direct debit mandate that a customer gave: mandate id, account, currency, ceiling and days of notice."""
    found = mandate_of(customer_name)
    return {
        "mandate_id": found.id,
        "customer_id": found.customer_id,
        "customer_name": found.customer.name,
        "scheme": found.scheme,
        "debtor_iban": found.iban,
        "debtor_country_code": found.iban[:2],
        "debtor_country": found.country,
        "currency": found.currency,
        "ceiling": found.ceiling,
        "notice_days": found.notice,
        "signed_on": found.signed_on,
        "ends_on": found.ends_on,
        "status": "active",
    }


class CollectedDebit(Answer):
    """A collection that was handed to the bank."""

    collection_id: str = Field(description="Id of the collection")
    mandate_id: str = Field(description="Id of the mandate")
    customer_name: str = Field(description="Full name of the customer")
    amount: float = Field(description="What is collected")
    currency: str = Field(description="Currency of every amount")
    fee: float = Field(description="The bank's charge")
    credited_amount: float = Field(description="What the company gets: amount less fee")
    credit_account_id: str = Field(description="Account of the company that gets it")
    submitted_on: str = Field(description="Day of submission")
    collect_on: str = Field(description="Day on which the customer is debited")
    credited_on: str = Field(description="Day on which the company has the money")
    status: Literal["submitted", "rejected"] = Field(description="Whether the bank took it")


_COLLECTED: tuple[Invariant, ...] = (
    Known("currency", "mandate_id", {found.id: found.currency for found in MANDATES.values()}),
    CODED,
    Sums("amount", ("fee", "credited_amount")),
    Bounds("credited_amount", 0, 1e9),
    Bounds("fee", 0, 1e4),
    Formula(
        "credited_amount", ("amount", "fee"), lambda amount, fee: amount - fee, "credited_amount is amount less fee"
    ),
    Requires("collection_id", "status", "submitted"),
    Requires("mandate_id", "status", "submitted"),
    Requires("customer_name", "status", "submitted"),
    Requires("credit_account_id", "status", "submitted"),
    Ordered("submitted_on", "collect_on"),
    Ordered("collect_on", "credited_on"),
)


def _check(found: Mandate, amount: float, currency: str, collect_on: str) -> None:
    if currency != found.currency:
        message = f"The mandate {found.id} is for {found.currency}, not {currency}."
        raise Refusal(400, "CurrencyMismatch", message, currency=found.currency)
    if amount <= convert_amount(FEE, HOME, currency):
        raise Refusal(400, "AmountTooSmall", f"{amount} {currency} does not exceed the bank's charge.")
    if amount > found.ceiling:
        message = f"{amount} {currency} exceed the ceiling of {found.ceiling} {currency} of {found.id}."
        raise Refusal(400, "CeilingExceeded", message, ceiling=found.ceiling)
    day = coming_date(collect_on)
    earliest = date.fromisoformat(TODAY) + timedelta(days=found.notice)
    if day < earliest or day.weekday() > 4 or collect_on > found.ends_on:
        message = f"{collect_on} is no banking day from {earliest} to {found.ends_on}."
        raise Refusal(400, "CollectionDate", message, earliest=earliest.isoformat(), latest=found.ends_on)


def _collect(world: World, found: Mandate, amount: float, currency: str, collect_on: str) -> dict[str, Any]:
    whole = exact_amount(amount, currency)
    _check(found, whole, currency, collect_on)
    made, collection_id = world.state("financial.collections"), identifier("DDC", found.id, whole, collect_on)
    if collection_id in made:
        raise Refusal(409, "DuplicateCollection", "This was handed in already.", collection_id=collection_id)
    made[collection_id] = True
    world.effect("collect_debit", found.customer_id, amount=whole, currency=currency, collect_on=collect_on)
    fee = convert_amount(FEE, HOME, currency)
    account = account_for("operating", currency) or account_for("operating", HOME)
    assert account is not None
    credited = coming_date(collect_on) + timedelta(days=1)
    while credited.weekday() > 4:
        credited += timedelta(days=1)
    return {
        "collection_id": collection_id,
        "mandate_id": found.id,
        "customer_name": found.customer.name,
        "amount": whole,
        "currency": currency,
        "fee": fee,
        "credited_amount": rounded_amount(whole - fee, currency),
        "credit_account_id": account.id,
        "submitted_on": TODAY,
        "collect_on": collect_on,
        "credited_on": credited.isoformat(),
        "status": "submitted",
    }


_ROWS = (
    ("Aurelia Hotels", "MND-5101", 1_965.4, "EUR", "2026-03-10"),
    ("Baltic Timber Trading", "MND-5102", 61_400.0, "SEK", "2026-03-13"),
    ("Dorset Dairy Union", "MND-5104", 918.2, "GBP", "2026-03-20"),
    ("Edelweiss Watch Parts", "MND-5105", 5_790.0, "CHF", "2026-03-16"),
)


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="payment_history",
    answer=CollectedDebit,
    examples=tuple(
        {"customer_name": name, "amount": amount, "currency": currency, "collect_on": day}
        for name, _, amount, currency, day in _ROWS
    ),
    refusals=(
        ({"customer_name": "Hanami Stationery", "amount": 90, "currency": "JPY", "collect_on": "2026-03-10"}, 404),
        ({"customer_name": "Aurelia Hotels", "amount": 90, "currency": "USD", "collect_on": "2026-03-10"}, 400),
        ({"customer_name": "Aurelia Hotels", "amount": 9000, "currency": "EUR", "collect_on": "2026-03-10"}, 400),
        ({"customer_name": "Aurelia Hotels", "amount": 90, "currency": "EUR", "collect_on": "2026-03-03"}, 400),
    ),
    echoes=("customer_name", "amount", "currency", "collect_on"),
    invariants=_COLLECTED,
)
def collect_direct_debit(
    world: World, customer_name: PartyName, amount: Amount, currency: Code, collect_on: Day
) -> dict[str, Any]:
    """Collect an amount from a customer, known by name, by direct debit on a later day; the mandate is looked up."""
    return _collect(world, mandate_of(customer_name), amount, currency, collect_on)


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="payment_history",
    answer=CollectedDebit,
    examples=tuple(
        {"mandate_id": id, "amount": amount, "currency": currency, "collect_on": day}
        for _, id, amount, currency, day in _ROWS
    ),
    refusals=(
        ({"mandate_id": "MND-9999", "amount": 90, "currency": "EUR", "collect_on": "2026-03-10"}, 404),
        ({"mandate_id": "MND-5101", "amount": 9000, "currency": "EUR", "collect_on": "2026-03-10"}, 400),
        ({"mandate_id": "MND-5101", "amount": 90, "currency": "EUR", "collect_on": "2026-03-14"}, 400),
    ),
    echoes=("mandate_id", "amount", "currency", "collect_on"),
    invariants=_COLLECTED,
)
def collect_by_mandate(
    world: World, mandate_id: MandateId, amount: Amount, currency: Code, collect_on: Day
) -> dict[str, Any]:
    """Hand a collection under a direct debit mandate, known by its id, to the bank for a later day."""
    return _collect(world, mandate(mandate_id), amount, currency, collect_on)
