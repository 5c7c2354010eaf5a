"""What work in other processes gives, also when it is interrupted."""

from __future__ import annotations

import gc
import importlib
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import process, wait
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from sealegs.engines import workers
from sealegs.faults.user_error import UserError
from tests import needs


def slowly(items: Sequence[int]) -> list[int]:
    time.sleep(0.05)
    return [item * item for item in items]


def interrupted(
    pool: workers.WorkerPool, running: Sequence[workers.WorkerTask[list[int]]]
) -> Iterator[workers.WorkerTask[list[int]]]:
    """Ctrl-C, as `as_completed` would pass it on: after the first chunk that is done."""
    running[0].result()
    yield running[0]
    raise KeyboardInterrupt


def until_interrupted(results: Iterator[int]) -> list[int]:
    """What comes before the interrupt, which must come."""
    come: list[int] = []
    try:
        for result in results:
            come.append(result)  # noqa: PERF402 (an extend would lose what came before the interrupt)
    except KeyboardInterrupt:
        return come
    raise AssertionError("nothing interrupted it")


@pytest.mark.parametrize("jobs", [1, 2])
def test_all_items_come_whatever_the_processes(jobs: int) -> None:
    assert sorted(workers.in_chunks(range(7), slowly, jobs, 2)) == [item * item for item in range(7)]


def test_in_this_process_a_result_comes_before_the_next_item_begins() -> None:
    begun: list[int] = []

    def work(items: Sequence[int]) -> list[int]:
        begun.extend(items)
        return list(items)

    results = workers.in_chunks(range(7), work, 1, 4)
    assert [next(results), next(results)] == [0, 1]
    assert begun == [0, 1]


def test_chunks_that_are_running_at_an_interrupt_are_handed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "as_completed", interrupted)
    come = until_interrupted(workers.in_chunks(range(40), slowly, 2, 2))
    assert come[:2] == [0, 1]
    assert 2 < len(come) < 40, "the running chunks and no others"
    assert len(come) % 2 == 0, "whole chunks"


def dying_once(once: Path, items: Sequence[int]) -> list[int]:
    """The items; the first process that comes is killed."""
    try:
        once.mkdir()
    except FileExistsError:
        return list(items)
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def dying(items: Sequence[int]) -> list[int]:
    """Nothing, ever."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def test_what_a_killed_process_was_at_is_done_by_another(tmp_path: Path) -> None:
    work = partial(dying_once, tmp_path / "once")
    assert sorted(workers.in_chunks(range(7), work, 2, 2)) == list(range(7))


def dying_late(items: Sequence[int]) -> list[int]:
    """The items; whoever has the second chunk is killed after a while."""
    if items[0] == 2:
        time.sleep(1)
        os.kill(os.getpid(), signal.SIGKILL)
    return list(items)


def test_what_is_done_at_an_interrupt_is_handed_over_though_a_process_is_killed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted_later(
        pool: workers.WorkerPool, running: Sequence[workers.WorkerTask[list[int]]]
    ) -> Iterator[workers.WorkerTask[list[int]]]:
        running[2].result()
        yield from interrupted(pool, running)

    monkeypatch.setattr(workers, "as_completed", interrupted_later)
    assert until_interrupted(workers.in_chunks(range(6), dying_late, 2, 2)) == [0, 1, 4, 5]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_waits_until_no_lock_of_a_future_is_held(
    number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread that hands out the work would wait for the lock for ever, and the pool for the thread."""
    whole, held = wait, 0

    def signalled(*args: Any, **named: Any) -> Any:
        nonlocal held
        found = whole(*args, **named)
        signal.raise_signal(number)  # here the library may hold the locks of all futures
        held += 1
        return found

    def handler(*_: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(number, handler)
    try:
        monkeypatch.setattr(workers, "wait", signalled)
        with pytest.raises(KeyboardInterrupt):
            list(workers.in_chunks(range(8), slowly, 2, 1))
        assert held == 1
        assert signal.getsignal(number) is handler
    finally:
        signal.signal(number, before)


def test_work_that_kills_whoever_does_it_is_given_up() -> None:
    with pytest.raises(UserError, match=r"a worker process was killed.* fewer --jobs need less memory"):
        list(workers.in_chunks(range(4), dying, 2, 2))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_nobody_waits_for_a_pool_whose_managing_thread_died(monkeypatch: pytest.MonkeyPatch) -> None:
    """For want of memory it does: what it has then neither ends nor is ever called broken."""

    def out_of_memory(*_: object) -> None:
        raise MemoryError

    manager = process._ExecutorManagerThread
    monkeypatch.setattr(manager, "process_result_item", out_of_memory)
    monkeypatch.setattr(workers, "BEAT", 0.05)
    with pytest.raises(UserError, match=r"a worker process was killed.* fewer --jobs need less memory"):
        list(workers.in_chunks(range(4), list, 2, 2))
    assert not multiprocessing.active_children()


def collecting(items: Sequence[int]) -> list[tuple[int, bool, bool]]:
    return [(gc.get_threshold()[0], gc.get_freeze_count() > 0, gc.isenabled()) for _ in items]


def test_workers_seldom_look_for_garbage_and_not_at_all_in_what_they_began_with() -> None:
    found = set(workers.in_chunks(range(4), collecting, 2, 2))
    assert found == {(workers.RARELY[0], True, True)}


WARMED = """
import sys
from sealegs.engines.workers import in_chunks

def loaded(items):
    return ["warmed" in sys.modules for _ in items]

if __name__ == "__main__":
    print(set(in_chunks(range(4), loaded, 2, 2, ["warmed"])))
"""


def run_warmed(folder: Path, warmed: str) -> subprocess.CompletedProcess[str]:
    """A script whose workers are forked from a process that has imported this code."""
    (folder / "warmed.py").write_text(warmed)
    (folder / "script.py").write_text(WARMED)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), *sys.path])}
    words = [sys.executable, "script.py"]
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.skipif("forkserver" not in multiprocessing.get_all_start_methods(), reason=needs.FORKED)
def test_what_is_named_as_warm_is_imported_once_and_before_the_workers_are_forked(tmp_path: Path) -> None:
    done = run_warmed(tmp_path, "from pathlib import Path\nwith Path('loads').open('a') as f: f.write('once ')")
    assert (done.stdout.strip(), (tmp_path / "loads").read_text()) == ("{True}", "once ")


@pytest.mark.skipif("forkserver" not in multiprocessing.get_all_start_methods(), reason=needs.FORKED)
def test_no_garbage_is_looked_for_while_what_is_warm_is_imported(tmp_path: Path) -> None:
    run_warmed(tmp_path, "import gc\nfrom pathlib import Path\nPath('looked').write_text(str(gc.isenabled()))")
    assert (tmp_path / "looked").read_text() == "False"


def test_the_modules_for_the_process_that_forks_change_nothing_in_another() -> None:
    for module in (workers.IMPORTS_BEGIN, workers.IMPORTS_END):
        sys.modules.pop(module, None)
        importlib.import_module(module)
        assert gc.isenabled()


@pytest.mark.skipif("forkserver" not in multiprocessing.get_all_start_methods(), reason=needs.FORKED)
def test_where_no_worker_can_be_forked_a_line_says_so(tmp_path: Path) -> None:
    """The server that forks them ends at once, as it does where it gets no pipe and no process."""
    done = run_warmed(tmp_path, "import os; os._exit(1)")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(
        "sealegs.faults.user_error.UserError: the process that starts workers ended at once; make room for files"
    )


IMPORTED = "import pathlib, time\npathlib.Path('importing').touch()\ntime.sleep(1)\n"
INTERRUPTED = """
import signal
from sealegs.engines.workers import in_chunks
def blocked(chunk): return [signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())]
if __name__ == "__main__":
    found = []
    try: found += in_chunks(range(4), blocked, 2, 1, warm=("imported",))
    except KeyboardInterrupt: found.append("stopped")
    print(found)
"""


@pytest.mark.skipif(not workers.FORKS, reason=needs.FORKED)
@pytest.mark.parametrize("interrupt", [True, False])
def test_ctrl_c_spares_the_process_that_forks_workers(interrupt: bool, tmp_path: Path) -> None:
    """It would end in a traceback while it imports; what a worker starts can be interrupted all the same."""
    (tmp_path / "imported.py").write_text(IMPORTED, encoding="utf-8")
    (tmp_path / "script.py").write_text(INTERRUPTED, encoding="utf-8")
    command = [sys.executable, "script.py"]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=tmp_path, start_new_session=True, **pipes) as running:
        while not (tmp_path / "importing").exists():
            assert running.poll() is None
            time.sleep(0.01)
        if interrupt:
            os.killpg(running.pid, signal.SIGINT)  # as a terminal does
        out, err = running.communicate(timeout=60)
    assert err == ""
    assert ("stopped" in out) == interrupt
    assert "True" not in out


def test_a_script_without_a_guard_is_told_of_it(tmp_path: Path) -> None:
    """Each worker imports it, and would start workers of its own."""
    code = "from sealegs.engines.workers import in_chunks\nprint(list(in_chunks(range(4), list, 2, 1)))\n"
    (tmp_path / "script.py").write_text(code, encoding="utf-8")
    ended = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert ended.stderr.count("Traceback") == 1  # of the script itself
    assert 'lacks `if __name__ == "__main__":`; the same command resumes the run' in ended.stderr.splitlines()[-1]


def exiting(items: Sequence[int]) -> list[int]:
    os._exit(3)


def test_an_agent_that_ends_its_process_is_named() -> None:
    with pytest.raises(UserError, match=r"ended itself \(exit code 3\): memory ran out, an agent ended it, or "):
        list(workers.in_chunks(range(4), exiting, 2, 2))


FORKED_BESIDE = """
import multiprocessing, os, signal, time
from sealegs.engines.workers import in_chunks
def nap(began): began.set(); time.sleep(60)
if __name__ == "__main__":
    list(in_chunks(range(4), list, 2, 1))
    context = multiprocessing.get_context("forkserver")
    began = context.Event()
    process = context.Process(target=nap, args=(began,))
    process.start()
    began.wait()
    os.kill(process.pid, signal.SIGINT)
    process.join(30)
    print(process.exitcode)
"""


@pytest.mark.skipif(not workers.FORKS, reason=needs.FORKED)
def test_processes_that_others_have_forked_can_be_interrupted(tmp_path: Path) -> None:
    """The server is everybody's: the mask that spares it must not stay."""
    (tmp_path / "script.py").write_text(FORKED_BESIDE, encoding="utf-8")
    done = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout == "1\n", done
    assert "KeyboardInterrupt" in done.stderr
