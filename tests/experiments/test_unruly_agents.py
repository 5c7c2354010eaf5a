"""Agents that end, block or outlive the run that they are in, as outsiders have tried them."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import sealegs
from sealegs.adapters.asgi import FaultsMiddleware
from sealegs.cli.verdict_output import write_verdict
from sealegs.experiments import experiment
from sealegs.experiments.run_guards import AGAIN, RunOverTime, time_limited
from sealegs.faults import Plan, Rule
from sealegs.faults.kinds import Error
from sealegs.faults.triggers import First, Tool
from sealegs.faults.user_error import UserError
from tests import needs
from tests.experiments.test_agents_elsewhere import served

PLAN = Plan(name="p", rules=(Rule(match=Tool("look"), when=First(1), fault=Error(status=503)),))
SEEN: list[int] = []


class Wild(BaseException):
    """Not an `Exception`."""


@sealegs.tool(effects=False)
def look(number: int = 0) -> int:
    SEEN.append(number)
    return number


def exits(input: str) -> int:
    try:
        return look()
    except Exception:
        os._exit(0)


def wild(input: str) -> int:
    try:
        return look()
    except Exception:
        raise Wild("beyond") from None


class SlowToGo:
    """What takes a minute to be finalized: Python ignores the exceptions that come there."""

    def __del__(self) -> None:
        time.sleep(60)


def hangs_in_finalizers(input: str) -> int:
    try:
        return look()
    except Exception:
        SlowToGo()
        time.sleep(60)
        return 1


def hangs(input: str) -> int:
    try:
        return look()
    except Exception:
        while True:
            with suppress(Exception):
                time.sleep(60)


async def hangs_async(input: str) -> int:
    return hangs(input)


@pytest.mark.parametrize(
    ("agent", "says"),
    [
        (exits, "the agent crashed: SystemExit: os._exit(0)"),
        (wild, "the agent crashed: Wild: beyond"),
        (hangs, "the agent hung: RunOverTime: it did not end within 0.3 s"),
        (hangs_in_finalizers, "the agent hung: RunOverTime: it did not end within 0.3 s"),
        (hangs_async, "the agent hung: RunOverTime: it did not end within 0.3 s"),
    ],
)
def test_it_fails_the_run_and_not_the_command(agent: Any, says: str) -> None:
    report = experiment(agent, PLAN, inputs=["x"], runs=3, fail_under=0.5, time_limit=0.3, settle=False)
    assert [run.problems for run in report.runs] == [()] * 3 + [(says,)] * 3


SWALLOWING = """
import asyncio, pathlib, time
from sealegs import tool

@tool(effects=False)
def look() -> int:
    return 1

def calls(request):
    while True:
        try:
            return 1 / (look() - 1)
        except:
            pass

def waits(request):
    look()
    pathlib.Path("waits").touch()
    while True:
        try:
            while True:
                try:
                    time.sleep(600)
                except BaseException:
                    continue
        except:
            pass

async def waits_async(request):
    look()
    pathlib.Path("waits").touch()
    while True:
        try:
            await asyncio.sleep(600)
        except:
            pass

def answers(request):
    look()
    try:
        time.sleep(600)
    except:
        return "done"
"""


def swallowing(agent: str, folder: Path, *options: str) -> subprocess.Popen[str]:
    """Start `sealegs test` with an agent that swallows whatever would stop it."""
    (folder / "agent.py").write_text(SWALLOWING)
    command = [sys.executable, "-m", "sealegs", "test", f"agent:{agent}", "--input", "x", "--runs", "1", *options]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason=needs.reason("timers", "use a POSIX system"))
@pytest.mark.parametrize(
    ("agent", "limit", "says"),
    [
        ("calls", 500, "the agent did not stop: more than 50 calls"),
        ("waits", 0.5, "the agent hung: RunOverTime: it did not end within 0.5 s"),
        ("waits_async", 0.5, "the agent hung: RunOverTime: it did not end within 0.5 s"),
        ("answers", 0.5, "the agent hung: RunOverTime: it did not end within 0.5 s"),
    ],
)
def test_an_agent_that_swallows_what_would_stop_it_is_stopped(
    agent: str, limit: float, says: str, tmp_path: Path
) -> None:
    with swallowing(agent, tmp_path, "--time-limit", str(limit), "--junit", "runs.xml") as process:
        try:
            output = process.communicate(timeout=120)
        finally:
            process.kill()
    assert process.returncode == 3, output
    assert says in (tmp_path / "runs.xml").read_text("utf-8")
    assert "WARNING" not in output[1]
    assert "Traceback" not in output[1] or agent == "waits_async"  # Python's own words on a task that will not end


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason=needs.reason("timers", "use a POSIX system"))
@pytest.mark.parametrize("agent", ["waits", "waits_async"])
def test_ctrl_c_ends_an_agent_that_swallows_it(agent: str, tmp_path: Path) -> None:
    with swallowing(agent, tmp_path) as process:
        try:
            while process.poll() is None and not (tmp_path / "waits").exists():
                time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            output = process.communicate(timeout=120)
        finally:
            process.kill()
    assert process.returncode == 130, output
    assert "every finished run is kept" in output[1]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason=needs.reason("timers", "use a POSIX system"))
def test_a_limit_leaves_no_alarm_and_keeps_that_of_the_block_around_it() -> None:
    def wait(seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(0.01)

    before = signal.getsignal(signal.SIGALRM), signal.getsignal(signal.SIGINT)
    with suppress(RunOverTime), time_limited(0.05):
        wait(60)
    wait(2 * AGAIN)
    assert (signal.getitimer(signal.ITIMER_REAL), signal.getsignal(signal.SIGALRM)) == ((0.0, 0.0), before[0])

    def nested() -> None:
        with suppress(RunOverTime), time_limited(0.05):
            wait(60)
        wait(60)

    with pytest.raises(RunOverTime, match=r"within 0\.5 s"), time_limited(0.5):
        nested()
    with time_limited(60):
        wait(0.01)
    assert (signal.getitimer(signal.ITIMER_REAL), signal.getsignal(signal.SIGINT)) == ((0.0, 0.0), before[1])


def test_a_child_of_the_agent_may_end_itself() -> None:
    if not hasattr(os, "fork"):
        pytest.skip(needs.reason("fork", "use a POSIX system"))

    def agent(input: str) -> int:
        child = os.fork()
        if not child:
            os._exit(7)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) + look()

    report = experiment(agent, PLAN, inputs=["x"], runs=1, check=lambda answer: answer == 7)
    assert report.runs[0].passed, report.runs[0].problems


def test_a_thread_that_outlives_the_answer_stays_in_its_run() -> None:
    numbers = iter(range(100))

    def agent(input: str) -> str:
        number = next(numbers)

        def later() -> None:
            time.sleep(0.05)
            with suppress(Exception):
                look(number)

        threading.Thread(target=later).start()
        return str(number)

    report = experiment(agent, PLAN, inputs=["x"], runs=4, settle=False)
    for run in report.runs:
        assert [turn.call.arguments["number"] for turn in run.record.turns] == [int(run.record.answer or -1)]


def test_another_working_directory_is_the_run_s_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    def agent(input: str) -> int:
        os.chdir("/")
        return look()

    experiment(agent, PLAN, inputs=["x"], runs=1, out="here")
    assert Path.cwd() == tmp_path
    assert (tmp_path / "here" / "verdict.json").exists()


def test_an_agent_without_a_call_is_refused_under_a_plan_too() -> None:
    with pytest.raises(UserError, match="called no tool through Sealegs in 2 runs"):
        experiment(lambda text: "x", PLAN, inputs=["x"], runs=2)
    with pytest.raises(UserError, match="called no tool through Sealegs in 2 runs"):
        experiment(lambda text: "x", PLAN, inputs=["x"], runs=2, baseline=False)


def test_what_a_command_leaves_behind_does_not_hold_it_up() -> None:
    child = "[sys.executable, '-c', 'import time; time.sleep(60)']"
    command = f"{shlex.quote(sys.executable)} -c " + shlex.quote(f"import subprocess, sys; subprocess.Popen({child})")
    began = time.monotonic()
    with pytest.raises(UserError, match="called no tool"):
        experiment(command, PLAN, inputs=["x"], runs=1, time_limit=40)
    assert time.monotonic() - began < 35


def test_quotes_that_are_not_closed_are_one_sentence() -> None:
    with pytest.raises(UserError, match="is not a command: No closing quotation"):
        experiment("python -c 'print(1", PLAN)


def test_only_the_table_goes_to_standard_output_whatever_the_agent_writes(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(
        "import os, subprocess\nfrom sealegs import tool\n"
        "@tool(effects=False)\ndef ask(): return 1\n"
        "def run():\n    os.write(1, b'noise')\n    subprocess.run(['echo', 'noise'])\n"
        "    print('noise')\n    return ask()\n"
    )
    command = [sys.executable, "-m", "sealegs", "test", "agent:run", "--runs", "2", "--json", "-"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert json.loads(done.stdout)["rows"], done.stdout[:200]
    assert "noise" in done.stderr


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Waits until both requests are there, so that the foreign one calls while the other's session is active."""
    foreign = scope["path"] == "/foreign"
    GATE[foreign].set()
    while not GATE[not foreign].is_set():
        await asyncio.sleep(0.005)
    try:
        status = 200 if look(int(foreign)) == int(foreign) else 500
    except Exception:
        status = 503
    await asyncio.sleep(0.02)
    await send({"type": "http.response.start", "status": status, "headers": []})
    await send({"type": "http.response.body", "body": b"done"})


GATE = {True: threading.Event(), False: threading.Event()}


def test_requests_of_others_are_neither_struck_nor_recorded() -> None:
    import urllib.request

    statuses: list[int] = []

    def foreign(url: str) -> None:
        with urllib.request.urlopen(f"{url}/foreign", timeout=30) as response:
            statuses.append(response.status)

    with served(FaultsMiddleware(app)) as url:
        thread = threading.Thread(target=foreign, args=(url,))
        thread.start()
        report = experiment(url, PLAN, inputs=["x"], runs=1, baseline=False)
        thread.join()
    assert statuses == [200]
    assert [turn.call.arguments for turn in report.runs[0].record.turns] == [{"number": 0}]
    assert "status 503" in report.runs[0].problems[0]


def test_a_secret_that_an_agent_dies_with_is_in_no_file(tmp_path: Path) -> None:
    key = "sk-" + "proj-abcdEFGH1234abcdEFGH1234"

    def dies(input: str) -> int:
        with suppress(Exception):
            return look()
        raise RuntimeError(f"lost with key {key}")

    report = experiment(dies, PLAN, inputs=["x"], runs=2, settle=False, out=tmp_path / "o")
    assert any("[redacted:" in problem for run in report.runs for problem in run.problems), "it is shown as it is kept"
    write_verdict(report, tmp_path / "page.html", None, "")
    for file in (tmp_path / "page.html", tmp_path / "o" / "episodes.jsonl"):
        assert key not in file.read_text("utf-8")
