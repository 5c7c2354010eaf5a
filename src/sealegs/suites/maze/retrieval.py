"""The reverse check of tasks without a model: a retrieval baseline must find the tools of a valid solution.

Only the request's text, the arguments and the tools' documents are looked at, never the graph; the graph then says
which tools were needed. A task whose tools are far down says too little about them, or uses its own words.

For nine base tasks in ten the first `STATED_K` of the corpus' 271 tools hold a whole solution; the middle task needs
38. What is missed are the go-betweens that a request never names: converters of units, moved dates, coordinates.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from sealegs.tasks import Task
from sealegs.tasks.graph import Graph, Step
from sealegs.world.shortlist import Shortlist

STATED_K = 100


@dataclass(frozen=True)
class RetrievedTools:
    """The places of a task's tools in the retrieved list.

    Attributes:
        task: its id.
        places: the place of each tool of the solution that is found first; 1 is the top of the list.
    """

    task: str
    places: Mapping[str, int]

    @property
    def needed_rank(self) -> int:
        """The length that the list must have to hold a whole solution."""
        return max(self.places.values())

    def missed(self, k: int) -> Mapping[str, int]:
        """The tools that are not among the first k, and where they are."""
        return {tool: place for tool, place in self.places.items() if place > k}


@dataclass(frozen=True)
class ReverseCheck:
    """The tools that were retrieved for each of a set of tasks."""

    found: tuple[RetrievedTools, ...]

    def k(self, share: float = 0.9) -> int:
        """The shortest list that holds a whole solution for at least this share of the tasks.

        Raises:
            ValueError: there are no tasks, or the share is not above 0 and at most 1.
        """
        if not self.found or not 0 < share <= 1:
            raise ValueError(f"k needs tasks and a share above 0 and at most 1; got {len(self.found)} tasks, {share}")
        ranks = sorted(retrieved.needed_rank for retrieved in self.found)
        return ranks[math.ceil(share * len(ranks)) - 1]

    def failing(self, k: int) -> tuple[RetrievedTools, ...]:
        """The tasks for which a list of k holds no whole solution, the furthest first."""
        far = (retrieved for retrieved in self.found if retrieved.needed_rank > k)
        return tuple(sorted(far, key=lambda retrieved: -retrieved.needed_rank))


def reverse_check(tasks: Mapping[str, Task], shortlist: Shortlist) -> ReverseCheck:
    """Retrieve the tools of every task."""
    return ReverseCheck(tuple(retrieve(task, shortlist) for task in tasks.values()))


def retrieve(task: Task, shortlist: Shortlist) -> RetrievedTools:
    """The places of the task's tools in the list that its request retrieves."""
    ranked = shortlist.rank(task.request, task.inputs)
    return RetrievedTools(task.id, first_solution(task.graph, {tool: at for at, tool in enumerate(ranked, start=1)}))


def first_solution(graph: Graph, places: Mapping[str, int]) -> Mapping[str, int]:
    """The places of the solution that a growing list completes first: of a group the branch that is whole first."""
    found: dict[str, int] = {}
    for node in graph.nodes:
        ways = [(node,)] if isinstance(node, Step) else [branch.steps for branch in node.branches]
        first = min(ways, key=lambda way: max(places[step.tool] for step in way))
        found |= {step.tool: places[step.tool] for step in first}
    return found
