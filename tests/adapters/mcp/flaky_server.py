"""A server of the official SDK whose tools fail by themselves: LEDGER, a file with a line for every run of a tool."""

import sys
from pathlib import Path
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations

LEDGER = Path(sys.argv[1])
READS = ToolAnnotations(readOnlyHint=True)
server: Any = MCPServer("flaky")


def ran(tool: str) -> int:
    """Note a run; how many of this tool there were before."""
    before = LEDGER.read_text().split() if LEDGER.exists() else []
    LEDGER.write_text("\n".join([*before, tool]) + "\n")
    return before.count(tool)


@server.tool(annotations=READS)
def price(item: str, count: int = 1) -> dict[str, Any]:
    """The price of an item; the first call fails."""
    if ran("price") == 0:
        raise ValueError("503 Service Unavailable, temporarily")
    return {"price": 2.5 * count}


@server.tool(annotations=READS)
def closed(item: str) -> dict[str, Any]:
    """A price service that was shut down."""
    ran("closed")
    raise ValueError("this service was discontinued")


@server.tool(annotations=READS, structured_output=False)
def quote(article: str) -> str:
    """Another price service."""
    ran("quote")
    return f'{{"article": "{article}", "amounts": {{"net": 2.25}}}}'


@server.tool(annotations=ToolAnnotations(readOnlyHint=False))
def pay(amount: float) -> str:
    """Pays, then says that it is not there."""
    ran("pay")
    raise ValueError("503 Service Unavailable, temporarily")


@server.tool(annotations=ToolAnnotations(readOnlyHint=False, idempotentHint=True))
def put(amount: float) -> str:
    """Sets something; the first call fails."""
    if ran("put") == 0:
        raise ValueError("503 Service Unavailable, temporarily")
    return "set"


server.run("stdio")
