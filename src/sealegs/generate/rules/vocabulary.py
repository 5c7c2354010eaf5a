"""Rules that say which field of an answer may feed which parameter.

Learned from what people wrote: every binding of the shipped tasks and groups allows its field's name for its
parameter's name. Beyond that, an id may feed a parameter whose pattern only such ids fit, and a field a parameter of
its own name, unless the name says nothing (`status`, `value`). An amount of money travels with its currency.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from sealegs.faults import paths
from sealegs.scenarios.task_sets import base_tasks
from sealegs.tasks.graph import Constant, Field, Group, Step, Task
from sealegs.tasks.pattern import Pattern
from sealegs.world.corpus import Corpus
from sealegs.world.tool import SimulatedTool

VAGUE = frozenset({"status", "name", "value", "count", "total", "unit", "mean", "title", "number", "version", "kind"})
CURRENCY = "^[A-Z]{3}$"
MONEY = re.compile(r"\b(?:amount|price|cost|value|bill|wage|principal|fee|paid|kept back|outlay|net)\b")
SHARE = re.compile(r"per cent|percent|\brate\b|index|\bkwh\b|\bkg\b|\bkw\b|\bhours\b")
SHARED = frozenset({"currency", "country", "country_code"})  # fields that many tools answer, and few are about
COMMON = 12  # parameters that share a pattern from which on it names no one kind of thing


@dataclass(frozen=True, slots=True)
class ParameterSlot:
    """A parameter of a tool."""

    tool: str
    name: str


@dataclass(frozen=True)
class CorpusVocabulary:
    """The corpus, and the bindings that people made in it. `own`: it is a domain of the user's, without such tasks."""

    corpus: Corpus
    own: bool = False
    _providers: dict[str, frozenset[str]] = field(default_factory=dict, repr=False, compare=False)
    _slots: dict[str, dict[str, tuple[ParameterSlot, ...]]] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def learned(self) -> Mapping[str, frozenset[str]]:
        """Parameter name -> field names that people fed it."""
        found: dict[str, set[str]] = defaultdict(set)
        for _, path, slot in _bindings(self.corpus, self.own):
            found[slot.name].add(path.split(".")[-1])
        return {name: frozenset(leaves) for name, leaves in found.items()}

    @cached_property
    def seen(self) -> frozenset[tuple[str, str, ParameterSlot]]:
        """The very bindings that people made: tool, field name, parameter."""
        return frozenset((tool, path.split(".")[-1], slot) for tool, path, slot in _bindings(self.corpus, self.own))

    @cached_property
    def requested_fields(self) -> frozenset[str]:
        """Names of the fields that people asked for in the answer; of a domain of the user's, all fields."""
        if self.own:
            tools = self.corpus.tools.values()
            return frozenset(name for tool in tools for name in tool.spec.returns.get("properties", {}))
        wanted = ((task, d.source) for task in base_tasks().values() for d in task.deliverables)
        return frozenset(path.split(".")[-1] for task, field in wanted for _, path in _sources(task, field))

    @cached_property
    def telling(self) -> frozenset[str]:
        """Patterns that only the ids of one kind of thing fit."""
        uses: dict[str, int] = defaultdict(int)
        for tool in self.corpus.tools.values():
            for schema in parameters(tool).values():
                uses[schema.get("pattern", "")] += 1
        return frozenset(p for p, n in uses.items() if n <= COMMON and re.search(r"[A-Z]{2,}-|\]\{3\}|^\^[A-Z]\[", p))

    @cached_property
    def takers(self) -> Mapping[str, tuple[ParameterSlot, ...]]:
        """Field name -> the parameters that may take it by name."""
        found: dict[str, list[ParameterSlot]] = defaultdict(list)
        for tool in self.corpus.tools.values():
            for name, schema in parameters(tool).items():
                if "enum" in schema or schema.get("type") in ("array", "object", "boolean"):
                    continue
                # A field `status` or `value` fits nearly every parameter of that name and means something else in each.
                own = () if name in VAGUE else (name,)
                for leaf in dict.fromkeys((*own, *self.learned.get(name, ()))):
                    found[leaf].append(ParameterSlot(tool.name, name))
        return {leaf: tuple(slots) for leaf, slots in found.items()}

    @cached_property
    def id_takers(self) -> tuple[tuple[re.Pattern[str], ParameterSlot], ...]:
        """Parameters with a telling pattern."""
        return tuple(
            (re.compile(schema["pattern"]), ParameterSlot(tool.name, name))
            for tool in self.corpus.tools.values()
            for name, schema in parameters(tool).items()
            if schema.get("pattern") in self.telling
        )

    def providers(self, pattern: Pattern) -> frozenset[str]:
        """Tools whose answers hold a field that may feed a group."""
        if pattern.name not in self._providers:
            slots = {slot for own in self.slots_of(pattern).values() for slot in own}
            leaves = {leaf for leaf, takers in self.takers.items() if slots & set(takers)}
            named = {(tool, leaf) for tool, leaf, slot in self.seen if slot in slots}
            self._providers[pattern.name] = frozenset(
                tool.name
                for tool in self.corpus.tools.values()
                if tool.name not in pattern.tools
                # As in `_alike`: what many tools answer (currency, country) feeds a group only where people bound it.
                and any(
                    leaf in leaves and (leaf not in SHARED or (tool.name, leaf) in named)
                    for leaf in tool.spec.returns.get("properties", {})
                )
            )
        return self._providers[pattern.name]

    def slots_of(self, pattern: Pattern) -> dict[str, tuple[ParameterSlot, ...]]:
        """The parameters that each input of a group fills."""
        if pattern.name in self._slots:
            return self._slots[pattern.name]
        found: dict[str, list[ParameterSlot]] = {name: [] for name in pattern.inputs}
        for way in pattern.ways:
            for tool, arguments in way.calls.items():
                for name, ref in arguments.items():
                    if isinstance(ref, str) and ref.startswith("in."):
                        found[ref.removeprefix("in.")].append(ParameterSlot(tool, name))
        return self._slots.setdefault(pattern.name, {name: tuple(slots) for name, slots in found.items()})

    def slots_for(self, tool: str, path: str, value: Any) -> Iterator[ParameterSlot]:
        """The parameters that a field of this tool, name and value may feed."""
        leaf = path.split(".")[-1]
        if isinstance(value, str):
            yield from (slot for pattern, slot in self.id_takers if pattern.search(value))
        for slot in self.takers.get(leaf, ()):
            schema = parameters(self.corpus.tools[slot.tool])[slot.name]
            if not isinstance(value, str) and self.measures(slot.tool):
                continue
            if accepts(schema, value) and ((tool, leaf, slot) in self.seen or self._alike(leaf, value, slot)):
                yield slot

    def _alike(self, leaf: str, value: Any, slot: ParameterSlot) -> bool:
        """Return whether names alone are enough: for words, dates, amounts of money, prose, and equally named numbers.

        A currency or another number of the same kind may mean anything; it needs a binding that a person made.
        """
        if leaf in SHARED:
            return False
        if isinstance(value, str) or self.is_money(slot) or slot.name in self.corpus.tools[slot.tool].free_text:
            return True
        return leaf == slot.name and leaf not in VAGUE

    def currency_of(self, tool: str) -> str:
        """The tool's parameter for the currency of the amounts it is given; empty where it asks for none."""
        names = [n for n, s in parameters(self.corpus.tools[tool]).items() if s.get("pattern") == CURRENCY]
        return next((n for n in names if not n.startswith(("to_", "target_", "quote"))), "")

    def is_money(self, slot: ParameterSlot) -> bool:
        """Return whether the parameter is an amount of money: a number so described, of a tool with a currency."""
        tool = self.corpus.tools[slot.tool]
        schema = parameters(tool)[slot.name]
        wording = f"{slot.name.replace('_', ' ')} {schema.get('description', '')}".casefold()
        speaks = any(own.get("pattern") == CURRENCY for own in parameters(tool).values())
        return schema.get("type") == "number" and speaks and bool(MONEY.search(wording)) and not SHARE.search(wording)

    def measures(self, tool: str) -> bool:
        """Return whether the tool asks for a unit beside a number; then the number must not come from just anywhere."""
        return any("unit" in name.split("_") for name in parameters(self.corpus.tools[tool]))


def accepts(schema: Mapping[str, Any], value: Any) -> bool:
    """Return whether a parameter's schema takes a scalar, as far as type, pattern and bounds tell."""
    if "anyOf" in schema:
        return any(accepts(option, value) for option in schema["anyOf"])
    kind = schema.get("type")
    if kind == "string":
        return isinstance(value, str) and re.search(schema.get("pattern", ""), value) is not None
    if kind not in ("number", "integer") or isinstance(value, (bool, str)) or not isinstance(value, (int, float)):
        return False
    if kind == "integer" and not isinstance(value, int):
        return False
    return bool(schema.get("minimum", value) <= value <= schema.get("maximum", value))


def parameters(tool: SimulatedTool) -> Mapping[str, Any]:
    """A tool's parameters with their schemas."""
    found: Mapping[str, Any] = tool.spec.parameters.get("properties", {})
    return found


def fields(value: Any) -> Iterator[tuple[str, Any]]:
    """The single values at the top of an answer that a later step or a person could use."""
    if isinstance(value, Mapping):
        for path, held in paths.leaves(value):
            if "." not in path and not isinstance(held, bool) and held not in (None, "", 0):
                yield path, held


def _bindings(corpus: Corpus, own: bool) -> Iterator[tuple[str, str, ParameterSlot]]:
    """Every binding that people wrote: source tool (empty for a user's value), path, and the parameter it feeds."""
    # Nobody has written tasks for a user's own domain; the shipped ones are about other tools.
    for task in () if own else base_tasks().values():
        for step in task.graph.walk():
            for name, binding in step.arguments.items():
                if isinstance(binding, Field):
                    yield from ((tool, path, ParameterSlot(step.tool, name)) for tool, path in _sources(task, binding))
    for pattern in corpus.groups.values():
        group = pattern.placed("g", {name: Constant(None) for name in pattern.inputs})
        for branch in group.branches:
            tools: dict[str, Step] = {step.id: step for step in branch.steps}
            for step in branch.steps:
                for name, binding in step.arguments.items():
                    if isinstance(binding, Field):
                        yield tools[binding.node].tool, binding.path, ParameterSlot(step.tool, name)


def _sources(task: Task, field: Field) -> list[tuple[str, str]]:
    node = task.graph.by_id.get(field.node)
    found = [branch.exports[field.path] for branch in node.branches] if isinstance(node, Group) else [field]
    return [(task.graph.steps[source.node].tool, source.path) for source in found]
