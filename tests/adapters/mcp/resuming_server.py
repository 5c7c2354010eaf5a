"""A server by the official SDK that closes the stream of a call before it answers, and keeps its events: PORT."""

import sys
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.streamable_http import EventStore

server = MCPServer("shop")


class Kept(EventStore):
    """Every event, in memory."""

    def __init__(self) -> None:
        self.events: list[tuple[str, Any]] = []

    async def store_event(self, stream_id: str, message: Any) -> str:
        self.events.append((stream_id, message))
        return str(len(self.events))

    async def replay_events_after(self, last_event_id: str, send_callback: Any) -> str | None:
        from mcp.server.streamable_http import EventMessage

        stream = self.events[int(last_event_id) - 1][0]
        for number, (theirs, message) in enumerate(self.events[int(last_event_id) :], int(last_event_id) + 1):
            if theirs == stream and message is not None:
                await send_callback(EventMessage(message, str(number)))
        return stream


@server.tool()
async def price(item: str, ctx: Context) -> dict[str, Any]:  # type: ignore[type-arg]
    """The price of an item, on a second stream."""
    await ctx.close_sse_stream()
    return {"item": item, "price": 12.5}


server.run("streamable-http", port=int(sys.argv[1]), event_store=Kept(), retry_interval=50)
