"""One way to ask through any of the HTTP clients, so that a test is written once for all of them."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from sealegs.inject import Session
from tests import needs

KINDS = ("httpx", "httpx async", "httpx2", "httpx2 async", "requests")


@dataclass(frozen=True)
class Got:
    """What a client got."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    json: Callable[[], Any]


async def ask(
    kind: str,
    session: Session | None,
    url: str,
    *,
    json: Any = None,
    timeout: float | None = 60.0,
    bare: bool = False,
    tools: Mapping[str, str] | None = None,
    heard: Callable[[bytes], None] | None = None,
    **more: Any,
) -> Got:
    """Ask with a client of this kind: GET, or POST where there is something to send.

    Args:
        kind: the client.
        session: the session of the faults; None: the active one.
        url: where.
        json: what is sent.
        timeout: the client's own.
        bare: without any adapter of ours.
        tools: names for requests.
        heard: called with each chunk of the body as it comes, which is then streamed.
        more: further options of the adapter, or of the request.
    """
    method = "GET" if json is None else "POST"
    name, _, form = kind.partition(" ")
    library = pytest.importorskip(name, reason=needs.module(name))
    ours = importlib.import_module(f"sealegs.adapters.{name}")
    if name == "requests":
        with library.Session() as client:
            if not bare:
                client.mount("http://", ours.Adapter(session, tools, **more))
            response = client.request(method, url, json=json, timeout=timeout, stream=heard is not None)
            if heard is not None:
                for chunk in response.iter_content(None):
                    heard(chunk)
                return Got(response.status_code, response.headers, b"", dict)
            return Got(response.status_code, response.headers, response.content, response.json)
    if form:
        transport = None if bare else ours.AsyncTransport(session, tools=tools)
        async with library.AsyncClient(transport=transport, timeout=timeout) as client:
            if heard is not None:
                async with client.stream(method, url, json=json) as response:
                    async for chunk in response.aiter_bytes():
                        heard(chunk)
                return Got(response.status_code, response.headers, b"", dict)
            response = await client.request(method, url, json=json)
    else:
        transport = None if bare else ours.Transport(session, tools=tools)
        with library.Client(transport=transport, timeout=timeout) as client:
            if heard is not None:
                with client.stream(method, url, json=json) as response:
                    for chunk in response.iter_bytes():
                        heard(chunk)
                return Got(response.status_code, response.headers, b"", dict)
            response = client.request(method, url, json=json)
    return Got(response.status_code, response.headers, response.content, response.json)


async def raised(kind: str, session: Session | None, url: str, **more: Any) -> Exception:
    """What the client raises."""
    try:
        await ask(kind, session, url, **more)
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")
