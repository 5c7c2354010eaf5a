"""The recovery layer on the suite's tasks: the alternatives of a task as an engineer would declare them.

A branch can take another's place from any of its steps on, as long as nothing was changed before: the rest of the
branch is then done the other way, each call of the agent's by the steps that replace it. It declares only what
follows from calls: every argument of the other way is one of the agent's own calls of this branch, of an earlier call
or answer of the session, a constant, or found on the way. An effect waits for the agent's own call of an action.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from sealegs.faults.spec import ToolSpec
from sealegs.recovery.policies import (
    Alternative,
    AlternativeStep,
    CallArgument,
    EarlierAnswer,
    EarlierArgument,
    FirstKnown,
    Fixed,
    ReferenceTicket,
    StepField,
    Then,
)
from sealegs.recovery.policies.alternative import Known, Source
from sealegs.scenarios.scenario import Scenario
from sealegs.tasks.graph import Binding, Branch, Constant, Field, Graph, Group, Step, Task

Tools = Mapping[str, ToolSpec]


def declared_alternatives(episode: Scenario) -> tuple[Alternative, ...]:
    """The alternatives to the tools of an episode's task."""
    return alternatives(episode.base, {spec.name: spec for spec in episode.specs})


def alternatives(task: Task, tools: Tools) -> tuple[Alternative, ...]:
    """The alternatives to the tools of the task's groups, the shortest way first.

    Args:
        task: the task.
        tools: those of its steps, with what is declared of their effects.
    """
    return tuple(found for group in task.graph.groups for found in _of_group(group, task.graph, tools))


def _of_group(group: Group, graph: Graph, tools: Tools) -> Iterator[Alternative]:
    for branch in group.branches:
        for first, step in enumerate(branch.steps):
            for other in sorted(group.branches, key=lambda one: len(one.steps)):
                if other is not branch:
                    ways = (_Way(branch, first, other, group, graph, tools, early).found() for early in (False, True))
                    found = next((way for way in ways if way is not None), None)
                    if found is not None:
                        yield found
            if _changes(step, tools):
                break  # what was changed cannot be taken back, so the rest of the branch has no other way


def _changes(step: Step, tools: Tools) -> bool:
    return tools[step.tool].effects is not False


class _Way:
    """The rest of a branch, done by the steps of another.

    Args:
        branch: the one that the agent is on.
        first: the place of the step that failed.
        other: the branch that takes its place.
        group, graph: theirs.
        tools: what is known of them.
        early: values are taken from the session's earlier calls also where the agent's own calls will give them later.
    """

    def __init__(
        self, branch: Branch, first: int, other: Branch, group: Group, graph: Graph, tools: Tools, early: bool
    ) -> None:
        self._branch = branch
        self._rest = branch.steps[first:]
        self._other = other
        self._graph = graph
        self._tools = tools
        self._early = early
        apart = {step.id for one in group.branches for step in one.steps} - {s.id for s in branch.steps[:first]}
        self._before = [step for step in graph.walk() if step.id not in apart]
        self._numbers = {step.id: number for number, step in enumerate(other.steps)}

    def found(self) -> Alternative | None:
        """The declaration; None where something is not known, or would come too late."""
        legs = self._legs()
        if legs is None:
            return None
        order = [step for leg in range(len(self._rest)) for step in self._other.steps if legs[step.id] == leg]
        self._numbers = {step.id: number for number, step in enumerate(order)}
        parts = [self._part(leg, [s for s in order if legs[s.id] == leg], legs) for leg in range(len(self._rest))]
        # All or none: an alternative that breaks off midway would leave the agent worse off than the failure.
        whole = [part for part in parts if part is not None]
        if len(whole) < len(parts):
            return None
        (_, steps, answer), *later = whole
        then = tuple(Then(s.tool, k, made, a) for s, (k, made, a) in zip(self._rest[1:], later, strict=True) if k)
        return Alternative(self._rest[0].tool, steps, answer, then)

    def _part(self, leg: int, made: list[Step], legs: Mapping[str, int]) -> Any:
        """The values that identify a call, the steps in its place and their answer; None where there can be none."""
        own = self._rest[leg]
        exports = {field.path: name for name, field in self._branch.exports.items() if field.node == own.id}
        answer: dict[str, StepField | ReferenceTicket] = {}
        for path, name in exports.items():
            source = self._other.exports[name]
            # The answer would need a value of the other way that a later call of the agent makes known.
            if legs[source.node] > leg:
                return None
            answer[path] = StepField(self._numbers[source.node], source.path)
        for later in self._rest[leg + 1 :]:
            for name, binding in later.arguments.items():
                if isinstance(binding, Field) and binding.node == own.id and binding.path not in answer:
                    # The agent hands this field on to its next call, which the other way replaces as well: it need
                    # only be a value that this call takes and that is recognised there.
                    stand_in = self._namesake(own, binding.path, leg, legs) or self._ticket(
                        own, binding.path, later, name
                    )
                    if stand_in is None:
                        return None
                    answer[binding.path] = stand_in
        before = {step.id: step.tool for step in self._rest[:leg]}
        knows: dict[str, Known] = {
            name: EarlierAnswer(before[binding.node], binding.path)
            for name, binding in own.arguments.items()
            if isinstance(binding, Field) and binding.node in before
        }
        # A later call must be known to belong to this way; by its name alone a second use of the tool would be
        # caught.
        if leg and not knows and (made or _changes(own, self._tools)):
            return None
        steps = tuple(
            AlternativeStep(step.tool, {name: self._source(b, leg) for name, b in step.arguments.items()})
            for step in made
        )
        used = {
            source.argument for step in steps for source in step.arguments.values() if isinstance(source, CallArgument)
        }
        return (knows and {**knows, **self._unchanged(leg, {*knows, *used})}), steps, answer

    def _unchanged(self, leg: int, apart: Collection[str]) -> dict[str, Known]:
        """The arguments of a call that the steps do not take, and that must be as in the calls before."""
        found: dict[str, Known] = {}
        for name, binding in self._rest[leg].arguments.items():
            if name in apart:
                continue
            if isinstance(binding, Constant):
                found[name] = Fixed(binding.value)
            for step in self._rest[:leg]:
                for own, given in step.arguments.items():
                    if given == binding:
                        found[name] = EarlierArgument(step.tool, own)
        return found

    def _namesake(self, own: Step, path: str, leg: int, legs: Mapping[str, int]) -> StepField | None:
        """A field of the same name and type in an answer on the other way; they are made to mean the same."""
        wanted = _at(self._tools[own.tool].returns, path).get("type")
        for step in self._other.steps:
            there = _at(self._tools[step.tool].returns, path).get("type")
            if legs[step.id] <= leg and there is not None and there == wanted:
                return StepField(self._numbers[step.id], path)
        return None

    def _ticket(self, own: Step, path: str, later: Step, argument: str) -> ReferenceTicket | None:
        """A ticket, where a text can be used in the answer and in the call."""
        shown = _at(self._tools[own.tool].returns, path)
        taken = _at(self._tools[later.tool].parameters, argument)
        return ReferenceTicket() if _any_text(shown) and _any_text(taken) else None

    def _legs(self) -> dict[str, int] | None:
        """The agent's calls for which each step of the other branch is made; None where it cannot be."""
        acts = [leg for leg, step in enumerate(self._rest) if _changes(step, self._tools)]
        others = [step.id for step in self._other.steps if _changes(step, self._tools)]
        # The other way changes something and the agent's own does not: nobody asked for that effect.
        if others and not acts:
            return None
        found: dict[str, int] = {}
        waiting = list(self._other.steps)
        while waiting:
            ready = [
                s for s in waiting if all(need.node not in self._numbers or need.node in found for need in s.needs)
            ]
            if not ready:
                return None
            for step in ready:
                waiting.remove(step)
                known = [self._known_at(binding, found) for binding in step.arguments.values()]
                leg = max((one for one in known if one is not None), default=0)
                if None in known:
                    return None
                if step.id in others:
                    # An effect happens when the agent asks for one, never earlier: until then it may still decide
                    # otherwise.
                    own_leg = acts[others.index(step.id)] if len(acts) == len(others) else acts[-1]
                    leg = max(leg, own_leg)
                found[step.id] = leg
        return found

    def _known_at(self, binding: Binding, found: Mapping[str, int]) -> int | None:
        """The first of the agent's calls at which a value is known."""
        if isinstance(binding, Constant):
            return 0
        if isinstance(binding, Field) and binding.node in found:
            return found[binding.node]
        given = next((leg for leg, step in enumerate(self._rest) if binding in step.arguments.values()), None)
        if self._remembered(binding) and (self._early or given is None):
            return 0
        return given

    def _source(self, binding: Binding, leg: int) -> Source:
        """The source of a value for a step that is made in place of this call."""
        if isinstance(binding, Constant):
            return Fixed(binding.value)
        if isinstance(binding, Field) and binding.node in self._numbers:
            return StepField(self._numbers[binding.node], binding.path)
        # From this call backwards: its own arguments are at hand, those of calls before it have to be remembered.
        for step in self._rest[leg::-1]:
            for name, own in step.arguments.items():
                if own == binding:
                    return CallArgument(name) if step is self._rest[leg] else EarlierArgument(step.tool, name)
        known = self._remembered(binding)
        return known[0] if len(known) == 1 else FirstKnown(known)

    def _remembered(self, binding: Binding) -> tuple[Source, ...]:
        """The sources of a value among the session's earlier calls."""
        found: list[Source] = []
        if isinstance(binding, Field):
            node = self._graph.by_id.get(binding.node)
            steps = {step.id: step for step in self._before}
            if isinstance(node, Group):
                # Whichever branch was taken, its step's answer has the export; of the others nothing is remembered.
                ends = [branch.exports[binding.path] for branch in node.branches]
                found += [EarlierAnswer(steps[end.node].tool, end.path) for end in ends if end.node in steps]
            elif binding.node in steps:
                found.append(EarlierAnswer(steps[binding.node].tool, binding.path))
        found += [
            EarlierArgument(s.tool, name) for s in self._before for name, own in s.arguments.items() if own == binding
        ]
        return tuple(found)


def _at(schema: Mapping[str, Any], path: str) -> Mapping[str, Any]:
    """The schema of a field."""
    for key in path.split("."):
        inner = schema.get("items") if key.isdigit() else schema.get("properties", {}).get(key)
        schema = inner if isinstance(inner, Mapping) else {}
    return schema


def _any_text(schema: Mapping[str, Any]) -> bool:
    """Return whether the schema takes texts that are not listed. Their pattern is the tool's own and is not checked."""
    return schema.get("type") == "string" and not set(schema) & {"enum", "const"}
