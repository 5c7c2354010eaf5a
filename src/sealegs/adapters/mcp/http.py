"""The relay over streamable HTTP: listens on a port of this machine, and asks the server at an address.

Every request passes with its method, path, headers and body, and every answer as it comes, piece by piece; what must go
through the session is asked for by itself, and the events that come before its answer pass meanwhile. A client that
hangs up ends its request to the server too: in the stateless era that is how a call is cancelled. In the handshake era
a stream of numbered events may break off and be taken up by another request (`Last-Event-ID`); a call waits for that,
and its answer is struck where it comes. What it does not cover: addresses of the server inside its answers (those of a
login).
"""

from __future__ import annotations

import asyncio
import io
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import aiohttp
from aiohttp import web
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

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
    stream_event_id,
    with_data,
)
from sealegs.adapters.mcp.gate import ClientReply, Gate, McpExchange, ServerReply, list_changed, subscribed
from sealegs.adapters.mcp.pipe_relay import SIGNALS
from sealegs.faults.user_error import UserError

OF_ONE_HOP = frozenset(
    ("connection", "expect", "host", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade")
)
OWN = ("User-Agent", "Accept", "Accept-Encoding", "Content-Type")  # headers that aiohttp would add
SESSION = "Mcp-Session-Id"
STREAM = "text/event-stream"
RESUMED = "Last-Event-ID"
KEPT = 64  # calls whose stream may still be taken up again
LOOPBACK = frozenset(("127.0.0.1", "localhost", "::1"))
STATUS = {-32700: 400, -32600: 400, -32601: 404, -32602: 400}  # of protocol errors in the stateless era
IDLE = 2.0  # seconds after which an idle connection to the server is closed; most servers close it after five
LINGER = 0.05  # seconds that a stream has to end after the answer
SHORT = 1 << 20  # bytes that are passed on in one piece

Headers = CIMultiDict[str]


@dataclass(frozen=True, slots=True)
class ResponseHead:
    """How the server's answer came: its status and headers, and whether it was an event of a stream."""

    status: int
    headers: Headers
    event: bool


class HttpRelay:
    """Relay between clients and the server at `origin`.

    Args:
        origin: scheme, host and port of the server.
        gate: what requests must go through.
        names: the hosts that a client may have asked for; None for any. A page in a browser may have led a name of its
            own to this machine, and the server behind cannot tell any more.
        upstream: the connections to the server.
    """

    def __init__(self, origin: str, gate: Gate, names: frozenset[str] | None, upstream: aiohttp.ClientSession) -> None:
        self._origin = origin
        self._gate = gate
        self._names = names
        self._upstream = upstream
        self._exchanges: dict[tuple[str | None, RequestId], McpExchange] = {}
        self._deaf: set[asyncio.Task[Any]] = set()  # calls that go on though their client is gone
        self._kept: list[_Call] = []  # the oldest first
        # Streams on which clients hear of changes: session, subscription, stream.
        self._listeners: list[tuple[str | None, RequestId | None, web.StreamResponse]] = []

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer one request."""
        if self._names is not None and URL.build(scheme="http", authority=request.host).host not in self._names:
            return web.Response(status=421, text=f"this proxy answers for {', '.join(sorted(self._names))} alone\n")
        if not request.raw_path.startswith("/"):
            return web.Response(status=400, text="this is no proxy for other servers; ask for a path\n")
        if request.headers.get("Expect", "").lower() == "100-continue" and request.transport is not None:
            request.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        body = await request.content.read() if request.body_exists else b""
        message = parse_message(body) if body and request.method == "POST" and not self._gate.shut else None
        if message is None and not self._gate.shut:
            self._gate.batch(body)
        try:
            if message is None:
                call = self._left_off(request)
                return await (self._pass(request, body) if call is None else self._resume(request, call))
            if message.get("method") == CANCEL and self._cancelled(request, message):
                return web.Response(status=202)
            exchange = self._gate.exchange(body, message)
            if exchange is None:
                return await self._pass(request, body, subscribed(message))
            return await self._go(request, exchange)
        except aiohttp.ClientConnectorError as error:
            return web.Response(status=502, text=f"the server at {self._origin} cannot be reached: {error}\n")
        except (aiohttp.ClientError, ConnectionError):  # the server hung up: so do we
            return _hung_up(request)

    def _left_off(self, request: web.BaseRequest) -> _Call | None:
        """The call whose stream a request takes up again; None where it does not."""
        last = request.headers.get(RESUMED)
        if last is None or request.method != "GET":
            return None
        return next((call for call in reversed(self._kept) if last in call.ids), None)

    def _asking(self, request: web.BaseRequest, body: bytes, headers: Headers) -> aiohttp.client._RequestContextManager:
        url = URL(f"{self._origin}{request.raw_path}", encoded=True)
        data = body if len(body) < SHORT else io.BytesIO(body)
        return self._upstream.request(request.method, url, data=data, headers=headers, allow_redirects=False)

    async def _pass(
        self, request: web.BaseRequest, body: bytes, subscription: RequestId | None = None
    ) -> web.StreamResponse:
        async with self._asking(request, body, _passed_on(request.headers)) as answer:
            headers = _passed_on(answer.headers)
            if answer.content_type != STREAM and answer.content_length is not None and answer.content_length <= SHORT:
                return web.Response(status=answer.status, headers=headers, body=await answer.read())
            response = web.StreamResponse(status=answer.status, headers=headers)
            await response.prepare(request)
            told = subscription is not None or request.method == "GET"
            if told and self._gate.lists and answer.content_type == STREAM and "Content-Encoding" not in headers:
                await self._pass_events(request, answer, response, subscription)
            else:
                async for piece in answer.content.iter_any():
                    await response.write(piece)
            await response.write_eof()
            return response

    async def _pass_events(
        self,
        request: web.BaseRequest,
        answer: aiohttp.ClientResponse,
        response: web.StreamResponse,
        subscription: RequestId | None,
    ) -> None:
        """Pass a stream on event by event, so that word of a changed list can go between them."""
        listener = (request.headers.get(SESSION), subscription, response)
        self._listeners.append(listener)
        events = Events()
        try:
            async for piece in answer.content.iter_any():
                if found := events.fed(piece):
                    await response.write(b"".join(found))
            if events.rest:
                await response.write(events.rest)
        finally:
            self._listeners.remove(listener)

    async def _announce(self, request: web.BaseRequest, modern: bool) -> None:
        """Say that the list of the tools has changed, to whoever listens."""
        session = request.headers.get(SESSION)
        for theirs, subscription, response in tuple(self._listeners):
            if modern == (subscription is not None) and (modern or theirs == session):
                with suppress(ConnectionError):
                    await response.write(_event(list_changed(subscription)))

    def _cancelled(self, request: web.BaseRequest, message: Message) -> bool:
        """A client of the handshake era cancels. Whether the server need not hear of it; what it knows it ends."""
        id, session = cancelled_id(message), request.headers.get(SESSION)
        # Clients without a session all count from one: whose call is meant cannot be told.
        exchange = self._exchanges.get((session, id)) if id is not None and session is not None else None
        if exchange is None:
            return False
        if exchange.waits:
            exchange.cancel()
        return not exchange.asked

    async def _go(self, request: web.BaseRequest, exchange: McpExchange) -> web.StreamResponse:
        """Take a request through the session, in a task of its own that a cancel can end."""
        key = (request.headers.get(SESSION), exchange.request.id)
        call = _Call(_Answering(request), exchange.request.id)
        task = asyncio.get_running_loop().create_task(exchange.through(partial(self._ask, request, call), call.hand))
        call.task = exchange.task = task
        self._exchanges[key] = exchange
        task.add_done_callback(lambda _: self._gone(key, exchange))
        try:
            await asyncio.wait((task, call.over), return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:  # the client hung up
            if call.ids and not exchange.request.modern:
                call.leave()  # it may come back for the answer
            elif not exchange.ignores_cancel:
                task.cancel()
            raise
        finally:
            if not task.done():
                self._deaf.add(task)
                task.add_done_callback(self._forgotten)
            if call.ids:
                self._keep(call)
        if not task.done() or call.over.done():
            return await self._broken_off(request, call)
        if task.cancelled():
            return await call.answering.ended()
        reply = task.result()
        if reply is None:
            return await self._broken_off(request, call)
        if exchange.changes_list:
            await self._announce(request, exchange.request.modern)
        if reply.cut:
            return _hung_up(request)
        return await call.answering.finished(reply, exchange.request.modern)

    async def _broken_off(self, request: web.BaseRequest, call: _Call) -> web.StreamResponse:
        """The client gets the answer later: it sees the handle of a task, or the stream end as the server ended it."""
        handle = call.over.result()
        if handle is not None:
            return await call.answering.finished(ClientReply(handle, None), modern=False)
        return _hung_up(request) if call.broke else await call.answering.ended()

    def _gone(self, key: tuple[str | None, RequestId], exchange: McpExchange) -> None:
        if self._exchanges.get(key) is exchange:
            del self._exchanges[key]

    def _forgotten(self, task: asyncio.Task[Any]) -> None:
        self._deaf.discard(task)
        if not task.cancelled():
            task.exception()  # of nobody's concern any more

    def _keep(self, call: _Call) -> None:
        self._kept.append(call)
        if len(self._kept) > KEPT:
            oldest = self._kept.pop(0)
            if oldest.task is not None:
                oldest.task.cancel()

    async def _ask(self, request: web.BaseRequest, call: _Call, body: bytes, id: RequestId) -> ServerReply:
        """Ask the server, and wait for the answer, which may come on another stream than this one."""
        later = call.asked(id)
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
            if not call.left or task is None:
                raise
            task.uncancel()
        finally:
            call.reads = False
        call.break_off()
        return await later

    async def _heard(self, request: web.BaseRequest, call: _Call, body: bytes, id: RequestId) -> ServerReply | None:
        """Ask the server; what it sends before its answer passes at once. None where the answer is still to come."""
        headers = _plain(request)
        headers.pop("Content-Length", None)
        async with self._asking(request, body, headers) as answer:
            told = _passed_on(answer.headers)
            if answer.content_type != STREAM:
                raw = await answer.read()
                message = parse_message(raw)
                form = ResponseHead(answer.status, told, event=False)
                return ServerReply(message if message is not None and is_answer(message) else None, raw, form)
            form = ResponseHead(answer.status, told, event=True)
            events = Events()
            async for piece in answer.content.iter_any():
                for event in events.fed(piece):
                    call.note(event)
                    message = parse_message(stream_event_data(event))
                    if message is not None and is_answer(message) and id_of(message) == id:
                        await _drained(answer)
                        return ServerReply(message, event, form)
                    await call.answering.passed(event, form)
        await call.answering.passed(events.rest, form)
        return None if call.ids else ServerReply(None, b"", form)

    async def _resume(self, request: web.BaseRequest, call: _Call) -> web.StreamResponse:
        """A client takes up the stream of a call again: its answer may come here."""
        answering = _Answering(request)
        async with self._asking(request, b"", _plain(request)) as answer:
            told = _passed_on(answer.headers)
            if answer.content_type != STREAM:
                return web.Response(status=answer.status, headers=told, body=await answer.read())
            form = ResponseHead(answer.status, told, event=True)
            events = Events()
            async for piece in answer.content.iter_any():
                for event in events.fed(piece):
                    call.note(event)
                    message = parse_message(stream_event_data(event))
                    id = id_of(message) if message is not None and is_answer(message) else None
                    if message is None or id is None or not call.knows(id):
                        await answering.passed(event, form)
                        continue
                    reply = await call.concluded(id, ServerReply(message, event, form))
                    if reply is not None and reply.cut:
                        return _hung_up(request)
                    if reply is not None:
                        await answering.passed(
                            event if reply.message is None else with_data(event, encode_message(reply.message)), form
                        )
        await answering.passed(events.rest, form)
        return await answering.ended()


class _Call:
    """A call whose answer may come on another stream than the one that it was asked on.

    Attributes:
        answering: the answer to the client's own request.
        task: in which the call goes through the session.
        over: done where the client's request ends before the call does: with the handle of a task, or with None.
        broke: whether its stream broke, and did not end.
        ids: of the events that came, by one of which the client takes the stream up again.
        left: the client hung up, and may come back.
        reads: whether the server's answer is being read.
    """

    def __init__(self, answering: _Answering, id: RequestId) -> None:
        self.answering = answering
        self.task: asyncio.Task[ClientReply | None] | None = None
        self.over: asyncio.Future[ServerReply | None] = asyncio.get_running_loop().create_future()
        self.broke = False
        self.ids: set[str] = set()
        self.left = False
        self.reads = False
        self._id = id
        self._answers: dict[RequestId, asyncio.Future[ServerReply]] = {}

    def asked(self, id: RequestId) -> asyncio.Future[ServerReply]:
        """The server is asked under this id: where the answer goes if it comes elsewhere."""
        self._answers[id] = asyncio.get_running_loop().create_future()
        return self._answers[id]

    def knows(self, id: RequestId) -> bool:
        """Whether the server was asked under this id."""
        return id in self._answers

    def note(self, event: bytes) -> None:
        """An event came."""
        if id := stream_event_id(event):
            self.ids.add(id)

    def hand(self, handle: ServerReply) -> None:
        """The client is shown the handle of a task."""
        if not self.over.done():
            self.over.set_result(handle)

    def break_off(self) -> None:
        """The client's stream ends without the answer."""
        if not self.over.done():
            self.over.set_result(None)

    def leave(self) -> None:
        """The client hung up: nothing more is read for it."""
        self.left = True
        if self.reads and self.task is not None:
            self.task.cancel()

    async def concluded(self, id: RequestId, heard: ServerReply) -> ClientReply | None:
        """What is to be shown in the place of an answer; None where that is nothing."""
        assert self.task is not None
        if not self._answers[id].done():
            self._answers[id].set_result(heard)
        if id != self._id:
            return None
        try:
            return await asyncio.shield(self.task)
        except asyncio.CancelledError:
            if self.task.cancelled():  # the call was cancelled, so nothing answers it
                return None
            raise


class _Answering:
    """The answer to one request while it is made: a stream from the first event that passes on."""

    def __init__(self, request: web.BaseRequest) -> None:
        self._request = request
        self._stream: web.StreamResponse | None = None
        self._over = False

    async def passed(self, event: bytes, form: ResponseHead) -> None:
        """An event passes on; after the end, nowhere."""
        if event and not self._over:
            await (await self._begun(form)).write(event)

    async def finished(self, reply: ClientReply, modern: bool) -> web.StreamResponse:
        """The answer itself, as it came or as it was changed."""
        heard, message = reply.heard, reply.message
        if heard is not None and heard.form.event:
            await self.passed(
                heard.raw if message is None else with_data(heard.raw, encode_message(message)), heard.form
            )
        elif self._stream is not None:
            raw = heard.raw if heard is not None else b""
            await self._stream.write(_event(raw if message is None else encode_message(message)))
        elif message is not None:
            return _json(message, modern, heard.form if heard is not None else None)
        elif heard is not None:
            return web.Response(status=heard.form.status, headers=heard.form.headers, body=heard.raw)
        return await self.ended()

    async def ended(self) -> web.StreamResponse:
        """No more comes."""
        self._over = True
        stream = await self._begun(ResponseHead(200, CIMultiDict({"Content-Type": STREAM}), event=True))
        await stream.write_eof()
        return stream

    async def _begun(self, form: ResponseHead) -> web.StreamResponse:
        if self._stream is None:
            self._stream = web.StreamResponse(status=form.status, headers=form.headers)
            await self._stream.prepare(self._request)
        return self._stream


async def _drained(answer: aiohttp.ClientResponse) -> None:
    """Read what ends a stream, so that its connection serves again; one that goes on is given up."""
    with suppress(TimeoutError):
        async with asyncio.timeout(LINGER):
            await answer.content.readany()


def _event(data: bytes) -> bytes:
    return with_data(b"event: message\r\n\r\n", data)


def _json(message: Message, modern: bool, form: ResponseHead | None) -> web.Response:
    headers = CIMultiDict(form.headers) if form is not None else CIMultiDict({"Content-Type": "application/json"})
    headers.popall("Content-Length", None)
    error = message.get("error")
    status = STATUS.get(error["code"], 200) if modern and error is not None else 200
    return web.Response(status=status, headers=headers, body=encode_message(message))


def _passed_on(headers: CIMultiDictProxy[str]) -> Headers:
    """Headers without those that concern one connection alone."""
    return CIMultiDict((name, value) for name, value in headers.items() if name.lower() not in OF_ONE_HOP)


def _plain(request: web.BaseRequest) -> Headers:
    """The request's headers, for an answer that is to be read."""
    headers = _passed_on(request.headers)
    headers["Accept-Encoding"] = "identity"
    return headers


def _hung_up(request: web.BaseRequest) -> web.StreamResponse:
    """Cut the client's connection; what is returned goes nowhere."""
    if request.transport is not None:
        request.transport.abort()
    return web.Response(status=502)


def run_http_relay(url: str, gate: Gate, host: str, port: int, ready: Callable[[str], None]) -> int:
    """Relay over HTTP until this process gets a signal to end.

    Args:
        url: the server's endpoint.
        gate: what requests must go through.
        host: the address to listen on.
        port: the port; 0 for any that is free.
        ready: told the address for clients.

    Returns:
        The exit code.

    Raises:
        UserError: the address is none, or the port cannot be listened on.
    """
    target = _target(url)

    async def play() -> None:
        over = asyncio.Event()
        for number in SIGNALS:
            asyncio.get_running_loop().add_signal_handler(number, over.set)
        connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=IDLE)
        async with aiohttp.ClientSession(
            connector=connector,
            auto_decompress=False,
            cookie_jar=aiohttp.DummyCookieJar(),
            skip_auto_headers=OWN,
            timeout=aiohttp.ClientTimeout(total=None),
        ) as upstream:
            names = LOOPBACK | {host} if host in LOOPBACK else None
            relay = HttpRelay(str(target.origin()).rstrip("/"), gate, names, upstream)
            server = web.Server(relay.handle, handler_cancellation=True, access_log=None, auto_decompress=False)
            runner = web.ServerRunner(server, shutdown_timeout=0.1)
            await runner.setup()
            try:
                await _listening(runner, host, port)
                told = URL.build(scheme="http", host=host, port=runner.addresses[0][1])
                ready(f"{told}{target.raw_path_qs}")
                await over.wait()
            finally:
                gate.session.clock.release()
                await runner.cleanup()

    asyncio.run(play())
    return 0


def _target(url: str) -> URL:
    target = URL(url, encoded=True)
    if target.scheme not in ("http", "https") or not target.host:
        raise UserError(f"--url {url!r} is no address of a server; give one such as http://127.0.0.1:8000/mcp")
    return target


async def _listening(runner: web.ServerRunner, host: str, port: int) -> None:
    try:
        await web.TCPSite(runner, host, port).start()
    except OSError as error:
        reason = error.strerror or error
        raise UserError(f"cannot listen on {host} port {port}: {reason}; give another --port, or 0 for any") from error
