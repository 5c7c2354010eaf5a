"""Faults of HTTP's own: the request is struck, and the client sees what it would see of a real server."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from sealegs.faults import plan_from
from sealegs.faults.user_error import UserError
from sealegs.traces import build_record, read_episodes
from tests import needs
from tests.adapters.mcp.piping import request

aiohttp = pytest.importorskip("aiohttp", reason=needs.module("aiohttp"))

from sealegs.adapters.mcp import Gate  # noqa: E402
from tests.adapters.mcp.test_http import proxied  # noqa: E402

SESSION = {"Mcp-Session-Id": "s1"}


def faulted(name: str, fault: dict[str, Any]) -> dict[str, Any]:
    called = {"argument": {"name": "name", "equals": name}}
    return {"match": {"all": [{"tool": "http/request"}, called]}, "fault": fault}


async def test_a_status_is_that_of_http_itself(tmp_path: Path) -> None:
    rules = [
        faulted("login", {"kind": "error", "status": 401}),
        faulted("lost", {"kind": "error", "status": 404}),
        faulted("limit", {"kind": "rate_limit", "retry_after": 6.5}),
        faulted("down", {"kind": "error", "status": 503, "retry_after": 2}),
        faulted("reset", {"kind": "connection", "mode": "reset"}),
        {"match": {"tool": "*"}, "fault": {"kind": "error"}, "when": {"nth": 9}},
    ]
    records = tmp_path / "records.jsonl"
    async with proxied(tmp_path, rules, "--records", str(records)) as (server, url, client):
        async with client.post(url, json=request(1, "login"), headers=SESSION) as answer:
            challenge = answer.headers["WWW-Authenticate"]
            assert (answer.status, (await answer.json())["error"]) == (401, "invalid_token")
            place = url.replace("/mcp?key=1%2F2", "/.well-known/oauth-protected-resource/mcp")
            assert f'resource_metadata="{place}"' in challenge
            assert challenge.startswith('Bearer error="invalid_token"')
        async with client.post(url, json=request(2, "lost"), headers=SESSION) as answer:
            message = await answer.json()
            assert (answer.status, message["id"], message["error"]["message"]) == (404, 2, "Session not found")
        async with client.post(url, json=request(3, "limit")) as answer:
            assert (answer.status, answer.headers["Retry-After"]) == (429, "7")
        async with client.post(url, json=request(4, "down")) as answer:
            assert (answer.status, answer.headers["Retry-After"]) == (503, "2")
        with pytest.raises(aiohttp.ClientError):
            async with client.post(url, json=request(5, "reset")):
                pass
        assert server.requests == []
        async with client.post(url, json=request(6, "echo", item="lamp")) as answer:
            assert answer.status == 200
    (events,) = read_episodes(records)
    turns = build_record(events).turns
    assert [turn.faulted for turn in turns if turn.call.tool == "http/request"] == [True] * 5 + [False]
    assert [turn.call.tool for turn in turns if not turn.faulted] == ["http/request", "echo"]


async def read_into(came: bytearray, client: Any, url: str) -> None:
    async with client.post(url, json=request(1, "stream")) as answer:
        while chunk := await answer.content.readany():
            came += chunk


async def test_a_stream_breaks_off_after_so_many_events(tmp_path: Path) -> None:
    rules = [faulted("stream", {"kind": "interrupted", "after": 2})]
    records = tmp_path / "records.jsonl"
    async with proxied(tmp_path, rules, "--records", str(records)) as (server, url, client):
        came = bytearray()
        with pytest.raises(aiohttp.ClientError):
            await read_into(came, client, url)
        assert came.count(b"id: ") == 2
        await asyncio.wait_for(server.left.wait(), 60)  # the server sees its client leave
    (events,) = read_episodes(records)
    assert [turn.faulted for turn in build_record(events).turns if turn.call.tool == "http/request"] == [True]


async def test_a_whole_answer_does_not_arrive_though_the_work_was_done(tmp_path: Path) -> None:
    async with proxied(tmp_path, [faulted("echo", {"kind": "interrupted"})]) as (server, url, client):
        with pytest.raises(aiohttp.ClientError):
            async with client.post(url, json=request(1, "echo")):
                pass
        assert len(server.requests) == 1


async def test_a_stream_that_broke_off_is_taken_up_again(tmp_path: Path) -> None:
    rules = [faulted("stays", {"kind": "interrupted", "after": 1})]
    async with proxied(tmp_path, rules) as (server, url, client):
        with pytest.raises(aiohttp.ClientError):
            async with client.post(url, json=request(1, "stays"), headers=SESSION) as answer:
                await answer.read()
        server.go_on.set()
        async with client.get(url, headers={**SESSION, "Last-Event-ID": "last-1"}) as answer:
            data = [line[5:] for line in (await answer.read()).splitlines() if line.startswith(b"data: ")]
        assert json.loads(data[-1])["id"] == 1


def test_a_fault_that_changes_data_is_refused() -> None:
    plan = plan_from({"name": "x", "rules": [{"match": {"tool": "http/request"}, "fault": {"kind": "delta"}}]})
    with pytest.raises(UserError, match="'delta' cannot strike http/request; give one of error"):
        Gate(plan)
