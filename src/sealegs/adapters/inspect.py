"""Inspect AI: tools whose calls go through a session.

`react(tools=wrap(tools, session))`, or any agent and solver that takes tools; a source of tools, such as an MCP server,
is wrapped as a whole. Inspect ends a sample where a tool raises anything but a few errors that it knows; with
`errors="shown"` faults are `ToolError`s, which it shows to the model. Handoffs to other agents are not calls of tools,
and pass; tools that the model's provider runs are out of reach.

`tool_def` is for tools that exist only here. Inspect shows an exception differently for every provider, and checks
arguments before a tool sees them. So a tool made by it takes whatever the model sent, and its answer, failures
included, is the text of the tool message.
"""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NoReturn, overload

from inspect_ai._util.exception import TerminateSampleError
from inspect_ai.model import ContentText
from inspect_ai.tool import MCPServer, Tool, ToolDef, ToolError, ToolInfo, ToolParams, ToolSource
from inspect_ai.util import LimitExceededError
from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from sealegs.adapters.bridge import ResultCodec, ToolCallBridge, data_of, exception_text, result_text
from sealegs.adapters.marks import spec_from_tool
from sealegs.faults.call import Call, Failure, Outcome, Value, render
from sealegs.faults.spec import ToolSpec
from sealegs.inject import Session

AnyTool = Tool | ToolDef | ToolSource
Errors = Literal["raised", "shown"]
PASSING: tuple[type[Exception], ...] = (LimitExceededError, TerminateSampleError)  # by which Inspect ends a sample


@overload
def wrap(
    tools: Sequence[AnyTool | Callable[..., Any]], session: Session | None = None, errors: Errors = "raised"
) -> list[Any]: ...
@overload
def wrap(tools: ToolDef, session: Session | None = None, errors: Errors = "raised") -> ToolDef: ...
@overload
def wrap(tools: MCPServer, session: Session | None = None, errors: Errors = "raised") -> MCPServer: ...
@overload
def wrap(tools: ToolSource, session: Session | None = None, errors: Errors = "raised") -> ToolSource: ...
@overload
def wrap(tools: Tool, session: Session | None = None, errors: Errors = "raised") -> Tool: ...
def wrap(tools: Any, session: Session | None = None, errors: Errors = "raised") -> Any:
    """A copy of the tool or tools with every call going through the session.

    Args:
        tools: a tool, a definition of one, a source of tools, or a sequence of them.
        session: the episode; None takes the session that is active when a call is made.
        errors: what becomes of an injected failure. `raised`: the tool raises it, which ends the sample unless
            something handles it. `shown`: the model reads it as of a tool that raises `ToolError`.
    """
    if isinstance(tools, Sequence):
        return [wrap(one, session, errors) for one in tools]
    if isinstance(tools, ToolDef):
        made = copy.copy(tools)
        made.tool = _in_session(tools.name, tools.tool, session, errors, spec=_spec(tools))
        return made
    if isinstance(tools, MCPServer):
        return _Server(tools, session, errors)
    if isinstance(tools, ToolSource):
        source: Any = copy.copy(tools)
        source.tools = _Server(tools, session, errors).tools  # Inspect looks for the server inside some sources
        return source
    defined = ToolDef(tools)
    return _in_session(defined.name, tools, session, errors, spec=_spec(defined))


def _spec(tool: ToolDef) -> ToolSpec:
    return spec_from_tool(tool.name, lambda: tool.parameters.model_dump(exclude_none=True))


class _Server(MCPServer):
    """A source of tools, or a server of them with its connection, whose tools go through a session."""

    def __init__(self, source: Any, session: Session | None, errors: Errors) -> None:
        self._source = source
        self._session = session
        self._errors: Errors = errors

    async def tools(self) -> list[Tool]:
        """The tools, wrapped."""
        tools: list[Tool] = wrap(await self._source.tools(), self._session, self._errors)
        return tools

    async def __aenter__(self) -> MCPServer:
        await self._source.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> bool | None:
        ended: bool | None = await self._source.__aexit__(*error)
        return ended


@dataclass(frozen=True, slots=True)
class AnswerText:
    """The form of data in the texts of tools' answers: by default JSON.

    Attributes:
        read: the data that a text holds, or the text itself.
        write: data as text; its second argument is the text that the tool gave, empty where it gave none.
    """

    read: Callable[[str], Any] = data_of
    write: Callable[[Any, str], str] = lambda value, before: result_text(value)


JSON_TEXT = AnswerText()


def wrap_def(
    tool: ToolDef,
    session: Session,
    texts: AnswerText = JSON_TEXT,
    inside: Callable[[], AbstractContextManager[object]] = nullcontext,
) -> ToolDef:
    """A copy of a tool's definition with every call going through the session; its failures are shown to the model.

    Args:
        tool: the definition.
        session: the episode.
        texts: how the tool's answers hold data.
        inside: makes the block in which the tool itself runs.
    """
    made = copy.copy(tool)
    made.tool = _in_session(tool.name, tool.tool, session, "shown", texts, inside=inside)
    return made


def _in_session(
    name: str,
    tool: Any,
    session: Session | None,
    errors: Errors,
    texts: AnswerText = JSON_TEXT,
    spec: ToolSpec | None = None,
    inside: Callable[[], AbstractContextManager[object]] = nullcontext,
) -> Any:
    """The tool's function with its calls through the session; Inspect reads all else from what `wraps` copies."""
    if not (inspect.isfunction(tool) or inspect.ismethod(tool)):
        return tool  # a handoff: an object that represents an agent
    read, written = partial(read_result, texts=texts), partial(_written, texts=texts)
    as_data = partial(to_jsonable_python, fallback=str)
    form = ResultCodec(read, written, complain if errors == "shown" else None, PASSING)
    bridge = ToolCallBridge(session, form, spec=spec)

    @functools.wraps(tool)
    async def execute(*args: Any, **kwargs: Any) -> Any:
        bridged = bridge.intercept(name, kwargs, as_data)
        if bridged is None:
            return await tool(*args, **kwargs)
        data = bridged.arguments

        async def running(given: Mapping[str, Any]) -> Any:
            changed = {key: value for key, value in given.items() if key not in data or data[key] != value}
            with inside():
                return await tool(*args, **{**kwargs, **changed})

        return await bridged.call_async(running)

    return execute


def read_result(result: Any, texts: AnswerText = JSON_TEXT) -> Outcome:
    """A tool's result as an outcome; a text that holds data is read as such."""
    text = _text_of(result)
    return Value(to_jsonable_python(result, fallback=str) if text is None else texts.read(text))


def _text_of(result: Any) -> str | None:
    """The text of a result; None where it is not text alone."""
    parts = result if isinstance(result, list) else [result]
    if any(not isinstance(part, (str, ContentText)) for part in parts):
        return None
    return "\n".join(part if isinstance(part, str) else part.text for part in parts)


def _written(value: Any, result: Any, texts: AnswerText = JSON_TEXT) -> Any:
    """Text where the tool gives text or contents, or did not run; other data as Inspect writes such of a tool."""
    contents = isinstance(result, list) and any(isinstance(part, BaseModel) for part in result)
    if contents or isinstance(result, (str, BaseModel, type(None))):
        return texts.write(value, _text_of(result) or "")
    return value


def complain(failure: Failure) -> NoReturn:
    """Raise a failure as Inspect shows one to the model.

    Raises:
        ToolError: always.
    """
    raise ToolError(exception_text(failure))


def tool_info(spec: ToolSpec) -> ToolInfo:
    """The tool as the model reads it."""
    return ToolInfo(name=spec.name, description=spec.description, parameters=tool_params(spec.parameters))


def tool_params(schema: Mapping[str, Any]) -> ToolParams:
    """A JSON Schema of arguments in Inspect's form, its references resolved."""
    return ToolParams.model_validate(_resolved(schema, schema.get("$defs", {})))


def tool_def(name: str, description: str, session: Session, run: Callable[[Call], Awaitable[Outcome]]) -> ToolDef:
    """A tool of this name: every call goes through the session, and `run` runs what lies below it."""

    async def execute(**kwargs: Any) -> str:
        return render(await session.call_async(name, kwargs, run))

    anything = ToolParams(additionalProperties=True)
    return ToolDef(execute, name=name, description=description or name, parameters=anything)


def _resolved(schema: Any, definitions: Mapping[str, Any]) -> Any:
    if isinstance(schema, Mapping):
        if "$ref" in schema:
            target = definitions[str(schema["$ref"]).rsplit("/", 1)[-1]]
            return _resolved({**target, **{k: v for k, v in schema.items() if k != "$ref"}}, definitions)
        return {key: _resolved(value, definitions) for key, value in schema.items() if key != "$defs"}
    if isinstance(schema, (list, tuple)):
        return [_resolved(item, definitions) for item in schema]
    return schema
