"""Money moved from the budget of one cost centre to that of another.

It is moved at once, or released by one cost centre first and then assigned to the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from sealegs.faults.invariants import Bounds, Ordered, Requires, Sums
from sealegs.faults.invariants.invariant import Invariant
from sealegs.world.financial import allotments
from sealegs.world.financial.books import CostCentre
from sealegs.world.financial.books import cost_centre as known_centre
from sealegs.world.financial.budgets import CentreId
from sealegs.world.financial.facts import HOME, exact_amount
from sealegs.world.financial.money_arguments import CODED
from sealegs.world.state import TODAY, identifier
from sealegs.world.tool import Answer, Refusal, World, simulated_tool

QUARTER_END = "2026-03-31"
Giving = Annotated[str, Field(pattern=r"^CC-\d{3}$", description="Id of the cost centre that gives, CC-210")]
Getting = Annotated[str, Field(pattern=r"^CC-\d{3}$", description="Id of the cost centre that gets it, CC-120")]
Euros = Annotated[float, Field(gt=0, le=1e7, description="Amount in euro, such as 2500.00")]
ReleaseId = Annotated[str, Field(pattern=r"^BRL-[0-9A-F]{8}$", description="Id of a released amount, BRL-1A2B3C4D")]


@dataclass(frozen=True, slots=True)
class Release:
    """An amount that a cost centre gave up on a day."""

    centre: CostCentre
    amount: float
    day: str = TODAY

    @property
    def id(self) -> str:
        """The release's id."""
        return identifier("BRL", self.centre.id, self.amount, self.day)


_WAITING = {
    release.id: release
    for release in (
        Release(known_centre("CC-410"), 2_500.0, "2026-02-26"),
        Release(known_centre("CC-220"), 9_800.0, "2026-02-25"),
        Release(known_centre("CC-120"), 1_375.5, "2026-02-27"),
        Release(known_centre("CC-330"), 4_200.0, "2026-02-24"),
    )
}


def _release(world: World, centre: CostCentre, amount: float) -> Release:
    """Take the amount out of the cost centre's budget.

    Raises:
        Refusal: 400 where it is too fine, 409 where it is released already or exceeds what is left.
    """
    release = Release(centre, exact_amount(amount, HOME))
    if release.id in world.state("financial.releases"):
        message = f"{release.amount} EUR of {centre.id} were released today already."
        raise Refusal(409, "DuplicateRelease", message, release_id=release.id)
    remaining = allotments.budget_left(world, centre)
    if release.amount > remaining:
        message = f"The cost centre {centre.id} has {remaining} EUR left, less than {release.amount} EUR."
        raise Refusal(409, "BudgetExceeded", message, budget_remaining=remaining)
    world.state("financial.releases")[release.id] = release
    allotments.move_budget(world, centre, -release.amount)
    world.effect("release_budget", centre.id, amount=release.amount)
    return release


def _assign(world: World, release: Release, centre: CostCentre) -> dict[str, Any]:
    """Add a released amount to the cost centre's budget."""
    taken = world.state("financial.budget_transfers")
    if release.id in taken:
        raise Refusal(409, "ReleaseUsed", "This amount was assigned already.", transfer_id=taken[release.id])
    before = allotments.budget_left(world, centre)
    transfer_id = identifier("BTR", release.id, centre.id)
    taken[release.id] = transfer_id
    allotments.move_budget(world, centre, release.amount)
    world.effect("assign_budget", centre.id, amount=release.amount, from_cost_centre=release.centre.id)
    return {
        "transfer_id": transfer_id,
        "release_id": release.id,
        "from_cost_centre": release.centre.id,
        "to_cost_centre": centre.id,
        "amount": release.amount,
        "currency": HOME,
        "to_budget_before": before,
        "to_budget_remaining": allotments.budget_left(world, centre),
        "released_on": release.day,
        "booked_on": TODAY,
        "status": "booked",
    }


def _refuse_same(giving: CostCentre, getting: CostCentre) -> None:
    if giving.id == getting.id:
        raise Refusal(400, "SameCostCentre", f"Giver and receiver are one cost centre, {giving.id}.")


class MovedBudget(Answer):
    """A budget amount that changed its cost centre."""

    transfer_id: str = Field(description="Id of the transfer")
    release_id: str = Field(description="Id of the release behind it")
    from_cost_centre: str = Field(description="Id of the cost centre that gave")
    to_cost_centre: str = Field(description="Id of the cost centre that got it")
    amount: float = Field(description="Amount that was moved")
    currency: str = Field(description="Currency of every amount")
    to_budget_before: float = Field(description="What to_cost_centre could still spend before")
    to_budget_remaining: float = Field(description="What it may still spend after")
    released_on: str = Field(description="Day of the release")
    booked_on: str = Field(description="Day of the transfer")
    status: Literal["booked", "rejected"] = Field(description="Whether the transfer was made")


class TransferredBudget(MovedBudget):
    """A budget amount that changed its cost centre at once."""

    from_budget_before: float = Field(description="What from_cost_centre could still spend before")
    from_budget_remaining: float = Field(description="What it may still spend after")


class ReleasedBudget(Answer):
    """A budget amount that waits for its new cost centre."""

    release_id: str = Field(description="Id of the released amount")
    cost_centre: str = Field(description="Id of the cost centre that gave")
    amount: float = Field(description="Amount that was released")
    currency: str = Field(description="Currency of every amount")
    budget_before: float = Field(description="What the cost centre could still spend before")
    budget_remaining: float = Field(description="What it may still spend after")
    released_on: str = Field(description="Day of the release")
    assign_by: str = Field(description="Last day on which it can be assigned")
    status: Literal["released", "rejected"] = Field(description="Whether the amount was released")


_MOVED: tuple[Invariant, ...] = (
    CODED,
    Sums("to_budget_remaining", ("to_budget_before", "amount")),
    Bounds("amount", 0, 1e7),
    Bounds("to_budget_remaining", 0, 1e8),
    Requires("transfer_id", "status", "booked"),
    Requires("release_id", "status", "booked"),
    Requires("from_cost_centre", "status", "booked"),
    Ordered("released_on", "booked_on"),
)


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="procurement_history",
    parts=2,
    answer=TransferredBudget,
    examples=(
        {"from_cost_centre": "CC-210", "to_cost_centre": "CC-120", "amount": 5000.0},
        {"from_cost_centre": "CC-110", "to_cost_centre": "CC-130", "amount": 1250.5},
        {"from_cost_centre": "CC-420", "to_cost_centre": "CC-410", "amount": 8300},
        {"from_cost_centre": "CC-510", "to_cost_centre": "CC-310", "amount": 640},
    ),
    refusals=(
        ({"from_cost_centre": "CC-210", "to_cost_centre": "CC-999", "amount": 5000}, 404),
        ({"from_cost_centre": "CC-320", "to_cost_centre": "CC-120", "amount": 90000}, 409),
        ({"from_cost_centre": "CC-320", "to_cost_centre": "CC-320", "amount": 90}, 400),
    ),
    echoes=("from_cost_centre", "amount", "to_cost_centre"),
    invariants=(
        *_MOVED,
        Sums("from_budget_before", ("amount", "from_budget_remaining")),
    ),
)
def transfer_budget(world: World, from_cost_centre: Giving, to_cost_centre: Getting, amount: Euros) -> dict[str, Any]:
    """Move an amount of this year's budget, in euro, from one cost centre to another at once."""
    giving, getting = known_centre(from_cost_centre), known_centre(to_cost_centre)
    _refuse_same(giving, getting)
    before = allotments.budget_left(world, giving)
    moved = _assign(world, _release(world, giving, amount), getting)
    return {**moved, "from_budget_before": before, "from_budget_remaining": allotments.budget_left(world, giving)}


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="procurement_history",
    answer=ReleasedBudget,
    examples=(
        {"cost_centre": "CC-210", "amount": 5000.0},
        {"cost_centre": "CC-110", "amount": 1250.5},
        {"cost_centre": "CC-420", "amount": 8300},
        {"cost_centre": "CC-510", "amount": 640},
    ),
    refusals=(
        ({"cost_centre": "CC-999", "amount": 100}, 404),
        ({"cost_centre": "CC-320", "amount": 90000}, 409),
        ({"cost_centre": "CC-320", "amount": 0}, 422),
    ),
    echoes=("cost_centre", "amount"),
    invariants=(
        CODED,
        Sums("budget_before", ("amount", "budget_remaining")),
        Bounds("budget_remaining", 0, 1e8),
        Requires("release_id", "status", "released"),
        Ordered("released_on", "assign_by"),
    ),
)
def release_budget(world: World, cost_centre: CentreId, amount: Euros) -> dict[str, Any]:
    """Release an amount of a cost centre's budget, in euro, so that it can be assigned to another cost centre."""
    centre = known_centre(cost_centre)
    before = allotments.budget_left(world, centre)
    release = _release(world, centre, amount)
    return {
        "release_id": release.id,
        "cost_centre": centre.id,
        "amount": release.amount,
        "currency": HOME,
        "budget_before": before,
        "budget_remaining": allotments.budget_left(world, centre),
        "released_on": TODAY,
        "assign_by": QUARTER_END,
        "status": "released",
    }


@simulated_tool(
    category="action",
    repeat="refused",
    shown_by="procurement_history",
    answer=MovedBudget,
    examples=tuple(
        {"release_id": id, "to_cost_centre": to}
        for id, to in zip(_WAITING, ("CC-110", "CC-210", "CC-320", "CC-420"), strict=True)
    ),
    refusals=(
        ({"release_id": "BRL-00000000", "to_cost_centre": "CC-110"}, 404),
        ({"release_id": next(iter(_WAITING)), "to_cost_centre": "CC-410"}, 400),
        ({"release_id": "first", "to_cost_centre": "CC-110"}, 422),
    ),
    echoes=("release_id", "to_cost_centre"),
    invariants=_MOVED,
)
def assign_budget(world: World, release_id: ReleaseId, to_cost_centre: Getting) -> dict[str, Any]:
    """Assign a budget amount that was released, by the release's id, to a cost centre."""
    release = _WAITING.get(release_id) or world.state("financial.releases").get(release_id)
    if release is None:
        raise Refusal(404, "ReleaseNotFound", f"There is no released amount {release_id!r}.", release_id=release_id)
    centre = known_centre(to_cost_centre)
    _refuse_same(release.centre, centre)
    return _assign(world, release, centre)
