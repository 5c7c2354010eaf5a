"""Orders for trajectories: rows to learn from, drawn as a recipe says, and episodes of an evaluation, cell by cell.

A failure strikes the tool of a node that is called first. If the node has but one tool and the failure stays, the
task is at a dead end, and an honest stop is right. The agent's own slips are not part of this world.
"""

from __future__ import annotations

from random import Random

from sealegs.faults import seeds
from sealegs.faults.plan import Plan, Rule
from sealegs.faults.triggers import FirstTouch, Tool
from sealegs.scenarios.perturbation import PERSISTENCE, victims
from sealegs.scoring.task_progress import node_of
from sealegs.tasks.graph import Step
from sealegs.training.data.data_recipe import DataRecipe
from sealegs.training.data.failure_catalogue import FAULT, FailureKind, fits_step
from sealegs.training.data.trajectory_player import NoTrajectory, TrajectoryOrder
from sealegs.training.proof import CODES, KINDS, SEEN, SETS, TOOLS
from sealegs.training.proof.synthetic_failures import coded_errors, synthetic_kinds
from sealegs.training.proof.synthetic_tasks import SyntheticTask, synthetic_task
from sealegs.training.proof.synthetic_wording import SHORT

DEAD_ENDS = 1 / 3  # of the failures that stay
CODED = 0.35  # of the explicit failures of training
CELLS = ("P1", "P2", "P3", "P4", "dead end", "clean")
"""Explicit and transient, explicit and permanent, implicit and transient, implicit and permanent."""


def order_of_row(recipe: DataRecipe, name: str, number: int, trial: int) -> TrajectoryOrder:
    """The row of this number among those of a name, as a recipe has it.

    Raises:
        NoTrajectory: this attempt gives none.
    """
    key = ("train", name, number, trial)
    own = seeds.stream(*key[:3])  # what is decided in the same way for every attempt at the row
    if own.random() < recipe.clean:
        return _clean(synthetic_task(*key), key)
    shares = recipe.modes.parts()
    mode = own.choices(list(shares), list(shares.values()))[0]
    dead = PERSISTENCE[mode] == "permanent" and own.random() < DEAD_ENDS
    coded = own.random() < CODED
    draw = seeds.stream(*key, "failure")
    among = coded_errors(new=False) if coded and mode in ("P1", "P2") else synthetic_kinds(new=False)
    return _failing(_errand(key, mode, dead, new=False), among, mode, dead, draw.random() < recipe.exemplars, draw, key)


def order_of_episode(set: str, cell: str, seed: int, number: int) -> TrajectoryOrder:
    """The episode of this number in a cell of a set; the first attempt that is fit.

    Raises:
        ValueError: there is no such set or cell.
    """
    if set not in SETS or cell not in CELLS:
        raise ValueError(f"no set {set!r} or cell {cell!r}")
    # The number of the trial is part of the key: a new trial draws anew, and the episode stays a function of its own
    # key.
    for trial in range(100):
        key = ("test", seed, set, cell, number, trial)
        draw = seeds.stream(*key, "failure")
        new = set not in (SEEN, KINDS, CODES)
        if cell == "clean":
            return _clean(synthetic_task(*key, new_tools=new), key)
        explicit = draw.random() < 0.5
        mode = ("P2" if explicit or set == CODES else "P4") if cell == "dead end" else cell
        among = coded_errors(new=True) if set == CODES else synthetic_kinds(new=set not in (SEEN, TOOLS))
        try:
            dead = cell == "dead end"
            return _failing(_errand(key, mode, dead, new=new), among, mode, dead, False, draw, key)
        except NoTrajectory:
            continue
    raise ValueError(f"nothing fits {set}, {cell}")


def _errand(key: tuple[object, ...], mode: str, dead: bool, *, new: bool) -> SyntheticTask:
    """A task in which such a failure can come: with a lone tool for a dead end, with another way for a switch."""
    return synthetic_task(*key, new_tools=new, alone=dead if PERSISTENCE[mode] == "permanent" else None)


def _clean(chosen: SyntheticTask, key: tuple[object, ...]) -> TrajectoryOrder:
    plan = Plan(name="clean")
    return TrajectoryOrder(chosen.variant, chosen.specs, "", None, "", None, plan, False, key, SHORT, straight=True)


def _failing(
    chosen: SyntheticTask,
    among: tuple[FailureKind, ...],
    mode: str,
    dead: bool,
    noted: bool,
    draw: Random,
    key: tuple[object, ...],
) -> TrajectoryOrder:
    able = [kind for kind in among if mode in kind.modes()]
    if not able:
        raise NoTrajectory("no kind of failure comes in this mode")
    kind = draw.choice(able)
    nodes = list(chosen.variant.task.graph.nodes)
    if PERSISTENCE[mode] == "permanent":
        # A failure that stays makes a dead end at a step alone: in a group other tools are left.
        nodes = [node for node in nodes if isinstance(node, Step) is dead]
    node = draw.choice(nodes)
    steps = victims(chosen.variant.task.graph, node.id)
    if not all(fits_step(kind, chosen.variant, step) for step in steps):
        raise NoTrajectory("no tool of the service is open to this failure")
    plan = _plan(kind, mode, steps, seeds.digest(*key) & 0x7FFFFFFF)
    return TrajectoryOrder(
        chosen.variant, chosen.specs, "", kind, mode, steps[0], plan, noted, key, SHORT, straight=True
    )


def _plan(kind: FailureKind, mode: str, steps: tuple[Step, ...], seed: int) -> Plan:
    touched = tuple(step.tool for step in steps)
    fault = kind.shown.fault if kind.shown else FAULT.validate_python({"kind": kind.name})
    rules = tuple(
        Rule(
            id=step.tool,
            match=Tool(step.tool),
            when=FirstTouch(touched),
            fault=fault,
            persistence=PERSISTENCE[mode],
            moment="before",
            at_most=1 if PERSISTENCE[mode] == "transient" else None,
            key="order",  # so that rows of one seed stay what they are
        )
        for step in steps
    )
    return Plan(name=kind.name, seed=seed, rules=rules)


def cell_of(order: TrajectoryOrder) -> str:
    """The cell that an order is of."""
    if order.kind is None or order.step is None:
        return "clean"
    alone = node_of(order.step, order.variant.task.graph) == order.step.id
    return "dead end" if alone and PERSISTENCE[order.mode] == "permanent" else order.mode
