"""Counting orders by what is left to do: dynamic programming over the sets of steps that can be left.

Two partial orders that leave the same steps can be continued in the same ways, so the continuations are counted once.
A branch is chosen with the first step taken in its group, and once it is complete nothing tells it from another
branch. What is left is split wherever it falls apart, and its parts are counted alone. An element may stand for a whole
module of the graph, with its numbers of orders by length: it is a chain whose length is chosen with its first step.

The number of such sets grows with the width of the block, not with its length; a block with too many raises `TooWide`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sealegs.tasks.lengths import ONE, Lengths, shuffled
from sealegs.tasks.precedence import bits


class TooWide(ValueError):
    """A block of a graph has too many sets of steps that can be left to count its orders."""


@dataclass(frozen=True, slots=True)
class GraphBlock:
    """A part of a graph that is counted on its own.

    Attributes:
        lengths: the numbers of orders of each element, by the element's bit number.
        before: for each element the mask of what must be gone before it starts; bits outside the block don't matter.
        branches: for each group, by its flag's bit number, the masks of its branches' elements.
        units: the mask of the elements and flags that are left at first.
    """

    lengths: Mapping[int, Lengths]
    before: Mapping[int, int]
    branches: Mapping[int, tuple[int, ...]]
    units: int


def orders(block: GraphBlock, limit: int) -> Lengths:
    """The numbers of orders of a block by length.

    Raises:
        TooWide: more than `limit` numbers would be held: one for each set of steps left and each length that counts.
    """
    sweep = _Sweep(block, limit)
    sweep.run(measured=True)
    return sweep.lengths[sweep.fields.start]


def total_orders(block: GraphBlock, limit: int) -> int:
    """The number of orders of a block, of any length; cheaper than `orders`. Arguments and errors as there."""
    sweep = _Sweep(block, limit)
    sweep.run(measured=False)
    return sweep.totals[sweep.fields.start]


@dataclass(frozen=True, slots=True)
class _Plan:
    """The rule by which the orders of the steps left follow from those of smaller sets.

    Attributes:
        afters: the smaller sets: the steps that can be left after one step, or the parts into which the steps fall.
        hints: for each of them the units that may be next in it.
        weights: the number of ways in which each is reached; none if they are parts.
    """

    afters: tuple[int, ...]
    hints: tuple[int, ...]
    weights: tuple[int, ...] = ()


class _Sweep:
    """The sets of steps left that were met, with their orders.

    Lengths are kept only where they are needed: in a part that others interleave with, or throughout if the run is
    measured.
    """

    def __init__(self, block: GraphBlock, limit: int) -> None:
        self.fields = _Fields(block)
        # Nothing left: one order, of length 0.
        self.lengths: dict[int, Lengths] = {0: {0: 1}}
        self.totals: dict[int, int] = {0: 1}
        self._limit = limit
        self._held = 0
        self._size = len(block.lengths)

    def run(self, measured: bool) -> None:
        """Find the orders of the whole block. A stack of our own: a block can be deeper than Python's."""
        plans: dict[tuple[int, bool], _Plan] = {}
        stack = [(self.fields.start, self.fields.start, measured)]
        while stack:
            left, hint, measured = stack[-1]
            if left in (self.lengths if measured else self.totals):
                stack.pop()
            elif (left, measured) in plans:
                # On the second visit all smaller sets are known.
                self._finish(left, measured, plans.pop((left, measured)))
                stack.pop()
            else:
                plan = plans[left, measured] = self.fields.plan(left, hint)
                # Parts are shuffled by length, so totals are not enough for them.
                deeper = measured or not plan.weights
                known = self.lengths if deeper else self.totals
                stack += [(a, h, deeper) for a, h in zip(plan.afters, plan.hints) if a not in known]

    def _finish(self, left: int, measured: bool, plan: _Plan) -> None:
        # Independent parts: their orders can be shuffled into one another. Otherwise each next step is a case of its
        # own.
        if not plan.weights:
            lengths = self.lengths[plan.afters[0]]
            for part in plan.afters[1:]:
                lengths = shuffled(lengths, self.lengths[part])
            if measured:
                self.lengths[left] = lengths
            else:
                self.totals[left] = sum(lengths.values())
        elif measured:
            sums: dict[int, int] = {}
            for after, weight in zip(plan.afters, plan.weights):
                for length, number in self.lengths[after].items():
                    sums[length + 1] = sums.get(length + 1, 0) + weight * number
            self.lengths[left] = sums
        else:
            self.totals[left] = sum(self.totals[after] * weight for after, weight in zip(plan.afters, plan.weights))
        # The limit is on memory, so lengths count one by one.
        self._held += len(self.lengths[left]) if measured else 1
        if self._held > self._limit:
            raise TooWide(
                f"a block of {self._size} steps is too wide to count: it takes more than {self._limit} numbers;"
                " raise the limit, or give the graph more order"
            )


class _Fields:
    """A block laid out in bits: what is left of it is one integer.

    An element of at most n steps has a field of n bits: the lowest is set until it starts; then as many of the others
    are set as it has steps left. A group's flag is a field of one bit.
    """

    def __init__(self, block: GraphBlock) -> None:
        inside = block.units
        for flag in bits(block.units):
            for branch in block.branches.get(flag, ()):
                inside |= branch
        self._owner: list[int] = []
        self._flag: dict[int, int] = {}
        self._field: dict[int, int] = {}
        # Fields follow the order of the units, so that a set of units is a range of bits.
        for unit in bits(inside):
            size = max(block.lengths.get(unit, ONE))
            self._flag[unit] = 1 << len(self._owner)
            self._field[unit] = (1 << size) - 1 << len(self._owner)
            self._owner += [unit] * size
        self._starts = {
            # What is left of a chain of n steps once its first one is taken: the n - 1 bits above its flag.
            unit: tuple((((1 << n - 1) - 1) * (flag << 1), number) for n, number in block.lengths[unit].items())
            for unit, flag in self._flag.items()
            if unit in block.lengths
        }
        self._waits = {unit: self._wide(block.before[unit] & inside) for unit in self._starts}
        self._branches = {
            unit: tuple((sum(self._flag[step] for step in bits(branch)), tuple(bits(branch))) for branch in branches)
            for unit, branches in block.branches.items()
            if unit in self._flag
        }
        self._group = {step: unit for unit, ways in self._branches.items() for _, steps in ways for step in steps}
        self._near = {unit: self._field[unit] | self._flag[self._group.get(unit, unit)] for unit in self._starts}
        self._beside = self._neighbours()
        self._next = self._followers()
        self.start = sum(self._flag[unit] for unit in bits(block.units))

    def plan(self, left: int, hint: int) -> _Plan:
        """The parts of what is left, or where it is one part, the ways to take a step of it.

        Args:
            left: what is left.
            hint: the fields of some units, those among them that may be next; other bits do no harm.

        Raises:
            ValueError: nothing of what is left can be next.
        """
        part = self._part(left)
        if part != left:
            parts = [part]
            while left := left ^ part:
                part = self._part(left)
                parts.append(part)
            return _Plan(tuple(parts), (hint,) * len(parts))
        afters: list[int] = []
        hints: list[int] = []
        weights: list[int] = []
        ready = 0
        for unit, chosen in self._ready(left, hint & left):
            ready |= self._near[unit]
            flag = self._flag[unit]
            if chosen & flag:
                for running, number in self._starts[unit]:
                    afters.append(chosen ^ flag | running)
                    weights.append(number)
            else:
                # A unit under way: its highest bit goes, which is one step less of it.
                afters.append(chosen ^ 1 << (chosen & self._field[unit]).bit_length() - 1)
                weights.append(1)
            # One hint for each of the ways that this unit has just added.
            hints += [self._next[unit]] * (len(afters) - len(hints))
        if not afters:
            raise ValueError("the graph has a cycle; validate(graph) names it")
        return _Plan(tuple(afters), tuple([ready | hint for hint in hints]), tuple(weights))

    def _ready(self, left: int, hint: int) -> Iterator[tuple[int, int]]:
        """Each element that can be next, with what is left once its branch is chosen, if it is in one."""
        for unit in self._units(hint):
            if unit not in self._branches:
                if not left & self._waits[unit]:
                    yield unit, left
                continue
            for flags, steps in self._branches[unit]:
                chosen = left ^ self._flag[unit] | flags
                for step in steps:
                    if not chosen & self._waits[step]:
                        yield step, chosen

    def _part(self, left: int) -> int:
        """One connected part of what is left, a group and its branches as one."""
        # The lowest unit; the part that holds it is found first.
        edge = seen = left & -left
        while edge and seen != left:
            # From the far end: the last units wait for most of the others, so few are looked at.
            unit = self._owner[edge.bit_length() - 1]
            new = (self._beside[unit] | self._field[unit]) & left & ~seen
            seen |= new
            edge = (edge | new) & ~self._field[unit]
        return seen

    def _units(self, fields: int) -> Iterator[int]:
        while fields:
            unit = self._owner[(fields & -fields).bit_length() - 1]
            yield unit
            fields &= ~self._field[unit]

    def _wide(self, units: int) -> int:
        """The fields of some units."""
        return sum(self._field[unit] for unit in bits(units))

    def _neighbours(self) -> dict[int, int]:
        """The fields, by unit, of the units that wait for it or that it waits for."""
        beside = dict.fromkeys(self._flag, 0)
        for unit, waits in self._waits.items():
            ends = {unit, self._group.get(unit, unit)}
            for other in self._units(waits):
                for end in ends:
                    beside[end] |= self._field[other]
                    beside[other] |= self._field[end]
        return beside

    def _followers(self) -> dict[int, int]:
        """The fields, by element, of those that may be next only once it is done.

        That is what waits for it, unless it also waits for an element between them that no choice can remove.
        """
        followers = dict.fromkeys(self._starts, 0)
        for unit, waits in self._waits.items():
            covered = 0
            for other in self._units(waits):
                if other in self._waits and other not in self._group:
                    covered |= self._waits[other]
            for other in self._units(waits & ~covered):
                if other in followers:
                    followers[other] |= self._near[unit]
        return followers
