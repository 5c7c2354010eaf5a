"""What `sealegs proxy --http` adds to one HTTP request, beside other proxies.

    python benchmarks/http_proxy.py --json benchmarks/results/http_proxy.json

A raw client sends prepared requests, and a raw server answers each with the same bytes, so that what is measured is the
way between them: `direct`; `bare-relay`, the least that a relay of bytes in Python can do; `sealegs-*`; `mitmproxy` as
a reverse proxy without addons (where `mitmdump` is on the PATH, best from an environment of its own); `toxiproxy`
without toxics (where `toxiproxy-server` is); and `litmus` (package `litmus-trace`), which keeps a record of what passes
in memory. A proxy that is missing is named in `missing`. All ways are measured in turn in each round; a value is the
median of the rounds, `low` and `high` are their range.

- `p50_ms`, `p99_ms`: of requests made one after another; `times_direct`: their p50 over that of `direct` in the same
  round.
- `requests_per_s`: with 16 connections at a time.
- `cpu_ms`: CPU of the proxy's process per request, of all requests.

`unarmed`: no plan. `armed`: a plan with a rule on another path. `matching`: a rule on this path that does not fire, so
that every body is read. `recorded`: with --records.
"""

from __future__ import annotations

import argparse
import json
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from proxy_processes import await_port, cpu_seconds, free_port, printed_port, running
from results_file import write_results
from tcp_relay import TCP_RELAY

CONNECTIONS = 16
SEALEGS = [sys.executable, "-c", "from sealegs.cli import main; main()", "proxy"]
PLANS = {
    "armed": "{name: b, rules: [{match: {argument: {name: path, equals: /other}}, fault: {kind: error}}]}",
    "matching": "{name: b, rules: [{match: {method: POST}, when: {nth: 1000000000}, fault: {kind: error}}]}",
}
MODES = ("direct", "bare-relay", "sealegs-unarmed", "sealegs-armed", "sealegs-matching", "sealegs-recorded")
PEERS = {"mitmproxy": "mitmdump", "toxiproxy": "toxiproxy-server", "litmus": "litmus"}  # and the program of each
SLOW = ("mitmproxy", "litmus")  # asked a quarter as often
PATH = "/v1/orders"
BODY = json.dumps({"item": "lamp", "currency": "EUR", "count": 3}).encode()

SERVER = r"""
import asyncio, re
LENGTH = re.compile(rb"content-length: *(\d+)", re.I)
BODY = b'{"item": "lamp", "price": 12.5, "currency": "EUR"}'
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(BODY), BODY)

class Answering(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport, self.left = transport, b""
    def data_received(self, data):
        self.left += data
        while (end := self.left.find(b"\r\n\r\n")) >= 0:
            found = LENGTH.search(self.left, 0, end)
            stop = end + 4 + (int(found[1]) if found else 0)
            if len(self.left) < stop:
                return
            self.left = self.left[stop:]
            self.transport.write(ANSWER)

async def main():
    server = await asyncio.get_running_loop().create_server(Answering, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
"""


class Connection:
    """A raw client's connection, which stays open."""

    def __init__(self, port: int, path: str) -> None:
        link = socket.create_connection(("127.0.0.1", port))
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._stream = link.makefile("rwb")
        link.close()  # the stream holds it open
        self._request = (
            b"POST %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\n"
            b"Content-Length: %d\r\n\r\n%s" % (path.encode(), port, len(BODY), BODY)
        )

    def ask(self) -> None:
        """Make a request and read its answer."""
        self._stream.write(self._request)
        self._stream.flush()
        status = self._stream.readline()
        length = 0
        while (line := self._stream.readline()) not in (b"\r\n", b""):
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        if not status.startswith(b"HTTP/1.1 200") or b"12.5" not in self._stream.read(length):
            raise ConnectionError(f"no answer of the server's came: {status!r}")

    def close(self) -> None:
        self._stream.close()


def sealegs(mode: str, port: int, place: Path) -> list[str]:
    """The command of a mode of ours."""
    command = [*SEALEGS, "--http", f"http://127.0.0.1:{port}"]
    if mode in PLANS:
        plan = place / f"{mode}.yaml"
        plan.write_text(PLANS[mode], encoding="utf-8")
        command += ["--plan", str(plan)]
    return [*command, "--records", str(place / f"{time.time_ns()}.jsonl")] if mode == "recorded" else command


@contextmanager
def way(mode: str, place: Path) -> Iterator[tuple[int, int, str]]:
    """The port to ask at, the process in between, and the path to ask for."""
    with ExitStack() as stack:
        piped = {"stdout": subprocess.PIPE}
        server = stack.enter_context(running([sys.executable, "-c", SERVER], **piped))
        port, pid = printed_port(server), server.pid
        if mode == "bare-relay":
            floor = stack.enter_context(running([sys.executable, "-c", TCP_RELAY, str(port)], **piped))
            port, pid = printed_port(floor), floor.pid
        elif mode.startswith("sealegs-"):
            proxy = stack.enter_context(running(sealegs(mode.removeprefix("sealegs-"), port, place), **piped))
            port, pid = printed_port(proxy), proxy.pid
        elif mode == "mitmproxy":
            mine = free_port()
            command = ["mitmdump", "--quiet", "--mode", f"reverse:http://127.0.0.1:{port}", "--listen-port", str(mine)]
            command += ["--listen-host", "127.0.0.1", "--set", f"confdir={place / 'mitmproxy'}"]
            peer = stack.enter_context(running(command, stdout=subprocess.DEVNULL))
            await_port(mine)
            port, pid = mine, peer.pid
        elif mode == "toxiproxy":
            mine, control = free_port(), free_port()
            peer = stack.enter_context(running(["toxiproxy-server", "-port", str(control)], stdout=subprocess.DEVNULL))
            await_port(control)
            wanted = {"name": "b", "listen": f"127.0.0.1:{mine}", "upstream": f"127.0.0.1:{port}", "enabled": True}
            urllib.request.urlopen(f"http://127.0.0.1:{control}/proxies", json.dumps(wanted).encode()).close()
            port, pid = mine, peer.pid
        elif mode == "litmus":
            mine = free_port()
            command = ["litmus", "proxy", "--port", str(mine), "--provider", f"bench=http://127.0.0.1:{port}"]
            peer = stack.enter_context(running(command, stdout=subprocess.DEVNULL, cwd=place))
            await_port(mine)
            port, pid = mine, peer.pid
        yield port, pid, f"/bench{PATH}" if mode == "litmus" else PATH


def milliseconds(connection: Connection, count: int) -> list[float]:
    found = []
    for _ in range(count):
        began = time.perf_counter()
        connection.ask()
        found.append((time.perf_counter() - began) * 1e3)
    return sorted(found)


def rate(port: int, path: str, count: int) -> float:
    """Requests a second over several connections."""
    connections = [Connection(port, path) for _ in range(CONNECTIONS)]

    def play(connection: Connection) -> None:
        for _ in range(count // CONNECTIONS):
            connection.ask()

    players = [threading.Thread(target=play, args=(one,)) for one in connections]
    began = time.perf_counter()
    for player in players:
        player.start()
    for player in players:
        player.join()
    taken = time.perf_counter() - began
    for one in connections:
        one.close()
    return count // CONNECTIONS * CONNECTIONS / taken


def measured(port: int, pid: int, path: str, count: int, many: int) -> dict[str, float]:
    connection = Connection(port, path)
    milliseconds(connection, count // 10)
    before = cpu_seconds(pid)
    found = milliseconds(connection, count)
    connection.close()
    per_second = rate(port, path, many)
    cpu = (cpu_seconds(pid) - before) / (count + many // CONNECTIONS * CONNECTIONS)
    p50, p99 = statistics.median(found), found[int(len(found) * 0.99)]
    return {"p50_ms": p50, "p99_ms": p99, "requests_per_s": per_second, "cpu_ms": cpu * 1e3}


def row(mode: str, metric: str, values: list[float]) -> dict[str, Any]:
    figures = {"value": statistics.median(values), "low": min(values), "high": max(values)}
    rounded = {key: round(value, 4 if value < 100 else 0) for key, value in figures.items()}
    return {
        "suite": "benchmark-http-proxy", "agent": "", "level": "", "mode": mode, "metric": metric, **rounded,
        "n": len(values),
    }  # fmt: skip


def compared(modes: list[str], rounds: int, count: int, many: int, place: Path) -> list[dict[str, Any]]:
    """All ways in turn, so many rounds."""
    found: dict[str, list[dict[str, float]]] = {mode: [] for mode in modes}
    for number in range(rounds):
        for mode in modes:
            share = 4 if mode in SLOW else 1
            with way(mode, place) as (port, pid, path):
                found[mode].append(measured(port, pid, path, count // share, many // share))
            print(f"{number + 1}/{rounds} {mode}: {found[mode][-1]}", file=sys.stderr)
    table = []
    for mode, results in found.items():
        table += [row(mode, metric, [one[metric] for one in results]) for metric in results[0]]
        times = [one["p50_ms"] / direct["p50_ms"] for one, direct in zip(results, found["direct"], strict=True)]
        table.append(row(mode, "times_direct", times))
    return table


def version(program: str) -> str:
    """What a peer says of its version in its first line."""
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    return (done.stdout or done.stderr).split("\n")[0].strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="write the long table here")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--fast", action="store_true", help="a tenth of the requests")
    arguments = parser.parse_args()
    share = 10 if arguments.fast else 1
    there = {name: program for name, program in PEERS.items() if shutil.which(program) is not None}
    facts = {"peers": {name: version(program) for name, program in there.items()}}
    missing = [name for name in PEERS if name not in there]
    with tempfile.TemporaryDirectory() as folder:
        table = compared([*MODES, *there], arguments.rounds, 1000 // share, 1600 // share, Path(folder))
    for one in table:
        print(f"{one['mode']:18} {one['metric']:15} {one['value']:>10} [{one['low']}, {one['high']}]")
    print(f"missing: {', '.join(missing) or 'none'}")
    if arguments.json is not None:
        write_results(arguments.json, table, {**facts, "missing": missing})


if __name__ == "__main__":
    main()
