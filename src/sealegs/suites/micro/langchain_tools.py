"""The tools as LangChain's agents take them: in this process, or on an MCP server behind the official client."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool, ToolException

from sealegs.suites.micro.tools import Toolbox


def local_tools(names: Iterable[str], box: Toolbox) -> list[BaseTool]:
    """The named tools in this process, for sync and async agents alike."""
    functions = box.functions()
    return [_local(name, functions[name]) for name in names]


def _local(name: str, function: Callable[..., Any]) -> BaseTool:
    async def in_place(**arguments: Any) -> Any:  # the work takes no time worth a thread
        return function(**arguments)

    return StructuredTool.from_function(function, in_place, name=name, description=function.__doc__)


def remote_tools(listed: Mapping[str, Any], call: Callable[[str, dict[str, Any]], Awaitable[Any]]) -> list[BaseTool]:
    """Tools that an MCP server listed, by name, each call going through the client.

    An answer marked as an error is shown to the model as such.
    """
    return [_remote(name, tool, call) for name, tool in listed.items()]


def _remote(name: str, tool: Any, call: Callable[[str, dict[str, Any]], Awaitable[Any]]) -> BaseTool:
    async def call_tool(**arguments: Any) -> str:
        answer = await call(name, arguments)
        text = "\n".join(str(getattr(block, "text", "")) for block in answer.content)
        if answer.is_error:
            raise ToolException(text)
        return text

    return StructuredTool(
        name=name,
        description=tool.description or name,
        args_schema=tool.input_schema,
        coroutine=call_tool,
        handle_tool_error=True,
    )
