"""Inside one run's process: its own working folder, the function, the answer.

While the function runs the process holds no channel to its supervisor: how it ended is reported over a connection made
afterwards, so the function can neither close nor garble it, and a process that it forked cannot answer for it.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import hashlib
import importlib
import os
import random
import resource
import signal
import socket
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from os import _exit, getpid
from socket import AF_UNIX, SOCK_STREAM
from socket import socket as new_socket
from time import monotonic
from typing import Any, NoReturn

from sealegs.faults.naming import import_callable
from sealegs.suites.micro.isolation import family, frames, linux_calls

ERROR = 16_384  # characters of an error that are kept
MESSAGE = 2_000


@dataclass(frozen=True, slots=True)
class RunOrder:
    """The order that a supervisor gives its runner.

    Attributes:
        id: the request's.
        payload: the function's argument.
        folder: the folder in which it works; it holds `work` and `tmp`.
        address: the abstract socket that waits for the answer.
    """

    id: str
    payload: Mapping[str, Any]
    folder: str
    address: str


def settle(supervisor: int, output: int, kept: Iterable[int]) -> None:
    """Leave the supervisor's terminal, group and files.

    Args:
        supervisor: the parent's process id.
        output: becomes standard output and standard error.
        kept: descriptors that stay open.
    """
    os.setsid()
    linux_calls.die_with_parent(supervisor)
    linux_calls.spare_the_others()
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    nothing = os.open(os.devnull, os.O_RDONLY)
    for number, source in enumerate((nothing, output, output)):
        os.dup2(source, number)
    kept = {0, 1, 2, *kept}
    # The list holds its own descriptor too, which is closed by now.
    for number in [int(name) for name in os.listdir("/proc/self/fd")]:  # noqa: PTH208
        if number not in kept:
            with contextlib.suppress(OSError):
                os.close(number)


def call(function: Callable[..., Any], order: RunOrder, started: socket.socket) -> NoReturn:
    """Call the function once, tell how it ended, and wait for the end.

    Args:
        function: gets the payload.
        order: the rest.
        started: is written to when the function begins, then closed.
    """
    me = getpid()
    _make_fresh(order)
    frames.send(started, {"resident": family.resident_memory([me]), "started": monotonic()})
    started.close()
    began = monotonic()
    try:
        result = function(order.payload)
        report: dict[str, Any] = {"how": "finished", "result": result}
    except BaseException as error:
        report = _raised(error)
    report |= {"began": began, "ended": monotonic()}
    if getpid() != me:
        _exit(0)  # a process that the function forked came back too; the answer is not its own
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())  # an alarm left ticking is not the answer
    _make_room()
    report["threads"] = linux_calls.threads_alive() - 1
    _answer(order.address, _frame(report))


def _make_fresh(order: RunOrder) -> None:
    """Set up the run's own folder, streams and random state."""
    os.chdir(f"{order.folder}/work")
    os.environ["TMPDIR"] = f"{order.folder}/tmp"
    tempfile.tempdir = None
    for number, name in ((1, "stdout"), (2, "stderr")):
        stream = open(number, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    faulthandler.enable(2)
    random.seed(order.id)
    numpy = numpy_random()
    if numpy is not None:
        numpy.seed(int.from_bytes(hashlib.sha256(order.id.encode()).digest()[:4]))
    gc.enable()


def numpy_random() -> Any:
    """The module with numpy's one random state, where numpy is loaded; numpy itself loads it at the first look."""
    return getattr(sys.modules.get("numpy"), "random", None)


def _raised(error: BaseException) -> dict[str, Any]:
    return {"how": "memory" if out_of_memory(error) else "raised", "error": describe(error)}


def out_of_memory(error: BaseException) -> bool:
    """Return whether a `MemoryError` is at the root of it."""
    seen: set[int] = set()
    left: list[BaseException | None] = [error]
    while left:
        one = left.pop()
        if one is None or id(one) in seen:
            continue
        if isinstance(one, MemoryError):
            return True
        seen.add(id(one))
        left += [one.__cause__, one.__context__]
        if isinstance(one, BaseExceptionGroup):
            left += one.exceptions
    return False


def describe(error: BaseException) -> str:
    """Type, message and traceback; bounded."""
    name = type(error).__name__
    try:
        first = f"{name}: {error}"[:MESSAGE]
        lines = "".join(traceback.format_exception(error))
    except BaseException as other:  # an exception that cannot even be printed
        return f"{name}: its message cannot be read ({type(other).__name__})"
    return f"{first}\n{lines[-(ERROR - MESSAGE) :]}"


def _frame(report: dict[str, Any]) -> bytes:
    result = report.get("result")
    try:
        if report["how"] == "finished" and not isinstance(result, Mapping):
            raise TypeError(f"the function returned {type(result).__name__}; return a mapping of JSON data")
        return frames.packed(report if result is None else {**report, "result": dict(result)})
    except Exception as error:
        return frames.packed({**report, "how": "raised", "result": None, "error": f"{type(error).__name__}: {error}"})


def _make_room() -> None:
    """Free a descriptor: where the function used up all of them, none is left to answer with."""
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError:
        os.closerange(3, resource.getrlimit(resource.RLIMIT_NOFILE)[0])


def _answer(address: str, frame: bytes) -> NoReturn:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
    line = new_socket(AF_UNIX, SOCK_STREAM)
    line.connect(address)
    line.sendall(frame)
    line.recv(1)  # the supervisor kills this process now
    _exit(0)


def main(number: int) -> NoReturn:
    """Run in a separate interpreter. Descriptor `number` brings what to import and the order."""
    started = new_socket(fileno=number)
    started.set_inheritable(False)
    given = frames.receive(started)
    try:
        for name in given["preload"]:
            importlib.import_module(name)
        function = import_callable(given["work"])
    except BaseException as error:
        frames.send(started, {"failed": describe(error)})
        _exit(1)
    call(function, RunOrder(**given["order"]), started)
