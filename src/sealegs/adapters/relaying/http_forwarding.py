"""The server's answer on its way to the client as it came: its status, its headers, and its body chunk by chunk."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import aiohttp
from aiohttp import web

from sealegs.adapters.relaying.http_serving import cut_short
from sealegs.adapters.relaying.http_upstream import SHORT, STREAM, Upstream

PassBody = Callable[[web.StreamResponse], Awaitable[None]]


async def forwarded(
    upstream: Upstream, request: web.BaseRequest, answer: aiohttp.ClientResponse, pass_body: PassBody | None = None
) -> web.StreamResponse:
    """Answer a request as the server does.

    Args:
        upstream: the server.
        request: the client's request.
        answer: the server's answer to it.
        pass_body: passes the body on in place of what does so here.
    """
    addresses, headers = upstream.addresses(request), upstream.answered(request, answer)
    if addresses.names(request.path, headers):
        document = addresses.document(await answer.read())
        headers.popall("Content-Length", None)
        return web.Response(status=answer.status, reason=answer.reason, headers=headers, body=document)
    begun = web.StreamResponse(status=answer.status, reason=answer.reason, headers=headers)
    length = answer.content_length
    try:
        if answer.content_type != STREAM and length is not None and length <= SHORT and request.method != "HEAD":
            return await _whole(request, answer, begun)
        await begun.prepare(request)
        if pass_body is not None:
            await pass_body(begun)
        else:
            async for chunk in answer.content.iter_any():
                await begun.write(chunk)
    except (aiohttp.ClientError, ConnectionError):  # the server hung up in the middle: so do we
        return cut_short(request)
    await begun.write_eof()
    return begun


async def _whole(
    request: web.BaseRequest, answer: aiohttp.ClientResponse, begun: web.StreamResponse
) -> web.StreamResponse:
    """A short answer in one chunk; if it is cut off, the part that came is shown first."""
    came = bytearray()
    try:
        async for chunk in answer.content.iter_any():
            came += chunk
    except (aiohttp.ClientError, ConnectionError):
        await begun.prepare(request)
        await begun.write(bytes(came))
        raise
    return web.Response(status=answer.status, reason=answer.reason, headers=begun.headers, body=bytes(came))
