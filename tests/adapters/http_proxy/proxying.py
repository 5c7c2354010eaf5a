"""A proxy for HTTP as a process of its own, its switch, and its records."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sealegs.faults.plan import Plan
from sealegs.traces import Record, build_record
from sealegs.traces.store import read_episodes

SEALEGS = [sys.executable, "-c", "from sealegs.cli import main; main()", "proxy"]
NEVER = [{"match": {"tool": "*"}, "when": {"nth": 10**9}, "fault": {"kind": "error"}}]
OF_ONE_MOMENT = {"date"}


@dataclass
class Proxy:
    """A proxy that runs."""

    url: str
    control: str
    records: Path
    process: subprocess.Popen[str]

    def switch(self, way: str, method: str = "POST", body: bytes = b"", **headers: str) -> tuple[int, str]:
        """What the switch answers."""
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        request = urllib.request.Request(self.control + way, body or None, names, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def load(self, rules: list[dict[str, Any]], episode: str = "") -> Plan:
        """Take a plan with these rules, as an episode of this name."""
        plan = {"name": "a plan", "seed": 7, "rules": rules}
        status, reply = self.switch(f"/plan?episode={quote(episode)}", "PUT", json.dumps(plan).encode())
        assert status == 200, reply
        return Plan.model_validate(plan)

    def state(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.switch("/", "GET")[1])
        return found

    def record(self, episode: str) -> Record:
        """The record of an episode that has ended."""
        found = [build_record(events) for events in read_episodes(self.records, [])]
        return next(one for one in found if one.episode == episode)

    def ended(self) -> str:
        """End it; what it wrote to standard error."""
        if self.process.poll() is None:
            self.process.terminate()
        stderr = self.process.communicate(timeout=60)[1]
        assert "Traceback" not in stderr, stderr
        return stderr


@contextmanager
def proxying(
    upstream: str, folder: Path, *options: str, environment: dict[str, str] | None = None, recorded: bool = True
) -> Iterator[Proxy]:
    """A proxy before a server for as long as the block lasts."""
    records = folder / "records.jsonl"
    command = [*SEALEGS, "--http", upstream, "--control", "0", *options]
    command += ["--records", str(records)] if recorded else []
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, cwd=folder
    )
    assert process.stdout is not None
    url = process.stdout.readline().split()
    if not url:
        raise AssertionError(process.communicate()[1])
    proxy = Proxy(url[-1], process.stdout.readline().split()[-1], records, process)
    try:
        yield proxy
    finally:
        proxy.ended()


@dataclass(frozen=True)
class RawAnswer:
    """An answer as it came: status, phrase, headers, body; and the error that ended it."""

    status: int
    reason: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    error: str = ""

    def header(self, name: str) -> str:
        return next((value for key, value in self.headers if key.lower() == name.lower()), "")


def raw(url: str, path: str, method: str = "GET", body: Any = None, **headers: str) -> RawAnswer:
    """What a client that changes nothing gets."""
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=60)
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    try:
        connection.request(method, path, body, names)
        answer = connection.getresponse()
    except (OSError, http.client.HTTPException) as error:
        return RawAnswer(0, "", (), b"", type(error).__name__)
    kept = tuple((name, value) for name, value in answer.getheaders() if name.lower() not in OF_ONE_MOMENT)
    try:
        return RawAnswer(answer.status, answer.reason, kept, answer.read())
    except http.client.IncompleteRead as error:
        return RawAnswer(answer.status, answer.reason, kept, error.partial, "IncompleteRead")
    except (OSError, http.client.HTTPException) as error:
        return RawAnswer(answer.status, answer.reason, kept, b"", type(error).__name__)
    finally:
        connection.close()


def soon(true: Any, seconds: float = 20.0) -> Any:
    """What a question comes to once it is true."""
    until = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < until, "it did not come true"
        time.sleep(0.02)
    return found
