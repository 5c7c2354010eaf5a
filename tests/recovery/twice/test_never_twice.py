"""No effect ever twice: failures of all kinds, raised after the work is done, over every way into the layer.

Every failure strikes an action of which nothing is declared and one that is declared to act, with another tool declared
that could do the same, over every way of `seams.py`; the ledger must hold one entry for each call. With `-m slow` it
strikes the other declarations of `till.py` too: what may be called again is, and still has one effect. FastMCP's own
server and client play a part, and all with `-m slow`. That a doubled effect would be seen is proven for every way,
with a layer that believes too much. `benchmarks/never_twice.py` plays and counts the same outside of the tests.
"""

from __future__ import annotations

import asyncio
import json
import re
import socket
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
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
from tests.recovery.twice.failures import LEAST, failures
from tests.recovery.twice.seams import SEAMS, Seam
from tests.recovery.twice.till import REPEATED, call_id

SERVER = Path(__file__).with_name("library_server.py")
PART = 150  # failures over MCP in the usual run; all of them in the slow one
WAYS = [
    Alternative(tool, (AlternativeStep("wire", {"n": CallArgument("n")}),), {"id": StepField(0, "id")})
    for tool in ("pay", "undeclared")
]
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}, "token": {"type": "string"}}, "required": ["n"]}
DECLARED_WAYS = [
    (name, level) for name, seam in SEAMS.items() for level in seam.levels if level not in ("undeclared", "acts")
]
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


def once(ledger: Counter[int], calls: int) -> None:
    """Each call had its effect once."""
    found = (failures()[n % len(failures())] for n, count in ledger.items() if count > 1)
    twice = [f"{name}: {error!r:.120}" for name, error in found]
    assert not twice, f"{len(twice)} of {calls} effects twice, such as {twice[:3]}"
    assert len(ledger) == calls


def seam_of(name: str) -> Seam:
    """A way, if the modules that it needs are there."""
    for module in SEAMS[name].needs:
        pytest.importorskip(module, reason=needs.module(module))
    return SEAMS[name]


def ids_at(level: str, places: range) -> list[str]:
    return [call_id(level, place) for place in places]


@pytest.mark.parametrize("name", SEAMS)
def test_every_failure_over_every_way(name: str) -> None:
    """What may not be called again is not: nothing is declared, or that the tool acts."""
    places = range(len(failures()))
    levels = ("undeclared", "acts")
    tally = seam_of(name).played(levels, places)
    ids = [id for level in levels for id in ids_at(level, places)]
    assert tally.doubled(ids) == []
    assert tally.repeated(ids) == []
    assert tally.without_effect(ids) == []
    assert tally.failed == len(ids)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "level"), DECLARED_WAYS)
def test_every_failure_under_every_declaration(name: str, level: str) -> None:
    shown(name, level, range(len(failures())))


@pytest.mark.parametrize(("name", "level"), DECLARED_WAYS)
def test_some_failures_under_every_declaration(name: str, level: str) -> None:
    every = 10 if SEAMS[name].relay is None else 50
    shown(name, level, range(0, len(failures()), every))


def shown(name: str, level: str, places: range) -> None:
    """What may be called again is, unless a look shows that it was done; and every call has one effect."""
    tally = seam_of(name).played([level], places)
    ids = ids_at(level, places)
    assert tally.doubled(ids) == []
    assert (len(tally.repeated(ids)) > len(ids) / 3) == (level in REPEATED)
    if level != "verified_before":  # not every failure before the work invites a repetition
        assert tally.without_effect(ids) == []


@pytest.mark.parametrize("name", SEAMS)
def test_a_layer_that_believes_too_much_is_seen_over_every_way(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(failed_call, "nothing_done", lambda spec, outcome: True)
    places = range(40)
    for level in ("undeclared", "acts"):
        tally = seam_of(name).played([level], places, broken=True)
        assert len(tally.doubled(ids_at(level, places))) > len(places) / 4


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
    places = range(len(failures()))
    tally = SEAMS["Python"].played(["acts"], places)
    assert len(tally.doubled(ids_at("acts", places))) > 100
