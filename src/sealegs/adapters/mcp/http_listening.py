"""The port that the HTTP relay listens on, until a signal ends it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from aiohttp import web
from yarl import URL

from sealegs.adapters.mcp.gate import Gate
from sealegs.adapters.mcp.http_relay import HttpRelay
from sealegs.adapters.mcp.http_upstream import Upstream, upstream_connections
from sealegs.adapters.mcp.pipe_relay import SIGNALS
from sealegs.faults.user_error import UserError

LOOPBACK = frozenset(("127.0.0.1", "localhost", "::1"))


def run_http_relay(url: str, gate: Gate, host: str, port: int, ready: Callable[[str], None]) -> int:
    """Relay over HTTP until this process gets a signal to end.

    Args:
        url: the server's endpoint.
        gate: what requests must go through.
        host: the address to listen on.
        port: the port; 0 for any that is free.
        ready: called with the address for clients.

    Returns:
        The exit code.

    Raises:
        UserError: the address is not one of a server, or the port cannot be listened on.
    """
    target = _target(url)

    async def play() -> None:
        over = asyncio.Event()
        for number in SIGNALS:
            asyncio.get_running_loop().add_signal_handler(number, over.set)
        async with upstream_connections() as connections:
            names = LOOPBACK | {host} if host in LOOPBACK else None
            relay = HttpRelay(Upstream(str(target.origin()).rstrip("/"), connections), gate, names)
            server = web.Server(relay.handle, handler_cancellation=True, access_log=None, auto_decompress=False)
            runner = web.ServerRunner(server, shutdown_timeout=0.1)
            await runner.setup()
            try:
                await _listening(runner, host, port)
                own = URL.build(scheme="http", host=host, port=runner.addresses[0][1])
                ready(f"{own}{target.raw_path_qs}")
                await over.wait()
            finally:
                gate.session.clock.release()
                await runner.cleanup()

    asyncio.run(play())
    return 0


def _target(url: str) -> URL:
    target = URL(url, encoded=True)
    if target.scheme not in ("http", "https") or not target.host:
        raise UserError(f"--url {url!r} is not the address of a server; give one such as http://127.0.0.1:8000/mcp")
    return target


async def _listening(runner: web.ServerRunner, host: str, port: int) -> None:
    try:
        await web.TCPSite(runner, host, port).start()
    except OSError as error:
        reason = error.strerror or error
        raise UserError(f"cannot listen on {host} port {port}: {reason}; give another --port, or 0 for any") from error
