"""Attempts at a row: its task, its failure, the place and the wording, decided by seed, row and attempt alone."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sealegs.faults import seeds
from sealegs.faults.plan import Plan
from sealegs.tasks.graph import Step
from sealegs.training.data import HELD, UNSEEN
from sealegs.training.data.conduct import PLANNER, RowWithTools
from sealegs.training.data.data_recipe import DataRecipe
from sealegs.training.data.dividing import Division, division
from sealegs.training.data.exporters.exporter import Row
from sealegs.training.data.failure_catalogue import MODES, FailureKind, failure_kinds, fits_step, plan_failure
from sealegs.training.data.row_forms import row
from sealegs.training.data.task_sources import KEPT, BaseTask, DataSources, TaskVariant, offered_specs, task_variant
from sealegs.training.data.trajectory_player import NoTrajectory, Teacher, TrajectoryOrder, play_trajectory

SALTS = 4  # drawn lists of tools for each task
SPREAD = (0.7548776662466927, 0.5698402909980532)  # rows spread evenly over the unit square (the plastic number)


@dataclass(frozen=True)
class SetDefinition:
    """The definition of a set: equal makings give equal sets."""

    recipe: DataRecipe
    sources: DataSources
    n: int
    seed: int
    form: str
    teacher: str = ""

    @property
    def division(self) -> Division:
        """The tasks, tools and kinds of failures that each split may hold."""
        return division(self.sources, self.recipe, self.seed)

    def place(self, number: int) -> tuple[str, bool]:
        """The split of a row, and whether something fails in it: as near to the recipe's shares as whole rows are."""
        shares, at = self.recipe.splits.parts(), (0.5 + number * SPREAD[0]) % 1
        split = UNSEEN
        for name, share in shares.items():
            at -= share
            if at < 0:
                split = name
                break
        return split, (0.5 + number * SPREAD[1]) % 1 >= self.recipe.clean


def attempt_row(making: SetDefinition, number: int, trial: int, teacher: Teacher | None = None) -> Row:
    """One attempt at a row.

    Raises:
        NoTrajectory: it gives none.
    """
    split, failing = making.place(number)
    # The row depends on these alone, so that workers can make rows in any order, and a check can make one again.
    key = (making.seed, number, trial)
    draw = seeds.stream("row", *key)
    divided = making.division
    among = divided.tasks[split]
    if not among:
        raise NoTrajectory(f"no task is of the split {split}")
    chosen = _drawn_variant(among[draw.randrange(len(among))], making, draw)
    kind, mode, step = _failure(making, number, chosen, draw) if failing else (None, "", None)
    barred = frozenset[str]() if split == UNSEEN else divided.tools
    order = TrajectoryOrder(
        variant=chosen,
        specs=offered_specs(chosen.base, draw.randrange(SALTS), making.recipe.distractors, barred),
        prompt=draw.choice(making.recipe.prompts),
        kind=kind,
        mode=mode,
        step=step,
        plan=plan_failure(kind, mode, chosen, step, draw, draw.getrandbits(31))
        if kind and step
        else Plan(name="clean"),
        noted=kind is not None and draw.random() < making.recipe.exemplars,
        key=key,
        held_out=split in HELD,
    )
    made = play_trajectory(order, making.recipe.continuation, teacher)
    who = PLANNER if not kind or making.recipe.continuation == "expert" else making.teacher or None
    # The id holds the key of all draws: `set_checks.played_again` reads it from there.
    about = {"id": f"{making.seed}-{number:07d}-{trial}", "split": split, "expert": who}
    made_row = row(order, made, about, making.form, making.recipe.continuation)
    lapse = next(RowWithTools(made_row, chosen.base).problems(), "") if who != PLANNER else ""
    if lapse:
        raise NoTrajectory(f"the teacher sets no example ({lapse})")
    return made_row


def _drawn_variant(base: BaseTask, making: SetDefinition, draw: random.Random) -> TaskVariant:
    found = task_variant(base, draw.randint(0, making.recipe.variants), making.seed)
    if found is None:
        raise NoTrajectory("the world does not allow these numbers")
    return found


def _failure(
    making: SetDefinition, number: int, chosen: TaskVariant, draw: random.Random
) -> tuple[FailureKind, str, Step]:
    """A failure that the row's split may hold: its kind, mode and step. The mode is always the row's own."""
    divided, (split, _) = making.division, making.place(number)
    # From the row and not the attempt: if a mode that is hard to place gave way at the next try, the shares would
    # shift.
    own, shares = seeds.stream("mode", making.seed, number), making.recipe.modes.parts()
    mode = own.choices(MODES, [shares[name] for name in MODES])[0]
    slip = mode == "P1" and own.random() < making.recipe.slips
    able = _able(mode, slip, divided.kinds, split == UNSEEN)
    if not able:
        raise NoTrajectory("no kind of failure of this split comes in this mode")
    failure_class = draw.choice(sorted({kind.failure_class for kind in able}))
    kind = draw.choice([kind for kind in able if kind.failure_class == failure_class])
    steps = [step for step in chosen.task.graph.walk() if divided.pair(failure_class, step.tool) == split]
    draw.shuffle(steps)
    for step in steps:
        if _fits(kind, chosen, step.id):
            return kind, mode, step
    raise NoTrajectory("no step of the task is open to this failure in this split")


@lru_cache
def _able(mode: str, slip: bool, unseen: frozenset[str], generalising: bool) -> Sequence[FailureKind]:
    return tuple(
        kind
        for kind in failure_kinds().values()
        if mode in kind.modes() and kind.slip == slip and (kind.name in unseen) == generalising
    )


@lru_cache(maxsize=16 * KEPT)
def _fits(kind: FailureKind, chosen: TaskVariant, step: str) -> bool:
    return fits_step(kind, chosen, chosen.task.graph.steps[step])


def first_fit_row(
    making: SetDefinition, number: int, start: int = 0, teacher: Teacher | None = None
) -> tuple[int, Row | None, Any]:
    """The first attempt from `start` on that gives a row: its number, the row, and why the others gave none.

    Where none of the recipe's tries does, the number is the one after the last, and the row is None.
    """
    fell: dict[str, int] = {}
    for trial in range(start, making.recipe.tries):
        try:
            return trial, attempt_row(making, number, trial, teacher), fell
        except NoTrajectory as error:
            reason = str(error).split(":")[0]
            fell[reason] = fell.get(reason, 0) + 1
    return making.recipe.tries, None, fell
