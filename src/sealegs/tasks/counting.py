"""The exact number of solutions of a graph, found without listing them.

A graph of 200 steps can have more solutions than there are atoms; its count is still exact. The graph is taken apart
into modules (`modules`), each counted alone; a part that does not come apart is counted by dynamic programming over the
sets of steps that can be left (`downsets`), whose number grows with the width of such a block. Counting linear orders
is #P-complete in general (Brightwell and Winkler 1991), so a block that is both wide and without structure raises
`TooWide`.
"""

from __future__ import annotations

from collections.abc import Mapping

from sealegs.tasks.graph import Graph
from sealegs.tasks.modules import lengths_of, total_of
from sealegs.tasks.precedence import precedence

LIMIT = 500_000


def count_solutions(graph: Graph, *, limit: int = LIMIT) -> int:
    """The number of solutions: distinct sequences of calls that do every node, with no call too many.

    Args:
        graph: a valid graph.
        limit: the most numbers to hold for one block, one for each set of steps that can be left; the default takes
            seconds and some hundred megabytes at most.

    Raises:
        TooWide: a block takes more. Twenty steps of width eight stay far below the default.
    """
    order = precedence(graph)
    return total_of(order, limit) if order.ids else 1


def solutions_by_length(graph: Graph, *, limit: int = LIMIT) -> Mapping[int, int]:
    """The number of solutions of each length, in calls; arguments and errors as in `count_solutions`.

    A block takes one number for each set of steps left and each length, so it is too wide sooner.
    """
    order = precedence(graph)
    return dict(sorted(lengths_of(order, limit).items())) if order.ids else {0: 1}
