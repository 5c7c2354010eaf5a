"""Inspect AI: tools whose calls go through a session.

Inspect shows an exception differently for every provider, and checks arguments before a tool sees them. So a tool made
here takes whatever the model sent, and its answer, failures included, is the text of the tool message.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from inspect_ai.tool import ToolDef, ToolInfo, ToolParams

from sealegs.faults.call import Call, Outcome, render
from sealegs.faults.spec import ToolSpec
from sealegs.inject import Session


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
