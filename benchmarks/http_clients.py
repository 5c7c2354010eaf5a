"""What our transports add to one HTTP request, beside the bare client, on a loopback server.

    python benchmarks/http_clients.py --json benchmarks/results/http_clients.json

Each client (httpx and httpx2, sync and async, and requests) keeps one connection to a server that answers a prepared
JSON body of about 100 bytes. The ways are measured in turn in each of many short rounds, one request after another, so
that what else the machine does falls on all alike; a value is the median of the rounds, `low` and `high` are their
quartiles.

- `p50_us`: the median of a request; `added_p50_us`: less that of `bare` in the same round.
- `ratio`: the median divided by that of `bare` in the same round.

`idle`: our transport, and a plan without a rule on this tool. `armed`: a rule on this tool with a condition on its
arguments that is not met (armed, not matching). `matching`: a rule that matches and does not fire. `firing`: a rule
that changes every answer (`delta`), so that the real request is made as well. `refusing`: a rule that answers every
request with a 503; no request is made, so it may take less than `bare`.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from results_file import write_results

from sealegs.faults import Plan, Rule
from sealegs.faults.kinds import AnyFault, Delta, Error
from sealegs.faults.triggers import Always, AnyCondition, Argument, Matcher, Nth, Tool
from sealegs.inject import Session

SERVER = r"""
import asyncio, json
BODY = json.dumps({"item": "lamp", "price": 12.5, "currency": "EUR", "stock": [1, 2, 3, 4], "note": "x" * 24}).encode()
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(BODY), BODY)
class Answering(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport, self.left = transport, b""
    def data_received(self, data):
        self.left += data
        while (end := self.left.find(b"\r\n\r\n")) >= 0:
            self.left = self.left[end + 4:]
            self.transport.write(ANSWER)
async def main():
    server = await asyncio.get_running_loop().create_server(Answering, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
"""
ANY = Tool("GET *")
MODES: dict[str, tuple[Matcher, AnyCondition, AnyFault]] = {
    "idle": (Tool("POST *"), Always(), Error(status=503)),
    "armed": (ANY & Argument(name="query.item", equals="sofa"), Always(), Error(status=503)),
    "matching": (ANY, Nth(10**9), Error(status=503)),
    "firing": (ANY, Always(), Delta(offset=0.1, fields=("price",))),
    "refusing": (ANY, Always(), Error(status=503)),
}
CLIENTS = ("httpx", "httpx async", "httpx2", "httpx2 async", "requests")
Ask = Callable[[], Any]


def session(mode: str) -> Session:
    match, when, fault = MODES[mode]
    return Session(Plan(name="benchmark", rules=(Rule(match=match, when=when, fault=fault),)))


@contextmanager
def sync_client(name: str, mode: str, url: str) -> Iterator[Ask]:
    """A function that makes one request."""
    library: Any = importlib.import_module(name)
    ours: Any = importlib.import_module(f"sealegs.adapters.{name}") if mode != "bare" else None
    if name == "requests":
        with library.Session() as client:
            client.trust_env = False
            if ours is not None:
                client.mount("http://", ours.Adapter(session(mode)))
            yield lambda: client.get(url).json()
        return
    transport = None if ours is None else ours.Transport(session(mode))
    with library.Client(transport=transport, trust_env=False) as client:
        yield lambda: client.get(url).json()


@asynccontextmanager
async def async_client(name: str, mode: str, url: str) -> AsyncIterator[Ask]:
    """A function that makes one request in the loop."""
    library: Any = importlib.import_module(name)
    transport = None
    if mode != "bare":
        transport = importlib.import_module(f"sealegs.adapters.{name}").AsyncTransport(session(mode))
    async with library.AsyncClient(transport=transport, trust_env=False) as client:

        async def ask() -> Any:
            return (await client.get(url)).json()

        yield ask


def check(mode: str, answer: dict[str, Any]) -> None:
    """That what is measured is what it is called."""
    if mode == "refusing":
        assert "error" in answer, answer
    else:
        assert (answer["price"] != 12.5) == (mode == "firing"), answer


def measured(client: str, mode: str, url: str, count: int) -> float:
    """The median of so many requests in microseconds."""
    name, _, form = client.partition(" ")
    if form:
        return asyncio.run(_measured_async(name, mode, url, count))
    with sync_client(name, mode, url) as ask:
        check(mode, ask())
        for _ in range(count // 10):
            ask()
        found = []
        for _ in range(count):
            began = time.perf_counter()
            ask()
            found.append(time.perf_counter() - began)
    return statistics.median(found) * 1e6


async def _measured_async(name: str, mode: str, url: str, count: int) -> float:
    async with async_client(name, mode, url) as ask:
        check(mode, await ask())
        for _ in range(count // 10):
            await ask()
        found = []
        for _ in range(count):
            began = time.perf_counter()
            await ask()
            found.append(time.perf_counter() - began)
    return statistics.median(found) * 1e6


def row(client: str, mode: str, metric: str, values: list[float], n: int) -> dict[str, Any]:
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    figures = {"value": middle, "low": low, "high": high}
    rounded = {key: round(value, 3 if metric == "ratio" else 1) for key, value in figures.items()}
    return {"suite": "benchmark-http", "agent": client, "level": "", "mode": mode, "metric": metric, **rounded, "n": n}


def rows_of(client: str, url: str, rounds: int, count: int) -> list[dict[str, Any]]:
    """One client's rows: every way once in each round."""
    times: dict[str, list[float]] = {mode: [] for mode in ("bare", *MODES)}
    for _ in range(rounds):
        for mode, found in times.items():
            found.append(measured(client, mode, url, count))
    bare = times["bare"]
    rows = [row(client, "bare", "p50_us", bare, rounds * count)]
    for mode in MODES:
        pairs = list(zip(times[mode], bare, strict=True))
        rows += [
            row(client, mode, "p50_us", times[mode], rounds * count),
            row(client, mode, "added_p50_us", [mine - theirs for mine, theirs in pairs], rounds * count),
            row(client, mode, "ratio", [mine / theirs for mine, theirs in pairs], rounds * count),
        ]
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--count", type=int, default=80, help="requests of each way in each round")
    parser.add_argument("--json", type=Path, help="where to write the rows")
    given = parser.parse_args()
    server = subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        url = f"http://127.0.0.1:{server.stdout.readline().strip()}/prices?item=lamp"
        rows = [one for client in CLIENTS for one in rows_of(client, url, given.rounds, given.count)]
    finally:
        server.terminate()
        server.wait()
    for one in rows:
        if one["metric"] != "ratio":
            print(
                f"{one['agent']:13} {one['mode']:9} {one['metric']:13} {one['value']:8} ({one['low']}..{one['high']})"
            )
    if given.json is not None:
        versions = {name: importlib.import_module(name).__version__ for name in ("httpx", "httpx2", "requests")}
        write_results(given.json, rows, {"versions": versions})


if __name__ == "__main__":
    main()
