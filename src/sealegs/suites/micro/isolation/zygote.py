"""The process that imports once and forks for each request. It has one thread and never runs a request itself."""

from __future__ import annotations

import gc
import importlib
import os
import select
import shutil
import socket
import stat
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from sealegs.faults.naming import import_callable
from sealegs.faults.user_error import UserError
from sealegs.suites.micro.isolation import family, frames, linux_calls, runner, supervisor


def main(control_number: int, lifeline: int) -> NoReturn:
    """Serve the launcher at the other end of two descriptors until it is gone.

    Args:
        control_number: brings what to import, then one descriptor for each request.
        lifeline: closes when the launcher ends.
    """
    linux_calls.die_with_pipe(lifeline)  # an import may take long, and does not listen
    # The launcher may have ended before the signal was set up.
    if select.select([lifeline], [], [], 0)[0]:
        os._exit(1)
    control = socket.socket(fileno=control_number)
    control.set_inheritable(False)
    os.set_inheritable(lifeline, False)
    settings = frames.receive(control)
    if settings is None:
        os._exit(1)
    before = _descriptors()  # to tell what the imports leave open
    function = None
    if settings["start"] == "fork":
        try:
            function = _imported(settings["work"], settings["preload"])
        except UserError as mistake:
            _say(control, {"mistake": str(mistake)})
            os._exit(2)
        shared = why_not_fork(before)
        if shared:
            _say(control, {"unsafe": shared})
            os._exit(0)
    os.close(lifeline)  # from here on it listens
    try:
        root = tempfile.mkdtemp(prefix="sealegs-")
    except OSError as error:
        where = f" {error.filename}" if error.filename else ""
        remedy = "make room there, or name another place in TMPDIR; the same command resumes the runs"
        _say(control, {"mistake": f"cannot make the folder{where} for runs: {error.strerror}; {remedy}"})
        os._exit(2)
    kept = frozenset(_descriptors() - before)
    work = supervisor.Work(settings["work"], tuple(settings["preload"]), function, root, kept)
    # If a supervisor is killed, its run becomes a child of this process.
    linux_calls.adopt_orphans()
    gc.collect()
    gc.disable()  # a collection in one process would copy pages that all share
    gc.freeze()
    _say(control, {"ready": root})
    _serve(control, work)
    os._exit(0)


def _say(control: socket.socket, message: dict[str, str]) -> None:
    with suppress(ConnectionError):  # the launcher is gone; what follows sees it
        frames.send(control, message)


def _imported(work: str, preload: list[str]) -> Any:
    """The function, after all modules.

    Raises:
        UserError: something cannot be imported.
    """
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    name = ""
    try:
        for name in preload:
            importlib.import_module(name)
        name = work
        function = import_callable(work)
        runner.numpy_random()  # loaded once, not in each run
        return function
    except UserError:
        raise
    except BaseException as error:
        raise UserError(
            f"{name!r} cannot be imported: {type(error).__name__}: {error}; import it alone first"
        ) from error


def why_not_fork(before: set[int]) -> str:
    """The reason why forks would share or lose state; empty where there is none.

    Args:
        before: descriptors that were open before the imports.
    """
    threads = linux_calls.threads_alive()
    # Only the forking thread lives on in a fork, and locks held by the others would stay locked.
    if threads > 1:
        return f"{threads - 1} more thread(s) run after the imports"
    for number in sorted(_descriptors() - before):
        with suppress(OSError):
            mode = os.fstat(number).st_mode
            # Devices and folders have no state that forks could share; files, pipes and sockets do.
            if not (stat.S_ISCHR(mode) or stat.S_ISDIR(mode)):
                return f"the imports left {Path(f'/proc/self/fd/{number}').readlink()} open"
    maps = Path("/proc/self/maps").read_text().splitlines()
    # "s" is a shared mapping: one run would write into the memory of another.
    shared = [line.split() for line in maps if " rw-s " in line]
    if shared:
        return f"the imports left shared memory ({' '.join(shared[0][5:]) or 'anonymous'})"
    return ""


def _descriptors() -> set[int]:
    names = os.listdir("/proc/self/fd")  # noqa: PTH208  # lists its own descriptor too, which is closed by then
    return {int(name) for name in names if _is_open(int(name))}


def _is_open(number: int) -> bool:
    with suppress(OSError):
        os.fstat(number)
        return True
    return False


def _serve(control: socket.socket, work: supervisor.Work) -> None:
    """Fork a supervisor for each descriptor that comes, until none can come; then wait for all and tidy up."""
    me = os.getpid()
    others = frozenset(family.children(me))  # what the imports started
    supervisors: dict[int, int] = {}  # pid of each by its descriptor
    poll = select.poll()
    poll.register(control, select.POLLIN)
    listening = True
    while listening or supervisors:
        for number, _ in poll.poll():
            if number in supervisors:
                poll.unregister(number)
                _reap(number, supervisors, others)
                continue
            launched = _next(control)
            if launched is None:
                poll.unregister(control)
                listening = False
                continue
            try:
                pid = os.fork()
            except OSError as error:
                _say(launched, {"lost": runner.describe(error)})
                launched.close()
                continue
            if not pid:
                # A supervisor that kept these open would hide the end of the others.
                for one in (control.fileno(), *supervisors):
                    os.close(one)
                supervisor.supervise_run(launched, work, me)
            launched.close()
            descriptor = os.pidfd_open(pid)
            supervisors[descriptor] = pid
            poll.register(descriptor, select.POLLIN)
    shutil.rmtree(work.root, ignore_errors=True)


def _next(control: socket.socket) -> socket.socket | None:
    with suppress(ConnectionError):
        _, numbers, _, _ = socket.recv_fds(control, 1, 1)
        if numbers:
            return socket.socket(fileno=numbers[0])
    return None


def _reap(descriptor: int, supervisors: dict[int, int], others: frozenset[int]) -> None:
    """Handle a supervisor's end. A killed supervisor could not end its run, whose processes are now our children."""
    _, status = os.waitpid(supervisors.pop(descriptor), 0)
    os.close(descriptor)
    if status:
        family.kill_all(others | frozenset(supervisors.values()))
