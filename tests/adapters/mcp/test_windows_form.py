"""The relay's form for Windows, run here: pipes by threads, signals by Python's own handlers, a server in a group.

What is the system's own is replaced by what comes nearest here: no group, and Ctrl-Break is a hangup.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sealegs.adapters.mcp import server_process
from sealegs.faults.user_error import UserError
from tests.adapters.mcp import piping
from tests.adapters.mcp.piping import cancel, piped, text_of, waited_for

FORCED = """
import asyncio
import signal
from sealegs.adapters.mcp import pipe_relay, server_process
pipe_relay.WINDOWS = True
server_process.GROUP = 0
def refused(*args, **kwargs):
    raise NotImplementedError  # as the loop of Windows has it
asyncio.BaseEventLoop.add_signal_handler = refused
for name in ("connect_read_pipe", "connect_write_pipe"):
    setattr(asyncio.BaseEventLoop, name, refused)
asyncio.unix_events._UnixSelectorEventLoop.add_signal_handler = refused
forever = asyncio.BaseEventLoop.run_forever
def run_forever(loop):
    signal.set_wakeup_fd(loop._csock.fileno())  # as the loop of Windows does: a signal just before it waits wakes it
    forever(loop)
asyncio.BaseEventLoop.run_forever = run_forever
from sealegs.cli import main
main()
"""
RULES: list[dict[str, Any]] = [
    {"match": {"argument": {"name": "way", "equals": way}}, "fault": fault}
    for way, fault in {
        "error": {"kind": "error", "status": 503},
        "hang": {"kind": "hang"},
        "reset": {"kind": "connection", "mode": "reset"},
    }.items()
]


@pytest.fixture(autouse=True)
def forced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(piping, "SEALEGS", [sys.executable, "-c", FORCED, "proxy"])


def test_calls_pass_faults_arrive_and_the_client_may_leave(tmp_path: Path) -> None:
    with piped(tmp_path, RULES) as pipes:
        assert json.loads(text_of(pipes.answer(1, "echo", a=1))) == {"a": 1}
        assert "503" in text_of(pipes.answer(2, "echo", way="error"))
        pipes.call(3, "echo", way="hang")
        pipes.write(cancel(3))
        big = "x" * 3_000_000  # more than any buffer on the way
        assert json.loads(text_of(pipes.answer(4, "echo", a=big))) == {"a": big}
        assert pipes.end() == 0


@pytest.mark.parametrize("way", ["the server ends", "a fault cuts", "SIGTERM", "SIGINT"])
def test_every_end(tmp_path: Path, way: str) -> None:
    with piped(tmp_path, RULES) as pipes:
        assert pipes.answer(1, "echo", a=1)
        match way:
            case "the server ends":
                pipes.call(2, "exit", code=7)
                assert pipes.process.wait(60) == 7
            case "a fault cuts":
                pipes.call(2, "echo", way="reset")
                assert pipes.process.wait(60) == 1
            case "SIGTERM":
                pipes.process.send_signal(signal.SIGTERM)
                assert pipes.process.wait(60) == 128 + signal.SIGHUP  # what stands for Ctrl-Break here
            case _:
                pipes.process.send_signal(signal.SIGINT)
                assert pipes.process.wait(60) == 130


def test_a_client_that_does_not_read_holds_the_server_back(tmp_path: Path) -> None:
    """What nobody reads is not gathered without end: the relay stops to read the server's answers."""
    with piped(tmp_path, None, reading=False) as pipes:
        for id in range(40):
            pipes.call(id, "echo", a="x" * 100_000)
        pages = Path(f"/proc/{pipes.process.pid}/statm")
        if pages.exists():
            assert int(pages.read_text("utf-8").split()[1]) * os.sysconf("SC_PAGE_SIZE") < 400_000_000
        pipes.read()
        seen = {pipes.message()["id"] for _ in range(40)}
        assert seen == set(range(40))
        assert pipes.end() == 0


def test_files_will_do_as_the_clients_ends(tmp_path: Path) -> None:
    requests = tmp_path / "requests"
    # The server answers a ping before it reads on; a call's thread would race with the end of the file.
    requests.write_bytes(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode() + b"\n")
    with requests.open("rb") as reading, (tmp_path / "answers").open("wb") as writing:
        command = [*piping.SEALEGS, "--", *piping.RAW, str(tmp_path / "got")]
        assert subprocess.run(command, stdin=reading, stdout=writing, timeout=60).returncode == 0
    assert json.loads((tmp_path / "answers").read_bytes())["id"] == 1


class StandIn:
    """A process as far as it is asked to end."""

    def __init__(self, console: bool) -> None:
        self.console = console
        self.got: list[str] = []

    def poll(self) -> int | None:
        return None

    def send_signal(self, number: int) -> None:
        if not self.console:
            raise OSError(6, "The handle is invalid")
        self.got.append(f"signal {number}")

    def terminate(self) -> None:
        self.got.append("terminated")


@pytest.mark.parametrize(("console", "got"), [(True, "signal 1"), (False, "terminated")])
def test_ctrl_break_asks_a_server_to_end_where_there_is_a_console(console: bool, got: str) -> None:
    server: Any = StandIn(console)
    server_process.ask_to_end(server, windows=True)
    assert server.got == [got]


def test_a_batch_file_is_found_by_its_whole_name(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Any] = []

    def popen(words: list[str], **given: Any) -> None:
        started.append((words, given["creationflags"]))

    monkeypatch.setattr(shutil, "which", lambda name: f"C:\\node\\{name}.cmd")
    monkeypatch.setattr(server_process.subprocess, "Popen", popen)
    server_process.start_server_process(["npx", "-y", "shop"], windows=True)
    assert started == [(["C:\\node\\npx.cmd", "-y", "shop"], 0x200)]


def test_a_server_that_cannot_be_started_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_process, "GROUP", 0)
    with pytest.raises(UserError, match="cannot start 'no-such-program'"):
        server_process.start_server_process(["no-such-program"], windows=True)


def test_the_server_gets_what_the_client_wrote_last(tmp_path: Path) -> None:
    with piped(tmp_path, None) as pipes:
        pipes.write(b'{"jsonrpc":"2.0","method":"notifications/last"}\n')
        assert pipes.end() == 0
        assert waited_for(lambda: b"notifications/last" in pipes.got())
