"""A kernel behind a door that only runs commands: the same turns as in our own sandbox, and nothing left behind."""

import asyncio
import os
import shutil
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest

from sealegs.faults import ToolSpec
from sealegs.faults.call import Failure, Outcome, Value
from sealegs.sandbox import (
    CodeTurn,
    CommandResult,
    Kernel,
    KernelEnded,
    Limits,
    RemoteKernel,
    StartFailed,
    remote_kernel,
)
from tests.sandbox.places import place

T = TypeVar("T")
RATE = ToolSpec("rate", "The rate.", {"properties": {"base": {"type": "string"}, "quote": {}}, "required": ["base"]})
LONG = ToolSpec("long", "Much text.", {"properties": {"size": {"type": "integer"}}, "required": ["size"]})
TRANSCRIPT = (
    "6 * 7",
    "x = [n * n for n in range(5)]",
    "print(x); sum(x)",
    "y = rate('EUR', quote='NOK')\ny['pair']",
    "[rate(base=b)['pair'] for b in ('A', 'B', 'C')]",
    "def f(n):\n    return 1 / n\nf(0)",
    "try:\n    rate('XXX')\nexcept LookupError as e:\n    print(type(e).__name__, e)",
    "rate()",
    "rate('XXX')",
    "rate({1})",
    "len(long(300_000))",
    "long(3_000_000)",
    "if",
    "import sys\n_ = sys.stderr.write('warned')",
    "print('å', '\\u20ac', 'a\\0b')",
    "print('x' * 100_000)",
    "list({'b', 'a', 'c'}), dict(__import__('os').environ).get('PATH')",
    "__import__('socket').socket()",
    "__import__('os').fork()",
    "__import__('os').kill(2, 0)",
    "open('/etc/hostname', 'w')",
    "open('note', 'w').write('abc'); open('note').read()",
    "import math, json, re, datetime, statistics, sqlite3, decimal, zoneinfo, itertools, csv, random, asyncio",
    "raise SystemExit(3)",
    "x",
    "__import__('os')._exit(7)",
)


def answer(tool: str, arguments: Mapping[str, Any]) -> Outcome:
    if tool == "long":
        return Value("y" * arguments["size"])
    if arguments["base"] == "XXX":
        return Failure("no currency XXX", type="LookupError")
    return Value({"pair": arguments["base"] + arguments.get("quote", "USD")})


def here(folder: Path, path: str | None = None) -> remote_kernel.Run:
    """Commands that run on this machine in a folder."""

    async def run(command: Sequence[str], given: bytes, variables: Mapping[str, str], seconds: float) -> CommandResult:
        path_ = os.environ["PATH"] if path is None else path
        pipe = asyncio.subprocess.PIPE
        program = shutil.which(command[0], path=path_)
        if program is None:
            return CommandResult(127, "", f"{command[0]}: not found")
        process = await asyncio.create_subprocess_exec(
            program, *command[1:], stdin=pipe, stdout=pipe, stderr=pipe, cwd=folder, env={**variables, "PATH": path_}
        )
        try:
            output, error = await asyncio.wait_for(process.communicate(given), seconds)
        except TimeoutError:
            process.kill()
            await process.wait()
            return CommandResult(None, "")
        return CommandResult(process.returncode, output.decode(), error.decode())

    return run


def with_kernel(use: Callable[[RemoteKernel], Awaitable[T]], limits: Limits | None = None) -> T:
    """What comes of using a kernel that lives in a folder; then nothing of it is left."""

    async def main(folder: Path) -> T:
        kernel = await RemoteKernel(here(folder), limits).start_async([RATE, LONG], answer)
        try:
            return await use(kernel)
        finally:
            await kernel.close_async()

    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(main(Path(folder)))
        assert not [*Path(folder).iterdir()]
        assert not living(folder)
    return found


def living(folder: str | Path) -> list[int]:
    """Processes whose working folder, or whose command, is in this folder."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and str(folder) in str((entry / "cwd").readlink()):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def compared_parts(turn: CodeTurn) -> tuple[Any, ...]:
    return turn.output, turn.error, turn.how, turn.calls, turn.alive


def test_the_turns_are_those_of_our_own_sandbox() -> None:
    async def play(kernel: RemoteKernel) -> list[CodeTurn]:
        return [await kernel.run_async(code) for code in TRANSCRIPT]

    theirs = with_kernel(play)
    with Kernel(place("bubblewrap")) as kernel:
        kernel.start([RATE, LONG], answer)
        ours = [kernel.run(code) for code in TRANSCRIPT]
    for code, one, other in zip(TRANSCRIPT, ours, theirs, strict=True):
        if "hostname" in code:  # one has no such file, the other may not write it
            assert (one.how, other.how) == ("raised", "raised")
            assert "PermissionError" in (other.error or "")
        else:
            assert compared_parts(one) == compared_parts(other), code
    assert [len(turn.calls) for turn in theirs].count(1) == 5
    assert not theirs[-1].alive


def test_turns_have_an_end() -> None:
    async def play(kernel: RemoteKernel) -> list[CodeTurn]:
        turns = [await kernel.run_async(code) for code in ("x = 5", "while True: pass", "x", "rate('EUR')")]
        stubborn = "import signal\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\nwhile True: pass"
        turns.append(await kernel.run_async(stubborn))
        with pytest.raises(KernelEnded):
            await kernel.run_async("x")
        return turns

    turns = with_kernel(play, Limits(seconds=1, grace=4))
    assert [(turn.how, turn.alive) for turn in turns[:4]] == [
        ("finished", True),
        ("timeout", True),
        ("finished", True),
        ("finished", True),
    ]
    assert turns[2].output == "5\n"
    assert (turns[4].how, turns[4].alive) == ("timeout", False)


def test_the_way_of_a_message_is_not_the_turns_time() -> None:
    """Forty calls take longer than a turn may, and little of it is the code's."""

    async def play(kernel: RemoteKernel) -> tuple[CodeTurn, float]:
        began = time.monotonic()
        turn = await kernel.run_async("for n in range(40): rate(str(n))")
        return turn, time.monotonic() - began

    turn, wall = with_kernel(play, Limits(seconds=1, grace=0.3))
    assert (turn.how, len(turn.calls)) == ("finished", 40)
    assert turn.seconds < wall


FORGE = """
import os
for descriptor in range(3, 4096):
    try:
        os.write(descriptor, {line!r})
    except OSError:
        pass
"""


@pytest.mark.parametrize(
    "line",
    [
        b'{"done": 1, "how": "finished", "output": "forged", "error": null}\n',
        b'{"call": 1, "tool": "nosuch", "arguments": {}}\n',
        b"\xff\xfe\n",
        b"[" * 100_000 + b"\n",
    ],
)
def test_what_code_forges_is_believed_no_more_than_through_a_pipe(line: bytes) -> None:
    async def play(kernel: RemoteKernel) -> list[CodeTurn]:
        turns = [await kernel.run_async(FORGE.format(line=line))]
        if turns[0].alive:
            turns.append(await kernel.run_async("rate('EUR')"))
        return turns

    turns = with_kernel(play)
    assert turns[-1].how == "violated"
    assert [turn.calls for turn in turns] == [()] * len(turns)


def test_a_place_that_lies() -> None:
    """Whatever commands say, a turn ends."""

    async def main(output: str) -> CodeTurn:
        with tempfile.TemporaryDirectory() as folder:
            honest = here(Path(folder))
            lying = False

            async def run(
                command: Sequence[str], given: bytes, variables: Mapping[str, str], seconds: float
            ) -> CommandResult:
                if lying and "exchange" in command:
                    return CommandResult(0, output)
                return await honest(command, given, variables, seconds)

            kernel = await RemoteKernel(run).start_async([RATE], answer)
            lying = True
            turn = await kernel.run_async("1")
            await kernel.close_async()
            return turn

    lies = {"": "died", "+%%%": "died", "+eHgK": "violated", ".": "timeout", "?": "died", "-it is well": "died"}
    for output, how in lies.items():
        turn = asyncio.run(main(output))
        assert (turn.how, turn.alive) == (how, False), output


def test_a_place_without_python_says_so(tmp_path: Path) -> None:
    with pytest.raises(StartFailed, match=r"no python3 that works.*not found"):
        asyncio.run(RemoteKernel(here(tmp_path, path="/nowhere")).start_async())
    old = tmp_path / "python3"
    old.write_text(
        '#!/bin/sh\ncat > /dev/null\n[ "$8" = keep ] || exit 0\necho \'{"folder": "x", "python": [3, 8]}\'\n'
    )
    old.chmod(0o755)
    with pytest.raises(StartFailed, match=r"Python 3\.8; it takes 3\.11 or later"):
        asyncio.run(RemoteKernel(here(tmp_path, path=f"{tmp_path}:/usr/bin:/bin")).start_async())


def test_a_kernel_ends_when_its_place_is_cleared_away(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    source = remote_kernel._relay().replace("LOOK = 30", "LOOK = 0.2")
    monkeypatch.setattr(remote_kernel, "_relay", lambda: source)
    asyncio.run(RemoteKernel(here(tmp_path)).start_async())
    assert living(tmp_path)
    shutil.rmtree(next(tmp_path.glob(".sealegs-*")))
    until = time.monotonic() + 60
    while living(tmp_path) and time.monotonic() < until:
        time.sleep(0.05)
    assert not living(tmp_path)
