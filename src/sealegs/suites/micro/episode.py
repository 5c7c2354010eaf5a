"""One episode: a workload, a plan, a model; what was returned, shown, struck and answered.

`play_micro_episode` takes and gives plain data, so that a separate process can be sent the work and return the
result. Time is real: a hang hangs until the process is ended from outside, and its record, written as it happens,
tells the rest. Faults strike either in this process, between the agent and LangChain's tools, or at level `mcp` in
`sealegs proxy`, between an MCP client and a server in processes of their own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import AsyncExitStack, closing
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sealegs.faults.plan import Plan
from sealegs.faults.plan_files import plan_from
from sealegs.faults.spec import ToolSpec
from sealegs.faults.user_error import UserError
from sealegs.inject import RealClock, Session
from sealegs.scoring.attribution import MODEL_ENDS
from sealegs.suites.micro.agent import SCRIPTED, chat_model, model_mistake, react_agent
from sealegs.suites.micro.chat_ends import UNREAD, chat_end, error_end, outside_words
from sealegs.suites.micro.episode_summary import read_live, summarize_calls
from sealegs.suites.micro.tools import Toolbox
from sealegs.suites.micro.workloads import Workload, load_workloads, workloads_edition
from sealegs.tasks.editions import edition_facts
from sealegs.traces import EpisodeEnded, Event, Recorder
from sealegs.traces.episode_file import EpisodeFiles
from sealegs.traces.record import OUTSIDE

LEVELS = ("python", "mcp")
BOUNDARIES = ("outer", "inner")
ENDS = ("answered", *MODEL_ENDS)


class Payload(BaseModel):
    """The parts of which an episode is made."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    workload: str = Field(description="A name in `workloads.load_workloads()`.")
    model: str = Field(description="`scripted/oracle`, ..., or `PROVIDER:MODEL`.")
    plan: dict[str, Any] | None = Field(default=None, description="The fault plan as data; None for no faults.")
    seed: int = Field(
        default=0, description="Kept in the record; the plan has its own, and a model takes one under `settings`."
    )
    level: Literal["python", "mcp"] = "python"
    boundary: Literal["", "outer", "inner"] = Field(default="", description="Where faults strike with two agents.")
    errors: Literal["shown", "raised"] = Field(
        default="shown", description="Whether the model is shown a tool's failure, or the run ends at it."
    )
    record: str | None = Field(default=None, description="A file that is written during the episode (JSONL).")
    episode: str = Field(default="", description="Part of the key of every random decision.")
    settings: dict[str, Any] = Field(default_factory=dict, description="Further arguments of `init_chat_model`.")
    max_steps: int = Field(default=25, ge=1, description="Turns of the model after which an agent is stopped.")


def play_micro_episode(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Play one episode.

    Args:
        payload: see `Payload`.

    Returns:
        `answer`, `ended` (`answered`, `error`, `step limit`, `outside` for what was neither agent nor tools, or how the
        model ended it: `refused`, `filtered`, `overflow`, `length`, `empty`, `malformed`), `error`, `calls`, `strikes`,
        `exposed`, `steps` (turns of the models), `seconds`, `first_call_seconds`; the last two from the moment that
        `play_micro_episode` was called.

    Raises:
        UserError: the payload cannot be used.
    """
    given = read_payload(payload)
    if find_spec("langchain") is None:
        raise UserError('the agents of micro are LangChain\'s, which is not installed; pip install "sealegs[micro]"')
    try:
        if given.record is not None:
            Path(given.record).unlink(missing_ok=True)  # of an episode that was cut off with its launcher
        return asyncio.run(_Episode(given, load_workloads()[given.workload]).play())
    except OSError as error:  # ours: what an agent or its framework raises ends in `_answered`
        return _outside_end(f"no file, pipe or process could be made for the run: {error}")


def prepare() -> None:
    """Load all that an episode at level `python` needs, so that a fork of this process begins at once.

    Plays one without faults, which also builds the tools' indexes. Starts no thread that lives on.
    """
    import sealegs.suites.micro.pair  # noqa: F401

    load_workloads()
    play_micro_episode({"workload": "trivia", "model": "scripted/naive"})
    Toolbox().search("warm")


def read_payload(payload: Mapping[str, Any]) -> Payload:
    """The payload, checked as a whole.

    Raises:
        UserError: it cannot be used; the message names every mistake.
    """
    try:
        given = Payload.model_validate(dict(payload))
    except ValidationError as error:
        mistakes = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}, not {one['input']!r}" for one in error.errors()]
        raise UserError("\n".join(mistakes)) from None
    workload = load_workloads().get(given.workload)
    if workload is None:
        raise UserError(f"unknown workload {given.workload!r}; choose from {', '.join(load_workloads())}")
    if workload.paired != bool(given.boundary):
        which = "name a boundary, outer or inner" if workload.paired else "it has one agent: leave the boundary out"
        raise UserError(f"{workload.name} with boundary {given.boundary!r} cannot be played; {which}")
    if workload.paired and given.level == "mcp":
        raise UserError(f"{workload.name} has two agents, which cannot be played at level mcp; play it at level python")
    if given.errors == "raised" and given.level == "mcp":
        raise UserError("an MCP server's failures are always shown; leave errors='raised' out at level mcp")
    if wrong := model_mistake(given.model):
        what, _, remedy = wrong.partition(". ")
        raise UserError(f"the model {given.model!r} {what}; {remedy}")
    if given.plan is not None:
        # For its mistakes alone: `_Episode` makes the plan anew.
        plan_from(given.plan)
    return given


@dataclass
class _Progress:
    """The counts and marks that are kept while the agents work."""

    steps: int = 0
    first_call: float | None = None
    failed: BaseException | None = None  # what a model's provider failed with
    replied: bool = True  # whether the last reply holds a message


class _Episode:
    def __init__(self, payload: Payload, workload: Workload) -> None:
        self._payload = payload
        self._workload = workload
        self._clock = RealClock()
        self._progress = _Progress()
        self._plan = Plan(name="none") if payload.plan is None else plan_from(payload.plan)
        self._name = payload.episode or payload.workload

    async def play(self) -> dict[str, Any]:
        if self._payload.level == "mcp":
            return await self._over_mcp()
        trace = None if self._payload.record is None else Path(self._payload.record)
        if trace is not None:
            trace.parent.mkdir(parents=True, exist_ok=True)
        # Written as it happens: a process that hangs is killed from outside, and this file is all that remains.
        with closing(EpisodeFiles(None, trace)) as files:
            recorder = Recorder(self._clock, files.write)
            recorder.start(self._name, self._about())
            answer, ended, error = await self._at_python(recorder)
            recorder.note({OUTSIDE: error} if ended == OUTSIDE else {})
            outcome = {"step limit": "steps", UNREAD: "empty"}.get(ended, ended)
            reason: Any = outcome if outcome in (*ENDS, "steps") else "crashed"
            recorder.finish(reason, answer=answer, detail=error)
        if files.failed is not None:
            return _outside_end(str(files.failed))
        return self._result(answer, ended, error, recorder.events)

    async def _at_python(self, recorder: Recorder) -> tuple[str | None, str, str]:
        workload, payload = self._workload, self._payload
        tools, raised = _local(workload), payload.errors == "raised"
        if workload.paired:
            from sealegs.suites.micro.pair import paired_agent

            agent = paired_agent(workload, self._model, self._session, recorder, tools, payload.boundary, raised)
        else:
            session = self._session(workload.tools, recorder, True)
            agent = react_agent(self._model(False), tools, session, raised)
        return await self._answered(agent)

    def _session(self, tools: tuple[str, ...], watcher: Any, armed: bool, **more: Any) -> Session:
        plan = self._plan if armed else Plan(name="none")
        specs = [ToolSpec(name, tags=frozenset({"read_only"}), effects=False) for name in tools]
        return Session(plan, episode=self._name, specs=specs, clock=self._clock, watcher=watcher, **more)

    def _model(self, inner: bool) -> Any:
        return chat_model(self._payload.model, self._workload, inner=inner, settings=self._payload.settings)

    async def _answered(self, agent: Any) -> tuple[str | None, str, str]:
        """The agent's final words, how the run ended, and its error."""
        from langgraph.errors import GraphRecursionError

        from sealegs.suites.micro.turn_counter import TurnCounter

        config = {
            # LangGraph counts the model and the tools as one step each.
            "recursion_limit": 2 * self._payload.max_steps,
            "callbacks": [TurnCounter(self._progress, self._clock)],
        }
        inputs = {"messages": [{"role": "user", "content": self._workload.prompt}]}
        try:
            state = await agent.ainvoke(inputs, config)
        except GraphRecursionError:
            return None, "step limit", f"no answer after {self._payload.max_steps} turns of the model"
        except Exception as error:  # whatever a framework, a provider or a raised failure ends a run with
            # First of all: an empty reply makes the framework fail in ways that say nothing of the cause.
            if not self._progress.replied:
                return None, "empty", "the reply holds no message"
            if self._progress.failed is None:
                return None, "error", f"{type(error).__name__}: {error}"
            return None, *self._failed_model(self._progress.failed)
        if self._progress.failed is not None:  # of an inner agent, of which the outer one saw a failure
            return None, *self._failed_model(self._progress.failed)
        last = state["messages"][-1]
        end = chat_end(last)
        return str(last.text) or None, end or "answered", "no call could be read" if end == UNREAD else ""

    def _failed_model(self, error: BaseException) -> tuple[str, str]:
        """The end of a run in which the model gave no reply, and the reason for it."""
        name = self._payload.model
        # A scripted model has no provider that could fail.
        if name.startswith(SCRIPTED):
            return "error", f"{type(error).__name__}: {error}"
        end = error_end(error)
        return (end, " ".join(str(error).split())) if end else (OUTSIDE, outside_words(name, error))

    async def _over_mcp(self) -> dict[str, Any]:
        """Play it with tools from a server behind the proxy, whose record is the episode's."""
        from sealegs.suites.micro.mcp_level import tools_over_mcp

        with TemporaryDirectory(prefix="sealegs-micro-") as folder:
            events = Path(self._payload.record or Path(folder, "events.jsonl"))
            async with AsyncExitStack() as stack:
                opened = tools_over_mcp(self._workload.tools, self._plan, self._name, events)
                try:
                    tools = await stack.enter_async_context(opened)
                except UserError:
                    raise
                except Exception as failure:  # the relay and the server are ours, and no agent has seen them yet
                    return _outside_end(f"the tools could not be served over MCP: {type(failure).__name__}: {failure}")
                answer, ended, error = await self._answered(react_agent(self._model(False), tools, None))
                seconds = self._clock.now()
            recorded = read_live(events)
        # The relay ends its record whatever ends the connection, unless it could not be written or was killed itself.
        if not isinstance(recorded[-1] if recorded else None, EpisodeEnded):
            return _outside_end("the relay before the tools could not record the whole run")
        return {**self._result(answer, ended, error, recorded), "seconds": seconds}

    def _about(self) -> dict[str, Any]:
        kept = self._payload.model_dump(include={"workload", "model", "seed", "level", "boundary", "plan"})
        return {"suite": "micro", **edition_facts(workloads_edition()), **kept}

    def _result(self, answer: str | None, ended: str, error: str, events: list[Event]) -> dict[str, Any]:
        return {
            "answer": answer,
            "ended": ended,
            "error": error,
            **summarize_calls(events),
            "steps": self._progress.steps,
            "seconds": self._clock.now(),
            "first_call_seconds": self._progress.first_call,
        }


def _outside_end(error: str) -> dict[str, Any]:
    """The result of an episode that failed through neither agent nor tools: no call of it counts."""
    known = {"answer": None, "ended": OUTSIDE, "error": " ".join(error.split()), **summarize_calls([])}
    return {**known, "steps": None, "seconds": None, "first_call_seconds": None}


def _local(workload: Workload) -> list[Any]:
    from sealegs.suites.micro.langchain_tools import local_tools

    return list(local_tools(workload.tools, Toolbox()))
