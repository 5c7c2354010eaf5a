"""What is HTTP's own through the relay: statuses, redirects, logins, and whom it answers at all."""

import asyncio
import io
import json
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from sealegs.traces import build_record, read_episodes
from tests import needs
from tests.adapters.mcp.piping import SEALEGS, request, text_of, written

aiohttp = pytest.importorskip("aiohttp", reason=needs.module("aiohttp"))

from aiohttp import web  # noqa: E402
from multidict import CIMultiDict  # noqa: E402

ERROR = {"code": -32001, "message": "Session not found"}
ODD_IDS: list[Any] = [1, "x", 1.5, None, True, [], {}, 10**40]
ODD_PARAMS: list[Any] = [None, [], "x", {"taskId": {}}, {"taskId": []}, {"name": {}}, {"requestId": []}]
JSON = {"Content-Type": "application/json"}


def error(id: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": id, "error": ERROR}).encode()


REFUSALS: dict[str, tuple[int, dict[str, str], bytes]] = {  # by the tool that is called
    "lost": (404, JSON, error(None)),
    "login": (401, {**JSON, "WWW-Authenticate": "Bearer"}, error("server-error")),
    "limit": (429, {"Content-Type": "text/plain", "Retry-After": "0"}, b"slow down"),
    "down": (503, {"Content-Type": "text/html"}, b"<h1>down</h1>"),
    "own": (404, JSON, b""),
    "busy": (503, {"Content-Type": "text/plain", "Retry-After": "1"}, b"later"),
}


class Refusing:
    """A server that refuses as the tool's name says; `down` only twice, `busy` once. `killed`: so is its proxy."""

    killed = False

    def __init__(self) -> None:
        self.proxy: asyncio.subprocess.Process | None = None
        self.calls: list[str] = []
        self.heard: list[tuple[str, dict[str, str], bytes]] = []

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        body = await request.read()
        self.heard.append((request.raw_path, dict(request.headers), body))
        origin = f"http://{request.host}"
        if request.path == "/moved":
            return web.Response(status=307, headers={"Location": f"{origin}/mcp"})
        if request.path == "/away":
            return web.Response(status=307, headers={"Location": "http://127.0.0.1:9/mcp"})
        if request.path == "/.well-known/oauth-protected-resource/mcp":
            return web.json_response({"resource": f"{origin}/mcp", "authorization_servers": [origin]})
        if request.path == "/token":
            return web.Response(text=body.decode())
        if request.path == "/challenge":
            challenge = f'Bearer resource_metadata="{origin}/.well-known/oauth-protected-resource/mcp"'
            return web.Response(status=401, headers={"WWW-Authenticate": challenge})
        message = json.loads(body)
        if not isinstance(message.get("params"), dict):
            return web.json_response(
                {"jsonrpc": "2.0", "id": message.get("id"), "error": {"code": -32602, "message": "?"}}
            )
        name = message["params"].get("name", "")
        self.calls.append(name)
        if name == "down" and self.calls.count("down") > 2:
            name = "fine"
        if name == "busy" and self.calls.count("busy") > 1:
            name = "fine"
        if name == "event":
            failed = {"content": [{"type": "text", "text": "temporarily unavailable"}], "isError": True}
            data = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": failed})
            return web.Response(text=f"event: message\ndata: {data}\n\n", content_type="text/event-stream")
        if name in REFUSALS:
            status, headers, raw = REFUSALS[name]
            return web.Response(status=status, headers=headers, body=raw or error(message["id"]))
        return web.json_response(
            {"jsonrpc": "2.0", "id": message["id"], "result": {"content": [{"type": "text", "text": "fine"}]}}
        )


@asynccontextmanager
async def behind(
    folder: Path, rules: list[dict[str, Any]], *options: str
) -> AsyncIterator[tuple[Refusing, str, Any, str]]:
    """The server, the proxy's address, a client, and the server's own address."""
    server = Refusing()
    runner = web.ServerRunner(web.Server(server.handle, access_log=None), shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    direct = f"http://127.0.0.1:{runner.addresses[0][1]}/mcp"
    given = ["--plan", str(written(folder, rules)), "--url", direct, *options]
    process = await asyncio.create_subprocess_exec(
        sys.executable, *SEALEGS[1:], *given, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    server.proxy = process
    try:
        assert process.stdout is not None
        address = (await process.stdout.readline()).decode().split()[-1]
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=60)) as client:
            yield server, address, client, direct
    finally:
        if process.returncode is None:
            process.terminate()
        _, stderr = await process.communicate()
        assert process.returncode == (-signal.SIGKILL if server.killed else 0)
        assert b"Traceback" not in stderr, stderr.decode()
        await runner.cleanup()


def recovery(folder: Path) -> str:
    file = folder / "recovery.yaml"
    plan = "policies: [{retry: {base: 0.01}}, stop]\ntools: {'*': {effects: false}}\n"
    file.write_text(plan, encoding="utf-8")
    return str(file)


async def seen(client: Any, url: str, tool: str) -> tuple[int, bytes, dict[str, str]]:
    """What a client sees: status, body, and the headers that say something."""
    async with client.post(url, json=request(7, tool)) as answer:
        kept = {
            name: answer.headers[name]
            for name in ("Retry-After", "WWW-Authenticate", "Content-Type")
            if name in answer.headers
        }
        return answer.status, await answer.read(), kept


RULES: dict[str, list[dict[str, Any]]] = {
    "nothing fires": [{"match": {"tool": "*"}, "when": {"nth": 1000000}, "fault": {"kind": "error", "status": 500}}],
    "a delay": [{"match": {"tool": "*"}, "fault": {"kind": "delay", "seconds": 0.01}}],
    "a duplicate": [{"match": {"tool": "*"}, "fault": {"kind": "duplicate"}}],
    "recovery": [],
}


@pytest.mark.parametrize("how", RULES)
async def test_a_status_reaches_the_client_as_the_server_gave_it(tmp_path: Path, how: str) -> None:
    options = ["--recovery", recovery(tmp_path)] if how == "recovery" else []
    async with behind(tmp_path, RULES[how], *options) as (server, url, client, direct):
        for tool in ("lost", "login", "limit", "own"):
            assert await seen(client, url, tool) == await seen(client, direct, tool), tool
        if how == "recovery":  # which sees a 503 for what it is, and tries again
            server.calls.clear()
            status, raw, _ = await seen(client, url, "down")
            assert (status, text_of(json.loads(raw))) == (200, "fine")
            assert server.calls == ["down"] * 3
            assert json.loads(raw)["id"] == 7


async def test_recovery_waits_as_long_as_the_server_says(tmp_path: Path) -> None:
    async with behind(tmp_path, [], "--recovery", recovery(tmp_path)) as (server, url, client, _):
        began = asyncio.get_running_loop().time()
        status, raw, _ = await seen(client, url, "busy")
        waited = asyncio.get_running_loop().time() - began
    assert (status, text_of(json.loads(raw)), server.calls) == (200, "fine", ["busy"] * 2)
    assert waited >= 1.0  # by itself it would wait for a hundredth of that


@pytest.mark.parametrize(
    ("end", "reason", "detail"),
    [
        (signal.SIGTERM, "answered", "SIGTERM"),
        (signal.SIGKILL, "crashed", "the record breaks off: its process was killed or its disk full"),
    ],
)
async def test_the_record_over_http_says_what_ended_it(
    tmp_path: Path, end: signal.Signals, reason: str, detail: str
) -> None:
    file = tmp_path / "records.jsonl"
    async with behind(tmp_path, [], "--records", str(file)) as (server, url, client, _):
        assert (await seen(client, url, "fine"))[0] == 200
        assert server.proxy is not None
        server.killed = end == signal.SIGKILL
        server.proxy.send_signal(end)
        await server.proxy.wait()
    (events,) = read_episodes(file)
    found = build_record(events)
    assert (found.end.reason, found.end.detail) == (reason, detail)
    (turn,) = found.turns
    assert (turn.call.tool, turn.shown is not None) == ("fine", True)


async def test_a_changed_event_of_a_stream_whose_length_the_server_gave_is_complete(tmp_path: Path) -> None:
    async with behind(tmp_path, [], "--recovery", recovery(tmp_path)) as (_, address, client, direct):
        whole = await seen(client, direct, "event")
        async with asyncio.timeout(30):
            status, body, kept = await seen(client, address, "event")
    assert (status, kept) == (200, whole[2])
    line = body.decode().partition("data: ")[2].strip()
    assert "temporarily unavailable" in text_of(json.loads(line))
    assert body != whole[1]


async def test_the_server_s_addresses_lead_to_the_proxy(tmp_path: Path) -> None:
    async with behind(tmp_path, []) as (server, url, client, direct):
        ours, theirs = url.removesuffix("/mcp"), direct.removesuffix("/mcp")
        async with client.post(f"{ours}/moved", data=b"{}", allow_redirects=False) as answer:
            assert (answer.status, answer.headers["Location"]) == (307, f"{ours}/mcp")
        async with client.get(f"{ours}/.well-known/oauth-protected-resource/mcp") as answer:
            assert await answer.json() == {"resource": f"{ours}/mcp", "authorization_servers": [ours]}
        async with client.get(f"{ours}/challenge") as answer:
            metadata = f"{ours}/.well-known/oauth-protected-resource/mcp"
            assert answer.headers["WWW-Authenticate"] == f'Bearer resource_metadata="{metadata}"'
        async with client.post(f"{ours}/token", data={"resource": f"{ours}/mcp", "code": "1"}) as answer:
            assert answer.status == 200
        from urllib.parse import parse_qs

        assert parse_qs(server.heard[-1][2].decode())["resource"] == [f"{theirs}/mcp"]


@pytest.mark.parametrize("faulted", ["tool", "request"])
async def test_a_redirected_call_counts_once(tmp_path: Path, faulted: str) -> None:
    called = [{"tool": "http/request"}, {"argument": {"name": "message", "equals": "tools/call"}}]
    match: dict[str, Any] = {"tool": "fine"} if faulted == "tool" else {"all": called}
    rules = [{"match": match, "when": {"nth": 3}, "fault": {"kind": "rate_limit"}}]
    records = tmp_path / "records.jsonl"
    async with behind(tmp_path, rules, "--records", str(records)) as (server, url, client, _):
        ours = url.removesuffix("/mcp")
        # Nobody knows of the first that the path redirects.
        async with client.post(f"{ours}/moved?a=1", json=request(1, "fine"), allow_redirects=False) as answer:
            assert (answer.status, text_of(await answer.json())) == (200, "fine")
        async with client.post(f"{ours}/moved", json=request(2, "fine"), allow_redirects=False) as answer:
            assert (answer.status, answer.headers["Location"]) == (307, url)
        async with client.post(f"{ours}/moved", json=request(2, "fine")) as answer:
            assert (answer.status, text_of(await answer.json())) == (200, "fine")
        async with client.post(f"{ours}/moved", json=request(3, "fine")) as answer:
            assert (answer.status == 429) is (faulted == "request")
            assert b"Rate limit exceeded" in await answer.read()
        assert server.calls == ["fine"] * 2
    (events,) = read_episodes(records)
    turns = [turn for turn in build_record(events).turns if turn.call.tool == "fine"]
    assert [turn.faulted for turn in turns] == [False, False, True][: 3 if faulted == "tool" else 2]


async def test_a_call_that_is_redirected_elsewhere_is_not_followed(tmp_path: Path) -> None:
    async with behind(tmp_path, RULES["a delay"]) as (server, url, client, _):
        place = url.replace("/mcp", "/away")
        for _ in range(2):
            async with client.post(place, json=request(1, "fine"), allow_redirects=False) as answer:
                assert (answer.status, answer.headers["Location"]) == (307, "http://127.0.0.1:9/mcp")
        assert [path for path, *_ in server.heard] == ["/away"] * 2


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0", "127.0.0.2"])
async def test_host_and_origin_are_checked_wherever_it_listens(tmp_path: Path, host: str) -> None:
    options = ["--host", host, "--allow-host", "shop.internal", "--allow-origin", "https://ours.example"]
    async with behind(tmp_path, [], *options) as (server, url, client, _):
        port = url.split(":")[2].split("/")[0]
        url = f"http://{'127.0.0.1' if host == '0.0.0.0' else host}:{port}/mcp"
        cases: list[tuple[Mapping[str, str], int]] = [
            ({"Host": "evil.example"}, 421),
            ({"Host": f"evil.example:{port}"}, 421),
            ({"Host": "127.0.0.1:99999999"}, 421),
            ({"Host": "shop.internal"}, 200),
            ({"Host": f"localhost:{port}"}, 200),
            ({"Origin": "https://evil.example", "Content-Type": "text/plain"}, 403),
            ({"Origin": "null"}, 403),
            ({"Origin": "https://ours.example"}, 200),
            (CIMultiDict([("Origin", "https://ours.example"), ("Origin", "https://evil.example")]), 403),
            ({"Host": f"localhost:{port}", "Origin": f"http://localhost:{port}"}, 200),
        ]
        for headers, status in cases:
            async with client.post(url, data=json.dumps(request(1, "fine")), headers=headers) as answer:
                assert answer.status == status, headers
        assert len(server.heard) == sum(status == 200 for _, status in cases)


async def test_odd_messages_pass_or_are_refused_without_a_traceback(tmp_path: Path) -> None:
    rules: list[dict[str, Any]] = [
        {"match": {"tool": "*"}, "fault": {"kind": "delay", "seconds": 0.001}},
        {"match": {"tool": "tools/list"}, "fault": {"kind": "duplicate"}},
    ]
    async with behind(tmp_path, rules) as (_, url, client, direct):
        for method in ("tools/call", "tools/list", "tasks/get", "tasks/result", "notifications/cancelled"):
            for id in ODD_IDS:
                for params in ODD_PARAMS:
                    message = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
                    async with client.post(url, json=message) as answer, client.post(direct, json=message) as own:
                        assert answer.status == own.status, message


async def test_too_large_a_body_is_refused_and_nothing_of_it_passes(tmp_path: Path) -> None:
    async with behind(tmp_path, []) as (server, url, client, _):

        async def chunks() -> AsyncIterator[bytes]:
            for _ in range(70):
                yield b"x" * (1 << 20)

        for data in (io.BytesIO(b"x" * (65 << 20)), chunks()):
            try:
                async with client.post(url, data=data) as answer:
                    assert answer.status == 413
            except (aiohttp.ClientError, ConnectionError):  # it closed before all was sent
                pass
        assert server.heard == []
        async with client.post(url, json=request(1, "fine")) as answer:
            assert answer.status == 200
