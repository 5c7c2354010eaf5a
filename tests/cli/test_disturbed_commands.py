"""A stop, little memory, a killed worker, a clock that jumps: no work of a command is lost, and none is doubled."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests import needs
from tests.cli.test_run import SEALEGS, sealegs
from tests.cli.test_run_highwater import family

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason=needs.PROC)
RUN = ["run", "maze", "--agent", "retrier", "--levels", "C1", "--limit", "80", "--jobs", "2", "--out", "here"]
MAKE = {
    "data make": ["data", "make", "default", "--n", "60", "--jobs", "2", "--out", "here"],
    "maze generate": ["maze", "generate", "--levels", "C1", "--n", "12", "--jobs", "2", "--out", "here"],
}
SCARCE = """
import itertools

from sealegs.cli import main
from sealegs.engines import direct

play, turns = direct.play_scenario, itertools.count()

def scarce(*given):
    if next(turns) == 70:
        bytearray(1 << 62)  # which no machine has
    return play(*given)

direct.play_scenario = scarce
if __name__ == "__main__":
    main()
"""
CLOCK = """
import datetime, itertools, time
real, turns, day = time.time, itertools.count(), 86_400

def jumping():
    return real() + (0, day, -day)[next(turns) % 3]

class Jumping(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(jumping(), tz)

time.time, time.time_ns, datetime.datetime = jumping, lambda: int(jumping() * 1e9), Jumping
"""


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> Counter[str]:
    """The lines of the records of a run that was never disturbed."""
    place = tmp_path_factory.mktemp("calm")
    assert sealegs(*RUN, cwd=place).returncode == 0
    return lines(place)


def lines(place: Path) -> Counter[str]:
    return Counter((place / "here" / "episodes.jsonl").read_text("utf-8").splitlines())


def rows(place: Path) -> dict[str, Counter[str]]:
    """The lines of all files that a command keeps; in which order a journal has them depends on who was faster."""
    files = [file for file in (place / "here").rglob("*") if file.is_file() and not file.name.startswith(".")]
    return {str(file.relative_to(place)): Counter(file.read_text("utf-8").splitlines()) for file in files}


def workers(pid: int) -> list[int]:
    """The processes that work for a command; the first of them that came makes the others."""
    return sorted(one for (one, _), command in family(pid).items() if b"forkserver" in command)[1:]


@contextmanager
def under_way(place: Path, words: list[str], sign: Callable[[Path, int], bool]) -> Iterator[subprocess.Popen[str]]:
    """A command whose work has begun and is not done, as the sign tells from its folder and its process."""
    process = subprocess.Popen(
        [*SEALEGS, *words], cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    try:
        while process.poll() is None and not sign(place, process.pid):
            time.sleep(0.01)
        assert process.poll() is None, process.communicate()[1]
        yield process
    finally:
        process.kill()
        process.wait()


def recorded(place: Path, pid: int) -> bool:
    file = place / "here" / "episodes.jsonl"
    return file.exists() and file.stat().st_size > 0


@pytest.mark.parametrize("seconds", [2, pytest.param(60, marks=pytest.mark.slow)])
def test_a_stopped_run_goes_on(calm: Counter[str], tmp_path: Path, seconds: float) -> None:
    with under_way(tmp_path, RUN, recorded) as process:
        stopped = [process.pid, *(pid for pid, _ in family(process.pid))]
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)
        time.sleep(1)
        before = lines(tmp_path)
        time.sleep(seconds - 1)
        assert lines(tmp_path) == before
        assert before < calm, "it was done before it was stopped"
        for pid in stopped:
            os.kill(pid, signal.SIGCONT)
        _, stderr = process.communicate(timeout=1800)
        assert (process.returncode, "Traceback" in stderr) == (0, False), stderr
    assert lines(tmp_path) == calm


@pytest.mark.parametrize("jobs", [pytest.param(1, marks=pytest.mark.slow), 2])
def test_a_run_without_memory_says_so_and_the_same_command_resumes_it(
    calm: Counter[str], tmp_path: Path, jobs: int
) -> None:
    (tmp_path / "scarce.py").write_text(SCARCE)  # workers import it as well
    words = [*RUN[:-4], "--jobs", str(jobs), "--out", "here"]
    done = subprocess.run([sys.executable, "scarce.py", *words], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False), done.stderr
    assert "out of memory; free memory; fewer --jobs need less (what was finished is kept)" in done.stderr
    kept = lines(tmp_path)
    assert kept < calm
    assert sum('"type": "started"' in one for one in kept) >= (70 if jobs == 1 else 64)
    assert sealegs(*words, cwd=tmp_path).returncode == 0
    assert lines(tmp_path) == calm


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ('ImportError("libx.so: failed to map segment from shared object")', "out of memory; free memory"),
        ('RuntimeError("can\'t start new thread")', "no thread could be started; free memory"),
    ],
)
def test_a_library_or_a_thread_without_room_is_a_line(tmp_path: Path, error: str, said: str) -> None:
    """Which is how addresses that run out (`ulimit -v`) show."""
    script = f"""
from sealegs.cli import main
from sealegs.suites.maze import agent_run

def scarce(*given, **more):
    raise {error}

agent_run.play_scenarios = scarce
main()
"""
    (tmp_path / "scarce.py").write_text(script)
    words = [*RUN[:-4], "--jobs", "1", "--out", "here"]
    done = subprocess.run([sys.executable, "scarce.py", *words], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False), done.stderr
    assert f"sealegs: {said}" in done.stderr


@pytest.mark.parametrize("words", MAKE.values(), ids=list(MAKE))
def test_the_work_of_a_killed_worker_is_done_by_another(tmp_path: Path, words: list[str]) -> None:
    calm, disturbed = tmp_path / "calm", tmp_path / "disturbed"
    for place in (calm, disturbed):
        place.mkdir()
    assert sealegs(*words, cwd=calm).returncode == 0
    with under_way(disturbed, words, lambda _, pid: len(workers(pid)) == 2) as process:
        os.kill(workers(process.pid)[0], signal.SIGKILL)
        _, stderr = process.communicate(timeout=1800)
        assert (process.returncode, "Traceback" in stderr) == (0, False), stderr
    assert rows(disturbed) == rows(calm)


@pytest.mark.slow
def test_a_clock_that_jumps_changes_nothing(calm: Counter[str], tmp_path: Path) -> None:
    """Every look at the wall clock is a day ahead or a day behind the one before."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(CLOCK)
    path = os.pathsep.join([str(tmp_path / "site"), *filter(None, [os.environ.get("PYTHONPATH")])])
    jumping = {**os.environ, "PYTHONPATH": path}
    look = "import time; one, two = time.time(), time.time(); print(abs(two - one) > 80_000)"
    seen = subprocess.run([sys.executable, "-c", look], env=jumping, capture_output=True, text=True, check=True)
    assert seen.stdout == "True\n"
    (tmp_path / "few.campaign").write_text("tip hang,slow(seconds=0.2),delta model=scripted/retrier\n")
    play = ["campaign", "run", "few.campaign", "--jobs", "2", "--time-limit", "30"]
    assert sealegs(*play, "--out", "calm", cwd=tmp_path).returncode == 0
    for words in (RUN, [*play, "--out", "jumped"]):
        done = subprocess.run([*SEALEGS, *words], cwd=tmp_path, env=jumping, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    assert lines(tmp_path) == calm
    assert (tmp_path / "jumped" / "runs.csv").read_text() == (tmp_path / "calm" / "runs.csv").read_text()
