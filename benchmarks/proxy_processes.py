"""The processes that the benchmarks of proxies start: ended with their block, their ports, their CPU time."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def running(command: list[str], **given: Any) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, **given)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(30)


def printed_port(process: subprocess.Popen[bytes]) -> int:
    """The port that a process prints in its first line: alone, or in an address."""
    assert process.stdout is not None
    return int(process.stdout.readline().decode().strip().rsplit(":", 1)[-1].partition("/")[0])


def free_port() -> int:
    with socket.socket() as link:
        link.bind(("127.0.0.1", 0))
        port: int = link.getsockname()[1]
        return port


def await_port(port: int) -> None:
    for _ in range(600):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            time.sleep(0.1)
    raise ConnectionError(f"nothing listens on {port}")


def cpu_seconds(pid: int) -> float:
    """The CPU time of a process so far, without its children."""
    user, system = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
