"""Answers that are wrong in one named way, checked by code before anyone sees them.

A corruption breaks one of the tool's declared invariants of its family, so that a careful agent can tell. It is shown
only when it is verified: the statement is false of it, the keys of every object are those of the true answer, and
where it is known which fields later steps use, one of them has changed. With a `rung` it is also on that rung of the
ladder (`faults.rungs`), and has the structure of the tool's schema. Wrong answers that keep every invariant cannot be
detected from the answer alone, and are kinds of their own (`forged`, `delta`, `stale`, `unit_swap`).
"""

from __future__ import annotations

import random
from abc import abstractmethod
from collections.abc import Generator, Iterable, Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from sealegs.faults import paths, seeds
from sealegs.faults.call import MOMENTS, Call, Moment, Outcome, Value, Wait
from sealegs.faults.fault import Fault, FaultSetting, Steps
from sealegs.faults.invariants import Invariant, NoLeak, Present, same_shape, touches
from sealegs.faults.rungs.visible_rung import emptied, keeps_structure, visible_rung
from sealegs.faults.spec import ToolSpec

FAMILIES = (
    "physics_violation",
    "tool_leakage",
    "irrelevant_response",
    "statistical_inconsistency",
    "internal_contradiction",
    "missing_required_fields",
    "logic_violation",
    "temporal_contradiction",
    "fact_contradiction",
)
TRIES = 6  # draws for each invariant: a drawn wrong value may by chance be an allowed one
TRIES_ON_RUNG = 48  # or one that is detectable on another rung
PROOFS = 3  # streams that must all succeed before an answer counts as fitting


VisibleRung = Literal["glance", "arithmetic"]


class Corruption(Fault):
    """Base of the nine implicit kinds: the agent sees a true answer made wrong in the way of the kind's name."""

    implicit: ClassVar[bool] = True
    rewrites: ClassVar[bool] = True
    moments: ClassVar[tuple[Moment, ...]] = MOMENTS
    optional: ClassVar[tuple[str, ...]] = ("rung",)
    rung: VisibleRung | None = Field(
        default=None,
        description="`glance` or `arithmetic`: only false answers that are detectable in that way; any by default.",
    )

    def act(self, call: Call, setting: FaultSetting) -> Steps:
        """Show a verified wrong answer, or the true one where none can be made."""
        others = yield from self.others(call, setting)
        truth = yield call
        if isinstance(truth, Value):
            wrong = self.wrong(call, truth.value, others, setting)
            if wrong is not None:
                return Value(wrong)
        return truth

    def others(self, call: Call, setting: FaultSetting) -> Generator[Call | Wait, Outcome, list[Any]]:
        """The tool's answers to other arguments, where the kind wants them."""
        yield from ()
        return []

    @abstractmethod
    def wrong(self, call: Call, output: Any, others: list[Any], setting: FaultSetting) -> Any:
        """A verified wrong answer; None where there is none."""


class Breaking(Corruption):
    """Base of the eight kinds that break an invariant of the family of their name."""

    needs: ClassVar[tuple[str, ...]] = ("invariants",)

    def misfit(self, spec: ToolSpec | None, dry: bool | None = None) -> str:
        """The reason why it does not fit: there is no invariant of its family to break."""
        if not self.needs or (spec is not None and any(one.family == self.kind for one in spec.invariants)):
            return ""
        return "it breaks a declared invariant of its family, and the tool declares none (ToolSpec.invariants)"

    def wrong(self, call: Call, output: Any, others: list[Any], setting: FaultSetting) -> Any:
        """The true answer with one statement made false."""
        return break_invariant(self.kind, setting.spec, call.arguments, output, setting.draw, self.rung)


def break_invariant(
    family: str,
    spec: ToolSpec | None,
    arguments: Mapping[str, Any],
    output: Any,
    draw: random.Random,
    rung: VisibleRung | None = None,
) -> Any:
    """The answer with an invariant of the family made false, verified; None where none of them can be.

    Invariants about used fields come first; each is tried with several draws. With a `rung`, the answer is on it.
    """
    used = spec.used if spec is not None else ()
    # A statement that the true answer breaks already would prove nothing of a false one.
    candidates = [invariant for invariant in _invariants(family, spec, output) if invariant.holds(arguments, output)]
    draw.shuffle(candidates)
    # The sort is stable: among those that touch used fields, and among the others, the drawn order stays.
    candidates.sort(key=lambda invariant: not any(touches(field, used) for field in invariant.fields()))
    for invariant in candidates:
        for _ in range(TRIES if rung is None else TRIES_ON_RUNG):
            wrong = invariant.broken(arguments, output, used, draw)
            if (
                not invariant.holds(arguments, wrong)
                and changes_used_values(used, output, wrong)
                and (rung is None or is_on_rung(rung, family, spec, arguments, output, wrong))
            ):
                return wrong
    return None


def is_on_rung(
    rung: VisibleRung, family: str, spec: ToolSpec | None, arguments: Mapping[str, Any], output: Any, wrong: Any
) -> bool:
    """Return whether a wrong answer is on this rung and on no easier one, and keeps the structure of the tool's schema.

    A field is empty in the family alone that is named after it; there the structure is the keys.
    """
    compliant = family == Present.family or (keeps_structure(spec, wrong) and not emptied(output, wrong))
    return compliant and visible_rung(spec, arguments, output, wrong) == rung


def swap_answer(
    spec: ToolSpec,
    arguments: Mapping[str, Any],
    output: Any,
    others: Iterable[Any],
    rung: VisibleRung | None = None,
) -> Any:
    """The first answer about another entity that is verified as wrong here; None where there is none."""
    for other in others:
        detectable = bool(spec.violations(arguments, other))
        if (
            other != output
            and detectable
            and same_shape(output, other)
            and changes_used_values(spec.used, output, other)
            and (rung is None or is_on_rung(rung, "irrelevant_response", spec, arguments, output, other))
        ):
            return other
    return None


def changes_used_values(used: Iterable[str], output: Any, wrong: Any) -> bool:
    """Return whether one of the used paths names other values; True where nothing is known to be used."""
    used = tuple(used)
    return not used or any(paths.values_at(output, path) != paths.values_at(wrong, path) for path in used)


def applicable_kinds(
    spec: ToolSpec,
    arguments: Mapping[str, Any],
    output: Any,
    seed_key: tuple[object, ...] = (),
    others: Iterable[Any] = (),
) -> tuple[str, ...]:
    """The implicit kinds, of the nine, that can corrupt this answer; a function of the arguments alone.

    Args:
        spec: the tool.
        arguments: what it was called with.
        output: what it truly answered.
        seed_key: key of the draws with which each kind is tried.
        others: the tool's answers to other documented arguments, without which `irrelevant_response` never fits.

    Returns:
        The kinds in the order of `FAMILIES`.
    """
    known = tuple(others.values() if isinstance(others, Mapping) else others)
    return tuple(family for family in FAMILIES if can_corrupt(family, spec, arguments, output, seed_key, known))


def can_corrupt(
    family: str,
    spec: ToolSpec,
    arguments: Mapping[str, Any],
    output: Any,
    seed_key: tuple[object, ...] = (),
    others: tuple[Any, ...] = (),
    rung: VisibleRung | None = None,
) -> bool:
    """Return whether one implicit kind can corrupt this answer, on this rung; see `applicable_kinds`."""
    if family == "irrelevant_response":
        return swap_answer(spec, arguments, output, others, rung) is not None
    streams = (seeds.stream(*seed_key, family, index) for index in range(PROOFS))
    return all(break_invariant(family, spec, arguments, output, draw, rung) is not None for draw in streams)


def _invariants(family: str, spec: ToolSpec | None, output: Any) -> list[Invariant]:
    # These two families hold of the answers of any tool, so nobody has to declare them.
    if family == NoLeak.family:
        return [NoLeak()]
    if family == Present.family:
        present = spec.present if spec is not None else None
        return [present or Present(_schema(output))] if isinstance(output, Mapping) else []
    if spec is None or not isinstance(output, Mapping):
        return []
    return [invariant for invariant in spec.invariants if invariant.family == family]


def _schema(value: Any) -> dict[str, Any]:
    """The schema that an answer of an undocumented tool seems to keep: what is there is required."""
    if isinstance(value, Mapping):
        there = {key: item for key, item in value.items() if item is not None}
        properties = {key: _schema(item) for key, item in there.items()}
        return {"type": "object", "required": sorted(there), "properties": properties}
    if isinstance(value, (list, tuple)):
        return {"type": "array", "minItems": min(len(value), 1), "items": {"not": {"type": "null"}}}
    return {"not": {"type": "null"}}
