"""The relay over streamable HTTP: which request passes as it is, and which one is taken through the session.

Every request passes with its method, path, headers and body, and every answer as it comes, chunk by chunk; what must go
through the session is asked for by itself, and the events that come before its answer pass meanwhile. A client that
hangs up ends its request to the server too: in the stateless era that is how a call is cancelled. In the handshake era
a stream of numbered events may break off and be taken up by another request (`Last-Event-ID`); a call waits for that,
and its answer is struck where it comes.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import aiohttp
from aiohttp import web

from sealegs.adapters.mcp.framing import (
    CANCEL,
    Events,
    Message,
    RequestId,
    cancelled_id,
    encode_message,
    id_of,
    is_answer,
    parse_message,
    stream_event_data,
    with_data,
)
from sealegs.adapters.mcp.gate import Gate
from sealegs.adapters.mcp.http_faulted_request import FaultedRequest, request_arguments
from sealegs.adapters.mcp.http_passthrough import PassThrough
from sealegs.adapters.mcp.http_redirect_map import RedirectMap
from sealegs.adapters.mcp.http_response import SESSION, GrowingResponse, ResponseHead, drained
from sealegs.adapters.mcp.http_resumption import KeptCalls, ResumableCall
from sealegs.adapters.mcp.list_changes import subscribed
from sealegs.adapters.mcp.mcp_exchange import ClientReply, McpExchange, ServerReply
from sealegs.adapters.mcp.mcp_request import route_by
from sealegs.adapters.relaying.http_guard import RequestGuard
from sealegs.adapters.relaying.http_serving import hang_up
from sealegs.adapters.relaying.http_upstream import STREAM, Upstream, uncompressed
from sealegs.faults.retry_after import seconds_invited

RESUMED = "Last-Event-ID"


class HttpRelay:
    """Relay between clients and a server.

    Args:
        upstream: the server.
        gate: what requests must go through.
        guard: says which requests are answered at all.
    """

    def __init__(self, upstream: Upstream, gate: Gate, guard: RequestGuard) -> None:
        self._upstream = upstream
        self._gate = gate
        self._guard = guard
        self._passing = PassThrough(upstream, announces=gate.lists)
        self._exchanges: dict[tuple[str | None, RequestId], McpExchange] = {}
        self._deaf: set[asyncio.Task[Any]] = set()  # calls that continue though their client is gone
        self._kept = KeptCalls()
        self._signposts = RedirectMap()

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer one request."""
        refusal = self._guard.refusal(request)
        if refusal is not None:
            return refusal
        body = await self._guard.body(request)
        signpost = self._signposts.at(request)
        response = await (self._answered(request, body, None) if signpost else self._counted(request, body))
        self._signposts.note(request, response, signpost)
        return response

    async def _counted(self, request: web.BaseRequest, body: bytes) -> web.StreamResponse:
        """Answer a request that is not expected to be redirected."""
        # Once the gate is shut nothing is struck any more, and bodies need no parsing.
        message = parse_message(body) if body and request.method == "POST" and not self._gate.shut else None
        if message is None and not self._gate.shut:
            self._gate.batch(body)
        intercepted = None
        if self._gate.requests:
            intercepted = self._gate.http_request(request_arguments(request.method, message))
        answer = partial(self._answered, request, body, message)
        if intercepted is None:
            return await answer()
        return await FaultedRequest(request, message, intercepted, answer).answered()

    async def _answered(self, request: web.BaseRequest, body: bytes, message: Message | None) -> web.StreamResponse:
        """Answer a request that is not struck itself."""
        try:
            if message is None:
                call = self._left_off(request)
                return await (self._passing.answered(request, body) if call is None else self._resume(request, call))
            if message.get("method") == CANCEL and self._cancelled(request, message):
                return web.Response(status=202)
            exchange = self._gate.exchange(body, message)
            if exchange is None:
                return await self._passing.answered(request, body, subscribed(message))
            return await self._go(request, exchange)
        except aiohttp.ClientConnectorError as error:
            return web.Response(status=502, text=f"the server at {self._upstream.origin} cannot be reached: {error}\n")
        except (aiohttp.ClientError, ConnectionError):  # the server hung up: so do we
            return hang_up(request)

    def _left_off(self, request: web.BaseRequest) -> ResumableCall | None:
        """The call whose stream a request takes up again; None where it does not."""
        last = request.headers.get(RESUMED)
        return None if last is None or request.method != "GET" else self._kept.with_event(last)

    def _cancelled(self, request: web.BaseRequest, message: Message) -> bool:
        """A client of the handshake era cancels. Whether the server need not hear of it; what it knows it ends."""
        id, session = cancelled_id(message), request.headers.get(SESSION)
        # Clients without a session all count from one: nobody can tell whose call is meant.
        exchange = self._exchanges.get((session, id)) if id is not None and session is not None else None
        if exchange is None:
            return False
        if exchange.waits:
            exchange.cancel()
        return not exchange.server_called

    async def _go(self, request: web.BaseRequest, exchange: McpExchange) -> web.StreamResponse:
        """Take a request through the session, in a task of its own that a cancel can end."""
        key = (request.headers.get(SESSION), exchange.request.id)
        call = ResumableCall(GrowingResponse(request), exchange.request.id)
        task = asyncio.get_running_loop().create_task(exchange.through(partial(self._ask, request, call), call.hand))
        call.task = exchange.task = task
        self._exchanges[key] = exchange
        # Not removed here: the task may outlive this request.
        task.add_done_callback(lambda _: self._gone(key, exchange))
        try:
            await asyncio.wait((task, call.over), return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:  # the client hung up
            # Only events with ids can be taken up again, and the stateless protocol has no session in which that could
            # be done.
            if call.ids and not exchange.request.modern:
                call.leave()  # it may come back for the answer
            elif not exchange.ignores_cancel:
                task.cancel()
            raise
        finally:
            if not task.done():
                self._deaf.add(task)  # the loop itself keeps only weak references to tasks
                task.add_done_callback(self._forgotten)
            if call.ids:
                self._kept.keep(call)
        if not task.done() or call.over.done():
            return await self._broken_off(request, call)
        if task.cancelled():
            return await call.response.ended()
        reply = task.result()
        if reply is None:
            return await self._broken_off(request, call)
        if exchange.changes_list:
            await self._passing.announce(request, exchange.request.modern)
        if reply.cut:
            return hang_up(request)
        return await call.response.finished(reply, exchange.request.modern)

    async def _broken_off(self, request: web.BaseRequest, call: ResumableCall) -> web.StreamResponse:
        """The client gets the answer later: it sees the handle of a task, or the stream end as the server ended it."""
        handle = call.over.result()
        if handle is not None:
            return await call.response.finished(ClientReply(handle, None), modern=False)
        return hang_up(request) if call.broke else await call.response.ended()

    def _gone(self, key: tuple[str | None, RequestId], exchange: McpExchange) -> None:
        if self._exchanges.get(key) is exchange:
            del self._exchanges[key]

    def _forgotten(self, task: asyncio.Task[Any]) -> None:
        self._deaf.discard(task)
        if not task.cancelled():
            task.exception()  # of nobody's concern any more

    async def _ask(self, request: web.BaseRequest, call: ResumableCall, body: bytes, id: RequestId) -> ServerReply:
        """Ask the server, and wait for the answer, which may come on another stream than this one."""
        later = call.sent_under(id)
        call.reads = True
        try:
            heard = await self._heard(request, call, body, id)
            if heard is not None:
                return heard
        except (aiohttp.ClientError, ConnectionError):
            if not call.ids:
                raise
            call.broke = True
        except asyncio.CancelledError:
            task = asyncio.current_task()
            # Cancelled because the stream was left, not the call: the answer may come on another stream.
            if not call.left or task is None:
                raise
            task.uncancel()  # or the next `await` in a timeout block would take it for a cancel of its own
        finally:
            call.reads = False
        call.break_off()
        return await later

    async def _heard(
        self, request: web.BaseRequest, call: ResumableCall, body: bytes, id: RequestId, target: str | None = None
    ) -> ServerReply | None:
        """Ask the server, at this target if not at the client's.

        What it sends before its answer passes at once. None where the answer is still to come.
        """
        asking = uncompressed(request)
        # The body may be another one than the client's.
        asking.pop("Content-Length", None)
        if id != call.id:
            route_by(asking, parse_message(body) or {}, self._gate.tools.specs)
        async with self._upstream.asking(request, body, asking, target) as answer:
            moved = self._signposts.target(request, answer) if target is None else None
            if moved is not None:
                return await self._heard(request, call, body, id, moved)
            headers = self._upstream.answered(request, answer)
            if answer.content_type != STREAM:
                raw = await answer.read()
                message = parse_message(raw)
                form = ResponseHead(answer.status, headers, event=False)
                wait = seconds_invited(answer.headers.get("Retry-After", ""), answer.headers.get("Date", ""))
                parsed = message if message is not None and is_answer(message) else None
                return ServerReply(parsed, raw, form, answer.status, wait)
            form = ResponseHead(answer.status, headers, event=True)
            events = Events()
            async for chunk in answer.content.iter_any():
                for event in events.fed(chunk):
                    call.note(event)
                    message = parse_message(stream_event_data(event))
                    if message is not None and is_answer(message) and id_of(message) == id:
                        await drained(answer)  # so that the connection can be used again
                        return ServerReply(message, event, form)
                    await call.response.passed(event, form)
        await call.response.passed(events.rest, form)
        # A server may close a stream whose events have ids: the client takes it up again, and the answer comes there.
        return None if call.ids else ServerReply(None, b"", form)

    async def _resume(self, request: web.BaseRequest, call: ResumableCall) -> web.StreamResponse:
        """A client takes up the stream of a call again: its answer may come here."""
        response = GrowingResponse(request)
        async with self._upstream.asking(request, b"", uncompressed(request)) as answer:
            headers = self._upstream.answered(request, answer)
            if answer.content_type != STREAM:
                return web.Response(status=answer.status, headers=headers, body=await answer.read())
            form = ResponseHead(answer.status, headers, event=True)
            events = Events()
            async for chunk in answer.content.iter_any():
                for event in events.fed(chunk):
                    call.note(event)
                    message = parse_message(stream_event_data(event))
                    id = id_of(message) if message is not None and is_answer(message) else None
                    # A stream that is taken up again may bring other messages, and answers to calls that had been
                    # answered before.
                    if message is None or id is None or not call.knows(id):
                        await response.passed(event, form)
                        continue
                    reply = await call.concluded(id, ServerReply(message, event, form))
                    if reply is not None and reply.cut:
                        return hang_up(request)
                    if reply is not None:
                        await response.passed(
                            event if reply.message is None else with_data(event, encode_message(reply.message)), form
                        )
        await response.passed(events.rest, form)
        return await response.ended()
