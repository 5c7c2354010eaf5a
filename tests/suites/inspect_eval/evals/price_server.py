"""An MCP server over standard input and output with one tool."""

from mcp.server.mcpserver import MCPServer

server = MCPServer("prices")


@server.tool()
def look_up(item: str) -> dict[str, object]:
    """Look an item up."""
    return {"item": item, "price": len(item)}


if __name__ == "__main__":
    server.run()
