"""The budgets of cost centres during an episode: the books, what was moved between them, what was claimed and ordered.

Everything is in euro. No tools here.
"""

from __future__ import annotations

from sealegs.world.financial.books import CostCentre
from sealegs.world.financial.facts import HOME, rounded_amount
from sealegs.world.state import World


def budget(world: World, centre: CostCentre) -> float:
    """The amount that the cost centre may spend this year."""
    return rounded_amount(centre.budget + float(world.state("financial.budget_moves").get(centre.id, 0.0)), HOME)


def added_spending(world: World, centre: CostCentre) -> float:
    """The amount that was claimed and ordered since the episode began."""
    return rounded_amount(float(world.state("financial.spent").get(centre.id, 0.0)), HOME)


def spent(world: World, centre: CostCentre) -> float:
    """The amount that the cost centre has spent or ordered this year."""
    return rounded_amount(centre.spent + added_spending(world, centre), HOME)


def budget_left(world: World, centre: CostCentre) -> float:
    """The amount that the cost centre may still spend this year."""
    return rounded_amount(budget(world, centre) - spent(world, centre), HOME)


def spend(world: World, centre: CostCentre, amount: float) -> None:
    """Charge the cost centre with an amount."""
    world.state("financial.spent")[centre.id] = rounded_amount(added_spending(world, centre) + amount, HOME)


def move_budget(world: World, centre: CostCentre, amount: float) -> None:
    """Add an amount to the cost centre's budget, or take it away where it is negative."""
    moves = world.state("financial.budget_moves")
    moves[centre.id] = rounded_amount(float(moves.get(centre.id, 0.0)) + amount, HOME)
