"""Code in a real container: the golden turns, every escape, and what is left when something is killed.

`.ci/docker` brings a daemon up and runs this file; a plain run of the tests skips it.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from sealegs.faults.call import Outcome
from sealegs.sandbox import CodeTurn, CommandResult, Isolation, Kernel, Limits, RemoteKernel
from sealegs.sandbox.confinement import Handshake, KernelEnvironment, confinement
from sealegs.sandbox.escapes import escapes, try_escape
from sealegs.sandbox.launching import PYTHON
from sealegs.sandbox.process import KernelProcess, kernel_source
from sealegs.suites.highwater.highwater_logs import read_highwater_run
from tests import needs
from tests.sandbox.places import place
from tests.sandbox.test_remote import LONG, RATE, TRANSCRIPT, answer, compared_parts

COMPOSE = Path(__file__).parents[2] / "src" / "sealegs" / "suites" / "highwater" / "compose.yaml"
PROJECT = f"sealegs-test-{os.getpid()}"
ESCAPES = {escape.name: escape for escape in escapes()}
PATIENT = Limits(seconds=120)  # no turn here that has them is to meet its time, however busy the machine
QUIET = 5.0  # seconds without a change, after which the daemon has finished its work


def docker(*words: str, check: bool = True) -> str:
    done = subprocess.run(["docker", *words], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 or not check, done.stderr
    return done.stdout.strip()


def compose(*words: str) -> str:
    return docker("compose", "-p", PROJECT, "-f", str(COMPOSE), *words)


@pytest.fixture(scope="module")
def container() -> Iterator[str]:
    """The container of `--sandbox docker`."""
    if not os.environ.get("SEALEGS_DOCKER"):
        pytest.skip(needs.DOCKER)
    compose("up", "-d", "--wait")
    yield compose("ps", "-q")
    compose("down", "-t", "1")


def inside(container: str) -> list[str]:
    """The commands that run in the container."""
    return [line.split(None, 3)[3] for line in docker("top", container, "-eo", "pid,ppid,stat,args").splitlines()[1:]]


def commands(container: str) -> Callable[..., Awaitable[CommandResult]]:
    async def run(command: Sequence[str], given: bytes, variables: Mapping[str, str], seconds: float) -> CommandResult:
        named = [word for one in variables.items() for word in ("-e", "=".join(one))]
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            "docker", "exec", "-i", *named, container, *command, stdin=pipe, stdout=pipe, stderr=pipe
        )
        try:
            output, error = await asyncio.wait_for(process.communicate(given), seconds)
        except TimeoutError:
            process.kill()
            await process.wait()
            return CommandResult(None, "")
        return CommandResult(process.returncode, output.decode(), error.decode())

    return run


def test_the_golden_turns_are_those_of_our_own_sandbox(container: str) -> None:
    async def play() -> list[CodeTurn]:
        kernel = await RemoteKernel(commands(container), PATIENT).start_async([RATE, LONG], answer)
        try:
            return [await kernel.run_async(code) for code in TRANSCRIPT]
        finally:
            await kernel.close_async()

    theirs = asyncio.run(play())
    with Kernel(place("bubblewrap"), PATIENT) as kernel:
        kernel.start([RATE, LONG], answer)
        ours = [kernel.run(code) for code in TRANSCRIPT]
    for code, one, other in zip(TRANSCRIPT, ours, theirs, strict=True):
        if "hostname" in code:  # one has no such file, the other may not write it
            assert (one.how, other.how) == ("raised", "raised")
        else:
            assert compared_parts(one) == compared_parts(other), code
    assert not [line for line in inside(container) if "python" in line]


KILL = """
import os, signal
for name in os.listdir("/proc"):
    try:
        other = name.isdigit() and int(name) not in (1, os.getpid())
        if other and b"kernel_main" in open(f"/proc/{name}/cmdline", "rb").read():
            os.kill(int(name), signal.SIGKILL)
    except OSError:
        pass
"""


class ContainersProcess(KernelProcess):
    """What `docker exec` starts outlives its client, so it is killed where it is."""

    container = ""

    def kill(self) -> None:
        super().kill()  # first: a daemon that waits for this client to read may start nothing else there
        docker("exec", self.container, "python3", "-c", KILL, check=False)

    def close(self) -> None:
        self.kill()
        super().close()


class InContainer:
    """A launcher as the page on the sandbox describes it: the kernel talks by the pipes of `docker exec`."""

    isolation = Isolation("elsewhere", ("a container", "Landlock", "seccomp", "limits"))

    def __init__(self, container: str) -> None:
        self._container = container

    def launch(self, limits: Limits) -> KernelProcess:
        # Each kernel begins with an empty folder, as elsewhere: all share the container's, which an attempt may fill.
        boot = ["sh", "-c", 'rm -rf /var/tmp/*; exec 3<&0 4>&1; exec python3 "$@" 3 4 "$OWNER"', "sh", *PYTHON]
        command = ["docker", "exec", "-i", "-e", f"OWNER={os.getpid()}", "-w", "/var/tmp", self._container, *boot]
        requests, replies = os.pipe(), os.pipe()
        process = subprocess.Popen(command, stdin=requests[0], stdout=replies[1], stderr=subprocess.PIPE)
        os.close(requests[0])
        os.close(replies[1])
        os.write(requests[1], b"%d\n%s" % (len(kernel_source()), kernel_source()))
        running = ContainersProcess(process, requests[1], replies[0])
        running.container = self._container
        return running

    def confinement(self, hello: Handshake, limits: Limits) -> dict[str, Any]:
        return confinement(hello, KernelEnvironment("/var/tmp", scratch=True, readable=["/"], contained=True), limits)


# They find the container's own processes, files and devices, where the list of escapes expects none. Nothing of the
# bait is seen or changed by them, and the devices are the container's: its /dev is a file system of its own.
OF_THE_CONTAINER = {"proc-memory", "system-files", "write-outside", "shared-metadata"}


@pytest.mark.parametrize("name", ESCAPES)
def test_an_escape_reaches_nothing_outside_the_container(container: str, name: str) -> None:
    verdict = try_escape(InContainer(container), ESCAPES[name])
    if name in OF_THE_CONTAINER:
        assert all(why.startswith(("ESCAPED", "nothing shows")) for why in verdict.why), verdict
        assert verdict.escaped, "it is stopped now: take it off the list"
    else:
        assert not verdict.why, verdict


def test_a_container_that_is_killed_ends_the_turn(container: str) -> None:
    def killing(tool: str, arguments: Mapping[str, Any]) -> Outcome:
        docker("kill", container)
        return answer(tool, arguments)

    with Kernel(InContainer(container), PATIENT) as kernel:
        kernel.start([RATE], killing)
        turn = kernel.run("rate('EUR')\nwhile True: pass")
        assert (turn.how, turn.alive) == ("died", False)
    compose("up", "-d", "--wait")


# Inspect asks for Docker 24.0.6, and Debian 12 has 20.10: its look at the version is left out, and nothing else.
ANY_VERSION = """
import sys
from inspect_ai.util._sandbox.docker import prereqs
from sealegs.cli import main
async def any_version(version=""):
    pass
prereqs.validate_docker_engine = any_version
sys.exit(main())
"""
PLAY = ["-c", ANY_VERSION, "run", "highwater", "--agent", "planner", "--limit", "2", "--sandbox", "docker"]


def remove_others(before: set[str]) -> None:
    """Remove all containers but these, also those that the daemon still makes for a command that is gone."""
    deadline = time.monotonic() + 120
    last, since = set[str](), time.monotonic()
    while time.monotonic() - since < QUIET:
        others = set(docker("ps", "-aq").split()) - before
        if others != last:
            last, since = others, time.monotonic()
        if others:
            docker("rm", "-f", *others, check=False)  # one that is being removed already is refused
        assert time.monotonic() < deadline, f"they stay: {others}"
        time.sleep(0.2)
    assert not last


def scores(folder: Path) -> list[Any]:
    report = [sys.executable, "-m", "sealegs", "report", str(folder), "--json", "-"]
    done = subprocess.run(report, capture_output=True, text=True, check=True)
    return [row for row in json.loads(done.stdout)["rows"] if "second" not in row["metric"]]


def test_a_run_that_is_killed_resumes_to_the_same_result(container: str, tmp_path: Path) -> None:
    """The command is killed with its children once its first container is up."""
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    subprocess.run([sys.executable, *PLAY, "--out", str(whole)], check=True, timeout=600)
    before = set(docker("ps", "-q").split())
    process = subprocess.Popen([sys.executable, *PLAY, "--out", str(cut)], start_new_session=True)
    while process.poll() is None and not set(docker("ps", "-q").split()) - before:
        pass
    assert process.poll() is None, "it ended before it could be killed"
    os.killpg(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    remove_others(before)
    subprocess.run([sys.executable, *PLAY, "--out", str(cut)], check=True, timeout=600)
    assert scores(cut) == scores(whole)
    assert set(docker("ps", "-q").split()) == before


def test_inspects_own_command_takes_it(container: str, tmp_path: Path) -> None:
    entry = ANY_VERSION.replace("from sealegs.cli import main", "from inspect_ai._cli.main import main")
    options = ["-T", "sandbox=docker", "-T", "limit=1", "--log-dir", str(tmp_path), "--display", "plain"]
    command = [sys.executable, "-c", entry, "eval", "sealegs/highwater", "--model", "sealegs/oracle", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    found = read_highwater_run(tmp_path)
    assert len(found.records) == 2
    assert all(result.verdict.right for result in found.results())
