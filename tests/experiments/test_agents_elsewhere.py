"""Agents that are no object of this process: command lines (also behind the MCP proxy), and endpoints."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sealegs.adapters.asgi import FaultsMiddleware
from sealegs.experiments import ExperimentReport, experiment
from sealegs.faults import Plan, Rule
from sealegs.faults.kinds import Error, LostAck
from sealegs.faults.triggers import First, Tool
from sealegs.faults.user_error import UserError
from sealegs.traces.environment_names import RECORDS
from tests import needs
from tests.experiments import agents

AGENT = """
import sys
import sealegs

@sealegs.tool(effects=True)
def pay(amount):
    return {"paid": amount}

with sealegs.environment_session():
    request = sys.argv[1] if len(sys.argv) > 1 else sys.stdin.read()
    for _ in range(3):
        try:
            print(request, pay(5)["paid"])
            break
        except Exception as error:
            last = error
    else:
        raise last
"""
MCP_SERVER = '''
from mcp.server import MCPServer

server = MCPServer("shop")

@server.tool()
def price(item: str) -> str:
    """The price of an item."""
    return f"{item} costs 12"

server.run("stdio")
'''
MCP_AGENT = """
import asyncio, os, sys
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

async def main():
    proxy = ["-m", "sealegs", "proxy", "--", sys.executable, "server.py"]
    proxied = StdioServerParameters(command=sys.executable, args=proxy, env=dict(os.environ))
    async with Client(stdio_client(proxied)) as client:
        for _ in range(3):
            result = await client.call_tool("price", {"item": "pen"})
            if not result.is_error:
                print(result.content[0].text)
                return
        print("no price")

asyncio.run(main())
"""


def plan(tool: str, fault: Any = None) -> Plan:
    return Plan(name="p", rules=(Rule(match=Tool(tool), when=First(1), fault=fault or Error(status=503)),))


def test_a_command_is_struck_where_its_tools_are(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(AGENT)
    command = f"{shlex.quote(sys.executable)} {shlex.quote(str(tmp_path / 'agent.py'))} {{input}}"
    report = experiment(command, plan("pay", LostAck()), inputs=["twice"], runs=2, settle=False, timeout=0.5)
    clean, faulted = report.runs[0], report.runs[-1]
    assert clean.passed
    assert clean.record.answer == "twice 5"
    assert [turn.call.tool for turn in faulted.record.turns] == ["pay", "pay"]
    assert faulted.record.exposed
    assert faulted.violations == ("no_action_twice",), "the ledger of another process is read"
    assert report.exit_code == 1


def test_a_command_without_a_place_reads_its_input_from_standard_input(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(AGENT)
    command = f"{shlex.quote(sys.executable)} {shlex.quote(str(tmp_path / 'agent.py'))}"
    report = experiment(command, plan("pay"), inputs=["said; $(rm -rf x)"], runs=1, baseline=False)
    assert report.runs[0].record.answer == "said; $(rm -rf x) 5", "no shell reads the input"


def test_a_command_of_one_word_is_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    program = tmp_path / "agent.sh"
    program.write_text(f"#!/bin/sh\nexec {shlex.quote(sys.executable)} {shlex.quote(str(tmp_path / 'agent.py'))}\n")
    with pytest.raises(UserError, match=r"agent\.sh is a file that may not be executed; run: chmod \+x \./agent\.sh"):
        experiment("./agent.sh", plan("pay"), inputs=["x"], runs=1, baseline=False)
    program.chmod(0o755)
    (tmp_path / "agent.py").write_text(AGENT)
    for name in ("./agent.sh", str(program)):
        report = experiment(name, plan("pay"), inputs=["x"], runs=1, baseline=False)
        assert report.runs[0].passed, report.runs[0].problems
    with pytest.raises(UserError, match="'sh' is not an agent; give module:function, or the program by its path: /"):
        experiment("sh", plan("pay"), inputs=["x"], runs=1)


def test_a_command_finds_the_seconds_after_which_a_call_is_given_up(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(f"{AGENT}\nimport os\nprint(os.environ['SEALEGS_TIMEOUT'])\n")
    command = f"{shlex.quote(sys.executable)} {shlex.quote(str(tmp_path / 'agent.py'))} {{input}}"
    report = experiment(command, plan("pay"), inputs=["x"], runs=1, baseline=False, timeout=0.5)
    assert (report.runs[0].record.answer or "").splitlines()[-1] == "0.5"


def test_a_command_that_fails_or_hangs_fails_the_run(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(
        AGENT + "\nimport os, time\nif request == 'hang':\n    time.sleep(60)\nsys.exit('broke')\n"
    )
    command = f"{shlex.quote(sys.executable)} {shlex.quote(str(tmp_path / 'agent.py'))} {{input}}"
    broke = experiment(command, plan("pay"), inputs=["x"], runs=1, baseline=False)
    assert "exit code 1: broke" in broke.runs[0].problems[0]
    began = time.monotonic()
    hung = experiment(command, plan("pay"), inputs=["hang"], runs=1, baseline=False, time_limit=5.0)
    assert "did not end within 5 s" in hung.runs[0].problems[0]
    assert time.monotonic() - began < 50
    assert hung.runs[0].record.exposed, "what was recorded before the end is kept"


@pytest.mark.skipif(sys.platform != "linux", reason=needs.FILE_LIMITS)
def test_a_command_whose_record_cannot_be_written_has_no_verdict(tmp_path: Path) -> None:
    """A full disk must not reach the agent as a failure of its tools, nor its verdict."""
    command = f"{shlex.quote(sys.executable)} {shlex.quote(str(tmp_path / 'agent.py'))} {{input}}"

    def judged(limit: int) -> ExperimentReport:
        lines = ["import resource, sys", f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))"]
        lines += ["sys.dont_write_bytecode = True", AGENT, "assert 'last' not in globals()"]
        (tmp_path / "agent.py").write_text("\n".join(lines))
        return experiment(command, plan("nothing"), inputs=["x"], runs=1, baseline=False)

    whole = judged(100_000).runs[0]
    assert (whole.record.answer, len(whole.record.turns)) == ("x 5", 1)
    for limit in (20, 100, 300):
        with pytest.raises(UserError, match="the record of a process of the agent could not be written"):
            judged(limit)


def test_a_command_in_any_language_is_struck_behind_the_proxy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mcp", reason=needs.module("mcp"))
    (tmp_path / "server.py").write_text(MCP_SERVER)
    (tmp_path / "agent.py").write_text(MCP_AGENT)
    monkeypatch.chdir(tmp_path)
    report = experiment(
        f"{shlex.quote(sys.executable)} agent.py", plan("price"), inputs=["x"], runs=1, baseline=True, time_limit=120.0
    )
    clean, faulted = report.runs
    assert clean.record.answer == faulted.record.answer == "pen costs 12", [run.problems for run in report.runs]
    assert [len(run.record.turns) for run in report.runs] == [1, 2]
    assert faulted.faults == ("price error 503 before",) or faulted.faults[0].startswith("price error 503")


async def app(scope: Any, receive: Any, send: Any) -> None:
    """An agent behind HTTP, two of whose requests may be under way at once."""
    if scope["path"] == "/broken":
        status, text = 500, "out of order"
    else:
        message = await receive()
        await asyncio.sleep(0.01)
        status, text = 200, json.dumps({"answer": agents.careful(json.loads(message["body"])["input"])})
    await send({"type": "http.response.start", "status": status, "headers": []})
    await send({"type": "http.response.body", "body": text.encode()})


@contextmanager
def served(app: Any) -> Iterator[str]:
    uvicorn = pytest.importorskip("uvicorn", reason=needs.module("uvicorn"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()


def ask(url: str, **options: Any) -> ExperimentReport:
    return experiment(url, plan("find_order"), inputs=["order 17"], runs=2, settle=False, **options)


def test_an_endpoint_is_struck_where_it_runs() -> None:
    with served(FaultsMiddleware(app)) as url:
        report = ask(url)
    assert [run.passed for run in report.runs] == [True] * 4, [run.problems for run in report.runs]
    assert [run.record.exposed for run in report.runs] == [False, False, True, True]
    assert report.runs[0].record.answer == "order 17: refunded 42.5"
    assert report.runs[-1].faults == ("find_order error 503",)


def test_an_endpoint_s_error_is_the_run_s() -> None:
    with served(FaultsMiddleware(app)) as url:
        report = ask(f"{url}/broken", baseline=False)
    assert "status 500: out of order" in report.runs[0].problems[0]


def test_an_endpoint_without_the_middleware_is_refused() -> None:
    with served(app) as url, pytest.raises(UserError, match="does not take a fault plan"):
        ask(url)
    with pytest.raises(UserError, match="cannot be reached"):
        ask("http://127.0.0.1:9")


def test_a_token_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    with served(FaultsMiddleware(app, token="s3cret")) as url:
        with pytest.raises(UserError, match="status 403"):
            ask(url)
        monkeypatch.setenv("SEALEGS_TOKEN", "s3cret")
        assert all(run.passed for run in ask(url).runs)


async def test_strangers_cannot_make_the_tools_fail() -> None:
    """Without a token only callers on this machine are heard, and a request that names no episode passes."""
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    async def receive() -> dict[str, Any]:
        return {"body": b'{"input": "x"}'}

    middleware = FaultsMiddleware(app)
    scope = {"type": "http", "method": "PUT", "headers": [], "client": ("203.0.113.7", 1)}
    await middleware({**scope, "path": "/.well-known/sealegs/episodes/1"}, receive, send)  # type: ignore[arg-type]
    assert sent[0]["status"] == 403
    sent.clear()
    await middleware({**scope, "path": "/", "headers": [(b"sealegs-episode", b"1")]}, receive, send)  # type: ignore[arg-type]
    assert sent[0]["status"] == 200


def test_records_go_to_a_file_of_each_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sealegs.traces.environment_names import records_file

    assert records_file({}) is None
    file = records_file({RECORDS: str(tmp_path)})
    assert file is not None
    assert file.parent == tmp_path
    assert str(os.getpid()) in file.name
