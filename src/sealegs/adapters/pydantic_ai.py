"""Pydantic AI: every tool of an agent through a session, by a capability or around one toolset.

Faults happen inside the function of a tool, so that Pydantic AI's own timeout, its hooks and its handling of errors
meet them as they meet the tool's own. Tools that the model's provider runs are out of reach, and the `timeout` of a
tool that is not a function is not imitated (an MCP server's has one of its own).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NoReturn

from pydantic_ai import RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, SkipToolExecution, ToolFailed
from pydantic_ai.toolsets import AbstractToolset, FunctionToolset, WrapperToolset
from pydantic_ai.toolsets.abstract import ToolsetTool

from sealegs.adapters.bridge import BridgedCall, ResultCodec, ToolCallBridge, exception_text
from sealegs.adapters.marks import spec_from_tool
from sealegs.faults.call import Failure
from sealegs.inject import Session

Errors = Literal["raised", "shown"]
STEERING = (CallDeferred, ApprovalRequired, SkipToolExecution)


def _complain(failure: Failure) -> NoReturn:
    raise ToolFailed(exception_text(failure))


def _bridge(session: Session | None, errors: Errors) -> ToolCallBridge:
    return ToolCallBridge(session, ResultCodec(failed=_complain if errors == "shown" else None, passing=STEERING))


@dataclass
class Seam(AbstractCapability[Any]):
    """All tools of an agent, or of a run, through a session: `Agent(model, tools=..., capabilities=[Seam(session)])`.

    Args:
        session: the episode; None takes the session that is active when a call is made.
        errors: what becomes of an injected failure. `raised`: the tool raises it, which ends the run, as with any tool
            of Pydantic AI. `shown`: the model reads it, as of a tool that raises `ToolFailed`.
    """

    session: Session | None = None
    errors: Errors = "raised"

    def get_wrapper_toolset(self, toolset: AbstractToolset[Any]) -> AbstractToolset[Any]:
        """The agent's toolsets, each of them through the session."""
        return toolset.visit_and_replace(lambda leaf: SeamToolset(leaf, self.session, self.errors))


@dataclass
class SeamToolset(WrapperToolset[Any]):
    """One toolset through a session; for arguments see `Seam`."""

    session: Session | None = None
    errors: Errors = "raised"
    _way: ToolCallBridge = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._way = _bridge(self.session, self.errors)

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> Any:
        """A call, under the name by which the model knows the tool."""
        known = getattr(ctx, "_dispatched_tool_name", None) or name
        metadata = getattr(tool.tool_def, "metadata", None)
        spec = spec_from_tool(known, lambda: tool.tool_def.parameters_json_schema, metadata)
        bridged = self._way.intercept(known, tool_args, spec=spec)
        if bridged is None:
            return await self.wrapped.call_tool(name, tool_args, ctx, tool)
        function = getattr(tool, "call_func", None)
        if isinstance(self.wrapped, FunctionToolset) and function is not None:
            inside = _in_session(bridged, function)
            tool = replace(tool, call_func=inside)  # type: ignore[call-arg]  # of a function toolset's tools
            return await self.wrapped.call_tool(name, tool_args, ctx, tool)

        async def running(given: Mapping[str, Any]) -> Any:
            return await self.wrapped.call_tool(name, dict(given), ctx, tool)

        return await bridged.call_async(running)


def _in_session(
    bridged: BridgedCall, function: Callable[[dict[str, Any], RunContext[Any]], Awaitable[Any]]
) -> Callable[[dict[str, Any], RunContext[Any]], Awaitable[Any]]:
    """A toolset's function, run as this call."""

    async def in_session(arguments: dict[str, Any], ctx: RunContext[Any]) -> Any:
        async def running(given: Mapping[str, Any]) -> Any:
            return await function(arguments if given is bridged.arguments else dict(given), ctx)

        return await bridged.call_async(running)

    return in_session
