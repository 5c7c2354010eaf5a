"""The rules for requests (`request_rules`), applied to a relay's requests.

The server behind can no longer tell, because it gets its own Host.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable

from aiohttp import web

from sealegs.adapters.request_rules import LARGEST, PATIENCE, WHOLE_BODY, RequestRules


class RequestGuard:
    """Refuses what no client of this relay sends.

    Args:
        host: the address that the relay listens on.
        hosts: further names that clients may ask for.
        origins: the origins of pages that may ask, besides the relay's own; `*` for any.
        server: what refuses, in its messages.
        opens: whether its command has options that allow other names and origins.
    """

    def __init__(
        self,
        host: str,
        hosts: Iterable[str] = (),
        origins: Iterable[str] = (),
        *,
        server: str = "this proxy",
        opens: bool = True,
    ) -> None:
        options = ("--allow-host", "--allow-origin") if opens else ()
        self._rules = RequestRules(host, hosts, origins, server, options)

    def refusal(self, request: web.BaseRequest) -> web.Response | None:
        """The refusal of a request; None where it is answered."""
        origins = request.headers.getall("Origin", [])
        # Not `request.host`, which is a name of this machine where the client sent none.
        host = request.headers.get("Host", "")
        found = self._rules.refusal(request.scheme, host, origins, request.raw_path)
        return None if found is None else web.Response(status=found.status, text=found.text)

    async def stream(self, request: web.BaseRequest) -> AsyncIterator[bytes]:
        """The body of a request as it comes, however large.

        Raises:
            TimeoutError: nothing more of it came in time.
        """
        _invite_body(request)
        while True:
            async with asyncio.timeout(PATIENCE):
                chunk = await request.content.readany()
            if not chunk:
                return
            yield chunk

    async def body(self, request: web.BaseRequest) -> bytes:
        """The body of a request.

        Raises:
            HTTPException: the answer, where the body is too large or does not come.
        """
        if not request.body_exists:
            return b""
        if (request.content_length or 0) > LARGEST:
            raise _too_large()
        chunks: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(WHOLE_BODY):
                async for chunk in self.stream(request):
                    # Counted as well, since a body in chunks does not say its length.
                    size += len(chunk)
                    if size > LARGEST:
                        raise _too_large()
                    chunks.append(chunk)
            return b"".join(chunks)
        except TimeoutError as error:
            late = f"nothing more of the body has come for {PATIENCE:g} s, or it took more than {WHOLE_BODY:g} s\n"
            raise web.HTTPRequestTimeout(text=late) from error


def _invite_body(request: web.BaseRequest) -> None:
    """Tell a client to send its body, where it waits for that."""
    if request.headers.get("Expect", "").lower() == "100-continue" and request.transport is not None:
        request.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")


def _too_large() -> web.HTTPException:
    return web.HTTPRequestEntityTooLarge(LARGEST, 0, text=f"a request has at most {LARGEST} bytes\n")
