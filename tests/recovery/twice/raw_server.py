"""A server that does its work, notes it, and fails in every form: `raw_server.py LEDGER FAILURES pipe|http`.

By pipe it speaks MCP by lines. Over HTTP it prints its port, speaks MCP at `/mcp`, and takes any request at
`/TOOL/PLACE`, whose answer is the failure as HTTP has it. Calls have the forms that MCP allows (an `isError` with or
without data, an error of the protocol); over HTTP also a status, an answer that is cut off, and one that never comes.
The form is drawn by the failure, so that every run has the same ones.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

from tests.recovery.twice.till import LEVELS, MADE, WIRE, Till, level_and_place, noted_in

CODES = (-32700, -32600, -32601, -32602, -32603, -32000, -32001, -32002, -32042, 401, 404, 429, 503)
HINTS = {
    "acts": {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False},
    "reads": {"readOnlyHint": True},
    "idempotent": {"readOnlyHint": False, "idempotentHint": True},
    MADE: {"readOnlyHint": True},
}
HANGS = 200  # one in so many requests over HTTP has no answer


class Failing:
    """The failures, and how each is answered.

    Args:
        failures: the class, the text and the status of each.
    """

    def __init__(self, failures: Sequence[tuple[str, str, int]]) -> None:
        self._failures = failures

    def tool_answer(self, id: str) -> dict[str, Any]:
        """A failure as an answer of MCP, without its id."""
        place = level_and_place(id)[1]
        kind, text, status = self._failures[place]
        form = drawn(place, "form", 4)
        if form == 0:
            code = CODES[drawn(place, "code", len(CODES))]
            return {"error": {"code": code, "message": text, "data": {"type": kind, "status": status}}}
        said = text if form == 1 else f"Error calling tool {level_and_place(id)[0]!r}: {kind}: {text}"
        found: dict[str, Any] = {"content": [{"type": "text", "text": said}], "isError": True}
        if form == 3:
            found["structuredContent"] = {"error": {"type": kind, "message": text, "status": status}}
        return {"result": found}

    def http_form(self, id: str) -> str:
        """How HTTP answers: "status", "closed" before an answer, "cut" in the midst of one, or not at all: "hangs"."""
        level, place = level_and_place(id)
        if drawn(place, "hang", HANGS) == 0 and not level.startswith("verified"):
            return "hangs"
        return ("closed", "cut", "status", "status", "status", "status")[drawn(place, "http", 6)]

    def http_answer(self, id: str) -> tuple[int, bytes]:
        """The status and the body."""
        kind, text, status = self._failures[level_and_place(id)[1]]
        return status, json.dumps({"error": {"type": kind, "message": text}}).encode()


def drawn(place: int, what: str, below: int) -> int:
    """A number below a limit, the same in every run."""
    return crc32(f"{what} {place}".encode()) % below


def mcp_answer(till: Till, failing: Failing, message: dict[str, Any]) -> dict[str, Any]:
    """What MCP answers to a request."""
    method, params = message["method"], message.get("params", {})
    head = {"jsonrpc": "2.0", "id": message["id"]}
    if method == "initialize":
        about = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "till"}}
        return {**head, "result": {**about, "serverInfo": {"name": "till", "version": "1"}}}
    if method == "tools/list":
        return {**head, "result": {"tools": [_listed(name) for name in (*LEVELS, WIRE, MADE)]}}
    name, arguments = params["name"], params["arguments"]
    if name in (WIRE, MADE):
        data = till.wire(**arguments) if name == WIRE else till.made(**arguments)
        return {
            **head,
            "result": {"content": [{"type": "text", "text": json.dumps(data)}], "structuredContent": data},
        }
    till.pay(**arguments)
    return {**head, **failing.tool_answer(arguments["id"])}


def _listed(name: str) -> dict[str, Any]:
    text = {"type": "string"}
    schema = {"type": "object", "properties": {"id": text, "token": text}, "required": ["id"]}
    return {"name": name, "inputSchema": schema, **({"annotations": HINTS[name]} if name in HINTS else {})}


def by_pipe(till: Till, failing: Failing) -> None:
    """Answer line by line."""
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            print(json.dumps(mcp_answer(till, failing, message)), flush=True)


async def over_http(till: Till, failing: Failing) -> None:
    """Listen on any port, for ever."""
    from aiohttp import web

    async def answered(request: web.BaseRequest) -> Any:
        body = await request.read()
        if request.path == "/mcp":
            return await _mcp_response(till, failing, request, json.loads(body) if body else {})
        *before, level, place = request.path.strip("/").split("/")
        id = f"{level}-{place}"
        if before:
            data = till.wire(id) if before == [WIRE] else till.made(id)
            return web.json_response(data)
        till.pay(id)
        return await _failed(failing, request, id)

    runner = web.ServerRunner(web.Server(answered))
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    assert site._server is not None
    print(site._server.sockets[0].getsockname()[1], flush=True)  # type: ignore[attr-defined]
    await asyncio.Event().wait()


async def _mcp_response(till: Till, failing: Failing, request: Any, message: dict[str, Any]) -> Any:
    from aiohttp import web

    if "id" not in message:
        return web.Response(status=202 if request.method == "POST" else 405)
    answer = mcp_answer(till, failing, message)
    id = message.get("params", {}).get("arguments", {}).get("id", "")
    failed = message["method"] == "tools/call" and message["params"]["name"] in LEVELS
    place = level_and_place(id)[1] if failed else 0
    if failed and drawn(place, "below", 3) == 0:
        return await _failed(failing, request, id)
    data = json.dumps(answer)
    if failed and drawn(place, "events", 2):
        text = f"event: message\ndata: {data}\n\n"
        return web.Response(text=text, content_type="text/event-stream")
    return web.Response(text=data, content_type="application/json")


async def _failed(failing: Failing, request: Any, id: str) -> Any:
    """The failure as HTTP has it."""
    from aiohttp import web

    form = failing.http_form(id)
    status, body = failing.http_answer(id)
    headers = {"content-type": "application/json", "retry-after": "0"}
    if form == "hangs":
        await asyncio.sleep(3600)
    elif form == "closed":
        request.transport.close()
    elif form == "cut":
        response = web.StreamResponse(status=200, headers={**headers, "content-length": str(len(body) + 1000)})
        await response.prepare(request)
        await response.write(body)
        request.transport.close()
        return response
    return web.Response(status=status, headers=headers, body=body)


def main() -> None:
    """Serve."""
    ledger, failures, way = sys.argv[1:]
    till, failing = Till(noted_in(Path(ledger))), Failing(json.loads(Path(failures).read_text(encoding="utf-8")))
    if way == "pipe":
        by_pipe(till, failing)
    else:
        asyncio.run(over_http(till, failing))


if __name__ == "__main__":
    main()
