"""OpenAI Agents SDK: function tools through a session.

`Agent(tools=wrap(tools, session))`, or for an agent that is there already `agent.clone(tools=wrap(agent.tools,
session))`. Faults happen inside the tool's function, so that the SDK's own timeout, `failure_error_function`,
`RunConfig.tool_error_formatter` and guardrails meet them as they meet the tool's own. Out of reach are tools that the
provider runs (`WebSearchTool` and the like) and tools of an agent's `mcp_servers`, which the SDK makes anew for every
run: put the proxy before these servers. Agents that are reached by a handoff have tools of their own, and what the next
agent sees of the conversation (`input_filter`) passes as it is.

`wrap_handoffs(agent, session)` puts an agent's hand-overs under the session too: each is a call of its tool
(`transfer_to_...`), which answers `{"assistant": NAME}` and has the effect that this agent takes over. One that is
answered without effect (`silent_noop`) is reported and does not happen; one whose answer names another of the agents
(`forged`) goes there. An agent as a tool (`agent.as_tool()`) is a function tool.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, overload

from agents.tool import Tool

from agents import Agent, FunctionTool, Handoff, Runner, handoff
from sealegs.adapters.bridge import ResultCodec, ToolCallBridge
from sealegs.adapters.marks import spec_from_tool
from sealegs.faults.call import Value
from sealegs.faults.spec import ToolSpec
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
        tools: a tool of the SDK or a sequence of them. What is not a function tool stays as it is.
        session: the episode; None takes the session that is active when a call is made.
    """
    if isinstance(tools, Sequence):
        return [wrap(tool, session) for tool in tools]
    if not isinstance(tools, FunctionTool):
        return tools
    bridge = ToolCallBridge(session, spec=spec_from_tool(tools.name, lambda: tools.params_json_schema))
    invoker: Any = tools.on_invoke_tool
    inside = getattr(invoker, INSIDE, None)
    if inside is None:  # made by hand, without the SDK's handling of errors
        return dataclasses.replace(tools, on_invoke_tool=_in_session(bridge, tools.name, invoker))
    handled = type(invoker)(_in_session(bridge, tools.name, inside), invoker._on_handled_error)
    return dataclasses.replace(tools, on_invoke_tool=handled)


def _in_session(bridge: ToolCallBridge, name: str, invoke: Any) -> Any:
    async def in_session(context: Any, text: str) -> Any:
        arguments = _arguments(text)
        if arguments is None:
            return await invoke(context, text)

        async def running(given: Mapping[str, Any]) -> Any:
            if given is arguments:
                return await invoke(context, text)
            context._function_tool_arguments = None  # what the SDK has read of the model's own arguments
            return await invoke(context, json.dumps(given))

        return await bridge.call_async(name, arguments, running)

    vars(in_session).update(getattr(invoke, "__dict__", {}))  # what the SDK notes at the function
    return in_session


def wrap_handoffs(agent: Agent[Any], session: Session | None = None) -> Agent[Any]:
    """A copy of the agent with every hand-over going through the session; its tools stay as they are (`wrap`).

    Args:
        agent: an agent with `handoffs`.
        session: the episode; None takes the session that is active when a hand-over is made.
    """
    given = [one if isinstance(one, Handoff) else handoff(one) for one in agent.handoffs]
    copy = agent.clone(handoffs=[])
    reached: dict[str, Any] = {one.agent_name: one for one in given}
    copy.handoffs = [_handoff_in_session(copy, one, reached, session) for one in given]
    return copy


def _handoff_in_session(source: Agent[Any], one: Any, reached: Mapping[str, Any], session: Session | None) -> Any:
    """A hand-over from the source through the session. `reached`: all hand-overs of it, by the agent's name."""
    handover = {"assistant": one.agent_name}
    form = ResultCodec(
        lambda taker: Value({"assistant": taker.name}),
        lambda value, taker: (value, taker),
        dry=lambda arguments: Value(handover),
    )
    spec = ToolSpec(one.tool_name, one.tool_description, one.input_json_schema, effects=True)
    bridge = ToolCallBridge(session, form, spec=spec)
    shown = _ShownMessages()

    async def invoked(context: Any, text: str) -> Any:
        arguments = _arguments(text)

        async def running(given: Mapping[str, Any]) -> Any:
            # The model's own text where nothing was changed: to write it anew could alter it.
            return await one.on_invoke_handoff(context, text if given is arguments else json.dumps(given))

        if arguments is None:
            return await one.on_invoke_handoff(context, text)
        result = await bridge.call_async(one.tool_name, arguments, running)
        if not isinstance(result, tuple):
            return result
        value, taker = result
        name = value.get("assistant") if isinstance(value, Mapping) else None
        if taker is None or name == one.agent_name:  # it was reported, and nobody took over; or it is as it was
            return shown.noted(taker or source, value)
        # The fault named another assistant, which takes over if it is one that this agent may hand over to.
        other = reached.get(str(name))
        return shown.noted(taker if other is None else await other.on_invoke_handoff(context, text), value)

    return _SeamHandoff(
        **{field.name: getattr(one, field.name) for field in dataclasses.fields(one) if field.init}
        | {"on_invoke_handoff": invoked},
        shown=shown,
    )


class _ShownMessages:
    """The messages that handoffs returned, by the agent that each was last about."""

    def __init__(self) -> None:
        self._handovers: dict[int, str] = {}

    def noted(self, taker: Any, value: Any) -> Any:
        self._handovers[id(taker)] = value if isinstance(value, str) else json.dumps(value)
        return taker

    def taken(self, taker: Any) -> str | None:
        return self._handovers.pop(id(taker), None)


@dataclasses.dataclass
class _SeamHandoff(Handoff[Any, Any]):
    """A hand-over whose message is what the session shows."""

    shown: _ShownMessages = dataclasses.field(default_factory=_ShownMessages, kw_only=True)

    def get_transfer_message(self, agent: Any) -> str:
        return self.shown.taken(agent) or super().get_transfer_message(agent)


def _arguments(text: str) -> dict[str, Any] | None:
    """The arguments as data; None where the model sent none that can be read, which the SDK answers itself."""
    try:
        data = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


async def run_agent(agent: Any, input: str) -> Any:
    """Run an agent of the SDK with a text and return its final output."""
    return (await Runner.run(agent, input)).final_output
