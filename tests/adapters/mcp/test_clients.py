"""The official SDK's client and FastMCP's, against a real server of each, over both transports, in both eras."""

import asyncio
import json
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests import needs

fastmcp = pytest.importorskip("fastmcp", reason=needs.module("fastmcp"))
pytest.importorskip("aiohttp", reason=needs.module("aiohttp"))
mcp_types = pytest.importorskip("mcp_types", reason=needs.module("mcp_types"))

from fastmcp.client.transports import StdioTransport, StreamableHttpTransport  # noqa: E402
from mcp.client.client import Client  # noqa: E402
from mcp.client.stdio import StdioServerParameters, stdio_client  # noqa: E402

from tests.adapters.mcp.piping import SEALEGS, written  # noqa: E402

SERVER = str(Path(__file__).parent / "real_server.py")
SERVERS = ("official", "fastmcp")
CLIENTS = ("official 2025-11-25", "official 2026-07-28", "fastmcp")
FAULTS: dict[str, dict[str, Any]] = {
    "struck": {"kind": "delta", "offset": 0.5, "fields": ["price"]},
    "error": {"kind": "error", "status": 429, "retry_after": 3},
    "hang": {"kind": "hang"},
    "protocol": {"kind": "error", "message": "Unknown tool", "body": {"code": -32602}},
    "reset": {"kind": "connection", "mode": "reset"},
}
RULES: list[dict[str, Any]] = [
    *({"match": {"argument": {"name": "item", "equals": item}}, "fault": fault} for item, fault in FAULTS.items()),
    {"match": {"argument": {"name": "count", "equals": 6}}, "fault": {"kind": "partial", "keep": 0.5}},
    {"match": {"argument": {"name": "a", "equals": 40}}, "fault": {"kind": "delta", "offset": 1.0}},
]


@contextmanager
def ended(process: "subprocess.Popen[Any]") -> Iterator["subprocess.Popen[Any]"]:
    with process:
        try:
            yield process
        finally:
            process.terminate()


def listening(port: int) -> None:
    for _ in range(300):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the server does not listen")


@pytest.fixture(scope="module")
def urls() -> Iterator[dict[str, str]]:
    """A server of each kind over HTTP."""
    found = {}
    running = []
    for kind in SERVERS:
        with socket.socket() as link:
            link.bind(("127.0.0.1", 0))
            port = link.getsockname()[1]
        running.append(subprocess.Popen([sys.executable, SERVER, kind, str(port)], stderr=subprocess.DEVNULL))
        found[kind] = f"http://127.0.0.1:{port}/mcp"
    try:
        for url in found.values():
            listening(int(url.split(":")[2].split("/")[0]))
        yield found
    finally:
        for process in running:
            process.terminate()
            process.wait(60)


def options(folder: Path, rules: list[dict[str, Any]]) -> list[str]:
    plan = written(folder, rules)
    return [*SEALEGS[1:], "--plan", str(plan)]


@asynccontextmanager
async def connected(client: str, target: list[str] | str) -> AsyncIterator[Any]:
    """A client at the end of a command's pipes, or at an address."""

    async def official_answer(context: Any, params: Any) -> Any:
        return mcp_types.ElicitResult(action="accept", content={"size": 42})

    async def fastmcp_answer(message: str, kind: Any, params: Any, context: Any) -> Any:
        return {"size": 42}

    if client == "fastmcp":
        transport: Any = (
            StreamableHttpTransport(target)
            if isinstance(target, str)
            else StdioTransport(target[0], target[1:], keep_alive=False)
        )
        async with fastmcp.Client(transport, elicitation_handler=fastmcp_answer) as found:
            yield found
        return
    mode = "legacy" if "2025" in client else "2026-07-28"
    server: Any = target
    if not isinstance(target, str):
        with Path("/dev/null").open("w") as nowhere:
            server = stdio_client(StdioServerParameters(command=target[0], args=target[1:]), errlog=nowhere)
            async with Client(server, mode=mode, elicitation_callback=official_answer) as found:
                yield found
        return
    async with Client(server, mode=mode, elicitation_callback=official_answer) as found:
        yield found


async def called(client: Any, tool: str, **arguments: Any) -> Any:
    """The result of a call, as data; FastMCP's client must be kept from raising tool errors."""
    if isinstance(client, Client):
        return (await client.call_tool(tool, arguments)).model_dump(mode="json")
    result = await client.call_tool(tool, arguments, raise_on_error=False)
    content = [block.model_dump(mode="json") for block in result.content]
    return {"content": content, "structured_content": result.structured_content, "is_error": result.is_error}


async def observed(client: Any) -> list[Any]:
    """All that a client sees of a server."""
    seen: list[Any] = []
    progress: list[Any] = []

    async def on_progress(done: float, total: float | None, message: str | None) -> None:
        progress.append((done, total, message))

    handler = {"progress_callback" if isinstance(client, Client) else "progress_handler": on_progress}

    async def tried(work: Any) -> None:
        try:
            found = await work
            seen.append(found.model_dump(mode="json") if hasattr(found, "model_dump") else repr(found))
        except Exception as error:
            seen.append((type(error).__name__, str(error)))

    await tried(client.list_tools())
    await tried(client.list_resources())
    await tried(client.list_prompts())
    await tried(client.read_resource("shop://terms"))
    await tried(client.get_prompt("greet", {"name": "Ada"}))
    for tool, arguments in (
        ("price", {"item": "lamp"}),
        ("add", {"a": 1, "b": 2}),
        ("orders", {"count": 4}),
        ("asks", {}),
        ("fails", {}),
        ("nothing", {}),
    ):
        await tried(called(client, tool, **arguments))
    await tried(client.call_tool("slow", {"seconds": 0.1}, **handler))
    return [*seen, progress]


async def check(client: str, direct: list[str] | str, proxied: list[str] | str) -> None:
    async with connected(client, direct) as one, connected(client, proxied) as other:
        first, second = await asyncio.gather(observed(one), observed(other))
        assert first == second
        assert first[-1] == [(1.0, 2.0, None)]
        assert "accept size=42" in str(first[8]) or "2025" not in client
        await check_faulted(other)


async def check_faulted(one: Any) -> None:
    assert price_of(await called(one, "price", item="struck")) != 12.5
    answer = await called(one, "price", item="error")
    assert answer["is_error"]
    assert json.loads(answer["content"][0]["text"])["error"]["retry_after"] == 3
    answer = await called(one, "orders", count=6)
    assert [order["id"] for order in answer["structured_content"]["result"]] == [1, 2, 3]
    answer = await called(one, "add", a=40, b=2)
    assert answer["structured_content"]["result"] == json.loads(answer["content"][0]["text"]) != 42
    with pytest.raises(Exception, match="Unknown tool"):
        await called(one, "price", item="protocol")
    hanging = asyncio.create_task(called(one, "price", item="hang"))
    assert price_of(await called(one, "price", item="lamp")) == 12.5
    await asyncio.wait([hanging], timeout=0.5)
    assert not hanging.done()
    hanging.cancel()
    await asyncio.wait([hanging], timeout=60)
    assert price_of(await called(one, "price", item="lamp")) == 12.5


def price_of(answer: dict[str, Any]) -> float:
    price: float = json.loads(answer["content"][0]["text"])["price"]
    if answer["structured_content"] is not None:
        assert answer["structured_content"]["price"] == price
    return price


@pytest.mark.parametrize(
    ("kind", "client"),
    [("official", CLIENTS[0]), ("official", CLIENTS[2]), ("fastmcp", CLIENTS[1]), ("fastmcp", CLIENTS[2])],
)
async def test_over_pipes(kind: str, client: str, tmp_path: Path) -> None:
    server = [sys.executable, SERVER, kind, "stdio"]
    await check(client, server, [sys.executable, *options(tmp_path, RULES), "--", *server])


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("kind", SERVERS)
async def test_over_http(kind: str, client: str, tmp_path: Path, urls: dict[str, str]) -> None:
    command = [sys.executable, *options(tmp_path, RULES), "--url", urls[kind]]
    with ended(subprocess.Popen(command, stdout=subprocess.PIPE, text=True)) as proxy:
        assert proxy.stdout is not None
        url = proxy.stdout.readline().split()[-1]
        await check(client, urls[kind], url)
        with pytest.raises(Exception, match=r"."):  # also as the client is left
            async with connected(client, url) as one:
                await asyncio.wait_for(called(one, "price", item="reset"), 60)
        async with connected(client, url) as one:  # the proxy itself is still there
            assert price_of(await called(one, "price", item="lamp")) == 12.5


async def test_a_dropped_connection_over_pipes_ends_the_server(tmp_path: Path) -> None:
    server = [sys.executable, SERVER, "official", "stdio"]
    with pytest.raises(Exception, match=r"."):  # the client may raise as it is left
        async with connected(CLIENTS[0], [sys.executable, *options(tmp_path, RULES), "--", *server]) as one:
            await asyncio.wait_for(called(one, "price", item="reset"), 60)
