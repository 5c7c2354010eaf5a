"""The transports of httpx and of httpx2, which are one library in two versions: written once, for either.

`httpx` and `httpx2` beside this file name the library. Faults strike below everything that an agent builds on a client:
retries, error classes, event hooks, other transports. A broken connection is raised as the library's own exception,
in its words. A request's read timeout holds for injected waits too. Trio is not supported, and what the library says of
HTTP/2 connections is not imitated.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from types import FunctionType
from typing import Any, ClassVar, cast

from sealegs.adapters.body_cutters import Cutter, Head, cut_by, cutter
from sealegs.adapters.python.exceptions import disguise, failure_from_exception, seen_from_outside
from sealegs.adapters.wire import (
    RETRIES,
    SAFE,
    HttpAnswer,
    HttpExchange,
    Naming,
    Trouble,
    arguments_of,
    connection_trouble,
    rebuilt,
    with_read_timeout,
    with_retry_count,
)
from sealegs.faults.call import Call, Failure, Outcome, PartialResult, Value
from sealegs.faults.model_apis import ModelApi, model_api_at
from sealegs.inject import NO_DRY_RUN, InterceptedCall, Session, StreamEnd


class HttpxTransport:
    """The base of all transports; `library`, `body` and `words` are those of each.

    Args:
        session: the episode; None: the active one (`with session:`), and none where none is active.
        inner: the transport below; by default the library's own, as a client makes it.
        tools: names for requests, each with a pattern of `METHOD host/path`.
    """

    library: ClassVar[Any]
    body: ClassVar[Callable[..., Any]]
    words: ClassVar[Mapping[Trouble, str]]  # where the library does not pass on the system's message

    def __init__(
        self, session: Session | None = None, inner: Any = None, tools: Mapping[str, str] | None = None
    ) -> None:
        self._naming = Naming(session, tools)
        self._inner = self._usual() if inner is None else inner

    def _usual(self) -> Any:
        raise NotImplementedError

    def name(self, request: Any) -> str:
        """The tool of a request."""
        return self._naming.name(request.method, request.url.netloc.decode("ascii"), request.url.path)

    def model_api(self, session: Session | None, name: str, request: Any) -> ModelApi | None:
        """The interface that a request asks where it asks a model; an async body must have been read before."""
        if session is None:
            return None
        return self._naming.model_api(session, name, request.method, request.url.path, request.read)

    def intercepted(
        self, session: Session | None, name: str, request: Any, api: ModelApi | None
    ) -> InterceptedCall | None:
        """The request as a call of its tool, under its own read timeout; None where it passes as it is."""
        if session is None:
            return None
        return self.limited(request, session.intercept(name, partial(self.arguments, session, name, api), request))

    def arguments(self, session: Session, name: str, api: ModelApi | None, request: Any) -> dict[str, Any]:
        """The arguments of a request to which something may happen; an async body must have been read before."""
        self._naming.declare(session, name, request.method, api)
        url, headers = request.url, request.headers.multi_items()
        return arguments_of(request.method, url.path, url.query.decode("ascii"), request.read(), headers)

    def limited(self, request: Any, call: InterceptedCall | None) -> InterceptedCall | None:
        """The call, within what the request itself says of its limits."""
        if call is not None:
            read_timeout = request.extensions.get("timeout", {}).get("read")
            call.layer = with_read_timeout(read_timeout, call.layer)
            call.layer = with_retry_count(request.headers.get(RETRIES), call.layer)
        return call

    def outgoing(self, request: Any, call: Call, exchange: HttpExchange) -> Any:
        """The request of a call: as it was made, or with the arguments that a fault has changed."""
        # Identity: only a fault replaces the arguments, and a rebuilt request differs in details.
        if call.arguments is exchange.arguments:
            return request
        path, query, body = rebuilt(call.arguments)
        # The library sets the length of the new body itself.
        headers = {name: value for name, value in request.headers.items() if name.lower() != "content-length"}
        url = request.url.copy_with(path=path, query=query.encode() or None)
        return self.library.Request(request.method, url, headers=headers, content=body, extensions=request.extensions)

    def head(self, response: Any) -> Head:
        """The head of a real answer."""
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in response.headers.raw]
        return Head(response.status_code, headers, response)

    def answered(self, exchange: HttpExchange, head: Head, raw: bytes) -> Outcome:
        """The outcome that the seam notes for a whole real answer."""
        try:
            # The library decodes the body by its headers, as it would for the client.
            body = self.library.Response(head.status, headers=list(head.headers), content=raw).content
        except self.library.DecodingError:
            body = raw  # the client will fail to decode it as well
        return exchange.answered(HttpAnswer(head, raw, body))

    def unsent(self, error: BaseException) -> bool:
        """Return whether an error of the real transport says that the request never left: no connection came about.

        Only the library's own transport is believed: one of others' making may have sent the request before.
        """
        own = (self.library.HTTPTransport, self.library.AsyncHTTPTransport)
        # `type`, not `isinstance`: a subclass may do more.
        return type(self._inner) in own and type(error) in (self.library.ConnectError, self.library.ConnectTimeout)

    def response(self, head: Head, body: Any) -> Any:
        """The library's answer with this head and body."""
        extensions = {"http_version": b"HTTP/1.1"} if head.original is None else head.original.extensions
        return self.library.Response(head.status, headers=list(head.headers), stream=body, extensions=extensions)

    def error(self, failure: Failure, body: StreamedBody | None = None) -> BaseException:
        """The original exception if there was one, otherwise the library's exception for this type of failure.

        Args:
            failure: the failure.
            body: what has come of the answer; None where not even its head has.
        """
        library, kind = self.library, connection_trouble(failure)
        if isinstance(failure.exception, library.TransportError):
            return cast(BaseException, failure.exception)
        text = self.words.get(kind, failure.message) if kind else failure.message
        if kind == "closed":
            early = "Server disconnected without sending a response."
            return cast(BaseException, library.RemoteProtocolError(early if body is None else body.incomplete()))
        raised = library.ReadTimeout if kind == "timeout" else library.ReadError
        # Once a head has come, there was a connection: it can break, and no longer be refused.
        if body is None and kind in ("refused", "dns", "tls"):
            raised = library.ConnectError
        return cast(BaseException, raised(text))


class StreamedBody:
    """A body under way: what has come of it, and what comes.

    Args:
        coming: the chunks that come, last an `StreamEnd`.
        exchange: whose body it is.
        head: the head that has been shown.
        family: the transport.
    """

    def __init__(self, coming: Any, exchange: HttpExchange, head: Head, family: HttpxTransport) -> None:
        self._coming = coming
        self._exchange = exchange
        self._head = head
        self._family = family
        self._bytes = 0

    def counted(self, chunk: bytes) -> bytes:
        """A chunk that comes now."""
        self._bytes += len(chunk)
        return chunk

    def broken(self, end: StreamEnd) -> BaseException | None:
        """The exception to raise at the end; None where the answer is complete."""
        failure = self._exchange.broken(end.outcome)
        return None if failure is None else self._family.error(failure, self)

    def incomplete(self) -> str:
        """The library's message for a connection that the far side closed in the middle of the body."""
        detail, length = "incomplete chunked read", self._head.header("content-length")
        if length:
            detail = f"received {self._bytes} bytes, expected {length}"
        return f"peer closed connection without sending complete message body ({detail})"


class SyncStreamedBody(StreamedBody):
    """The body that a sync client reads."""

    def __iter__(self) -> Iterator[bytes]:
        """The body's chunks as they come."""
        end = StreamEnd(Value(None))
        for chunk in self._coming:
            if isinstance(chunk, StreamEnd):
                end = chunk
            else:
                yield self.counted(chunk)
        if event := self._exchange.closing_event(end.outcome):
            yield self.counted(event)
        if (error := self.broken(end)) is not None:
            raise error

    def close(self) -> None:
        """The client has read enough."""
        self._coming.close()


class AsyncStreamedBody(StreamedBody):
    """The body that an async client reads."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """The body's chunks as they come."""
        end = StreamEnd(Value(None))
        try:
            async for chunk in self._coming:
                if isinstance(chunk, StreamEnd):
                    end = chunk
                else:
                    yield self.counted(chunk)
        except asyncio.CancelledError as gone:
            # The trace then reads as if the library's own transport had been cancelled.
            raise seen_from_outside(gone) from None
        if event := self._exchange.closing_event(end.outcome):
            yield self.counted(event)
        if (error := self.broken(end)) is not None:
            raise error

    async def aclose(self) -> None:
        """The client has read enough."""
        await self._coming.aclose()


class SyncHttpxTransport(HttpxTransport):
    """The transport of sync clients."""

    words = {"timeout": "timed out"}

    def __init_subclass__(cls) -> None:
        """Dress the frames that an exception shows as those of the library's own transport."""
        cls.handle_request = dressed(cls.handle_request, cls.library.HTTPTransport.handle_request)  # type: ignore[method-assign]

    def _usual(self) -> Any:
        return self.library.HTTPTransport()

    def handle_request(self, request: Any) -> Any:
        """Send a request, through the session where one is meant."""
        # Without a session nothing of the request is read.
        session, name = self._naming.session(), self.name(request)
        api = self.model_api(session, name, request)
        intercepted = self.intercepted(session, name, request, api)
        if intercepted is None:
            return self._inner.handle_request(request)
        exchange = HttpExchange(name, intercepted.arguments, api)
        coming = intercepted.stream(self._running(request, exchange), exchange.split)
        head = next(coming)
        if isinstance(head, StreamEnd):
            raise self.error(cast(Failure, head.outcome))
        return self.response(head, self.body(coming, exchange, head, self))

    def close(self) -> None:
        """Close the transport below."""
        self._inner.close()

    def _running(self, request: Any, exchange: HttpExchange) -> Callable[[Call], Generator[Any, None, None]]:
        def run(call: Call) -> Generator[Any, None, None]:
            # A safe method changes nothing, so its dry run is the request itself.
            if call.dry and request.method not in SAFE:
                yield StreamEnd(NO_DRY_RUN)
                return
            try:
                response = self._inner.handle_request(self.outgoing(request, call, exchange))
            except self.library.TransportError as error:
                yield StreamEnd(exchange.broke(replace(failure_from_exception(error), unsent=self.unsent(error))))
                return
            try:
                yield from self._shown(response, call, exchange)
            finally:
                response.close()

        return run

    def _shown(self, response: Any, call: Call, exchange: HttpExchange) -> Generator[Any, None, None]:
        """The head and the chunks of a real answer, last the `StreamEnd`."""
        head, came = self.head(response), list[bytes]()
        yield head
        try:
            for chunk in cut_by(cutter(head, call), response.stream):
                # A fault requested this many; the rest of the answer is never read.
                if len(came) == call.chunks:
                    yield StreamEnd(Value(PartialResult(came)))
                    return
                came.append(chunk)
                yield chunk
        except self.library.TransportError as error:
            yield StreamEnd(exchange.broke(failure_from_exception(error), head, b"".join(came)))
            return
        yield StreamEnd(self.answered(exchange, head, b"".join(came)))


class AsyncHttpxTransport(HttpxTransport):
    """The transport of async clients."""

    words = {"timeout": "", "reset": "", "refused": "All connection attempts failed"}

    def __init_subclass__(cls) -> None:
        """Dress the frames that an exception shows as those of the library's own transport."""
        own = cls.library.AsyncHTTPTransport.handle_async_request
        cls.handle_async_request = dressed(cls.handle_async_request, own)  # type: ignore[method-assign]

    def _usual(self) -> Any:
        return self.library.AsyncHTTPTransport()

    async def handle_async_request(self, request: Any) -> Any:
        """Send a request, through the session where one is meant."""
        session, name = self._naming.session(), self.name(request)
        if session is None:
            return await self._inner.handle_async_request(request)
        if model_api_at(request.method, request.url.path) is not None:
            await _read_body(request)
        api = self.model_api(session, name, request)

        async def arguments() -> Mapping[str, Any]:
            await _read_body(request)  # only now: an upload that no rule concerns should keep streaming
            return self.arguments(session, name, api, request)

        intercepted = self.limited(request, await session.intercept_async(name, arguments))
        if intercepted is None:
            return await self._inner.handle_async_request(request)
        exchange = HttpExchange(name, intercepted.arguments, api)
        coming = intercepted.stream_async(self._running(request, exchange), exchange.split)
        try:
            head = await anext(coming)
        except asyncio.CancelledError as gone:
            raise seen_from_outside(gone) from None
        if isinstance(head, StreamEnd):
            raise self.error(cast(Failure, head.outcome))
        return self.response(head, self.body(coming, exchange, head, self))

    async def aclose(self) -> None:
        """Close the transport below."""
        await self._inner.aclose()

    def _running(self, request: Any, exchange: HttpExchange) -> Callable[[Call], AsyncGenerator[Any, None]]:
        async def run(call: Call) -> AsyncGenerator[Any, None]:
            if call.dry and request.method not in SAFE:
                yield StreamEnd(NO_DRY_RUN)
                return
            try:
                response = await self._inner.handle_async_request(self.outgoing(request, call, exchange))
            except self.library.TransportError as error:
                yield StreamEnd(exchange.broke(replace(failure_from_exception(error), unsent=self.unsent(error))))
                return
            try:
                async for chunk in self._shown(response, call, exchange):
                    yield chunk
            finally:
                await response.aclose()

        return run

    async def _shown(self, response: Any, call: Call, exchange: HttpExchange) -> AsyncGenerator[Any, None]:
        """The head and the chunks of a real answer, last the `StreamEnd`."""
        head, came = self.head(response), list[bytes]()
        yield head
        try:
            async for chunk in self._cut(cutter(head, call), response.stream):
                if len(came) == call.chunks:
                    yield StreamEnd(Value(PartialResult(came)))
                    return
                came.append(chunk)
                yield chunk
        except self.library.TransportError as error:
            yield StreamEnd(exchange.broke(failure_from_exception(error), head, b"".join(came)))
            return
        yield StreamEnd(self.answered(exchange, head, b"".join(came)))

    async def _cut(self, cutter: Cutter, stream: Any) -> AsyncIterator[bytes]:
        """The chunks of a body, each as soon as it has come."""
        async for block in stream:
            for chunk in cutter.cut(block):
                yield chunk
        for chunk in cutter.rest():
            yield chunk


def dressed(function: Any, own: Any) -> Any:
    """A copy of the function whose frame reads as one of the library's own."""
    copy = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    disguise(copy, own, own.__name__)
    return copy


async def _read_body(request: Any) -> None:
    """Read what is uploaded from an async source, which cannot be read while its call is made."""
    if not isinstance(request.stream, Iterable):
        await request.aread()
