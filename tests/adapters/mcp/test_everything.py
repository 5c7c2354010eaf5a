"""A published server, server-everything of the npm registry, passes through whole, and is struck."""

import asyncio
import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import needs

pytest.importorskip("fastmcp", reason=needs.module("fastmcp"))
pytest.importorskip("aiohttp", reason=needs.module("aiohttp"))

from tests.adapters.mcp.test_clients import CLIENTS, called, connected, ended, listening, options
from tests.npm import installed

PACKAGE = "@modelcontextprotocol/server-everything"
VERSION = "2026.8.31"
RULES: list[dict[str, Any]] = [
    {
        "match": {"argument": {"name": "location", "equals": "Chicago"}},
        "fault": {"kind": "delta", "offset": 1.0, "fields": ["temperature"]},
    },
    {"match": {"argument": {"name": "message", "equals": "hang"}}, "fault": {"kind": "hang"}},
    {"match": {"argument": {"name": "message", "equals": "down"}}, "fault": {"kind": "error", "status": 503}},
    {"match": {"argument": {"name": "messageType", "equals": "error"}}, "fault": {"kind": "malformed", "mode": "cut"}},
]


@pytest.fixture(scope="module")
def script() -> str:
    """The server's program, installed once on this machine."""
    return str(installed(f"{PACKAGE}@{VERSION}") / "node_modules" / PACKAGE / "dist" / "index.js")


@pytest.fixture(scope="module")
def url(script: str) -> Iterator[str]:
    """The server over HTTP."""
    with socket.socket() as link:
        link.bind(("127.0.0.1", 0))
        port = link.getsockname()[1]
    command = ["node", script, "streamableHttp"]
    nowhere = subprocess.DEVNULL
    with ended(subprocess.Popen(command, env={**os.environ, "PORT": str(port)}, stdout=nowhere, stderr=nowhere)):
        listening(port)
        yield f"http://127.0.0.1:{port}/mcp"


async def observed(client: Any) -> list[Any]:
    """All of the server that says the same each time."""
    progress: list[Any] = []

    async def on_progress(done: float, total: float | None, message: str | None) -> None:
        progress.append((done, total, message))

    listed = [
        await client.list_tools(),
        await client.list_resources(),
        await client.list_resource_templates(),
        await client.list_prompts(),
    ]
    seen: list[Any] = [found.model_dump(mode="json") for found in listed]
    read = await client.read_resource(listed[1].resources[0].uri)
    seen.append(read.model_dump(mode="json"))
    for tool, arguments in (
        ("echo", {"message": "hello"}),
        ("get-sum", {"a": 1, "b": 2}),
        ("get-tiny-image", {}),
        ("get-annotated-message", {"messageType": "success", "includeImage": True}),
        ("get-structured-content", {"location": "New York"}),
        ("get-resource-links", {"count": 2}),
        ("echo", {"wrong": "arguments"}),
    ):
        seen.append(await called(client, tool, **arguments))
    slow = await client.call_tool(
        "trigger-long-running-operation", {"duration": 0.3, "steps": 3}, progress_callback=on_progress
    )
    return [*seen, slow.model_dump(mode="json"), progress]


async def check(direct: list[str] | str, proxied: list[str] | str) -> None:
    async with connected(CLIENTS[0], direct) as one, connected(CLIENTS[0], proxied) as other:
        first, second = await asyncio.gather(observed(one), observed(other))
        assert first == second
        assert len(first[-1]) == 3
        answer = await called(other, "get-structured-content", location="Chicago")
        assert answer["structured_content"] == json.loads(answer["content"][0]["text"])
        true = await called(one, "get-structured-content", location="Chicago")
        changed, original = answer["structured_content"], true["structured_content"]
        assert [name for name in original if changed[name] != original[name]] == ["temperature"]
        hanging = asyncio.create_task(called(other, "echo", message="hang"))
        assert (await called(other, "echo", message="down"))["is_error"]
        answer = await called(other, "get-annotated-message", messageType="error", includeImage=True)
        true = await called(one, "get-annotated-message", messageType="error", includeImage=True)
        assert answer != true
        assert answer["content"][-1] == true["content"][-1]  # the image
        assert not hanging.done()
        hanging.cancel()
        await asyncio.wait([hanging])
        assert (await called(other, "echo", message="on"))["content"][0]["text"] == "Echo: on"


async def test_over_pipes(script: str, tmp_path: Path) -> None:
    server = [shutil.which("node") or "node", script, "stdio"]
    await check(server, [sys.executable, *options(tmp_path, RULES), "--", *server])


async def test_over_http(url: str, tmp_path: Path) -> None:
    command = [sys.executable, *options(tmp_path, RULES), "--url", url]
    with ended(subprocess.Popen(command, stdout=subprocess.PIPE, text=True)) as proxy:
        assert proxy.stdout is not None
        await check(url, proxy.stdout.readline().split()[-1])
