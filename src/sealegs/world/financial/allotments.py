"""The budgets of cost centres during an episode: the books, what was moved between them, what was claimed and ordered.

Everything is in euro. No tools here.
"""

from __future__ import annotations

from sealegs.world.financial.books import CostCentre
from sealegs.world.financial.facts import HOME, settled
from sealegs.world.state import World


def budget(world: World, centre: CostCentre) -> float:
    """What the cost centre may spend this year."""
    return settled(centre.budget + float(world.state("financial.budget_moves").get(centre.id, 0.0)), HOME)


def added(world: World, centre: CostCentre) -> float:
    """What was claimed and ordered since the episode began."""
    return settled(float(world.state("financial.spent").get(centre.id, 0.0)), HOME)


def spent(world: World, centre: CostCentre) -> float:
    """What the cost centre has spent or ordered this year."""
    return settled(centre.spent + added(world, centre), HOME)


def left(world: World, centre: CostCentre) -> float:
    """What it may still spend this year."""
    return settled(budget(world, centre) - spent(world, centre), HOME)


def spend(world: World, centre: CostCentre, amount: float) -> None:
    """Charge the cost centre with an amount."""
    world.state("financial.spent")[centre.id] = settled(added(world, centre) + amount, HOME)


def move(world: World, centre: CostCentre, amount: float) -> None:
    """Add an amount to the cost centre's budget, or take it away where it is negative."""
    moves = world.state("financial.budget_moves")
    moves[centre.id] = settled(float(moves.get(centre.id, 0.0)) + amount, HOME)
