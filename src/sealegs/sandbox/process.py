"""A kernel's process, wherever it runs.

Processes are started from one thread that lives as long as the program: Linux kills a child that is to die with its
parent when the *thread* that started it ends.
"""

from __future__ import annotations

import contextlib
import functools
import os
import queue
import select
import signal
import subprocess
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

# Reads the source, which is preceded by its length on a line of its own, and runs it on the two descriptors. Where the
# host is gone before all of it came, there is nothing to wait for.
BOOT = (
    "import os,sys;r,w=map(int,sys.argv[1:3]);d=b''\n"
    "while b'\\n' not in d:d+=os.read(r,65536)or sys.exit()\n"
    "n,_,d=d.partition(b'\\n')\n"
    "while len(d)<int(n):d+=os.read(r,65536)or sys.exit()\n"
    "g={'__name__':'kernel','__builtins__':__builtins__}\n"
    "exec(compile(d[:int(n)],'<kernel>','exec'),g)\n"
    "g['kernel_main'](r,w,d[int(n):])"
)
FUTURE = b"from __future__ import annotations\n"  # may stand only at the beginning of a text
DYING = 2  # seconds that a killed process may take to be gone
LINGER = 2  # seconds between the end of the pipe and that of the process, on a busy machine


class KernelProcess:
    """A kernel's process and its two pipes.

    Attributes:
        requests: the descriptor that messages to the kernel are written to; it does not block.
        replies: the descriptor that its messages are read from; it does not block.
    """

    def __init__(self, process: subprocess.Popen[bytes], requests: int, replies: int) -> None:
        self._process = process
        self.requests = requests
        self.replies = replies
        for descriptor in (requests, replies):
            os.set_blocking(descriptor, False)
        self._close = weakref.finalize(self, _end, process, requests, replies)  # also where it is dropped

    def kill(self) -> None:
        """End it, whatever it does. Its output may still be read."""
        _kill(self._process)

    def ended(self) -> str:
        """The words for how it ended, once the stream of its replies has."""
        try:
            status = self._process.wait(LINGER)
        except subprocess.TimeoutExpired:
            return "it closed its pipe"
        # A negative status is Python's own form; bubblewrap reports a signal of its child's as 128 and its number.
        if status < 0 or status > 128:
            return f"it was killed by signal {-status if status < 0 else status - 128}"
        return f"it ended by itself with status {status}"

    def complaint(self) -> str:
        """The text that it wrote to standard error before it was ready."""
        assert self._process.stderr is not None
        return self._process.stderr.read(4096).decode(errors="replace").strip()

    def close(self) -> None:
        """Kill it, wait for its end, close the pipes."""
        self._close()


def _end(process: subprocess.Popen[bytes], requests: int, replies: int) -> None:
    _kill(process)
    process.wait()
    poll = select.poll()
    poll.register(replies, 0)
    poll.poll(1000 * DYING)  # until the other end is closed: what bubblewrap started ends a little after it
    assert process.stderr is not None
    process.stderr.close()
    os.close(requests)
    os.close(replies)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process that has not ended, and the group that it leads, if it does.

    The child of bubblewrap dies with it only once it knows its namespaces; one whose parent is gone before that waits
    for ever.
    """
    if process.poll() is None:
        process.kill()
        with contextlib.suppress(ProcessLookupError):  # as a launcher of somebody else's may start it
            os.killpg(process.pid, signal.SIGKILL)


@functools.cache
def kernel_source() -> bytes:
    """The source of what runs inside: two files as one text."""
    inside, confinement = (
        Path(__file__).with_name(name).read_bytes() for name in ("inside.py", "inside_confinement.py")
    )
    return inside + confinement.replace(FUTURE, b"")


def spawn(command: Sequence[str], environment: Mapping[str, str]) -> KernelProcess:
    """Start a command that ends in Python and `BOOT`, and send it the kernel's source.

    Raises:
        OSError: it cannot be started.
    """
    inside_reads, requests = os.pipe()
    replies, inside_writes = os.pipe()

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*command, str(inside_reads), str(inside_writes), str(os.getpid())],  # the last says whose it is
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            pass_fds=(inside_reads, inside_writes),
            env=environment,
            cwd="/",
            start_new_session=True,
        )

    try:
        process = _SPAWNER.run(start)
    except OSError:
        os.close(requests)
        os.close(replies)
        raise
    finally:
        os.close(inside_reads)
        os.close(inside_writes)
    source = kernel_source()
    running = KernelProcess(process, requests, replies)
    with contextlib.suppress(BrokenPipeError):  # it ended at once; the next exchange with it will fail
        os.write(requests, b"%d\n%s" % (len(source), source))  # less than a pipe holds
    return running


class _Spawner:
    """The thread that starts processes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pid = 0
        self._wanted: queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]]] = queue.SimpleQueue()

    def run(self, start: Callable[[], subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._pid != os.getpid():  # first use, or a fork: threads do not come along
                self._pid = os.getpid()
                self._wanted = queue.SimpleQueue()
                threading.Thread(target=self._serve, args=(self._wanted,), name="sandbox", daemon=True).start()
        future: Future[subprocess.Popen[bytes]] = Future()
        self._wanted.put((start, future))
        return future.result()

    @staticmethod
    def _serve(wanted: queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]]]) -> None:
        while True:
            start, future = wanted.get()
            try:
                future.set_result(start())
            except BaseException as error:
                future.set_exception(error)


_SPAWNER = _Spawner()
