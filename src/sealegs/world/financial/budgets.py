"""The budgets of cost centres and their spending: in short, or category by category."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from sealegs.faults.invariants import Bounds, Counts, Formula, Known, OneOf, Sums
from sealegs.faults.invariants.invariant import Invariant
from sealegs.world.financial import allotments
from sealegs.world.financial.books import COST_CENTRES, CostCentre
from sealegs.world.financial.books import cost_centre as known_centre
from sealegs.world.financial.facts import HOME, rounded_amount
from sealegs.world.financial.money_arguments import CODED
from sealegs.world.state import NOW
from sealegs.world.tool import Answer, World, simulated_tool

CentreId = Annotated[str, Field(pattern=r"^CC-\d{3}$", description="Id of a cost centre, CC-210")]


NAMES = {centre.id: centre.name for centre in COST_CENTRES.values()}
_CATEGORIES = ("services", "software", "travel", "supplies", "training")
_SHARES = (0.37, 0.24, 0.19, 0.12, 0.08)
_NEW = "claims and orders of today"


class BudgetStanding(Answer):
    """The state of a budget."""

    cost_centre: str = Field(description="Id of the cost centre")
    cost_centre_name: str = Field(description="Name of the cost centre")
    currency: str = Field(description="Currency of every amount")
    annual_budget: float = Field(description="What it may spend this year")
    budget_spent: float = Field(description="What it has spent or ordered this year")
    budget_remaining: float = Field(description="What it may still spend this year")


class BudgetSummary(BudgetStanding):
    """How a budget stands, in short."""

    spent_percent: float = Field(description="budget_spent as a share of annual_budget")
    as_of: str = Field(description="Moment of the figures, UTC")


class Line(Answer):
    """What was spent in one category."""

    category: str = Field(description="Kind of the spending")
    spent: float = Field(description="What was spent on it this year")


class BudgetLines(BudgetStanding):
    """How a budget stands, category by category."""

    largest_category: str = Field(description="Category that took most")
    line_count: int = Field(description="How many categories are listed")
    lines: list[Line] = Field(description="The categories")


_CENTRES = tuple({"cost_centre": id} for id in ("CC-110", "CC-210", "CC-330", "CC-420", "CC-510"))
_UNKNOWN = (({"cost_centre": "CC-999"}, 404), ({"cost_centre": "Sales"}, 422))
_STANDS: tuple[Invariant, ...] = (
    Known("cost_centre_name", "cost_centre", NAMES),
    CODED,
    Sums("annual_budget", ("budget_spent", "budget_remaining")),
    Bounds("annual_budget", 0, 1e8),
    Bounds("budget_spent", 0, 1e8),
    Bounds("budget_remaining", 0, 1e8),
    Formula(
        "budget_remaining",
        ("annual_budget", "budget_spent"),
        lambda budget, spent: budget - spent,
        "budget_remaining is annual_budget less budget_spent",
    ),
)


def _standing(world: World, centre: CostCentre) -> dict[str, Any]:
    return {
        "cost_centre": centre.id,
        "cost_centre_name": centre.name,
        "currency": HOME,
        "annual_budget": allotments.budget(world, centre),
        "budget_spent": allotments.spent(world, centre),
        "budget_remaining": allotments.budget_left(world, centre),
    }


@simulated_tool(
    category="source",
    answer=BudgetSummary,
    examples=_CENTRES,
    refusals=_UNKNOWN,
    echoes=("cost_centre",),
    invariants=(
        *_STANDS,
        Formula(
            "spent_percent",
            ("annual_budget", "budget_spent"),
            lambda budget, spent: 100 * spent / budget,
            "spent_percent is budget_spent / annual_budget",
        ),
    ),
)
def cost_centre_budget(world: World, cost_centre: CentreId) -> dict[str, Any]:
    """Read how a cost centre's budget stands this year: granted, spent or ordered, and still to be spent, in euro."""
    shown = _standing(world, known_centre(cost_centre))
    share = 100 * shown["budget_spent"] / shown["annual_budget"] if shown["annual_budget"] else 0.0
    return {**shown, "spent_percent": round(share, 2), "as_of": NOW}


@simulated_tool(
    category="source",
    answer=BudgetLines,
    examples=_CENTRES,
    refusals=_UNKNOWN,
    echoes=("cost_centre",),
    invariants=(
        *_STANDS,
        Sums("budget_spent", ("lines.spent",)),
        Counts("line_count", "lines"),
        OneOf("largest_category", (*_CATEGORIES, _NEW), ("dividends", "loans", "exports")),
        Formula(
            "largest_category",
            ("lines",),
            lambda rows: max(rows, key=lambda row: row["spent"])["category"],
            "largest_category is the category with the largest spending",
        ),
    ),
)
def budget_lines(world: World, cost_centre: CentreId) -> dict[str, Any]:
    """List a cost centre's spending of the year category by category, beside its budget and what is left of it."""
    centre = known_centre(cost_centre)
    turn = list(COST_CENTRES).index(centre.id) % len(_CATEGORIES)
    names = _CATEGORIES[turn:] + _CATEGORIES[:turn]
    lines = [
        {"category": name, "spent": rounded_amount(share * centre.spent, HOME)}
        for name, share in zip(names[:-1], _SHARES, strict=False)
    ]
    rest = rounded_amount(centre.spent - sum(float(str(line["spent"])) for line in lines), HOME)
    lines.append({"category": names[-1], "spent": rest})
    new = allotments.added_spending(world, centre)
    lines += [{"category": _NEW, "spent": new}] if new else []
    largest = max(lines, key=lambda line: float(str(line["spent"])))
    return {
        **_standing(world, centre),
        "largest_category": largest["category"],
        "line_count": len(lines),
        "lines": lines,
    }
