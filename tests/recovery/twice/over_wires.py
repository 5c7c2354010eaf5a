"""Failures over the ways into the layer that lead out of the process: `sealegs proxy` and clients of HTTP.

The tools are in a process of their own (`raw_server.py`), which notes every run in a file. Before the proxy there is a
raw client, since a library's own would only take time.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import ProxyHandler, build_opener

from sealegs.adapters.python.exceptions import failure_from_exception
from sealegs.faults.call import Call, Outcome, Value
from sealegs.faults.spec import ToolSpec
from sealegs.inject import Session
from sealegs.recovery.response import status_of
from tests.adapters.mcp.piping import SEALEGS
from tests.recovery.twice.failures import STATUSES, failures
from tests.recovery.twice.in_process import DECLARED, called_async, ids_of, session
from tests.recovery.twice.raw_server import Failing, drawn
from tests.recovery.twice.till import LEVELS, MADE, WIRE, Tally, level_and_place, plan, tally_in

ROOT = Path(__file__).parents[3]
PATIENCE = 60.0  # seconds for an answer that comes
HANGING = 0.3  # seconds for one that never does
METHODS = {"reads": "GET", "idempotent": "PUT"}  # of the others it is POST
OVER_HTTP = tuple(level for level in LEVELS if level != "keyed")  # a key would be a field of the body
NAMES = {level: f"* */{level}/*" for level in LEVELS}
BROKEN = """
from sealegs.cli import main
from sealegs.recovery import failed_call
failed_call.nothing_done = lambda spec, outcome: True
main()
"""


@dataclass
class Workplace:
    """A folder, and the proxy to start.

    Attributes:
        folder: for the ledger and the files that processes read.
        broken: with a layer that believes that nothing was ever done, to see that this is seen.
    """

    folder: Path
    broken: bool = False

    @property
    def ledger(self) -> Path:
        return self.folder / "ledger"

    def server(self, way: str) -> list[str]:
        """The command of the server of failures."""
        found = [
            (type(error).__name__, str(error), _status(place, error)) for place, (_, error) in enumerate(failures())
        ]
        (self.folder / "failures.json").write_text(json.dumps(found), encoding="utf-8")
        self.ledger.touch()
        program = [sys.executable, "-m", "tests.recovery.twice.raw_server"]
        return [*program, str(self.ledger), str(self.folder / "failures.json"), way]

    def proxy(self, tools: Mapping[str, Mapping[str, Any]], given: str = "id") -> list[str]:
        """The command of the proxy under the plan."""
        file = self.folder / "recovery.json"
        file.write_text(json.dumps(plan(tools, longest=0.01, given=given)), encoding="utf-8")
        program = [sys.executable, "-c", BROKEN, "proxy"] if self.broken else SEALEGS
        return [*program, "--recovery", str(file)]


def _status(place: int, error: BaseException) -> int:
    """The failure's own status, or one of all."""
    own = status_of(failure_from_exception(error)) if isinstance(error, Exception) else None
    return own if own in STATUSES else STATUSES[drawn(place, "status", len(STATUSES))]


def mcp_by_pipe(at: Workplace, levels: Sequence[str], places: Iterable[int]) -> Tally:
    return asyncio.run(_by_pipe([*at.proxy({}), "--", *at.server("pipe")], at, ids_of(levels, places)))


async def _by_pipe(command: list[str], at: Workplace, ids: list[tuple[str, str]]) -> Tally:
    process = await asyncio.create_subprocess_exec(
        *command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, limit=1 << 24
    )
    assert process.stdin is not None
    assert process.stdout is not None
    failed = 0
    try:
        for number, message in enumerate([_request("tools/list", {}, 0), *_mcp_calls(ids)]):
            process.stdin.write(json.dumps(message).encode() + b"\n")
            await process.stdin.drain()
            if number % 20 and number != len(ids):
                continue
            for _ in range(1 if number == 0 else (number - 1) % 20 + 1):
                failed += _tells_of_failure(json.loads(await process.stdout.readline()))
    finally:
        process.stdin.close()
        await process.wait()
    tally = tally_in(at.ledger)
    tally.failed = failed
    return tally


def _mcp_calls(ids: Iterable[tuple[str, str]]) -> Iterator[dict[str, Any]]:
    for number, (level, id) in enumerate(ids, 1):
        yield _request("tools/call", {"name": level, "arguments": {"id": id}}, number)


def _request(method: str, params: dict[str, Any], id: int) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def _tells_of_failure(message: dict[str, Any]) -> bool:
    return "error" in message or bool(message["result"].get("isError"))


def mcp_over_http(at: Workplace, levels: Sequence[str], places: Iterable[int]) -> Tally:
    return asyncio.run(_over_http(at, levels, places))


async def _over_http(at: Workplace, levels: Sequence[str], places: Iterable[int]) -> Tally:
    import aiohttp

    with listening(at) as port, relaying([*at.proxy({}), "--url", f"http://127.0.0.1:{port}/mcp"]) as own:
        url, numbers = f"http://127.0.0.1:{own}/mcp", itertools.count()
        async with aiohttp.ClientSession() as client:

            async def ask(method: str, params: dict[str, Any], patience: float = PATIENCE) -> None:
                headers = {"Accept": "application/json, text/event-stream", "Mcp-Session-Id": "one"}
                limit = aiohttp.ClientTimeout(total=patience)
                message = _request(method, params, next(numbers))
                async with client.post(url, json=message, headers=headers, timeout=limit) as answer:
                    text = await answer.text()
                lines = [line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: ")]
                if answer.status >= 400 or _tells_of_failure(json.loads(lines[-1] if lines else text)):
                    raise RuntimeError(text)

            async def call(level: str, id: str) -> None:
                await ask("tools/call", {"name": level, "arguments": {"id": id}}, patience_for(id))

            await ask("tools/list", {})
            found = await called_async(Tally(), levels, places, call)
    tally = tally_in(at.ledger)
    tally.failed = found.failed
    return tally


def http_by_proxy(at: Workplace, levels: Sequence[str], places: Iterable[int]) -> Tally:
    return asyncio.run(_http_by_proxy(at, levels, places))


async def _http_by_proxy(at: Workplace, levels: Sequence[str], places: Iterable[int]) -> Tally:
    import aiohttp

    names = [word for name, pattern in NAMES.items() for word in ("--tool", f"{name}={pattern}")]
    acts = {"acts": {"effects": True}}
    options = [*at.proxy(acts, "path"), *names]
    with listening(at) as port, relaying([*options, "--http", f"http://127.0.0.1:{port}"]) as own:
        async with aiohttp.ClientSession(f"http://127.0.0.1:{own}") as client:

            async def call(level: str, id: str) -> None:
                limit = aiohttp.ClientTimeout(total=patience_for(id))
                async with client.request(_method(level), path_of(id), timeout=limit) as answer:
                    await answer.read()
                    answer.raise_for_status()

            found = await called_async(Tally(), levels, places, call)
    tally = tally_in(at.ledger)
    tally.failed = found.failed
    return tally


def httpx_sync(at: Workplace, levels: Sequence[str], places: Iterable[int]) -> Tally:
    import httpx

    from sealegs.adapters.httpx import Transport

    with listening(at) as port:
        origin = f"http://127.0.0.1:{port}"
        with httpx.Client(transport=Transport(_session(origin), tools=NAMES), trust_env=False) as client:
            return _asked(at, levels, places, client, origin)


def requests_sync(at: Workplace, levels: Sequence[str], places: Iterable[int]) -> Tally:
    import requests

    from sealegs.adapters.requests import Adapter

    with listening(at) as port, requests.Session() as client:
        client.trust_env = False
        origin = f"http://127.0.0.1:{port}"
        client.mount("http://", Adapter(_session(origin), NAMES))
        return _asked(at, levels, places, client, origin)


def httpx_async(at: Workplace, levels: Sequence[str], places: Iterable[int]) -> Tally:
    return asyncio.run(_httpx_async(at, levels, places))


async def _httpx_async(at: Workplace, levels: Sequence[str], places: Iterable[int]) -> Tally:
    import httpx

    from sealegs.adapters.httpx import AsyncTransport

    with listening(at) as port:
        origin = f"http://127.0.0.1:{port}"
        async with httpx.AsyncClient(
            transport=AsyncTransport(_session(origin), tools=NAMES), trust_env=False
        ) as client:

            async def call(level: str, id: str) -> None:
                answer = await client.request(_method(level), origin + path_of(id), timeout=patience_for(id))
                answer.raise_for_status()

            found = await called_async(Tally(), levels, places, call)
    tally = tally_in(at.ledger)
    tally.failed = found.failed
    return tally


def _asked(at: Workplace, levels: Sequence[str], places: Iterable[int], client: Any, origin: str) -> Tally:
    failed = 0
    for level, id in ids_of(levels, places):
        failed += 1
        with suppress(Exception):
            answer = client.request(_method(level), origin + path_of(id), timeout=patience_for(id))
            answer.raise_for_status()
            failed -= 1
    tally = tally_in(at.ledger)
    tally.failed = failed
    return tally


def _session(origin: str) -> Session:
    """A session that knows by its specs what no method says, and reaches the read and the other tool."""
    opener = build_opener(ProxyHandler({}))

    def other(name: str) -> Any:
        def run(call: Call) -> Outcome:
            with opener.open(f"{origin}/{name}{call.arguments['path']}", data=b"") as answer:
                return Value(json.load(answer))

        return run

    specs = [ToolSpec("acts", **DECLARED["acts"])]
    return session(specs, given="path", others={name: other(name) for name in (WIRE, MADE)})


def path_of(id: str) -> str:
    """The path by which a request names its call."""
    level, place = level_and_place(id)
    return f"/{level}/{place}"


def _method(level: str) -> str:
    return METHODS.get(level, "POST")


def patience_for(id: str) -> float:
    """How long a client waits."""
    return HANGING if Failing(()).http_form(id) == "hangs" else PATIENCE


@contextmanager
def listening(at: Workplace) -> Iterator[int]:
    """The server of failures over HTTP, by its port."""
    process = subprocess.Popen(at.server("http"), cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield int(process.stdout.readline())
    finally:
        _ended(process)


@contextmanager
def relaying(command: list[str]) -> Iterator[int]:
    """A proxy that listens, by its port."""
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()  # listening on http://127.0.0.1:PORT/...
        yield int(line.split("127.0.0.1:")[1].split("/")[0])
    finally:
        _ended(process)


def _ended(process: subprocess.Popen[str]) -> None:
    process.terminate()
    process.wait(30)
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()
