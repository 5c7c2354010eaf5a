"""Expense claims of employees: filed at once, or line by line in a report that was opened before.

Claims in foreign money are paid back in euro at the middle rate, in the share that the policy sets per category, and
come out of the budget of a cost centre. Any employee may claim; the staff list belongs to the office domain.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Formula, OneOf, Ordered, Requires, Sums
from sealegs.faults.invariants.invariant import Invariant
from sealegs.world.financial import allotments
from sealegs.world.financial.books import OPEN_REPORTS, CostCentre
from sealegs.world.financial.books import cost_centre as known_centre
from sealegs.world.financial.facts import HOME, rate, rounded_amount
from sealegs.world.financial.money_arguments import CODED, Amount, Code
from sealegs.world.state import TODAY, identifier
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

SHARES = {"travel": 100, "lodging": 100, "meals": 80, "training": 100, "supplies": 100, "entertainment": 50}
"""What the policy pays back, in per cent."""

MIDMONTH, MONTH_END = "2026-03-13", "2026-03-31"
LARGE = 500.0
"""Euro from which a claim waits for the run at the end of the month."""

Employee = Annotated[
    str, Field(pattern=r"^\S+( \S+)+$", max_length=80, description="Employee's first and last name, Clara Voss")
]
CentreId = Annotated[str, Field(pattern=r"^CC-\d{3}$", description="Id of the cost centre that bears it, CC-210")]
ReportId = Annotated[str, Field(pattern=r"^RPT-[0-9A-F]{8}$", description="Id of an open expense report, RPT-1A2B3C4D")]
Category = Annotated[
    Literal["travel", "lodging", "meals", "training", "supplies", "entertainment"],
    Field(
        description="Kind of the expense; the policy pays meals back at 80 %, entertainment at 50 %, the rest in full"
    ),
]


class OpenedReport(Answer):
    """An expense report that takes lines."""

    report_id: str = Field(description="Id of the report")
    employee: str = Field(description="Employee whose report it is")
    cost_centre: str = Field(description="Id of the cost centre that bears it")
    cost_centre_name: str = Field(description="Name of the cost centre")
    budget_remaining: float = Field(description="What the cost centre may still spend this year, in euro")
    budget_spent: float = Field(description="What it has spent this year, in euro")
    annual_budget: float = Field(description="What it may spend this year, in euro")
    opened_on: str = Field(description="Day on which the report was opened")
    closes_on: str = Field(description="Last day on which it takes lines")
    status: Literal["open", "closed"] = Field(description="Whether the report takes lines")


class ClaimedExpense(Answer):
    """An expense that was claimed."""

    claim_id: str = Field(description="Id of the claim")
    report_id: str = Field(description="Id of the report that it stands in")
    employee: str = Field(description="Employee who is paid back")
    cost_centre: str = Field(description="Id of the cost centre that bears it")
    category: str = Field(description="Kind of the expense")
    amount: float = Field(description="What the employee spent")
    currency: str = Field(description="Currency of amount")
    exchange_rate: float = Field(description="Euro for one unit of currency")
    share_percent: int = Field(description="What the policy pays back of this category, in per cent")
    reimbursable_amount: float = Field(description="What is paid back, in euro")
    budget_before: float = Field(description="What the cost centre could still spend before, in euro")
    budget_remaining: float = Field(description="What it may still spend after, in euro")
    submitted_on: str = Field(description="Day of the claim")
    reimbursed_on: str = Field(description="Day on which the employee has the money")
    status: Literal["submitted", "rejected"] = Field(description="Whether the claim was taken")


_CLAIMED: tuple[Invariant, ...] = (
    Sums("budget_before", ("reimbursable_amount", "budget_remaining")),
    Bounds("reimbursable_amount", 0, 1e7),
    Bounds("budget_remaining", 0, 1e7),
    OneOf("share_percent", tuple(sorted(set(SHARES.values()))), (35, 65, 120)),
    Formula(
        "reimbursable_amount",
        ("amount", "exchange_rate", "share_percent"),
        lambda amount, rate, share: amount * rate * share / 100,
        "reimbursable_amount is share_percent of amount x exchange_rate",
    ),
    CODED,
    Requires("claim_id", "status", "submitted"),
    Requires("report_id", "status", "submitted"),
    Ordered("submitted_on", "reimbursed_on"),
)


@dataclass(frozen=True, slots=True)
class Report:
    """An expense report."""

    employee: str
    centre: CostCentre

    @property
    def id(self) -> str:
        """The report's id: an employee has one report a cost centre."""
        return identifier("RPT", self.employee, self.centre.id)


_OPEN = {report.id: report for report in (Report(name, known_centre(centre)) for name, centre in OPEN_REPORTS)}


def _open(world: World, report: Report) -> None:
    """Open the report, unless it is open."""
    reports: dict[str, Report] = world.state("financial.reports")
    if report.id not in reports and report.id not in _OPEN:
        reports[report.id] = report
        world.effect("open_expense_report", report.employee, cost_centre=report.centre.id)


def _reimbursable(category: str, amount: float, currency: str) -> float:
    return rounded_amount(amount * rate(currency, HOME) * SHARES[category] / 100, HOME)


def _check(world: World, report: Report, claim_id: str, money: float) -> None:
    if claim_id in world.state("financial.claims"):
        raise Refusal(409, "DuplicateClaim", "This expense was claimed already.", claim_id=claim_id)
    if money <= 0:
        raise Refusal(400, "AmountTooSmall", "The claim comes to less than a cent.")
    left = allotments.budget_left(world, report.centre)
    if money > left:
        message = f"The cost centre {report.centre.id} has {left} EUR left, less than {money} EUR."
        raise Refusal(409, "BudgetExceeded", message, budget_remaining=left)


def _claim(world: World, report: Report, category: str, amount: float, currency: str) -> dict[str, Any]:
    money = _reimbursable(category, amount, currency)
    claim_id = identifier("EXP", report.id, category, rounded_amount(amount, currency), currency)
    _check(world, report, claim_id, money)
    _open(world, report)
    before = allotments.budget_left(world, report.centre)
    allotments.spend(world, report.centre, money)
    world.state("financial.claims")[claim_id] = True
    details = {"category": category, "amount": rounded_amount(amount, currency), "currency": currency}
    world.effect("claim_expense", report.employee, cost_centre=report.centre.id, **details)
    return {
        "claim_id": claim_id,
        "report_id": report.id,
        "employee": report.employee,
        "cost_centre": report.centre.id,
        "category": category,
        "amount": amount,
        "currency": currency,
        "exchange_rate": rate(currency, HOME),
        "share_percent": SHARES[category],
        "reimbursable_amount": money,
        "budget_before": before,
        "budget_remaining": allotments.budget_left(world, report.centre),
        "submitted_on": TODAY,
        "reimbursed_on": MIDMONTH if money < LARGE else MONTH_END,
        "status": "submitted",
    }


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="spending_history",
    parts=2,
    answer=ClaimedExpense,
    examples=(
        {
            "employee": "Clara Voss",
            "cost_centre": "CC-120",
            "category": "lodging",
            "amount": 412.8,
            "currency": "EUR",
        },
        {"employee": "Samuel Adeyemi", "cost_centre": "CC-210", "category": "meals", "amount": 86, "currency": "GBP"},
        {"employee": "Mei Tanaka", "cost_centre": "CC-220", "category": "travel", "amount": 128000, "currency": "JPY"},
        {
            "employee": "Nora Lindgren",
            "cost_centre": "CC-310",
            "category": "training",
            "amount": 950,
            "currency": "USD",
        },
    ),
    refusals=(
        (
            {"employee": "Clara Voss", "cost_centre": "CC-999", "category": "meals", "amount": 20, "currency": "EUR"},
            404,
        ),
        (
            {"employee": "Clara Voss", "cost_centre": "CC-320", "category": "travel", "amount": 3e4, "currency": "EUR"},
            409,
        ),
        (
            {"employee": "Clara Voss", "cost_centre": "CC-110", "category": "gifts", "amount": 20, "currency": "EUR"},
            422,
        ),
    ),
    echoes=("employee", "cost_centre", "category", "amount", "currency"),
    invariants=_CLAIMED,
)
def submit_expense_claim(
    world: World, employee: Employee, cost_centre: CentreId, category: Category, amount: Amount, currency: Code
) -> dict[str, Any]:
    """File one expense of an employee in any currency; it is paid back in euro out of the budget of a cost centre."""
    return _claim(world, Report(employee, known_centre(cost_centre)), category, amount, currency)


@simulated_tool(
    category="action",
    repeat="no_effect",
    shown_by="spending_history",
    answer=OpenedReport,
    examples=(
        {"employee": "Clara Voss", "cost_centre": "CC-120"},
        {"employee": "Samuel Adeyemi", "cost_centre": "CC-210"},
        {"employee": "Mei Tanaka", "cost_centre": "CC-220"},
        {"employee": "Nora Lindgren", "cost_centre": "CC-310"},
    ),
    refusals=(
        ({"employee": "Clara Voss", "cost_centre": "CC-999"}, 404),
        ({"employee": "Clara", "cost_centre": "CC-110"}, 422),
    ),
    echoes=("employee", "cost_centre"),
    invariants=(
        Requires("report_id", "status", "open"),
        Sums("annual_budget", ("budget_spent", "budget_remaining")),
        Bounds("budget_remaining", 0, 1e7),
        Ordered("opened_on", "closes_on"),
    ),
)
def open_expense_report(world: World, employee: Employee, cost_centre: CentreId) -> dict[str, Any]:
    """Open an expense report of an employee on a cost centre, to which expense lines can then be added."""
    report = Report(employee, known_centre(cost_centre))
    _open(world, report)
    return {
        "report_id": report.id,
        "cost_centre": report.centre.id,
        "cost_centre_name": report.centre.name,
        "budget_remaining": allotments.budget_left(world, report.centre),
        "budget_spent": allotments.spent(world, report.centre),
        "annual_budget": allotments.budget(world, report.centre),
        "opened_on": TODAY,
        "closes_on": MONTH_END,
        "status": "open",
    }


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="spending_history",
    answer=ClaimedExpense,
    examples=tuple(
        {"report_id": report_id, "category": category, "amount": amount, "currency": currency}
        for report_id, (category, amount, currency) in zip(
            _OPEN,
            (("meals", 74.5, "EUR"), ("travel", 1310.0, "USD"), ("supplies", 240.0, "CHF"), ("lodging", 520.0, "GBP")),
            strict=True,
        )
    ),
    refusals=(
        ({"report_id": "RPT-00000000", "category": "meals", "amount": 20, "currency": "EUR"}, 404),
        ({"report_id": next(iter(_OPEN)), "category": "meals", "amount": 20, "currency": "XAU"}, 404),
        ({"report_id": next(iter(_OPEN)), "category": "meals", "amount": 0, "currency": "EUR"}, 422),
    ),
    echoes=("report_id", "category", "amount", "currency"),
    invariants=_CLAIMED,
)
def add_expense_line(
    world: World, report_id: ReportId, category: Category, amount: Amount, currency: Code
) -> dict[str, Any]:
    """Add an expense line to an open expense report, by its id, and hand it in for reimbursement in euro."""
    report = _OPEN.get(report_id) or world.state("financial.reports").get(report_id)
    if report is None:
        raise Refusal(404, "ReportNotFound", f"There is no open expense report {report_id!r}.", report_id=report_id)
    return _claim(world, report, category, amount, currency)
