"""Payments out of the company's accounts: at once, or prepared by one and signed by another."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Formula, OneOf, Ordered, Requires, Sums
from sealegs.faults.invariants.invariant import Invariant
from sealegs.world.financial import cash
from sealegs.world.financial.books import account, payee, payee_named
from sealegs.world.financial.facts import rounded_amount
from sealegs.world.financial.money_arguments import CODED, AccountId, Amount, Code, Day, PartyName
from sealegs.world.state import TODAY
from sealegs.world.tool import Answer, World, simulated_tool

SIGNING_DAYS = 14

PayeeId = Annotated[str, Field(pattern=r"^PYE-\d{4}$", description="Id of a payee of the address book, PYE-2101")]
OrderId = Annotated[str, Field(pattern=r"^ORD-[0-9A-F]{8}$", description="Id of a payment order, ORD-1A2B3C4D")]
Reference = Annotated[str, Field(max_length=140, description="Text for the payee's bank statement")]


class PricedPayment(Answer):
    """A payment and what it costs the account."""

    account_id: str = Field(description="Account that pays")
    payee_id: str = Field(description="Id of the payee")
    payee_name: str = Field(description="Full name of the payee")
    amount: float = Field(description="Amount that the payee gets")
    currency: str = Field(description="Currency of amount")
    exchange_rate: float = Field(description="Units of account_currency for one unit of currency")
    debited_amount: float = Field(description="The amount in account_currency")
    fee: float = Field(description="The bank's charge for converting, in account_currency")
    total_debit: float = Field(description="What leaves the account: debited_amount and fee")
    account_currency: str = Field(description="Currency of the account")
    execution_date: str = Field(description="Day on which the money leaves")
    value_date: str = Field(description="Day on which the payee has the money")


class SentPayment(PricedPayment):
    """A payment that was made or is scheduled."""

    payment_id: str = Field(description="Id of the payment")
    order_id: str = Field(description="Id of the order behind it")
    status: Literal["executed", "scheduled"] = Field(description="Executed today, or scheduled for a later day")
    available_before: float = Field(description="What the account could spend before, in account_currency")
    remaining_balance: float = Field(description="What it can spend after, in account_currency")


class PreparedPayment(PricedPayment):
    """A payment order that waits for its signature."""

    order_id: str = Field(description="Id of the order")
    status: Literal["awaiting_authorisation"] = Field(description="The order waits for its signature")
    created_on: str = Field(description="Day on which it was prepared")
    expires_on: str = Field(description="Last day on which it can be authorised")


_PRICE: tuple[Invariant, ...] = (
    Sums("total_debit", ("debited_amount", "fee")),
    Bounds("total_debit", 0, 1e12),
    Bounds("fee", 0, 1e10),
    Formula(
        "debited_amount",
        ("amount", "exchange_rate", "account_currency"),
        lambda amount, rate, to: rounded_amount(amount * rate, to),
        "debited_amount is amount x exchange_rate",
    ),
    Ordered("execution_date", "value_date"),
    CODED,
    OneOf("account_currency", CODED.allowed, CODED.wrong),
)
_DONE: tuple[Invariant, ...] = (
    *_PRICE,
    Sums("available_before", ("total_debit", "remaining_balance")),
    Bounds("remaining_balance", 0, 1e12),
    *(
        Requires(field, "status", status)
        for field in ("payment_id", "order_id", "account_id", "payee_id")
        for status in ("executed", "scheduled")
    ),
)


def _priced(payment: cash.Payment) -> dict[str, Any]:
    return {
        "account_id": payment.account.id,
        "payee_id": payment.payee.id,
        "payee_name": payment.payee.name,
        "amount": payment.amount,
        "currency": payment.currency,
        "exchange_rate": payment.exchange_rate,
        "debited_amount": payment.debited,
        "fee": payment.fee,
        "total_debit": payment.total,
        "account_currency": payment.account.currency,
        "execution_date": payment.execution_date,
        "value_date": payment.value_date,
    }


def _paid(world: World, payment: cash.Payment) -> dict[str, Any]:
    before = cash.release(world, payment)
    return {
        **_priced(payment),
        "payment_id": payment.id("PAY"),
        "order_id": payment.id("ORD"),
        "status": payment.status,
        "available_before": before,
        "remaining_balance": cash.available_funds(world, payment.account),
    }


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="payment_history",
    parts=2,
    answer=SentPayment,
    examples=(
        {"account_id": "ACC-1001", "payee_id": "PYE-2101", "amount": 1480.0, "currency": "EUR"},
        {
            "account_id": "ACC-1101",
            "payee_id": "PYE-2102",
            "amount": 925.5,
            "currency": "GBP",
            "execution_date": "2026-03-13",
        },
        {"account_id": "ACC-1201", "payee_id": "PYE-2106", "amount": 3200, "currency": "EUR"},
        {"account_id": "ACC-1301", "payee_id": "PYE-2104", "amount": 2750.4, "currency": "CHF", "reference": "March"},
        {"account_id": "ACC-1501", "payee_id": "PYE-2111", "amount": 18400, "currency": "PLN"},
    ),
    refusals=(
        ({"account_id": "ACC-1001", "payee_id": "PYE-9999", "amount": 10, "currency": "EUR"}, 404),
        ({"account_id": "ACC-1103", "payee_id": "PYE-2101", "amount": 90000, "currency": "EUR"}, 402),
        (
            {
                "account_id": "ACC-1001",
                "payee_id": "PYE-2101",
                "amount": 10,
                "currency": "EUR",
                "execution_date": "2026-02-01",
            },
            400,
        ),
    ),
    echoes=("account_id", "payee_id", "amount", "currency", "execution_date"),
    invariants=_DONE,
    free_text=("reference",),
)
def send_payment(
    world: World,
    account_id: AccountId,
    payee_id: PayeeId,
    amount: Amount,
    currency: Code,
    execution_date: Day = TODAY,
    reference: Reference = "",
) -> dict[str, Any]:
    """Pay a payee, known by payee id, from a company bank account: immediately, or scheduled for a later day."""
    payment = cash.Payment(account(account_id), payee(payee_id), amount, currency, execution_date)
    cash.enter(world, payment)
    return _paid(world, payment)


@simulated_tool(
    category="action",
    repeat="no_effect",
    shown_by="payment_history",
    answer=PreparedPayment,
    examples=(
        {"account_id": "ACC-1001", "payee_name": "Brightwater Catering", "amount": 1480.0, "currency": "EUR"},
        {
            "account_id": "ACC-1101",
            "payee_name": "Harbour Print Works",
            "amount": 925.5,
            "currency": "GBP",
            "execution_date": "2026-03-13",
        },
        {"account_id": "ACC-1201", "payee_name": "Moreau Legal Partners", "amount": 3200, "currency": "EUR"},
        {"account_id": "ACC-1501", "payee_name": "Vistula Software House", "amount": 18400, "currency": "PLN"},
    ),
    refusals=(
        ({"account_id": "ACC-1001", "payee_name": "Nobody and Sons", "amount": 10, "currency": "EUR"}, 404),
        ({"account_id": "ACC-1103", "payee_name": "Brightwater Catering", "amount": 90000, "currency": "EUR"}, 402),
    ),
    echoes=("account_id", "payee_name", "amount", "currency", "execution_date"),
    invariants=(
        *_PRICE,
        Requires("order_id", "status", "awaiting_authorisation"),
        Requires("payee_id", "status", "awaiting_authorisation"),
        Ordered("created_on", "expires_on"),
    ),
    free_text=("reference",),
)
def prepare_payment_order(
    world: World,
    account_id: AccountId,
    payee_name: PartyName,
    amount: Amount,
    currency: Code,
    execution_date: Day = TODAY,
    reference: Reference = "",
) -> dict[str, Any]:
    """Prepare a payment order to a payee known by name; no money moves until the order is authorised."""
    payment = cash.Payment(account(account_id), payee_named(payee_name), amount, currency, execution_date)
    cash.enter(world, payment)
    expiry = date.fromisoformat(execution_date) + timedelta(days=SIGNING_DAYS)
    return {
        **_priced(payment),
        "order_id": payment.id("ORD"),
        "status": "awaiting_authorisation",
        "created_on": TODAY,
        "expires_on": expiry.isoformat(),
    }


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="payment_history",
    answer=SentPayment,
    examples=tuple({"order_id": order_id} for order_id in cash.waiting_orders()),
    refusals=(
        ({"order_id": "ORD-00000000"}, 404),
        ({"order_id": "17"}, 422),
    ),
    echoes=("order_id",),
    invariants=_DONE,
)
def authorise_payment_order(world: World, order_id: OrderId) -> dict[str, Any]:
    """Sign a prepared payment order so that the bank carries it out: today, or on its later day of execution."""
    return _paid(world, cash.payment_order(world, order_id))
