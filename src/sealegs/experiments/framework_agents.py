"""Runners of agent objects, by framework: each runs its object from the beginning with a text, and takes the answer.

The tools of such an agent must be wired as docs/adapters.md shows, without naming a session: then they find the one of
the run. A framework is recognised by the module of the object's class, and none is imported for it. Every run begins as
the first one does: an object's memory of a run is put back before the next. Not covered: the state of tools, servers,
databases and long-term memories outside of the object.
"""

from __future__ import annotations

import copy
import dataclasses
import inspect
import re
import uuid
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from sealegs.faults.user_error import UserError

Runner = Callable[[str], Any]
CREW_TEXTS = tuple(f"_original_{name}" for name in ("description", "expected_output", "role", "goal", "backstory"))
FUNCTION = "give a function that takes the input, runs the agent and returns its answer"
# For the package of an object's class: an attribute that only runnable objects have, and the call that runs them.
RUNNERS: dict[str, tuple[str, Callable[[Any], Runner]]] = {}


def _runs(attribute: str, *packages: str) -> Callable[[Callable[[Any], Runner]], Callable[[Any], Runner]]:
    """Register what runs the objects of these packages that have this attribute."""

    def registered(make: Callable[[Any], Runner]) -> Callable[[Any], Runner]:
        RUNNERS.update(dict.fromkeys(packages, (attribute, make)))
        return make

    return registered


def _between(put_back: Callable[[], None], ask: Callable[[str], Any]) -> Runner:
    """Runs that each begin with the first state, and leave it to whoever runs the agent next."""

    def run(input: str) -> Any:
        put_back()
        try:
            return ask(input)
        finally:
            put_back()

    return run


@_runs("ainvoke", "langgraph", "langchain", "langchain_core")
def _langchain(agent: Any) -> Runner:
    """A graph whose state has messages takes a message; any other runnable takes the text."""
    graph = _first_runnable(agent)
    channels = getattr(graph, "channels", None)
    if channels is not None and "messages" not in channels:
        names = ", ".join(name for name in channels if not name.startswith(("__", "branch:")))
        raise UserError(f"the state of the graph has {names}, and no messages to put the input into; {FUNCTION}")

    async def run(input: str) -> Any:
        given = input if channels is None else {"messages": [("user", input)]}
        # A graph with a checkpointer remembers by thread, so each run has a thread of its own.
        config = {"configurable": {"thread_id": uuid.uuid4().hex}} if getattr(graph, "checkpointer", None) else None
        return _last_message(await agent.ainvoke(given, config))

    return run


def _first_runnable(runnable: Any) -> Any:
    """The part that takes the input: the inside of a binding or a retry, a sequence's first, or what has fallbacks."""
    for name in ("bound", "first", "runnable"):
        inner = getattr(runnable, name, None)
        if inner is not None and hasattr(inner, "ainvoke"):
            return _first_runnable(inner)
    return runnable


def _last_message(result: Any) -> Any:
    """The text of the last message of a result that holds messages; the result itself otherwise."""
    messages = result.get("messages") if isinstance(result, dict) else getattr(result, "messages", None)
    last = messages[-1] if messages else result
    content = getattr(last, "content", last)
    if isinstance(content, list):
        return "".join(part if isinstance(part, str) else str(part.get("text", "")) for part in content)
    return content


@_runs("run", "pydantic_ai")
def _pydantic_ai(agent: Any) -> Runner:
    async def run(input: str) -> Any:
        return (await agent.run(input)).output

    return run


@_runs("handoffs", "agents")
def _openai_agents(agent: Any) -> Runner:
    from sealegs.adapters.openai_agents import run_agent

    async def run(input: str) -> Any:
        return await run_agent(agent, input)

    return run


@_runs("run", "llama_index")
def _llama_index(agent: Any) -> Runner:
    async def run(input: str) -> Any:
        return str(await agent.run(user_msg=input))

    return run


@_runs("kickoff", "crewai")
def _crewai(agent: Any) -> Runner:
    """An agent takes a message; a crew takes inputs by the names of the places in its texts."""
    crew = hasattr(agent, "fetch_inputs")
    place = _place_of(agent) if crew else ""

    def run(input: str) -> Any:
        for one in [agent, *getattr(agent, "agents", ())]:
            _forget_cached(one)
        return (agent.kickoff(inputs={place: input}) if crew else agent.kickoff(input)).raw

    return run


def _place_of(crew: Any) -> str:
    """The place of the input in a crew's texts: `{input}`, or the only one that there is."""
    # A crew that has run has its texts filled, and keeps them as they were.
    kept = [getattr(one, name, None) for one in (*crew.tasks, *crew.agents) for name in CREW_TEXTS]
    places = sorted(crew.fetch_inputs() | {place for text in kept if text for place in re.findall(r"{(.+?)}", text)})
    if "input" in places or len(places) == 1:
        return "input" if "input" in places else str(places[0])
    places_named = f"places for {', '.join(places)}" if places else "no place for the input"
    raise UserError(
        f"the crew's texts have {places_named}; write {{input}} in the description of a task, or {FUNCTION}"
    )


def _forget_cached(one: Any) -> None:
    """Empty the cache of tool results, where a crew or an agent has one: else a later run would call no tool."""
    for cache in (getattr(one, "_cache_handler", None), getattr(one, "cache_handler", None)):
        getattr(cache, "_cache", {}).clear()


@_runs("run", "autogen_agentchat")
def _autogen(agent: Any) -> Runner:
    """An agent or a team keeps its conversation; its own reset and state put the first one back."""
    first: dict[str, Any] = {}

    async def put_back() -> None:
        from sealegs.adapters.autogen import forget_conversation

        await forget_conversation(agent)
        await agent.load_state(copy.deepcopy(first["state"]))

    async def run(input: str) -> Any:
        if "state" in first:
            await put_back()
        else:
            first["state"] = copy.deepcopy(await agent.save_state())
        try:
            return _last_message(await agent.run(task=input))
        finally:
            with suppress(Exception):  # a run that broke off may not be over yet; the next one tries again
                await put_back()

    return run


@_runs("create_session", "agent_framework")
def _agent_framework(agent: Any) -> Runner:
    async def run(input: str) -> Any:
        return (await agent.run(input)).text

    return run


@_runs("run", "smolagents")
def _smolagents(agent: Any) -> Runner:
    """A run forgets the conversation, but not what code has defined; that is put back here."""
    first = [(held, dict(held)) for held in _defined_by_code(agent)]

    def put_back() -> None:
        for held, before in first:
            held.clear()
            held.update(before)

    return _between(put_back, agent.run)


def _defined_by_code(agent: Any) -> list[dict[str, Any]]:
    """The dicts in which an agent of smolagents, and those that it manages, keep variables between runs."""
    executor = getattr(agent, "python_executor", None)
    held = [agent.state, getattr(executor, "state", None), getattr(executor, "custom_tools", None)]
    below = [one for managed in agent.managed_agents.values() for one in _defined_by_code(managed)]
    return [one for one in held if isinstance(one, dict)] + below


@_runs("named_predictors", "dspy")
def _dspy(module: Any) -> Runner:
    """A module is called with its first input, and the answer is the last field of its prediction."""
    signature = getattr(module, "signature", None)
    fields = signature.input_fields if signature is not None else inspect.signature(module.forward).parameters
    place = next(iter(fields), None)
    if place is None:
        raise UserError(f"the module {type(module).__name__} takes no input; {FUNCTION}")

    def answer(prediction: Any) -> Any:
        return prediction[list(prediction.keys())[-1]] if hasattr(prediction, "keys") else prediction

    def run(input: str) -> Any:
        from sealegs.adapters.dspy import call_module

        return answer(call_module(module, {place: input}))

    async def run_async(input: str) -> Any:
        return answer(await module.acall(**{place: input}))

    return run_async if hasattr(module, "aforward") and _has_async_tools(module) else run


def _has_async_tools(module: Any) -> bool:
    """Return whether a module of DSPy, or one inside it, has a tool that is a coroutine function."""
    found = [getattr(one, "tools", ()) for _, one in module.named_sub_modules()]
    tools = [tool for some in found for tool in (some.values() if isinstance(some, dict) else some)]
    return any(inspect.iscoroutinefunction(getattr(tool, "func", tool)) for tool in tools)


@_runs("tool_names", "strands")
def _strands(agent: Any) -> Runner:
    """An agent remembers the conversation, and its state; each run begins with what it knew at first."""
    snapshot = agent.take_snapshot(preset="session") if hasattr(agent, "take_snapshot") else None
    first = copy.deepcopy(agent.messages)

    def put_back() -> None:
        if snapshot is not None:
            agent.load_snapshot(copy.deepcopy(snapshot))
        else:
            agent.messages[:] = copy.deepcopy(first)

    return _between(put_back, lambda request: str(agent(request)).strip())


@_runs("run_async", "google.adk")
@_runs("root_agent", "google.adk.apps")
def _google_adk(agent: Any) -> Runner:
    """An agent, an app or a runner: each run is a session of its own, of a user of its own."""

    async def run(input: str) -> Any:
        from sealegs.adapters.google_adk import run_adk_agent

        return await run_adk_agent(agent, input, uuid.uuid4().hex)

    return run


@_runs("mcp_servers", "claude_agent_sdk")
@_runs("options", "claude_agent_sdk.client")
def _claude_agent_sdk(agent: Any) -> Runner:
    """The options of a query, or a client with them: each run is a query of its own."""
    options = getattr(agent, "options", agent)
    if options.continue_conversation or (options.resume and not options.fork_session):
        raise UserError(
            "these options continue an earlier conversation, so a run would begin where the one before ended; leave "
            f"out continue_conversation, and give fork_session=True beside resume, or {FUNCTION}"
        )

    async def run(input: str) -> Any:
        from sealegs.adapters.claude_agent_sdk import run_claude_query

        return await run_claude_query(dataclasses.replace(options, session_id=None), input)

    return run


def framework_runner(agent: Any) -> Runner | None:
    """A function that runs an agent object of a known framework with a text; None for any other object.

    Raises:
        UserError: it is one, and cannot be run with a text, or not from the beginning.
    """
    for kind in type(agent).__mro__:
        parts = kind.__module__.split(".")
        for size in range(len(parts), 0, -1):
            name, make = RUNNERS.get(".".join(parts[:size]), ("", None))
            if make is not None and hasattr(agent, name):
                return make(agent)
    return None
