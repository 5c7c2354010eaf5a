"""The answer to a call as a client of the proxy sees it: its chunks as they come, or a break of the connection.

A connection that is not to come about at all has come about already, with the proxy: it is reset before an answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

from aiohttp import web
from multidict import CIMultiDict

from sealegs.adapters.body_cutters import Head
from sealegs.adapters.relaying.http_serving import cut_short, hang_up, reset
from sealegs.adapters.wire import HttpExchange, connection_trouble
from sealegs.faults.call import Failure
from sealegs.inject import StreamEnd

ARRIVING = 0.02  # seconds that what was sent has to arrive before a reset, which would discard it


async def shown_response(
    request: web.BaseRequest, exchange: HttpExchange, coming: AsyncGenerator[Any, None]
) -> web.StreamResponse:
    """Answer with what comes of a call.

    Args:
        request: the client's request.
        exchange: the call's.
        coming: the head and the chunks that are to be shown, last a `StreamEnd`.
    """
    response: web.StreamResponse | None = None
    async for part in coming:
        if isinstance(part, Head):
            response = web.StreamResponse(
                status=part.status,
                reason=getattr(part.original, "reason", None),
                headers=CIMultiDict(part.headers),
            )
            await response.prepare(request)
        elif not isinstance(part, StreamEnd):
            assert response is not None
            await response.write(part)
        elif response is None:
            return await _broken(request, part.outcome)
        else:
            if event := exchange.closing_event(part.outcome):
                await response.write(event)
            if (failure := exchange.broken(part.outcome)) is not None:
                return await _broken(request, failure, begun=True)
    assert response is not None
    await response.write_eof()
    return response


async def _broken(request: web.BaseRequest, outcome: Any, begun: bool = False) -> web.StreamResponse:
    """Cut the connection as the failure says."""
    trouble = connection_trouble(outcome) if isinstance(outcome, Failure) else None
    if trouble in ("reset", "refused", "dns", "tls"):
        if begun:
            await asyncio.sleep(ARRIVING)
        return reset(request)
    return cut_short(request) if begun else hang_up(request)
