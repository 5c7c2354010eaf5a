"""HTTP's own failures in MCP: a login that has expired, a lost session, a limit, a reset, a stream that is cut off.

The plan names a request like a tool, by `http/request`. Its arguments are the HTTP `method`, the MCP method of the
`message` in it, and the `name` of the tool that this calls. An error is then HTTP's status, before the server has seen
the request, and not a tool's error. Data is not changed here: the rules on tools and lists do that.
"""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

from aiohttp import web

from sealegs.adapters.mcp.answers import CUT
from sealegs.adapters.mcp.framing import Message, id_of
from sealegs.adapters.mcp.http_response import LIMIT, SESSION, EventLimit
from sealegs.adapters.relaying.http_addresses import WELL_KNOWN
from sealegs.adapters.relaying.http_serving import hang_up, reset
from sealegs.faults.call import ALL, Call, Failure, Outcome, PartialResult, Value
from sealegs.inject import InterceptedCall

ARRIVING = 0.02  # seconds that what was sent has to arrive before a reset, which would discard it
LOST_SESSION = -32001
SERVER_ERROR = -32000
Answer = Callable[[], Awaitable[web.StreamResponse]]


def request_arguments(method: str, message: Message | None) -> Mapping[str, Any]:
    """A request as the arguments of a call."""
    request = message or {}
    params = request.get("params")
    name = params.get("name") if isinstance(params, dict) else None
    given = {"method": method, "message": request.get("method"), "name": name}
    return {key: value for key, value in given.items() if isinstance(value, str)}


class FaultedRequest:
    """One HTTP request on its way through the session.

    Args:
        request: the client's request.
        message: what it holds; None where that is not a message.
        intercepted: the same, in the hands of the session.
        answer: answers it as if nothing struck it.
    """

    def __init__(
        self, request: web.BaseRequest, message: Message | None, intercepted: InterceptedCall, answer: Answer
    ) -> None:
        self._request = request
        self._message = message
        whole = intercepted.layer
        intercepted.layer = lambda call: whole(replace(call, chunks=ALL))  # its answer may come in events
        self._intercepted = intercepted
        self._answer = answer
        self._response: web.StreamResponse | None = None

    async def answered(self) -> web.StreamResponse:
        """The response that the client is to see."""
        outcome = await self._intercepted.call_async(self._run)
        if not isinstance(outcome, Failure):
            assert self._response is not None
            return self._response
        if LIMIT in self._request:
            await asyncio.sleep(ARRIVING)
        if isinstance(outcome.exception, ConnectionResetError):
            return reset(self._request)
        if isinstance(outcome.exception, (*CUT, OSError)) or (outcome.status is None and outcome.type != "ToolError"):
            return hang_up(self._request)
        return self._refused(outcome)

    async def _run(self, call: Call) -> Outcome:
        """Answer the request, no further than to so many events where the call asks for chunks."""
        limit = None if call.chunks is None or call.chunks == ALL else EventLimit(call.chunks)
        if limit is not None:
            self._request[LIMIT] = limit
        task = asyncio.ensure_future(self._answer())
        try:
            await asyncio.wait((task,) if limit is None else (task, limit.reached), return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                return Value(PartialResult())
            response = task.result()
        finally:
            if not task.done():  # as if the client had hung up
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
        if limit is not None and not response.prepared:  # one chunk, of which nothing is shown
            return Value(PartialResult())
        self._response = response
        return Value({"status": response.status})

    def _refused(self, failure: Failure) -> web.Response:
        """The failure as an answer of HTTP, worded as servers of MCP do."""
        status = failure.status or 500
        headers = {"Content-Type": "application/json"}
        if failure.retry_after is not None:
            headers["Retry-After"] = str(math.ceil(failure.retry_after))
        if status in (401, 403):
            problem = {"error": "invalid_token" if status == 401 else "insufficient_scope"}
            problem["error_description"] = failure.message if failure.message != "Unauthorized" else "The token expired"
            headers["WWW-Authenticate"] = self._challenge(problem)
            return web.Response(status=status, headers=headers, body=json.dumps(problem).encode())
        # By the specification, a 404 to a request with a session id means that the session is over, and clients begin a
        # new one.
        lost = status == 404 and SESSION in self._request.headers
        error = {
            "code": LOST_SESSION if lost else SERVER_ERROR,
            "message": "Session not found" if lost and failure.message == "Not Found" else failure.message,
        }
        id = None if self._message is None else id_of(self._message)
        body = {"jsonrpc": "2.0", "id": id, "error": error}
        return web.Response(status=status, headers=headers, body=json.dumps(body).encode())

    def _challenge(self, problem: Mapping[str, str]) -> str:
        request = self._request
        place = f"{request.scheme}://{request.host}{WELL_KNOWN}oauth-protected-resource{request.path}"
        pairs = {**problem, "resource_metadata": place}
        return "Bearer " + ", ".join(f'{name}="{value.replace(chr(34), chr(39))}"' for name, value in pairs.items())
