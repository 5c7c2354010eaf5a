"""Ways to the same values: found in clean runs, or declared.

A read is an alternative of another where it gave every value that others take from that one, of its own and not as a
repetition of what it was given. Actions are alternatives where each run did exactly one of them. A declared
alternative that no clean run called is called once by itself, with the arguments of the same names, to see where its
answer holds the values; an action is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sealegs.experiments.reference_check.checked_tools import CheckedTool
from sealegs.experiments.reference_check.clean_runs import plain_outcome
from sealegs.experiments.reference_check.learned_reference import (
    AnswerSource,
    LearnedAlternatives,
    LearnedArgument,
    LearnedDeliverable,
    LearnedStep,
)
from sealegs.experiments.reference_check.reference_learning import ReferenceLearner
from sealegs.experiments.reference_check.value_search import distinctive, made_here, telling
from sealegs.faults import paths
from sealegs.faults.call import Value
from sealegs.faults.user_error import UserError
from sealegs.hunt.trial import error_line
from sealegs.scoring.matching import close

Alternatives = Iterable[Sequence[str] | Mapping[str, Mapping[str, Any]]]


@dataclass(frozen=True)
class DeclaredWays:
    """Tools that are declared to do the same, each with fixed arguments where its own are named otherwise."""

    tools: tuple[str, ...]
    arguments: Mapping[str, Mapping[str, Any]]


def declared_ways(given: Alternatives, tools: Mapping[str, CheckedTool]) -> list[DeclaredWays]:
    """The declared alternatives, each a list of tools, or a mapping from tools to fixed arguments.

    Raises:
        UserError: one is not of that form, or names something that is not a tool.
    """
    found = []
    for one in given:
        names = () if isinstance(one, str) else tuple(one)
        if len(set(names)) < 2:
            raise UserError(f"alternatives has {one!r}; give two tools or more that do the same, such as [['a', 'b']]")
        strangers = [name for name in names if name not in tools]
        if strangers:
            raise UserError(
                f"alternatives names {', '.join(strangers)}, which is not among the tools: {', '.join(tools)}"
            )
        fixed = {name: dict(arguments) for name, arguments in one.items()} if isinstance(one, Mapping) else {}
        found.append(DeclaredWays(names, fixed))
    return found


class AlternativeSearch:
    """The ways of one reference.

    Args:
        learner: with all that the task needs.
        deliverables: of the answer.
        tools: to call a declared alternative with.
        reset: puts the user's world back before such a call.
    """

    def __init__(
        self,
        learner: ReferenceLearner,
        deliverables: Sequence[LearnedDeliverable],
        tools: Mapping[str, CheckedTool],
        reset: Callable[[], None],
    ) -> None:
        self._learner = learner
        self._tools = tools
        self._reset = reset
        self._deliverables = deliverables
        self.extra: dict[str, Mapping[str, LearnedArgument]] = {}  # steps that only other ways need
        self.made: dict[str, LearnedStep] = {}  # steps that no run made
        self.taken: set[str] = set()  # a step is in one choice

    def found(self, declared: Sequence[DeclaredWays]) -> list[LearnedAlternatives]:
        """Every choice: the declared ones first."""
        # A step is in one choice only, and what a user says counts before what equal values suggest.
        groups = [self._declared(ways) for ways in declared]
        groups += list(self._acted_otherwise())
        for step in list(self._learner.needed):
            if step not in self.taken and not self._acts(step) and (read := self._read_of(step)):
                group = self._equal_reads(step, read)
                groups += [] if group is None else [group]
        return groups

    def _acts(self, step: str) -> bool:
        return self._learner.tool_of(step).effects is True

    def _read_of(self, step: str) -> list[str]:
        """The paths of a step's answer that others read."""
        inner = [s for arguments in self._learner.needed.values() for a in arguments.values() for s in a.sources]
        all_sources = [*inner, *(s for one in self._deliverables for s in one.sources)]
        return list(dict.fromkeys(source.path for source in all_sources if source.step == step))

    def _wanted(self, step: str, path: str, number: int) -> Any:
        """The value that a run's reader took from a path, also if the run made another step for it."""
        learner = self._learner
        call = learner.calls[number].get(step)
        if call is not None:
            return next(iter(paths.values_at(call.answer, path)), None)
        for reader, arguments in learner.needed.items():
            for name, argument in arguments.items():
                if AnswerSource(step, path) in argument.sources and argument.how == "copied":
                    own = learner.calls[number].get(reader)
                    return None if own is None else own.arguments.get(name)
        return next((one.value for one in self._deliverables if AnswerSource(step, path) in one.sources), None)

    def _equal_reads(self, step: str, read: Sequence[str]) -> LearnedAlternatives | None:
        # By the fields that others read: whatever takes the place of this read has to give each of them.
        gives: dict[str, list[AnswerSource]] = {_name(path): [AnswerSource(step, path)] for path in read}
        ways = [self._way(step)]
        for other in self._learner.order:
            if other in self._learner.needed or other in self.taken or other in self.extra or self._acts(other):
                continue
            places = {path: self._place(other, step, path) for path in read}
            closure = self._closure(other)
            # Equal values count only if they tell the two reads from any others: two answers of 1 prove nothing.
            wanted = [self._wanted(step, path, number) for path in read for number in self._learner.runs_with(other)]
            if None in places.values() or step in closure or not telling(wanted):
                continue
            # What the task needs anyway belongs to no way; a step of two ways would make them depend on each other.
            own = tuple(one for one in closure if one not in self._learner.needed)
            if any(set(own) & set(way) for way in ways):
                continue
            ways = [tuple(one for one in ways[0] if one not in closure), *ways[1:], own]
            for path, place in places.items():
                gives[_name(path)].append(AnswerSource(other, place or ""))
        if len(ways) < 2:
            return None
        for way in ways[1:]:
            self.extra |= {one: self._learner.arguments(one) for one in way}
        self.taken |= {one for way in ways for one in way}
        return LearnedAlternatives(f"{step} or another", tuple(ways), {n: tuple(found) for n, found in gives.items()})

    def _place(self, other: str, step: str, path: str) -> str | None:
        """The path at which the other step's answer holds, in every run, the value that is read of the step."""
        common: dict[str, None] | None = None
        for number in self._learner.runs_with(other):
            wanted, call = self._wanted(step, path, number), self._learner.calls[number][other]
            if not distinctive(wanted) or not made_here(call, wanted):
                return None
            places = {at: None for at, held in paths.leaves(call.answer) if at and close(held, wanted)}
            common = places if common is None else {at: None for at in common if at in places}
        leaf = path.split(".")[-1]
        # Among several places, the one of the same name, else the least deep one: others agree rather by chance.
        return min(common, key=lambda at: (at.split(".")[-1] != leaf, at.count("."))) if common else None

    def _closure(self, step: str) -> tuple[str, ...]:
        """A step and all that it takes values from, in their order."""
        found: dict[str, None] = {}
        edge = [step]
        while edge:
            one = edge.pop()
            if one not in found:
                found[one] = None
                arguments = self._learner.needed.get(one) or self._learner.arguments(one)
                edge += [source.step for argument in arguments.values() for source in argument.sources]
        return tuple(sorted(found, key=lambda id: self._learner.order[id]))

    def _way(self, step: str) -> tuple[str, ...]:
        """A step with the reads that only it needs, directly or not."""
        way = {step}
        while True:
            more = {one for one in self._learner.needed if one not in way and self._only_for(one, way)}
            if not more:
                return tuple(sorted(way, key=lambda id: self._learner.order[id]))
            way |= more

    def _only_for(self, step: str, way: set[str]) -> bool:
        readers = {
            reader
            for reader, arguments in self._learner.needed.items()
            for argument in arguments.values()
            if any(source.step == step for source in argument.sources)
        }
        delivered = any(source.step == step for one in self._deliverables for source in one.sources)
        return bool(readers) and readers <= way and not delivered and self._learner.tool_of(step).effects is False

    def _acted_otherwise(self) -> Iterator[LearnedAlternatives]:
        learner = self._learner
        some = [s for s in learner.order if self._acts(s) and s not in learner.needed and s not in self.taken]
        if not some:
            return
        # Exactly one of them in each run is what alternatives look like; anything else may be an action too many.
        if any(sum(step in run for step in some) != 1 for run in learner.calls):
            learner.notes.append(
                f"{', '.join(some)} acted in some of the clean runs only, and not as one of several ways: counted as "
                "wrong"
            )
            return
        # Only now are they needed, so that what they build on becomes part of their ways.
        for step in some:
            learner.need(step)
        ways = tuple(self._way(step) for step in some)
        self.taken |= {one for way in ways for one in way}
        yield LearnedAlternatives(f"{some[0]} or another", ways, {})

    def _declared(self, ways_declared: DeclaredWays) -> LearnedAlternatives:
        learner = self._learner
        steps = {tool: [s for s in learner.order if learner.tool_of(s).name == tool] for tool in ways_declared.tools}
        several = [tool for tool, found in steps.items() if len(found) > 1]
        if several:
            raise UserError(
                f"alternatives names {', '.join(several)}, which the task calls with several arguments; "
                "write the ways in the file of the reference"
            )
        first = next((s for tool in ways_declared.tools for s in steps[tool] if s in learner.needed), None)
        if first is None:
            raise UserError(
                f"alternatives names {', '.join(ways_declared.tools)}, and the task needs none of them; take it out, "
                "or check the clean runs"
            )
        read = self._read_of(first)
        gives = {_name(path): [AnswerSource(first, path)] for path in read}
        ways = [self._way(first)]
        for tool in ways_declared.tools:
            if steps[tool] == [first]:
                continue
            step = self._other_step(tool, first, ways_declared.arguments.get(tool, {}), read)
            # What the other way builds on is needed whichever way is taken.
            shared = {one for source in step.sources for one in self._closure(source.step)}
            ways[0] = tuple(one for one in ways[0] if one not in shared)
            for path in read:
                gives[_name(path)].append(AnswerSource(step.id, self._place_in(step, first, path)))
            ways.append((step.id,))
        self.taken |= {one for way in ways for one in way}
        return LearnedAlternatives(
            " or ".join(ways_declared.tools), tuple(ways), {n: tuple(found) for n, found in gives.items()}, "declared"
        )

    def _other_step(self, tool: str, first: str, fixed: Mapping[str, Any], read: Sequence[str]) -> LearnedStep:
        """The step of a declared alternative: as it was seen, or with the arguments of the same names."""
        learner, known = self._learner, self._learner.tools[tool]
        if tool in learner.order:
            # The clean runs contain it in its own right, so it is not needed as an alternative.
            learner.needed.pop(tool, None)
            self.extra[tool] = learner.arguments(tool)
            return learner.steps([tool], self.extra)[0]
        own = learner.needed[first]
        arguments = {n: a for n, a in own.items() if known.parameters is None or n in known.parameters}
        arguments |= {name: LearnedArgument(value) for name, value in fixed.items()}
        missing = [n for n in known.parameters or () if n not in arguments and n not in known.defaults]
        if missing:
            example = f"alternatives=[{{{first!r}: {{}}, {tool!r}: {{{missing[0]!r}: ...}}}}]"
            raise UserError(
                f"{tool} is declared as an alternative of {first}, and no clean run called it, so its "
                f"{', '.join(missing)} is not known; give it: {example}"
            )
        answer = None
        if read:
            if known.effects:
                raise UserError(f"{tool} acts, and values of {first} are read; write its ways in the reference's file")
            answer = self._fresh_answer(tool, {name: argument.value for name, argument in arguments.items()})
        text = isinstance(answer, str)
        data = plain_outcome(Value(answer))
        answer = data.value if isinstance(data, Value) else answer
        step = LearnedStep(tool, tool, arguments, answer, origin="declared", text=text)
        self.made[tool] = step
        return step

    def _fresh_answer(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        found = self._tools[tool]
        if not found.callable_here:
            raise UserError(f"{tool} is only named and no clean run called it; give the function, or write its answer")
        self._reset()  # the clean runs have changed the world that the values were read in
        try:
            return found.answer_to(arguments)
        except Exception as error:
            raise UserError(
                f"the declared alternative {tool}({dict(arguments)}) failed: {error_line(error)}"
            ) from error

    def _place_in(self, step: LearnedStep, first: str, path: str) -> str:
        """The path at which a declared alternative's answer holds a value that is read of the first."""
        number = self._learner.runs_with(first)[0]
        wanted = self._wanted(first, path, number)
        leaf = path.split(".")[-1]
        places = [at for at, held in paths.leaves(step.answer) if close(held, wanted)]
        if not places:
            raise UserError(
                f"{step.tool} is declared as an alternative of {first}, and its answer {step.answer!r:.200} does not "
                f"hold {path or 'the answer'} ({wanted!r:.80})"
            )
        return min(places, key=lambda at: (at.split(".")[-1] != leaf, at.count(".")))


def _name(path: str) -> str:
    return path.replace(".", "_") or "answer"
