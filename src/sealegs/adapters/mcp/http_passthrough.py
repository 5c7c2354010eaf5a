"""Requests over HTTP that pass as they are, and the streams among them on which clients hear of changes."""

from __future__ import annotations

from contextlib import suppress
from functools import partial

import aiohttp
from aiohttp import web

from sealegs.adapters.mcp.framing import Events, RequestId
from sealegs.adapters.mcp.http_response import LIMIT, SESSION, message_event
from sealegs.adapters.mcp.list_changes import list_changed
from sealegs.adapters.relaying.http_forwarding import forwarded
from sealegs.adapters.relaying.http_upstream import STREAM, Upstream, passed_on


class PassThrough:
    """Passes requests to the server and its answers back, chunk by chunk.

    Args:
        upstream: the server.
        announces: whether the list of the tools may change by a fault, which clients then hear of.
    """

    def __init__(self, upstream: Upstream, announces: bool) -> None:
        self._upstream = upstream
        self._announces = announces
        # Streams on which clients hear of changes: session, subscription, stream.
        self._listeners: list[tuple[str | None, RequestId | None, web.StreamResponse]] = []

    async def answered(
        self, request: web.BaseRequest, body: bytes, subscription: RequestId | None = None
    ) -> web.StreamResponse:
        """Answer a request as the server does. `subscription`: its id, where it asks to hear of changed lists."""
        async with self._upstream.asking(request, body, passed_on(request.headers)) as answer:
            listens = subscription is not None or request.method == "GET"
            # In a compressed stream events cannot be separated, so it passes as it comes.
            events = answer.content_type == STREAM and "Content-Encoding" not in answer.headers
            if events and (LIMIT in request or (listens and self._announces)):
                passing = partial(self._pass_events, request, answer, subscription)
                return await forwarded(self._upstream, request, answer, passing)
            return await forwarded(self._upstream, request, answer)

    async def _pass_events(
        self,
        request: web.BaseRequest,
        answer: aiohttp.ClientResponse,
        subscription: RequestId | None,
        response: web.StreamResponse,
    ) -> None:
        """Pass a stream on event by event, so that word of a changed list can go between them."""
        listener = (request.headers.get(SESSION), subscription, response)
        self._listeners.append(listener)
        events = Events()
        try:
            async for chunk in answer.content.iter_any():
                found = events.fed(chunk)
                # One by one, as `count` never returns from the last event that the client is to see.
                if LIMIT in request:
                    for event in found:
                        await response.write(event)
                        await request[LIMIT].count()
                elif found:
                    await response.write(b"".join(found))
            if events.rest:
                await response.write(events.rest)
        finally:
            self._listeners.remove(listener)

    async def announce(self, request: web.BaseRequest, modern: bool) -> None:
        """Say that the list of the tools has changed, to whoever listens."""
        session = request.headers.get(SESSION)
        for theirs, subscription, response in tuple(self._listeners):
            if modern == (subscription is not None) and (modern or theirs == session):
                with suppress(ConnectionError):
                    await response.write(message_event(list_changed(subscription)))
