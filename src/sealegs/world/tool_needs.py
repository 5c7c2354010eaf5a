"""Needs that the tools of a corpus have of the user and of each other, for all tools at once: arrays of numpy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sealegs.world.supply import Supply

Array = NDArray[np.float64]
Places = NDArray[np.int_]


@dataclass(frozen=True)
class ToolNeeds:
    """Every required parameter, and who supplies it how well. Below, `given` holds a number for every parameter.

    Attributes:
        parameter: the place of each need's parameter.
        tool: of its tool.
        supplied: which needs some tool supplies.
        chosen: whether the value of each of those is chosen from a list.
        counts: how many tools supply each of those.
        supplier: the tool that supplies, one need after the other.
        fit: how well.
        squared: its square.
    """

    parameter: Places
    tool: Places
    supplied: Places
    chosen: NDArray[np.bool_]
    counts: Places
    supplier: Places
    fit: Array
    squared: Array

    def able(self, likely: Sequence[float], given: Sequence[float]) -> list[float]:
        """The degree to which each tool's worst-met need is met, by the user or by a likely tool."""
        sure = np.array(given)[self.parameter]
        answered = self._most(self.fit * np.array(likely)[self.supplier])
        sure[self.supplied] = np.maximum(sure[self.supplied], answered)
        return [float(met) for met in self._worst(sure, len(likely))]

    def wanted(self, worths: Sequence[float], given: Sequence[float], unready: float) -> list[float]:
        """The demand of other tools for each tool's answer, largest where the user gives the values that it asks for.

        Args:
            worths: for each tool, the weight of its needs.
            given: for each parameter, the certainty that the user gives it.
            unready: the weight of a supplier for which the user gives nothing.
        """
        sure = np.array(given)[self.parameter]
        ready = self._worst(sure, len(worths))
        fits = self.squared * (unready + ready[self.supplier])
        worth = (np.array(worths)[self.tool] * (1 - sure))[self.supplied] / self._most(fits)
        worth[self.chosen] = 0.0  # the request lets the value be chosen: nobody has to supply it
        wanted = np.zeros(len(worths))
        np.maximum.at(wanted, self.supplier, np.repeat(worth, self.counts) * fits)
        return [float(want) for want in wanted]

    def _most(self, by_supplier: Array) -> Array:
        """The highest number among the suppliers of each need that is supplied."""
        starts = np.cumsum(self.counts) - self.counts
        return np.maximum.reduceat(by_supplier, starts) if len(starts) else by_supplier

    def _worst(self, by_need: Array, tools: int) -> Array:
        """The lowest number among the needs of each tool; 1 for a tool that needs nothing."""
        lowest = np.ones(tools)
        np.minimum.at(lowest, self.tool, by_need)
        return lowest


def needs_of(supply: Supply, place: Mapping[str, int]) -> ToolNeeds:
    """The needs of a corpus's tools, where each tool has a place."""
    needs = [
        (at, parameter, suppliers)
        for at, (parameter, suppliers) in enumerate(zip(supply.parameters, supply.suppliers))
        if parameter.required
    ]
    supplied = [number for number, (_, _, suppliers) in enumerate(needs) if suppliers]
    fits = [(place[tool], fit) for number in supplied for tool, fit in needs[number][2].items()]
    return ToolNeeds(
        parameter=np.array([at for at, _, _ in needs], int),
        tool=np.array([place[parameter.tool] for _, parameter, _ in needs], int),
        supplied=np.array(supplied, int),
        chosen=np.array([needs[number][1].chosen for number in supplied], bool),
        counts=np.array([len(needs[number][2]) for number in supplied], int),
        supplier=np.array([tool for tool, _ in fits], int),
        fit=np.array([fit for _, fit in fits], float),
        # Worked out once here, because the search multiplies by it again and again.
        squared=np.array([fit**2 for _, fit in fits], float),
    )


class Spread:
    """Puts tools that are alike apart.

    Args:
        shares: for each tool how much of it every tool documents, itself 1; of two tools the mean of both ways counts.
        weight: what a score loses where a tool before it is the same.
    """

    def __init__(self, shares: Sequence[Sequence[float]], weight: float) -> None:
        found = np.array(shares)
        self._alike: Array = (found + found.T) / 2
        self._weight = weight

    def order(self, scores: Sequence[float]) -> Iterator[int]:
        """Places of the tools, best first, each less by how much it is like the likest one before it."""
        left = np.array(scores)
        like = np.zeros(len(scores))
        for _ in scores:
            best = int(np.argmax(left - self._weight * like))
            left[best] = -np.inf
            like = np.maximum(like, self._alike[best])
            yield best
