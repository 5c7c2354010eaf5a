"""The tools that a user names as `module:name`, or that stand in a module, as far as they are known before any call.

Read are `ToolSpec`s, functions marked with `@tool`, other callables, the tools of frameworks (an object with a name and
a schema of its arguments), and tools as the JSON that model providers take; alone, in a list, or in a mapping by name.
In a module, the functions and tools that stand at its top count, but not plain functions; else its lists of tools.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from sealegs.adapters.marks import spec_from_tool
from sealegs.adapters.python import DECLARED, DRY
from sealegs.adapters.python.parameters import Parameters
from sealegs.faults.misfires import ListedTool
from sealegs.faults.naming import import_module, import_object
from sealegs.faults.spec import ToolSpec
from sealegs.faults.user_error import UserError

SCHEMAS = ("args_schema", "params_json_schema", "input_schema", "inputSchema", "parameters", "args")
LISTS = ("tools", "TOOLS", "specs", "SPECS")  # what a module's list of tools is usually called


def listed_tools(name: str) -> list[ListedTool]:
    """The tools that `module:name` or `module` names.

    Raises:
        UserError: it cannot be imported, or holds no tools.
    """
    if ":" in name:
        found = list(_tools_in(import_object(name)))
    else:
        names = vars(import_module(name)) if name else {}
        found = [tool for thing in names.values() if (tool := _recognised(thing)) is not None]
        # Plain functions in a list come second: tools that are marked as such say more than a variable's name.
        found = found or [tool for one in LISTS if one in names for tool in _tools_in(names[one])]
    if not found:
        raise UserError(f"{name!r} holds no tools; name a list of tools or of ToolSpecs as module:name")
    return list({tool.spec.name: tool for tool in found}.values())


def known_tool(thing: Any) -> ListedTool:
    """The entry of one tool, as far as it is known.

    Raises:
        UserError: the thing is not a tool.
    """
    return _recognised(thing) or _plain(thing)


def _tools_in(given: Any) -> Iterable[ListedTool]:
    # First, because a provider's JSON of one tool is a mapping, too.
    one = _recognised(given)
    if one is not None:
        yield one
    elif isinstance(given, Mapping):
        for name, thing in given.items():
            tool = known_tool(thing)
            yield replace(tool, spec=replace(tool.spec, name=str(name)))
    elif isinstance(given, Iterable) and not isinstance(given, (str, bytes)):
        for thing in given:
            yield known_tool(thing)
    else:
        yield _plain(given)


def _recognised(thing: Any) -> ListedTool | None:
    """A thing that shows by itself that it is a tool."""
    if isinstance(thing, ToolSpec):
        return ListedTool(thing)
    declared = getattr(thing, DECLARED, None)
    if isinstance(declared, ToolSpec):
        return ListedTool(declared, dry=bool(getattr(thing, DRY, False)))
    if isinstance(thing, Mapping):
        return _provided(thing)
    name = getattr(thing, "name", None)
    # A tool's class has these attributes, too, and is not a tool.
    if isinstance(thing, type) or not isinstance(name, str) or not any(hasattr(thing, schema) for schema in SCHEMAS):
        return None
    places = (getattr(thing, place, None) for place in ("metadata", "custom_metadata", "annotations", "raw_mcp_tool"))
    return ListedTool(spec_from_tool(name, lambda: _schema(thing), *places), dry=False)


def _schema(thing: Any) -> Any:
    """The schema of a framework's tool for its arguments; some make it on demand."""
    found = next(found for name in SCHEMAS if (found := getattr(thing, name, None)) is not None)
    return found() if inspect.ismethod(found) else found


def _provided(data: Mapping[Any, Any]) -> ListedTool | None:
    """A tool as the JSON that model providers take, which says nothing of how it is run."""
    inner = data.get("function", data)
    name = inner.get("name") if isinstance(inner, Mapping) else None
    schema = next((inner[key] for key in SCHEMAS if isinstance(inner.get(key), Mapping)), None) if name else None
    return ListedTool(ToolSpec(name, parameters=schema)) if isinstance(name, str) and schema is not None else None


def _plain(thing: Any) -> ListedTool:
    """A callable of which nothing is declared."""
    if not callable(thing):
        raise UserError(f"{thing!r} is not a tool; give callables, tools of a framework, or ToolSpecs")
    name = str(getattr(thing, "__name__", type(thing).__name__))
    return ListedTool(ToolSpec(name, parameters=Parameters(thing).schema), dry=False)
