"""Whoever is killed, and whenever: nothing outlives it, and the same call goes on."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sealegs.faults.user_error import UserError
from sealegs.suites.micro.isolation import RunEnd, RunLimits, RunRequest, run_all
from tests.suites.micro.isolated_runs import found
from tests.suites.micro.test_isolation import ACT, ends, new_mark, run_request

LAUNCHER = """
import json, sys
from pathlib import Path
from sealegs.suites.micro.isolation import RunLimits, RunRequest, run_all

settings = json.loads(sys.argv[1])
requests = [RunRequest(name, payload) for name, payload in settings["requests"]]
print("begun", flush=True)
run_all(
    settings["work"], requests, preload=settings.get("preload", []), jobs=2, journal=Path(settings["journal"]),
    limits=RunLimits(seconds=settings.get("seconds", 60)), ended=lambda end: print(end.id, flush=True),
)
"""


def launcher(requests: list[RunRequest], journal: Path, **more: object) -> subprocess.Popen[str]:
    settings = {"work": ACT, "journal": str(journal), **more}
    given = json.dumps({**settings, "requests": [(request.id, request.payload) for request in requests]})
    return subprocess.Popen([sys.executable, "-c", LAUNCHER, given], stdout=subprocess.PIPE, text=True)


def eventually(true: Callable[[], bool], seconds: float = 60.0) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if true():
            return True
        time.sleep(0.005)
    return False


def of_session(key: str, value: str) -> list[int]:
    """The processes whose environment holds a name: what an exec gave it, and what was forked from it."""
    pids = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and f"{key}={value}".encode() in (entry / "environ").read_bytes():
                pids.append(int(entry.name))
        except OSError:
            continue
    return [pid for pid in pids if pid != os.getpid()]


@pytest.fixture
def marked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Callable[[], list[int]]]:
    """All processes that a test starts, however far down; their temporary folder is the test's."""
    mark = new_mark()
    monkeypatch.setenv("SEALEGS_TEST", mark)
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    yield lambda: of_session("SEALEGS_TEST", mark)
    assert eventually(lambda: not of_session("SEALEGS_TEST", mark))


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_nothing_outlives_a_killed_launcher(marked: Callable[[], list[int]], tmp_path: Path, start: str) -> None:
    mark = new_mark()
    requests = [run_request("a", "leave_children", mark=mark, then="hang"), run_request("b", "deaf")]
    preload = ["tests.suites.micro.threaded_import"] if start == "spawn" else []
    process = launcher(requests, tmp_path / "journal", preload=preload)
    assert eventually(lambda: len(found(mark)) == 2)
    # launcher, zygote, two supervisors, two runs, two left behind: the second run may begin later than these
    assert eventually(lambda: len(marked()) >= 8)
    process.kill()
    process.communicate()
    assert eventually(lambda: not marked())
    assert found(mark) == []
    assert list((tmp_path / "tmp").iterdir()) == []
    assert (tmp_path / "journal").read_bytes() == b""


@pytest.mark.parametrize("by", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_launcher_killed_during_the_imports_leaves_nothing(
    marked: Callable[[], list[int]], tmp_path: Path, by: signal.Signals
) -> None:
    process = launcher([run_request("a", "fine")], tmp_path / "journal", preload=["tests.suites.micro.endless_import"])
    assert eventually(lambda: len(marked()) == 2)
    time.sleep(0.3)
    process.send_signal(by)
    process.communicate(timeout=1800)
    assert eventually(lambda: not marked())


def test_a_killed_zygote_is_replaced_and_takes_its_runs_with_it(marked: Callable[[], list[int]]) -> None:
    mark = new_mark()
    done: list[RunEnd] = []

    def kill_zygote(end: RunEnd) -> None:
        done.append(end)
        if len(done) == 3:
            assert eventually(lambda: len(found(mark)) == 2)
            os.kill(int((end.result or {})["zygote"]), signal.SIGKILL)
            assert eventually(lambda: not found(mark))

    requests = [run_request("hanging", "leave_children", mark=mark, then="first hang")]
    requests += [run_request(f"r{number}", "whose") for number in range(6)]
    ended = {end.id: end for end in run_all(ACT, requests, jobs=2, ended=kill_zygote)}
    assert {end.how for end in ended.values()} == {"finished"}, ended
    assert sorted(end.id for end in done) == sorted(ended)
    assert len({(ended[f"r{number}"].result or {})["zygote"] for number in range(6)}) == 2
    assert found(mark) == []


def test_a_run_that_kills_the_zygote_each_time_is_given_up() -> None:
    ended = ends(run_request("killer", "kill_zygote"), *(run_request(f"r{n}", "fine") for n in range(4)), jobs=1)
    assert ended["killer"].how == "exited"
    assert "lost 2 times" in ended["killer"].error
    assert [ended[f"r{n}"].how for n in range(4)] == ["finished"] * 4


@contextmanager
def killing(found: Callable[[], list[int]], times: int) -> Iterator[list[int]]:
    """Kill so many processes meanwhile, one after the other; yields those that were killed."""
    killed: list[int] = []

    def kill() -> None:
        for _ in range(times):
            assert eventually(lambda: bool(set(found()) - set(killed)))
            time.sleep(0.3)  # so that it is among its imports
            killed.extend(set(found()) - set(killed))
            os.kill(killed[-1], signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield killed
    finally:
        thread.join()


def test_a_zygote_that_is_killed_during_its_imports_is_replaced(marked: Callable[[], list[int]]) -> None:
    with killing(marked, 1) as killed:
        end = ends(run_request("a", "whose"), preload=["tests.suites.micro.slow_import"])["a"]
    assert (end.how, len(killed)) == ("finished", 1)
    assert (end.result or {})["zygote"] not in killed


def test_zygotes_that_are_killed_during_their_imports_again_and_again_are_one_line(
    marked: Callable[[], list[int]], tmp_path: Path
) -> None:
    requests = [run_request(f"r{number}", "fine") for number in range(3)]
    run_all(ACT, requests[:1], journal=tmp_path / "journal")
    with (
        killing(marked, 2) as killed,
        pytest.raises(UserError, match=r"killed 2 times.* resumes the runs"),
    ):
        run_all(ACT, requests, journal=tmp_path / "journal", preload=["tests.suites.micro.slow_import"])
    assert len(killed) == 2
    assert [end.how for end in run_all(ACT, requests, journal=tmp_path / "journal")] == ["finished"] * 3
    lines = (tmp_path / "journal").read_text().splitlines()
    assert sorted(json.loads(line)["id"] for line in lines) == ["r0", "r1", "r2"]


@pytest.mark.parametrize(("limit", "seconds"), [(4, 6), pytest.param(20, 60, marks=pytest.mark.slow)])
def test_time_for_which_all_is_stopped_is_not_the_run_s(
    marked: Callable[[], list[int]], tmp_path: Path, limit: float, seconds: float
) -> None:
    run = run_request("a", "noted", note=str(tmp_path / "note"), value=1, seconds=limit / 2)
    process = launcher([run], tmp_path / "journal", seconds=limit)
    assert eventually((tmp_path / "note").exists)
    stopped = sorted(marked())
    assert len(stopped) >= 4  # launcher, zygote, supervisor, run
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    time.sleep(seconds)
    for pid in stopped:
        os.kill(pid, signal.SIGCONT)
    assert process.communicate(timeout=1800)[0] == "begun\na\n"
    end = json.loads((tmp_path / "journal").read_text())
    assert end["how"] == "finished", end
    assert end["seconds"] < limit


def test_a_supervisor_that_is_stopped_before_it_sees_the_run_begin_gives_that_time_back() -> None:
    requests = [run_request(f"r{number}", "stop_supervisor", seconds=4.5) for number in range(12)]
    ended = run_all(ACT, requests, jobs=12, limits=RunLimits(seconds=3))
    assert [end.how for end in ended] == ["finished"] * 12
    assert all(end.seconds < 3 for end in ended)


def test_an_interrupt_ends_all_and_the_journal_stands(marked: Callable[[], list[int]], tmp_path: Path) -> None:
    mark = new_mark()
    requests = [
        run_request("hanging", "leave_children", mark=mark, then="hang"),
        run_request("done", "fine"),
        run_request("b", "deaf"),
    ]
    process = launcher(requests, tmp_path / "journal")
    assert eventually(lambda: len(found(mark)) == 2 and (tmp_path / "journal").read_bytes().count(b"\n") == 1)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=1800)
    assert process.returncode != 0
    assert marked() == []  # not even for a moment after the launcher
    assert [json.loads(line)["id"] for line in (tmp_path / "journal").read_text().splitlines()] == ["done"]
    assert list((tmp_path / "tmp").iterdir()) == []


def test_two_launchers_do_not_share_a_journal(marked: Callable[[], list[int]], tmp_path: Path) -> None:
    mark = new_mark()
    process = launcher([run_request("a", "leave_children", mark=mark, then="hang")], tmp_path / "journal")
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    assert eventually(lambda: bool(found(mark)))  # a run has begun, so the journal is held
    with pytest.raises(ValueError, match="another process is writing"):
        run_all(ACT, [run_request("a", "fine")], journal=tmp_path / "journal")
    process.kill()
    process.communicate()


def test_a_launcher_killed_at_any_moment_loses_and_doubles_nothing(
    marked: Callable[[], list[int]], tmp_path: Path
) -> None:
    journal, note = tmp_path / "journal", tmp_path / "note"
    requests = [run_request(f"r{n}", "noted", note=str(note), value=n, seconds=0.01) for n in range(60)]
    draw = random.Random(5)
    acknowledged: list[str] = []
    for kill in range(8):
        process = launcher(requests, journal)
        assert process.stdout is not None
        printed = [process.stdout.readline() for _ in range(1 + (0 if kill % 4 == 3 else draw.randint(1, 8)))]
        time.sleep(draw.uniform(0.0, 0.04 if kill % 4 < 3 else 0.4))
        process.kill()
        acknowledged += "".join([*printed[1:], process.communicate()[0]]).split()
        whole = journal.read_text().splitlines(keepends=True) if journal.exists() else []
        written = [json.loads(line)["id"] for line in whole if line.endswith("\n")]
        assert set(acknowledged) <= set(written)
        assert len(set(written)) == len(written)
    assert len(set(acknowledged)) == len(acknowledged) < 60  # none was run again that was reported as done
    ended = run_all(ACT, requests, jobs=2, journal=journal)
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    assert sorted(line["id"] for line in lines) == sorted(request.id for request in requests)
    assert [(end.how, (end.result or {})["value"]) for end in ended] == [("finished", n) for n in range(60)]
    began = note.read_text().split()
    assert set(began) == {str(n) for n in range(60)}
    assert len(began) <= 60 + 8 * 2  # run again: at most those under way, two at a time
    assert eventually(lambda: not list((tmp_path / "tmp").iterdir()), 3)
