"""Servers that redirect, or that want a login, met by real clients through the proxy."""

import json
import os
import socket
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests import needs

fastmcp = pytest.importorskip("fastmcp", reason=needs.module("fastmcp"))
pytest.importorskip("aiohttp", reason=needs.module("aiohttp"))

import httpx2  # noqa: E402
from fastmcp.client.transports import StreamableHttpTransport  # noqa: E402
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider  # noqa: E402
from mcp.client.client import Client  # noqa: E402
from mcp.client.streamable_http import streamable_http_client  # noqa: E402
from mcp.shared.auth import OAuthClientMetadata  # noqa: E402
from mcp.shared.exceptions import MCPError  # noqa: E402

from tests.adapters.mcp.inspecting import command_line, inspected  # noqa: E402
from tests.adapters.mcp.test_clients import called, ended, listening, options, price_of  # noqa: E402
from tests.devtools import CHROMIUM  # noqa: E402
from tests.npm import installed  # noqa: E402

SERVER = str(Path(__file__).parent / "moving_server.py")
BACK = "http://127.0.0.1:9/back"  # where a login sends its user; nobody needs to listen there


def second_call(status: int) -> list[dict[str, Any]]:
    """The rules of a plan that answers the second call with a status."""
    return [
        {
            "match": {"all": [{"tool": "http/request"}, {"argument": {"name": "message", "equals": "tools/call"}}]},
            "when": {"nth": 2},
            "key": "arguments",
            "fault": {"kind": "error", "status": status},
        }
    ]


EXPIRED, LOST = second_call(401), second_call(404)
NODE_CLIENT = """
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
const url = new URL(process.argv[2]);
const kept = {};
let code = "";
const authProvider = process.argv[3] !== "login" ? undefined : {
  redirectUrl: "http://127.0.0.1:9/back",
  clientMetadata: { redirect_uris: ["http://127.0.0.1:9/back"], client_name: "node",
    grant_types: ["authorization_code", "refresh_token"], response_types: ["code"],
    token_endpoint_auth_method: "none" },
  clientInformation: () => kept.client, saveClientInformation: (one) => { kept.client = one; },
  tokens: () => kept.tokens, saveTokens: (one) => { kept.tokens = one; },
  codeVerifier: () => kept.verifier, saveCodeVerifier: (one) => { kept.verifier = one; },
  redirectToAuthorization: async (page) => {
    const answer = await fetch(page, { redirect: "manual" });
    code = new URL(answer.headers.get("location")).searchParams.get("code");
  },
};
const connected = async () => {
  const transport = new StreamableHTTPClientTransport(url, { authProvider });
  const client = new Client({ name: "node", version: "1" });
  try { await client.connect(transport); return client; }
  catch (error) { if (!code) throw error; await transport.finishAuth(code); code = ""; return await connected(); }
};
const client = await connected();
const called = async () => await client.callTool({ name: "price", arguments: { item: "lamp" } });
console.log(JSON.parse((await called()).content[0].text).price);
const headers = { "mcp-session-id": client.transport.sessionId };
if (process.argv[3] === "ended") await fetch(url, { method: "DELETE", headers });
if (["ended", "lost"].includes(process.argv[3])) {
  try { await called(); } catch (error) { console.log(error.constructor.name, error.code); }
}
await client.close();
"""
SDK = "1.32.2"
LANGCHAIN = "0.3.2"


@pytest.fixture(scope="module")
def urls() -> Iterator[dict[str, str]]:
    """Both servers."""
    found = {}
    running = []
    for kind in ("mounted", "authorising"):
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


@contextmanager
def proxied(folder: Path, url: str, rules: list[dict[str, Any]]) -> Iterator[str]:
    command = [sys.executable, *options(folder, rules), "--url", url]
    with ended(subprocess.Popen(command, stdout=subprocess.PIPE, text=True)) as proxy:
        assert proxy.stdout is not None
        yield proxy.stdout.readline().split()[-1]


class Kept:
    """What a client keeps of a login."""

    def __init__(self) -> None:
        self.tokens: Any = None
        self.client: Any = None
        self.logins = 0

    async def get_tokens(self) -> Any:
        return self.tokens

    async def set_tokens(self, tokens: Any) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> Any:
        return self.client

    async def set_client_info(self, client_info: Any) -> None:
        self.client = client_info


def login(url: str, kept: Kept) -> OAuthClientProvider:
    """The official client's login, with a user who agrees at once."""
    codes: list[AuthorizationCodeResult] = []

    async def opened(page: str) -> None:
        kept.logins += 1
        async with httpx2.AsyncClient(trust_env=False) as browser:
            answer = await browser.get(page)
        query = parse_qs(urlsplit(answer.headers["location"]).query)
        codes.append(
            AuthorizationCodeResult(code=query["code"][0], state=query["state"][0], iss=query.get("iss", [None])[0])
        )

    async def come_back() -> AuthorizationCodeResult:
        return codes.pop()

    about = OAuthClientMetadata(redirect_uris=[BACK], client_name="test")
    return OAuthClientProvider(url, about, kept, redirect_handler=opened, callback_handler=come_back)


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_the_official_client_follows_a_redirect(mode: Any, urls: dict[str, str], tmp_path: Path) -> None:
    with proxied(tmp_path, urls["mounted"], []) as url:
        async with Client(url, mode=mode) as client:
            assert price_of(await called(client, "price", item="lamp")) == 12.5


async def test_fastmcp_follows_a_redirect(urls: dict[str, str], tmp_path: Path) -> None:
    with proxied(tmp_path, urls["mounted"], []) as url:
        async with fastmcp.Client(url) as client:
            assert price_of(await called(client, "price", item="lamp")) == 12.5


@pytest.mark.parametrize("kind", ["official", "fastmcp"])
async def test_a_login_leads_through_the_proxy_and_expires(kind: str, urls: dict[str, str], tmp_path: Path) -> None:
    kept = Kept()
    with proxied(tmp_path, urls["authorising"], EXPIRED) as url:
        auth = login(url, kept)
        if kind == "fastmcp":
            async with fastmcp.Client(StreamableHttpTransport(url, auth=auth)) as client:
                for _ in range(3):
                    assert price_of(await called(client, "price", item="lamp")) == 12.5
        else:
            async with (
                httpx2.AsyncClient(auth=auth, trust_env=False) as wire,
                Client(streamable_http_client(url, http_client=wire)) as client,
            ):
                for _ in range(3):
                    assert price_of(await called(client, "price", item="lamp")) == 12.5
    assert kept.tokens.access_token
    assert kept.logins == 2  # at the beginning, and when the plan let the login expire


def environment(*packages: str) -> Path:
    """The Python of an environment with these packages, which need other versions than the tests."""
    mark = "-".join(packages)
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    home = Path(tempfile.gettempdir()) / f"sealegs-{mark}-{version}-{os.getuid()}"
    python = home / "bin" / "python"
    if not (home / "complete").exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(home)], check=True, timeout=300)
        command = [str(python), "-m", "pip", "install", "--quiet", "--retries", "1", *packages]
        done = subprocess.run(command, capture_output=True, text=True, timeout=900)
        if done.returncode != 0:
            pytest.skip(f"{needs.MCP_LANGCHAIN} ({' '.join(done.stderr[-200:].split())})")
        (home / "complete").touch()
    return python


def adapted(url: str, *words: str) -> dict[str, Any]:
    """What langchain-mcp-adapters makes of the server at an address."""
    python = environment(f"langchain-mcp-adapters=={LANGCHAIN}")
    given = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [str(python), str(Path(__file__).parent / "langchain_client.py"), url, *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=given)
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


@pytest.mark.slow
def test_langchain_mcp_adapters_follow_a_redirect_and_show_faults(urls: dict[str, str], tmp_path: Path) -> None:
    match = {"tool": "price"}
    rules: list[dict[str, Any]] = [
        {"match": match, "when": {"nth": 2}, "fault": {"kind": "error", "status": 503}},
        {"match": match, "when": {"nth": 3}, "fault": {"kind": "delta", "offset": 0.5, "fields": ["price"]}},
    ]
    with proxied(tmp_path, urls["mounted"], rules) as url:
        first, second, third = adapted(url)["prices"]
    assert first == 12.5
    assert second == {"error": {"status": 503, "type": "ServiceUnavailable", "message": "Service Unavailable"}}
    assert isinstance(third, float)
    assert third > first


@pytest.mark.slow
def test_a_login_of_langchain_mcp_adapters(urls: dict[str, str], tmp_path: Path) -> None:
    with proxied(tmp_path, urls["authorising"], EXPIRED) as url:
        assert adapted(url, "login") == {"prices": [12.5] * 3, "logins": 2}


def typescript(url: str, *words: str) -> list[str]:
    """What the TypeScript SDK's client prints."""
    script = installed(f"@modelcontextprotocol/sdk@{SDK}") / "client.mjs"
    script.write_text(NODE_CLIENT, encoding="utf-8")
    done = subprocess.run(["node", str(script), url, *words], capture_output=True, text=True, timeout=120)
    assert done.stderr == ""
    return done.stdout.splitlines()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["mounted", "authorising"])
def test_the_typescript_sdk(kind: str, urls: dict[str, str], tmp_path: Path) -> None:
    with proxied(tmp_path, urls[kind], []) as url:
        assert typescript(url, *(["login"] if kind == "authorising" else [])) == ["12.5"]


@pytest.mark.slow
def test_the_typescript_sdk_loses_its_session_as_at_a_server_that_ended_it(
    urls: dict[str, str], tmp_path: Path
) -> None:
    direct = typescript(urls["mounted"], "ended")
    with proxied(tmp_path, urls["mounted"], LOST) as url:
        assert typescript(url, "lost") == direct == ["12.5", "StreamableHTTPError 404"]


async def second_call_fails(url: str, ended: bool) -> tuple[type[Exception], str]:
    """What the official client raises at the second call, after the server ended the session, or with none ended."""
    sessions: list[str] = []

    async def heard(answer: Any) -> None:
        sessions.extend(answer.headers.get_list("mcp-session-id"))

    hooks: dict[str, Any] = {"event_hooks": {"response": [heard]}, "follow_redirects": True, "trust_env": False}
    async with (
        httpx2.AsyncClient(**hooks) as wire,
        Client(streamable_http_client(url, http_client=wire), mode="legacy") as client,
    ):
        assert price_of(await called(client, "price", item="lamp")) == 12.5
        if ended:
            await wire.delete(url, headers={"mcp-session-id": sessions[-1]})
        with pytest.raises(MCPError) as raised:
            await called(client, "price", item="lamp")
    return type(raised.value), str(raised.value)


async def test_a_session_is_lost_as_at_a_server_that_ended_it(urls: dict[str, str], tmp_path: Path) -> None:
    direct = await second_call_fails(urls["mounted"], ended=True)
    with proxied(tmp_path, urls["mounted"], LOST) as url:
        assert await second_call_fails(url, ended=False) == direct == (MCPError, "Session not found")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["mounted", "authorising"])
def test_the_command_line_of_the_inspector(kind: str, urls: dict[str, str], tmp_path: Path) -> None:
    direct = command_line(urls[kind], tmp_path / "direct")
    with proxied(tmp_path, urls[kind], []) as url:
        assert command_line(url, tmp_path / "proxied") == direct
    assert direct == {"answer": {"item": "lamp", "price": 12.5}, "logins": int(kind == "authorising")}


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason=needs.CHROMIUM)
@pytest.mark.parametrize("kind", ["mounted", "authorising"])
async def test_the_page_of_the_inspector(kind: str, urls: dict[str, str], tmp_path: Path) -> None:
    rules = EXPIRED if kind == "authorising" else []
    direct = await inspected(urls[kind], tmp_path / "direct")
    with proxied(tmp_path, urls[kind], rules) as url:
        through = await inspected(url, tmp_path / "proxied")
    assert through.answers == direct.answers == [{"item": "lamp", "price": 12.5}] * 3
    assert through.origins == {url.removesuffix("/mcp")}
    assert direct.requests - through.requests == Counter()
    renewed = Counter({("POST", "/mcp", 401): 1, ("POST", "/token", 200): 1})
    assert through.requests - direct.requests == (renewed if rules else Counter())
