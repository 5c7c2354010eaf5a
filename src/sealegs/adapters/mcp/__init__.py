"""MCP: a relay between any client and any server, over pipes and over HTTP.

What the two say to one another passes as the bytes it came in, in the handshake era of the protocol (2025-11-25) and
the stateless one (2026-07-28) alike. Only tools/call goes through the session, and tools/list where the plan names it;
of a call that becomes a task, what is fetched later. Batches of messages, which no live version of the protocol has,
are not supported.

A relay (`pipe_relay`, `http_relay`) carries bytes. The `gate` says which requests leave its stream, each as an exchange
(`mcp_exchange`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sealegs.adapters.mcp.gate import Gate
from sealegs.faults.user_error import UserError

__all__ = ["Gate", "relay_http"]


def relay_http(
    url: str,
    gate: Gate,
    host: str,
    port: int,
    ready: Callable[[str], None],
    hosts: Sequence[str] = (),
    origins: Sequence[str] = (),
) -> int:
    """Relay over HTTP until a signal ends it; see `http_listening.run_http_relay`.

    Raises:
        UserError: the extra that it needs is not installed, or the address or the port will not do.
    """
    try:
        from sealegs.adapters.mcp.http_listening import run_http_relay
    except ImportError as error:
        raise UserError(f'a proxy over HTTP needs {error.name}; run: pip install "sealegs[mcp]"') from error
    return run_http_relay(url, gate, host, port, ready, hosts, origins)
