"""The company's bank accounts: which there are, what is on them, what moved."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Counts, Formula, Known, Ordered, Requires, Sums
from sealegs.world.financial import cash
from sealegs.world.financial.books import IBAN_COUNTRIES, Movement, account, account_for
from sealegs.world.financial.facts import quoted_currency, rounded_amount
from sealegs.world.financial.money_arguments import CODED, AccountId, Code
from sealegs.world.state import NOW, TODAY
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

Purpose = Annotated[
    Literal["operating", "payroll", "tax", "travel", "savings"], Field(description="What the account is kept for")
]


class FoundAccount(Answer):
    """A bank account of the company."""

    account_id: str = Field(description="Id of the account")
    account_name: str = Field(description="Name of the account in the books")
    purpose: str = Field(description="What the account is kept for")
    currency: str = Field(description="Currency of the account")
    iban: str = Field(description="International bank account number")
    bank_country_code: str = Field(description="Country of the bank, ISO 3166-1 alpha-2")
    bank_country: str = Field(description="Country of the bank")
    status: Literal["active", "closed"] = Field(description="Whether the account can be used")


@simulated_tool(
    category="source",
    answer=FoundAccount,
    examples=(
        {"purpose": "operating", "currency": "EUR"},
        {"purpose": "travel", "currency": "USD"},
        {"purpose": "payroll", "currency": "GBP"},
        {"purpose": "savings", "currency": "CHF"},
        {"purpose": "operating", "currency": "SEK"},
    ),
    refusals=(
        ({"purpose": "tax", "currency": "JPY"}, 404),
        ({"purpose": "operating", "currency": "ISK"}, 404),
        ({"purpose": "petty cash", "currency": "EUR"}, 422),
    ),
    echoes=("purpose", "currency"),
    invariants=(
        CODED,
        Requires("account_id", "status", "active"),
        Requires("iban", "status", "active"),
        Known("bank_country", "bank_country_code", IBAN_COUNTRIES),
        Formula("bank_country_code", ("iban",), lambda iban: iban[:2], "bank_country_code opens the iban"),
    ),
)
def find_account(world: World, purpose: Purpose, currency: Code) -> dict[str, Any]:
    """Find the company's bank account for a purpose (operating, payroll, tax, travel, savings) in a currency."""
    found = account_for(purpose, quoted_currency(currency))
    if found is None:
        raise Refusal(404, "AccountNotFound", f"The company keeps no {purpose} account in {currency}.")
    return {
        "account_id": found.id,
        "account_name": found.name,
        "purpose": found.purpose,
        "currency": found.currency,
        "iban": found.iban,
        "bank_country_code": found.iban[:2],
        "bank_country": IBAN_COUNTRIES[found.iban[:2]],
        "status": "active",
    }


class AccountBalance(Answer):
    """What is on an account now."""

    account_id: str = Field(description="Id of the account")
    account_name: str = Field(description="Name of the account in the books")
    currency: str = Field(description="Currency of the account")
    booked_balance: float = Field(description="Sum of everything booked so far")
    held_amount: float = Field(description="Part of it that scheduled payments and card holds tie up")
    available_balance: float = Field(description="Part of it that can be spent")
    as_of: str = Field(description="Moment of the balance, UTC")


@simulated_tool(
    category="source",
    answer=AccountBalance,
    examples=(
        {"account_id": "ACC-1001"},
        {"account_id": "ACC-1103"},
        {"account_id": "ACC-1201"},
        {"account_id": "ACC-1302"},
        {"account_id": "ACC-1501"},
    ),
    refusals=(
        ({"account_id": "ACC-9999"}, 404),
        ({"account_id": "main"}, 422),
    ),
    echoes=("account_id",),
    invariants=(
        CODED,
        Sums("booked_balance", ("held_amount", "available_balance")),
        Bounds("booked_balance", 0, 1e11),
        Bounds("available_balance", 0, 1e11),
        Bounds("held_amount", 0, 1e11),
        Formula(
            "available_balance",
            ("booked_balance", "held_amount"),
            lambda booked, held: booked - held,
            "available_balance is booked_balance less held_amount",
        ),
    ),
)
def account_balance(world: World, account_id: AccountId) -> dict[str, Any]:
    """Read the current balance of a company bank account: booked, held, and available to spend."""
    found = account(account_id)
    return {
        "account_id": found.id,
        "account_name": found.name,
        "currency": found.currency,
        "booked_balance": cash.booked_balance(world, found),
        "held_amount": cash.held_funds(world, found),
        "available_balance": cash.available_funds(world, found),
        "as_of": NOW,
    }


class Entry(Answer):
    """One booked transaction."""

    booked_on: str = Field(description="Day of booking")
    text: str = Field(description="What it was for")
    amount: float = Field(description="Amount, negative where money left the account")


class AccountStatement(Answer):
    """The movements of an account up to today."""

    account_id: str = Field(description="Id of the account")
    currency: str = Field(description="Currency of the account")
    period_start: str = Field(description="First day covered")
    period_end: str = Field(description="Last day covered")
    opening_balance: float = Field(description="Balance before the first transaction")
    net_change: float = Field(description="Sum of the transactions")
    closing_balance: float = Field(description="Balance after the last transaction")
    transaction_count: int = Field(description="How many transactions there are")
    transactions: list[Entry] = Field(description="The transactions, the oldest first")


@simulated_tool(
    category="source",
    answer=AccountStatement,
    examples=(
        {"account_id": "ACC-1001"},
        {"account_id": "ACC-1103", "days": 14},
        {"account_id": "ACC-1201", "days": 7},
        {"account_id": "ACC-1302", "days": 90},
        {"account_id": "ACC-1501"},
    ),
    refusals=(
        ({"account_id": "ACC-9999"}, 404),
        ({"account_id": "ACC-1001", "days": 365}, 422),
    ),
    echoes=("account_id",),
    invariants=(
        CODED,
        Sums("closing_balance", ("opening_balance", "net_change")),
        Sums("net_change", ("transactions.amount",)),
        Counts("transaction_count", "transactions"),
        Bounds("closing_balance", 0, 1e11),
        Bounds("transaction_count", 0, 1000),
        Ordered("period_start", "period_end"),
        Ordered("period_start", "transactions.booked_on"),
        Ordered("transactions.booked_on", "period_end"),
    ),
)
def account_statement(
    world: World,
    account_id: AccountId,
    days: Annotated[int, Field(ge=1, le=90, description="How many days back the statement reaches")] = 30,
) -> dict[str, Any]:
    """Draw up a company bank account's statement of the last days: every transaction, opening and closing balance."""
    found = account(account_id)
    start = (date.fromisoformat(TODAY) - timedelta(days=days)).isoformat()
    entries = [entry for entry in cash.movements(world, found) if entry.booked_on >= start]
    change = rounded_amount(sum(entry.amount for entry in entries), found.currency)
    closing = cash.booked_balance(world, found)
    return {
        "account_id": found.id,
        "currency": found.currency,
        "period_start": start,
        "period_end": TODAY,
        "opening_balance": rounded_amount(closing - change, found.currency),
        "net_change": change,
        "closing_balance": closing,
        "transaction_count": len(entries),
        "transactions": [_entry(entry) for entry in entries],
    }


def _entry(movement: Movement) -> dict[str, Any]:
    return {"booked_on": movement.booked_on, "text": movement.text, "amount": movement.amount}
