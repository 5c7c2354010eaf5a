"""Level `mcp`: a real server over pipes behind the relay of `sealegs proxy`, and the official client in front of it."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from sealegs.faults.plan import Plan
from sealegs.faults.user_error import UserError
from sealegs.suites.micro.langchain_tools import remote_tools

SERVER = "sealegs.suites.micro.workload_server"
PROXY = "sealegs.suites.micro.mcp_proxy"


@asynccontextmanager
async def tools_over_mcp(names: Sequence[str], plan: Plan, episode: str, events: Path) -> AsyncIterator[list[Any]]:
    """LangChain tools whose calls go through the client, the proxy and the server.

    Args:
        names: the tools that are served.
        plan: the proxy's faults.
        episode: its episode.
        events: the file that the proxy writes its events to as they happen. It is whole when the tools are gone.

    Raises:
        UserError: the official SDK is not installed.
    """
    try:
        from mcp.client.client import Client
        from mcp.client.stdio import StdioServerParameters, stdio_client
    except ImportError as error:
        raise UserError('level mcp needs the official MCP SDK: pip install "sealegs[micro-mcp]"') from error
    with tempfile.TemporaryDirectory(prefix="sealegs-micro-") as folder, Path(os.devnull).open("w") as nowhere:
        file = Path(folder, "plan.json")
        file.write_text(json.dumps(plan.as_data()), encoding="utf-8")
        events.parent.mkdir(parents=True, exist_ok=True)
        server = [sys.executable, "-m", SERVER, *names]
        command = ["-m", PROXY, str(file), str(events), episode, *server]
        parameters = StdioServerParameters(command=sys.executable, args=command, env=dict(os.environ))
        async with Client(stdio_client(parameters, errlog=nowhere)) as client:
            listed = {tool.name: tool for tool in (await client.list_tools()).tools}
            yield remote_tools({name: listed[name] for name in names}, client.call_tool)
