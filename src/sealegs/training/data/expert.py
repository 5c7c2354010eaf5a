"""The exact planner as a teacher by example: a valid solution in a drawn order, and the cheapest recovery there is.

Before the failure it walks one of all valid solutions. After it, every call lowers c*, the fewest calls to the end. It
reads a failure as its label says: one that stays is gone round at once, any other is tried once more before its tool
counts as broken. So where a failure that may pass stays, it spends one call more than foresight would; nobody could
know. An answer that looks like data is checked against what the tool declares.
"""

from __future__ import annotations

import random
from typing import Any, Literal

from sealegs.agents import Briefing, Say, Use
from sealegs.agents.planners import Planner
from sealegs.scoring.course import node_of
from sealegs.tasks import next_calls, recovery_cost
from sealegs.tasks.graph import Graph, Group, Step
from sealegs.tasks.precedence import precedence

Doing = Literal[
    "goes on", "tries again", "mends its call", "switches", "prepares", "goes on elsewhere", "stops", "finishes"
]


class First(random.Random):
    """Draws the first of everything."""

    def choice(self, seq: Any) -> Any:
        """The first."""
        return seq[0]

    def randrange(self, *_: Any) -> int:
        """0."""
        return 0


class Expert(Planner):
    """Walks a drawn solution until something fails, and recovers at the least cost.

    Args:
        briefing: the task and its tools.
        draw: the order of calls and the choice of branches.
        through: a step that the solution must call.
        hopeless: whether the failure that comes is known to stay.
        straight: whether the first of equally good calls is taken, in the graph's order, instead of a drawn one.

    Attributes:
        doing: what the last act was.
        wrong: the tool that failed first; empty before.
    """

    def __init__(
        self,
        briefing: Briefing,
        draw: random.Random,
        through: Step | None,
        *,
        hopeless: bool,
        straight: bool = False,
    ) -> None:
        super().__init__(briefing)
        self._draw = First() if straight else draw
        self._left = drawn_way(self.graph, self._draw, through)
        self._order = precedence(self.graph)
        self.tries = 1 if hopeless else 2
        self.doing: Doing = "goes on"
        self.wrong = ""
        self._slip = ""

    @property
    def mended(self) -> bool:
        """Whether what failed is done, itself or in another way, or nothing has failed."""
        if not self.wrong or self.graph.step_of[self.wrong].id in self.answers:
            return True
        node = self.graph.by_id[node_of(self.graph.step_of[self.wrong], self.graph)]
        ways = [branch.steps for branch in node.branches] if isinstance(node, Group) else [(node,)]
        return any(all(step.id in self.answers for step in way) for way in ways)

    def act(self) -> Use | Say:
        """The next call of the drawn solution, or of a cheapest way to the end."""
        if not self.wrong:
            ready = [id for place, id in enumerate(self._order.ids) if self._order.after(self._left, place) >= 0]
            self.doing = "goes on" if ready else "finishes"
            return self.use(self.graph.steps[self._draw.choice(ready)]) if ready else self.finished()
        calls = next_calls(self.graph, self.state())
        if calls:
            return self.use(self._chosen([self.graph.steps[id] for id in calls]))
        if recovery_cost(self.graph, self.state()) == 0:
            self.doing = "finishes"
            return self.finished()
        self.doing = "stops"
        return self.stopped(" ".join(f"{tool} {self.reasons[tool]}." for tool in sorted(self.broken)))

    def _chosen(self, steps: list[Step]) -> Step:
        """What failed comes first: the same tool again, else another of its group, else any."""
        again = [step for step in steps if step.tool in self.failures]
        home = node_of(self.graph.step_of[self.wrong], self.graph)
        beside = [step for step in steps if node_of(step, self.graph) == home]
        meant = [step for step in steps if step.tool == self._slip]
        if meant:
            self.doing, self._slip = "mends its call", ""
            return meant[0]
        if again:
            self.doing = "tries again"
            return again[0]
        if beside and not self.mended:
            self.doing = "goes on elsewhere" if self.doing in ("switches", "goes on elsewhere") else "switches"
            return self._draw.choice(beside)
        self.doing = "goes on" if self.mended else "prepares"
        return self._draw.choice(steps)

    def observe(self, use: Use, text: str) -> None:
        """Keep a sound answer; remember what fails."""
        super().observe(use, text)
        if use.tool in self.failures:
            self.wrong = self.wrong or use.tool
        elif not self.wrong:
            self._left = self._order.after(self._left, self._order.index[self.graph.step_of[use.tool].id])

    def slipped(self, use: Use) -> None:
        """The call that was meant has been made wrongly: it is still to be made."""
        self.wrong = self._slip = use.tool


def drawn_way(graph: Graph, draw: random.Random, through: Step | None) -> int:
    """What is left to do of one solution, as a mask: a branch is drawn for each group, but leads through `through`."""
    order = precedence(graph)
    left = order.start
    for number, group in enumerate(graph.groups):
        branch = draw.randrange(len(group.branches))
        if through is not None and through.id in graph.home and graph.home[through.id][0] is group:
            branch = group.branches.index(graph.home[through.id][1])
        left = left ^ order.flag(number) | order.branches[number][branch]
    return left
