"""Wrong but plausible answers of a step that another tool's answer contradicts, or that only a second source does.

Each forgery of the right answer is tried in the task's world. Its way is `across` if it contradicts earlier answers
that are there whichever branches were taken; `refused` if every call that is made with the false value is refused;
`second_source` if it contradicts no answer that can come before it, every call that is made with it answers, and the
truth can be worked out from nothing that is known. A forgery is left out if this depends on the way taken, or if the
truth can be worked out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sealegs.faults import paths, seeds
from sealegs.faults.call import Call, Failure
from sealegs.faults.rungs.contradiction import Contradiction, Exchange, contradictions
from sealegs.faults.rungs.forgery import Edit, forgeries
from sealegs.faults.rungs.visible_rung import has_changed
from sealegs.faults.spec import ToolSpec
from sealegs.scenarios.step_use import field_paths
from sealegs.scenarios.task_sets import TaskSet
from sealegs.scoring.value_salvage import can_be_had
from sealegs.tasks.graph import Graph, Group, Step, Task
from sealegs.world.corpus import Corpus
from sealegs.world.reference_runs import choices, run_branches
from sealegs.world.state import World

WAYS = ("across", "refused", "second_source")
VALUES = 3  # sets of wrong values, each of which differs from the others in what is used
TRIED = 60  # forgeries that are looked at for them


@dataclass(frozen=True)
class Reader:
    """A call that takes values of the step's answer, in the world as it is then.

    Attributes:
        tool: what is called.
        arguments: with the right values.
        taken: the path in the step's answer that each argument is taken from.
        world: before the call.
    """

    tool: str
    arguments: Mapping[str, Any]
    taken: Mapping[str, str]
    world: World

    def refuses(self, answer: Any, corpus: Corpus) -> bool:
        """Return whether the call is refused with the values of this answer."""
        wrong = {name: paths.first_value(answer, path) for name, path in self.taken.items()}
        outcome = corpus.run(Call(self.tool, {**self.arguments, **wrong}, dry=True), self.world)
        return isinstance(outcome, Failure)


@dataclass(frozen=True)
class StepDataflow:
    """The calls before a step, and the calls that take values of its answer.

    Attributes:
        certain: for each way up to the step, the calls that are made before it in every order.
        possible: the calls that may be made before it at all.
        readers: the calls that take values of its answer.
    """

    certain: Sequence[Sequence[Exchange]]
    possible: Sequence[Exchange]
    readers: Sequence[Reader]


def lower_rungs(chosen: TaskSet, base: Task, step: Step, spec: ToolSpec) -> dict[str, tuple[Edit, ...]]:
    """The edits of a step's right answer, by the way in which they are detected: `VALUES` of each way, or none.

    Args:
        chosen: the set that the task is of.
        base: the task.
        step: the step that is struck.
        spec: its tool, with the fields that are used.
    """
    corpus, expected = chosen.corpus(base.id), chosen.right_run(base.id).steps[step.id]
    around = step_dataflow(base, step, corpus)
    right = Exchange(expected.arguments, expected.output)
    known = [base.request, dict(base.inputs), dict(expected.arguments)]
    found: dict[str, list[tuple[Edit, Any]]] = {way: [] for way in WAYS}
    others, draw = corpus.answered_examples(step.tool), seeds.stream("ladder", base.id, step.id)
    for tried, (edit, wrong) in enumerate(forgeries(spec, expected.arguments, expected.output, others, draw)):
        if tried == TRIED or all(len(each) == VALUES for each in found.values()):
            break
        changed = [path for path in spec.used if has_changed(expected.output, wrong, path)]
        truth = [value for path in changed for value in paths.values_at(expected.output, path)]
        if any(can_be_had(value, [wrong, *known]) for value in truth):
            continue  # then it is detectable by arithmetic, though no declared relation says so
        way = detection_of(around, right, wrong, changed, corpus)
        # Then another tool of the task tells the true value, and it is detectable across tools.
        if way == "second_source" and any(can_be_had(v, [one.output for one in around.possible]) for v in truth):
            continue
        if way and len(found[way]) < VALUES and _differs(wrong, [other for _, other in found[way]], changed):
            found[way].append((edit, wrong))
    return {way: tuple(edit for edit, _ in each) for way, each in found.items() if len(each) == VALUES}


def detection_of(around: StepDataflow, right: Exchange, wrong: Any, changed: Sequence[str], corpus: Corpus) -> str:
    """The way in which an answer that is plausible in itself is detected; empty where that depends on the way taken.

    Args:
        around: what is known, and what is called.
        right: the call with the true answer.
        wrong: what is shown.
        changed: the used paths at which it is wrong.
        corpus: the tools.
    """
    now = Exchange(right.arguments, wrong)
    # Whatever branches were taken, one of the answers that are then known contradicts it.
    if around.certain and all(_new(contradictions(each, right), contradictions(each, now)) for each in around.certain):
        return "across"
    if _new(contradictions(around.possible, right), contradictions(around.possible, now)):
        return ""
    readers = [one for one in around.readers if any(_overlap(path, changed) for path in one.taken.values())]
    refused = [one.refuses(wrong, corpus) for one in readers]
    if refused and all(refused):
        return "refused"
    # Refused by some readers only: which way is taken next decides whether it shows.
    return "" if any(refused) else "second_source"


def step_dataflow(base: Task, step: Step, corpus: Corpus) -> StepDataflow:
    """The calls before and after a step, over all branches."""
    certain: list[list[Exchange]] = []
    possible: dict[str, Exchange] = {}
    readers: dict[str, Reader] = {}
    before = ancestors(base.graph, step)
    for choice in choices(base.graph):
        run = run_branches(base.graph, base.inputs, corpus, choice)
        answered = {id: Exchange(one.arguments, one.output) for id, one in run.items()}
        possible |= {id: one for id, one in answered.items() if _may_come_before(base.graph, id, step)}
        if step.id in run:
            certain.append([one for id, one in answered.items() if id in before])
            readers |= {one.tool: one for one in _readers(base, step, answered, corpus)}
    return StepDataflow(certain, list(possible.values()), list(readers.values()))


def _readers(base: Task, step: Step, run: Mapping[str, Exchange], corpus: Corpus) -> Iterator[Reader]:
    """The calls of a run that take values of the step's answer, each with the world before it."""
    world, path_of = World(), field_paths(base.graph, step)
    for id, one in run.items():
        reader = base.graph.steps[id]
        fields = {name: field for name, field in reader.arguments.items() if field in reader.needs}
        taken = {name: path for name, field in fields.items() if (path := path_of(field))}
        if taken:
            yield Reader(reader.tool, one.arguments, taken, world.fork())
        corpus.run(Call(reader.tool, one.arguments, id=id), world)


def _new(before: Sequence[Contradiction], now: Sequence[Contradiction]) -> list[Contradiction]:
    """The contradictions that were not there in the true answer."""
    return [one for one in now if one not in before]


def _differs(wrong: Any, before: Sequence[Any], used: Sequence[str]) -> bool:
    return all(any(has_changed(one, wrong, path) for path in used) for one in before)


def _overlap(path: str, changed: Sequence[str]) -> bool:
    """Return whether one of the changed paths is this one, or in it, or holds it."""
    return any(f"{path}.".startswith(f"{one}.") or f"{one}.".startswith(f"{path}.") for one in changed)


def _may_come_before(graph: Graph, id: str, step: Step) -> bool:
    """Return whether some order has the step `id` first; a step of a rival branch is a second source instead."""
    home, other = graph.home.get(step.id), graph.home.get(id)
    rival = home is not None and other is not None and home[0] is other[0] and home[1] is not other[1]
    return id != step.id and not rival and step.id not in ancestors(graph, graph.steps[id])


def ancestors(graph: Graph, step: Step) -> frozenset[str]:
    """The steps, of whichever branch, that come before a step in every order."""
    found: set[str] = set()
    waiting = [step]
    while waiting:
        for before in _before(graph, waiting.pop()):
            if before.id not in found:
                found.add(before.id)
                waiting.append(before)
    return frozenset(found)


def _before(graph: Graph, step: Step) -> Iterator[Step]:
    for name in dict.fromkeys((*(need.node for need in step.needs), *step.after)):
        node = graph.by_id.get(name)
        if isinstance(node, Group):
            yield from (one for branch in node.branches for one in branch.steps)
        elif node is not None or name in graph.steps:
            yield graph.steps[name]
