"""Agents that know one way through a task and walk it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sealegs.agents.scripted_agent import Briefing, Say, ScriptedAgent, UseTool, error_body, parse_tool_message
from sealegs.tasks import shortest_solution


class Naive(ScriptedAgent):
    """Walks the happy path once, believes every answer, errors included, and reports success."""

    def __init__(self, briefing: Briefing) -> None:
        super().__init__(briefing)
        self.path = [self.graph.steps[id] for id in shortest_solution(self.graph)]

    def act(self) -> UseTool | Say:
        """The next call of the path."""
        return self.use(self.path[len(self.answers)]) if len(self.answers) < len(self.path) else self.finished()

    def observe(self, use: UseTool, text: str) -> None:
        """Take whatever it says."""
        self.answers[self.graph.step_of[use.tool].id] = parse_tool_message(text)


class Retrier(Naive):
    """Walks the happy path, repeats a call that shows an error up to three times, believes everything else."""

    tries = 4

    def __init__(self, briefing: Briefing) -> None:
        super().__init__(briefing)
        self.failed = 0
        self.error: Mapping[str, Any] = {}

    def act(self) -> UseTool | Say:
        """The next call, the same call again, or an honest end."""
        if self.failed >= self.tries:
            tool = self.path[len(self.answers)].tool
            return self.stopped(f"{tool} failed {self.failed} times ({self.error.get('message')}).")
        return super().act()

    def observe(self, use: UseTool, text: str) -> None:
        """Count errors, take the rest."""
        error = error_body(parse_tool_message(text))
        if error is not None:
            self.failed, self.error = self.failed + 1, error
            return
        self.failed = 0
        super().observe(use, text)
