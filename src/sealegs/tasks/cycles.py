"""Cycles of a graph: steps that wait for one another.

Only a cycle that some choice of branches really has counts: where two branches of one group give different exports to
different steps, following all branches at once can go round in a circle that no choice closes. Such a graph is good.
"""

from __future__ import annotations

from collections.abc import Mapping, Set

Waits = Mapping[str, Set[str]]
Places = Mapping[str, tuple[str, int]]


def cycles(waits: Waits, places: Places) -> list[tuple[str, ...]]:
    """One cycle from each set of steps that wait for one another; a cycle's steps in the order that they would run.

    The search is exact. It tries choices of branches only where all branches together go round in a circle.

    Args:
        waits: for each step, the steps that it waits for in some choice of branches.
        places: for each step in a group, the group's id and its branch's number.
    """
    return [cycle for knot in _knots(waits) if (cycle := _cycle(knot, places))]


def _cycle(waits: Waits, places: Places) -> tuple[str, ...]:
    """A cycle within a knot that uses at most one branch of each group; empty where there is none."""
    candidate = _circle(waits)
    branches: dict[str, set[int]] = {}
    for step in candidate:
        if step in places:
            group, branch = places[step]
            branches.setdefault(group, set()).add(branch)
    # A circle through two branches of one group is none: only one of them is ever chosen.
    mixed = next((group for group, used in branches.items() if len(used) > 1), None)
    if mixed is None:
        return candidate
    # A real cycle keeps to one branch of this group, so each is tried alone. That leaves fewer branches, so it ends.
    for number in sorted({branch for group, branch in places.values() if group == mixed}):
        kept = [step for step in waits if step not in places or places[step][0] != mixed or places[step][1] == number]
        for knot in _knots({step: waits[step] & set(kept) for step in kept}):
            if cycle := _cycle(knot, places):
                return cycle
    return ()


def _circle(knot: Waits) -> tuple[str, ...]:
    """A shortest circle through the first step of a knot."""
    first = next(iter(knot))
    follower: dict[str, str] = {}
    edge = [first]
    while first not in follower:
        nearer = []
        for step in edge:
            # Sorted: a set of texts has another order in each process, and the same circle is to be named.
            for other in sorted(knot[step]):
                if other not in follower:
                    follower[other] = step
                    nearer.append(other)
        edge = nearer
    circle = [first]
    while (step := follower[circle[-1]]) != first:
        circle.append(step)
    return tuple(circle)


def _knots(waits: Waits) -> list[dict[str, set[str]]]:
    """The sets of steps that wait for one another (the strongly connected components that hold a cycle)."""
    left = _tied(waits)
    knots = []
    while left:
        first = next(iter(left))
        before = _reached(first, left)
        after = _reached(first, _turned(left))
        knot = before & after
        if knot:
            knots.append({step: found & knot for step, found in left.items() if step in knot})
        # Without a knot it is the step alone that goes: it is on no circle.
        gone = knot | {first}
        left = _tied({step: found - gone for step, found in left.items() if step not in gone})
    return knots


def _tied(waits: Waits) -> dict[str, set[str]]:
    """The steps left when those that wait for nothing, or that nothing waits for, are taken away again and again."""
    left = {step: set(found) for step, found in waits.items()}
    # Turned twice: first those that wait for nothing go, then, on the graph turned round, those that nothing waits for.
    for _ in range(2):
        back = _turned(left)
        free = [step for step, found in left.items() if not found]
        while free:
            step = free.pop()
            del left[step]
            for other in back[step]:
                left[other].discard(step)
                if not left[other]:
                    free.append(other)
        left = _turned(left)
    return left


def _turned(waits: Waits) -> dict[str, set[str]]:
    turned: dict[str, set[str]] = {step: set() for step in waits}
    for step, found in waits.items():
        for other in found:
            turned[other].add(step)
    return turned


def _reached(first: str, waits: Waits) -> set[str]:
    """The steps that one leads to, itself only over a circle."""
    found: set[str] = set()
    edge = [first]
    while edge:
        new = waits[edge.pop()] - found
        found |= new
        edge += new
    return found
