"""The steps that each step waits for, as bit masks.

Every step of every branch is one bit, every group one more: its *flag*. The open work is then one integer: the
bits of the steps left, and the flag of each group whose branch is not chosen yet. The first step taken inside a group
chooses the branch: the flag gives way to the bits of that branch. A step that reads a group waits for the flag and for
the giver in each branch; givers of branches that were not chosen are never among the steps left, so one mask says it
for every choice.

The graph is taken to be valid; `validation` says whether it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sealegs.tasks.graph import Branch, Graph, Group, Step


@dataclass(frozen=True, slots=True)
class Precedence:
    """A graph as bit masks.

    Attributes:
        ids: the steps' ids in the order of `Graph.walk`; step i is bit i.
        index: a step's bit number by its id.
        branches: for each group, the mask of each branch; the flag of group k is bit `len(ids) + k`.
        place: for each step its group's and its branch's number, or None outside groups.
        waits: for each step the mask that must be gone from what is left before it can be called.
        needs: for each step what it needs, each as masks of which one must be done in full: a step is one mask, a
            group one mask for each branch.
        start: what is left before the first call.
    """

    ids: tuple[str, ...]
    index: dict[str, int]
    branches: tuple[tuple[int, ...], ...]
    place: tuple[tuple[int, int] | None, ...]
    waits: tuple[int, ...]
    needs: tuple[tuple[tuple[int, ...], ...], ...]
    start: int

    def flag(self, group: int) -> int:
        """The mask of a group's flag."""
        return 1 << len(self.ids) + group

    def mask(self, steps: Iterable[str]) -> int:
        """The mask of some steps, by id."""
        return sum(1 << self.index[step] for step in steps)

    def after(self, left: int, step: int) -> int:
        """The steps left after a call of a step; -1 if it cannot be called then."""
        place = self.place[step]
        if place is not None and left & self.flag(place[0]):
            left = left ^ self.flag(place[0]) | self.branches[place[0]][place[1]]
        bit = 1 << step
        return left ^ bit if left & bit and not left & self.waits[step] else -1

    def ready(self, done: int) -> tuple[int, ...]:
        """The steps not done whose inputs are there.

        A group's export is there as soon as any branch has given it, chosen in the end or not; a group counts as
        done for `after` as soon as any branch is complete.
        """
        return tuple(
            step
            for step, needs in enumerate(self.needs)
            if not done >> step & 1 and all(any(done & way == way for way in ways) for ways in needs)
        )


def precedence(graph: Graph) -> Precedence:
    """The precedence of a valid graph. It is worked out once and kept with the graph, as its cached properties are."""
    kept: dict[str, Precedence] = vars(graph)
    if "precedence" not in kept:
        kept["precedence"] = _worked_out(graph)
    return kept["precedence"]


def _worked_out(graph: Graph) -> Precedence:
    steps = tuple(graph.walk())
    index = {step.id: number for number, step in enumerate(steps)}
    branches = tuple(tuple(_bits(branch, index) for branch in group.branches) for group in graph.groups)
    place: list[tuple[int, int] | None] = [None] * len(steps)
    for group, masks in enumerate(branches):
        for branch, mask in enumerate(masks):
            for bit in bits(mask):
                place[bit] = (group, branch)
    flags = {group.id: 1 << len(steps) + number for number, group in enumerate(graph.groups)}
    waits, needs = [], []
    for step in steps:
        # A step may read several exports of one node; it waits for that node once.
        ways = dict.fromkeys(_needs(step, graph, index))
        needs.append(tuple(masks for _, masks in ways))
        wait = 0
        for group_id, masks in ways:
            # A group that is not chosen yet blocks as a whole; afterwards only the chosen branch's steps are left to
            # wait for.
            wait |= flags.get(group_id, 0)
            for mask in masks:
                wait |= mask
        waits.append(wait)
    # Only the flag of a group: its steps enter when a branch is chosen.
    start = sum(1 << index[node.id] if isinstance(node, Step) else flags[node.id] for node in graph.nodes)
    ids = tuple(step.id for step in steps)
    return Precedence(ids, index, branches, tuple(place), tuple(waits), tuple(needs), start)


def bits(mask: int) -> Iterator[int]:
    """The numbers of the bits set in a mask, lowest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def _bits(branch: Branch, index: dict[str, int]) -> int:
    return sum(1 << index[step.id] for step in branch.steps)


def _needs(step: Step, graph: Graph, index: dict[str, int]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Each node that a step depends on, with the masks of which one must be done."""
    for need in step.needs:
        node = graph.by_id.get(need.node)
        if isinstance(node, Group):
            givers = tuple(1 << index[branch.exports[need.path].node] for branch in node.branches)
            yield need.node, givers
        else:
            yield need.node, (1 << index[need.node],)
    for id in step.after:
        node = graph.by_id.get(id)
        if isinstance(node, Group):
            # Whoever waits for a group waits for all of a branch; whoever reads it, only for the step that gives the
            # field.
            yield id, tuple(_bits(branch, index) for branch in node.branches)
        else:
            yield id, (1 << index[id],)
