"""Any agent, run once: a callable, an object of a framework, a command line, or an HTTP endpoint.

A callable and an object run in this process, and their tools find the session as the active one. A command and an
endpoint run elsewhere: they get the plan by their environment or by headers, and hand back what was recorded there.
"""

from __future__ import annotations

import asyncio
import inspect
import re
import shlex
import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, Protocol

from sealegs.experiments.command_agent import CommandAgent
from sealegs.experiments.endpoint_agent import EndpointAgent
from sealegs.experiments.framework_agents import FUNCTION, framework_runner
from sealegs.experiments.run_guards import RunOverTime, close_runner, directory_kept, threads_awaited, time_limited
from sealegs.experiments.run_harness import RunHarness
from sealegs.faults.naming import import_object
from sealegs.faults.user_error import UserError

CALLABLE = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")


class AgentUnderTest(Protocol):
    """An agent that can be run again and again, each time from the beginning."""

    @property
    def name(self) -> str:
        """The agent's name in reports."""

    def run(self, harness: RunHarness) -> Any:
        """Run it once and return its answer; what it raises is its failure."""


@dataclass(frozen=True)
class CallableAgent:
    """A function of this process, sync or async. It may take the input first, and an argument `session`."""

    name: str
    function: Callable[..., Any]

    def run(self, harness: RunHarness) -> Any:
        """Call it while the session is active."""
        given, named = arguments_for(self.function, harness)
        with directory_kept(), harness.session, threads_awaited(), time_limited(harness.time_limit) as limit:
            if limit is not None and harness.call_limit is not None:
                harness.call_limit.exceeded = limit.expire
            answer = self.function(*given, **named)
            return awaited(answer) if inspect.isawaitable(answer) else answer


def arguments_for(function: Callable[..., Any], harness: RunHarness) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of a call of the function: the input if it takes one, and the session if it names it.

    Raises:
        UserError: there is an input and the function takes none, or it needs more than that.
    """
    parameters = inspect.signature(function).parameters.values()
    # Only by name: an agent that takes any keywords did not ask for a session.
    named = {"session": harness.session} if any(one.name == "session" for one in parameters) else {}
    places = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    placed = [one for one in parameters if one.kind in places]
    required = [one for one in parameters if one.kind is one.KEYWORD_ONLY and one.default is one.empty]
    free = [one for one in (*placed, *required) if one.name != "session"]
    needed = [one for one in free if one.default is one.empty]
    takes_any = any(one.kind is one.VAR_POSITIONAL for one in parameters)
    name = getattr(function, "__qualname__", str(function))
    # Refused here: the TypeError of a call that does not fit would count as a crash of the agent in every run.
    if len(needed) > 1:
        raise UserError(f"{name} needs {len(needed)} arguments; an agent takes its input, and `session` if it wants it")
    if harness.input and not free and not takes_any:
        raise UserError(f"{name} takes no input, and one is given ({harness.input[:60]!r}); let it take one argument")
    if needed and not harness.input:
        raise UserError(f"{name} needs an input ({needed[0].name}); give it with --input or --inputs")
    if not harness.input:
        return [], named
    target = next(iter(needed or free), None)
    # Behind another parameter, such as the session, or after a star, the input has no place of its own but a name.
    if target is not None and target not in placed[:1]:
        return [], {**named, target.name: harness.input}
    return [harness.input], named


@cache
def _runner() -> asyncio.Runner:
    """One event loop for all runs of a process: clients that an agent keeps belong to a loop."""
    return asyncio.Runner()


def awaited(answer: Any) -> Any:
    """The result of an awaitable, run in a task that knows the active session, also in a notebook with its own loop."""

    async def wait() -> Any:
        return await answer

    run = partial(_runner().run, wait(), context=copy_context())
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        try:
            return run()
        except (RunOverTime, KeyboardInterrupt):
            close_runner(_runner())
            _runner.cache_clear()  # what was under way in that loop must not continue in the next run
            raise
    with ThreadPoolExecutor(1) as thread:  # a second loop cannot run in this thread
        return thread.submit(run).result()


def agent_from(target: str | Callable[..., Any] | object, command: Sequence[str] = ()) -> AgentUnderTest:
    """The agent that a user names or gives.

    Args:
        target: `module:name`, an address, a command line, or an object.
        command: a command line as separate words, in place of a target.

    Raises:
        UserError: it is none of these, or cannot be found.
    """
    if command:
        return CommandAgent(shlex.join(command), tuple(command))
    if not isinstance(target, str):
        return _agent_of(target, getattr(target, "__qualname__", "") or type(target).__name__)
    if target.startswith(("http://", "https://")):
        return EndpointAgent(target)
    if CALLABLE.fullmatch(target):
        return _agent_of(import_object(target), target)
    try:
        words = shlex.split(target)
    except ValueError as error:
        raise UserError(f"{target!r} is not a command: {error}; close its quotes") from error
    # A single word is more often a mistyped name than a program, and would be run as one, unless it is a path.
    if words and (len(words) > 1 or "/" in words[0]) and shutil.which(words[0]):
        return CommandAgent(target, tuple(words))
    raise UserError(f"{target!r} is not an agent; {_remedy(words)}")


def _remedy(words: Sequence[str]) -> str:
    """The remedy for a command that cannot be run."""
    program = shutil.which(words[0]) if words else None
    if program:
        return f"give module:function, or the program by its path: {program}"
    if words and "/" in words[0] and Path(words[0]).is_file():
        return f"{words[0]} is a file that may not be executed; run: chmod +x {shlex.quote(words[0])}"
    return "give module:function, an address, or a command in quotes whose program exists"


def _agent_of(found: Any, name: str) -> AgentUnderTest:
    run = framework_runner(found)
    if run is not None:
        run.__qualname__ = name  # for messages
        return CallableAgent(name, run)
    if not callable(found):
        kind = f"{type(found).__module__}.{type(found).__qualname__}".removeprefix("builtins.")
        raise UserError(
            f"{name} is of type {kind}, which cannot be run: {FUNCTION}, or give an agent object of a framework that "
            "docs/your-agent.md lists"
        )
    return CallableAgent(name, found)
