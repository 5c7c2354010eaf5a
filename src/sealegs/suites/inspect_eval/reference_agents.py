"""Agents that play the solution that an eval itself gives: they prove the wiring, and need no model.

`gold` makes each call of the solution once; where a tool's service fails it stops and says so. `gold-retrier` makes a
call with a transient failure again, up to three times: a call that changes nothing, one whose second run changes
nothing further, and any other only after the read that shows that it was not done. Both know the arguments of their
calls beforehand, so a wrong answer misleads neither of them: what they show of implicit faults is that these arrive.
Evals that come without a solution have no such agents; both pass over evals' own refusals, as the eval's expected state
does.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from sealegs.faults.user_error import UserError
from sealegs.suites.inspect_eval import reference_agentdojo, reference_tau2
from sealegs.suites.inspect_eval.knowledge import EvalKnowledge, load_knowledge
from sealegs.suites.inspect_eval.reference_calls import CarefulCaller, ReferenceCaller

if TYPE_CHECKING:
    from inspect_ai.solver import Generate, Solver, TaskState

REFERENCE_AGENTS: tuple[str, ...] = ("gold", "gold-retrier")
Play = Callable[["TaskState", "Generate", ReferenceCaller], Awaitable["TaskState"]]


@dataclass(frozen=True)
class ReferenceEval:
    """An eval that comes with its solution: the names of its tasks, and how a caller plays it."""

    tasks: tuple[str, ...]
    play: Play


EVALS: Sequence[ReferenceEval] = (
    ReferenceEval(reference_tau2.TASKS, reference_tau2.play_gold_actions),
    ReferenceEval(reference_agentdojo.TASKS, reference_agentdojo.play_ground_truth),
)


def reference_solver(task_name: str, agent: str) -> Solver:
    """The solver that plays an eval's own solution, in place of the eval's solver.

    Args:
        task_name: as Inspect knows the task, with or without what is before the slash.
        agent: one of `REFERENCE_AGENTS`.

    Raises:
        UserError: there is no such agent, or the eval comes with no solution that is known here.
    """
    if agent not in REFERENCE_AGENTS:
        raise UserError(f"unknown reference agent {agent!r}; choose from {', '.join(REFERENCE_AGENTS)}")
    short = task_name.rpartition("/")[2]
    play = next((one.play for one in EVALS if short in one.tasks), None)
    if play is None:
        known = ", ".join(name for one in EVALS for name in one.tasks)
        raise UserError(
            f"{task_name} has no reference agent; give a model with --model. Evals with a reference agent: {known}"
        )
    from inspect_ai.solver import solver

    known_tools = load_knowledge(task_name)
    make: Callable[[], ReferenceCaller] = partial(_caller, agent, known_tools)

    @solver(name=agent)
    def played() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            return await play(state, generate, make())

        return solve

    return played()


def _caller(agent: str, known: EvalKnowledge | None) -> ReferenceCaller:
    return ReferenceCaller() if agent == "gold" or known is None else CarefulCaller(known)
