"""What `sealegs proxy` adds to one MCP tools/call, over pipes and over HTTP, beside other ways through.

    python benchmarks/mcp.py --json benchmarks/results/mcp.json

A raw client writes prepared requests and looks for the end of each answer, and a raw server answers without reading
more than the id, so that what is measured is the way between them: `direct`; `bare-relay`, the least that a relay in
Python can do (blocking reads and writes of whole pieces, nothing is read); `sealegs-*`; and FastMCP's own proxy. All
ways are measured in turn in each round; a value is the median of the rounds, `low` and `high` are their range.

- `p50_ms`, `p99_ms`: of calls made one after another; `added_*`: less those of `direct` in the same round.
- `calls_per_s`: with 64 calls under way at a time.
- `start_cpu_s`: CPU of the process in between (`direct`: of the server) until it has answered `tools/list`.
- `drift_p50_ms` and `grown_mib` (modes `...-100k`): the median of the last tenth of 100,000 calls less that
  of the first, and what the relay's memory grew by between.

`unarmed`: no plan. `armed`: a plan with a rule on another tool. `matching`: a rule on this tool that does not fire.
`recorded`: with --records, so that every answer is read.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Protocol

from proxy_processes import await_port, cpu_seconds, free_port, printed_port, running
from results_file import write_results
from tcp_relay import TCP_RELAY

WINDOW = 64
PIPE = subprocess.PIPE
SEALEGS = [sys.executable, "-c", "from sealegs.cli import main; main()", "proxy"]
PLANS = {
    "armed": "{name: b, rules: [{match: {tool: other}, fault: {kind: error}}]}",
    "matching": "{name: b, rules: [{match: {tool: echo}, when: {nth: 1000000000}, fault: {kind: error}}]}",
}

# The raw server: answers the handshake and lists its tool, so that real proxies take it for a server.
SERVER = r"""
import json, re, sys
ID = re.compile(rb'"id":\s?(\d+|"[^"]*")')
LISTED = {"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}
INFO = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "raw", "version": "1"}}
RESULT = b',"result":{"content":[{"type":"text","text":"EUR 12.50"}],"isError":false}}'

def answer(line):
    found = ID.search(line)
    if found is None:
        return None
    if b'"tools/call"' in line:
        return b'{"jsonrpc":"2.0","id":' + found[1] + RESULT
    message = json.loads(line)
    result = {"initialize": INFO, "tools/list": LISTED}.get(message.get("method"), {})
    return json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode()
"""
STDIO_SERVER = (
    SERVER
    + r"""
while line := sys.stdin.buffer.readline():
    reply = answer(line)
    if reply is not None:
        sys.stdout.buffer.write(reply + b"\n")
        sys.stdout.buffer.flush()
"""
)
HTTP_SERVER = (
    SERVER
    + r"""
import asyncio
LENGTH = re.compile(rb"content-length: *(\d+)", re.I)

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
            head, body, self.left = self.left[:end], self.left[end + 4 : stop], self.left[stop:]
            reply = answer(body) if head.startswith(b"POST") else None
            status = b"200 OK" if reply else b"202 Accepted" if head.startswith(b"POST") else b"405 No"
            reply = reply or b""
            length = str(len(reply)).encode()
            self.transport.write(b"HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %s\r\n\r\n%s"
                                 % (status, length, reply))

async def main():
    server = await asyncio.get_running_loop().create_server(Answering, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
"""
)
STDIO_FLOOR = r"""
import os, subprocess, sys, threading
server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def pump(source, target):
    while data := os.read(source, 65536):
        while data:
            data = data[os.write(target, data):]
    os.close(target)
threading.Thread(target=pump, args=(0, server.stdin.fileno()), daemon=True).start()
pump(server.stdout.fileno(), 1)
"""
FASTMCP = r"""
import sys, logging
logging.disable(logging.CRITICAL)
from fastmcp.server import create_proxy
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport
if sys.argv[1] == "stdio":
    proxy = create_proxy(StdioTransport(sys.argv[2], sys.argv[3:]))
    proxy.run("stdio", show_banner=False)
else:
    proxy = create_proxy(StreamableHttpTransport(sys.argv[2]))
    proxy.run("http", host="127.0.0.1", port=int(sys.argv[3]), show_banner=False, log_level="critical")
"""


def python(code: str, *arguments: str) -> list[str]:
    """A command that runs this program; `-P`, since this file's name is that of a package."""
    return [sys.executable, "-P", "-c", code, *arguments]


def request(id: int, method: str = "tools/call", params: dict[str, Any] | None = None) -> bytes:
    given = params if params is not None else {"name": "echo", "arguments": {"item": "lamp", "currency": "EUR"}}
    return json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": given}, separators=(",", ":")).encode()


HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
READY = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'


class Client(Protocol):
    """A raw client that is connected."""

    def one(self, id: int) -> None:
        """Make a call and wait for its answer."""

    def many(self, first: int, count: int) -> None:
        """Make so many calls, `WINDOW` at a time."""


class PipeClient:
    """Over pipes. Answers are lines; anything that is not an answer (a list that changed) is skipped."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._to, self._from = process.stdin, process.stdout
        self._to.write(request(0, "initialize", HELLO) + b"\n")
        self._to.flush()
        self._answer()
        self._to.write(READY + b"\n" + request(1, "tools/list", {}) + b"\n")
        self._to.flush()
        self._answer()

    def _answer(self) -> None:
        while line := self._from.readline():
            if b'"result"' in line:
                return
        raise ConnectionError("the way is cut")

    def one(self, id: int) -> None:
        self._to.write(request(id) + b"\n")
        self._to.flush()
        self._answer()

    def many(self, first: int, count: int) -> None:
        lines = [request(id) + b"\n" for id in range(first, first + count)]
        free = threading.Semaphore(WINDOW)

        def write() -> None:
            for line in lines:
                free.acquire()
                self._to.write(line)
                self._to.flush()

        writer = threading.Thread(target=write)
        writer.start()
        for _ in lines:
            self._answer()
            free.release()
        writer.join()


class HttpClient:
    """Over HTTP, with connections that stay open."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._session = b""
        self._main = self._connected()
        headers, _ = self._exchange(self._main, request(0, "initialize", HELLO))
        for line in headers.split(b"\r\n"):
            if line.lower().startswith(b"mcp-session-id:"):
                self._session = line + b"\r\n"
        self._exchange(self._main, READY)
        self._exchange(self._main, request(1, "tools/list", {}))

    def _connected(self) -> Any:
        link = socket.create_connection(("127.0.0.1", self._port))
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return link.makefile("rwb")

    def _exchange(self, link: Any, body: bytes) -> tuple[bytes, bytes]:
        link.write(
            b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\n"
            b"Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-11-25\r\n%s"
            b"Content-Length: %d\r\n\r\n%s" % (self._port, self._session, len(body), body)
        )
        link.flush()
        headers = b""
        length, chunked = 0, False
        while (line := link.readline()) not in (b"\r\n", b""):
            headers += line
            name = line.lower()
            if name.startswith(b"content-length:"):
                length = int(line.split(b":")[1])
            chunked = chunked or name.startswith(b"transfer-encoding: chunked")
        reply = b""
        if chunked:
            while size := int(link.readline(), 16):
                reply += link.read(size)
                link.readline()
            link.readline()
        else:
            reply = link.read(length)
        if not headers.startswith(b"HTTP/1.1 20") or (b'"id"' in body and b'"result"' not in reply):
            raise ConnectionError(f"the way is cut: {headers[:80]!r} {reply[:200]!r}")
        return headers, reply

    def one(self, id: int) -> None:
        self._exchange(self._main, request(id))

    def many(self, first: int, count: int) -> None:
        ids = iter(range(first, first + count))
        lock = threading.Lock()

        def play() -> None:
            link = self._connected()
            while True:
                with lock:
                    id = next(ids, None)
                if id is None:
                    return
                self._exchange(link, request(id))

        players = [threading.Thread(target=play) for _ in range(16)]
        for player in players:
            player.start()
        for player in players:
            player.join()
        self._main.close()
        self._main = self._connected()  # the old one may have idled for longer than a server keeps it


def sealegs(mode: str, place: Path) -> list[str]:
    """The options of a mode of ours."""
    if mode in PLANS:
        plan = place / f"{mode}.yaml"
        plan.write_text(PLANS[mode], encoding="utf-8")
        return [*SEALEGS, "--plan", str(plan)]
    return [*SEALEGS, "--records", str(place / f"{time.time_ns()}.jsonl")] if mode == "recorded" else SEALEGS


@contextmanager
def stdio(mode: str, place: Path) -> Iterator[tuple[Client, int]]:
    server = python(STDIO_SERVER)
    if mode == "bare-relay":
        command = python(STDIO_FLOOR, *server)
    elif mode == "fastmcp-proxy":
        command = python(FASTMCP, "stdio", *server)
    elif mode.startswith("sealegs-"):
        command = [*sealegs(mode.removeprefix("sealegs-"), place), "--", *server]
    else:
        command = server
    with running(command, stdin=PIPE, stdout=PIPE) as process:
        yield PipeClient(process), process.pid


@contextmanager
def http(mode: str, place: Path) -> Iterator[tuple[Client, int]]:
    with ExitStack() as stack:
        server = stack.enter_context(running(python(HTTP_SERVER), stdout=PIPE))
        port = printed_port(server)
        pid = server.pid
        if mode == "bare-relay":
            floor = stack.enter_context(running(python(TCP_RELAY, str(port)), stdout=PIPE))
            port, pid = printed_port(floor), floor.pid
        elif mode == "fastmcp-proxy":
            mine = free_port()
            command = python(FASTMCP, "http", f"http://127.0.0.1:{port}/mcp", str(mine))
            proxy = stack.enter_context(running(command, stdout=PIPE))
            await_port(mine)
            port, pid = mine, proxy.pid
        elif mode.startswith("sealegs-"):
            command = [*sealegs(mode.removeprefix("sealegs-"), place), "--url", f"http://127.0.0.1:{port}/mcp"]
            proxy = stack.enter_context(running(command, stdout=PIPE))
            port = printed_port(proxy)
            pid = proxy.pid
        yield HttpClient(port), pid


WAYS: dict[str, Callable[..., Any]] = {"stdio": stdio, "http": http}
MODES = ("direct", "bare-relay", "sealegs-unarmed", "sealegs-armed", "sealegs-matching", "sealegs-recorded")
FIRST = 100  # the first id of a call


def milliseconds(client: Client, first: int, count: int) -> list[float]:
    found = []
    for id in range(first, first + count):
        began = time.perf_counter()
        client.one(id)
        found.append((time.perf_counter() - began) * 1e3)
    return found


def measured(client: Client, count: int, many: int) -> dict[str, float]:
    milliseconds(client, FIRST, count // 10)
    found = sorted(milliseconds(client, 10 * FIRST, count))
    began = time.perf_counter()
    client.many(10**6, many)
    rate = many / (time.perf_counter() - began)
    return {"p50_ms": statistics.median(found), "p99_ms": found[int(len(found) * 0.99)], "calls_per_s": rate}


def memory(pid: int) -> float:
    """The resident memory of a process in MiB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="utf-8").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def row(level: str, mode: str, metric: str, values: list[float], n: int) -> dict[str, Any]:
    figures = {"value": statistics.median(values), "low": min(values), "high": max(values)}
    rounded = {key: round(value, 4 if value < 100 else 0) for key, value in figures.items()}
    return {"suite": "benchmark-mcp", "agent": "", "level": level, "mode": mode, "metric": metric, **rounded, "n": n}


def compared(level: str, rounds: int, count: int, many: int, place: Path, slow: bool) -> list[dict[str, Any]]:
    """All ways in turn, so many rounds."""
    modes = (*MODES, "fastmcp-proxy") if slow else MODES
    found: dict[str, list[dict[str, float]]] = {mode: [] for mode in modes}
    for number in range(rounds):
        for mode in modes:
            share = 40 if mode == "fastmcp-proxy" else 1
            with WAYS[level](mode, place) as (client, pid):
                start = cpu_seconds(pid)
                found[mode].append({**measured(client, count // share, many // share), "start_cpu_s": start})
            print(f"{level} {number + 1}/{rounds} {mode}: {found[mode][-1]}", file=sys.stderr)
    table = []
    for mode, results in found.items():
        table += [row(level, mode, metric, [one[metric] for one in results], rounds) for metric in results[0]]
        if mode != "direct":
            for metric in ("p50_ms", "p99_ms"):
                added = [one[metric] - direct[metric] for one, direct in zip(results, found["direct"])]
                table.append(row(level, mode, f"added_{metric}", added, rounds))
    return table


def flat(level: str, mode: str, count: int, place: Path) -> list[dict[str, Any]]:
    """Whether the last tenth of many calls costs what the first did."""
    with WAYS[level](mode, place) as (client, pid):
        milliseconds(client, FIRST, 1000)
        tenth = count // 10
        first = statistics.median(milliseconds(client, 10**4, tenth))
        before = memory(pid)
        client.many(10**6, count - 2 * tenth)
        last = statistics.median(milliseconds(client, 10**7, tenth))
        grown = memory(pid) - before
    mode = f"{mode}-{count // 1000}k"
    return [row(level, mode, "drift_p50_ms", [last - first], count), row(level, mode, "grown_mib", [grown], count)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="write the long table here")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--level", choices=[*WAYS, "both"], default="both")
    parser.add_argument("--fast", action="store_true", help="a tenth of the calls")
    parser.add_argument("--no-fastmcp", action="store_true", help="leave FastMCP's proxy out")
    arguments = parser.parse_args()
    share = 10 if arguments.fast else 1
    table: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        for level in WAYS if arguments.level == "both" else [arguments.level]:
            calls = (5000, 40_000) if level == "stdio" else (3000, 10_000)
            count, many = (number // share for number in calls)
            table += compared(level, arguments.rounds, count, many, place, not arguments.no_fastmcp)
            for mode in ("sealegs-matching", "sealegs-recorded"):
                table += flat(level, mode, 100_000 // share, place)
    for one in table:
        figures = f"{one['value']:>10} [{one['low']}, {one['high']}]"
        print(f"{one['level']:6} {one['mode']:20} {one['metric']:14} {figures}")
    if arguments.json is not None:
        write_results(arguments.json, table)


if __name__ == "__main__":
    main()
