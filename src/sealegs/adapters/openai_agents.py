"""OpenAI Agents SDK: function tools through a session.

`Agent(tools=wrap(tools, session))`, or for an agent that is there already `agent.clone(tools=wrap(agent.tools,
session))`. Faults happen inside the tool's function, so that the SDK's own timeout, `failure_error_function`,
`RunConfig.tool_error_formatter` and guardrails meet them as they meet the tool's own. What it does not cover: tools
that the provider runs (`WebSearchTool` and the like) and tools of an agent's `mcp_servers`, which the SDK makes anew
for every run: put the proxy before these servers. Agents that are reached by a handoff have tools of their own.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, overload

from agents.tool import Tool

from agents import FunctionTool, Runner
from sealegs.adapters.bridge import ToolCallBridge
from sealegs.adapters.marks import spec_from_tool
from sealegs.inject import Session

T = TypeVar("T", bound=Tool)
INSIDE = "_invoke_tool_impl"  # the function inside the SDK's own handling of errors


@overload
def wrap(tools: Sequence[Tool], session: Session | None = None) -> list[Tool]: ...
@overload
def wrap(tools: T, session: Session | None = None) -> T: ...
def wrap(tools: Any, session: Session | None = None) -> Any:
    """A copy of the tool or tools with every call going through the session.

    Args:
        tools: a tool of the SDK or a sequence of them. What is no function tool stays as it is.
        session: the episode; None takes the session that is active when a call is made.
    """
    if isinstance(tools, Sequence):
        return [wrap(tool, session) for tool in tools]
    if not isinstance(tools, FunctionTool):
        return tools
    crossing = ToolCallBridge(session, spec=spec_from_tool(tools.name, lambda: tools.params_json_schema))
    invoker: Any = tools.on_invoke_tool
    inside = getattr(invoker, INSIDE, None)
    if inside is None:  # made by hand, without the SDK's handling of errors
        return dataclasses.replace(tools, on_invoke_tool=_crossed(crossing, tools.name, invoker))
    handled = type(invoker)(_crossed(crossing, tools.name, inside), invoker._on_handled_error)
    return dataclasses.replace(tools, on_invoke_tool=handled)


def _crossed(crossing: ToolCallBridge, name: str, invoke: Any) -> Any:
    async def crossed(context: Any, text: str) -> Any:
        arguments = _arguments(text)
        if arguments is None:
            return await invoke(context, text)

        async def running(given: Mapping[str, Any]) -> Any:
            if given is arguments:
                return await invoke(context, text)
            context._function_tool_arguments = None  # what the SDK has read of the model's own arguments
            return await invoke(context, json.dumps(given))

        return await crossing.call_async(name, arguments, running)

    vars(crossed).update(getattr(invoke, "__dict__", {}))  # what the SDK notes at the function
    return crossed


def _arguments(text: str) -> dict[str, Any] | None:
    """The arguments as data; None where the model sent none that can be read, which the SDK answers itself."""
    try:
        data = json.loads(text) if text else {}
    except ValueError:
        return None
    return data if isinstance(data, dict) else None


async def run_agent(agent: Any, input: str) -> Any:
    """Run an agent of the SDK with a text and return its final output."""
    return (await Runner.run(agent, input)).final_output
