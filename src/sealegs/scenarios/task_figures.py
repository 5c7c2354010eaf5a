"""Figures of a task, by which a set of tasks is compared with another and a matched set is chosen.

Not among them: the quality of a request's wording, and whether a model has read it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import sqrt
from statistics import mean, pstdev

from sealegs.tasks import Task
from sealegs.tasks.graph import Graph
from sealegs.tasks.similarity import mean_similarity
from sealegs.world.corpus import Corpus

SIMILARITY = "mean Jaccard similarity of tool sets"


def graph_path_lengths(graph: Graph) -> list[int]:
    """The length of every path of a graph."""
    single = len(graph.nodes) - len(graph.groups)
    choices = product(*([len(branch.steps) for branch in group.branches] for group in graph.groups))
    return [single + sum(chosen) for chosen in choices]


def task_figures(task: Task, corpus: Corpus) -> dict[str, float]:
    """The figures of one task, by name."""
    tools = [corpus.tools[step.tool] for step in task.graph.walk()]
    lengths = graph_path_lengths(task.graph)
    domains = dict.fromkeys(tool.domain for tool in corpus.tools.values())
    return {
        "steps of a task": len(task.graph.nodes),
        "calls of a path": mean(lengths),
        "paths of a task": len(lengths),
        "alternative groups of a task": len(task.graph.groups),
        "actions of a task": sum(tool.category == "action" for tool in tools),
        "values that the user gives": len(task.inputs),
        "values to deliver": len(task.deliverables),
        "words of a request": len(task.request.split()),
        **{f"tasks naming {domain}, %": 100.0 * any(tool.domain == domain for tool in tools) for domain in domains},
    }


@dataclass(frozen=True)
class SetFigures:
    """The figures of the tasks of one level.

    Attributes:
        means: by name; with them the similarity of the tools of all pairs of tasks.
        errors: of each mean, by how much it would differ by chance in another set of as many tasks: its standard error.
            The similarity, which is of pairs, has none.
        tasks: how many there are.
    """

    means: Mapping[str, float]
    errors: Mapping[str, float]
    tasks: int


def set_figures(tasks: Sequence[Task], corpus: Corpus) -> SetFigures:
    """The figures of tasks of one level; one at least."""
    found = [task_figures(task, corpus) for task in tasks]
    columns = {name: [one[name] for one in found] for name in found[0]}
    means = {name: mean(values) for name, values in columns.items()}
    errors = {name: pstdev(values) / sqrt(len(found)) for name, values in columns.items()}
    return SetFigures({**means, SIMILARITY: mean_similarity(tasks)}, errors, len(found))
