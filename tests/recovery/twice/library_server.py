"""A server of FastMCP that does its work, notes it, and fails: `library_server.py LEDGER FAILURES [http PORT]`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from fastmcp import FastMCP
from fastmcp.exceptions import ToolError
from mcp_types import ToolAnnotations

LEDGER = Path(sys.argv[1]).open("a", encoding="utf-8", buffering=1)  # noqa: SIM115  # closed with the process
FAILURES: list[tuple[str, str]] = json.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))  # names and texts
HINTS = {
    "undeclared": None,
    "acts": ToolAnnotations(readOnlyHint=False, destructiveHint=True, idempotentHint=False),
    "wire": ToolAnnotations(readOnlyHint=False),
}
server: Any = FastMCP("bank")


def made(name: str) -> Any:
    def pay(n: int) -> str:
        LEDGER.write(f"{n}\n")
        if name == "wire":
            return "wired"
        kind, text = FAILURES[n % len(FAILURES)]
        if n % 2:
            raise ToolError(text)
        raise type(kind, (Exception,), {})(text)

    pay.__name__ = name
    return pay


for tool, hints in HINTS.items():
    server.tool(made(tool), name=tool, annotations=hints)

if __name__ == "__main__":
    if sys.argv[3:4] == ["http"]:
        server.run("http", host="127.0.0.1", port=int(sys.argv[4]), show_banner=False, log_level="critical")
    else:
        server.run("stdio", show_banner=False, log_level="critical")
