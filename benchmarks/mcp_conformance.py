"""The official conformance suite of MCP against its own reference server, directly and through `sealegs proxy`.

    nox -s conformance -- --json benchmarks/results/mcp_conformance.json

`nox` brings what this needs: the suite and a Node that runs it (npm), and the source of the Python SDK, whose
everything-server is the server. Each way is one column: `direct`; `unplanned`, a proxy without a plan; `armed`, with a
rule that never fires; `delayed`, with a delay of 1 ms on every call and list; `recovery`, with every policy that needs
no further knowledge. `passed` and `failed` count checks, and each check's own status must be that of `direct`: a way
that differs is tried once more, and ends this with 1 if it differs again.

The suite speaks HTTP alone. Over pipes (`stdio`) a bridge (`stdio_bridge.py`) stands before the server, or before the
proxy, in both columns; the scenarios that are about HTTP then test the bridge, and are left out.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from results_file import write_results

SEALEGS = [sys.executable, "-m", "sealegs", "proxy"]
HTTP_SERVER = "import sys; from mcp_everything_server.server import main; main(sys.argv[1:])"
PIPE_SERVER = "from mcp_everything_server.server import mcp; mcp.run('stdio')"
PLANS = {
    "armed": "{name: never, rules: [{match: {tool: '*'}, when: {nth: 1000000}, fault: {kind: error}}]}",
    "delayed": (
        "{name: late, rules: [{match: {tool: '*'}, fault: {kind: delay, seconds: 0.001}}, "
        "{match: {tool: tools/list}, fault: {kind: delay, seconds: 0.001}}]}"
    ),
}
RECOVERY = "policies: [mend_arguments, retry, stop]\n"
WAYS = ("direct", "unplanned", "armed", "delayed", "recovery")
LEVELS = (("http", "2025-11-25"), ("http", "2026-07-28"), ("stdio", "2026-07-28"))
ABOUT_HTTP = ("dns-rebinding", "http-", "server-sse", "server-stateless", "server-session")  # begins such a scenario
PATIENCE = 240.0  # seconds that something may take to listen
Statuses = Counter[tuple[str, str, str]]


@contextmanager
def running(command: Sequence[str], port: int, env: dict[str, str]) -> Iterator[str]:
    """A process that listens on a port; yields its endpoint."""
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, env=env, **silent)  # type: ignore[call-overload]
    try:
        end = time.monotonic() + PATIENCE
        while True:
            if process.poll() is not None or time.monotonic() > end:
                raise SystemExit(f"{' '.join(command)} does not listen on port {port}")
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.wait(10)


def free_port() -> int:
    with socket.socket() as link:
        link.bind(("127.0.0.1", 0))
        port: int = link.getsockname()[1]
        return port


def options(way: str, folder: Path) -> list[str]:
    """The proxy's options of a way."""
    if way in PLANS:
        file = folder / f"{way}.yaml"
        file.write_text(PLANS[way], encoding="utf-8")
        return ["--plan", str(file)]
    if way == "recovery":
        file = folder / "recovery.yaml"
        file.write_text(RECOVERY, encoding="utf-8")
        return ["--recovery", str(file)]
    return []


@contextmanager
def endpoint(transport: str, way: str, folder: Path, sdk: Path) -> Iterator[str]:
    """Where the suite finds the server in this way."""
    path = os.pathsep.join(
        filter(None, (str(sdk / "examples/servers/everything-server"), os.environ.get("PYTHONPATH")))
    )
    env = {**os.environ, "PYTHONPATH": path}
    with ExitStack() as stack:
        if transport == "stdio":
            server = [sys.executable, "-c", PIPE_SERVER]
            command = server if way == "direct" else [*SEALEGS, *options(way, folder), "--", *server]
            port = free_port()
            bridge = [sys.executable, str(Path(__file__).with_name("stdio_bridge.py")), str(port), *command]
            yield stack.enter_context(running(bridge, port, env))
            return
        port = free_port()
        server = [sys.executable, "-c", HTTP_SERVER, "--port", str(port), "--log-level", "CRITICAL"]
        url = stack.enter_context(running(server, port, env))
        if way != "direct":
            port = free_port()
            command = [*SEALEGS, *options(way, folder), "--url", url, "--port", str(port)]
            url = stack.enter_context(running(command, port, env))
        yield url


def checked(transport: str, version: str, way: str, given: argparse.Namespace) -> Statuses:
    """The status of every check: scenario, check, status."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        found = folder / "found"
        with endpoint(transport, way, folder, given.sdk) as url:
            command = [str(given.node), str(given.suite), "server", "--url", url, "--suite", "all"]
            command += ["--spec-version", version, "--output-dir", str(found)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        statuses: Statuses = Counter()
        for file in found.glob("server-*/checks.json"):
            scenario = file.parent.name.removeprefix("server-").rsplit("-", 6)[0]
            if transport == "stdio" and scenario.startswith(ABOUT_HTTP):
                continue
            for check in json.loads(file.read_text(encoding="utf-8")):
                statuses[scenario, check["id"], check["status"]] += 1
        if not statuses:
            raise SystemExit(f"the suite made no check ({way}): {done.stdout[-500:]}{done.stderr[-500:]}")
        return statuses


def count(statuses: Statuses, status: str) -> int:
    return sum(number for (_, _, known), number in statuses.items() if known == status)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sdk", type=Path, required=True, help="the unpacked source of the Python SDK")
    parser.add_argument("--suite", type=Path, required=True, help="the suite's program (index.js)")
    parser.add_argument("--node", default="node", help="a Node of version 22 or later")
    parser.add_argument("--jobs", type=int, default=2, help="ways that are tried at a time")
    parser.add_argument("--json", type=Path, help="where to write the rows")
    given = parser.parse_args()
    combinations = [(transport, version, way) for transport, version in LEVELS for way in WAYS]
    with ThreadPoolExecutor(given.jobs) as pool:
        found = dict(zip(combinations, pool.map(lambda one: checked(*one, given), combinations), strict=True))
    rows: list[dict[str, Any]] = []
    differing = []
    for transport, version, way in combinations:
        level = f"{transport} {version}"
        direct, statuses = found[transport, version, "direct"], found[transport, version, way]
        if statuses != direct:
            print(f"{level} {way} differs and is tried again: {dict((statuses - direct) + (direct - statuses))}")
            statuses = checked(transport, version, way, given)
        if statuses != direct:
            differing.append(f"{level} {way}: {dict(statuses - direct)} in place of {dict(direct - statuses)}")
        passed, failed = count(statuses, "SUCCESS"), count(statuses, "FAILURE")
        print(f"{level:17} {way:10} {passed} passed, {failed} failed", flush=True)
        for metric, value in (("passed", passed), ("failed", failed)):
            row = {"suite": "mcp-conformance", "agent": "", "level": level, "mode": way, "metric": metric}
            rows.append({**row, "value": value, "low": None, "high": None, "n": passed + failed})
    if given.json is not None:
        write_results(given.json, rows)
    if differing:
        sys.exit("not what the server gives directly: " + "; ".join(differing))


if __name__ == "__main__":
    main()
