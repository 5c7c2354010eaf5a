"""The money on the accounts during an episode: the books and the payments made since.

A payment is known by what it does (account, payee, amount, currency, day), so that it cannot be made twice, whichever
tool makes it. No tools here.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import Any

from sealegs.world.financial.books import WAITING_ORDERS, Account, Movement, Payee, account, payee
from sealegs.world.financial.facts import exact_amount, rate, rounded_amount
from sealegs.world.financial.money_arguments import coming_date
from sealegs.world.state import TODAY, World, identifier
from sealegs.world.tool import Refusal

CONVERSION_FEE = 0.0015
"""Share of the debited amount that the bank takes where it has to convert."""


@dataclass(frozen=True)
class Payment:
    """An amount to a payee from an account on a day.

    Raises:
        Refusal: 404 where the currency is not known, 400 where the day cannot be or the amount is too fine.
    """

    account: Account
    payee: Payee
    amount: float
    currency: str
    execution_date: str

    def __post_init__(self) -> None:
        rate(self.currency, self.account.currency)
        coming_date(self.execution_date)
        exact_amount(self.amount, self.currency)

    def id(self, prefix: str) -> str:
        """The payment's id as an order (ORD) or as a payment (PAY)."""
        amount = rounded_amount(self.amount, self.currency)
        return identifier(prefix, self.account.id, self.payee.id, amount, self.currency, self.execution_date)

    @property
    def exchange_rate(self) -> float:
        """Units of the account's currency for one unit of the payment's."""
        return rate(self.currency, self.account.currency)

    @cached_property
    def debited(self) -> float:
        """The amount in the account's currency."""
        return rounded_amount(self.amount * self.exchange_rate, self.account.currency)

    @property
    def fee(self) -> float:
        """The bank's charge, in the account's currency."""
        share = 0.0 if self.currency == self.account.currency else CONVERSION_FEE
        return rounded_amount(self.debited * share, self.account.currency)

    @property
    def total(self) -> float:
        """The amount that leaves the account."""
        return rounded_amount(self.debited + self.fee, self.account.currency)

    @property
    def value_date(self) -> str:
        """The day of receipt: the first banking day from the execution on, one later after a conversion."""
        day = coming_date(self.execution_date) + timedelta(days=self.currency != self.account.currency)
        while day.weekday() > 4:
            day += timedelta(days=1)
        return day.isoformat()

    @property
    def status(self) -> str:
        """`executed` where the day is today, else `scheduled`."""
        return "executed" if self.execution_date == TODAY else "scheduled"

    @property
    def details(self) -> dict[str, Any]:
        """The fields that tell the payment from another to the same payee."""
        amount = rounded_amount(self.amount, self.currency)
        return {
            "account_id": self.account.id,
            "amount": amount,
            "currency": self.currency,
            "execution_date": self.execution_date,
        }


_WAITING = {
    order.id("ORD"): order
    for order in (Payment(account(row[0]), payee(row[1]), row[2], row[3], row[4]) for row in WAITING_ORDERS)
}


def payment_order(world: World, order_id: str) -> Payment:
    """The ordered payment of this id.

    Raises:
        Refusal: 404 where there is none.
    """
    found = _WAITING.get(order_id) or _ordered(world).get(order_id)
    if found is None:
        raise Refusal(404, "OrderNotFound", f"There is no payment order {order_id!r}.", order_id=order_id)
    return found


def waiting_orders() -> list[str]:
    """The ids of the orders that wait for a signature when an episode begins."""
    return list(_WAITING)


def enter(world: World, payment: Payment) -> None:
    """Enter the payment as an order. One that is entered already stays as it is.

    Raises:
        Refusal: 402 where the account lacks the money, 409 where the payment is made already.
    """
    _check(world, payment)
    order_id = payment.id("ORD")
    if order_id not in _WAITING and order_id not in _ordered(world):
        _ordered(world)[order_id] = payment
        world.effect("order_payment", payment.payee.id, **payment.details)


def release(world: World, payment: Payment) -> float:
    """Make an ordered payment, and give what was available before.

    Raises:
        Refusal: as `enter`.
    """
    _check(world, payment)
    before = available_funds(world, payment.account)
    _made(world)[payment.id("PAY")] = payment
    action = "execute_payment" if payment.status == "executed" else "schedule_payment"
    world.effect(action, payment.payee.id, **payment.details)
    return before


def booked_balance(world: World, account: Account) -> float:
    """The booked balance of the account."""
    spent = sum(payment.total for payment in _payments(world, account, "executed"))
    return rounded_amount(account.booked - spent, account.currency)


def held_funds(world: World, account: Account) -> float:
    """The amount that card holds and scheduled payments tie up."""
    planned = sum(payment.total for payment in _payments(world, account, "scheduled"))
    return rounded_amount(account.held + planned, account.currency)


def available_funds(world: World, account: Account) -> float:
    """The amount that can be spent."""
    return rounded_amount(booked_balance(world, account) - held_funds(world, account), account.currency)


def movements(world: World, account: Account) -> tuple[Movement, ...]:
    """The booked transactions of the account, the oldest first."""
    new = (Movement(TODAY, p.payee.name, -p.total) for p in _payments(world, account, "executed"))
    return (*account.movements, *new)


def _payments(world: World, account: Account, status: str) -> list[Payment]:
    return [p for p in _made(world).values() if p.account.id == account.id and p.status == status]


def _ordered(world: World) -> dict[str, Payment]:
    return world.state("financial.orders")


def _made(world: World) -> dict[str, Payment]:
    return world.state("financial.payments")


def _check(world: World, payment: Payment) -> None:
    payment_id = payment.id("PAY")
    if payment_id in _made(world):
        message = f"This payment is {payment.status} already."
        raise Refusal(409, "DuplicatePayment", message, payment_id=payment_id)
    free = available_funds(world, payment.account)
    if payment.total > free:
        currency = payment.account.currency
        message = f"{payment.total} {currency} is more than the {free} {currency} available on {payment.account.id}."
        raise Refusal(402, "InsufficientFunds", message, available_balance=free)
