"""Websockets pass in both directions: texts, bytes, pings and pongs, and the close with its code and reason.

No fault strikes them, and no record holds them. The body of a refused handshake is not passed on, nor are extensions
other than those that each side agrees with the proxy.
"""

from __future__ import annotations

import asyncio
from typing import Any

import aiohttp
from aiohttp import WSCloseCode, WSMsgType, web
from yarl import URL

from sealegs.adapters.relaying.http_serving import hang_up
from sealegs.adapters.relaying.http_upstream import Upstream, passed_on

OWN = "sec-websocket-"  # begins the headers of a handshake
CLOSING = 10.0  # seconds that a side has to answer a close


def asks_websocket(request: web.BaseRequest) -> bool:
    """Return whether a request asks for a websocket."""
    wanted = request.headers.get("Connection", "").lower()
    return request.headers.get("Upgrade", "").lower() == "websocket" and "upgrade" in wanted


async def passed_websocket(upstream: Upstream, request: web.BaseRequest) -> web.StreamResponse:
    """Open a websocket at the server, and pass on messages until either side ends it."""
    headers = passed_on(request.headers)
    for name in [name for name in headers if name.lower().startswith(OWN)]:
        headers.popall(name, None)
    upstream.name_origin(request, headers)
    protocols = [name.strip() for name in request.headers.get("Sec-WebSocket-Protocol", "").split(",") if name.strip()]
    url = URL(f"{upstream.origin}{upstream.addresses(request).target(request.raw_path)}", encoded=True)
    try:
        server = await upstream.connections.ws_connect(
            url, protocols=protocols, headers=headers, autoping=False, autoclose=False, max_msg_size=0
        )
    except aiohttp.WSServerHandshakeError as error:
        kept = passed_on(error.headers) if error.headers is not None else None  # type: ignore[arg-type]
        if kept is not None:
            # The body of the refusal is gone with the exception, and a length without it would leave the client
            # waiting.
            kept.popall("Content-Length", None)
        return web.Response(status=error.status if error.status >= 400 else 502, headers=kept)
    async with server:
        chosen = [server.protocol] if server.protocol else []
        client = web.WebSocketResponse(
            autoping=False, autoclose=False, max_msg_size=0, compress=False, protocols=chosen
        )
        await client.prepare(request)
        ways = [asyncio.create_task(_passed(*one)) for one in ((client, server), (server, client))]
        try:
            done, _ = await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            if all(not way.exception() and way.result() for way in done):  # the other side answers the close
                await asyncio.wait(ways, timeout=CLOSING)
        finally:
            for way in ways:
                way.cancel()
            heard = await asyncio.gather(*ways, return_exceptions=True)
            if heard[0] is not True:
                await server.close(code=WSCloseCode.GOING_AWAY)
        return client if heard[1] is True else hang_up(request)


async def _passed(source: Any, target: Any) -> bool:
    """Pass on what one side says until it ends; whether it was closed, and did not break off."""
    while True:
        message = await source.receive()
        if message.type is WSMsgType.TEXT:
            await target.send_str(message.data)
        elif message.type is WSMsgType.BINARY:
            await target.send_bytes(message.data)
        elif message.type is WSMsgType.PING:
            await target.ping(message.data)
        elif message.type is WSMsgType.PONG:
            await target.pong(message.data)
        elif message.type is WSMsgType.CLOSE:
            code, reason = message.data or WSCloseCode.OK, (message.extra or "").encode()
            await target.close(code=code, message=reason)
            await source.close(code=code, message=reason)  # only now: it takes the client's connection away
            return True
        else:  # CLOSING: the other side has closed it; else it broke off
            return bool(message.type is WSMsgType.CLOSING)
