"""The server behind a relay: the connections to it, and which headers are passed on in either direction."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator

import aiohttp
from aiohttp import web
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

from sealegs.adapters.relaying.http_addresses import Addresses

OF_ONE_HOP = frozenset(
    ("connection", "expect", "host", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade")
)
OWN = ("User-Agent", "Accept", "Accept-Encoding", "Content-Type")  # headers that aiohttp would add
STREAM = "text/event-stream"
IDLE = 2.0  # seconds after which an idle connection to the server is closed; most servers close it after five
SHORT = 1 << 20  # bytes that are passed on in one chunk

Headers = CIMultiDict[str]
Data = bytes | io.BytesIO | AsyncIterator[bytes] | None


class Upstream:
    """The server that requests are passed on to.

    Args:
        origin: its scheme, host and port.
        connections: to it; see `upstream_connections`.
        shows_origin: whether it sees the `Origin` of requests, the relay's own as its own.
    """

    def __init__(self, origin: str, connections: aiohttp.ClientSession, shows_origin: bool = False) -> None:
        self.origin = origin
        self.connections = connections
        self._shows_origin = shows_origin

    def addresses(self, request: web.BaseRequest) -> Addresses:
        """Its addresses, and those that the client of a request knows in their place."""
        return Addresses(self.origin, f"{request.scheme}://{request.host}")

    def answered(self, request: web.BaseRequest, answer: aiohttp.ClientResponse) -> Headers:
        """The headers of its answer, as the client is to see them."""
        return self.addresses(request).headers(passed_on(answer.headers))

    def asking(
        self,
        request: web.BaseRequest,
        body: bytes | AsyncIterator[bytes],
        headers: Headers,
        target: str | None = None,
    ) -> aiohttp.client._RequestContextManager:
        """Send it a client's request, with this body and these headers; a context manager of its answer.

        `target`: the path and query, if not those that the client asks for.
        """
        addresses = self.addresses(request)
        data: Data = body
        if isinstance(body, bytes):
            outward = addresses.request_body(body, request.headers.get("Content-Type", ""))
            # The client's header would be wrong now; the library works out a new one.
            if len(outward) != len(body):
                headers.popall("Content-Length", None)
            data = outward if len(outward) < SHORT else io.BytesIO(outward)
            if not outward and "Content-Length" not in headers:
                data = None
        return self.sending(request, target or addresses.target(request.raw_path), data, headers)

    def sending(
        self, request: web.BaseRequest, target: str, data: Data, headers: Headers
    ) -> aiohttp.client._RequestContextManager:
        """Send it a request by the client's method for this target (path and query), as it is."""
        url = URL(f"{self.origin}{target}", encoded=True)
        self.name_origin(request, headers)
        return self.connections.request(request.method, url, data=data, headers=headers, allow_redirects=False)

    def name_origin(self, request: web.BaseRequest, headers: Headers) -> None:
        """Say where a request comes from as the server would know it; the relay has checked it."""
        origins = headers.popall("Origin", [])
        if self._shows_origin:
            own = f"{request.scheme}://{request.host}".lower()
            headers.extend(("Origin", self.origin if origin.lower() == own else origin) for origin in origins)


def upstream_connections() -> aiohttp.ClientSession:
    """Connections that add nothing to a request, send it once, and change nothing of an answer."""
    connections = aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=IDLE),
        auto_decompress=False,
        cookie_jar=aiohttp.DummyCookieJar(),
        skip_auto_headers=OWN,
        timeout=aiohttp.ClientTimeout(total=None),
    )
    # Else the library sends a GET, PUT or DELETE once more where a connection ends without an answer, though the server
    # may have done it. Only this name switches it off, as the library's own client for tests does.
    connections._retry_connection = False
    return connections


def passed_on(headers: CIMultiDictProxy[str]) -> Headers:
    """Headers without those that concern only one connection, the ones that `Connection` names among them."""
    named = {name.strip().lower() for line in headers.getall("Connection", ()) for name in line.split(",")}
    dropped = OF_ONE_HOP | named
    return CIMultiDict((name, value) for name, value in headers.items() if name.lower() not in dropped)


def uncompressed(request: web.BaseRequest) -> Headers:
    """The request's headers, for an answer that is to be read."""
    headers = passed_on(request.headers)
    headers["Accept-Encoding"] = "identity"
    return headers
