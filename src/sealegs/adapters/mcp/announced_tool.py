"""A tool as its MCP server announces it, read as a `ToolSpec`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sealegs.adapters.mcp.mcp_request import DRY
from sealegs.faults.spec import ToolSpec

HINTS = {
    "readOnlyHint": "read_only",
    "destructiveHint": "destructive",
    "idempotentHint": "idempotent",
    "openWorldHint": "open_world",
}


def announced_spec(tool: Mapping[str, Any]) -> ToolSpec:
    """The spec of a tool; its hints become tags too, and so do FastMCP's tags."""
    hints = tool.get("annotations")
    hints = hints if isinstance(hints, dict) else {}
    returns = tool.get("outputSchema")
    parameters = tool.get("inputSchema")
    return ToolSpec(
        name=str(tool.get("name")),
        description=str(tool.get("description") or ""),
        parameters=parameters if isinstance(parameters, dict) else {},
        returns=_unwrapped(returns) if isinstance(returns, dict) else {},
        tags=frozenset(tag for hint, tag in HINTS.items() if hints.get(hint) is True) | _tags(tool.get("_meta")),
        effects=_effects(hints),
        idempotent=hints.get("idempotentHint") is True,
    )


def announces_dry_run(tool: Any) -> bool:
    """Return whether the tool says that it can be run without its effect."""
    meta = tool.get("_meta") if isinstance(tool, dict) else None
    return isinstance(meta, dict) and meta.get(DRY) is True


def _effects(hints: Mapping[str, Any]) -> bool | None:
    """Return whether a server says that its tool changes the world; None where it says nothing of it."""
    if hints.get("readOnlyHint") is True:
        return False
    hinted = hints.get("readOnlyHint") is False or "destructiveHint" in hints or "idempotentHint" in hints
    return True if hinted else None


def _unwrapped(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of an answer as the session reads it: what is not an object may stand as `{"result": ...}`."""
    fields = schema.get("properties")
    if not isinstance(fields, dict) or fields.keys() != {"result"}:
        return schema
    shared: dict[str, Any] = {key: schema[key] for key in ("$defs", "definitions") if key in schema}
    whole = {key: value for key, value in schema.items() if key not in shared}
    return {**shared, "anyOf": [fields["result"], whole]}


def _tags(meta: Any) -> frozenset[str]:
    own = meta.get("fastmcp") or meta.get("_fastmcp") if isinstance(meta, dict) else None
    tags = own.get("tags") if isinstance(own, dict) else None
    return frozenset(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else frozenset()
