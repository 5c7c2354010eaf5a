"""The shape of a graph before its tools are known: how many nodes, which are groups, who reads whom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

SMALL = ("1-to-1", "1-to-n")
LARGE = ("n-to-n",)
SIZES = {
    "C1": ((5, 6, 7), (7, 2, 1)),
    "C2": ((5, 6, 7), (6, 3, 1)),
    "C3": ((5, 6, 7), (6, 3, 1)),
    "C4": ((8, 9, 10), (4, 4, 2)),
}


@dataclass(frozen=True, slots=True)
class Place:
    """One node to come.

    Attributes:
        kinds: the kinds of alternative group that it may be; none for a single step.
        after: the place whose node it must take a value from; None for any.
        apart: places from which nothing may be taken, directly or not.
    """

    kinds: tuple[str, ...] = ()
    after: int | None = None
    apart: tuple[int, ...] = ()


def plan(level: str, draw: Random) -> tuple[Place, ...]:
    """A random shape of a level: C1 a line, C2 and C3 with one group, C4 with two or three, two of them parallel."""
    sizes, weights = SIZES[level]
    size = draw.choices(sizes, weights)[0]
    if level == "C1":
        return tuple(Place(after=number - 1 if number else None) for number in range(size))
    if level != "C4":
        kinds, where = (SMALL if level == "C2" else LARGE), draw.randrange(1, size - 1)
        return tuple(_around(number, {where: kinds}) for number in range(size))
    count = draw.choices((2, 3), (4, 6))[0]
    wheres = [1, 3, 5][:count] if size < 9 or draw.random() < 0.5 else [1, 3, 6][:count]
    groups = dict.fromkeys(wheres, SMALL + LARGE)
    places = [_around(number, groups) for number in range(size)]
    places[wheres[1]] = Place(kinds=groups[wheres[1]], apart=(wheres[0],))
    return tuple(places)


def _around(number: int, groups: Mapping[int, tuple[str, ...]]) -> Place:
    """The place at a number: a group, the reader of the group before it, or any step."""
    if number in groups:
        return Place(kinds=groups[number])
    return Place(after=number - 1 if number - 1 in groups else None)
