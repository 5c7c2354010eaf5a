"""A proxy over pipes, and a raw client at its end."""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, Queue
from typing import Any

from sealegs.faults.kinds import KINDS

SEALEGS = [sys.executable, "-c", "from sealegs.cli import main; main()", "proxy"]
RAW = [sys.executable, str(Path(__file__).parent / "raw_server.py")]


class Pipes:
    """The client's ends of a process's pipes; what comes is kept by line."""

    def __init__(self, process: "subprocess.Popen[bytes]", folder: Path) -> None:
        self.process = process
        self._folder = folder
        self.lines: Queue[bytes] = Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)

    def read(self) -> None:
        """Begin to read."""
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        while line := self.process.stdout.readline():
            self.lines.put(line)
        self.lines.put(b"")

    def write(self, *messages: bytes | dict[str, Any]) -> None:
        assert self.process.stdin is not None
        lines = [one if isinstance(one, bytes) else json.dumps(one).encode() + b"\n" for one in messages]
        self.process.stdin.write(b"".join(lines))
        self.process.stdin.flush()

    def line(self, timeout: float = 60.0) -> bytes:
        """The next line; empty at the end."""
        return self.lines.get(timeout=timeout)

    def message(self, timeout: float = 60.0) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.line(timeout))
        return found

    def call(self, id: int | str, tool: str, **arguments: Any) -> None:
        self.write(request(id, tool, **arguments))

    def answer(self, id: int | str, tool: str, **arguments: Any) -> dict[str, Any]:
        self.call(id, tool, **arguments)
        return self.message()

    def silent(self, seconds: float) -> bool:
        """Whether nothing comes for so long."""
        try:
            self.lines.get(timeout=seconds)
        except Empty:
            return True
        return False

    def got(self) -> bytes:
        """What the server got; it may not have started yet."""
        log = self._folder / "got"
        return log.read_bytes() if log.exists() else b""

    def end(self) -> int:
        """Close the client's end, and wait for the proxy."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(60)


def request(id: int | str, tool: str, **arguments: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


def cancel(id: int | str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}


def text_of(message: dict[str, Any]) -> str:
    (block,) = message["result"]["content"]
    return str(block["text"])


def written(folder: Path, rules: list[dict[str, Any]]) -> Path:
    """The file of a plan of these rules, each at the simplest moment of its fault unless it names one."""
    timed = [{"moment": KINDS[rule["fault"]["kind"]].simplest_moment(), **rule} for rule in rules]
    plan = folder / "plan.json"
    plan.write_text(json.dumps({"name": "test", "rules": timed}), encoding="utf-8")
    return plan


@contextmanager
def piped(
    folder: Path,
    rules: list[dict[str, Any]] | None,
    *options: str,
    command: list[str] | None = None,
    reading: bool = True,
) -> Iterator[Pipes]:
    """A proxy under these rules over the raw server, which logs to `got` in the folder."""
    given: list[str] = []
    if rules is not None:
        given = ["--plan", str(written(folder, rules))]
    server = command or [*RAW, str(folder / "got")]
    process = subprocess.Popen(
        [*SEALEGS, *given, *options, "--", *server],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    pipes = Pipes(process, folder)
    if reading:
        pipes.read()
    try:
        yield pipes
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None and not pipe.closed:
                with suppress(BrokenPipeError):
                    pipe.close()


def waited_for(condition: Any, seconds: float = 60.0) -> bool:
    """Whether it comes true in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False
