"""Taking a graph apart into modules, from the inside out.

A module is a set of steps that every step outside sees alike: it comes before all of them, after all, or neither. The
orders of a module can be counted alone; then the module is one *element* with its numbers of orders by length, because
to the rest it is a chain of so many steps (Möhring's substitution decomposition: the orders of the whole are those of
the whole with a chain in the module's place, times those of the module).

Four kinds of module are looked for, as long as one is found: two elements in parallel, two in series, a group all of
whose branches have become one element seen alike, and the smallest prime blocks, in the graph and inside a branch. The
first three need no search at all, so a series-parallel graph of any size is counted at once; prime blocks are counted
by `downsets`, and what does not come apart at all is one such block.

An order is taken for certain only where it holds for every choice of branches. Where it does not, a module can be
missed; that costs time, never correctness.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sealegs.tasks.downsets import GraphBlock, orders, total_orders
from sealegs.tasks.lengths import ONE, Lengths, chained, either, shuffled
from sealegs.tasks.precedence import Precedence, bits

_Place = tuple[int, int] | None


def lengths_of(order: Precedence, limit: int) -> Lengths:
    """The number of solutions by their length.

    Raises:
        TooWide: a prime block takes more than `limit` numbers; see `downsets.orders`.
    """
    return _apart(order, limit).orders()


def total_of(order: Precedence, limit: int) -> int:
    """The number of solutions; cheaper than `lengths_of`, with the same errors."""
    return _apart(order, limit).total()


def _apart(order: Precedence, limit: int) -> _Modules:
    modules = _Modules(order, limit)
    # `|` and not `or`: each cheap kind has its turn in every round, before a prime block is searched for.
    while modules.merge_alike() | modules.merge_series() | modules.merge_groups() or modules.merge_blocks():
        pass
    return modules


def certain_order(order: Precedence) -> list[int]:
    """The mask, by step, of what certainly comes before it where it is called at all.

    Beside steps the mask holds flags of groups and steps of branches that it waits for if they are chosen. Steps of
    other branches of its own group are left out: they are never called with it.

    Raises:
        ValueError: a step waits for itself.
    """
    before = list(order.waits)
    sequence = _inner_first(order)
    changed = True
    while changed:
        changed = False
        for step in sequence:
            wider = _wider(order, before, step)
            changed = changed or wider != before[step]
            before[step] = wider
    if any(mask >> step & 1 for step, mask in enumerate(before)):
        raise ValueError("the graph has a cycle; validate(graph) names it")
    return before


def _wider(order: Precedence, before: list[int], step: int) -> int:
    """The steps that come before a step, by one more round of following its inputs."""
    mask = order.waits[step]
    wider = mask | before[step]
    own = order.place[step]
    groups = set()
    for other in bits(mask & (1 << len(order.ids)) - 1):
        place = order.place[other]
        if place is None or place == own:
            wider |= before[other]
        else:
            groups.add(place[0])
    for group in groups:
        # -1 has every bit: what is left of it after all branches comes before the step whichever is chosen.
        certain, whole = -1, order.flag(group)
        for branch in order.branches[group]:
            reach = 0
            for giver in bits(mask & branch):
                reach |= before[giver]
            # An order inside one branch holds whenever that branch is chosen; no other needs to agree.
            wider |= reach & branch
            certain &= reach
            whole |= branch
        wider |= certain & ~whole
    if own is not None:
        absent = order.flag(own[0]) | sum(order.branches[own[0]])
        # Steps that are never called with this one have no order with it.
        wider &= ~absent | order.branches[own[0]][own[1]]
    return wider


def _inner_first(order: Precedence) -> list[int]:
    """The steps so that, cycles through several branches aside, each comes after what it waits for."""
    steps = (1 << len(order.ids)) - 1
    seen: set[int] = set()
    sequence: list[int] = []
    for root in range(len(order.ids)):
        stack = [] if root in seen else [(root, bits(order.waits[root] & steps))]
        seen.add(root)
        while stack:
            step, rest = stack[-1]
            below = next((other for other in rest if other not in seen), None)
            if below is None:
                sequence.append(step)
                stack.pop()
            else:
                seen.add(below)
                stack.append((below, bits(order.waits[below] & steps)))
    return sequence


class _Modules:
    """A graph that is being taken apart.

    Elements are known by bit numbers of the precedence. `before` and `after` are what each element certainly follows
    and precedes; `place` is the group and the branch that it is in.
    """

    def __init__(self, order: Precedence, limit: int) -> None:
        count = len(order.ids)
        self.limit = limit
        self.lengths: dict[int, Lengths] = dict.fromkeys(range(count), ONE)
        self.place: dict[int, _Place] = dict(enumerate(order.place))
        self.before: dict[int, int] = dict(enumerate(certain_order(order)))
        self.after: dict[int, int] = dict.fromkeys(range(count + len(order.branches)), 0)
        for step, mask in self.before.items():
            for other in bits(mask):
                self.after[other] |= 1 << step
        self.branches = {count + group: branches for group, branches in enumerate(order.branches)}
        self.groups = count
        self.top = order.start

    def orders(self) -> Lengths:
        """The numbers of orders of all that is there."""
        only = self._only()
        return orders(self._block(self.top), self.limit) if only is None else only

    def total(self) -> int:
        """The number of orders of all that is there."""
        only = self._only()
        return total_orders(self._block(self.top), self.limit) if only is None else sum(only.values())

    def _only(self) -> Lengths | None:
        """The numbers of orders where one element is all that is there."""
        return self.lengths.get(self.top.bit_length() - 1) if self.top & self.top - 1 == 0 else None

    def merge_alike(self) -> bool:
        """Make one element of those that follow the same and precede the same: they interleave at will."""
        alike: dict[tuple[_Place, int, int], list[int]] = {}
        for unit in self.lengths:
            alike.setdefault((self.place[unit], self.before[unit], self.after[unit]), []).append(unit)
        found = [units for units in alike.values() if len(units) > 1]
        for kept, *rest in found:
            for unit in rest:
                self.lengths[kept] = shuffled(self.lengths[kept], self.lengths[unit])
                self._drop(unit)
        return bool(found)

    def merge_series(self) -> bool:
        """Make one element of two that nothing comes between and nothing tells apart otherwise."""
        firsts: dict[tuple[_Place, int, int], int] = {}
        for unit in self.lengths:
            firsts[self._as_first(unit)] = unit
        found = False
        for unit in sorted(self.lengths, key=lambda unit: self.before[unit].bit_count()):
            # The second of two in series follows the first and all that this one follows, and the first precedes the
            # second and all that this one precedes: the keys are equal exactly where nothing is between or beside them.
            key = (self.place[unit], self.before[unit], self.after[unit] | 1 << unit)
            first = firsts.get(key)
            if first is None or first not in self.lengths or self._as_first(first) != key:
                continue
            self.lengths[first] = chained(self.lengths[first], self.lengths[unit])
            self._drop(unit)
            # Entered anew under what it now precedes, so that a chain of any length is one element after one round.
            firsts[self._as_first(first)] = first
            found = True
        return found

    def merge_groups(self) -> bool:
        """Make one element of a group whose branches are one element each, all seen alike."""
        found = False
        for flag, branches in list(self.branches.items()):
            units = [branch.bit_length() - 1 for branch in branches if branch & branch - 1 == 0]
            seen = {(self.before[unit], self.after[unit]) for unit in units}
            if len(units) != len(branches) or len(seen) > 1:
                continue
            lengths: Lengths = {}
            for unit in units:
                # One branch is chosen, so the numbers of orders add up.
                lengths = either(lengths, self.lengths[unit])
            self._replace(1 << flag, flag, None, lengths, *seen.pop())
            found = True
        return found

    def merge_blocks(self) -> bool:
        """Make one element of each of the smallest prime modules; False where there is none."""
        found = False
        for scope, place in self._scopes():
            modules = {module for seed in self._seeds(scope) if (module := self._module(seed, scope, place))}
            taken = 0
            for units in sorted(modules, key=int.bit_count):
                if not units & taken:
                    taken |= units
                    self._merge_block(units, place)
                    found = True
        return found

    def _merge_block(self, units: int, place: _Place) -> None:
        before, after = -1, -1
        for step in self._steps(units):
            before &= self.before[step]
            after &= self.after[step]
        lengths = orders(self._block(units), self.limit)
        self._replace(units, units.bit_length() - 1, place, lengths, before, after)

    def _replace(self, units: int, kept: int, place: _Place, lengths: Lengths, before: int, after: int) -> None:
        """Put one element, under the number of one of the units, in place of units that are a module."""
        # A group goes with its flag and with every step of its branches.
        gone = self._whole(units)
        for unit in list(bits(gone)):
            self._drop(unit)
        self.before[kept], self.after[kept] = before & ~gone, after & ~gone
        self.lengths[kept], self.place[kept] = lengths, place
        for unit in bits(self.before[kept]):
            self.after[unit] |= 1 << kept
        for unit in bits(self.after[kept]):
            self.before[unit] |= 1 << kept
        self._enter(kept, place)

    def _enter(self, unit: int, place: _Place) -> None:
        if place is None:
            self.top |= 1 << unit
            return
        flag = self.groups + place[0]
        branches = list(self.branches[flag])
        branches[place[1]] |= 1 << unit
        self.branches[flag] = tuple(branches)

    def _drop(self, unit: int) -> None:
        """Forget an element or a flag."""
        bit = 1 << unit
        for other in bits(self.after.pop(unit)):
            self.before[other] &= ~bit
        for other in bits(self.before.pop(unit, 0)):
            self.after[other] &= ~bit
        place = self.place.pop(unit, None)
        self.lengths.pop(unit, None)
        self.branches.pop(unit, None)
        if place is None:
            self.top &= ~bit
        elif (flag := self.groups + place[0]) in self.branches:
            self.branches[flag] = tuple(branch & ~bit for branch in self.branches[flag])

    def _as_first(self, unit: int) -> tuple[_Place, int, int]:
        return self.place[unit], self.before[unit] | 1 << unit, self.after[unit]

    def _scopes(self) -> Iterator[tuple[int, _Place]]:
        """The scopes in which modules are looked for: inside each branch, then outside groups, a group as one unit."""
        for flag, branches in list(self.branches.items()):
            for number, branch in enumerate(branches):
                yield branch, (flag - self.groups, number)
        yield self.top, None

    def _seeds(self, scope: int) -> Iterator[int]:
        """Units of which a smallest module holds some: a group, or two elements with nothing between them."""
        for unit in bits(scope):
            if unit in self.branches:
                yield 1 << unit
                continue
            close = self.before[unit] & self._whole(scope)
            for other in bits(close):
                # Direct predecessors only: a module that holds two ends of a chain holds what is between, too.
                close &= ~self.before.get(other, 0)
            for other in bits(close):
                yield 1 << unit | self._unit(other, scope)

    def _module(self, seed: int, scope: int, place: _Place) -> int:
        """The smallest module that holds some units of a scope; 0 if that is a single one or everything there is."""
        units = new = seed
        whole = 0
        any_before = any_after = 0
        all_before = all_after = -1
        while new:
            whole |= self._whole(new)
            for step in self._steps(new):
                any_before |= self.before[step]
                all_before &= self.before[step]
                any_after |= self.after[step]
                all_after &= self.after[step]
            # A step before or after some of them, but not all, distinguishes them, so the module must contain it.
            telling = (any_before & ~all_before | any_after & ~all_after) & ~whole
            new = 0
            for step in bits(telling):
                unit = self._unit(step, scope)
                if not unit:
                    return 0
                new |= unit
            units |= new
        return 0 if units & units - 1 == 0 or (place is None and units == self.top) else units

    def _unit(self, number: int, scope: int) -> int:
        """The unit of a scope that a step or a flag belongs to; 0 if it lies outside."""
        if scope >> number & 1:
            return 1 << number
        place = self.place.get(number)
        flag = 0 if place is None else 1 << self.groups + place[0]
        return flag & scope

    def _steps(self, units: int) -> Iterable[int]:
        """The elements of some units, those of all branches included."""
        for unit in bits(units):
            if unit in self.branches:
                for branch in self.branches[unit]:
                    yield from bits(branch)
            else:
                yield unit

    def _whole(self, units: int) -> int:
        """The bits of some units: elements, flags, and what is in the branches."""
        whole = units
        for unit in bits(units):
            for branch in self.branches.get(unit, ()):
                whole |= branch
        return whole

    def _block(self, units: int) -> GraphBlock:
        return GraphBlock(self.lengths, self.before, self.branches, units)
