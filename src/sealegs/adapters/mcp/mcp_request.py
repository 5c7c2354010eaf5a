"""A request of an MCP client that a tool or the list of the tools answers, and the same request sent again.

The plan names tools/list like a tool, by `tools/list`, and a request over HTTP by `http/request`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sealegs.adapters.mcp.framing import Message, RequestId, encode_message
from sealegs.faults.call import Call

LIST = "tools/list"
CALL = "tools/call"
HTTP_REQUEST = "http/request"  # the name of a request over HTTP itself
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"  # in the `_meta` of every request of the stateless era
DRY = "sealegs/dry"  # in the `_meta` of a tool and of a call


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

    def again(self, call: Call, turn: int) -> tuple[bytes, RequestId]:
        """The request once more, for this call: under an id of its own, and without asking for progress reports."""
        id = f"{json.dumps(self.id)}+{turn}"
        params = dict(self.message.get("params") or {})
        if self.tool == LIST:
            params |= call.arguments
        else:
            params |= {"name": call.tool, "arguments": call.arguments}
        params.pop("task", None)  # nobody would fetch its result
        if isinstance(params.get("_meta"), dict):
            params["_meta"] = {key: value for key, value in params["_meta"].items() if key != "progressToken"}
        if call.dry:
            params["_meta"] = {**params.get("_meta", {}), DRY: True}
        return encode_message({**self.message, "id": id, "params": params}), id
