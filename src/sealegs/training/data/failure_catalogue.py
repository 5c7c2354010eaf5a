"""The labelled failures that strike trajectories: the answer shown, the class, and how long each may last.

Three sources: the 58 failures of the published assignment; the nine implicit corruptions, answers that look like data
and are wrong; and slips, calls that the agent itself makes wrongly and that the tool, or the lack of one, refuses.
Those of the 58 that say that the arguments are wrong (`slips`) come from arguments that are, and are never injected.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from pydantic import TypeAdapter

from sealegs.faults import seeds
from sealegs.faults.corruption import FAMILIES, can_corrupt
from sealegs.faults.kinds import AnyFault, Error
from sealegs.faults.plan import Plan, Rule
from sealegs.faults.triggers import First, Tool
from sealegs.recovery.causes import causes
from sealegs.scenarios.labelled_failures.failures import LabelledFailure, Lasts, published_failures
from sealegs.scenarios.perturbation import PERSISTENCE
from sealegs.tasks.graph import Step
from sealegs.training.data.slips import ARGUMENTS, TOOLS, mistake_kinds
from sealegs.training.data.task_sources import TaskVariant

FAULT: TypeAdapter[AnyFault] = TypeAdapter(AnyFault)
MODES = tuple(PERSISTENCE)
MALFORMED = "Malformed JSON"
MESSAGES = ("{message}", "{message}", "{tool}: {message}", "{message} (request {id})", "{message}. Trace {id}.")


@dataclass(frozen=True, slots=True)
class FailureKind:
    """One kind of failure.

    Attributes:
        name: unique.
        failure_class: one of the seven published classes.
        lasts: whether it passes, stays, or either.
        implicit: whether what is shown looks like data.
        shown: the published failure, for those that are.
        slip: whether it is the agent's own call that is wrong.
        unsaid: whether what is shown leaves open how long it lasts.
    """

    name: str
    failure_class: str
    lasts: Lasts
    implicit: bool = False
    shown: LabelledFailure | None = field(default=None, compare=False)
    slip: bool = False
    unsaid: bool = False

    def modes(self) -> tuple[str, ...]:
        """Those of P1 to P4 in which it can come."""
        modes = ("P3", "P4") if self.implicit else ("P1", "P2")
        return tuple(mode for mode in modes if self.lasts in ("either", PERSISTENCE[mode]))


@cache
def failure_kinds() -> Mapping[str, FailureKind]:
    """All kinds by name."""
    found = [
        FailureKind(one.failure, one.failure_class, one.lasts, one.rewrites, one)
        for one in published_failures().values()
        if one.failure not in mistake_kinds() and (not one.rewrites or one.failure == MALFORMED)
    ]  # the other one that rewrites is a corruption below; what says that the arguments are wrong is a slip
    wrong = causes()["wrong_answer"].failure_class
    found += [FailureKind(family, wrong, "either", implicit=True) for family in FAMILIES]
    found += [FailureKind(name, _class_of_slip(name), "transient", slip=True) for name in mistake_kinds()]
    return {kind.name: kind for kind in found}


def _class_of_slip(name: str) -> str:
    if name in published_failures():
        return published_failures()[name].failure_class
    return TOOLS if mistake_kinds()[name].of_the_tool else ARGUMENTS


def unseen_kinds(share: float, seed: int) -> frozenset[str]:
    """The kinds that only the generalisation split holds: of each class and sort this share, and at least one.

    A class whose sort is a single kind keeps it for training.
    """
    sorts: dict[tuple[object, ...], list[str]] = {}
    for kind in failure_kinds().values():
        sorts.setdefault((kind.failure_class, kind.implicit, kind.slip), []).append(kind.name)
    kept: set[str] = set()
    for names in sorts.values():
        drawn = sorted(names, key=lambda name: seeds.digest("unseen kind", seed, name))
        kept.update(drawn[: max(1, round(share * len(names)))] if len(names) > 1 else ())
    return frozenset(kept)


def fits_step(kind: FailureKind, variant: TaskVariant, step: Step) -> bool:
    """Return whether this kind of failure can strike this step: its answer can be made wrong so, and it matters.

    A tool that changes something is struck only if a history tool shows what it did: otherwise no agent could
    continue safely.
    """
    spec = variant.base.specs[step.tool]
    if not kind.slip and spec.effects is not False and not spec.shown_by:
        return False
    if not kind.implicit:
        return True
    if kind.shown is not None:
        # No seeded value is needed here: what is shown is fixed. It must only hide something that the task goes on to
        # read.
        return bool(spec.used) and not spec.effects
    expected, others = variant.right.steps[step.id], variant.base.corpus.answered_examples(step.tool)
    key = (variant.base.id, variant.number, step.id)
    return bool(spec.used) and can_corrupt(kind.name, spec, expected.arguments, expected.output, key, others)


def plan_failure(
    kind: FailureKind, mode: str, variant: TaskVariant, step: Step, draw: random.Random, seed: int
) -> Plan:
    """The plan that has a failure strike a step's first call, and every later one where it stays.

    Of an action it is drawn whether the failure comes before its work, after it, or (where the work has several effects
    and the same call can complete it) in between.
    """
    if kind.slip:
        return Plan(name="slip", seed=seed)
    fault, lasting = _fault(kind, step.tool, draw), PERSISTENCE[mode] == "permanent"
    effects = len(variant.right.steps[step.id].effects)
    able = [moment for moment in fault.moments if effects and (moment != "during" or (effects > 1 and not lasting))]
    rule = Rule(
        id="failure",
        match=Tool(step.tool),
        when=First(1),
        fault=fault,
        persistence=PERSISTENCE[mode],
        moment=draw.choice(able) if able else None,
        at_most=None if lasting else 1,
        key="order",  # so that rows of one seed stay what they are
    )
    return Plan(name=kind.name, seed=seed, rules=(rule,))


def _fault(kind: FailureKind, tool: str, draw: random.Random) -> AnyFault:
    if kind.shown is None:
        return FAULT.validate_python({"kind": kind.name})
    fault = kind.shown.fault
    if isinstance(fault, Error):
        words = draw.choice(MESSAGES)
        text = words.format(message=fault.failure.message, tool=tool, id=f"{draw.getrandbits(32):08x}")
        return fault.model_copy(update={"message": text})
    return fault
