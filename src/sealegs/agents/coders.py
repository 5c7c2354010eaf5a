"""Scripted agents that answer questions with functions made from SQL.

They act by calls whose arguments are values or what an earlier call answered; whether that is done in code or in this
process does not concern them. What each of them knows:

- `oracle`: the known solutions. It takes them in turn, the shortest first, and passes over those that need a function
  that has failed. Where no known solution can be called it gives up at once.
- `naive`: the direct solution alone. It makes that call and reports whatever came of it, an error too.
- `planner` (in `seekers`): the question, and what search and documentation say.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sealegs.agents.scripted_agent import Say, UseTool, error_body, parse_tool_message
from sealegs.world.sql.function_library import Solution, SolutionStep

GIVEN_UP = "I could not find a way to the answer with these functions."


@dataclass(frozen=True, slots=True)
class Earlier:
    """An argument: what the call of this number answered, counted from 0 among all calls of the episode."""

    call: int


@dataclass(frozen=True)
class CoderTask:
    """The facts that a scripted agent may know.

    Attributes:
        question: in the user's words.
        hint: which data it is about, and what is wanted; empty where no hint is given.
        functions: documentation of those offered; None where they must be searched for.
        solutions: the known ones, for `oracle` and `naive` alone.
        callable: the functions of solutions that can be called at all, for `oracle` alone.
    """

    question: str
    functions: tuple[Mapping[str, Any], ...] | None = None
    solutions: tuple[Solution, ...] = ()
    callable: frozenset[str] = field(default_factory=frozenset)
    hint: str = ""


class Coder(ABC):
    """An agent that needs no model: `act` gives its next step, and `observe` takes the result."""

    def __init__(self, quest: CoderTask) -> None:
        self.quest = quest

    @abstractmethod
    def act(self) -> UseTool | Say:
        """The next call, whose arguments may be `Earlier`; or the final answer."""

    @abstractmethod
    def observe(self, use: UseTool, text: str) -> None:
        """Take what came of it: the answer as JSON, or an error."""


class OracleCoder(Coder):
    """Knows every known solution, and takes another where one is refused."""

    def __init__(self, quest: CoderTask) -> None:
        super().__init__(quest)
        self.failed: set[str] = set()
        self.answers: dict[str, tuple[int, Any]] = {}  # by function and arguments: the call's number, its answer
        self.made = 0

    def act(self) -> UseTool | Say:
        """The next call of the first solution that may still work."""
        for solution in sorted(self.quest.solutions, key=lambda one: len(one.steps)):
            if not self.failed & set(solution.functions) and self.quest.callable >= set(solution.functions):
                return self._next(solution)
        return Say(GIVEN_UP)

    def observe(self, use: UseTool, text: str) -> None:
        """Keep the answer, or never call the function again."""
        data = parse_tool_message(text)
        if error_body(data) is not None or isinstance(data, str):
            self.failed.add(use.tool)
        else:
            self.answers[_key(use)] = (self.made, data)
        self.made += 1

    def _next(self, solution: Solution) -> UseTool | Say:
        done: list[tuple[int, Any]] = []
        for step in solution.steps:
            use = _use(step, [number for number, _ in done])
            if _key(use) not in self.answers:
                return use
            done.append(self.answers[_key(use)])
        return Say(json.dumps(done[-1][1], ensure_ascii=False))


class NaiveCoder(Coder):
    """Makes the direct call and believes what it says."""

    def __init__(self, quest: CoderTask) -> None:
        super().__init__(quest)
        self.observed_text: str | None = None

    def act(self) -> UseTool | Say:
        """The direct call, then the answer."""
        return _use(self.quest.solutions[0].steps[0], []) if self.observed_text is None else Say(self.observed_text)

    def observe(self, use: UseTool, text: str) -> None:
        """Take whatever it says."""
        self.observed_text = text


def _use(step: SolutionStep, calls: list[int]) -> UseTool:
    """A step as a call, given the numbers of the calls before it in its solution."""
    arguments = {n: g.value if g.rows is None else Earlier(calls[g.rows]) for n, g in step.arguments.items()}
    return UseTool(step.function, arguments)


def _key(use: UseTool) -> str:
    return repr((use.tool, sorted(use.arguments.items())))
