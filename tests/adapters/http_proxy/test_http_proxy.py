"""The proxy for HTTP, as a process, between real clients and a real server."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sealegs.faults import Value
from sealegs.inject import Session
from tests import needs
from tests.adapters.http_clients import ask
from tests.adapters.http_proxy.proxying import NEVER, Proxy, proxying, raw, soon
from tests.adapters.http_server import BODY, EVENTS, PRICES, Served, Server

pytest.importorskip("aiohttp", reason=needs.module("aiohttp"))
pytest.importorskip("httpx", reason=needs.module("httpx"))

PLAIN = ["/prices", "/prices?item=a%20b&item=c", "/zipped", "/page", "/binary", "/missing", "/events", "/nothing"]
BROKEN = ["/reset", "/closed", "/half", "/halfchunked"]
ANY = {"tool": "GET *"}


@pytest.fixture(scope="module")
def proxy(http_server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    with proxying(http_server.served.url, tmp_path_factory.mktemp("proxy")) as one:
        yield one


def one(fault: dict[str, Any], **more: Any) -> list[dict[str, Any]]:
    return [{"id": "one", "match": ANY, "fault": fault, **more}]


@pytest.mark.parametrize("armed", ["off", "armed"])
def test_what_no_fault_touches_is_the_server_s(served: Served, proxy: Proxy, armed: str) -> None:
    proxy.load(NEVER)
    if armed == "off":
        proxy.switch("/off")
    for path in PLAIN:
        direct = raw(served.url, path, Accept_Encoding="gzip, br")
        assert raw(proxy.url, path, Accept_Encoding="gzip, br") == direct, path
    for path in BROKEN:
        direct, through = raw(served.url, path), raw(proxy.url, path)
        assert (through.status, through.body, bool(through.error)) == (direct.status, direct.body, bool(direct.error))
        assert through.error
    answers = raw(served.url, "/prices", "POST", b"{}"), raw(proxy.url, "/prices", "POST", b"{}")
    assert answers[0] == answers[1]


FAULTS: list[tuple[str, dict[str, Any]]] = [
    ("/prices", {"kind": "error", "status": 503, "retry_after": 2}),
    ("/prices", {"kind": "rate_limit", "retry_after": 9}),
    ("/prices", {"kind": "delta", "offset": 0.1, "fields": ["price"]}),
    ("/zipped", {"kind": "delta", "offset": 0.1, "fields": ["price"]}),
    ("/prices", {"kind": "malformed"}),
    ("/prices", {"kind": "schema_drift"}),
    ("/page", {"kind": "malformed", "mode": "cut"}),
    ("/events", {"kind": "partial"}),
    ("/events", {"kind": "drip", "seconds": 0.2}),
    ("/prices", {"kind": "empty"}),
]


@pytest.mark.parametrize(("path", "fault"), FAULTS, ids=lambda one: one["kind"] if isinstance(one, dict) else one[1:])
async def test_a_plan_does_what_it_does_in_the_client(
    served: Served, proxy: Proxy, path: str, fault: dict[str, Any]
) -> None:
    plan = proxy.load(one(fault), episode="same")
    session = Session(plan, episode="same")
    within = await ask("httpx", session, served.url + path)
    behind = await ask("httpx", None, proxy.url + path, bare=True)
    assert (behind.status, behind.body) == (within.status, within.body)
    for name in ("content-type", "content-encoding", "retry-after", "set-cookie"):
        assert behind.headers.get(name) == within.headers.get(name), name
    assert proxy.state()["rules"] == {"one": {"fired": 1, "delivered": 1}}
    if fault["kind"] == "error":
        assert (behind.status, behind.headers["retry-after"]) == (503, "2")
    elif fault["kind"] == "delta":
        assert behind.json()["price"] != PRICES["price"]


@pytest.mark.parametrize("mode", ["refused", "reset", "dns", "tls"])
def test_a_connection_breaks_before_an_answer(served: Served, proxy: Proxy, mode: str) -> None:
    proxy.load(one({"kind": "connection", "mode": mode}, moment="before"))
    before = len(served.requests)
    assert raw(proxy.url, "/prices").error == "ConnectionResetError"
    assert len(served.requests) == before


def test_a_connection_closes_without_an_answer(proxy: Proxy) -> None:
    proxy.load(one({"kind": "hang", "seconds": 0.05}))
    assert raw(proxy.url, "/prices").error == "RemoteDisconnected"


@pytest.mark.parametrize(("mode", "error"), [("reset", "ConnectionResetError"), ("closed", "IncompleteRead")])
def test_a_body_breaks_off(proxy: Proxy, mode: str, error: str) -> None:
    proxy.load(one({"kind": "interrupted", "after": 2, "mode": mode}), episode=f"broken {mode}")
    first = raw(proxy.url, "/prices")
    assert (first.status, first.header("content-length"), first.error) == (200, str(len(BODY)), error)
    if mode == "closed":
        assert first.body == BODY[: 2 * -(-len(BODY) // 8)]
    proxy.load([])
    (turn,) = proxy.record(f"broken {mode}").turns
    assert turn.faulted


def test_events_pass_as_they_come(served: Served, proxy: Proxy) -> None:
    """The server sends the next event when the last was heard; where one is held back, the socket's time runs out."""
    proxy.load(one({"kind": "interrupted", "after": 3, "mode": "closed"}), episode="events")
    served.patience = 120.0
    with socket.create_connection(("127.0.0.1", int(proxy.url.rpartition(":")[2])), 60) as client:
        client.sendall(b"GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        heard = b""
        for number, event in enumerate(EVENTS[:3], start=1):
            while event not in heard:
                heard += client.recv(4096)
            assert len(served.sent) == number
            served.heard.release()
        served.heard.release()
        assert client.recv(4096) == b""  # closed where a last chunk was due
    proxy.load([])
    (turn,) = proxy.record("events").turns
    assert turn.faulted


def test_a_client_that_leaves_leaves_an_open_call(served: Served, proxy: Proxy) -> None:
    proxy.load(one({"kind": "hang"}), episode="left")
    with socket.create_connection(("127.0.0.1", int(proxy.url.rpartition(":")[2]))) as client:
        client.sendall(b"GET /prices HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        soon(lambda: proxy.state()["calls"])
    soon(lambda: proxy.state()["rules"]["one"]["fired"])
    proxy.load([])
    (turn,) = proxy.record("left").turns
    assert turn.shown is None


@pytest.mark.parametrize("deep", [199, 900, 100_000])
@pytest.mark.parametrize(
    "fault", [{"kind": "error", "status": 418}, {"kind": "duplicate"}], ids=lambda one: one["kind"]
)
def test_a_body_that_is_nested_too_deeply_is_text(
    served: Served, proxy: Proxy, deep: int, fault: dict[str, Any]
) -> None:
    nested = '{"a":' * deep + "1" + "}" * deep
    rule = {"id": "one", "match": {"argument": {"name": "body", "present": True}}, "fault": fault}
    proxy.load([rule], episode=f"{deep}")
    status = raw(proxy.url, "/prices", "POST", nested.encode(), Content_Type="application/json").status
    assert status == (418 if fault["kind"] == "error" else 200)
    proxy.load([])
    (turn,) = proxy.record(f"{deep}").turns
    assert isinstance(turn.call.arguments["body"], dict if deep < 200 else str)
    assert turn.faulted


@pytest.mark.parametrize("how", ["the client leaves", "faults are switched off", "another plan is loaded"])
def test_a_delay_that_is_cut_off_is_recorded_as_such(served: Served, proxy: Proxy, how: str) -> None:
    proxy.load(one({"kind": "delay", "seconds": 600.0}, moment="before"), episode=how)
    came = len(served.requests)
    with socket.create_connection(("127.0.0.1", int(proxy.url.rpartition(":")[2])), 60) as client:
        client.sendall(b"GET /prices HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        soon(lambda: proxy.state()["calls"])
        if how == "faults are switched off":
            proxy.switch("/off")
        elif how == "another plan is loaded":
            proxy.load([])
        if how != "the client leaves":
            assert client.recv(100) == b"", "what was held is not made up for"
    soon(lambda: how == "another plan is loaded" or proxy.state()["rules"]["one"]["fired"])
    proxy.load([])
    (turn,) = proxy.record(how).turns
    (injection,) = turn.injections
    assert (turn.shown, turn.said, injection.shown, injection.cut_off) == (None, None, None, True)
    assert injection.waited is not None
    assert 0 < injection.waited < 60, "not what was planned"
    assert len(served.requests) == came


def test_a_client_that_leaves_in_the_middle_of_an_answer_was_shown_no_whole_one(served: Served, proxy: Proxy) -> None:
    proxy.load(one({"kind": "drip", "seconds": 0.3}), episode="drip")
    with socket.create_connection(("127.0.0.1", int(proxy.url.rpartition(":")[2])), 60) as client:
        client.sendall(b"GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        heard = b""
        while EVENTS[0] not in heard:
            heard += client.recv(4096)
    soon(lambda: proxy.state()["rules"]["one"]["fired"])
    proxy.load([])
    (turn,) = proxy.record("drip").turns
    (injection,) = turn.injections
    assert (turn.shown, injection.shown, injection.cut_off) == (None, None, True)
    assert injection.waited is not None
    assert 0.3 <= injection.waited < 0.3 * len(EVENTS), "for the chunks that were asked for"


MATCHES: list[tuple[dict[str, Any], bool]] = [
    ({"method": "POST"}, True),
    ({"method": "PUT"}, False),
    ({"argument": {"name": "path", "matches": "^/pri"}}, True),
    ({"argument": {"name": "query.page", "equals": "2"}}, True),
    ({"argument": {"name": "body.order.count", "above": 10}}, True),
    ({"argument": {"name": "body.order.count", "above": 11}}, False),
    ({"header": {"name": "X-Tenant", "equals": "acme"}}, True),
    ({"header": {"name": "x-tenant", "contains": "cm"}}, True),
    ({"header": {"name": "x-tenant", "matches": "^b"}}, False),
    ({"header": {"name": "x-other", "present": False}}, True),
    ({"header": {"name": "x-tenant", "present": False}}, False),
    ({"not": {"header": {"name": "x-tenant", "present": True}}}, False),
]


def test_rules_look_at_method_path_query_body_and_header(proxy: Proxy) -> None:
    body = json.dumps({"order": {"count": 11}}).encode()
    for number, (match, fires) in enumerate(MATCHES):
        proxy.load([{"match": match, "fault": {"kind": "error", "status": 418}, "moment": "before"}], f"match {number}")
        got = raw(proxy.url, "/prices?page=2", "POST", body, X_Tenant="acme", Content_Type="application/json")
        assert (got.status == 418) == fires, match
    proxy.load([])
    (turn,) = proxy.record("match 6").turns
    assert turn.call.arguments == {"path": "/prices", "query": {"page": "2"}, "body": {"order": {"count": 11}}}
    assert b'acme"}' in proxy.records.read_bytes()  # of the plan
    assert b"X-Tenant: acme" not in proxy.records.read_bytes()
    assert [line for line in proxy.records.read_text().splitlines() if "acme" in line and '"started"' not in line] == []


def test_the_record_holds_the_tools_answer_and_the_one_shown(proxy: Proxy) -> None:
    proxy.load([{"match": ANY, "when": {"nth": 2}, "fault": {"kind": "delta", "fields": ["price"]}}], episode="record")
    for _ in range(2):
        assert raw(proxy.url, "/prices").status == 200
    proxy.load([])
    record = proxy.record("record")
    assert [turn.faulted for turn in record.turns] == [False, True]
    assert record.turns[0].shown == Value(PRICES)
    assert record.turns[1].said == Value(PRICES)
    assert record.turns[1].shown != Value(PRICES)
    assert record.end.reason == "answered"
    assert record.end.detail == "another plan was loaded"


def test_the_switch(proxy: Proxy, served: Served) -> None:
    proxy.load(one({"kind": "error", "status": 503}), episode="switch")
    assert raw(proxy.url, "/prices").status == 503
    status, reply = proxy.switch("/off")
    assert (status, json.loads(reply)["on"]) == (200, False)
    assert raw(proxy.url, "/prices").status == 200
    assert proxy.switch("/plan", "PUT", b"nam: x")[0] == 400
    assert "nam: is not a field that belongs here. Did you mean name?" in proxy.switch("/plan", "PUT", b"nam: x")[1]
    assert proxy.switch("/plan", "PUT", b"\xff")[0] == 400
    own = b"name: x\nrules: [{match: {tool: a}, fault: {kind: 'json:JSONDecoder'}}]"
    assert proxy.switch("/plan", "PUT", own)[0] == 400
    assert proxy.switch("/on")[0] == 200
    assert raw(proxy.url, "/prices").status == 503
    now = proxy.state()
    assert (now["plan"], now["episode"], now["calls"]) == ("a plan", "switch", 2)
    assert now["rules"] == {"one": {"fired": 2, "delivered": 2}}
    assert proxy.switch("/nowhere")[0] == 404
    assert proxy.switch("/off", Origin="https://evil.example")[0] == 403
    assert proxy.switch("/off", Host="evil.example")[0] == 421
    assert proxy.state()["on"]
    proxy.load([])
    record = proxy.record("switch")
    assert [turn.faulted for turn in record.turns] == [True, True]
    assert [one["on"] for one in record.about["switched"]] == [False, True]


def test_off_lets_go_of_a_call_that_hangs(proxy: Proxy) -> None:
    proxy.load(one({"kind": "hang"}))
    got: list[str] = []
    waiting = threading.Thread(target=lambda: got.append(raw(proxy.url, "/prices").error))
    waiting.start()
    soon(lambda: proxy.state()["calls"])
    began = time.monotonic()
    proxy.switch("/off")
    waiting.join(30)
    assert got == ["RemoteDisconnected"]
    assert time.monotonic() - began < 10
    assert raw(proxy.url, "/prices").status == 200


def test_signals_a_token_and_a_server_that_is_down(tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text("name: one\nrules: [{match: {tool: '*'}, when: {nth: 2}, fault: {kind: error, status: 418}}]\n")
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        down = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        given = ("--plan", str(plan), "--tool", "get_price=GET */prices*", "--episode", "down")
        with proxying(down, tmp_path, *given, environment={**os.environ, "SEALEGS_TOKEN": "let me"}) as proxy:
            assert proxy.switch("/", "GET")[0] == 403
            assert proxy.switch("/", "GET", Sealegs_Token="let me")[0] == 200
            assert proxy.switch("/", "GET", Sealegs_Token="l\xe9t me")[0] == 403
            first = raw(proxy.url, "/prices")
            assert (first.status, b"cannot be reached" in first.body) == (502, True)
            assert raw(proxy.url, "/prices?page=2").status == 418
            proxy.process.send_signal(signal.SIGUSR1)
            soon(lambda: raw(proxy.url, "/prices").status == 502)
            plan.write_text("name: [\n")
            proxy.process.send_signal(signal.SIGUSR2)  # it says why not, and stays off
            plan_two = "name: two\nrules: [{match: {tool: get_price}, fault: {kind: error, status: 418}}]\n"
            time.sleep(0.5)
            plan.write_text(plan_two)
            proxy.process.send_signal(signal.SIGUSR2)
            soon(lambda: raw(proxy.url, "/prices").status == 418)
            stderr = proxy.ended()
    assert "faults are off" in stderr
    assert "the plan stays as it was: " in stderr
    assert "faults are on, with 'two' read again" in stderr
    record = proxy.record("down")
    own, faulted = record.turns
    assert own.call.tool == faulted.call.tool == "get_price"
    assert own.shown is not None
    assert (own.shown.status, own.shown.type, own.faulted) == (502, "BadGateway", False)  # type: ignore[union-attr]
    assert faulted.faulted


def test_curl(served: Served, proxy: Proxy, tmp_path: Path) -> None:
    curl = shutil.which("curl")
    if curl is None:
        pytest.skip(needs.CURL)
    proxy.load(NEVER)
    upload = tmp_path / "upload"
    upload.write_bytes(b"x" * 100_000)

    def run_curl(*options: str) -> str:
        return subprocess.run([curl, "-sS", *options], capture_output=True, text=True, check=True, timeout=60).stdout

    for state in ("on", "off"):
        proxy.switch(f"/{state}")
        served.requests.clear()
        head = run_curl("-I", f"{proxy.url}/prices")
        assert f"content-length: {len(BODY)}" in head.lower()
        sent = run_curl("-v", "-H", "Expect: 100-continue", "--data-binary", f"@{upload}", f"{proxy.url}/prices")
        assert json.loads(sent) == PRICES
        assert served.requests[-1][2] == upload.read_bytes()
        assert json.loads(run_curl("--compressed", f"{proxy.url}/zipped")) == PRICES


EXPORTING = """
import os
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor
provider = TracerProvider()
file = open(os.environ["SPANS"], "a")
exporter = ConsoleSpanExporter(out=file, formatter=lambda span: span.to_json(indent=None) + "\\n")
provider.add_span_processor(SimpleSpanProcessor(exporter))
trace.set_tracer_provider(provider)
"""


def test_each_call_is_a_span(served: Served, tmp_path: Path) -> None:
    """The provider is set up before the command runs, as `opentelemetry-instrument` does it."""
    pytest.importorskip("opentelemetry.sdk", reason=needs.module("opentelemetry.sdk"))
    (tmp_path / "sitecustomize.py").write_text(EXPORTING)
    file = tmp_path / "spans.jsonl"
    path = os.pathsep.join(filter(None, (str(tmp_path), os.environ.get("PYTHONPATH"))))
    environment = {**os.environ, "PYTHONPATH": path, "SPANS": str(file)}
    with proxying(served.url, tmp_path, "--spans", environment=environment) as proxy:
        proxy.load(one({"kind": "error", "status": 503}, when={"nth": 2}), "spanned")
        assert [raw(proxy.url, "/prices").status for _ in range(2)] == [200, 503]
        proxy.ended()
    passed, faulted = (json.loads(line)["attributes"] for line in file.read_text().splitlines())
    assert "sealegs.fault.kinds" not in passed
    assert (faulted["sealegs.fault.kinds"], faulted["http.response.status_code"]) == (["error"], 503)
