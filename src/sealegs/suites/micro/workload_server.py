"""The workloads' tools as an MCP server over pipes: `python -m sealegs.suites.micro.workload_server [TOOL ...]`."""

from __future__ import annotations

import sys

from sealegs.suites.micro.tools import NAMES, Toolbox


def serve_workload_tools(names: tuple[str, ...]) -> None:
    """Serve the named tools until the client is gone."""
    from mcp.server.mcpserver import MCPServer
    from mcp.types import ToolAnnotations

    server = MCPServer("sealegs-micro")
    functions = Toolbox().functions()
    for name in names:
        hints = ToolAnnotations(read_only_hint=True)
        server.add_tool(functions[name], name=name, annotations=hints, structured_output=False)
    server.run("stdio")


if __name__ == "__main__":
    serve_workload_tools(tuple(sys.argv[1:]) or NAMES)
