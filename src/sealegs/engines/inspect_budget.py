"""A budget of a whole run, in tokens or dollars: no episode begins once it is spent, and those under way are finished.

What an episode used is known when it ends, so that a run may use more than its budget by what was under way then. An
episode that did not begin is not in the run; a larger budget and the same command play it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspect_ai.log import transcript
from inspect_ai.model._model import sample_model_usage
from inspect_ai.solver import Generate, Solver, TaskState, solver

from sealegs.engines.run_usage import RunUsage
from sealegs.traces.inspect_logs import BUDGET_NOTE


class BudgetSpent(Exception):
    """The budget of the run is spent, so that this episode was not begun."""


class RunBudget:
    """The budget of a run, and the use of it so far.

    Args:
        tokens, cost: at most so much; None for no limit.
        used: by earlier commands.
    """

    def __init__(self, tokens: int | None, cost: float | None, used: RunUsage) -> None:
        self._tokens, self._cost = tokens, cost
        self._used = used

    @property
    def spent(self) -> bool:
        """Whether no further episode may begin."""
        return self._used.reaches(self._tokens, self._cost)

    def add(self, usage: Mapping[str, Any]) -> None:
        """Add what the models of an episode used."""
        self._used = self._used.plus(RunUsage.of({name: one.model_dump() for name, one in usage.items()}))


@solver
def within_budget(inner: Solver, budget: RunBudget) -> Solver:
    """The solver of an episode that begins only where the budget allows it."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if budget.spent:
            transcript().info(BudgetSpent.__doc__, source=BUDGET_NOTE)
            raise BudgetSpent
        try:
            return await inner(state, generate)
        finally:
            budget.add(sample_model_usage())

    return solve
