"""No effect ever twice: failures of all kinds, raised after the work is done, over every way into the layer.

Each failure strikes an action of which nothing is declared and one that is declared to act, with another tool declared
that could do the same; the ledger must hold one entry for each call. Actions that are declared idempotent, keyed or
shown by a read may be called again, and still have one effect. That this would be seen otherwise is proven at the end:
with words as proof again, it is. Over MCP the usual run plays a part; `pytest -m slow tests/recovery/twice` plays all.
"""

from __future__ import annotations

import asyncio
import json
import re
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from sealegs import wrap
from sealegs.faults.call import Call, Failure, Outcome, Value
from sealegs.faults.plan_files import plan_from
from sealegs.faults.refused_statuses import REFUSED_STATUSES
from sealegs.faults.spec import ToolSpec
from sealegs.inject import Session, VirtualClock
from sealegs.recovery import failed_call
from sealegs.recovery.budget import Budget
from sealegs.recovery.layer import RecoveryLayer, active_policy
from sealegs.recovery.policies import (
    Alternative,
    AlternativeStep,
    CallArgument,
    MendArguments,
    Parse,
    ReadOn,
    Retry,
    StepField,
    Stop,
    Switch,
    Verify,
)
from sealegs.recovery.response import status_of
from tests import needs
from tests.adapters.mcp.piping import SEALEGS
from tests.recovery.twice.failures import LEAST, STATUSES, failures

SERVER = Path(__file__).with_name("server.py")
PART = 150  # failures over MCP in the usual run; all of them in the slow one
WAYS = [
    Alternative(tool, (AlternativeStep("wire", {"n": CallArgument("n")}),), {"id": StepField(0, "id")})
    for tool in ("pay", "undeclared")
]
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}, "token": {"type": "string"}}, "required": ["n"]}
NOTHING: tuple[ToolSpec, ...] = ()
ACTS = (ToolSpec("pay", effects=True, parameters=SCHEMA), ToolSpec("wire", effects=True))
RECOVERY = """
policies: [parse, mend_arguments, read_on, {retry: {base: 0.001}}, verify, switch, stop]
budget: {calls: 1000000}
alternatives:
  - {tool: undeclared, steps: [{tool: wire, arguments: {n: {given: n}}}], answer: {id: {step: 0, path: id}}}
  - {tool: acts, steps: [{tool: wire, arguments: {n: {given: n}}}], answer: {id: {step: 0, path: id}}}
"""


def session(specs: tuple[ToolSpec, ...], **more: Any) -> Session:
    """A session that outlasts all failures: no circuit opens, and no budget ends."""
    policy = Parse() | MendArguments() | ReadOn() | Retry() | Verify() | Switch(WAYS) | Stop()
    layer = RecoveryLayer(policy, budget=Budget(calls=10**9, seconds=1e9))
    return Session(layers=[layer], specs=specs, clock=VirtualClock(), **more)


def played(specs: tuple[ToolSpec, ...]) -> Counter[int]:
    """How often each call took effect, by whichever tool, over a function of Python."""
    ledger: Counter[int] = Counter()

    def pay(n: int) -> Any:
        ledger[n] += 1
        raise failures()[n][1].with_traceback(None)

    def wire(n: int) -> dict[str, str]:
        ledger[n] += 1
        return {"id": "wired"}

    tools = wrap({"pay": pay, "wire": wire}, session(specs))
    for place in range(len(failures())):
        with suppress(Exception):
            tools["pay"](n=place)
    return ledger


def half(specs: tuple[ToolSpec, ...]) -> range:
    """Half of the failures for each declaration, so that all are played."""
    return range(len(specs) > 0, len(failures()), 2)


def once(ledger: Counter[int], calls: int) -> None:
    """Each call had its effect once."""
    found = (failures()[n % len(failures())] for n, count in ledger.items() if count > 1)
    twice = [f"{name}: {error!r:.120}" for name, error in found]
    assert not twice, f"{len(twice)} of {calls} effects twice, such as {twice[:3]}"
    assert len(ledger) == calls


@pytest.mark.parametrize("specs", [NOTHING, ACTS], ids=["undeclared", "acts"])
def test_functions(specs: tuple[ToolSpec, ...]) -> None:
    once(played(specs), len(failures()))


@pytest.mark.parametrize("specs", [NOTHING, ACTS], ids=["undeclared", "acts"])
def test_async_functions(specs: tuple[ToolSpec, ...]) -> None:
    ledger: Counter[int] = Counter()

    async def pay(n: int) -> Any:
        ledger[n] += 1
        await asyncio.sleep(0)
        raise failures()[n][1].with_traceback(None)

    async def wire(n: int) -> dict[str, str]:
        ledger[n] += 1
        return {"id": "wired"}

    async def play() -> None:
        tools = wrap({"pay": pay, "wire": wire}, session(specs))
        for place in half(specs):
            with suppress(Exception):
                await tools["pay"](n=place)

    asyncio.run(play())
    once(ledger, len(half(specs)))


@pytest.mark.parametrize("specs", [NOTHING, ACTS], ids=["undeclared", "acts"])
def test_tools_of_langchain(specs: tuple[ToolSpec, ...]) -> None:
    pytest.importorskip("langchain", reason=needs.module("langchain"))
    from langchain_core.tools import StructuredTool

    from sealegs.adapters import langchain

    ledger: Counter[int] = Counter()

    def pay(n: int) -> str:
        """Pays."""
        ledger[n] += 1
        raise failures()[n][1].with_traceback(None)

    def wire(n: int) -> dict[str, str]:
        """Pays too."""
        ledger[n] += 1
        return {"id": "wired"}

    given = [StructuredTool.from_function(pay), StructuredTool.from_function(wire)]
    tool = langchain.wrap(given, session(specs))[0]
    for place in half(specs):
        with suppress(Exception):
            tool.invoke({"n": place})
    once(ledger, len(half(specs)))


@pytest.mark.parametrize("declared", ["idempotent", "key", "shown_by"])
def test_what_may_be_called_again_still_has_one_effect(declared: str) -> None:
    """A server knows repetitions, knows keys, or lists what was done; some failures come before the work."""
    reading = ToolSpec("payments_made", effects=False, parameters={"properties": {"operation": {}}})
    declaration: dict[str, Any] = {"key": {"key": "token"}, "shown_by": {"shown_by": reading.name}}.get(declared, {})
    specs = (
        ToolSpec("pay", effects=True, idempotent=declared == "idempotent", parameters=SCHEMA, **declaration),
        reading,
    )
    entries: dict[int, list[dict[str, Any]]] = {}
    effects: Counter[Any] = Counter()
    calls: Counter[int] = Counter()

    def run(call: Call) -> Outcome:
        if call.tool == reading.name:
            listed = [entry for found in entries.values() for entry in found]
            return Value({"entries": listed[-3:], "count": 3})
        n = call.arguments["n"]
        calls[n] += 1
        known = (n, call.arguments.get("token")) if declared == "key" else n
        if not (calls[n] == 1 and n % 3 == 0) and (declared == "shown_by" or not effects[known]):
            effects[known] += 1
            done = {"operation": "pay", "request": dict(call.arguments), "status": "completed", "result": {"id": "p"}}
            entries.setdefault(n, []).append(done)
        error = failures()[n][1]
        return Failure(str(error), type(error).__name__, exception=error)

    mine = session(specs, others=None)
    for place in range(len(failures())):
        mine.call("pay", {"n": place}, run)
    twice = [n for n, found in entries.items() if len(found) > 1]
    assert not twice
    assert max(effects.values()) == 1
    assert sum(count > 1 for count in calls.values()) > LEAST / 10


class Shop(BaseHTTPRequestHandler):
    """A server that does what it is asked, and then answers with a status, or not at all."""

    ledger: Counter[str]

    def do_POST(self) -> None:
        self.ledger[self.path] += 1
        status = int(self.path.split("/")[1])
        if status == 0:
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        self.send_response(status)
        self.send_header("retry-after", "0")
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def shop() -> Iterator[tuple[str, Counter[str]]]:
    ledger: Counter[str] = Counter()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Own", (Shop,), {"ledger": ledger}))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", ledger
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("library", ["httpx", "requests"])
def test_requests_over_http(library: str) -> None:
    """Each status, and a connection that breaks once the request has come."""
    pytest.importorskip(library, reason=needs.module(library))
    with shop() as (origin, ledger):
        paths = [f"/{status}/{turn}" for turn in range(4) for status in (0, *STATUSES)]
        mine = session(())
        client: Any = _client(library, mine)
        for path in paths:
            with suppress(Exception):
                client.post(f"{origin}{path}", json={"amount": 5}, timeout=10)
        client.close()
        assert ledger == Counter(paths)


def _client(library: str, mine: Session) -> Any:
    if library == "httpx":
        import httpx

        from sealegs.adapters.httpx import Transport

        return httpx.Client(transport=Transport(mine))
    import requests

    from sealegs.adapters.requests import Adapter

    client = requests.Session()
    client.mount("http://", Adapter(mine))
    return client


@pytest.mark.parametrize("way", ["pipe", "http"])
def test_tools_of_mcp(tmp_path: Path, way: str) -> None:
    over_mcp(tmp_path, way, range(0, len(failures()), len(failures()) // PART))


@pytest.mark.slow
@pytest.mark.parametrize("way", ["pipe", "http"])
def test_all_failures_over_mcp(tmp_path: Path, way: str) -> None:
    over_mcp(tmp_path, way, range(len(failures())))


def over_mcp(folder: Path, way: str, places: range) -> None:
    """Play the failures at these places over `sealegs proxy`, with a tool that declares nothing and one that does."""
    for module in ("fastmcp", "mcp_types"):
        pytest.importorskip(module, reason=needs.module(module))
    texts = [(re.sub(r"\W", "_", type(error).__name__), str(error)) for _, error in failures()]
    (folder / "failures.json").write_text(json.dumps(texts), encoding="utf-8")
    (folder / "recovery.yaml").write_text(RECOVERY, encoding="utf-8")
    ledger = folder / "ledger"
    server = [sys.executable, str(SERVER), str(ledger), str(folder / "failures.json")]
    proxy = [*SEALEGS, "--recovery", str(folder / "recovery.yaml")]
    calls = [("undeclared", n) for n in places] + [("acts", len(failures()) + n) for n in places]
    failed = asyncio.run((_by_pipe if way == "pipe" else _by_http)(proxy, server, calls))
    assert failed == len(calls)
    once(Counter(map(int, ledger.read_text().split())), len(calls))


async def _by_pipe(proxy: list[str], server: list[str], calls: list[tuple[str, int]]) -> int:
    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport

    command = [*proxy, "--", *server]
    async with Client(StdioTransport(command[0], command[1:])) as client:
        return await _failed(client, calls)


async def _by_http(proxy: list[str], server: list[str], calls: list[tuple[str, int]]) -> int:
    from fastmcp import Client

    ports = _free(), _free()
    process = subprocess.Popen([*server, "http", str(ports[0])])
    relay = None
    try:
        _listens(ports[0], process)
        relay = subprocess.Popen([*proxy, "--port", str(ports[1]), "--url", f"http://127.0.0.1:{ports[0]}/mcp"])
        _listens(ports[1], relay)
        async with Client(f"http://127.0.0.1:{ports[1]}/mcp") as client:
            return await _failed(client, calls)
    finally:
        for one in (relay, process):
            if one is not None:
                one.terminate()
                one.wait(30)


async def _failed(client: Any, calls: list[tuple[str, int]]) -> int:
    """How many of the calls failed: all of them."""
    await client.list_tools()
    found = [await client.call_tool(tool, {"n": n}, raise_on_error=False) for tool, n in calls]
    return sum(one.is_error for one in found)


def _free() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _listens(port: int, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 120
    while time.monotonic() < end and process.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.1)
    raise AssertionError(f"nothing listens on port {port}")


INJECTED: list[dict[str, Any]] = [
    {"kind": "error", "status": 503},
    {"kind": "timeout"},
    {"kind": "connection"},
    {"kind": "rate_limit"},
    {"kind": "hang", "seconds": 1},
    {"kind": "lost_ack"},
]


@pytest.mark.parametrize("fault", INJECTED, ids=lambda fault: str(fault["kind"]))
def test_injected_faults_look_alike_at_every_moment_and_prove_nothing(fault: dict[str, Any]) -> None:
    shown: dict[str, str] = {}
    for moment in ("after",) if fault["kind"] == "lost_ack" else ("before", "after"):
        ledger: Counter[int] = Counter()

        def pay(n: int, ledger: Counter[int] = ledger) -> str:
            ledger[n] += 1
            return "paid"

        plan = plan_from({"name": "late", "rules": [{"match": {"tool": "pay"}, "fault": fault, "moment": moment}]})
        layer = RecoveryLayer(active_policy(WAYS))
        mine = Session(plan, layers=[layer], specs=ACTS, clock=VirtualClock(), timeout=30)
        with pytest.raises(Exception) as caught:  # noqa: PT011  # whatever the fault is shown as
            wrap({"pay": pay}, mine)["pay"](n=1)
        shown[moment] = f"{type(caught.value).__name__}: {caught.value}"
        assert ledger == ({1: 1} if moment == "after" else {})
    assert len(set(shown.values())) == 1


OLD_PROOF = re.compile(
    r"connection.?refused|name.?resolution|could not resolve|getaddrinfo|name or service not known|nodename nor"
    r"|no route to host|network is unreachable|circuit.?open|rate.?limit|too many requests|connect.?timeout"
    r"|certificate.?verify|tool.?not.?found|unknown.?tool|no tool named"
    r"|input validation error|invalid params|validation errors? for (?:call\[|\w+arguments\b)",
    re.IGNORECASE,
)


@pytest.mark.parametrize("proof", ["words", "statuses"])
def test_it_would_be_seen_if_words_or_statuses_were_proof_again(monkeypatch: pytest.MonkeyPatch, proof: str) -> None:
    def believed(spec: ToolSpec | None, outcome: Outcome) -> bool:
        if not isinstance(outcome, Failure):
            return False
        if proof == "words":
            return OLD_PROOF.search(f"{outcome.type} {outcome.message}") is not None
        status = status_of(outcome)
        return status is not None and status in REFUSED_STATUSES

    monkeypatch.setattr(failed_call, "nothing_done", believed)
    ledger = played(ACTS)
    assert sum(count > 1 for count in ledger.values()) > 100
