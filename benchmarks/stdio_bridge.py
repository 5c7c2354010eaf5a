"""MCP over HTTP before a server over pipes, of the stateless era: one server for all requests, and each gets a stream.

    python benchmarks/stdio_bridge.py PORT COMMAND...

Requests are given ids of their own on the pipe, because clients count alike. What comes with a progress token goes to
the request that asked for it, and any other notification to the latest request that is under way. What it does not
cover: sessions, streams that are taken up again, and requests of the server.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from aiohttp import web

LIMIT = 64 << 20  # bytes of a line
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "bridge", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Bridge:
    """Between HTTP clients and one process."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._count = 0
        self._waiting: dict[int, tuple[Any, Any, asyncio.Queue[dict[str, Any]]]] = {}  # the client's id, its token

    async def read(self) -> None:
        """Hand on what the process says."""
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
            message = json.loads(line)
            params = message.get("params") or {}
            if "method" not in message:
                target = self._waiting.get(message.get("id"))
            elif (token := params.get("progressToken")) in self._waiting:
                target = self._waiting[token]
                params["progressToken"] = target[1]
            else:
                meta = (params.get("_meta") or {}).get("io.modelcontextprotocol/subscriptionId")
                target = self._waiting.get(meta) or next(reversed(self._waiting.values()), None)
            if target is not None:
                target[2].put_nowait(message)

    def _say(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")

    def begin(self) -> None:
        """Show the server the era: the first request on a pipe decides it for good, and clients try odd ones too."""
        self._say({"jsonrpc": "2.0", "id": 0, "method": "server/discover", "params": {"_meta": ENVELOPE}})

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer a POST with a stream of events that ends with the answer."""
        if request.method != "POST":
            return web.Response(status=405)
        message = await request.json()
        if "id" not in message:
            self._say(message)
            return web.Response(status=202)
        self._count += 1
        own, answers = self._count, asyncio.Queue[dict[str, Any]]()
        meta = (message.get("params") or {}).get("_meta") or {}
        self._waiting[own] = (message["id"], meta.get("progressToken"), answers)
        if "progressToken" in meta:
            meta["progressToken"] = own
        self._say({**message, "id": own})
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        answered = False
        try:
            while True:
                came = await answers.get()
                answered = ends = "method" not in came
                if ends and not response.prepared and "error" in came:
                    return web.json_response({**came, "id": message["id"]})
                if not response.prepared:
                    await response.prepare(request)
                answer = {**came, "id": message["id"]} if ends else came
                await response.write(b"event: message\ndata: " + json.dumps(answer).encode() + b"\n\n")
                if ends:
                    await response.write_eof()
                    return response
        finally:
            del self._waiting[own]
            if not answered:
                self._say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": own}})


async def main() -> None:
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*sys.argv[2:], stdin=pipe, stdout=pipe, limit=LIMIT)
    bridge = Bridge(process)
    bridge.begin()
    runner = web.ServerRunner(web.Server(bridge.handle, handler_cancellation=True, access_log=None))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", int(sys.argv[1])).start()
    try:
        await bridge.read()
    finally:
        process.terminate()


if __name__ == "__main__":
    asyncio.run(main())
