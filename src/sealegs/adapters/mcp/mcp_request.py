"""A request of an MCP client that a tool or the list of the tools answers, and the same request sent again.

The plan names tools/list like a tool, by `tools/list`, and a request over HTTP by `http/request`. In the stateless era
a server over HTTP refuses a request whose headers `Mcp-Method`, `Mcp-Name` or `Mcp-Param-*` differ from its body.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any

from sealegs.adapters.mcp.framing import Message, RequestId, encode_message
from sealegs.faults.call import Call
from sealegs.faults.spec import ToolSpec

LIST = "tools/list"
CALL = "tools/call"
HTTP_REQUEST = "http/request"  # the name of a request over HTTP itself
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"  # in the `_meta` of every request of the stateless era
DRY = "sealegs/dry"  # in the `_meta` of a tool and of a call
METHOD, NAME, PARAMETER = "Mcp-Method", "Mcp-Name", "Mcp-Param-"  # headers
MARK = "x-mcp-header"  # in a parameter's schema: the rest of the name of its header
_PLAIN = re.compile(r"(?!=\?base64\?)[\x21-\x7E](?:[\x20-\x7E]*[\x21-\x7E])?")


@dataclass(frozen=True, slots=True)
class McpRequest:
    """A request as it came, and what it asks for."""

    raw: bytes
    message: Message
    id: RequestId
    tool: str
    arguments: Mapping[str, Any]

    @property
    def modern(self) -> bool:
        """Whether it is of the stateless era."""
        meta = (self.message.get("params") or {}).get("_meta")
        return isinstance(meta, dict) and VERSION_KEY in meta

    def listing(self, cursor: str | None, page: int) -> tuple[bytes, RequestId]:
        """A request of ours for a page of the list of the tools, under an id of its own."""
        id = f"{json.dumps(self.id)}+list{page}"
        params = {key: value for key, value in (self.message.get("params") or {}).items() if key == "_meta"}
        _drop_progress(params)
        if cursor is not None:
            params["cursor"] = cursor
        return encode_message({"jsonrpc": "2.0", "id": id, "method": LIST, "params": params}), id

    def again(self, call: Call, turn: int) -> tuple[bytes, RequestId]:
        """The request once more, for this call: under an id of its own, and without asking for progress reports."""
        id = f"{json.dumps(self.id)}+{turn}"
        params = dict(self.message.get("params") or {})
        if self.tool == LIST:
            params |= call.arguments
        else:
            params |= {"name": call.tool, "arguments": call.arguments}
        params.pop("task", None)  # nobody would fetch its result
        _drop_progress(params)
        if call.dry:
            params["_meta"] = {**params.get("_meta", {}), DRY: True}
        return encode_message({**self.message, "id": id, "params": params}), id


def _drop_progress(params: dict[str, Any]) -> None:
    """Ask for no progress reports: the client would take them for those of its own request."""
    if isinstance(params.get("_meta"), dict):
        params["_meta"] = {key: value for key, value in params["_meta"].items() if key != "progressToken"}


def route_by(headers: MutableMapping[str, str], message: Message, specs: Mapping[str, ToolSpec]) -> None:
    """Let the headers of a client's request say what this message asks for; those of the handshake era stay.

    Args:
        headers: are changed.
        message: another one than the client's.
        specs: the tools that the server has listed; only a listed tool's parameters are known to have headers.
    """
    if METHOD not in headers:
        return
    params = message.get("params") or {}
    tool, arguments = params.get("name"), params.get("arguments")
    known = specs.get(tool) if isinstance(tool, str) else None
    if known is not None or _encoded(str(tool)) != headers.get(NAME):
        for header in [one for one in headers if one.lower().startswith(PARAMETER.lower())]:
            headers.pop(header, None)
    headers[METHOD] = str(message.get("method"))
    headers.pop(NAME, None)
    if isinstance(tool, str):
        headers[NAME] = _encoded(tool)
    if known is not None:
        headers.update({f"{PARAMETER}{mark}": _encoded(text) for mark, text in _marked(known.parameters, arguments)})


def _marked(schema: Any, arguments: Any) -> Iterator[tuple[str, str]]:
    """The arguments that have a header, by the name in their schema, as texts."""
    fields = schema.get("properties") if isinstance(schema, Mapping) else None
    if not isinstance(fields, Mapping) or not isinstance(arguments, Mapping):
        return
    for name, field in fields.items():
        value = arguments.get(name)
        mark = field.get(MARK) if isinstance(field, Mapping) else None
        if isinstance(mark, str) and isinstance(value, (str, int, float)):
            yield mark, str(value).lower() if isinstance(value, bool) else str(value)
        yield from _marked(field, value)


def _encoded(text: str) -> str:
    """The text as the value of a header: as it is, or marked as base64 where that could not pass."""
    return text if _PLAIN.fullmatch(text) else f"=?base64?{base64.b64encode(text.encode()).decode()}?="
