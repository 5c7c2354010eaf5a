"""The caller's side: hands requests to a zygote, as many at a time as requested, and writes down how they ended."""

from __future__ import annotations

import os
import select
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import time
import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from math import inf
from pathlib import Path
from typing import Any

from sealegs.faults.user_error import UserError
from sealegs.suites.micro.isolation import clean_interpreter, frames
from sealegs.suites.micro.isolation.request import How, RunEnd, RunLimits, RunRequest, Start
from sealegs.suites.micro.isolation.run_journal import RunJournal

TRIES = 2  # how often a request is sent whose supervisor or zygote is killed
TIDYING = 20.0  # seconds for runs under way to be ended and their folders removed
# The same in every zygote and every interpreter: the order of sets; and no thread at numpy's import.
SETTINGS = {"PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"}


def run_all(
    work: str,
    requests: Iterable[RunRequest],
    *,
    preload: Sequence[str] = (),
    limits: RunLimits | None = None,
    jobs: int = 1,
    journal: Path | None = None,
    ended: Callable[[RunEnd], None] | None = None,
    tell: Callable[[str], None] | None = None,
    again: Callable[[RunEnd], bool] | None = None,
    keep: Callable[[RunEnd], tuple[RunEnd, Mapping[str, Any]]] | None = None,
) -> list[RunEnd]:
    """Run a function on each request, each in a fresh process, and say how each ended.

    Args:
        work: the function as `module:function`; it gets a request's payload and returns a mapping of JSON data.
        requests: each with its own id.
        preload: modules that are imported once, before all runs; give those that take long.
        limits: for each run.
        jobs: how many run at a time.
        journal: a file of JSON lines that keeps the ends. Requests whose end it holds are not run again.
        ended: called with each new end, after it was written down.
        tell: called with a sentence where runs cannot be forked; without it, Python's own warning is given.
        again: whether a run that ended so is made again; none is where it is left out.
        keep: called with each new end before it is written down; gives the end as it is to be known from then on, and
            what the journal holds beside it.

    Returns:
        The ends, in the order of the requests; those from the journal too.

    Raises:
        UserError: there is no such function or module, an id is there twice, a payload is not JSON data, or the journal
            is another run's. Nothing was run then.
    """
    requests, limits = list(requests), limits or RunLimits()
    _check(requests, limits, jobs)
    kept = RunJournal(journal, work) if journal is not None else None
    try:
        known = kept.known if kept is not None else {}
        found = dict(known)
        waiting = [
            request
            for request in requests
            if kept is None or not kept.has(request) or (again is not None and again(known[request.id]))
        ]
        # With nothing left to run, no interpreter is started.
        if waiting:
            zygotes = Zygotes(work, preload, tell or _warn)
            with Launch(zygotes, limits, jobs) as launch:
                for request, new in launch.run(waiting):
                    end, beside = keep(new) if keep is not None else (new, {})
                    if kept is not None:
                        # Written down before `ended` sees it, so that a failure there loses nothing.
                        kept.append(request, end, beside)
                    found[end.id] = end
                    if ended is not None:
                        ended(end)
    finally:
        if kept is not None:
            kept.close()
    return [found[request.id] for request in requests]


def _check(requests: Sequence[RunRequest], limits: RunLimits, jobs: int) -> None:
    wrong: list[str] = []
    if jobs < 1:
        wrong.append(f"jobs is {jobs}; give 1 or more")
    if not 0 < limits.seconds < inf:
        wrong.append(f"limits.seconds is {limits.seconds}; give a number above 0")
    if limits.memory is not None and limits.memory <= 0:
        wrong.append(f"limits.memory is {limits.memory}; give bytes, or None for no limit")
    if sys.platform != "linux":
        wrong.append("runs are isolated on Linux only; use a Linux machine or a container")
    seen: set[str] = set()
    for request in requests:
        if request.id in seen:
            wrong.append(f"the id {request.id!r} appears twice; give each request its own")
        seen.add(request.id)
        try:
            # Only for the error: a payload that cannot be sent is to be refused before any run is started.
            frames.packed(dict(request.payload))
        except (TypeError, ValueError) as error:
            wrong.append(f"the payload of {request.id!r} is not JSON data ({error}); give plain data")
    if wrong:
        raise UserError("\n".join(wrong))


def _warn(text: str) -> None:
    warnings.warn(text, stacklevel=4)


class Zygotes:
    """One zygote at a time; a new one where it was killed, or where its forks would not be safe.

    Args:
        work: the function's name.
        preload: modules.
        tell: gets a sentence where runs are not forked.
    """

    def __init__(self, work: str, preload: Sequence[str], tell: Callable[[str], None]) -> None:
        self._settings = {"work": work, "preload": list(preload)}
        self._tell = tell
        self.start: Start = "fork"
        self._process: subprocess.Popen[bytes] | None = None
        self._ends: list[int] = []
        self._roots: list[str] = []
        self.control: socket.socket | None = None

    def ensure(self) -> None:
        """Start a zygote that listens, unless one does.

        Raises:
            UserError: the function or a module cannot be imported.
        """
        losses = 0
        while self.control is None:
            answer = self._launch()
            if answer is None:
                losses += 1
                if losses == TRIES:
                    raise UserError(
                        f"the interpreter that imports {self._settings['work']!r} and {self._settings['preload']} was "
                        f"killed {TRIES} times, by hand or because memory ran out; the same command resumes the runs"
                    )
                continue
            if "mistake" in answer:
                self.dismiss()
                raise UserError(answer["mistake"])
            if "unsafe" in answer:
                # The next one leaves the imports to each run, so nothing that they start or open can be shared.
                self.dismiss()
                self.start = "spawn"
                self._tell(f"{answer['unsafe']}: runs are not forked, each starts an interpreter and imports it all")
                continue
            self._roots.append(answer["ready"])

    def _launch(self) -> Mapping[str, Any] | None:
        """Start one; returns what it says after its imports, None where it was killed meanwhile."""
        self.control, theirs = socket.socketpair()
        lifeline, end = os.pipe()
        self._ends.append(end)
        numbers = (theirs.fileno(), lifeline)
        try:
            self._process = subprocess.Popen(
                clean_interpreter.module_command("zygote", *numbers),
                pass_fds=numbers,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                # The user's own environment comes last and wins.
                env={**SETTINGS, **os.environ},
                start_new_session=True,
            )
        finally:
            theirs.close()
            os.close(lifeline)  # the child's copy has to be the only one left at that end
        with suppress(BrokenPipeError):
            frames.send(self.control, {**self._settings, "start": self.start})
        answer = frames.receive(self.control)
        if not isinstance(answer, dict):
            # No answer: it ended while it imported.
            code = self._process.wait()
            self.dismiss()
            # Killed from outside, perhaps for memory; another try may do. Any other end is the import's own.
            if code == -signal.SIGKILL:
                return None
            raise UserError(
                f"importing {self._settings['work']!r} and {self._settings['preload']} ended the interpreter with "
                f"{code}; import them alone first"
            )
        return answer

    def forget_dead(self) -> None:
        """Let the next request have another zygote, if this one was killed."""
        if self.control is not None and select.select([self.control], [], [], 0)[0]:  # it never speaks: this is its end
            self.dismiss()

    def dismiss(self) -> None:
        """Let it end by itself: no more requests come."""
        if self.control is not None:
            self.control.close()
            self.control = None
        while self._ends:
            os.close(self._ends.pop())  # one that still imports is killed by this
        if self._process is not None:
            try:
                self._process.wait(TIDYING)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None

    def remove_roots(self) -> None:
        """Folders of zygotes that could not remove theirs."""
        for root in self._roots:
            shutil.rmtree(root, ignore_errors=True)


class Launch:
    """Requests under way, at most `jobs` at a time. Leaving the context ends whatever still runs."""

    def __init__(self, zygotes: Zygotes, limits: RunLimits, jobs: int) -> None:
        self._zygotes, self._limits, self._jobs = zygotes, asdict(limits), jobs
        self._running: dict[socket.socket, RunRequest] = {}
        self._losses: Counter[str] = Counter()
        self._selector = selectors.DefaultSelector()

    def __enter__(self) -> Launch:
        return self

    def __exit__(self, *_: object) -> None:
        for line in self._running:
            with suppress(OSError):
                line.shutdown(socket.SHUT_WR)  # its supervisor ends the run
        until = time.monotonic() + TIDYING
        for line in self._running:
            line.settimeout(max(0.1, until - time.monotonic()))
            with suppress(OSError, ValueError):
                while line.recv(2**16):
                    pass
            line.close()
        self._running.clear()
        self._selector.close()
        self._zygotes.dismiss()
        self._zygotes.remove_roots()

    def run(self, requests: Iterable[RunRequest]) -> Iterator[tuple[RunRequest, RunEnd]]:
        """Each request with its end, as they come."""
        waiting = deque(requests)
        while waiting or self._running:
            while waiting and len(self._running) < self._jobs:
                self._send(waiting.popleft())
            for key, _ in self._selector.select():
                line = key.fileobj
                assert isinstance(line, socket.socket)
                self._selector.unregister(line)
                request = self._running.pop(line)
                end = self._received(line, request)
                if end is None:
                    waiting.appendleft(request)
                else:
                    yield request, end

    def _send(self, request: RunRequest) -> None:
        """Give a request to a supervisor of its own. Where the zygote is gone, its line says so by ending."""
        self._zygotes.ensure()
        control = self._zygotes.control
        assert control is not None
        line, theirs = socket.socketpair()
        self._running[line] = request
        self._selector.register(line, selectors.EVENT_READ)
        order = {"id": request.id, "payload": dict(request.payload), "limits": self._limits, "sent": time.monotonic()}
        try:
            with theirs:
                socket.send_fds(control, [b"r"], [theirs.fileno()])
            frames.send(line, order)
        except ConnectionError:
            return

    def _received(self, line: socket.socket, request: RunRequest) -> RunEnd | None:
        """The end of the run; None where it is to be tried again."""
        report = None
        # A supervisor that is killed while it writes leaves half a message.
        with line, suppress(ValueError):
            report = frames.receive(line)
        if isinstance(report, dict) and "id" in report:
            return RunEnd(**report)
        why = report["lost"] if isinstance(report, dict) else "the process that watched it was killed"
        self._zygotes.forget_dead()
        self._losses[request.id] += 1
        if self._losses[request.id] < TRIES:
            return None
        # A supervisor that reports is sound, and the function is not to blame. Who killed one is not known: perhaps
        # the run itself.
        how: How = "lost" if isinstance(report, dict) else "exited"
        return RunEnd(request.id, how, error=f"lost {TRIES} times: {why}", start=self._zygotes.start)
