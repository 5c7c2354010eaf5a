"""Division of base tasks, (class, step) pairs, tools and kinds of failures among the splits.

- Base tasks: each is of one split. Tasks whose tool sets are much alike (a Jaccard index above 0.5) go together, and so
  do those that are alike through others.
- Pairs of a failure's class and the step that it strikes (a step is known by its tool): each is of one split.
- Generalisation: some tools are offered, called and struck in no other split, and its failures strike these alone; some
  kinds of failures come in no other split, and its failures are these alone. The other tools of its tasks may be known.

The unseen tools are those that the fewest tasks use, as many as the split's share of tasks allows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain

from sealegs.faults import seeds
from sealegs.tasks.similarity import SeenToolSets, tools_of
from sealegs.training.data import UNSEEN
from sealegs.training.data.data_recipe import DataRecipe
from sealegs.training.data.failure_catalogue import unseen_kinds
from sealegs.training.data.task_sources import BaseTask, DataSources, all_base_tasks

ALIKE = 0.5
PAIRED = 0.1  # the least share of pairs that a split with rows has


@dataclass(frozen=True, eq=False)
class Division:
    """The tasks, tools and kinds of failures that each split may hold.

    Attributes:
        tasks: the base tasks of each split.
        tools: the tools that only generalisation holds.
        kinds: the kinds of failures that only generalisation holds.
    """

    tasks: Mapping[str, tuple[BaseTask, ...]]
    tools: frozenset[str]
    kinds: frozenset[str]
    shares: Mapping[str, float]
    seed: int

    def pair(self, failure_class: str, tool: str) -> str:
        """The split that a pair is of."""
        return (
            UNSEEN
            if tool in self.tools
            else _share_of(self.shares, seeds.uniform("pair", self.seed, failure_class, tool))
        )


@cache
def division(sources: DataSources, recipe: DataRecipe, seed: int) -> Division:
    """The division that a recipe makes of its sources' tasks."""
    circles = _circles(all_base_tasks(sources, recipe.leave_out).values())
    shares = recipe.splits.parts()
    tools, unseen = _unseen(circles, shares[UNSEEN], seed)
    others = {split: share for split, share in shares.items() if split != UNSEEN and share}
    tasks: dict[str, list[BaseTask]] = {split: [] for split in shares}
    for circle in circles:
        # A circle is unseen as a whole or not at all, so its first task is enough to ask for.
        if circle[0].id in unseen:
            tasks[UNSEEN].extend(circle)
            continue
        split = _share_of(others, seeds.uniform("split", seed, circle[0].id)) if others else UNSEEN
        if others or tools == frozenset():
            tasks[split].extend(circle)
    # With a small share a split would have hardly any pairs, and most of its failing rows could not be made.
    paired = {split: max(share, PAIRED) for split, share in others.items()}
    kinds = unseen_kinds(recipe.unseen_kinds, seed) if shares[UNSEEN] else frozenset()
    return Division({split: tuple(of) for split, of in tasks.items()}, tools, kinds, paired, seed)


def _unseen(circles: Sequence[Sequence[BaseTask]], share: float, seed: int) -> tuple[frozenset[str], set[str]]:
    """The tools kept for generalisation, and the tasks that go with them: their circles, whole."""
    users: dict[str, set[str]] = {}
    for circle in circles:
        for tool in frozenset().union(*(tools_of(base.task) for base in circle)):
            users.setdefault(tool, set()).update(base.id for base in circle)
    count = sum(map(len, circles))
    tools: set[str] = set()
    tasks: set[str] = set()
    # The rarest first: each tool takes all tasks of its circles with it, and many rare tools fit in the share. Ties
    # fall by the seed.
    for tool in sorted(users, key=lambda name: (len(users[name]), seeds.digest("unseen tool", seed, name))):
        if len(tasks | users[tool]) <= share * count:
            tools.add(tool)
            tasks |= users[tool]
    return frozenset(tools), tasks


def _circles(found: Iterable[BaseTask]) -> list[list[BaseTask]]:
    """Tasks that are much alike, or alike through others, together; in the order of their first."""
    seen = SeenToolSets()
    places: dict[str, int] = {}
    circle: dict[str, list[BaseTask]] = {}
    for base in found:
        tools = tools_of(base.task)
        homes = {id(circle[name]): circle[name] for name in seen.alike(tools, ALIKE)}
        places[base.id] = len(places)
        joined = sorted([*chain.from_iterable(homes.values()), base], key=lambda one: places[one.id])
        circle.update((member.id, joined) for member in joined)
        seen.add(base.id, tools)
    return list({id(of): of for of in circle.values()}.values())


def _share_of(shares: Mapping[str, float], at: float) -> str:
    """The part of a whole in which a number from 0 to 1 lies."""
    names = [name for name, share in shares.items() if share]
    place = at * sum(shares.values())
    for name in names:
        place -= shares[name]
        if place < 0:
            return name
    return names[-1]
