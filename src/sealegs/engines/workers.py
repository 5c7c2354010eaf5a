"""Processes to work in, which end when the one that made them ends, however it ends."""

from __future__ import annotations

import gc
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from itertools import islice
from multiprocessing import current_process, get_all_start_methods, get_context, parent_process
from types import FrameType
from typing import Any, Generic, TypeVar

from sealegs.faults.user_error import UserError

T = TypeVar("T")
R = TypeVar("R")
TRIES = 3  # pools in succession that may lose a process before anything is done
RESUME = "the same command resumes the run; fewer --jobs need less memory"
GUARD = 'the script that starts it, which each process imports, lacks `if __name__ == "__main__":`'
ROOM = "make room for files and processes (ulimit -n, ulimit -u)"
RARELY = (50_000, 20, 20)  # thresholds of garbage collection
IMPORTS_BEGIN, IMPORTS_END = "sealegs.engines.fork_imports_begin", "sealegs.engines.fork_imports_end"
FORKS = "forkserver" in get_all_start_methods()
BEAT = 1.0  # seconds between two looks at whether a pool still works


class WorkerTask(Generic[R]):
    """Work that was given to a pool."""

    def __init__(self, pool: WorkerPool, work: Callable[..., R], arguments: tuple[Any, ...]) -> None:
        self._pool, self.work, self.arguments = pool, work, arguments
        self.executor: ProcessPoolExecutor
        self.future: Future[R]

    @property
    def lost(self) -> bool:
        """Whether the process that worked at it was killed."""
        done = self.future.done() and not self.future.cancelled()
        return done and isinstance(self.future.exception(), BrokenProcessPool)

    def cancel(self) -> None:
        """Keep it from being begun, unless it already is."""
        self.future.cancel()

    def result(self) -> R:
        """Wait for what the work gives.

        Raises:
            UserError: its processes were killed too often.
        """
        while True:
            self._pool.wait_for_one([self])
            with interrupts_held():
                if not self.lost:
                    return self._pool.noted(self.future.result())
                # The future was lost with its pool; `begin_again` sets a new one.
                self._pool.begin_again(self)


class WorkerPool:
    """A pool of processes that outlives them: what killed ones were at is begun again by others.

    It gives up where `TRIES` pools in succession lose a process before anything was done.

    Args:
        count: processes; as many as there are cores by default. Ctrl-C is for the process that made them.
        remedy: what the message then advises.
        warm: modules that are imported once, before the processes are forked, where the system can fork them.
    """

    def __init__(self, count: int | None = None, remedy: str = RESUME, warm: Sequence[str] = ()) -> None:
        # A worker imports the script that started it, which starts workers of its own: then the first pool says so.
        if getattr(current_process(), "_inheriting", False):
            raise SystemExit(1)
        self._count, self._remedy, self._warm = count or os.cpu_count() or 1, remedy, list(warm)
        self._executor = self._new()
        self._tasks: list[WorkerTask[Any]] = []
        self._losses = 0

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(self, *_: object) -> None:
        self._give_up_where_unmanaged(self._executor)
        self._executor.shutdown()

    def submit(self, work: Callable[..., R], *arguments: Any) -> WorkerTask[R]:
        """Have a function called in a worker.

        Raises:
            UserError: no process can be started.
        """
        task = WorkerTask(self, work, arguments)
        with interrupts_held():
            self._start(task)
            # Finished tasks are dropped, so that their results can be freed; lost ones may still be begun again.
            self._tasks = [one for one in self._tasks if not one.future.done() or one.lost]
            self._tasks.append(task)
        return task

    def map(self, work: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
        """The results of the function for the items, in their order."""
        tasks = [self.submit(work, item) for item in items]
        return (task.result() for task in tasks)

    def stream(self, work: Callable[..., R], items: Iterable[tuple[Any, ...]]) -> Iterator[R]:
        """The results of the function for the tuples of arguments, in their order; a few are under way at a time."""
        left = iter(items)
        # One more than there are workers, so that none waits for the caller.
        waiting = [self.submit(work, *item) for item in islice(left, self._count + 1)]
        while waiting:
            found = waiting.pop(0).result()
            # Before the yield: workers go to work while the caller uses what was found.
            waiting += [self.submit(work, *item) for item in islice(left, 1)]
            yield found

    def first_done(self, tasks: Sequence[WorkerTask[R]]) -> list[WorkerTask[R]]:
        """Wait until one of these is done; those that are."""
        while True:
            self.wait_for_one(tasks)
            with interrupts_held():
                # Before asking which are done: the future of a task whose process was killed is done as well.
                for task in tasks:
                    if task.lost:
                        self.begin_again(task)
                done = [task for task in tasks if task.future.done()]
            if done:
                return done

    def wait_for_one(self, tasks: Sequence[WorkerTask[Any]]) -> None:
        """Wait until one of these is done or lost."""
        futures = [task.future for task in tasks]
        while True:
            with interrupts_held():
                if wait(futures, timeout=BEAT, return_when=FIRST_COMPLETED).done:
                    return
                for executor in {task.executor for task in tasks}:
                    self._give_up_where_unmanaged(executor)

    def shutdown(self) -> None:
        """Wait for what is being worked on; the rest is not begun."""
        self._give_up_where_unmanaged(self._executor)
        self._executor.shutdown(cancel_futures=True)

    def noted(self, found: R) -> R:
        """Return a result, and note that the processes get on."""
        self._losses = 0
        return found

    def begin_again(self, task: WorkerTask[Any]) -> None:
        """Begin what was lost again, this and all else.

        Raises:
            UserError: too many processes were killed.
        """
        # A killed process breaks the whole pool: all of its tasks are lost at once.
        self._renew(task.executor)
        for one in [task, *self._tasks]:
            if one.lost:
                self._start(one)

    def _start(self, task: WorkerTask[Any]) -> None:
        while True:
            task.executor = self._executor
            try:
                task.future = task.executor.submit(task.work, *task.arguments)
            # A process was killed since the last result, and this is the first call to notice.
            except BrokenProcessPool:
                self._renew(task.executor)
            except EOFError:
                # Left alone, Typer would take it for an end of the keyboard's input, and say "Aborted.".
                raise UserError(
                    f"the process that starts workers ended at once; {ROOM}, unless {GUARD}; {self._remedy}"
                ) from None
            else:
                return

    def _renew(self, broken: ProcessPoolExecutor) -> None:
        if broken is not self._executor:  # another task has renewed it already
            return
        self._losses += 1
        if self._losses == TRIES:
            raise UserError(f"{_how_ended(broken)}; {self._remedy}")
        broken.shutdown()
        self._executor = self._new()

    def _give_up_where_unmanaged(self, executor: ProcessPoolExecutor) -> None:
        """Take what is not done for lost where the thread that hands out the work has died.

        A `MemoryError` in it is no end that the library knows of: it would leave all that wait waiting forever.
        """
        manager: Any = getattr(executor, "_executor_manager_thread", None)  # it has no public name
        if manager is None or manager.is_alive():
            return
        # Nobody ends these processes any more, and this one would wait for them at its own end.
        for process in list((executor._processes or {}).values()):
            process.kill()
            process.join()
        for task in self._tasks:
            if task.executor is executor and not task.future.done():
                task.future.set_exception(BrokenProcessPool("the thread that hands out the work died"))

    def _new(self) -> ProcessPoolExecutor:
        # Not fork: the parent may have threads, whose locks a forked child would inherit locked. Windows spawns.
        way = "forkserver" if FORKS else "spawn"
        with suppress(OSError):  # too few processes or files: `submit` then says so
            start_fork_server(self._warm)
        return ProcessPoolExecutor(self._count, mp_context=get_context(way), initializer=_begin)


def _how_ended(executor: ProcessPoolExecutor) -> str:
    """The way in which a process of a broken pool ended, in a clause."""
    codes = [process.exitcode or 0 for process in (executor._processes or {}).values()]  # it has no public name
    if max(codes, default=0) > 0:
        return f"a worker process ended itself (exit code {max(codes)}): memory ran out, an agent ended it, or {GUARD}"
    return "a worker process was killed, by hand or because memory ran out"


def start_fork_server(warm: Sequence[str]) -> None:
    """Start the process that workers are forked from, where the system has one and it does not run yet.

    A command that knows early that it will need workers calls this first: the server imports these modules meanwhile.

    Raises:
        OSError: there is no room for it.
    """
    if not FORKS:
        return
    from multiprocessing import forkserver, resource_tracker  # other systems cannot import the first

    preload = ["__main__", IMPORTS_BEGIN, *warm, IMPORTS_END]
    get_context("forkserver").set_forkserver_preload(preload)  # of no effect once it runs
    # Ctrl-C reaches the whole process group, and the server would end in a traceback as long as it imports. It inherits
    # the mask; the last module that it imports takes it off, for what others have it fork.
    resource_tracker.ensure_running()  # first: where the server starts it, it lets the signal through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin() -> None:
    # Ctrl-C reaches the whole process group; the parent alone decides what still finishes.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    # What is loaded stays until the end, and looking through it again and again for garbage took a tenth of the time.
    gc.freeze()
    gc.set_threshold(*RARELY)


def _end_with_parent() -> None:
    """End with the parent: a killed parent sends no word, and a worker would wait for it forever."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)  # without cleaning up: the main thread may be waiting for the parent


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Let Ctrl-C and SIGTERM take effect after the block, where their handlers may raise.

    The library takes a lock for each question to a future. An exception that comes between the lock and the `with` that
    would free it again leaves it locked, and the thread that hands out the work then waits for it for ever.
    """
    if threading.current_thread() is not threading.main_thread():  # no handler runs in another one
        yield
        return
    found = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    handlers = {number: handler for number, handler in found.items() if callable(handler)}
    came: list[tuple[int, FrameType | None]] = []
    for number in handlers:
        signal.signal(number, lambda number, frame: came.append((number, frame)))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for which, frame in came:
            handlers[signal.Signals(which)](which, frame)


def in_chunks(
    items: Sequence[T], work: Callable[[Sequence[T]], list[R]], jobs: int | None, size: int, warm: Sequence[str] = ()
) -> Iterator[R]:
    """Yield what `work` gives for all items, in no fixed order.

    In this process each result comes as soon as it is there; from workers they come a chunk at a time, so a kill of
    this one loses the chunks that were being worked on. After an interrupt (Ctrl-C) these finish, and their results
    come before it is raised.

    Args:
        items: what to work on.
        work: done in the workers; can be pickled.
        jobs: processes; as many as there are cores by default. One works in this process.
        size: items of a chunk.
        warm: as in `WorkerPool`.

    Raises:
        UserError: processes were killed, again and again.
    """
    jobs = jobs or os.cpu_count() or 1
    chunks = [items[start : start + size] for start in range(0, len(items), size)]
    if jobs == 1 or len(chunks) == 1:
        for item in items:
            yield from work([item])
        return
    with WorkerPool(min(jobs, len(chunks)), warm=warm) as pool:
        running = [pool.submit(work, chunk) for chunk in chunks]
        left = dict.fromkeys(running)
        try:
            for done in as_completed(pool, running):
                # Before the results are handed out: an interrupt while they are in use must not hand them out again
                # below.
                del left[done]
                yield from done.result()
        except KeyboardInterrupt:
            pool.shutdown()
            for late in left:
                # A process may have been killed meanwhile: what others have finished is handed over all the same.
                if not late.future.cancelled() and late.future.exception() is None:
                    yield from late.future.result()
            raise
        finally:
            pool.shutdown()


def as_completed(pool: WorkerPool, tasks: Sequence[WorkerTask[R]]) -> Iterator[WorkerTask[R]]:
    """Yield each task when it is done."""
    left = list(tasks)
    while left:
        for task in pool.first_done(left):
            left.remove(task)
            yield task
