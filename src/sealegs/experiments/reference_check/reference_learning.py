"""A reference from clean runs: the calls that a task needs, the sources of values, and the answer's contents.

Needed are the calls that act or may act and were made in every run, the sources of the answer's values, and every call
that one of these takes a value from. A value that the task's text says needs no call. Of several places that hold a
value in every run, one counts whose tool was not given the value itself, then one in a call that is needed anyway, then
the earliest. It does not see an order that no value shows (declare it with `after`), and a call that a needed value was
worked out from by more than one sum.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from sealegs.experiments.reference_check.clean_runs import CleanRun, SeenCall
from sealegs.experiments.reference_check.learned_reference import (
    AnswerSource,
    How,
    LearnedArgument,
    LearnedDeliverable,
    LearnedStep,
    LearnedTool,
)
from sealegs.experiments.reference_check.value_search import (
    contained,
    copies,
    distinctive,
    given_by_task,
    holders,
    is_prose,
    made_here,
    worked_out,
)
from sealegs.faults import paths
from sealegs.scoring.matching import close

Found = Mapping[AnswerSource, None]


class ReferenceLearner:
    """A learner of a task's reference from clean runs.

    Args:
        runs: at least one.
        request: the task's text.
        tools: the known facts of every tool.

    Attributes:
        order: every step of any run, with its place.
        needed: the steps that the task needs, with their arguments.
        notes: what a user should know.
    """

    def __init__(self, runs: Sequence[CleanRun], request: str, tools: Mapping[str, LearnedTool]) -> None:
        self.runs = list(runs)
        self.request = request
        self.tools = tools
        self.calls = [run.by_step for run in runs]
        self.order = {step: place for place, step in enumerate(dict.fromkeys(s for run in self.calls for s in run))}
        self.needed: dict[str, Mapping[str, LearnedArgument]] = {}
        self.notes: list[str] = []

    def tool_of(self, step: str) -> LearnedTool:
        """The tool of a step that was seen."""
        return self.tools[next(run[step].tool for run in self.calls if step in run)]

    def runs_with(self, step: str) -> list[int]:
        """The runs that made a step."""
        return [number for number, run in enumerate(self.calls) if step in run]

    def need(self, step: str) -> None:
        """Take a step into the reference, with all that it takes values from."""
        if step in self.needed:
            return
        self.needed[step] = {}  # known before its sources are chosen among
        self.needed[step] = self.arguments(step)
        for argument in self.needed[step].values():
            for source in argument.sources:
                self.need(source.step)
        for run in self.calls:
            for before in run[step].after if step in run else ():
                self.need(before)

    def arguments(self, step: str) -> dict[str, LearnedArgument]:
        """The arguments of a step, by name, as the runs show them."""
        runs = self.runs_with(step)
        names = dict.fromkeys(name for number in runs for name in self.calls[number][step].arguments)
        return {name: self._argument(step, name, runs) for name in names}

    def _argument(self, step: str, name: str, runs: Sequence[int]) -> LearnedArgument:
        given = [self.calls[number][step].arguments for number in runs]
        values = [arguments[name] for arguments in given if name in arguments]
        value, tool = values[0], self.tool_of(step)
        # What one clean run could leave out cannot be required of other runs.
        if name == tool.key or len(values) < len(given):
            return LearnedArgument(value, "free")
        # Before what calls returned: what the request says needs no call, though an answer may hold it, too.
        if all(given_by_task(self.request, one) for one in values):
            return LearnedArgument(value, "task") if same(values) else LearnedArgument(value, "free")
        known = [self._before(number, step) for number in runs]
        copied = self.chosen([copies(v, name, calls) for v, calls in zip(values, known, strict=True)], name)
        if copied is not None:
            return LearnedArgument(value, "copied", (copied,))
        if not same(values):
            return LearnedArgument(value, "free")
        if is_prose(value) or isinstance(value, (Mapping, list, tuple)):
            return LearnedArgument(value, "contained", tuple(self._in_all(known, contained, value)))
        how, sources = self.explained(value, known)
        return LearnedArgument(value, how or "constant", sources)

    def explained(self, value: Any, known: Sequence[Iterable[SeenCall]]) -> tuple[How | None, tuple[AnswerSource, ...]]:
        """The source of a value that no field holds: a text that says it, or two values that make it."""
        source = self.chosen([holders(value, calls) for calls in known], "")
        if source is not None:
            return "contained", (source,)
        made = [worked_out(value, self.request, calls) for calls in known]
        # Sums may differ from run to run; that each has one is what says that the value is worked out.
        return ("worked out", made[0]) if all(made) else (None, ())

    def _in_all(
        self, known: Sequence[Sequence[SeenCall]], search: Callable[..., Found], value: Any
    ) -> list[AnswerSource]:
        found = [search(value, self.request, calls) for calls in known]
        return [source for source in found[0] if all(source in other for other in found)]

    def _before(self, number: int, step: str) -> list[SeenCall]:
        """The calls of a run that were answered before it made a step."""
        own = self.calls[number][step]
        return [call for call in self.runs[number].calls if call.over <= own.began and call.step != step]

    def chosen(self, found: Sequence[Found], name: str) -> AnswerSource | None:
        """The source that is taken, of those found in each run; None where a run has none."""
        if not found or not all(found):
            return None
        counts: dict[AnswerSource, int] = {}
        for one in found:
            # A field that only repeats an argument is not a source of the value, unless there is no other.
            for source in [own for own in one if not self._repeated(own)] or one:
                counts[source] = counts.get(source, 0) + 1
        return min(counts, key=lambda source: (-counts[source], *self._rank(source, name)))

    def _rank(self, source: AnswerSource, name: str) -> tuple[bool, int, bool, int]:
        leaf, depth = source.path.split(".")[-1], source.path.count(".")
        return source.step not in self.needed, self.order[source.step], leaf != name, depth

    def _repeated(self, source: AnswerSource) -> bool:
        """Return whether a tool only echoes there what it was given, so that the value is another tool's."""
        calls = [self.calls[number][source.step] for number in self.runs_with(source.step)]
        values = [(call, value) for call in calls for value in paths.values_at(call.answer, source.path)]
        return any(not made_here(call, value) for call, value in values)

    def steps(self, ids: Iterable[str], arguments: Mapping[str, Mapping[str, LearnedArgument]]) -> list[LearnedStep]:
        """The steps as the reference keeps them, in their order."""
        found = []
        for step in sorted(ids, key=lambda id: self.order[id]):
            call = next(run[step] for run in self.calls if step in run)
            after = tuple(dict.fromkeys(one for run in self.calls if step in run for one in run[step].after))
            found.append(LearnedStep(step, call.tool, arguments[step], call.answer, after, text=call.text))
        return found


def same(values: Sequence[Any]) -> bool:
    """Return whether all values are equal as the judge compares them."""
    return all(close(values[0], value) for value in values[1:])


def learn_actions(learner: ReferenceLearner) -> None:
    """Need what every run did, and what nobody declared to change nothing."""
    for step in learner.order:
        acts, seen = learner.tool_of(step).effects, learner.runs_with(step)
        if acts is not False and len(seen) == len(learner.runs):
            learner.need(step)


def described(source: AnswerSource) -> str:
    """A deliverable's label."""
    leaf = next((part for part in reversed(source.path.split(".")) if part and not part.isdigit()), "")
    tool = source.step.replace("_", " ").replace("#", " ")
    return f"{leaf.replace('_', ' ')} of {tool}" if leaf else f"what {tool} says"


def without_doubles(found: Iterable[LearnedDeliverable]) -> list[LearnedDeliverable]:
    """The deliverables, each value once."""
    kept: list[LearnedDeliverable] = []
    for one in found:
        if not any(close(one.value, other.value) for other in kept):
            kept.append(one)
    return kept


def leaves_of(call: SeenCall) -> list[tuple[AnswerSource, Any]]:
    """The distinctive values of an answer, with their places."""
    return [(AnswerSource(call.step, path), value) for path, value in paths.leaves(call.answer) if distinctive(value)]
