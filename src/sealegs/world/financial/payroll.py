"""From gross to net wages: a whole payslip, or the deductions first and then what is left.

A month's wage by the rules in `wage_facts`, in the country's currency.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from sealegs.faults.invariants import Bounds, Formula, Known, Sums
from sealegs.faults.invariants.invariant import Invariant
from sealegs.world.financial.facts import exact_amount, rounded_amount
from sealegs.world.financial.money_arguments import CODED, Code, Country
from sealegs.world.financial.wage_facts import WAGES, WageRules, contribution, wage_rules, wage_tax
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

Gross = Annotated[
    float, Field(gt=0, le=1e8, description="Gross wage of a month, in the currency of the country of work")
]
Deduction = Annotated[float, Field(ge=0, le=1e8, description="What is kept back of the month's wage, in its currency")]


class Deducted(Answer):
    """The amounts that are kept back of a month's wage."""

    gross_salary: float = Field(description="Gross wage of the month")
    country_code: str = Field(description="Country of work, ISO 3166-1 alpha-2")
    currency: str = Field(description="Currency of every amount")
    wage_tax: float = Field(description="Tax kept back")
    social_contribution: float = Field(description="Employee's social contributions kept back")


class Deductions(Deducted):
    """What is kept back of a month's wage, and how it comes about."""

    country: str = Field(description="Country of work")
    tax_free_allowance: float = Field(description="Part of the gross wage that is not taxed")
    taxable_income: float = Field(description="Part of it that is")
    tax_percent: float = Field(description="Tax rate on taxable_income")
    contribution_percent: float = Field(description="Employee's contribution rate on gross_salary")


class Slip(Deducted):
    """A month's payslip."""

    total_deductions: float = Field(description="Tax and contributions together")
    net_pay: float = Field(description="What the employee gets")
    employer_contribution: float = Field(description="What the employer pays on top of the gross wage")
    employer_cost: float = Field(description="Gross wage and employer_contribution together")


class Net(Answer):
    """What is left of a month's wage."""

    gross_salary: float = Field(description="Gross wage of the month")
    wage_tax: float = Field(description="Tax kept back")
    social_contribution: float = Field(description="Social contributions kept back")
    currency: str = Field(description="Currency of every amount")
    total_deductions: float = Field(description="Tax and contributions together")
    net_pay: float = Field(description="What the employee gets")
    net_share_percent: float = Field(description="net_pay as a share of gross_salary")


_EXAMPLES = (
    {"gross_salary": 5200.0, "country_code": "DE"},
    {"gross_salary": 4150.5, "country_code": "GB"},
    {"gross_salary": 510000, "country_code": "JP"},
    {"gross_salary": 3100, "country_code": "PT"},
    {"gross_salary": 8400, "country_code": "US"},
)
_REFUSALS = (
    ({"gross_salary": 5200, "country_code": "BR"}, 404),
    ({"gross_salary": 5200, "country_code": "Germany"}, 422),
    ({"gross_salary": -10, "country_code": "DE"}, 422),
)
_KEPT: tuple[Invariant, ...] = (
    Known("currency", "country_code", {code: rules.currency for code, rules in WAGES.items()}),
    CODED,
    Bounds("wage_tax", 0, 1e8),
    Bounds("social_contribution", 0, 1e8),
    Formula(
        "wage_tax",
        ("gross_salary", "country_code"),
        lambda gross, code: _kept(WAGES[code], gross)["wage_tax"],
        "wage_tax is the country's rate on what exceeds its allowance",
    ),
    Formula(
        "social_contribution",
        ("gross_salary", "country_code"),
        lambda gross, code: _kept(WAGES[code], gross)["social_contribution"],
        "social_contribution is the country's rate on gross_salary",
    ),
)
_LEFT: tuple[Invariant, ...] = (
    Sums("total_deductions", ("wage_tax", "social_contribution")),
    Sums("gross_salary", ("total_deductions", "net_pay")),
    Bounds("net_pay", 0, 1e8),
    Bounds("total_deductions", 0, 1e8),
)


def _taxable(rules: WageRules, gross: float) -> float:
    return rounded_amount(max(0.0, gross - rules.allowance), rules.currency)


def _kept(rules: WageRules, gross: float) -> dict[str, Any]:
    return {
        "gross_salary": gross,
        "country_code": rules.country_code,
        "currency": rules.currency,
        "wage_tax": wage_tax(_taxable(rules, gross), rules.tax, rules.currency),
        "social_contribution": contribution(gross, rules.social, rules.currency),
    }


@simulated_tool(
    category="processor",
    answer=Slip,
    examples=_EXAMPLES,
    refusals=_REFUSALS,
    echoes=("gross_salary", "country_code"),
    invariants=(*_KEPT, *_LEFT, Sums("employer_cost", ("gross_salary", "employer_contribution"))),
)
def payroll_slip(world: World, gross_salary: Gross, country_code: Country) -> dict[str, Any]:
    """Draw up a month's payslip from a gross wage and the country of work: deductions, net pay, employer's cost."""
    rules = wage_rules(country_code)
    gross = exact_amount(gross_salary, rules.currency)
    kept = _kept(rules, gross)
    total = rounded_amount(kept["wage_tax"] + kept["social_contribution"], rules.currency)
    employer = contribution(gross, rules.employer, rules.currency)
    return {
        **kept,
        "total_deductions": total,
        "net_pay": rounded_amount(gross - total, rules.currency),
        "employer_contribution": employer,
        "employer_cost": rounded_amount(gross + employer, rules.currency),
    }


@simulated_tool(
    category="processor",
    answer=Deductions,
    examples=_EXAMPLES,
    refusals=_REFUSALS,
    echoes=("gross_salary", "country_code"),
    invariants=(
        *_KEPT,
        Known("country", "country_code", {code: rules.country for code, rules in WAGES.items()}),
        Known("tax_percent", "country_code", {code: rules.tax for code, rules in WAGES.items()}),
        Known("contribution_percent", "country_code", {code: rules.social for code, rules in WAGES.items()}),
        Sums("gross_salary", ("tax_free_allowance", "taxable_income")),
    ),
)
def wage_deductions(world: World, gross_salary: Gross, country_code: Country) -> dict[str, Any]:
    """Work out what a country keeps back of a month's gross wage: wage tax and the employee's contributions."""
    rules = wage_rules(country_code)
    gross = exact_amount(gross_salary, rules.currency)
    taxable = _taxable(rules, gross)
    return {
        **_kept(rules, gross),
        "country": rules.country,
        "tax_free_allowance": rounded_amount(gross - taxable, rules.currency),
        "taxable_income": taxable,
        "tax_percent": rules.tax,
        "contribution_percent": rules.social,
    }


@simulated_tool(
    category="processor",
    answer=Net,
    examples=(
        {"gross_salary": 5200.0, "wage_tax": 1042.75, "social_contribution": 1086.8, "currency": "EUR"},
        {"gross_salary": 4150.5, "wage_tax": 620.6, "social_contribution": 332.04, "currency": "GBP"},
        {"gross_salary": 510000, "wage_tax": 54860, "social_contribution": 76500, "currency": "JPY"},
        {"gross_salary": 8400, "wage_tax": 1275.84, "social_contribution": 642.6, "currency": "USD"},
    ),
    refusals=(
        ({"gross_salary": 5200, "wage_tax": 1042.75, "social_contribution": 1086.8, "currency": "XAU"}, 404),
        ({"gross_salary": 900, "wage_tax": 700, "social_contribution": 400, "currency": "EUR"}, 400),
        ({"gross_salary": 900, "wage_tax": -1, "social_contribution": 400, "currency": "EUR"}, 422),
    ),
    echoes=("gross_salary", "wage_tax", "social_contribution", "currency"),
    invariants=(
        CODED,
        *_LEFT,
        Formula(
            "net_share_percent",
            ("gross_salary", "net_pay"),
            lambda gross, net: 100 * net / gross,
            "net_share_percent is net_pay / gross_salary",
        ),
    ),
)
def take_home_pay(
    world: World, gross_salary: Gross, wage_tax: Deduction, social_contribution: Deduction, currency: Code
) -> dict[str, Any]:
    """Take tax and social contributions that are known already off a month's gross wage and give the net pay."""
    gross = exact_amount(gross_salary, currency)
    tax, social = (exact_amount(kept, currency) if kept else 0.0 for kept in (wage_tax, social_contribution))
    total = rounded_amount(tax + social, currency)
    if total > gross:
        message = f"Deductions of {total} {currency} exceed the gross wage of {gross} {currency}."
        raise Refusal(400, "DeductionsExceedGross", message)
    net = rounded_amount(gross - total, currency)
    return {
        "gross_salary": gross,
        "wage_tax": tax,
        "social_contribution": social,
        "total_deductions": total,
        "net_pay": net,
        "net_share_percent": round(100 * net / gross, 2),
    }
