"""A server of the official SDK whose payments are done and then fail. Each tool announces the schema of its answers."""

from typing import Any

from mcp.server.mcpserver import MCPServer
from pydantic import BaseModel

PAID: list[dict[str, Any]] = []
server: Any = MCPServer("lost answers")


class Receipt(BaseModel):
    number: int


def paid(reference: str) -> Any:
    PAID.append({"reference": reference, "number": len(PAID)})
    raise ConnectionError("no answer")


@server.tool()
def pay(reference: str) -> dict[str, Any]:
    """Pay."""
    return paid(reference)  # type: ignore[no-any-return]


@server.tool()
def pay_briefly(reference: str) -> str:
    """Pay, and say so in a text, which has to be wrapped."""
    return paid(reference)  # type: ignore[no-any-return]


@server.tool()
def pay_fully(reference: str) -> Receipt:
    """Pay, and give a receipt."""
    return paid(reference)  # type: ignore[no-any-return]


@server.tool(structured_output=False)
def pay_plainly(reference: str) -> str:
    """Pay; the answer has no schema."""
    return paid(reference)  # type: ignore[no-any-return]


@server.tool()
def list_payments() -> dict[str, Any]:
    """All payments."""
    return {"payments": PAID}


server.run("stdio")
