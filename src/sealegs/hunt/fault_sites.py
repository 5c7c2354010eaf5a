"""The sites at which faults can strike an agent: the tools that it was seen to call, each with faults on them.

The faults are those that make a difference to a tool's answers, the simplest first. Those that cannot be noticed
(`delta`, `stale`, `unit_swap`, ...) are left out unless they are asked for: to be deceived by them is not a weakness of
the agent.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sealegs.faults import paths, seeds
from sealegs.faults.call import Call, Moment, Outcome, Value
from sealegs.faults.invariants import Bounds
from sealegs.faults.invariants.invariant import number
from sealegs.faults.kinds import (
    KINDS,
    AnyFault,
    Connection,
    Delay,
    Error,
    FaultSetting,
    Hang,
    LostAck,
    Malformed,
    RateLimit,
    SchemaDrift,
    Timeout,
)
from sealegs.faults.plan import Plan, Rule
from sealegs.faults.spec import ToolSpec
from sealegs.faults.triggers import AnyCondition, Tool
from sealegs.faults.user_error import UserError
from sealegs.traces import Record
from sealegs.traces.specs import noted_specs

STATUSES = (500, 503, 404, 403, 401, 400, 409, 422)
EXPLICIT: tuple[AnyFault, ...] = (
    *(Error(status=status) for status in STATUSES),
    RateLimit(),
    Connection(),
    Connection(mode="reset"),
    Timeout(),
    Hang(),
    LostAck(),
)
UNNOTICEABLE = frozenset(
    {"delta", "forged", "stale", "unit_swap", "scramble", "wrong_entity", "silent_noop", "duplicate", "delay"}
)
UNTRIED = frozenset({"delay", "stale", "wrong_entity", "silent_noop", "duplicate"})  # an answer alone does not tell
SAMPLES = 3  # answers of a tool on which faults are tried
FIELDS = 4  # fields of an answer that are renamed, retyped and dropped one by one


@dataclass(frozen=True, slots=True)
class SeenTool:
    """A tool as the agent called it: its first calls with what it truly answered.

    `effects`: whether a call changes the world; None where it is not declared, so that it may.
    """

    name: str
    answers: tuple[tuple[Call, Value], ...]
    effects: bool | None = None


@dataclass(frozen=True, slots=True)
class FaultSite:
    """A fault on a tool, at a moment; None where the tool has no effects, and so no moments."""

    tool: str
    fault: AnyFault
    moment: Moment | None

    @property
    def id(self) -> str:
        """The name of its rule, from what it does, so its draws do not depend on the rules beside it."""
        settings = self.fault.model_dump(exclude_defaults=True)
        words = [self.tool, self.fault.kind, *(str(value) for name, value in settings.items() if name != "kind")]
        return " ".join([*words, *([] if self.simplest else [str(self.moment)])])

    @property
    def simplest(self) -> bool:
        """Whether it strikes at the moment at which it is no more than what the agent sees."""
        return self.moment in (None, self.fault.simplest_moment())

    @property
    def weakness(self) -> str:
        """The tool and the fault in any of its forms; errors of different status are different faults."""
        moment = self.moment or self.fault.simplest_moment()
        return f"{self.tool} {self.fault.kind} {getattr(self.fault, 'status', '')} {moment}"

    def at(self, moment: Moment | None) -> FaultSite:
        """The same rule at this moment, or at its own where it cannot strike then."""
        return replace(self, moment=moment) if moment in self.fault.moments else self


def seen_tools(records: Iterable[Record]) -> dict[str, SeenTool]:
    """The tools of these records, in the order in which they were first called."""
    found: dict[str, list[tuple[Call, Value]]] = {}
    effects: dict[str, bool | None] = {}
    for record in records:
        effects.update((spec.name, spec.effects) for spec in noted_specs(record.about))
        for turn in record.turns:
            answers = found.setdefault(turn.call.tool, [])
            if isinstance(turn.said, Value) and len(answers) < SAMPLES:
                answers.append((turn.call, turn.said))
    return {name: SeenTool(name, tuple(answers), effects.get(name)) for name, answers in found.items()}


def assumed_specs(tools: Iterable[SeenTool], known: Collection[str]) -> dict[str, ToolSpec]:
    """Specs of tools of which nothing is known: a number that was never below zero is taken to be never so."""
    specs = {}
    for tool in tools:
        fields: dict[str, list[Any]] = {}
        for _, answer in tool.answers:
            for path, value in paths.leaves(answer.value) if isinstance(answer.value, Mapping) else ():
                if number(value):
                    # Items of a list are one field.
                    name = ".".join(key for key in path.split(".") if not key.isdigit())
                    fields.setdefault(name, []).append(value)
        bounds = tuple(Bounds(name, minimum=0) for name, values in fields.items() if min(values) >= 0)
        if bounds and tool.name not in known:
            specs[tool.name] = ToolSpec(tool.name, invariants=bounds)
    return specs


def faults_for(tool: SeenTool, spec: ToolSpec | None, kinds: Collection[str]) -> list[AnyFault]:
    """The faults that make a difference to what this tool was seen to answer, the simplest first."""
    fields = [key for _, answer in tool.answers[:1] if isinstance(answer.value, Mapping) for key in answer.value]
    drifts = [
        SchemaDrift(mode=mode, field=name) for mode in ("dropped", "renamed", "retyped") for name in fields[:FIELDS]
    ]
    several: dict[str, list[Any]] = {
        "delay": [Delay(seconds=10.0)],
        "malformed": [Malformed(), Malformed(mode="cut")],
        "schema_drift": drifts,
    }
    implicit: list[AnyFault] = []
    for name, kind in KINDS.items():
        if name in kinds and kind.implicit:
            implicit += several.get(name) or [kind(kind=name)]
    # A fault that changes no answer seen would only use up runs.
    fits = [f for f in implicit if f.kind in UNTRIED or any(_changes(f, spec, *answer) for answer in tool.answers)]
    return [*(fault for fault in EXPLICIT if fault.kind in kinds), *fits]


def _changes(fault: AnyFault, spec: ToolSpec | None, call: Call, answer: Value) -> bool:
    """Return whether the agent would be shown something other than this answer."""
    steps = fault.act(call, FaultSetting(spec, seeds.stream("space", call.tool, fault.kind)))
    reply: Outcome = answer
    try:
        request = next(steps)
        while True:
            request = steps.send(answer if isinstance(request, Call) else Value(None))
    except StopIteration as stop:
        reply = stop.value
    except Exception:  # a fault that cannot work on such an answer
        return False
    return reply != answer


def chosen_kinds(names: str) -> frozenset[str]:
    """The kinds of fault that are searched.

    Raises:
        UserError: one of the names is that of no kind.
    """
    given = [name.strip() for name in names.split(",") if name.strip()]
    unknown = [name for name in given if name not in KINDS]
    if unknown:
        raise UserError(f"no kind of fault is called {', '.join(map(repr, unknown))}; choose from {', '.join(KINDS)}")
    return frozenset(given) or frozenset(KINDS) - UNNOTICEABLE


def rules_on(tools: Iterable[SeenTool], specs: Mapping[str, ToolSpec], kinds: Collection[str]) -> list[FaultSite]:
    """Every tool with every fault that can work on it, first at its simplest moment, then at others."""
    found = [
        FaultSite(tool.name, fault, moment)
        for tool in tools
        for fault in faults_for(tool, specs.get(tool.name), kinds)
        for moment in _moments(tool, fault)
    ]
    # Hypothesis shrinks towards the first, so the simplest come first; the sort is stable.
    return sorted(found, key=lambda on: not on.simplest)


def _moments(tool: SeenTool, fault: AnyFault) -> tuple[Moment | None, ...]:
    """The moments at which a fault is tried on a tool.

    A changed answer to work that was not done is tried where the tool is known to have effects: of a tool that cannot
    run without, it is the same as one to work that was.
    """
    if tool.effects is False:
        return (None,)
    whole = tuple(moment for moment in fault.moments if moment != "during")
    return whole if fault.instead or tool.effects else (fault.simplest_moment(),)


def plan_of_rules(rules: Sequence[tuple[FaultSite, AnyCondition]], seed: int, name: str = "hunt") -> Plan:
    """The plan of these rules."""
    made = (
        # Keyed by the order of calls, which a reader of a finding can count; a seed's findings stay the same.
        Rule(id=on.id, match=Tool(on.tool), when=when, fault=on.fault, moment=on.moment, key="order")
        for on, when in rules
    )
    return Plan(name=name, seed=seed, rules=tuple(made))
