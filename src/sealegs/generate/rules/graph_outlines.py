"""The shape of a graph before its tools are known: how many nodes, which are groups, who reads whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import NamedTuple

SMALL = ("1-to-1", "1-to-n")
LARGE = ("n-to-n",)
THREE = 0.6  # how often C4 has a third group
SIZES = {
    "C1": ((5, 6, 7), (7, 2, 1)),
    "C2": ((5, 6, 7), (6, 3, 1)),
    "C3": ((5, 6, 7), (6, 3, 1)),
    "C4": ((8, 9, 10), (4, 4, 2)),
}


class GroupShape(NamedTuple):
    """The kind of an alternative group, and how many calls each of its branches has, the shortest first."""

    kind: str
    lengths: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class OutlineNode:
    """One planned node.

    Attributes:
        kinds: the kinds of alternative group that it may be; none for a single step.
        lengths: how many calls the ways of the group have, the shortest first; none for any.
        after: the place whose node it must take a value from; None for any.
        apart: the place from which nothing may be taken, directly or not; None for none.
        feeds: the place of a group that should be able to take a value from this one; None for none.
    """

    kinds: tuple[str, ...] = ()
    lengths: tuple[int, ...] = ()
    after: int | None = None
    apart: int | None = None
    feeds: int | None = None


def draw_graph_outline(level: str, draw: Random, *, small: bool = False) -> tuple[OutlineNode, ...]:
    """A random shape of a level: C1 a line, C2 and C3 with one group, C4 with two or three, two of them parallel.

    `small`: for a small domain, also with fewer nodes than the level has, and with a group as the last of them.
    """
    sizes, weights = SIZES[level]
    size = draw.choices(sizes, weights)[0]
    if small:
        # C4 needs two groups and a step that feeds them.
        size = draw.randrange(2 if level != "C4" else 3, size + 1)
    if small and level == "C4":
        # Nothing keeps the groups apart here: where one waits for the other, the attempt falls at `kind_problems`.
        return (OutlineNode(feeds=1), *[OutlineNode(SMALL + LARGE)] * 2, *[OutlineNode()] * (size - 3))
    if small and level != "C1":
        return _with_one_group(SMALL if level == "C2" else LARGE, draw.randrange(1, size), size)
    if level == "C1":
        return tuple(OutlineNode(after=number - 1 if number else None) for number in range(size))
    if level == "C4":
        return _parallel(size, third=draw.random() < THREE)
    # Never the first or the last: a group waits for something, and something waits for it (see `tasks.levels`).
    return _with_one_group(SMALL if level == "C2" else LARGE, draw.randrange(1, size - 1), size)


def draw_matched_outline(level: str, size: int, shapes: Sequence[GroupShape], draw: Random) -> tuple[OutlineNode, ...]:
    """A random shape of a level with this many nodes and these groups, in any order and at any places.

    Args:
        level: C1 to C4.
        size: nodes.
        shapes: of the groups; two or three at C4.
        draw: decides order and places.
    """
    if level == "C1":
        return tuple(OutlineNode(after=number - 1 if number else None) for number in range(size))
    if level == "C4":
        planned = _parallel(size, third=len(shapes) > 2)
    else:
        planned = _in_a_line(_apart(len(shapes), size, draw), size)
    left = draw.sample(list(shapes), len(shapes))
    return tuple(
        replace(place, kinds=(left[0].kind,), lengths=left.pop(0).lengths) if place.kinds else place
        for place in planned
    )


def _apart(count: int, size: int, draw: Random) -> tuple[int, ...]:
    """Places of so many groups, none of them first, last, or next to another."""
    extra = size - 2 * count - 1
    chosen = sorted(draw.choices(range(extra + 1), k=count))
    return tuple(1 + 2 * nth + more for nth, more in enumerate(chosen))


def _in_a_line(places: Sequence[int], size: int) -> tuple[OutlineNode, ...]:
    return tuple(
        OutlineNode(
            SMALL + LARGE if number in places else (),
            after=number - 1 if number - 1 in places else None,
            feeds=number + 1 if number + 1 in places else None,
        )
        for number in range(size)
    )


def _with_one_group(kinds: tuple[str, ...], where: int, size: int) -> tuple[OutlineNode, ...]:
    return tuple(
        OutlineNode(
            kinds if number == where else (), after=where if number == where + 1 else None, feeds=_feeds(number, where)
        )
        for number in range(size)
    )


def _feeds(number: int, where: int) -> int | None:
    return where if number == where - 1 else None


def _parallel(size: int, third: bool) -> tuple[OutlineNode, ...]:
    """Two groups beside each other behind two steps, each with a reader, and a third group behind these."""
    kinds = SMALL + LARGE
    places = [
        OutlineNode(feeds=2),
        OutlineNode(after=0, feeds=3),
        OutlineNode(kinds),
        OutlineNode(kinds, apart=2),
        OutlineNode(after=2),
        OutlineNode(after=3),
    ]
    if third:
        places = [*places[:-1], OutlineNode(after=3, feeds=6), OutlineNode(kinds), OutlineNode(after=6)]
    return (*places, *[OutlineNode()] * (size - len(places)))
