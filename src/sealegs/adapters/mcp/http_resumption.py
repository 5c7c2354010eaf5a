"""A call over HTTP whose stream may break off and be taken up again: its answer may come on another stream."""

from __future__ import annotations

import asyncio

from sealegs.adapters.mcp.framing import RequestId, stream_event_id
from sealegs.adapters.mcp.http_response import GrowingResponse
from sealegs.adapters.mcp.mcp_exchange import ClientReply, ServerReply

KEPT = 64  # calls whose stream may still be taken up again


class ResumableCall:
    """A call whose answer may come on another stream than the one that it was sent on.

    Attributes:
        response: to the client's own request.
        id: of that request.
        task: in which the call goes through the session.
        over: done where the client's request ends before the call does: with the handle of a task, or with None.
        broke: whether its stream broke off without being ended.
        ids: of the events that came, by one of which the client takes the stream up again.
        left: the client hung up, and may come back.
        reads: whether the server's answer is being read.
    """

    def __init__(self, response: GrowingResponse, id: RequestId) -> None:
        self.response = response
        self.task: asyncio.Task[ClientReply | None] | None = None
        self.over: asyncio.Future[ServerReply | None] = asyncio.get_running_loop().create_future()
        self.broke = False
        self.ids: set[str] = set()
        self.left = False
        self.reads = False
        self.id = id
        self._answers: dict[RequestId, asyncio.Future[ServerReply]] = {}

    def sent_under(self, id: RequestId) -> asyncio.Future[ServerReply]:
        """Note that the server is called under this id, and return where its answer goes if it comes elsewhere."""
        self._answers[id] = asyncio.get_running_loop().create_future()
        return self._answers[id]

    def knows(self, id: RequestId) -> bool:
        """Return whether the server was called under this id."""
        return id in self._answers

    def note(self, event: bytes) -> None:
        """An event came."""
        if id := stream_event_id(event):
            self.ids.add(id)

    def hand(self, handle: ServerReply) -> None:
        """The client is shown the handle of a task."""
        if not self.over.done():
            self.over.set_result(handle)

    def break_off(self) -> None:
        """The client's stream ends without the answer."""
        if not self.over.done():
            self.over.set_result(None)

    def leave(self) -> None:
        """The client hung up: nothing more is read for it."""
        self.left = True
        if self.reads and self.task is not None:
            self.task.cancel()

    async def concluded(self, id: RequestId, heard: ServerReply) -> ClientReply | None:
        """The reply to show in the place of an answer; None where nothing is to be shown."""
        assert self.task is not None
        if not self._answers[id].done():
            self._answers[id].set_result(heard)
        if id != self.id:
            return None
        try:
            return await asyncio.shield(self.task)
        except asyncio.CancelledError:
            if self.task.cancelled():  # the call was cancelled, so nothing answers it
                return None
            raise


class KeptCalls:
    """The latest calls whose stream may still be taken up again. The oldest is ended where there are too many."""

    def __init__(self) -> None:
        self._calls: list[ResumableCall] = []  # the oldest first

    def keep(self, call: ResumableCall) -> None:
        """Keep one more."""
        self._calls.append(call)
        if len(self._calls) > KEPT:
            oldest = self._calls.pop(0)
            if oldest.task is not None:
                oldest.task.cancel()

    def with_event(self, last: str) -> ResumableCall | None:
        """The call on whose stream this event came; None where there is none."""
        return next((call for call in reversed(self._calls) if last in call.ids), None)
