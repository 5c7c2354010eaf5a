"""Every server of ours against foreign pages, slow and huge heads, huge bodies, and more connections than it takes."""

from __future__ import annotations

import asyncio
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from aiohttp import web

import sealegs
from sealegs.adapters.mock_model import ScriptServer, guarded_handler, script_from
from sealegs.adapters.relaying import http_serving
from sealegs.adapters.relaying.http_guard import RequestGuard
from sealegs.adapters.request_rules import LARGEST, RequestRules

SOURCE = Path(sealegs.__file__).parent
SCRIPT = script_from({"name": "s", "turns": [{"say": "hello"}]})
BODY = b"\r\nContent-Length: 2\r\n\r\n{}"
HEAD = b"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\n"


@dataclass(frozen=True)
class OurServer:
    """A server of ours.

    Attributes:
        made: the file of the package that makes it listen.
        asked: the first line of a request that it answers.
        known: how SECURITY.md calls it, which says who is trusted with it.
    """

    made: str
    asked: bytes
    known: str


CHAT = b"POST /v1/chat/completions HTTP/1.1\r\n"
SERVERS = {
    "model": OurServer("adapters/mock_model/script_server.py", CHAT, "`serve-script`"),
    "http": OurServer("adapters/http_proxy/proxy_running.py", CHAT, "`proxy`"),
    "control": OurServer("adapters/http_proxy/proxy_running.py", b"PUT /plan HTTP/1.1\r\n", "the proxy's switch"),
    "mcp": OurServer("adapters/mcp/http_listening.py", CHAT, "`proxy`"),
    "review": OurServer(
        "suites/maze/review/review_server.py", b"POST /reply HTTP/1.1\r\n", "the page of `maze review`"
    ),
}


@pytest.fixture(scope="module")
def ports(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, int]]:
    """The ports of all our servers: the scripted model in this process, the others as commands."""
    review = str(tmp_path_factory.mktemp("review") / "folder")
    commands = {
        "http": ["proxy", "--http", "http://127.0.0.1:9", "--control", "0", "--port", "0"],
        "mcp": ["proxy", "--url", "http://127.0.0.1:9/mcp", "--port", "0"],
        "review": ["maze", "review", review, "--reviewer", "ana", "--solve", "1", "--detect", "2", "--port", "0"],
    }
    with ExitStack() as stack:
        script = ScriptServer(SCRIPT)
        stack.enter_context(script)
        found = {"model": int(script.root.rpartition(":")[2])}
        for name, words in commands.items():
            process = stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-m", "sealegs", *words],
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    text=True,
                )
            )
            stack.callback(process.terminate)
            assert process.stdout is not None
            for own in [name, *(["control"] if name == "http" else [])]:
                match = re.search(r":(\d+)", process.stdout.readline())
                assert match is not None
                found[own] = int(match[1])
        yield found


def reply(port: int, data: bytes) -> bytes:
    """The first that a server answers; nothing where it hangs up."""
    with closing(socket.create_connection(("127.0.0.1", port), timeout=60)) as line:
        try:
            line.sendall(data)
            return line.recv(1 << 16)
        except ConnectionError:
            return b""


@pytest.mark.parametrize("server", SERVERS)
def test_foreign_names_pages_and_sizes_are_refused(ports: dict[str, int], server: str) -> None:
    port, path = ports[server], SERVERS[server].asked
    for host in (b"evil.example", b"evil.example@127.0.0.1", b"127.0.0.1:x", b"127.0.0.1.evil.example"):
        assert reply(port, path + b"Host: " + host + BODY).split(b" ")[1] in (
            b"421",
            b"400",
        )
    ours = path + b"Host: 127.0.0.1\r\n"
    for origin in (b"http://evil.example", b"null", b"http://127.0.0.1:1", b"http://\xe9vil.example"):
        refused = reply(port, ours + b"Content-Type: text/plain\r\nOrigin: " + origin + BODY)
        assert refused.startswith(b"HTTP/1.1 403 "), refused
    both = reply(port, ours + b"Origin: http://127.0.0.1\r\nOrigin: http://evil.example" + BODY)
    assert both.startswith((b"HTTP/1.1 403 ", b"HTTP/1.1 400 ")), both
    assert reply(port, b"GET http://evil.example/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").split(b" ")[1] in (
        b"400",
        b"421",
    )
    for head in (
        b"X: " + b"a" * 300_000,
        b"".join(b"X-%d: %s\r\n" % (n, b"a" * 4000) for n in range(100 if server == "model" else 300)),
    ):
        assert reply(port, ours + head + b"\r\n\r\n")[9:12] in (b"400", b"431", b"")
    huge = reply(port, ours + b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % (LARGEST + 1))
    assert huge.startswith((b"HTTP/1.1 413 ", b"HTTP/1.1 502 ")) or (server == "http" and not huge), huge
    # A client of HTTP/1.0 may send no Host; it is not answered as if it had named this machine.
    for head in (path, path.replace(b"1.1", b"1.0")):
        assert reply(port, head + BODY[2:]).split(b" ")[1] in (b"421", b"400")
    for length in (b"-1", b"x", b"9" * 5000, b"1, 1", b"2\r\nContent-Length: 9"):
        assert reply(port, ours + b"Content-Length: " + length + b"\r\n\r\n{}")[9:12] in (b"400", b"413", b"")


@pytest.mark.parametrize("body", [b"{", b"[" * 100_000, b"\xff", b"[]", b"1"])
def test_what_no_client_sends_the_model_is_refused_in_a_line(ports: dict[str, int], body: bytes) -> None:
    found = reply(ports["model"], HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body)
    assert found.startswith(b"HTTP/1.1 400 "), found
    chunked = HEAD + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
    assert reply(ports["model"], chunked).startswith(b"HTTP/1.1 411 ")


def trickled(port: int, data: bytes, seconds: float) -> float:
    """How long a server listens to a request that comes byte by byte and never ends."""
    began = time.monotonic()
    with closing(socket.create_connection(("127.0.0.1", port), timeout=0.05)) as line:
        while time.monotonic() - began < seconds:
            try:
                line.sendall(data[:1] or b"a")
                data = data[1:]
                if not line.recv(100):
                    break
            except TimeoutError:
                continue
            except ConnectionError:
                break
    return time.monotonic() - began


def test_a_head_or_a_body_that_trickles_in_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guarded_handler, "PATIENCE", 0.5)
    monkeypatch.setattr(guarded_handler, "WHOLE_BODY", 0.5)
    with ScriptServer(SCRIPT) as server:
        port = int(server.root.rpartition(":")[2])
        for data in (HEAD, b"", HEAD + b"Content-Length: 99\r\n\r\n{"):
            assert trickled(port, data, 30) < 25


async def test_what_is_no_http_is_refused_without_a_traceback(caplog: pytest.LogCaptureFixture) -> None:
    async def handle(request: web.BaseRequest) -> web.StreamResponse:
        raise ValueError("a mistake of ours")

    async with http_serving.serving(handle, "127.0.0.1", 0) as at:
        assert at.port is not None
        for head in (b"Host: evil.example", b"Transfer-Encoding: chunked\r\nContent-Length: 2", b"no header"):
            refused = await asyncio.to_thread(reply, at.port, HEAD + head + BODY)
            assert b" 400 " in refused.splitlines()[0]
        assert not caplog.records
        assert b" 500 " in (await asyncio.to_thread(reply, at.port, HEAD + BODY[2:])).splitlines()[0]
        assert [record.exc_info[0] for record in caplog.records if record.exc_info] == [ValueError]


async def test_a_relay_does_not_wait_for_ever_either(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_serving, "PATIENCE", 0.5)
    guard = RequestGuard("127.0.0.1")

    async def handle(request: web.BaseRequest) -> web.StreamResponse:
        found = await guard.body(request)
        return found if isinstance(found, web.Response) else web.Response(text="fine")

    async with http_serving.serving(handle, "127.0.0.1", 0) as at:
        assert at.port is not None
        assert await asyncio.to_thread(trickled, at.port, HEAD, 30) < 25
        monkeypatch.setattr("sealegs.adapters.relaying.http_guard.WHOLE_BODY", 0.5)
        assert await asyncio.to_thread(trickled, at.port, HEAD + b"Content-Length: 99\r\n\r\n{", 30) < 25


def test_more_connections_than_a_model_takes_are_closed_and_the_others_served(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guarded_handler, "MOST_CONNECTIONS", 8)
    with (
        ScriptServer(SCRIPT) as server,
        ExitStack() as stack,
    ):
        address = ("127.0.0.1", int(server.root.rpartition(":")[2]))
        lines = [stack.enter_context(closing(socket.create_connection(address))) for _ in range(10)]
        late = lines[-1]
        late.settimeout(60)
        assert late.recv(1) == b""
        lines[0].settimeout(60)
        lines[0].sendall(b"GET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert lines[0].recv(100).startswith(b"HTTP/1.1 200 ")


async def test_more_connections_than_a_relay_takes_are_closed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_serving, "MOST_CONNECTIONS", 8)

    async def handle(request: web.BaseRequest) -> web.StreamResponse:
        return web.Response(text="fine")

    async with http_serving.serving(handle, "127.0.0.1", 0) as at:
        lines = [await asyncio.open_connection("127.0.0.1", at.port) for _ in range(10)]
        assert await asyncio.wait_for(lines[-1][0].read(1), 60) == b""
        lines[0][1].write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert (await asyncio.wait_for(lines[0][0].read(100), 60)).startswith(b"HTTP/1.1 200 ")
        for _, writer in lines:
            writer.close()


def test_names_are_as_they_are_given_and_numbers_only_where_all_may_come() -> None:
    rules = RequestRules("0.0.0.0", ["proxy.example"], ["https://page.example/"])
    for host in ("10.0.0.7:80", "[::1]:80", "PROXY.example", "localhost"):
        assert rules.refusal("http", host, [], "/") is None
    for host in ("", "evil.example", "10.0.0.7#proxy.example", "proxy.example/@evil.example"):
        assert rules.refusal("http", host, [], "/") is not None
    assert rules.refusal("http", "localhost", ["https://page.example"], "/") is None
    assert rules.refusal("http", "localhost", ["https://page.example.evil"], "/") is not None
    for loopback in ("127.0.0.1", "127.0.0.2", "::1", "localhost", "LOCALHOST"):
        assert RequestRules(loopback).refusal("http", "10.0.0.7", [], "/") is not None
        assert RequestRules(loopback).refusal("http", "127.0.0.1:80", [], "/") is None


def test_there_is_no_server_beside_these() -> None:
    """Whatever listens for HTTP does so by one of two places, which apply the rules, and is tested here."""
    making = re.compile(r"(?:web\.Server|web\.Application|HTTPServer|start_server|make_server|TCPServer)\b")
    found = {
        path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py") if making.search(path.read_text("utf-8"))
    }
    assert found == {"adapters/mock_model/guarded_handler.py", "adapters/relaying/http_serving.py"}
    using = re.compile(r"(?<!def )\b(?:serving|GuardedServer)\(")
    users = {
        path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py") if using.search(path.read_text("utf-8"))
    }
    assert users - {"adapters/mock_model/guarded_handler.py"} == {one.made for one in SERVERS.values()}


def test_the_threat_model_names_every_server() -> None:
    rows = (SOURCE.parents[1] / "SECURITY.md").read_text("utf-8").splitlines()
    parts = [row.split(" | ")[0] for row in rows if row.startswith("| ")]
    for server in SERVERS.values():
        assert [part for part in parts if server.known in part], server.known
