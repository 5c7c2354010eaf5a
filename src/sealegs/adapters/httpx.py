"""httpx: transports, sync and async, that put faults on the wire. See `httpx_family`, which says what they do.

client = httpx.Client(transport=Transport(session))
client = httpx.AsyncClient(transport=AsyncTransport(session, tools={"prices": "GET shop.example/prices/*"}))
"""

from __future__ import annotations

from typing import ClassVar

import httpx

from sealegs.adapters.httpx_family import AsyncFamily, AsyncReceived, SyncFamily, SyncReceived, dressed

__all__ = ["AsyncTransport", "Transport"]


class Body(SyncReceived, httpx.SyncByteStream):
    """The body that a sync client reads."""

    __iter__ = dressed(SyncReceived.__iter__, httpx.HTTPTransport.handle_request)


class AsyncBody(AsyncReceived, httpx.AsyncByteStream):
    """The body that an async client reads."""

    __aiter__ = dressed(AsyncReceived.__aiter__, httpx.AsyncHTTPTransport.handle_async_request)


class Transport(SyncFamily, httpx.BaseTransport):
    """Faults between a sync client and its server; for the arguments see `httpx_family.Family`."""

    library: ClassVar = httpx
    body: ClassVar = Body


class AsyncTransport(AsyncFamily, httpx.AsyncBaseTransport):
    """Faults between an async client and its server; for the arguments see `httpx_family.Family`."""

    library: ClassVar = httpx
    body: ClassVar = AsyncBody
