"""Tasks by rules that are each matched to a given one: as many calls on every path, such groups, as much to tell.

Of each given task (the model) several candidates are made, which `matched_choice` then chooses from. Attempt n at a
candidate is a function of seed, model and n alone.

Where people's users give hardly any values, nearly every attempt ends with too many. So when free attempts have given
nothing, a search follows that never takes a step with which the user would give more than is allowed; and after that
one of tools of all domains.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any, NamedTuple

from sealegs.faults import seeds
from sealegs.generate.rules.engine import NEAREST
from sealegs.generate.rules.graph_outlines import GroupShape, draw_matched_outline
from sealegs.generate.rules.graph_search import DeadEnd, Search, Sketch
from sealegs.generate.rules.phrasing import deliverables, phrase_request
from sealegs.generate.rules.rewording import reworded
from sealegs.generate.rules.vocabulary import CorpusVocabulary
from sealegs.generate.task_checks import rejection
from sealegs.scenarios.task_sets import task_set
from sealegs.tasks import Task
from sealegs.tasks.graph import Graph
from sealegs.tasks.similarity import SeenToolSets, tools_of
from sealegs.tasks.yaml_tasks import task_data
from sealegs.world.corpus import load_corpus

CANDIDATES = 2  # of each model
MOST_TRIED = 600  # attempts for them
NARROW_TRIED = 400  # further attempts, if those gave nothing, that stop at the values that the user may give
WIDE_TRIED = 800  # and then with tools of all domains
MORE = 2  # values that the user may give beyond those of the model's user
ALSO = 1.0  # how often a further parameter takes a field where one fits: people give few values
SPARED = 1.0  # how often a parameter that is not required is left out, for the same reason


class TaskShape(NamedTuple):
    """The shape that a candidate shares with its model: level, nodes, groups, the user's values, the reported ones.

    Attributes:
        inputs: values that the user gives; a candidate's may give `MORE` than that.
        deliverables: values that the answer must hold.
        domains: of the tools; a candidate takes others only where it has no choice.
    """

    level: str
    size: int
    groups: tuple[GroupShape, ...]
    inputs: int
    deliverables: int
    domains: tuple[str, ...] = ()


@dataclass(frozen=True)
class MatchedCandidates:
    """The candidates that were made for one model.

    Attributes:
        key: names the model, and which of its rounds this is.
        level: the model's.
        tried: attempts.
        tasks: as plain data.
    """

    key: str
    level: str
    tried: int
    tasks: Sequence[Mapping[str, Any]]


def group_shapes(graph: Graph) -> tuple[GroupShape, ...]:
    """The shapes of a graph's groups, in their order."""
    return tuple(
        GroupShape(group.kind, tuple(sorted(len(branch.steps) for branch in group.branches))) for group in graph.groups
    )


def shape_of(model: Task) -> TaskShape:
    """The shape of a task."""
    tools = load_corpus().tools
    domains = tuple(dict.fromkeys(tools[step.tool].domain for step in model.graph.walk()))
    graph, inputs, reported = model.graph, len(model.inputs), len(model.deliverables)
    return TaskShape(model.level, len(graph.nodes), group_shapes(graph), inputs, reported, domains)


def make_candidates(key: str, seed: str, wanted: int = CANDIDATES, most: int = MOST_TRIED) -> MatchedCandidates:
    """Candidates for a model, none of them near a task that ships.

    The second has more words than the model where the first has fewer, and the other way round, as far as the attempts
    find one: else a set could not be brought to the words of the models, as rules take more of them than people did.

    Args:
        key: `ID/ROUND` of the shipped task.
        seed: decides everything.
        wanted: how many; two at most.
        most: free attempts, after which there may be fewer; if there is none, narrow ones follow.
    """
    model = task_set().tasks[key.partition("/")[0]]
    shape, words, tried = shape_of(model), _words(reworded(model, load_corpus())), 0
    found, spare = dict[bool, Task](), list[Task]()  # by whether it has more words than the model
    wide = shape._replace(domains=())
    last = most + NARROW_TRIED + WIDE_TRIED
    while len(found) < wanted and (tried < most or (not found and tried < last)):
        own = shape if tried < most + NARROW_TRIED else wide
        task = attempt_match(own, seeds.stream("matched", seed, key, tried), narrow=tried >= most)
        tried += 1
        if task is None or _shipped_tools().nearest(tools_of(task))[0] > NEAREST:
            continue
        if found.setdefault(_words(task) > words, task) is not task:
            spare.append(task)
    chosen = [*found.values(), *spare][:wanted]
    return MatchedCandidates(key, model.level, tried, [task_data(one, _vocabulary().corpus.groups) for one in chosen])


def _words(task: Task) -> int:
    return len(task.request.split())


def attempt_match(shape: TaskShape, draw: Random, *, narrow: bool = False) -> Task | None:
    """One attempt at a task of a shape, which passes every check; None where it fails.

    Args:
        shape: what it is to have.
        draw: decides everything.
        narrow: whether no step is taken with which the user would give too many values.
    """
    vocabulary = _vocabulary()
    outline = draw_matched_outline(shape.level, shape.size, shape.groups, draw)
    most = shape.inputs + MORE if narrow else None
    search = Search(vocabulary, draw, also=ALSO, spared=SPARED, domains=shape.domains, most_inputs=most)
    try:
        sketch = search.sketch(outline)
    except DeadEnd:
        return None
    if len(sketch.inputs) > shape.inputs + MORE or sorted(group_shapes(sketch.graph)) != sorted(shape.groups):
        return None
    return _worded(sketch, shape, draw)


def _worded(sketch: Sketch, shape: TaskShape, draw: Random) -> Task | None:
    vocabulary = _vocabulary()
    wanted = deliverables(sketch, vocabulary, draw, shape.deliverables, shape.deliverables)
    if wanted is None:
        return None
    words = phrase_request(sketch, wanted, vocabulary.corpus, draw)
    domains = dict.fromkeys(vocabulary.corpus.tools[step.tool].domain for step in sketch.graph.walk())
    task = Task(f"{shape.level}-0", shape.level, words, sketch.inputs, sketch.graph, wanted, tuple(domains))
    return task if rejection(task, vocabulary.corpus) is None else None


@cache
def _vocabulary() -> CorpusVocabulary:
    return CorpusVocabulary(load_corpus())


@cache
def _shipped_tools() -> SeenToolSets:
    return SeenToolSets((task.id, tools_of(task)) for task in task_set().tasks.values())
