"""The fault that strikes a sample in each mode: drawn by key among the sample's calls when nothing fails.

The victim is a tool that the clean run of the same sample and epoch called, so that nearly every sample is exposed; it
is struck at its first touch. Explicit faults (P1, P2) need no knowledge of the tools. Implicit ones (P3, P4) are drawn
among the kinds that the tool's declared invariants tell from a right answer, tried on the very answer of the clean run.
Somebody else's tools cannot be run without their effects or cut in the midst, so that an action is struck before its
work or after it, and an answer of an action is made wrong after its work alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from pydantic import TypeAdapter

from sealegs.faults import seeds
from sealegs.faults.call import Moment, Value
from sealegs.faults.catalogue import explicit_responses
from sealegs.faults.corruption import FAMILIES, can_corrupt
from sealegs.faults.kinds import AnyFault
from sealegs.faults.plan import Plan, Rule
from sealegs.faults.spec import ToolSpec
from sealegs.faults.triggers import FirstTouch, Tool
from sealegs.scenarios.moments import DRAW
from sealegs.scenarios.perturbation import PERSISTENCE
from sealegs.traces import Record, Turn

FAULT: TypeAdapter[AnyFault] = TypeAdapter(AnyFault)
IMPLICIT = ("P3", "P4")
MOMENTS: tuple[Moment, ...] = ("before", "after")
T = TypeVar("T")
OWN = "plan"  # the mode of a user's own plan


@dataclass(frozen=True)
class FaultDraw:
    """The settings by which the faults of a run are drawn.

    Attributes:
        seed: of the run.
        moment: `draw`, or one of `MOMENTS`.
        specs: the declared properties of the tools, by name.
        implicit: for a tool the kinds of implicit faults that its invariants detect.
    """

    seed: int = 0
    moment: str = DRAW
    specs: Mapping[str, ToolSpec] = field(default_factory=dict)
    implicit: Mapping[str, Collection[str]] = field(default_factory=dict)

    def plan(self, mode: str, clean: Record, key: tuple[object, ...]) -> Plan | None:
        """The faults of an episode; None where nothing that the clean run called can be struck in this mode.

        Args:
            mode: P1 to P4.
            clean: what the same sample and epoch did without faults.
            key: names sample and epoch; part of the key of every draw.
        """
        key = (self.seed, *key)
        if mode in IMPLICIT:
            chosen = _drawn(self._implicit_choices(clean, key), (*key, "implicit victim"))
            if chosen is None:
                return None
            tool, kind = chosen
            fault = FAULT.validate_python({"kind": kind})
        else:
            victim = _drawn(_callable_tools(clean), (*key, "victim"))
            if victim is None:
                return None
            tool = victim
            responses = explicit_responses("P1" if mode == "P1" else "P2")
            fault = responses[seeds.digest(*key, mode) % len(responses)]
        lasting = PERSISTENCE[mode] == "permanent"
        rule = Rule(
            id=f"{mode}:{tool}",
            match=Tool(_literal(tool)),
            when=FirstTouch((tool,)),
            fault=fault,
            persistence=PERSISTENCE[mode],
            moment=self._moment(tool, mode, key),
            at_most=None if lasting else 1,
        )
        return Plan(name=f"inspect {mode}", seed=self.seed, rules=(rule,))

    def _implicit_choices(self, clean: Record, key: tuple[object, ...]) -> list[tuple[str, str]]:
        """Return each tool with one kind that could be recognised from the answer to its first call."""
        found = []
        for tool, turn in _first_answers(clean).items():
            kinds = sorted(self.implicit.get(tool, ()), key=lambda kind: seeds.digest(*key, tool, kind))
            fitting = next((kind for kind in kinds if self._fits(kind, turn, key)), None)
            if fitting is not None:
                found.append((tool, fitting))
        return found

    def _fits(self, kind: str, turn: Turn, key: tuple[object, ...]) -> bool:
        spec = self.specs.get(turn.call.tool)
        if spec is None or not isinstance(turn.seen, Value):
            return False
        return kind not in FAMILIES or can_corrupt(kind, spec, turn.call.arguments, turn.seen.value, key)

    def _moment(self, tool: str, mode: str, key: tuple[object, ...]) -> Moment | None:
        spec = self.specs.get(tool)
        if spec is not None and spec.effects is False:
            return None
        # A false answer takes the place of a right one, which only the work that was done has given.
        if mode in IMPLICIT:
            return "after"
        if self.moment in MOMENTS:
            return next(moment for moment in MOMENTS if moment == self.moment)
        return MOMENTS[seeds.digest(*key, mode, tool, "moment") % len(MOMENTS)]


def _callable_tools(clean: Record) -> list[str]:
    """The tools whose first call was answered; where there is none, all that were called."""
    return sorted(_first_answers(clean)) or sorted({turn.call.tool for turn in clean.own})


def _first_answers(clean: Record) -> dict[str, Turn]:
    """The first call of each tool, where it was answered."""
    first: dict[str, Turn] = {}
    for turn in clean.own:
        first.setdefault(turn.call.tool, turn)
    return {tool: turn for tool, turn in first.items() if isinstance(turn.seen, Value)}


def _drawn(choices: Collection[T], key: tuple[object, ...]) -> T | None:
    return min(choices, key=lambda one: seeds.digest(*key, one), default=None)


def _literal(name: str) -> str:
    """A tool's name as a pattern that fits it alone."""
    return "".join(f"[{sign}]" if sign in "*?[" else sign for sign in name)


def injected_kinds(record: Record) -> tuple[str, ...]:
    """The kinds of the faults that were delivered, an error with its status, in the order in which they struck."""
    return tuple(dict.fromkeys(_kinds(record)))


def _kinds(record: Record) -> Iterator[str]:
    for turn in record.turns:
        for injection in turn.injections:
            if injection.delivered:
                status = ((injection.shown or {}).get("failure") or {}).get("status")
                yield (
                    f"{injection.kind} {status}" if status is not None and injection.kind == "error" else injection.kind
                )
