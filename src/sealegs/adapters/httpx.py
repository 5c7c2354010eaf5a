"""httpx: transports, sync and async, that put faults on the wire. See `httpx_transports`, which says what they do.

client = httpx.Client(transport=Transport(session))
client = httpx.AsyncClient(transport=AsyncTransport(session, tools={"prices": "GET shop.example/prices/*"}))
"""

from __future__ import annotations

from typing import ClassVar

import httpx

from sealegs.adapters.httpx_transports import (
    AsyncHttpxTransport,
    AsyncStreamedBody,
    SyncHttpxTransport,
    SyncStreamedBody,
    dressed,
)

__all__ = ["AsyncTransport", "Transport"]


class _Body(SyncStreamedBody, httpx.SyncByteStream):
    """The body that a sync client reads."""

    __iter__ = dressed(SyncStreamedBody.__iter__, httpx.HTTPTransport.handle_request)


class _AsyncBody(AsyncStreamedBody, httpx.AsyncByteStream):
    """The body that an async client reads."""

    __aiter__ = dressed(AsyncStreamedBody.__aiter__, httpx.AsyncHTTPTransport.handle_async_request)


class Transport(SyncHttpxTransport, httpx.BaseTransport):
    """Faults between a sync client and its server; for the arguments see `httpx_family.HttpxTransport`."""

    library: ClassVar = httpx
    body: ClassVar = _Body


class AsyncTransport(AsyncHttpxTransport, httpx.AsyncBaseTransport):
    """Faults between an async client and its server; for the arguments see `httpx_family.HttpxTransport`."""

    library: ClassVar = httpx
    body: ClassVar = _AsyncBody
