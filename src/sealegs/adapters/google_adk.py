"""Google ADK: tools and toolsets of an agent through a session.

`Agent(tools=wrap(tools, session), ...)`. The tool's `run_async` is what goes through the session, so that callbacks of
the agent and of plugins (`on_tool_error_callback` among them) meet faults as they meet the tool's own errors. A plugin
could not do this: it sees a call before or after, and what it raises counts as the plugin's error. Tools that the
model's provider runs and live (bidirectional) sessions are out of reach.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeVar, overload

from google.adk.agents import BaseAgent
from google.adk.runners import InMemoryRunner
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.base_toolset import BaseToolset
from google.adk.tools.function_tool import FunctionTool
from google.genai import types

from sealegs.adapters.bridge import ResultCodec, ToolCallBridge, exception_text
from sealegs.adapters.marks import spec_from_tool
from sealegs.faults.call import Failure
from sealegs.inject import Session

AnyTool = BaseTool | BaseToolset | Callable[..., Any]
Errors = Literal["raised", "shown"]
T = TypeVar("T", bound=BaseTool | BaseToolset)


@overload
def wrap(tools: Sequence[AnyTool], session: Session | None = None, errors: Errors = "raised") -> list[Any]: ...
@overload
def wrap(tools: T, session: Session | None = None, errors: Errors = "raised") -> T: ...
@overload
def wrap(tools: Callable[..., Any], session: Session | None = None, errors: Errors = "raised") -> FunctionTool: ...
def wrap(tools: Any, session: Session | None = None, errors: Errors = "raised") -> Any:
    """A copy of the tool or tools with every call going through the session.

    Args:
        tools: a tool, a toolset, a function, or a sequence of them.
        session: the episode; None takes the session that is active when a call is made.
        errors: what becomes of an injected failure. `raised`: the tool raises it, which ends the run unless a callback
            handles it, as with any tool of ADK. `shown`: the model reads `{"error": ...}`, as ADK itself answers calls
            without a required argument.
    """
    if isinstance(tools, Sequence):
        return [wrap(tool, session, errors) for tool in tools]
    copied = copy.copy(tools) if isinstance(tools, (BaseTool, BaseToolset)) else FunctionTool(tools)
    # A toolset (MCP) may know its tools only once it is asked for them.
    if isinstance(copied, BaseToolset):
        found = copied.get_tools

        async def get_tools(*args: Any, **kwargs: Any) -> list[BaseTool]:
            return wrap(await found(*args, **kwargs), session, errors)

        copied.get_tools = get_tools  # type: ignore[method-assign]
        return copied
    form = ResultCodec(failed=_complaint if errors == "shown" else None)
    places = getattr(copied, "custom_metadata", None), getattr(copied, "raw_mcp_tool", None)
    spec = spec_from_tool(copied.name, lambda: _declared_parameters(copied), *places)
    bridge, run = ToolCallBridge(session, form, spec=spec), copied.run_async

    async def run_async(*, args: dict[str, Any], tool_context: Any) -> Any:
        async def running(given: Mapping[str, Any]) -> Any:
            return await run(args=args if given is args else dict(given), tool_context=tool_context)

        return await bridge.call_async(copied.name, args, running)

    copied.run_async = run_async  # type: ignore[method-assign]
    return copied


def _declared_parameters(tool: BaseTool) -> Any:
    """The declaration of the arguments to a model: JSON Schema, or Gemini's own form, of which the names are taken."""
    declared = tool._get_declaration()
    if declared is None:
        return None
    schema = getattr(declared, "parameters_json_schema", None)
    return schema if schema is not None else getattr(declared.parameters, "properties", None) or {}


def _complaint(failure: Failure) -> dict[str, str]:
    return {"error": exception_text(failure)}


async def run_adk_agent(agent: Any, input: str, user: str) -> str | None:
    """Run an agent, an app or a runner with a text, in a new session of this user, and return its final text."""
    new = {"agent": agent, "app_name": "tested"} if isinstance(agent, BaseAgent) else {"app": agent}
    runner = agent if hasattr(agent, "run_async") and not isinstance(agent, BaseAgent) else InMemoryRunner(**new)
    session = await runner.session_service.create_session(app_name=runner.app_name, user_id=user)
    content = types.Content(role="user", parts=[types.Part(text=input)])
    answer = None
    async for event in runner.run_async(user_id=user, session_id=session.id, new_message=content):
        parts = event.content.parts if event.content and event.is_final_response() else None
        texts = [part.text for part in parts or () if part.text and not part.thought]
        # An agent that hands over has a final response of its own before the last one's; the last one counts.
        answer = "".join(texts) if texts else answer
    return answer
