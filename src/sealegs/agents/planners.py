"""Agents that know a task's graph and plan over it after every answer."""

from __future__ import annotations

from sealegs.agents.scripted import Briefing, Say, ScriptedAgent, Use, error_of, parsed
from sealegs.tasks import Persistence, State, next_calls, recovery_cost


class Planner(ScriptedAgent):
    """Knows the graph, not the faults.

    It checks every answer against what the tool declares, tries a failing tool once more, then counts it as broken and
    takes another way, and stops when there is none.
    """

    tries = 2

    def __init__(self, briefing: Briefing) -> None:
        super().__init__(briefing)
        self.specs = briefing.specs
        self.failures: dict[str, int] = {}
        self.reasons: dict[str, str] = {}

    @property
    def broken(self) -> frozenset[str]:
        """Tools that failed too often."""
        return frozenset(tool for tool, count in self.failures.items() if count >= self.tries)

    def state(self) -> State:
        """Where the task stands."""
        return State(done=frozenset(self.answers), broken=self.broken)

    def act(self) -> Use | Say:
        """The first call of a shortest way to the end."""
        calls = next_calls(self.graph, self.state())
        if calls:
            again = [id for id in calls if self.graph.steps[id].tool in self.failures]
            return self.use(self.graph.steps[(again or calls)[0]])
        if recovery_cost(self.graph, self.state()) == 0:
            return self.finished()
        return self.stopped(" ".join(f"{tool} {self.reasons[tool]}." for tool in sorted(self.broken)))

    def observe(self, use: Use, text: str) -> None:
        """Keep a sound answer; count anything else as a failure of the tool."""
        data = parsed(text)
        problem = self.problem(use, data)
        if problem is None:
            self.answers[self.graph.step_of[use.tool].id] = data
            self.failures.pop(use.tool, None)
        else:
            self.failures[use.tool] = self.failures.get(use.tool, 0) + 1
            self.reasons[use.tool] = problem

    def problem(self, use: Use, data: object) -> str | None:
        """What is wrong with an answer, as far as one can see."""
        error = error_of(data)
        if error is not None:
            return f"failed with {error.get('status', error.get('type'))}: {error.get('message')}"
        found = self.specs[use.tool].violations(use.arguments, data)
        return f"gave an answer that cannot be right ({found[0].reason})" if found else None


class Oracle(Planner):
    """Knows the graph and where the faults strike, and plays optimally against them."""

    tries = 1

    def __init__(self, briefing: Briefing) -> None:
        super().__init__(briefing)
        self.pending = dict(briefing.slots)

    def state(self) -> State:
        """Where the task stands, with the faults that are still to come.

        A step that will fail for good cannot be planned around, so the way goes up to it as if it would recover.
        """
        ahead: dict[str, Persistence] = {
            id: kind if self.graph.by_id[id] in self.graph.groups else "transient" for id, kind in self.pending.items()
        }
        return State(done=frozenset(self.answers), broken=self.broken, pending=ahead)

    def observe(self, use: Use, text: str) -> None:
        """A first touch is known to have failed, whatever it shows; every other answer is known to be right."""
        step = self.graph.step_of[use.tool]
        slot = self.graph.home[step.id][0].id if step.id in self.graph.home else step.id
        persistence = self.pending.pop(slot, None)
        if persistence is None:
            self.answers[step.id] = parsed(text)
        elif persistence == "permanent":
            self.failures[use.tool] = self.tries
            self.reasons[use.tool] = "will not work again"
