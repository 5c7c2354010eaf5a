"""Listening on a port, and the ways to cut a client's connection."""

from __future__ import annotations

import asyncio
import logging
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.web_protocol import RequestHandler
from yarl import URL

from sealegs.adapters.relaying.read_buffers import keep_read_buffers
from sealegs.adapters.request_rules import MOST_CONNECTIONS, PATIENCE
from sealegs.faults.user_error import UserError

Handle = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]
AT_ONCE = struct.pack("ii", 1, 0)  # SO_LINGER: what closes is reset


@asynccontextmanager
async def serving(handle: Handle, host: str, port: int, option: str = "--port") -> AsyncIterator[URL]:
    """Answer requests while the block runs; yields the address.

    A client that hangs up ends the answer to its request.

    Args:
        handle: answers a request.
        host: the address to listen on.
        port: the port; 0 for any that is free.
        option: by which the user names the port.

    Raises:
        UserError: the port cannot be listened on.
    """
    keep_read_buffers()
    server = _LimitedServer(
        handle,
        handler_cancellation=True,
        access_log=None,
        logger=_log(),
        auto_decompress=False,
        keepalive_timeout=PATIENCE,  # also for a first head, however it trickles in
    )
    runner = web.ServerRunner(server, shutdown_timeout=0.1)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, host, port).start()
        except (socket.gaierror, UnicodeError) as error:
            raise UserError(
                f"cannot listen on {host!r}: it is not an address of this machine; give another --host"
            ) from error
        except OSError as error:
            reason = error.strerror or error
            raise UserError(
                f"cannot listen on {host} port {port}: {reason}; give another {option}, or 0 for any"
            ) from error
        yield URL.build(scheme="http", host=host, port=runner.addresses[0][1])
    finally:
        await runner.cleanup()


def _log() -> logging.Logger:
    """The logger for our own mistakes. A client that sent something other than HTTP gets a 400."""
    log = logging.getLogger(__name__)
    log.addFilter(_is_ours)  # adding it once more changes nothing
    return log


def _is_ours(record: logging.LogRecord) -> bool:
    return record.exc_info is None or not isinstance(record.exc_info[1], HttpProcessingError)


class _LimitedServer(web.Server):
    """A server with so many connections at a time, and no more."""

    def connection_made(self, handler: RequestHandler, transport: asyncio.Transport) -> None:
        super().connection_made(handler, transport)
        if len(self.connections) > MOST_CONNECTIONS:
            transport.abort()


def hang_up(request: web.BaseRequest) -> web.StreamResponse:
    """Cut the client's connection; what is returned goes nowhere."""
    if request.transport is not None:
        request.transport.abort()
    return web.Response(status=502)


def cut_short(request: web.BaseRequest) -> web.StreamResponse:
    """Close the client's connection once what was written is sent; what is returned goes nowhere."""
    if request.transport is not None:
        request.transport.close()
    return web.Response(status=502)


def reset(request: web.BaseRequest) -> web.StreamResponse:
    """Cut the client's connection with a reset; what is returned goes nowhere."""
    if request.transport is not None:
        connection: socket.socket | None = request.transport.get_extra_info("socket")
        if connection is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, AT_ONCE)
    return hang_up(request)
