"""A call of a tool over HTTP as the session runs it: the head and the chunks of the server's answer, then its outcome.

A chunk is shown as soon as it has come, and its bytes are kept for the record and for faults that need them all; of a
stream that nobody needs as a whole no more than `KEPT` bytes are. Writing to the client is the work of
`client_response`.
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import aiohttp
from aiohttp import web

from sealegs.adapters.body_cutters import Head, cutter
from sealegs.adapters.http_proxy.body_coding import accepted, decoded
from sealegs.adapters.http_proxy.request_names import ClientRequest
from sealegs.adapters.relaying.http_upstream import Headers, Upstream, passed_on
from sealegs.adapters.wire import SAFE, HttpAnswer, HttpExchange
from sealegs.faults.call import ALL, Call, Failure, Outcome, PartialResult, Value
from sealegs.inject import NO_DRY_RUN, StreamEnd

KEPT = 16 << 20  # bytes of a streamed answer that are kept


class ToolRun:
    """One request to the server, perhaps made several times.

    Args:
        upstream: the server.
        request: the client's request.
        named: the same as a call.
        body: its body.
        exchange: where what comes of it is remembered.
        whole_events: whether events must be readable, so that no compressed ones are requested.
    """

    def __init__(
        self,
        upstream: Upstream,
        request: web.BaseRequest,
        named: ClientRequest,
        body: bytes,
        exchange: HttpExchange,
        whole_events: bool,
    ) -> None:
        self._upstream = upstream
        self._request = request
        self._named = named
        self._body = body
        self._exchange = exchange
        self._whole_events = whole_events

    async def run(self, call: Call) -> AsyncGenerator[Any, None]:
        """The head and the chunks of the answer to a call, last a `StreamEnd`."""
        if call.dry and self._named.method not in SAFE:
            yield StreamEnd(NO_DRY_RUN)
            return
        try:
            answer = await self._sent(call)
        except aiohttp.ClientConnectorError as error:
            # No connection came about, so for certain the server has not seen the request.
            unreachable = unreachable_answer(self._upstream, error)
            yield unreachable.head
            yield unreachable.body
            yield StreamEnd(self._exchange.answered(unreachable, unsent=True))
            return
        except (aiohttp.ClientError, ConnectionError) as error:
            yield StreamEnd(self._exchange.broke(_trouble(error)))
            return
        async with answer, aclosing(self._shown(answer, call)) as shown:
            async for part in shown:
                yield part

    async def _sent(self, call: Call) -> aiohttp.ClientResponse:
        headers = self._headers()
        if call.arguments is self._exchange.arguments:
            return await self._upstream.asking(self._request, self._body, headers)
        target, body = self._named.changed(call.arguments)
        headers.popall("Content-Length", None)
        return await self._upstream.sending(self._request, target, body, headers)

    def _headers(self) -> Headers:
        headers = passed_on(self._request.headers)
        given = headers.getall("Accept-Encoding", ())
        if self._whole_events:
            headers["Accept-Encoding"] = "identity"
        elif given:
            headers["Accept-Encoding"] = accepted(", ".join(given))
        return headers

    async def _shown(self, answer: aiohttp.ClientResponse, call: Call) -> AsyncGenerator[Any, None]:
        """The head and the chunks of a real answer, last the `StreamEnd`."""
        addresses, headers = self._upstream.addresses(self._request), self._upstream.answered(self._request, answer)
        # Addresses in it are rewritten, so it is needed whole before its head: its length changes.
        if addresses.names(self._request.path, headers):
            document = addresses.document(await answer.read())
            headers["Content-Length"] = str(len(document))
            head = Head(answer.status, tuple(headers.items()), answer)
            yield head
            yield document
            yield StreamEnd(self._exchange.answered(HttpAnswer(head, document, document)))
            return
        head = Head(answer.status, tuple(headers.items()), answer)
        came = ReceivedBody(bounded=call.chunks == ALL)
        yield head
        try:
            async with aclosing(_chunks(answer, head, call)) as chunks:
                async for chunk in chunks:
                    if came.count == call.chunks:
                        yield StreamEnd(Value(PartialResult(came.chunks)))
                        return
                    came.add(chunk)
                    yield chunk
        except (aiohttp.ClientError, ConnectionError) as error:
            yield StreamEnd(self._exchange.broke(_trouble(error), head, came.raw))
            return
        yield StreamEnd(self._outcome(head, came))

    def _outcome(self, head: Head, came: ReceivedBody) -> Outcome:
        raw = came.raw
        outcome = self._exchange.answered(HttpAnswer(head, raw, decoded(raw, head.header("content-encoding"))))
        return outcome if came.dropped is None or not isinstance(outcome, Value) else Value(came.dropped)


class ReceivedBody:
    """The part of a body that has come.

    Args:
        bounded: whether no more than `KEPT` bytes are kept; then a digest stands for them.
    """

    def __init__(self, bounded: bool) -> None:
        self.chunks: list[bytes] = []
        self.count = 0
        self._bounded = bounded
        self._size = 0
        self._digest: Any = None

    def add(self, chunk: bytes) -> None:
        """One more chunk has come."""
        self.count += 1
        self._size += len(chunk)
        if self._digest is not None:
            self._digest.update(chunk)
            return
        self.chunks.append(chunk)
        if self._bounded and self._size > KEPT:
            self._digest = hashlib.sha256(b"".join(self.chunks))
            self.chunks.clear()

    @property
    def raw(self) -> bytes:
        """The bytes that are kept."""
        return b"".join(self.chunks)

    @property
    def dropped(self) -> dict[str, Any] | None:
        """The size and the digest of a body that was not kept; None where it was."""
        return None if self._digest is None else {"bytes": self._size, "sha256": self._digest.hexdigest()}


def unreachable_answer(upstream: Upstream, error: aiohttp.ClientConnectorError) -> HttpAnswer:
    """The answer that the client gets where no connection to the server comes about."""
    text = f"the server at {upstream.origin} cannot be reached: {error}\n".encode()
    headers = (("content-type", "text/plain; charset=utf-8"), ("content-length", str(len(text))))
    return HttpAnswer(Head(502, headers), text, text)


def _trouble(error: Exception) -> Failure:
    """The failure that a broken connection is. Only one that broke needs what tells failures of Python."""
    from sealegs.adapters.python.exceptions import failure_from_exception

    return failure_from_exception(error)


async def _chunks(answer: aiohttp.ClientResponse, head: Head, call: Call) -> AsyncGenerator[bytes, None]:
    """The chunks of a body, each as soon as it has come."""
    cuts = cutter(head, call)
    async for block in answer.content.iter_any():
        for chunk in cuts.cut(block):
            yield chunk
    for chunk in cuts.rest():
        yield chunk
