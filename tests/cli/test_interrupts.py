"""Ctrl-C: each verb says a sentence and ends with 130 (a server with 0), without a traceback, and loses nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from sealegs.cli import main
from tests import needs
from tests.cli.warm import warm_command

SEALEGS = [sys.executable, "-m", "sealegs"]
# Interrupts the hunt itself, in the third run of the next search: by then a failure is found.
AGENT = """
import os, signal
from sealegs import tool
struck = 0
@tool
def ask(): return 1
@tool
def tell(): return 1
def run():
    global struck
    try: ask()
    except Exception:
        struck += 1
        if struck == 12: os.kill(os.getpid(), signal.SIGINT)
        raise
    try: tell()
    except Exception: pass
"""


def test_a_hunt_keeps_what_it_found(tmp_path: Path) -> None:
    pytest.importorskip("hypothesis", reason=needs.module("hypothesis"))
    (tmp_path / "agent.py").write_text(AGENT, encoding="utf-8")
    line = ["hunt", "agent:run", "--kinds", "error", "--out", "here", "--json", "found.json"]
    with warm_command() as sealegs:
        ended = sealegs(line, tmp_path)
    assert ended.code == 130, ended
    assert "Traceback" not in ended.err
    assert "stopped before the search was over; the 1 failure(s) found so far are in here" in ended.err
    found = json.loads((tmp_path / "found.json").read_text("utf-8"))
    assert (len(found["findings"]), found["interrupted"]) == (1, True)
    assert sorted(path.name for path in (tmp_path / "here").iterdir()) == ["1-ask-error-500.yaml", "test_hunt.py"]


def test_a_hunt_that_found_nothing_yet_says_so(tmp_path: Path) -> None:
    pytest.importorskip("hypothesis", reason=needs.module("hypothesis"))
    (tmp_path / "agent.py").write_text(AGENT.replace("struck == 12", "struck == 1"), encoding="utf-8")
    with warm_command() as sealegs:
        ended = sealegs(["hunt", "agent:run", "--kinds", "error"], tmp_path)
    assert ended.code == 130, ended
    assert "no failure was found so far" in ended.err
    assert [path.name for path in tmp_path.iterdir()] == ["agent.py"]


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("diagnose", "sealegs.recovery.failure_diagnosis.read_source"),
        ("data check set", "sealegs.training.data.data_command.check_data_set"),
        ("sandbox check --weak", "sealegs.sandbox.escapes.try_escapes"),
        ("world list", "sealegs.world.listing.corpus_lines"),
        ("plan check plan.yaml", "sealegs.faults.plan_files.read_plan"),
    ],
)
def test_any_verb_says_a_sentence(
    line: str, place: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*given: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(place, interrupted)
    monkeypatch.setattr(sys, "argv", ["sealegs", *line.split()])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 130
    assert capfd.readouterr().err == "stopped before the end; nothing is half written\n"


def test_an_interrupt_within_a_finalizer_is_not_lost(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    class Finalized:
        def __del__(self) -> None:
            os.kill(os.getpid(), signal.SIGINT)

    def interrupted(*given: Any) -> None:
        Finalized()
        time.sleep(60)

    monkeypatch.setattr("sealegs.world.listing.corpus_lines", interrupted)
    monkeypatch.setattr(sys, "argv", ["sealegs", "world", "list"])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 130
    assert capfd.readouterr().err == "stopped before the end; nothing is half written\n"


@pytest.mark.parametrize("server", ["sys.stdin.read()", "time.sleep(3600)"])  # the second does not look at its input
def test_a_proxy_ends_its_server(server: str, tmp_path: Path) -> None:
    code = f"import sys, time; print('{{}}', flush=True); {server}"
    command = [*SEALEGS, "proxy", "--records", str(tmp_path / "records.jsonl"), "--", sys.executable, "-c", code]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes, start_new_session=True) as process:  # type: ignore[call-overload]
        assert process.stdout.readline() == b"{}\n"
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: the server gets it too
        assert process.wait(60) == 130
        assert process.stderr.read() == b"stopped; the server was ended, and what was to be recorded is written\n"
    assert '"answered"' in (tmp_path / "records.jsonl").read_text("utf-8")


def test_a_proxy_over_http_ends(tmp_path: Path) -> None:
    pytest.importorskip("aiohttp", reason=needs.module("aiohttp"))
    command = [*SEALEGS, "proxy", "--url", "http://127.0.0.1:9/mcp"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith("listening on http://")
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
        assert process.stderr.read() == "stopped; what was to be recorded is written\n"


def test_a_script_s_server_says_how_much_it_answered(tmp_path: Path) -> None:
    (tmp_path / "script.yaml").write_text("turns:\n- say: hi\n", encoding="utf-8")
    command = [*SEALEGS, "serve-script", "script.yaml"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stderr.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
        assert process.stderr.read() == "stopped; 0 request(s) were answered\n"
