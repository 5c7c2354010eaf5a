"""The HTTP relay's answer to a client: a response that becomes a stream with the first event."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass

import aiohttp
from aiohttp import web
from multidict import CIMultiDict

from sealegs.adapters.mcp.framing import Message, encode_message, with_data
from sealegs.adapters.mcp.mcp_exchange import ClientReply
from sealegs.adapters.relaying.http_upstream import STREAM, Headers

SESSION = "Mcp-Session-Id"
LIMIT = "sealegs.events"  # under which a request holds how many events its client is shown
LINGER = 0.05  # seconds that a stream has to end after the answer
STATUS = {-32700: 400, -32600: 400, -32601: 404, -32602: 400}  # of protocol errors in the stateless era


@dataclass(frozen=True, slots=True)
class ResponseHead:
    """The head of the server's answer: its status and headers, and whether it was an event of a stream."""

    status: int
    headers: Headers
    event: bool


class EventLimit:
    """The limit on the events of a stream that a client is shown.

    Args:
        left: so many.

    Attributes:
        reached: done when these were written.
    """

    def __init__(self, left: int) -> None:
        self._left = left
        self.reached: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def count(self) -> None:
        """One more was written. Never returns from the last one: whoever set the limit ends the stream."""
        self._left -= 1
        if self._left <= 0:
            if not self.reached.done():
                self.reached.set_result(None)
            await asyncio.get_running_loop().create_future()


class GrowingResponse:
    """The response to one request while it is made: a stream from the first event that passes on."""

    def __init__(self, request: web.BaseRequest) -> None:
        self._request = request
        self._stream: web.StreamResponse | None = None
        self._over = False

    async def passed(self, event: bytes, form: ResponseHead) -> None:
        """An event passes on; after the end, nowhere."""
        if event and not self._over:
            await (await self._begun(form)).write(event)
            if LIMIT in self._request:
                await self._request[LIMIT].count()

    async def finished(self, reply: ClientReply, modern: bool) -> web.StreamResponse:
        """The answer itself, as it came or as it was changed."""
        heard, message = reply.heard, reply.message
        if heard is not None and heard.form.event:
            await self.passed(
                heard.raw if message is None else with_data(heard.raw, encode_message(message)), heard.form
            )
        # The head of a stream is out already, so an answer that came as plain JSON has to go as an event of it.
        elif self._stream is not None:
            raw = heard.raw if heard is not None else b""
            await self._stream.write(message_event(raw if message is None else encode_message(message)))
        elif message is not None:
            return _json(reply, message, modern)
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
            headers = CIMultiDict(form.headers)
            headers.popall("Content-Length", None)  # an event may be changed, and the client would wait for the rest
            self._stream = web.StreamResponse(status=form.status, headers=headers)
            await self._stream.prepare(self._request)
        return self._stream


def message_event(data: bytes) -> bytes:
    """A message as an event of a stream."""
    return with_data(b"event: message\r\n\r\n", data)


async def drained(answer: aiohttp.ClientResponse) -> None:
    """Read what ends a stream, so that its connection can be used again; one that continues is given up."""
    with suppress(TimeoutError):
        async with asyncio.timeout(LINGER):
            await answer.content.readany()


def _json(reply: ClientReply, message: Message, modern: bool) -> web.Response:
    form = reply.heard.form if reply.heard is not None else None
    headers = CIMultiDict(form.headers) if form is not None else CIMultiDict({"Content-Type": "application/json"})
    headers.popall("Content-Length", None)
    error = message.get("error")
    status = STATUS.get(error["code"], 200) if modern and error is not None else 200
    if reply.true and form is not None:
        status = form.status
    elif form is not None and form.status >= 300:  # what is shown is not of that answer
        headers = CIMultiDict({"Content-Type": "application/json"})
    return web.Response(status=status, headers=headers, body=encode_message(message))
