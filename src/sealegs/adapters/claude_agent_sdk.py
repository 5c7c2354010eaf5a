"""Claude Agent SDK: tools of in-process MCP servers through a session.

`create_sdk_mcp_server("desk", tools=wrap(tools, session))`. The tool's handler is what goes through the session, so
that Claude Code shows a failure as it shows the tool's own. The SDK's hooks are not enough for this: `PreToolUse` can
refuse a call with a reason, but not answer it in the tool's place; `PostToolUse` can replace an answer
(`updatedToolOutput`), but the tool has run by then, once, with its effect; and a hook that raises is passed over. So
the built-in tools of Claude Code (Bash, Read, ...) and MCP servers in processes of their own are out of reach: put the
proxy before these servers.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, overload

from claude_agent_sdk import ClaudeAgentOptions, ResultMessage, SdkMcpTool, query

from sealegs.adapters.bridge import ResultCodec, ToolCallBridge, data_of, result_text
from sealegs.adapters.marks import spec_from_tool
from sealegs.faults.call import Failure, Outcome, Value
from sealegs.inject import Session

Result = dict[str, Any]


@overload
def wrap(tools: Sequence[SdkMcpTool[Any]], session: Session | None = None) -> list[SdkMcpTool[Any]]: ...
@overload
def wrap(tools: SdkMcpTool[Any], session: Session | None = None) -> SdkMcpTool[Any]: ...
def wrap(tools: Any, session: Session | None = None) -> Any:
    """A copy of the tool or tools with every call going through the session.

    Args:
        tools: a tool made by `@tool`, or a sequence of them.
        session: the episode; None takes the session that is active when a call is made.
    """
    if isinstance(tools, Sequence):
        return [wrap(tool, session) for tool in tools]
    name, handler = tools.name, tools.handler
    spec = spec_from_tool(name, lambda: tools.input_schema, getattr(tools, "annotations", None))
    bridge = ToolCallBridge(session, ResultCodec(_read, _written), spec=spec)

    async def in_session(arguments: Result) -> Result:
        async def running(given: Mapping[str, Any]) -> Result:
            found: Result = await handler(arguments if given is arguments else dict(given))
            return found

        shown: Result = await bridge.call_async(name, arguments, running)
        return shown

    return dataclasses.replace(tools, handler=in_session)


def _texts(result: Result) -> list[str] | None:
    """The texts of a result; None where it holds something else (an image), which no fault works on."""
    parts = result.get("content", [])
    return [part["text"] for part in parts] if all(part.get("type") == "text" for part in parts) else None


def _read(result: Result) -> Outcome:
    texts = _texts(result)
    if texts is None:
        return Value(result)
    text = "\n".join(texts)
    return Failure(text) if result.get("is_error") else Value(data_of(text))


def _written(value: Any, result: Result | None) -> Result:
    return {"content": [{"type": "text", "text": result_text(value)}]}


async def run_claude_query(options: ClaudeAgentOptions, input: str) -> Any:
    """Ask Claude Code in a session of its own and return its result.

    Raises:
        RuntimeError: it gave none, or says that it failed.
    """
    found = None
    async for message in query(prompt=input, options=options):
        found = message if isinstance(message, ResultMessage) else found
    if found is None or found.is_error:
        raise RuntimeError("Claude Code gave no result" if found is None else f"{found.subtype}: {found.result}")
    return found.result if found.structured_output is None else found.structured_output
