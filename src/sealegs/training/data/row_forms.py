"""A trajectory as a row: its labels, and its text in one of the forms of `exporters`, or in several."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sealegs.tasks import State, recovery_cost
from sealegs.tasks.editions import CANARY, CANARY_FIELD
from sealegs.training.data.exporters import FORMS
from sealegs.training.data.exporters.exporter import Row
from sealegs.training.data.trajectory_player import Trajectory, TrajectoryOrder


def row(order: TrajectoryOrder, made: Trajectory, about: Mapping[str, Any], form: str, continuation: str) -> Row:
    """A trajectory with its labels.

    Args:
        order, made: what was ordered, and what came.
        about: `id`, `split`, `seed` and `expert`.
        form: which one of `FORMS`.
        continuation: who continued after the failure.
    """
    kind, step = order.kind, order.step
    best, cost = costs(order, made)
    columns: Row = {
        **about,
        "base_task": order.variant.base.id,
        "variant": order.variant.number,
        "level": order.variant.task.level,
        "failing": kind is not None,
        "failure_class": kind.failure_class if kind else None,
        "failure_kind": kind.name if kind else None,
        "mode": order.mode or "NP",
        "step": made.at + 1 if made.at is not None else None,
        "step_tool": step.tool if step else None,
        "moment": failure_moment(made),
        "strategy": strategy(made),
        "optimal_cost": best,
        "cost": cost if continuation != "none" else None,
        "outcome": trajectory_outcome(order, made, continuation),
        "exemplar": made.exemplar or None,
        "calls": sum(message["role"] == "tool" for message in made.messages),
        "offered": [spec.name for spec in order.specs],
        "plan": json.dumps(order.plan.as_data(), ensure_ascii=False) if order.plan.rules else None,
        CANARY_FIELD: CANARY,
    }
    # Before the exporters, which write a stop otherwise than an answer.
    gave_up = columns["outcome"] == "right stop"
    for exporter in FORMS[form]:
        columns |= exporter.columns(made.messages, order.specs, gave_up=gave_up)
    return columns


def failure_moment(made: Trajectory) -> str | None:
    """The moment of the failure: before the tool's work, after it, or during it; None if the tool changes nothing."""
    injections = made.found.turns[made.at].injections if made.found is not None and made.at is not None else ()
    return next((injection.moment for injection in injections if injection.moment), None)


def strategy(made: Trajectory) -> str | None:
    """The acts of the recovery, in order: `retry`, `correct`, `look`, `switch`, `stop`, joined by `then`."""
    names = {"tries again": "retry", "mends its call": "correct", "looks": "look", "stops": "stop"}
    names |= {"switches": "switch", "prepares": "switch"}
    return " then ".join(dict.fromkeys(names[doing] for doing in made.doings if doing in names)) or None


def costs(order: TrajectoryOrder, made: Trajectory) -> tuple[int | None, int | None]:
    """c* and the trajectory's own cost: calls from the one that failed to the end, both counted, as the judge does."""
    if made.at is None or made.found is None:
        return None, None
    own = len(made.found.turns) - made.at
    if order.kind is not None and order.kind.slip:
        # The judge's case has no fault for a slip, so c* is worked out here: the slip, and the fewest calls from there.
        done = {m["name"] for m in made.messages[: _place_of(made)] if m["role"] == "tool"}
        graph = order.variant.task.graph
        state = State(done=frozenset(graph.step_of[name].id for name in done))
        further = recovery_cost(graph, state)
        return (1 if further is None else 1 + further), own
    return made.judged.best, own


def _place_of(made: Trajectory) -> int:
    """The place of the message with which the call that failed was made."""
    places = [place for place, m in enumerate(made.messages) if m["role"] == "assistant"]
    return places[made.at or 0]


def trajectory_outcome(order: TrajectoryOrder, made: Trajectory, continuation: str) -> str:
    """`success`, `right stop`, or `cut`."""
    if order.kind is not None and continuation == "none":
        return "cut"
    return "success" if made.judged.solvable else "right stop"
