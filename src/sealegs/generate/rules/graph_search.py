"""A graph of a level by constrained random search: each next node takes something from what was found so far.

Every call is run in a world of its own as it is placed, so a binding that the tool refuses is known at once. Values
that the user gives are those of the tools' documented examples. What has no reader at the end becomes a deliverable.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from sealegs.faults import paths
from sealegs.faults.call import Call, Failure
from sealegs.generate.rules.graph_outlines import OutlineNode
from sealegs.generate.rules.vocabulary import CorpusVocabulary, ParameterSlot, accepts, fields, parameters
from sealegs.tasks.graph import Binding, Constant, Field, Graph, Node, Step, UserInput
from sealegs.tasks.pattern import Pattern, Way
from sealegs.world.corpus_check import same_value
from sealegs.world.state import World

TRIES = 16  # candidates for one place
ALSO = 0.35  # how often a further parameter takes a field where one fits
UNREAD = 0.8  # how often a node that has no reader yet is preferred


class DeadEnd(Exception):
    """The search cannot continue; the message is the reason, in few words."""


@dataclass(frozen=True, slots=True)
class NodeValue:
    """A value found by a node: the field or export that names it, and the tool and path that it comes from."""

    field: Field
    value: Any
    tool: str
    path: str


@dataclass(frozen=True, slots=True)
class Sketch:
    """A graph without words: what the user must give, and what each node found."""

    graph: Graph
    inputs: Mapping[str, Any]
    held: tuple[NodeValue, ...]
    unread: tuple[str, ...]


class Search:
    """One attempt.

    Args:
        vocabulary: what may feed what.
        draw: decides everything.
        also: how often a further parameter takes a field where one fits.
        spared: how often a parameter that is not required is left out.
        domains: which are taken where there is a choice; all alike by default.
        most_inputs: values that the user may give, over all nodes; None for any number.
    """

    def __init__(
        self,
        vocabulary: CorpusVocabulary,
        draw: Random,
        *,
        also: float = ALSO,
        spared: float = 0.0,
        domains: Collection[str] = (),
        most_inputs: int | None = None,
    ) -> None:
        self.vocabulary = vocabulary
        self.corpus = vocabulary.corpus
        self.draw = draw
        self.also = also
        self.spared = spared
        self.domains = domains
        self.most_inputs = most_inputs
        self.world = World()
        self.nodes: list[Node] = []
        self.inputs: dict[str, Any] = {}
        self.held: list[NodeValue] = []
        self.read: set[str] = set()
        self.barred: frozenset[str] = frozenset()
        self.before: dict[str, frozenset[str]] = {}
        self.aims: dict[int, Pattern] = {}
        self._taken_by: dict[NodeValue, tuple[ParameterSlot, ...]] = {}

    def sketch(self, plan: Sequence[OutlineNode]) -> Sketch:
        """Fill every place of the plan.

        Raises:
            DeadEnd: some place cannot be filled.
        """
        self._aim(plan)
        for number, place in enumerate(plan):
            if number == 0:
                self._begin(place)
            else:
                self._place(number, place)
        unread = tuple(node.id for node in self.nodes if node.id not in self.read)
        return Sketch(Graph(tuple(self.nodes)), self.inputs, tuple(self.held), unread)

    def _aim(self, plan: Sequence[OutlineNode]) -> None:
        """Choose the groups first, each as likely as any other of its kind; no step may do what they do."""
        for number, place in enumerate(plan):
            free = [p for p in self._patterns(place) if not self.barred & set(p.tools)]
            if place.kinds and free:
                near = [pattern for pattern in free if self._domain(pattern.tools[0]) in self.domains]
                self.aims[number] = self.draw.choice(near or free)
                # So that no later step does what the group does.
                self.barred |= self.corpus.kin(self.aims[number].tools)

    def _patterns(self, place: OutlineNode) -> list[Pattern]:
        return [
            pattern
            for pattern in self.corpus.groups.values()
            if pattern.kind in place.kinds and place.lengths in ((), pattern.lengths)
        ]

    def _begin(self, place: OutlineNode) -> None:
        tools = [t for t in self.corpus.tools.values() if t.category != "action" and t.name not in self.barred]
        wanted = self.vocabulary.providers(self.aims[place.feeds]) if place.feeds in self.aims else frozenset()
        names = sorted(tool.name for tool in tools if not wanted or tool.name in wanted)
        # An empty list of options cannot be drawn from.
        for _ in range(TRIES if names else 0):
            if self._step(self._balanced([(name, "") for name in names])[0], {}):
                return
        raise DeadEnd("no first step")

    def _place(self, number: int, place: OutlineNode) -> None:
        options = self._options(number, place)
        for _ in range(TRIES):
            if not options:
                break
            name, parameter = self._balanced(sorted(options))
            held = self.draw.choice(options[name, parameter])
            if self._group(self.aims[number], parameter, held) if place.kinds else self._step(name, {parameter: held}):
                return
        raise DeadEnd(f"nothing fits as {'a group' if place.kinds else 'the next step'}")

    def _options(self, number: int, place: OutlineNode) -> dict[tuple[str, str], list[NodeValue]]:
        """Tool or group, parameter or input -> what may be put there."""
        found: dict[tuple[str, str], list[NodeValue]] = {}
        for held in self._sources(place):
            for slot in self._takers(held):
                for pair in self._places_of(slot, number, place):
                    found.setdefault(pair, []).append(held)
        if place.feeds in self.aims:
            wanted = self.vocabulary.providers(self.aims[place.feeds])
            # If no tool leads towards the aim, any step is better than a dead end here.
            return {pair: held for pair, held in found.items() if pair[0] in wanted} or found
        return found

    def _places_of(self, slot: ParameterSlot, number: int, place: OutlineNode) -> Iterator[tuple[str, str]]:
        """The tool, or the inputs of the group that is aimed at, that a value for this parameter goes to."""
        if not place.kinds:
            if slot.tool not in self.barred:
                yield slot.tool, slot.name
        elif number in self.aims:
            aim = self.aims[number]
            yield from ((aim.name, name) for name, slots in self.vocabulary.slots_of(aim).items() if slot in slots)

    def _sources(self, place: OutlineNode) -> list[NodeValue]:
        """The values of which the next node may take its first one."""
        # Parallel nodes: neither may read the other, nor anything that depends on it.
        apart = set() if place.apart is None else {self.nodes[place.apart].id}
        allowed = [h for h in self.held if not apart & (self.before[h.field.node] | {h.field.node})]
        if place.after is not None:
            wanted = self.nodes[place.after].id
            return [held for held in allowed if held.field.node == wanted]
        if place.kinds:
            return allowed
        fresh = [held for held in allowed if held.field.node not in self.read]
        # Mostly from nodes that nothing reads yet, so that few ends are left over for which the user would have to ask.
        return fresh if fresh and self.draw.random() < UNREAD else allowed

    def _takers(self, held: NodeValue) -> tuple[ParameterSlot, ...]:
        """The parameters that a value may be put into."""
        if held not in self._taken_by:
            self._taken_by[held] = tuple(self.vocabulary.slots_for(held.tool, held.path, held.value))
        return self._taken_by[held]

    def _balanced(self, options: Sequence[tuple[str, str]]) -> tuple[str, str]:
        """Draw one of them, every domain as likely as any other; of the preferred domains alone, if there are any."""
        by_domain: dict[str, list[tuple[str, str]]] = {}
        for option in options:
            group = self.corpus.groups.get(option[0])
            by_domain.setdefault(self._domain(group.tools[0] if group else option[0]), []).append(option)
        near = [domain for domain in sorted(by_domain) if domain in self.domains]
        return self.draw.choice(by_domain[self.draw.choice(near or sorted(by_domain))])

    def _domain(self, tool: str) -> str:
        return self.corpus.tools[tool].domain

    def _step(self, name: str, taken: dict[str, NodeValue]) -> bool:
        """Place a step, if its tool takes these values."""
        tool = self.corpus.tools[name]
        example = self.draw.choice(tool.examples)
        slots = {parameter: (ParameterSlot(name, parameter),) for parameter in parameters(tool)}
        required = set(tool.spec.parameters.get("required", ()))
        wanted = {p for p in slots if p in example and example[p] != tool.defaults.get(p)} | required
        if self.spared:
            # Sorted: sets have no order, and the draws must come out the same for a seed.
            wanted -= {p for p in sorted(wanted - required - taken.keys()) if self.draw.random() < self.spared}
        found = self._bound(slots, wanted, example, taken)
        if found is None:
            return False
        bindings, values, inputs = found
        # Dry first: a refused call must not leave effects in the world of the search.
        outcome = self.corpus.run(Call(name, values, dry=True), self.world)
        if isinstance(outcome, Failure):
            return False
        self.corpus.run(Call(name, values), self.world)
        offers = [(path, value, name, path) for path, value in fields(outcome.value)]
        self._keep(Step(name, name, bindings), inputs, offers)
        return True

    def _group(self, pattern: Pattern, name: str, held: NodeValue) -> bool:
        """Place an alternative group, if every way takes these values and all deliver the same."""
        example = self.draw.choice(pattern.examples)
        slots = self.vocabulary.slots_of(pattern)
        if any(not accepts_all(self.vocabulary, slot, held.value) for slot in slots.get(name, ())):
            return False
        found = self._bound(slots, set(pattern.inputs), example, {name: held})
        if found is None:
            return False
        bindings, values, inputs = found
        # A group that takes nothing from before would hang beside the graph.
        fed = {f"in.{name}" for name, binding in bindings.items() if isinstance(binding, Field)}
        if any(
            not fed & {ref for call in way.calls.values() for ref in call.values() if isinstance(ref, str)}
            for way in pattern.ways
        ):
            return False
        # Each way runs in a world of its own, or the second would find what the first did.
        results = [self._run_way(way, values, self.world.fork()) for way in pattern.ways]
        # Alternatives have to deliver the same, or the judge could not accept either.
        if results[0] is None or not all(other is not None and same_value(results[0], other) for other in results[1:]):
            return False
        self._run_way(pattern.ways[0], values, self.world)
        offers = [(export, value, *export_source(pattern.ways[0], export)) for export, value in fields(results[0])]
        self._keep(pattern.placed(pattern.name, bindings), inputs, offers)
        return True

    def _run_way(self, way: Way, values: Mapping[str, Any], world: World) -> dict[str, Any] | None:
        """The exports of one way; None where a call is refused or a field is missing."""
        answers: dict[str, Any] = {}

        def value(ref: Any) -> Any:
            if isinstance(ref, Constant):
                return ref.value
            head, _, path = ref.partition(".") if isinstance(ref, str) else ("", "", "")
            if head == "in" and path:
                return values[path]
            # As in `Pattern.placed`: other text with a dot in it (an address, a file's name) is a constant.
            return paths.first_value(answers[head], path) if head in way.calls and path else ref

        try:
            for tool, arguments in way.calls.items():
                outcome = self.corpus.run(Call(tool, {n: value(ref) for n, ref in arguments.items()}), world)
                if isinstance(outcome, Failure):
                    return None
                answers[tool] = outcome.value
            return {name: value(ref) for name, ref in way.exports.items()}
        except KeyError:
            return None

    def _bound(
        self,
        slots: Mapping[str, Sequence[ParameterSlot]],
        wanted: set[str],
        example: Mapping[str, Any],
        taken: dict[str, NodeValue],
    ) -> tuple[dict[str, Binding], dict[str, Any], dict[str, Any]] | None:
        """Bindings, values, and new inputs of the user's for these parameters; None where they do not go together."""
        taken = dict(taken)
        # Sorted: sets have no order, and the draws must come out the same for a seed.
        for name in sorted(wanted - taken.keys()):
            if self.draw.random() < self.also:
                options = [h for h in self.held if any(slot in set(self._takers(h)) for slot in slots[name])]
                if options:
                    taken[name] = self.draw.choice(options)
        if not self._money_together(slots, taken):
            return None
        inputs: dict[str, Any] = {}
        bindings: dict[str, Binding] = {name: held.field for name, held in taken.items()}
        values = {name: held.value for name, held in taken.items()}
        for name in sorted(wanted - taken.keys()):
            value = example.get(name)
            if not _sayable(value):
                return None  # no person would say it, so the user cannot give it
            key = self._input(name, value)
            inputs[key], bindings[name], values[name] = value, UserInput(key), value
        if self.most_inputs is not None and len(self.inputs | inputs) > self.most_inputs:
            return None
        return bindings, values, inputs

    def _money_together(self, slots: Mapping[str, Sequence[ParameterSlot]], taken: dict[str, NodeValue]) -> bool:
        """Let every amount bring its currency along; False where one has none to bring or two disagree."""
        sources = [
            (slot, held)
            for name, held in sorted(taken.items())
            for slot in slots[name]
            if isinstance(held.value, (int, float)) and self.vocabulary.is_money(slot)
        ]
        for slot, held in sources:
            parameter = self.vocabulary.currency_of(slot.tool)
            if not parameter:
                continue
            # From the same node: an amount means nothing in another's currency.
            currency = next((h for h in self.held if h.field == Field(held.field.node, "currency")), None)
            name = next((n for n, own in slots.items() if ParameterSlot(slot.tool, parameter) in own), None)
            if currency is None or name is None or taken.get(name, currency) != currency:
                return False
            taken[name] = currency
        return True

    def _input(self, name: str, value: Any) -> str:
        key = name
        while key in self.inputs and self.inputs[key] != value:
            key += "_next"
        return key

    def _keep(self, node: Node, inputs: Mapping[str, Any], offers: Sequence[tuple[str, Any, str, str]]) -> None:
        steps = [node] if isinstance(node, Step) else [step for branch in node.branches for step in branch.steps]
        own = {step.id for step in steps}
        sources = {need.node for step in steps for need in step.needs} - own
        self.nodes.append(node)
        self.inputs |= inputs
        self.read |= sources
        # All nodes before it, so that parallel branches can be kept apart.
        self.before[node.id] = frozenset(sources).union(*(self.before[source] for source in sources))
        self.barred |= self.corpus.kin(step.tool for step in steps)
        known = [*map(_plain, _scalars(self.inputs)), *(_plain(held.value) for held in self.held)]
        for name, value, tool, path in offers:
            if _plain(value) not in known or name == "currency":  # stated already, and yet what an amount brings along
                self.held.append(NodeValue(Field(node.id, name), value, tool, path))


def export_source(way: Way, export: str) -> tuple[str, str]:
    """The tool and the path that an export of a way comes from."""
    tool, _, path = way.exports[export].partition(".")
    return tool, path


def accepts_all(vocabulary: CorpusVocabulary, slot: ParameterSlot, value: Any) -> bool:
    """Return whether the parameter takes the value."""
    return accepts(parameters(vocabulary.corpus.tools[slot.tool])[slot.name], value)


def _sayable(value: Any) -> bool:
    """Return whether a person would say the value in a request."""
    if isinstance(value, (list, tuple)):
        return bool(value) and all(not isinstance(item, (dict, list)) and _sayable(item) for item in value)
    return value is not None and not isinstance(value, (bool, dict)) and value != ""


def _scalars(inputs: Mapping[str, Any]) -> Iterator[Any]:
    yield from (value for _, value in paths.leaves(dict(inputs)))


def _plain(value: Any) -> Any:
    return value.strip().casefold() if isinstance(value, str) else float(value)
