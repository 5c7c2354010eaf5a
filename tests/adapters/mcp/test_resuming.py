"""The official SDK on both sides: a server that closes the stream of a call, and a client that takes it up again."""

import json
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

from sealegs.traces import build_record, read_episodes
from tests.adapters.mcp.test_clients import called, connected, ended, listening, options

SERVER = str(Path(__file__).parent / "resuming_server.py")


@pytest.fixture
def url() -> Iterator[str]:
    with socket.socket() as link:
        link.bind(("127.0.0.1", 0))
        port = link.getsockname()[1]
    nowhere = subprocess.DEVNULL
    with ended(subprocess.Popen([sys.executable, SERVER, str(port)], stdout=nowhere, stderr=nowhere)):
        listening(port)
        yield f"http://127.0.0.1:{port}/mcp"


async def test_a_stream_that_is_taken_up_again(url: str, tmp_path: Path) -> None:
    rules: list[dict[str, Any]] = [
        {"match": {"tool": "price"}, "when": {"nth": 2}, "fault": {"kind": "delta", "offset": 1.0, "fields": ["price"]}}
    ]
    records = tmp_path / "records.jsonl"
    command = [sys.executable, *options(tmp_path, rules), "--url", url, "--records", str(records)]
    with ended(subprocess.Popen(command, stdout=subprocess.PIPE, text=True)) as proxy:
        assert proxy.stdout is not None
        address = proxy.stdout.readline().split()[-1]
        async with connected("official 2025-11-25", url) as direct, connected("official 2025-11-25", address) as client:
            true = await called(direct, "price", item="lamp")
            first = await called(client, "price", item="lamp")
            second = await called(client, "price", item="lamp")
        assert first == true
        assert json.loads(second["content"][0]["text"])["price"] not in (12.5, None)
        proxy.terminate()
        assert proxy.wait(60) == 0
    (events,) = read_episodes(records)
    turns = build_record(events).turns
    assert [(turn.call.tool, turn.faulted) for turn in turns] == [("price", False), ("price", True)]
