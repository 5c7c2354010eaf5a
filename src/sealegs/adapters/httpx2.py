"""httpx2: transports, sync and async, that put faults on the wire. See `httpx_transports`, which says what they do.

client = httpx2.Client(transport=Transport(session))
client = httpx2.AsyncClient(transport=AsyncTransport(session, tools={"prices": "GET shop.example/prices/*"}))
"""

from __future__ import annotations

from typing import ClassVar

import httpx2

from sealegs.adapters.httpx_transports import (
    AsyncHttpxTransport,
    AsyncStreamedBody,
    SyncHttpxTransport,
    SyncStreamedBody,
    dressed,
)

__all__ = ["AsyncTransport", "Transport"]


class _Body(SyncStreamedBody, httpx2.SyncByteStream):
    """The body that a sync client reads."""

    __iter__ = dressed(SyncStreamedBody.__iter__, httpx2.HTTPTransport.handle_request)


class _AsyncBody(AsyncStreamedBody, httpx2.AsyncByteStream):
    """The body that an async client reads."""

    __aiter__ = dressed(AsyncStreamedBody.__aiter__, httpx2.AsyncHTTPTransport.handle_async_request)


class Transport(SyncHttpxTransport, httpx2.BaseTransport):
    """Faults between a sync client and its server; for the arguments see `httpx_family.HttpxTransport`."""

    library: ClassVar = httpx2
    body: ClassVar = _Body


class AsyncTransport(AsyncHttpxTransport, httpx2.AsyncBaseTransport):
    """Faults between an async client and its server; for the arguments see `httpx_family.HttpxTransport`."""

    library: ClassVar = httpx2
    body: ClassVar = _AsyncBody
