"""The server behind the HTTP relay: the connections to it, and which headers are passed on in either direction."""

from __future__ import annotations

import asyncio
import io
from contextlib import suppress

import aiohttp
from aiohttp import web
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

OF_ONE_HOP = frozenset(
    ("connection", "expect", "host", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade")
)
OWN = ("User-Agent", "Accept", "Accept-Encoding", "Content-Type")  # headers that aiohttp would add
SESSION = "Mcp-Session-Id"
STREAM = "text/event-stream"
IDLE = 2.0  # seconds after which an idle connection to the server is closed; most servers close it after five
LINGER = 0.05  # seconds that a stream has to end after the answer
SHORT = 1 << 20  # bytes that are passed on in one piece

Headers = CIMultiDict[str]


class Upstream:
    """The server that requests are passed on to.

    Args:
        origin: its scheme, host and port.
        connections: to it; see `upstream_connections`.
    """

    def __init__(self, origin: str, connections: aiohttp.ClientSession) -> None:
        self.origin = origin
        self._connections = connections

    def asking(self, request: web.BaseRequest, body: bytes, headers: Headers) -> aiohttp.client._RequestContextManager:
        """Send it a client's request, with this body and these headers; a context manager of its answer."""
        url = URL(f"{self.origin}{request.raw_path}", encoded=True)
        data = body if len(body) < SHORT else io.BytesIO(body)
        return self._connections.request(request.method, url, data=data, headers=headers, allow_redirects=False)


def upstream_connections() -> aiohttp.ClientSession:
    """Connections that add nothing to a request and change nothing of an answer."""
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=IDLE),
        auto_decompress=False,
        cookie_jar=aiohttp.DummyCookieJar(),
        skip_auto_headers=OWN,
        timeout=aiohttp.ClientTimeout(total=None),
    )


def passed_on(headers: CIMultiDictProxy[str]) -> Headers:
    """Headers without those that concern only one connection."""
    return CIMultiDict((name, value) for name, value in headers.items() if name.lower() not in OF_ONE_HOP)


def uncompressed(request: web.BaseRequest) -> Headers:
    """The request's headers, for an answer that is to be read."""
    headers = passed_on(request.headers)
    headers["Accept-Encoding"] = "identity"
    return headers


async def drained(answer: aiohttp.ClientResponse) -> None:
    """Read what ends a stream, so that its connection can be used again; one that continues is given up."""
    with suppress(TimeoutError):
        async with asyncio.timeout(LINGER):
            await answer.content.readany()
