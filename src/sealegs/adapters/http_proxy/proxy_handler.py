"""The handler of requests: some go through the session, others pass as they are, and each is answered."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack, aclosing

import aiohttp
from aiohttp import web

from sealegs.adapters.http_proxy.client_response import shown_response
from sealegs.adapters.http_proxy.plan_switch import PlanSwitch
from sealegs.adapters.http_proxy.request_names import RequestNames
from sealegs.adapters.http_proxy.tool_run import ToolRun
from sealegs.adapters.http_proxy.websocket_passing import asks_websocket, passed_websocket
from sealegs.adapters.relaying.http_addresses import FORM_TYPE
from sealegs.adapters.relaying.http_forwarding import forwarded
from sealegs.adapters.relaying.http_guard import RequestGuard
from sealegs.adapters.relaying.http_serving import hang_up, reset
from sealegs.adapters.relaying.http_upstream import SHORT, STREAM, Upstream, passed_on
from sealegs.adapters.wire import HttpExchange


class ProxyHandler:
    """Answers the requests of clients.

    Args:
        upstream: the server.
        switch: says what becomes of requests now.
        names: says what each is to the session.
        guard: says which are answered at all.
    """

    def __init__(self, upstream: Upstream, switch: PlanSwitch, names: RequestNames, guard: RequestGuard) -> None:
        self._upstream = upstream
        self._switch = switch
        self._names = names
        self._guard = guard

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer one request."""
        refusal = self._guard.refusal(request)
        if refusal is not None:
            return refusal
        self._switch.requests += 1
        try:
            return await self._answered(request)
        except aiohttp.ClientConnectorError as error:
            return web.Response(status=502, text=f"the server at {self._upstream.origin} cannot be reached: {error}\n")
        except ConnectionResetError:
            return reset(request)
        except (aiohttp.ClientError, ConnectionError, TimeoutError):  # the server hung up: so do we
            return hang_up(request)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():  # the client hung up, or the proxy ends
                raise
            return hang_up(request)  # a fault held it, and was switched off

    async def _answered(self, request: web.BaseRequest) -> web.StreamResponse:
        episode = await self._switch.episode()
        if episode is None or asks_websocket(request):
            return await self._untouched(request)
        named = self._names.read(request.method, request.raw_path, request.headers.items())
        body: bytes | None = None
        with ExitStack() as under_way:

            async def read() -> bytes:
                """Read the body, which only a request is read for that something can happen to."""
                nonlocal body
                under_way.enter_context(episode.call())
                body = await self._guard.body(request)
                return body

            call, api = await self._names.intercept(episode.session, named, read)
            if body is None:
                return await self._untouched(request)
            if call is None:
                return await self._passed(request, body)
            exchange = HttpExchange(named.tool, call.arguments, api)
            events = api is not None or STREAM in request.headers.get("Accept", "")
            run = ToolRun(self._upstream, request, named, body, exchange, events)
            async with aclosing(call.stream_async(run.run, exchange.split)) as coming:
                return await shown_response(request, exchange, coming)

    async def _untouched(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer a request that passes as it is; a large body passes as it comes."""
        self._switch.untouched += 1
        if asks_websocket(request):
            return await passed_websocket(self._upstream, request)
        if not request.body_exists:
            return await self._passed(request, b"")
        form = request.headers.get("Content-Type", "").startswith(FORM_TYPE)
        # A form is read as a whole whatever its length, since our address in it becomes the server's.
        if form or (request.content_length is not None and request.content_length <= SHORT):
            return await self._passed(request, await self._guard.body(request))
        return await self._passed(request, self._guard.stream(request))

    async def _passed(self, request: web.BaseRequest, body: bytes | AsyncIterator[bytes]) -> web.StreamResponse:
        async with self._upstream.asking(request, body, passed_on(request.headers)) as answer:
            return await forwarded(self._upstream, request, answer)
