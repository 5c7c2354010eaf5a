"""Loans repaid in equal monthly instalments (annuities).

With i the monthly rate and n the months, the instalment is P i / (1 - (1 + i)^-n). Shares of single years are rounded
so that they add up to the rounded totals exactly. Does not cover fees, grace periods, or variable rates.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any

from pydantic import Field

from sealegs.faults.invariants import Bounds, Counts, Formula, Ordered, Sums
from sealegs.world.financial.facts import quoted_currency, rounded_amount
from sealegs.world.financial.money_arguments import CODED, Code
from sealegs.world.state import TODAY
from sealegs.world.tool import Answer, World, simulated_tool

Principal = Annotated[float, Field(ge=500, le=1e9, description="Amount borrowed, in units of its currency")]
AnnualRate = Annotated[float, Field(ge=0.1, le=30, description="Nominal interest per year in per cent, such as 4.5")]
Months = Annotated[int, Field(ge=6, le=360, description="Number of monthly instalments")]


@dataclass(frozen=True, slots=True)
class Loan:
    """A loan; `rate` is the nominal interest per year in per cent."""

    principal: float
    rate: float
    months: int
    currency: str

    @property
    def instalment(self) -> float:
        """The amount that is paid each month, unrounded."""
        monthly = self.rate / 1200
        return self.principal * monthly / (1 - (1 + monthly) ** -self.months)

    def owed(self, paid: int) -> float:
        """The amount that is still owed after some instalments, unrounded."""
        monthly = self.rate / 1200
        growth = (1 + monthly) ** paid
        return self.principal * growth - self.instalment * (growth - 1) / monthly

    def repaid(self, paid: int) -> float:
        """Principal repaid by so many instalments, rounded."""
        return rounded_amount(self.principal - (self.owed(paid) if paid < self.months else 0.0), self.currency)

    def interest(self, paid: int) -> float:
        """Interest paid by so many instalments, rounded."""
        return rounded_amount(self.instalment * paid - self.principal + self.owed(paid), self.currency)


def _monthly(principal: float, rate: float, months: int, currency: str) -> float:
    return rounded_amount(Loan(principal, rate, months, currency).instalment, currency)


def _due(months: int) -> str:
    """The first day of the month that lies so many months ahead."""
    today = date.fromisoformat(TODAY)
    years, month = divmod(today.month - 1 + months, 12)
    return date(today.year + years, month + 1, 1).isoformat()


class Instalment(Answer):
    """What a loan costs."""

    principal: float = Field(description="Amount borrowed")
    currency: str = Field(description="Currency of every amount")
    annual_rate: float = Field(description="Nominal interest per year in per cent")
    months: int = Field(description="Number of monthly instalments")
    monthly_payment: float = Field(description="Instalment paid each month")
    total_interest: float = Field(description="Interest over the whole term")
    total_repaid: float = Field(description="Principal and interest together")


class Year(Answer):
    """A year of a loan."""

    year: int = Field(description="Year of the loan, from 1")
    principal_paid: float = Field(description="Principal repaid in that year")
    interest_paid: float = Field(description="Interest paid in that year")
    closing_balance: float = Field(description="What is owed at its end")


class AmortisationSchedule(Instalment):
    """What a loan costs, year by year."""

    first_due_on: str = Field(description="Day of the first instalment")
    last_due_on: str = Field(description="Day of the last instalment")
    year_count: int = Field(description="How many years have instalments")
    years: list[Year] = Field(description="The years of the loan")


_EXAMPLES = (
    {"principal": 24000, "annual_rate": 4.5, "months": 48, "currency": "EUR"},
    {"principal": 310000, "annual_rate": 3.2, "months": 240, "currency": "USD"},
    {"principal": 7800.5, "annual_rate": 7.9, "months": 18, "currency": "GBP"},
    {"principal": 2500000, "annual_rate": 1.8, "months": 60, "currency": "JPY"},
)
_REFUSALS = (
    ({"principal": 24000, "annual_rate": 4.5, "months": 48, "currency": "XAU"}, 404),
    ({"principal": 24000, "annual_rate": 4.5, "months": 480, "currency": "EUR"}, 422),
)
_COST = (
    Sums("total_repaid", ("principal", "total_interest")),
    CODED,
    Bounds("monthly_payment", 0, 1e9),
    Bounds("total_interest", 0, 1e12),
    Bounds("total_repaid", 0, 1e12),
    Formula(
        "monthly_payment",
        ("principal", "annual_rate", "months", "currency"),
        _monthly,
        "monthly_payment is the annuity of principal, annual_rate and months",
    ),
)


def _cost(loan: Loan) -> dict[str, Any]:
    interest = loan.interest(loan.months)
    return {
        "principal": loan.principal,
        "currency": loan.currency,
        "annual_rate": loan.rate,
        "months": loan.months,
        "monthly_payment": rounded_amount(loan.instalment, loan.currency),
        "total_interest": interest,
        "total_repaid": rounded_amount(loan.principal + interest, loan.currency),
    }


@simulated_tool(
    category="processor",
    answer=Instalment,
    examples=_EXAMPLES,
    refusals=_REFUSALS,
    echoes=("principal", "annual_rate", "months", "currency"),
    invariants=_COST,
)
def loan_payment(
    world: World, principal: Principal, annual_rate: AnnualRate, months: Months, currency: Code
) -> dict[str, Any]:
    """Calculate the equal monthly instalment of a loan, with the total interest and the total repaid."""
    return _cost(Loan(principal, annual_rate, months, quoted_currency(currency)))


@simulated_tool(
    category="processor",
    answer=AmortisationSchedule,
    examples=_EXAMPLES,
    refusals=_REFUSALS,
    echoes=("principal", "annual_rate", "months", "currency"),
    invariants=(
        *_COST,
        Sums("total_interest", ("years.interest_paid",)),
        Sums("principal", ("years.principal_paid",)),
        Counts("year_count", "years"),
        Ordered("first_due_on", "last_due_on"),
    ),
)
def amortisation_schedule(
    world: World, principal: Principal, annual_rate: AnnualRate, months: Months, currency: Code
) -> dict[str, Any]:
    """Draw up the repayment plan of a loan year by year: principal, interest, remaining balance, and the due dates."""
    loan = Loan(principal, annual_rate, months, quoted_currency(currency))
    ends = [*range(12, months, 12), months]
    return {
        **_cost(loan),
        "first_due_on": _due(1),
        "last_due_on": _due(months),
        "year_count": len(ends),
        "years": [_year(loan, number, end) for number, end in enumerate(ends, 1)],
    }


def _year(loan: Loan, number: int, end: int) -> dict[str, Any]:
    start = 12 * (number - 1)
    return {
        "year": number,
        "principal_paid": rounded_amount(loan.repaid(end) - loan.repaid(start), loan.currency),
        "interest_paid": rounded_amount(loan.interest(end) - loan.interest(start), loan.currency),
        "closing_balance": rounded_amount(loan.principal - loan.repaid(end), loan.currency),
    }
