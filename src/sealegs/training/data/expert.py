"""The exact planner as a teacher by example: a valid solution in a drawn order, and a recovery that doubles nothing.

Before the failure it follows one of the valid solutions. After it, every call lowers c*, the fewest calls to the end,
except for the calls that cannot be spared without foresight:

- A failure that may pass is tried once more before its tool counts as broken; a way round one whose label says that it
  stays is taken at once.
- An action that failed may have been done. It is repeated where the tool declares that a repetition does no harm;
  before anything else is done about it, the history tool that shows it is read. What is listed as done is taken from
  there, what is listed in part is completed by the same call, and only what is not listed is repeated or replaced.
- A tool that takes an idempotency key gets one in some of the trajectories, and the same one again.
- Where no way to the end is left, all that does not depend on what is lost is done first.

An answer that looks like data is checked against what the tool declares. Advice in a message is followed where it asks
for another try; where it asks for a look that is needless, or is against a harmless repetition, the text says why not.
"""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any, Literal

from sealegs.agents import Briefing, Say, UseTool
from sealegs.agents.planners import Planner, look
from sealegs.agents.scripted_agent import parse_tool_message
from sealegs.scoring.task_progress import node_of
from sealegs.tasks import State, next_calls, recovery_cost
from sealegs.tasks.graph import Graph, Group, Step
from sealegs.tasks.precedence import precedence
from sealegs.training.data.bad_messages import (
    BadMessage,
    LookResult,
    Repetition,
    looked_up,
    repetition,
    strip_advice_note,
)
from sealegs.training.data.rest import still_possible

Doing = Literal[
    "continues",
    "tries again",
    "mends its call",
    "looks",
    "switches",
    "prepares",
    "continues elsewhere",
    "does the rest",
    "stops",
    "finishes",
]
CAUTIOUS = 0.5  # of the failures of an action that refuses duplicates, the share after which it looks before it repeats
KEYED = 0.5  # of the trajectories, the share in which tools that take an idempotency key get one
HEEDING = 0.7  # the same where a note asks for the look, whatever a repetition would do


class FirstDraw(random.Random):
    """Draws the first of everything."""

    def choice(self, seq: Any) -> Any:
        """The first."""
        return seq[0]

    def randrange(self, *_: Any) -> int:
        """0."""
        return 0

    def random(self) -> float:
        """0."""
        return 0.0

    def getrandbits(self, k: int, /) -> int:
        """0."""
        return 0


class Expert(Planner):
    """Walks a drawn solution until something fails, and recovers at the least cost that is safe.

    Args:
        briefing: the task and its tools.
        draw: the order of calls and the choice of branches.
        through: a step that the solution must call.
        hopeless: whether the failure that comes is known to stay.
        straight: whether the first of equally good calls is taken, in the graph's order, instead of a drawn one.

    Attributes:
        doing: what the last act was.
        wrong: the tool that failed first; empty before.
        trouble: the last bad message; None before.
        found: what the look that came just now showed; None where the last call was none.
        seen: what the last look showed.
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
        self._draw = FirstDraw() if straight else draw
        self._left = drawn_way(self.graph, self._draw, through)
        self._order = precedence(self.graph)
        self._hopeless = hopeless
        self.doing: Doing = "continues"
        self.wrong = ""
        self.trouble: BadMessage | None = None
        self.found: LookResult | None = None
        self.seen: LookResult | None = None
        self._open = False  # whether it is open if the call that failed last took effect
        self._slip = ""
        self._key = f"{self._draw.getrandbits(32):08x}" if self._draw.random() < KEYED else ""

    def use(self, step: Step) -> UseTool:
        """The call of a step, in some episodes with a key where its tool takes one; a repetition has the same."""
        made, spec = super().use(step), self.specs[step.tool]
        if not spec.key or not self._key:
            return made
        return UseTool(made.tool, {**made.arguments, spec.key: f"{step.tool}-{self._key}"})

    def state(self) -> State:
        """The state of the task; a way that was begun with an action is kept while it is open."""
        # A way whose action was done is kept: another way would do it again.
        begun = {id for id in self.answers if self._changes(id) and self._way_is_open(id)}
        return replace(super().state(), kept=frozenset(self.kept | begun))

    def _changes(self, id: str) -> bool:
        return self.specs[self.graph.steps[id].tool].effects is not False

    def _way_is_open(self, id: str) -> bool:
        home = self.graph.home.get(id)
        return home is not None and not any(step.tool in self.broken for step in home[1].steps)

    @property
    def tries(self) -> int:  # type: ignore[override]
        """Failures that break a tool: one if the failure is known to stay and no note suggests a retry, else two."""
        note = self.trouble.note if self.trouble is not None else None
        return 1 if self._hopeless and not (note and note.repeats) else 2

    @property
    def lasting(self) -> bool:
        """Whether the failure is known to stay, and no note says otherwise."""
        return self.tries == 1

    @property
    def recovered(self) -> bool:
        """Whether what failed is done, itself or in another way, or nothing has failed."""
        if not self.wrong or self.graph.step_of[self.wrong].id in self.answers:
            return True
        node = self.graph.by_id[node_of(self.graph.step_of[self.wrong], self.graph)]
        ways = [branch.steps for branch in node.branches] if isinstance(node, Group) else [(node,)]
        return any(all(step.id in self.answers for step in way) for way in ways)

    @property
    def again(self) -> Repetition:
        """The effect of a second call of the tool that failed last."""
        assert self.trouble is not None
        return repetition(self.trouble.spec, self.trouble.use.arguments)

    def act(self) -> UseTool | Say:
        """The next call of the drawn solution, a look, or a call of a cheapest way to the end."""
        # Without a failure every order of the drawn solution is right; after one, only the cheapest ways to the end
        # are.
        if not self.wrong:
            ready = [id for place, id in enumerate(self._order.ids) if self._order.after(self._left, place) >= 0]
            self.doing = "continues" if ready else "finishes"
            return self.use(self.graph.steps[self._draw.choice(ready)]) if ready else self.finished()
        calls = next_calls(self.graph, self.state())
        steps = [self.graph.steps[id] for id in calls]
        # Before any other step: what was done decides which steps are right.
        if self._open and self._should_look(steps):
            return self._look()
        if steps:
            return self.use(self._chosen(steps))
        if recovery_cost(self.graph, self.state()) == 0:
            self.doing = "finishes"
            return self.finished()
        rest = still_possible(self.graph, self.answers.keys(), self.broken)
        if rest:
            self.doing = "does the rest"
            return self.use(self.graph.steps[self._draw.choice(rest)])
        self.doing = "stops"
        return self.stopped(" ".join(f"{tool} {self.reasons[tool]}." for tool in sorted(self.broken)))

    def _should_look(self, steps: list[Step]) -> bool:
        """Return whether to check first if the call took effect: always, except before a harmless repetition."""
        assert self.trouble is not None
        if self.again == "acts" or not any(step.tool == self.trouble.use.tool for step in steps):
            return True
        note = self.trouble.note
        if note is not None and note.looks:
            return self._draw.random() < HEEDING
        return self.again == "refused" and self._draw.random() < CAUTIOUS

    def _look(self) -> UseTool:
        assert self.trouble is not None
        self.doing = "looks"
        return look(self.trouble.use, self.specs)

    def _chosen(self, steps: list[Step]) -> Step:
        """The step to do next: the failed tool again, else another of its group, else any."""
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
        if beside and not self.recovered:
            self.doing = "continues elsewhere" if self.doing in ("switches", "continues elsewhere") else "switches"
            return self._draw.choice(beside)
        self.doing = "continues" if self.recovered else "prepares"
        # Otherwise an action of the other branch could be done a second time.
        return self._draw.choice([step for step in steps if not self._leaves_begun(step)] or steps)

    def _leaves_begun(self, step: Step) -> bool:
        """Return whether a step is of another branch of its group than one that was begun and is open."""
        if step.id not in self.graph.home:
            return False
        group, own = self.graph.home[step.id]
        others = {one.id for branch in group.branches if branch is not own for one in branch.steps}
        return any(id in others and self._way_is_open(id) for id in self.answers)

    def observe(self, use: UseTool, text: str) -> None:
        """Keep a sound answer, also where a look shows it; remember what fails."""
        self.found = None
        if self.doing == "looks":
            self._observe_look(use, text)
            return
        super().observe(use, text)
        if use.tool in self.failures:
            spec, times = self.specs[use.tool], self.failures[use.tool]
            self.trouble = BadMessage(use, spec, parse_tool_message(text), times)
            self.wrong = self.wrong or use.tool
            self._open = spec.effects is not False and bool(spec.shown_by)
            return
        self._open = False
        if not self.wrong:  # after a failure the drawn solution no longer counts
            self._left = self._order.after(self._left, self._order.index[self.graph.step_of[use.tool].id])

    def problem(self, use: UseTool, text: str, data: object) -> str | None:
        """The problem of an answer, not counting advice beside it."""
        bare = strip_advice_note(data)
        # No answer reads so: what is known of an answer with its advice is not known of it alone.
        return super().problem(use, text if bare is data else f"without advice: {text}", bare)

    def _observe_look(self, use: UseTool, text: str) -> None:
        assert self.trouble is not None
        faulted = self.trouble.use
        self.found = self.seen = looked_up(use.tool, self.trouble.spec, faulted, parse_tool_message(text))
        self._open = False
        if self.found.status == "partial":  # the same call completes it, so the tool is not given up
            self.failures[faulted.tool] = 0
        if self.found.status == "completed":
            self.keep(self.graph.step_of[faulted.tool].id, self.found.entry["result"])
            self.failures.pop(faulted.tool, None)

    def slipped(self, use: UseTool, made: UseTool, text: str) -> None:
        """Note that the intended call was made wrongly, with this outcome: it is still to be made."""
        self.wrong = self._slip = use.tool
        self.trouble = BadMessage(made, self.specs[use.tool], parse_tool_message(text))


def drawn_way(graph: Graph, draw: random.Random, through: Step | None) -> int:
    """The open work of one solution, as a mask: a branch is drawn for each group, but leads through `through`."""
    order = precedence(graph)
    left = order.start
    for number, group in enumerate(graph.groups):
        branch = draw.randrange(len(group.branches))
        if through is not None and through.id in graph.home and graph.home[through.id][0] is group:
            branch = group.branches.index(graph.home[through.id][1])
        left = left ^ order.flag(number) | order.branches[number][branch]
    return left
