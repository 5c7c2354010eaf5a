"""An episode of your own suite: its request, its tools, its faults, and what a success is."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from inspect import iscoroutinefunction, signature
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict

from sealegs.adapters.python.exceptions import failure_from_exception
from sealegs.engines.turns import ActingAgent
from sealegs.faults.call import Call, Effect, Failure, Outcome, Value, no_such_tool
from sealegs.faults.plan import Plan
from sealegs.faults.spec import ToolSpec
from sealegs.faults.user_error import UserError
from sealegs.inject import Clock, Session
from sealegs.scoring.suite_metrics import EpisodeResult
from sealegs.traces import Record, Recorder
from sealegs.traces.json_data import to_json_data

TOOL_TIMEOUT = 60.0
Enter = Callable[[str, str], None]  # enters an effect into the ledger: what was done, and to what


class ToolEpisode(BaseModel, ABC):
    """One task under one fault plan, as plain data: equal episodes are equal in everything.

    Attributes:
        task: the base task's id, which intervals cluster by.
        level: how hard it is, or what sort of task.
        mode: which faults it is played under.
        epoch: counts repetitions from 1.
        seed: decides what is drawn.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: str
    level: str
    mode: str
    epoch: int = 1
    seed: int = 0

    @property
    def id(self) -> str:
        """Its name, unique in a run."""
        return f"{self.task}/{self.mode}/{self.epoch}"

    @property
    def instructions(self) -> str:
        """The system prompt; none by default."""
        return ""

    @property
    @abstractmethod
    def request(self) -> str:
        """The user's request."""

    @property
    @abstractmethod
    def plan(self) -> Plan:
        """The faults; a plan without rules for none."""

    @property
    @abstractmethod
    def specs(self) -> Sequence[ToolSpec]:
        """The tools as the model reads them, with what is declared of them."""

    @abstractmethod
    def tools(self, enter: Enter) -> Mapping[str, Callable[..., Any]]:
        """The tools with their own state, by name.

        Args:
            enter: to be called for every effect, at the moment it happens; the judge believes this ledger alone.
        """

    @abstractmethod
    def problem(self, record: Record) -> str:
        """The problem with the agent's work, in a sentence; empty for a success."""


def case_text(case: ToolEpisode) -> str:
    """The text that tells an episode from those of other tasks: request, faults, and the tools as models read them."""
    return json.dumps(
        [
            case.model_dump(mode="json", exclude={"epoch"}),
            case.instructions,
            case.request,
            case.plan.digest(),
            [(spec.name, spec.description, spec.parameters) for spec in case.specs],
        ],
        sort_keys=True,
        default=str,
    )


class LedgeredTools:
    """The tools of an episode, whose effects are in the record's ledger under the call that had them."""

    def __init__(self, episode: ToolEpisode, recorder: Recorder) -> None:
        self._recorder = recorder
        self._call = ""
        self._tools = episode.tools(self._enter)
        if waiting := [name for name, tool in self._tools.items() if iscoroutinefunction(tool)]:
            raise UserError(f"the tool {waiting[0]} is async; tools of a suite are plain functions")

    def run(self, call: Call) -> Outcome:
        """Run a tool; what it raises is its failure."""
        tool = self._tools.get(call.tool)
        if tool is None:
            return no_such_tool(call)
        self._call = call.id
        # Before the call: a TypeError from within the tool is a failure of its own, not one of wrong arguments.
        try:
            signature(tool).bind(**call.arguments)
        except TypeError as error:
            return Failure(f"{call.tool}: {error}", type="InvalidArguments", status=422)
        try:
            return Value(to_json_data(tool(**call.arguments)))
        except UserError:  # a mistake of the suite's author, as `_enter` finds it, and no answer to an agent
            raise
        except Exception as error:
            return failure_from_exception(error)

    def _enter(self, action: str, subject: str) -> None:
        if not self._call:
            raise UserError("`enter` was called while the tools were made; an effect belongs to a call")
        if not (isinstance(action, str) and isinstance(subject, str)):
            raise UserError(f"`enter` takes two texts, not {action!r} and {subject!r}")
        self._recorder.effect(Effect(action, subject, {}, self._call))


def open_session(episode: ToolEpisode, clock: Clock, recorder: Recorder) -> Session:
    """The seam of an episode."""
    return Session(
        episode.plan, episode=episode.id, specs=episode.specs, clock=clock, timeout=TOOL_TIMEOUT, watcher=recorder
    )


class JudgingSuite(Protocol):
    """The parts of a suite of such episodes that a solver and a scorer use."""

    @property
    def name(self) -> str:
        """The suite's name on the command line."""

    @property
    def version(self) -> str:
        """The version of tasks, tools and faults."""

    @property
    def agents(self) -> Mapping[str, Callable[[Any], ActingAgent]]:
        """Makers of its scripted agents, by name."""

    def episode_from(self, facts: Any) -> ToolEpisode:
        """The episode that these facts are of."""

    def facts(self, episode: ToolEpisode, who: Mapping[str, Any]) -> dict[str, Any]:
        """The facts that a record notes of an episode when it begins."""

    def judge(self, episode: ToolEpisode, record: Record) -> EpisodeResult:
        """Judge an episode by its record."""
