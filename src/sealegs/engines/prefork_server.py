"""A process that has the simulated tools loaded and forks a server for each episode: loading takes longer than a run.

What a client starts is a small process that hands its pipes over and lives as long as the server. Each server is a
process of its own, forked from one in which no tool was ever called. The parent ends with the process that made it.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from sealegs.engines import mcp_server
from sealegs.world.corpus import load_corpus

WAITING = 64  # who asks for a server while one is forked
LONGEST = 65536  # bytes of a request for a server
FRONT = """
import os, socket, sys
try:
    talk = socket.socket(socket.AF_UNIX)
    talk.connect(sys.argv[1])
    socket.send_fds(talk, [sys.argv[2].encode()], [0, 1])
    os.close(0)
    os.close(1)
    talk.recv(1)
except OSError:
    sys.exit(1)  # who started this finds its pipes closed, and says so
"""


def server_command(ledger: Path, task: str, tasks: str, tools: Sequence[str]) -> list[str]:
    """The command that starts a server of these tools: the arguments are those of `mcp_server`."""
    order = json.dumps([str(ledger), task, tasks, *tools])
    return [sys.executable, "-I", "-S", "-c", FRONT, str(_parent(os.getpid())), order]


@cache
def _parent(owner: int) -> Path:
    """The path at which this process's parent of servers listens; it is started at the first request."""
    folder = Path(tempfile.mkdtemp(prefix="sealegs-maze-"))
    place = folder / "servers"
    process = subprocess.Popen(
        [sys.executable, "-m", __name__, str(place)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    atexit.register(_end, owner, process)
    if not process.stdout.readline():  # else it listens
        raise ConnectionError("the process that starts servers ended at once")
    return place


def _end(owner: int, process: subprocess.Popen[bytes]) -> None:
    if os.getpid() == owner:
        process.communicate()


def main() -> None:
    """Fork a server for everybody who comes, until the standard input ends."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # how a server ended does not matter
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    load_corpus()
    gc.freeze()
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(sys.argv[1])
        door.listen(WAITING)
        with suppress(BrokenPipeError):  # who started it is gone, and the standard input has ended, too
            os.write(sys.stdout.fileno(), b"\n")
        while True:
            ready, _, _ = select.select([door, sys.stdin], [], [])
            if sys.stdin in ready:
                shutil.rmtree(Path(sys.argv[1]).parent, ignore_errors=True)
                return
            talk, _ = door.accept()
            with talk, suppress(OSError):  # no process is left: who asked finds the line closed, and says so
                if os.fork() == 0:
                    door.close()
                    _serve(talk)


def _serve(talk: socket.socket) -> None:
    code = 1
    try:
        order, (reading, writing), *_ = socket.recv_fds(talk, LONGEST, 2)
        os.dup2(reading, 0)
        os.dup2(writing, 1)
        os.close(reading)
        os.close(writing)
        mcp_server.serve_episode_tools(json.loads(order), os.fdopen(0), os.fdopen(1, "w"))
        code = 0
    finally:
        os._exit(code)


if __name__ == "__main__":
    main()
