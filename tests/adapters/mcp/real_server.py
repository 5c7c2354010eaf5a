"""A server with tools, resources and prompts, by the official SDK or by FastMCP: KIND, then `stdio` or a port."""

import asyncio
import sys
from typing import Any

from pydantic import BaseModel

KIND, WAY = sys.argv[1:3]

if KIND == "official":
    from mcp.server.mcpserver import Context, MCPServer

    server: Any = MCPServer("shop", instructions="A shop.")
else:
    from fastmcp import Context, FastMCP  # type: ignore[no-redef]

    server = FastMCP("shop", instructions="A shop.")


@server.tool()
def price(item: str) -> dict[str, Any]:
    """The price of an item."""
    return {"item": item, "price": 12.5, "currency": "EUR"}


@server.tool()
def add(a: int, b: int) -> int:
    """The sum."""
    return a + b


@server.tool()
def orders(count: int) -> list[dict[str, Any]]:
    """Some orders."""
    return [{"id": number, "total": 10.0 * number} for number in range(1, count + 1)]


@server.tool()
async def slow(seconds: float, ctx: Context) -> str:  # type: ignore[type-arg]
    """Takes its time, and says how far it is."""
    await ctx.report_progress(1, 2)
    await asyncio.sleep(seconds)
    return "done"


@server.tool()
def fails() -> str:
    """Always fails."""
    raise ValueError("no such thing")


class Answer(BaseModel):
    """What the client is asked for."""

    size: int


@server.tool()
async def asks(ctx: Context) -> str:  # type: ignore[type-arg]
    """Asks the client's user."""
    answer: Any = await ctx.elicit("What size?", Answer)
    return f"{answer.action} {answer.data}"


@server.tool()
def big(size: int) -> str:
    """A long text."""
    return "x" * size


@server.resource("shop://terms")
def terms() -> str:
    """The terms."""
    return "No returns."


@server.prompt()
def greet(name: str) -> str:
    """A greeting."""
    return f"Hello {name}"


if WAY == "stdio":
    server.run("stdio", **({} if KIND == "official" else {"show_banner": False}))
elif KIND == "official":
    server.run("streamable-http", port=int(WAY))
else:
    server.run("http", host="127.0.0.1", port=int(WAY), show_banner=False)
