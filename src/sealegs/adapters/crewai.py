"""CrewAI: tools of agents and crews through a session.

`Agent(role=..., tools=wrap(tools, session))`. Faults happen inside the tool's function, so that CrewAI's own handling
of errors, its hooks, its cache and its counting of uses meet them as they meet the tool's own. (A hook could not do
this: what it raises is swallowed.) Tools that CrewAI makes itself (delegation, memory, knowledge) and tools of an
agent's `mcps` are out of reach. CrewAI keeps answers in a cache: a call that repeats an earlier one may never reach the
tool.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar, overload

from crewai.tools import BaseTool
from crewai.tools.base_tool import Tool
from crewai.utilities.string_utils import sanitize_tool_name

from sealegs.adapters import python
from sealegs.inject import Session

T = TypeVar("T", bound=BaseTool)


@overload
def wrap(tools: Sequence[BaseTool], session: Session | None = None) -> list[BaseTool]: ...
@overload
def wrap(tools: T, session: Session | None = None) -> T: ...
def wrap(tools: Any, session: Session | None = None) -> Any:
    """A copy of the tool or tools with every call going through the session, under the name that the model reads.

    Args:
        tools: a tool of CrewAI or a sequence of them.
        session: the episode; None takes the session that is active when a call is made.
    """
    if isinstance(tools, Sequence):
        return [wrap(tool, session) for tool in tools]
    name, by_function = sanitize_tool_name(tools.name), isinstance(tools, Tool)
    inside = tools.func if by_function else tools._run
    wrapped = python.tool(name=name)(inside) if session is None else python.wrap(inside, session, name=name)
    copied = tools.model_copy()
    object.__setattr__(copied, "func" if by_function else "_run", wrapped)  # past pydantic, which knows no `_run`
    return copied
