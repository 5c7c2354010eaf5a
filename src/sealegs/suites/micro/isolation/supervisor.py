"""The process that watches one run: its time, its memory, its output, its answer; then the end of all it started.

It is a separate process, so that whatever a run leaves behind is distinct from what other runs left, and a run is
ended even when the zygote or the launcher is killed.
"""

from __future__ import annotations

import os
import secrets
import select
import shutil
import signal
import socket
import struct
import tempfile
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic
from typing import Any, NoReturn

from sealegs.suites.micro.isolation import clean_interpreter, family, frames, linux_calls, runner
from sealegs.suites.micro.isolation.request import How, RunEnd, RunLimits, Start
from sealegs.suites.micro.isolation.run_clock import RunClock

START = 120.0  # seconds that a new interpreter may take to the function's first line
TICK = 0.03  # seconds between two looks at the memory
BEAT = 1.0  # seconds between two looks at the time
STOPPED = 2.0  # seconds by which a look may be late before they are no longer counted as the run's
OUTPUT = 16_384  # bytes of output that are kept
SLOW = 10.0  # seconds for an answer to come through, once it has begun
PEER = struct.Struct("3i")


@dataclass(frozen=True, slots=True)
class Work:
    """The settings that all runs of a call share.

    Attributes:
        name: `module:function`.
        preload: modules imported first.
        function: the function of that name; None where each run imports it for itself.
        root: the folder that holds the runs' own.
        kept: descriptors that the imports left open, which the runs keep.
    """

    name: str
    preload: tuple[str, ...]
    function: Callable[..., Any] | None
    root: str
    kept: frozenset[int]

    @property
    def start(self) -> Start:
        """The way in which runs are started."""
        return "spawn" if self.function is None else "fork"


class PeerEnded(Exception):
    """The launcher or the zygote ended: nothing waits for the answer."""


class RunNotStarted(Exception):
    """The run's process ended while it was made ready, which says nothing of the function."""


def supervise_run(launcher: socket.socket, work: Work, zygote: int) -> NoReturn:
    """Take one request from the launcher, see its run through, and answer. Never returns."""
    status = 1
    try:
        os.setsid()  # so that a signal to the run's group cannot reach the zygote
        # Whatever a run detaches becomes a child of this process and can be found and killed.
        linux_calls.adopt_orphans()
        above = os.pidfd_open(zygote)
        # The zygote may have been killed before the descriptor was opened; its number could be another's now.
        if os.getppid() == zygote:
            order = frames.receive(launcher)
            if order is not None:
                status = _see_through(launcher, work, above, order)
    finally:
        family.kill_all()
        os._exit(status)  # a fork must never return into the zygote's code


def _see_through(launcher: socket.socket, work: Work, zygote: int, order: Mapping[str, Any]) -> int:
    try:
        folder = tempfile.mkdtemp(dir=work.root)
        try:
            ended = RunWatch(launcher, zygote, order, work, folder).until_the_end()
        finally:
            family.kill_all()  # before the folder goes: a process still alive could write into it
            remove(folder)
        frames.send(launcher, asdict(ended))
    except (PeerEnded, BrokenPipeError):
        with suppress(OSError):
            Path(work.root).rmdir()  # the last one out
        return 0
    # Reported as lost and not as a result, so that the launcher sends the request again.
    except Exception as error:  # ours, or the machine's: no folder, no process to be had
        frames.send(launcher, {"lost": runner.describe(error)})
    return 0


class RunWatch:
    """One run under way."""

    def __init__(self, launcher: socket.socket, zygote: int, order: Mapping[str, Any], work: Work, folder: str) -> None:
        self._order, self._work = order, work
        self._limits = RunLimits(**order["limits"])
        self._base: int | None = None
        self._resident = 0
        self._looked = 0.0
        self._output = bytearray()
        self._began: float | None = None
        self._dead = False
        self._oom = linux_calls.killed_for_memory()
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        # An abstract socket has no file that a run could find and remove; the name is random, so it cannot be guessed.
        address = f"\0sealegs-{secrets.token_hex(16)}"
        self._listener.bind(address)
        self._listener.listen(8)
        self._pipe, output = os.pipe()
        # A run may hold the pipe open for ever, and reading must not wait for it.
        os.set_blocking(self._pipe, False)
        self._started, theirs = socket.socketpair()
        for name in ("work", "tmp"):
            (Path(folder) / name).mkdir()
        self._woke = monotonic()  # before the run exists: it may run ahead of its supervisor
        self._clock = RunClock(self._woke, START)
        self._runner = self._start(runner.RunOrder(order["id"], order["payload"], folder, address), theirs, output)
        theirs.close()  # so that the other end closes when the run dies
        os.close(output)
        self._end = os.pidfd_open(self._runner)
        self._above = {launcher.fileno(), zygote}
        self._poll = select.poll()
        for number in (*self._above, self._listener.fileno(), self._pipe, self._started.fileno(), self._end):
            self._poll.register(number, select.POLLIN)

    def _start(self, order: runner.RunOrder, started: socket.socket, output: int) -> int:
        me, work = os.getpid(), self._work
        pid = os.fork()
        if pid:
            if work.function is None:
                given = {"work": work.name, "preload": work.preload, "order": asdict(order)}
                # The new process may be dead already; its end is noticed like any other.
                with suppress(BrokenPipeError):
                    frames.send(self._started, given)
            return pid
        try:
            runner.settle(me, output, {started.fileno(), *work.kept})
            if work.function is not None:
                runner.call(work.function, order, started)
            # `exec` closes everything that is not inheritable.
            started.set_inheritable(True)
            words = clean_interpreter.module_command("runner", started.fileno())
            os.execv(words[0], words)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(1)  # the fork must not run on as a second supervisor

    def until_the_end(self) -> RunEnd:
        """Wait for the answer, the process's end, or a limit.

        Raises:
            PeerEnded: nothing waits for the answer any more.
        """
        while True:
            pause = min(max(0.0, self._clock.deadline() - monotonic()), BEAT)
            if self._limits.memory is not None and self._began is not None:
                pause = min(pause, TICK)
            ready = {number for number, _ in self._poll.poll(pause * 1000)}
            last, self._woke = self._woke, monotonic()
            self._give_back(self._woke - last - pause)
            # These never send anything more, so being readable means that they have ended.
            if ready & self._above:
                raise PeerEnded
            if self._pipe in ready:
                self._read_output()
            ended = self._looked_at(ready)
            if ended is not None:
                return ended

    def _give_back(self, late: float) -> None:
        """Take from the run's time what it could not use: all was stopped, or the machine too busy to look in time."""
        if late > STOPPED:
            self._clock.lose(self._woke, late)

    def _looked_at(self, ready: set[int]) -> RunEnd | None:
        """The end of the run, if it has ended.

        Raises:
            RunNotStarted: its process ended before the function began.
        """
        if self._started.fileno() in ready:
            failed = self._begin()
            if failed:
                return self._ended("raised", error=failed)
        if self._listener.fileno() in ready:
            answer = self._answer()
            if answer is not None:
                return self._reported_end(answer)
        if self._end in ready:
            if self._dead:
                return self._died()
            self._dead = True  # once more round: it may have reported something between two of our looks
            return None
        # Not the time by now: whether this look itself was stopped is known at the next one.
        if self._woke >= self._clock.deadline():
            return self._late()
        return self._too_big()

    def _begin(self) -> str:
        """Let the function begin; where it cannot, return why."""
        self._poll.unregister(self._started)
        report = None
        with suppress(ValueError):
            report = frames.receive(self._started)
        if not isinstance(report, dict):
            return ""  # it died before; its end says how
        if "failed" in report:
            return str(report["failed"])
        # This look may itself come late: the run may have begun before all was stopped.
        self._began = float(report["started"])
        self._clock.begin(self._began, self._limits.seconds)
        if self._limits.memory is not None:
            self._resident = report["resident"]
            self._base = min(
                family.proportional_memory([self._runner]), self._resident
            )  # by now the function may hold more
        return ""

    def _answer(self) -> Mapping[str, Any] | None:
        """The run's answer, which only the process that was started may give."""
        line, _ = self._listener.accept()
        pid, _, _ = PEER.unpack(line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, PEER.size))
        # The kernel names the sender; a child of the run could otherwise forge its answer.
        if pid != self._runner:
            line.close()
            return None
        line.settimeout(SLOW)
        with suppress(OSError, ValueError):
            report = frames.receive(line)
            if isinstance(report, dict) and {"how", "began", "ended", "threads"} <= set(report):
                self._line = line  # closed later: the run waits for it
                return report
        return None

    def _reported_end(self, report: Mapping[str, Any]) -> RunEnd:
        how: How = report["how"]
        self._began = float(report["began"])
        self._clock.begin(self._began, self._limits.seconds)
        result, error = report.get("result"), report.get("error", "")
        return self._ended(how, at=report["ended"], result=result, error=error, threads=report["threads"])

    def _died(self) -> RunEnd:
        _, status = os.waitpid(self._runner, 0)
        code = os.waitstatus_to_exitcode(status)
        if self._began is None:
            raise RunNotStarted(f"the process ended with {code} before its function began")
        if code >= 0:
            return self._ended("exited", error=f"the process left with {code} and no answer", exit_code=code)
        name = _signal_name(-code)
        # A SIGKILL alone may have come from anyone; the kernel's own counter tells.
        if -code == signal.SIGKILL and linux_calls.killed_for_memory() > self._oom:
            return self._ended("memory", error="the machine's memory ran out; the kernel killed the run", signal=name)
        return self._ended("signal", error=f"the process was ended by {name}", signal=name)

    def _late(self) -> RunEnd:
        if self._began is None:
            return self._ended("timeout", error=f"its function did not begin within {START:g} s")
        return self._ended("timeout", error=f"it did not end within {self._limits.seconds:g} s")

    def _too_big(self) -> RunEnd | None:
        limit = self._limits.memory
        # Other events wake the loop too, and reading memory costs.
        if limit is None or self._base is None or monotonic() - self._looked < TICK:
            return None
        self._looked = monotonic()
        pids = family.descendants(os.getpid())
        grown = family.resident_memory(pids) - self._resident
        if grown > limit and len(pids) > 1:  # what they share was counted in each; this is exact, and slower
            grown = family.proportional_memory(pids) - self._base
        if grown <= limit:
            return None
        error = f"it held {grown / 2**20:.0f} MiB more than at its beginning; the limit is {limit / 2**20:.0f} MiB"
        return self._ended("memory", error=error)

    def _ended(self, how: How, *, at: float | None = None, error: str = "", **more: Any) -> RunEnd:
        """Count what is left, end it, and say how it ended."""
        at = monotonic() if at is None else at
        # Counted before the kill, since what a run leaves behind is a result.
        left = [pid for pid in family.descendants(os.getpid()) if pid != self._runner and family.alive(pid)]
        stuck = family.kill_all()
        if stuck:
            error += f" ({stuck} of its processes could not be ended)"
        self._read_output()  # the last words may have come while processes were ended
        began = self._began
        return RunEnd(
            id=self._order["id"],
            how=how,
            error=error,
            seconds=0.0 if began is None else self._clock.used(at),
            start_seconds=0.0 if began is None else began - self._order["sent"],
            children=len(left),
            output=self._output.decode(errors="replace"),
            start=self._work.start,
            **more,
        )

    def _read_output(self) -> None:
        """Take what waits in the pipe, at most a few times its size, and keep the end."""
        # A run that prints without end must not keep this loop from its limits.
        for _ in range(16):
            try:
                piece = os.read(self._pipe, 2**16)
            except BlockingIOError:
                return
            if not piece:
                with suppress(KeyError):
                    self._poll.unregister(self._pipe)
                return
            self._output += piece
            del self._output[:-OUTPUT]


def _signal_name(number: int) -> str:
    with suppress(ValueError):
        return signal.Signals(number).name
    return f"signal {number}"


def remove(folder: str) -> None:
    """Remove a run's folder, whatever permissions it left there."""
    try:
        shutil.rmtree(folder)
    except OSError:
        for place, _, _ in os.walk(folder):
            # A run may have taken away its own right to list or change a folder.
            with suppress(OSError):
                Path(place).chmod(0o700)
        shutil.rmtree(folder, ignore_errors=True)
