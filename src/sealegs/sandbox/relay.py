"""A relay between a host that can only run commands in a place (a container) and a kernel that lives there.

It is sent as text like `inside`, so it needs only the standard library. The kernel reads and writes two named pipes in
a folder of its own; each command of the host is one exchange: give it the host's message, wait for its next one.
Nothing polls: a command comes back the moment that the kernel has spoken, has ended, or the time is over.

    keep            starts a kernel, whose source comes on standard input; prints the folder
    exchange ...    folder, seconds, most bytes: standard input to the kernel, its answer to standard output
    end ...         folder: kills the kernel, and removes the folder

An exchange answers `+` and the kernel's output in base64, `.` where there was none in time, `-` and how it ended, and
then the seconds that it waited. The host believes no more of it than of what comes out of a pipe.
"""

from __future__ import annotations

import base64
import os
import select
import signal
import sys
import time

TYPE_CHECKING = False  # every exchange waits for what is imported here
if TYPE_CHECKING:
    from pathlib import Path

AT_ONCE = 1 << 16
IDLE = 3600  # seconds without a word of the host, after which a kernel is given up
LOOK = 30
LINGER = 2.0


def start_kernel() -> None:
    """Start a kernel that outlives this command, with a keeper who says how it ended."""
    import json
    import tempfile
    from pathlib import Path

    source = sys.stdin.buffer.read()
    folder = Path(tempfile.mkdtemp(prefix=".sealegs-", dir=Path.cwd()))
    (folder / "work").mkdir()
    for name in ("requests", "replies"):
        os.mkfifo(folder / name, 0o600)
    if os.fork() == 0:
        _supervise(folder, source)
    print(json.dumps({"folder": str(folder), "python": sys.version_info[:2]}))


def _supervise(folder: Path, source: bytes) -> None:
    os.setsid()
    # The keeper holds the other end of each pipe, so that a kernel without a command to talk to is not alone.
    requests, output = (os.open(folder / name, os.O_RDONLY | os.O_NONBLOCK) for name in ("requests", "replies"))
    given, replies = (os.open(folder / name, os.O_WRONLY) for name in ("requests", "replies"))
    os.set_blocking(requests, True)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    kernel = os.fork()
    if kernel == 0:
        for descriptor in (output, given):
            os.close(descriptor)
        _kernel(requests, replies, source)
    for descriptor in (requests, replies, nowhere):
        os.close(descriptor)

    def look(number: int, frame: object) -> None:
        try:
            idle = time.time() - (folder / "requests").stat().st_mtime  # the host's last word
        except OSError:
            idle = IDLE  # the place was cleared away
        if idle >= IDLE:
            os.kill(kernel, signal.SIGKILL)

    signal.signal(signal.SIGALRM, look)
    _write(folder / "pid", str(kernel))
    signal.setitimer(signal.ITIMER_REAL, LOOK, LOOK)
    code = os.waitstatus_to_exitcode(os.waitpid(kernel, 0)[1])
    signal.setitimer(signal.ITIMER_REAL, 0)
    how = f"it was killed by signal {-code}" if code < 0 else f"it ended by itself with status {code}"
    _write(folder / "ended", how)
    os._exit(0)


def _kernel(requests: int, replies: int, source: bytes) -> None:
    status = 1
    try:
        os.environ.clear()
        sys.path[:] = [path for path in sys.path if path]
        names = {"__name__": "kernel", "__builtins__": __builtins__}
        exec(compile(source, "<kernel>", "exec"), names)
        names["kernel_main"](requests, replies)  # type: ignore[operator]
        status = 0
    finally:
        os._exit(status)


def _write(file: Path, text: str) -> None:
    """Write everything, or nothing."""
    new = file.with_suffix(".new")
    try:
        new.write_text(text)
        new.rename(file)
    except OSError:
        pass  # the place was cleared away


def exchange(folder: str, seconds: float, most: int) -> str:
    """Give the kernel what standard input holds, and wait for what it says."""
    until = time.monotonic() + seconds
    given = memoryview(sys.stdin.buffer.read())
    # Opening a named pipe otherwise waits for its other end, and the kernel may be gone.
    replies = os.open(f"{folder}/replies", os.O_RDONLY | os.O_NONBLOCK)
    try:
        requests = os.open(f"{folder}/requests", os.O_WRONLY | os.O_NONBLOCK)
    except OSError:
        return _ended(folder)  # the reader is gone
    poll = select.poll()
    poll.register(replies, select.POLLIN)
    if given:
        poll.register(requests, select.POLLOUT)
    output = b""
    while b"\n" not in output and len(output) <= most:
        ready = dict(poll.poll(max(0, round(1000 * (until - time.monotonic())))))
        if not ready:
            break
        if requests in ready:
            given = given[_given(requests, given) :]
            if not given:
                poll.unregister(requests)
        if replies in ready:
            part = os.read(replies, AT_ONCE)
            if not part:
                return _ended(folder)
            output += part
    return f"+{base64.b64encode(output).decode()}" if output else "."


def _given(requests: int, data: memoryview) -> int:
    try:
        return os.write(requests, data[:AT_ONCE])
    except BlockingIOError:
        return 0
    except BrokenPipeError:
        return len(data)  # it has ended, which shows at the other pipe


def _ended(folder: str) -> str:
    until = time.monotonic() + LINGER
    while time.monotonic() < until:
        try:
            file = os.open(f"{folder}/ended", os.O_RDONLY)
        except OSError:
            time.sleep(0.02)
        else:
            return f"-{os.read(file, AT_ONCE).decode()}"
    return "-it closed its pipe"


def end_kernel(folder: str) -> None:
    """Kill the kernel, and leave nothing of it."""
    import shutil
    from pathlib import Path

    try:
        if not Path(folder, "ended").exists():
            os.kill(int(Path(folder, "pid").read_text()), signal.SIGKILL)
        _ended(folder)
    except (OSError, ValueError):
        pass
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    what, *rest = sys.argv[1:]
    if what == "keep":
        start_kernel()
    elif what == "exchange":
        began = time.monotonic()
        print(exchange(rest[0], float(rest[1]), int(rest[2])))
        print(f"{time.monotonic() - began:.3f}")
    else:
        end_kernel(rest[0])
