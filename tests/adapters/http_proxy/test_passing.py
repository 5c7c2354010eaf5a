"""What HTTP has besides plain answers, through the proxy: websockets, redirects, large bodies, described operations."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import needs
from tests.adapters.http_proxy.proxying import NEVER, Proxy, proxying, raw, soon

aiohttp = pytest.importorskip("aiohttp", reason=needs.module("aiohttp"))

from tests.adapters.http_proxy.raw_upstream import CHUNK, upstream  # noqa: E402

SPEC = """
openapi: 3.0.3
info: {title: users, version: "1"}
servers: [{url: "https://api.example.com/{stage}", variables: {stage: {default: api}}}]
paths:
  /users/{id}:
    parameters: [{$ref: "#/components/parameters/Id"}]
    get:
      operationId: get_user
      tags: [users]
      responses: {"200": {description: ok, content: {application/json: {schema: {$ref: "#/components/schemas/User"}}}}}
components:
  parameters: {Id: {name: id, in: path, required: true, schema: {type: integer}}}
  schemas:
    User:
      type: object
      required: [id, name, email]
      properties:
        id: {type: integer}
        name: {type: string}
        email: {type: string}
        boss: {$ref: "#/components/schemas/User"}
"""


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[str, list[int]]]:
    with upstream() as found:
        yield found


@pytest.fixture(scope="module")
def proxy(server: tuple[str, list[int]], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    folder = tmp_path_factory.mktemp("proxy")
    (folder / "spec.yaml").write_text(SPEC, encoding="utf-8")
    with proxying(server[0], folder, "--openapi", "spec.yaml", "--allow-origin", "http://page.example") as one:
        yield one


@pytest.fixture
async def client() -> AsyncIterator[Any]:
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=60)) as session:
        yield session


@pytest.mark.parametrize("state", ["on", "off"])
async def test_a_websocket_passes_both_ways(
    server: tuple[str, list[int]], proxy: Proxy, client: Any, state: str
) -> None:
    proxy.load([{"match": {"tool": "*"}, "fault": {"kind": "error"}}])
    proxy.switch(f"/{state}")
    url = proxy.url + "/talk"
    async with client.ws_connect(url, protocols=("first", "second"), headers={"X-Who": "me"}, autoping=False) as talk:
        assert talk.protocol == "second"
        assert await talk.receive_str() == "me"
        await talk.send_str("hé")
        assert await talk.receive_str() == "HÉ"
        await talk.send_bytes(b"ab" * 100_000)
        assert await talk.receive_bytes() == b"ba" * 100_000
        await talk.ping(b"there?")
        pong = await talk.receive()
        assert (pong.type, pong.data) == (aiohttp.WSMsgType.PONG, b"there?")
        await talk.send_str("bye")
        closed = await talk.receive()
        assert (closed.data, closed.extra) == (4001, "so long")
    server[1].clear()
    async with client.ws_connect(url) as talk:
        await talk.receive_str()
        await talk.close(code=4002)
    soon(lambda: server[1] == [4002])
    async with client.ws_connect(url) as talk:
        await talk.receive_str()
        await talk.send_str("gone")
        assert (await talk.receive()).type is aiohttp.WSMsgType.CLOSED
        assert talk.close_code == 1006
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        await client.ws_connect(url + "?refuse=1")
    assert (refused.value.status, refused.value.headers["WWW-Authenticate"]) == (401, "Bearer")


def test_which_requests_reach_the_server(server: tuple[str, list[int]], proxy: Proxy) -> None:
    """Nothing is added, one hop's headers stay behind, and an origin is what the server would know."""
    host = server[0].removeprefix("http://")
    for rules in ([], NEVER):
        proxy.load(rules)
        given = {"X-Mine": "1", "Connection": "keep-alive, X-Hop", "X-Hop": "2", "Keep-Alive": "5", "TE": "trailers"}
        given |= {"Accept-Encoding": "identity", "Origin": proxy.url}
        got = json.loads(raw(proxy.url, "/echo?a=%2F&b", **given).body)
        assert got["target"] == "/echo?a=%2F&b"
        assert {name.lower(): value for name, value in got["headers"]} == {
            "host": host,
            "x-mine": "1",
            "accept-encoding": "identity",
            "origin": server[0],
        }
        other = json.loads(raw(proxy.url, "/echo", Origin="http://page.example").body)
        assert ["Origin", "http://page.example"] in other["headers"]
        assert raw(proxy.url, "/echo", Origin="http://other.example").status == 403
        assert raw(proxy.url, "/echo", Host="other.example").status == 421


def test_a_redirect_leads_to_the_proxy(proxy: Proxy) -> None:
    for rules in ([], NEVER):
        proxy.load(rules)
        got = raw(proxy.url, "/moved")
        assert (got.status, got.header("location")) == (307, f"{proxy.url}/echo?from=there")


@pytest.mark.parametrize("rules", ["none", "never"])
def test_a_request_without_an_answer_is_sent_once(proxy: Proxy, rules: str) -> None:
    """On a connection that was used before, HTTP libraries send what they take for harmless a second time."""
    methods = ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "POST", "PATCH"]
    proxy.load([] if rules == "none" else NEVER)
    before = json.loads(raw(proxy.url, "/cut?done").body)
    for method in methods:
        assert raw(proxy.url, "/echo").status == 200  # the connection to the server is kept
        assert raw(proxy.url, "/cut", method, b"{}" if method in ("PUT", "POST", "PATCH") else None).status in (0, 502)
    assert json.loads(raw(proxy.url, "/cut?done").body) == before + methods


def memory(proxy: Proxy) -> int:
    """The most memory that the proxy has had, in mebibytes."""
    lines = Path(f"/proc/{proxy.process.pid}/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmHWM"))


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason=needs.PROC)
@pytest.mark.parametrize("rules", ["none", "never"])
async def test_large_bodies_pass_without_being_kept(proxy: Proxy, client: Any, rules: str) -> None:
    size = 96
    proxy.load([] if rules == "none" else NEVER, episode=f"large {rules}")
    if rules == "none":
        proxy.switch("/off")
    before = memory(proxy)
    digest = hashlib.sha256()
    async with client.get(f"{proxy.url}/large?size={size}") as answer:
        async for chunk in answer.content.iter_any():
            digest.update(chunk)
    expected = hashlib.sha256(CHUNK * size).hexdigest()
    assert digest.hexdigest() == expected

    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(size):
            yield CHUNK

    if rules == "none":
        async with client.post(f"{proxy.url}/echo", data=chunks()) as answer:
            got = await answer.json()
        assert (got["size"], got["digest"]) == (size << 20, expected)
        assert ["Transfer-Encoding", "chunked"] in got["headers"]
    else:
        too_large = raw(proxy.url, "/echo", "POST", None, Content_Length=str(65 << 20))
        assert too_large.status == 413
    assert memory(proxy) - before < size * 3 // 4
    proxy.load([])
    if rules == "never":
        (turn,) = proxy.record("large never").turns
        assert turn.shown.value == {"bytes": size << 20, "sha256": expected}  # type: ignore[union-attr]


def test_described_operations_are_tools(proxy: Proxy) -> None:
    rules: list[dict[str, Any]] = [
        {
            "match": {"all": [{"tool": "get_user"}, {"argument": {"name": "id", "equals": 7}}]},
            "fault": {"kind": "error"},
        },
        {"match": {"tag": "users"}, "when": {"nth": 2}, "fault": {"kind": "missing_required_fields"}},
    ]
    proxy.load(rules, episode="described")
    assert [raw(proxy.url, f"/api/users/{id}").status for id in (7, 8, 9)] == [500, 200, 200]
    assert raw(proxy.url, "/api/users/8/more").status == 404
    proxy.load([])
    turns = proxy.record("described").turns
    assert [turn.call.tool for turn in turns][:3] == ["get_user"] * 3
    assert turns[3].call.tool.endswith("/api/users/8/more")
    assert turns[0].call.arguments == {"path": "/api/users/7", "id": 7}
    assert [turn.faulted for turn in turns] == [True, True, False, False]
    shown = turns[1].shown.value  # type: ignore[union-attr]
    assert shown != {"id": 8, "name": "Ada", "email": "ada@example.com"}


NODE_CLIENT = """
const answer = await fetch(process.argv[2] + "/echo", { method: "POST", body: "hello" });
console.log(answer.status, answer.headers.get("retry-after"), (await answer.json()).error.type);
const again = await fetch(process.argv[2] + "/echo", { method: "POST", body: "hello" });
console.log(again.status, (await again.json()).size);
try { await fetch(process.argv[2] + "/echo"); } catch (error) { console.log(error.cause.code); }
"""


def test_node(proxy: Proxy, tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip(needs.NODE)
    limit = {"kind": "rate_limit", "retry_after": 3}
    proxy.load(
        [
            {"match": {"method": "POST"}, "when": {"first": 1}, "fault": limit},
            {"match": {"method": "GET"}, "fault": {"kind": "connection", "mode": "reset"}},
        ]
    )
    script = tmp_path / "client.mjs"
    script.write_text(NODE_CLIENT, encoding="utf-8")
    run = subprocess.run([node, str(script), proxy.url], capture_output=True, text=True, check=True, timeout=120)
    assert run.stdout.splitlines() == ["429 3 RateLimitExceeded", "200 5", "ECONNRESET"]
