"""The port that the HTTP relay listens on, until a signal ends it."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Sequence
from functools import partial

from yarl import URL

from sealegs.adapters.mcp.gate import Gate
from sealegs.adapters.mcp.http_relay import HttpRelay
from sealegs.adapters.relaying.host_names import can_be_looked_up
from sealegs.adapters.relaying.http_guard import RequestGuard
from sealegs.adapters.relaying.http_serving import serving
from sealegs.adapters.relaying.http_upstream import Upstream, upstream_connections
from sealegs.adapters.relaying.loop_signals import ENDING, on_signals
from sealegs.faults.user_error import UserError


def run_http_relay(
    url: str,
    gate: Gate,
    host: str,
    port: int,
    ready: Callable[[str], None],
    hosts: Sequence[str] = (),
    origins: Sequence[str] = (),
) -> int:
    """Relay over HTTP until this process gets a signal to end.

    Args:
        url: the server's endpoint.
        gate: what requests must go through.
        host: the address to listen on.
        port: the port; 0 for any that is free.
        ready: called with the address for clients.
        hosts: further names that clients may ask for.
        origins: the origins of pages that may ask.

    Returns:
        The exit code.

    Raises:
        UserError: the address is not one of a server, or the port cannot be listened on.
    """
    target = _target(url)

    async def play() -> None:
        over = asyncio.Event()

        def ended(name: str) -> None:
            gate.ending = name
            over.set()

        on_signals({name: partial(ended, name) for name in ENDING})
        async with upstream_connections() as connections:
            guard = RequestGuard(host, hosts, origins)
            relay = HttpRelay(Upstream(str(target.origin()).rstrip("/"), connections), gate, guard)
            async with serving(relay.handle, host, port) as own:
                gc.freeze()  # what was loaded since `recorded_gate` stays too
                try:
                    ready(f"{own}{target.raw_path_qs}")
                    await over.wait()
                finally:
                    gate.session.clock.release()

    asyncio.run(play())
    return 0


def _target(url: str) -> URL:
    try:
        target = URL(url, encoded=True)
        host = target.host or ""
    except ValueError:  # an impossible port, or brackets that do not match
        target, host = URL(), ""
    if target.scheme not in ("http", "https") or not can_be_looked_up(host) or target.port == 0:
        raise UserError(f"--url {url!r} is not the address of a server; give one such as http://127.0.0.1:8000/mcp")
    return target
