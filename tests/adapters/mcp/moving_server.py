"""A server that redirects, or that wants a login: KIND (`mounted` or `authorising`), PORT.

`mounted` is by the official SDK in an app of Starlette's, which answers 307 to the path without its slash.
`authorising` is by FastMCP, with an authorization server of its own, which lets everybody in.
"""

import contextlib
import sys
from collections.abc import AsyncIterator
from typing import Any

import uvicorn

KIND, PORT = sys.argv[1], int(sys.argv[2])
ORIGIN = f"http://127.0.0.1:{PORT}"


def price(item: str) -> dict[str, Any]:
    """The price of an item."""
    return {"item": item, "price": 12.5}


app: Any
if KIND == "mounted":
    from mcp.server.mcpserver import MCPServer
    from starlette.applications import Starlette
    from starlette.routing import Mount

    official = MCPServer("shop")
    official.tool()(price)
    inner = official.streamable_http_app(streamable_http_path="/")

    @contextlib.asynccontextmanager
    async def running(app: Starlette) -> AsyncIterator[None]:
        async with official.session_manager.run():
            yield

    app = Starlette(routes=[Mount("/mcp", app=inner)], lifespan=running)
else:
    from fastmcp import FastMCP
    from fastmcp.server.auth.auth import ClientRegistrationOptions
    from fastmcp.server.auth.providers.in_memory import InMemoryOAuthProvider

    provider = InMemoryOAuthProvider(
        base_url=ORIGIN, client_registration_options=ClientRegistrationOptions(enabled=True)
    )
    server = FastMCP("shop", auth=provider)
    server.tool()(price)
    app = server.http_app(path="/mcp")

uvicorn.run(app, host="127.0.0.1", port=PORT, log_level="warning")
