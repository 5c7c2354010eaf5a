"""How an agent object of each framework is run with a text, and what of its result is the answer.

The tools of such an agent must be wired as docs/adapters.md shows, without naming a session: then they find the one of
the run. A framework is recognised by the module of the object's class, and none is imported for it.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

Runner = Callable[[str], Any]


def _langchain(agent: Any) -> Runner:
    """A compiled graph takes messages; any other runnable takes the text."""
    graph = "messages" in getattr(getattr(agent, "builder", None), "schema", {}) or hasattr(agent, "get_graph")
    takes_messages = graph and hasattr(agent, "nodes")

    async def run(input: str) -> Any:
        result = await agent.ainvoke({"messages": [("user", input)]} if takes_messages else input)
        return _last_message(result)

    return run


def _last_message(result: Any) -> Any:
    """The text of the last message of a result that holds messages; the result itself otherwise."""
    messages = result.get("messages") if isinstance(result, dict) else getattr(result, "messages", None)
    last = messages[-1] if messages else result
    content = getattr(last, "content", last)
    if isinstance(content, list):
        return "".join(part if isinstance(part, str) else str(part.get("text", "")) for part in content)
    return content


def _pydantic_ai(agent: Any) -> Runner:
    async def run(input: str) -> Any:
        return (await agent.run(input)).output

    return run


def _openai_agents(agent: Any) -> Runner:
    from sealegs.adapters.openai_agents import run_agent

    async def run(input: str) -> Any:
        return await run_agent(agent, input)

    return run


def _llama_index(agent: Any) -> Runner:
    async def run(input: str) -> Any:
        return str(await agent.run(user_msg=input))

    return run


def _crewai(crew: Any) -> Runner:
    def run(input: str) -> Any:
        return crew.kickoff(inputs={"input": input}).raw

    return run


def _autogen(agent: Any) -> Runner:
    async def run(input: str) -> Any:
        return _last_message(await agent.run(task=input))

    return run


def _agent_framework(agent: Any) -> Runner:
    async def run(input: str) -> Any:
        return (await agent.run(input)).text

    return run


def _smolagents(agent: Any) -> Runner:
    def run(input: str) -> Any:
        return agent.run(input)

    return run


def _dspy(module: Any) -> Runner:
    """A module is called with its first input field; the answer is the last field of the prediction."""

    def run(input: str) -> Any:
        signature = getattr(module, "signature", None) or next(one.signature for _, one in module.named_predictors())
        prediction = module(**{next(iter(signature.input_fields)): input})
        return prediction[list(signature.output_fields)[-1]]

    return run


def _strands(agent: Any) -> Runner:
    """An agent remembers what was said; each run begins with what it knew at first."""
    first = copy.deepcopy(agent.messages)

    def run(input: str) -> Any:
        agent.messages[:] = copy.deepcopy(first)
        return str(agent(input)).strip()

    return run


# by the first part of the module of an object's class, the longest match first
RUNNERS: dict[str, tuple[str, Callable[[Any], Runner]]] = {
    "langgraph": ("ainvoke", _langchain),
    "langchain": ("ainvoke", _langchain),
    "langchain_core": ("ainvoke", _langchain),
    "pydantic_ai": ("run", _pydantic_ai),
    "agents": ("handoffs", _openai_agents),
    "llama_index": ("run", _llama_index),
    "crewai": ("kickoff", _crewai),
    "autogen_agentchat": ("run", _autogen),
    "agent_framework": ("run", _agent_framework),
    "smolagents": ("run", _smolagents),
    "dspy": ("named_predictors", _dspy),
    "strands": ("tool_names", _strands),
}


def framework_runner(agent: Any) -> Runner | None:
    """What runs an agent object of a known framework with a text; None for any other object."""
    for kind in type(agent).__mro__:
        name, make = RUNNERS.get(kind.__module__.partition(".")[0], ("", None))
        if make is not None and hasattr(agent, name):
            return make(agent)
    return None
