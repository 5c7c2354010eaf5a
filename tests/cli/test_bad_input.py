"""What every command owes a user who gives it something wrong: one message, exit code 2, nothing left behind."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sealegs.cli import MOST, main
from sealegs.faults.user_error import UserError
from sealegs.traces.atomic_files import make_folder, write_atomically
from tests import needs


def told(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *arguments: str) -> str:
    """The message of a command that must fail."""
    monkeypatch.setattr(sys, "argv", ["sealegs", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    message = capfd.readouterr().err
    assert end.value.code == 2, message
    assert "Traceback" not in message
    return message


FOLDERS = [
    ("run maze --agent oracle --limit 1 --out", "--out"),
    ("run highwater --agent oracle --limit 1 --interface calls --out", "--out"),
    ("run paladin --agent paladin/follower --limit 1 --out", "--out"),
    ("maze generate -n 1 --jobs 1 --out", "--out"),
    ("campaign run transient --out", "--out"),
]


@pytest.mark.parametrize(("command", "option"), FOLDERS)
@pytest.mark.parametrize("place", ["taken", "taken/below"])
def test_a_file_in_the_place_of_a_folder_is_told(
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    command: str,
    option: str,
    place: str,
) -> None:
    if command.startswith("campaign"):
        pytest.importorskip("langchain", reason=needs.module("langchain"))
    monkeypatch.chdir(tmp_path)
    Path("taken").write_text("mine", encoding="utf-8")
    message = told(capfd, monkeypatch, *command.split(), place)
    assert f"cannot make the folder {place}" in message
    assert f"with {option}" in message
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]
    assert Path("taken").read_text(encoding="utf-8") == "mine"


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(UserError, match=r"cannot write .*folder: Is a directory; name another file"):
        write_atomically(tmp_path / "folder", "text")
    assert [path.name for path in tmp_path.rglob("*")] == ["folder"]
    write_atomically(tmp_path / "new" / "file", b"\xff")
    assert (tmp_path / "new" / "file").read_bytes() == b"\xff"
    with pytest.raises(UserError, match="a file of this name stands there; name another"):
        make_folder(tmp_path / "new" / "file", "name another")


def test_an_unknown_domain_is_told(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert "unknown domain 'ships': choose from " in told(capfd, monkeypatch, "world", "list", "ships")


def test_a_suite_s_own_agents_are_named(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "--agent paladin/follower" in told(capfd, monkeypatch, "run", "paladin")
    assert "--agent paladin/follower" in told(capfd, monkeypatch, "grade", "traces", "missing")
    assert "--agent planner" in told(capfd, monkeypatch, "run", "maze")


def test_of_very_many_mistakes_the_first_are_told(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "tasks.jsonl").write_text("{}\n" * 500, encoding="utf-8")
    lines = told(capfd, monkeypatch, "maze", "import", str(tmp_path)).splitlines()
    assert len(lines) == MOST + 1
    assert lines[-1] == "... and 1,460 lines more"


def test_a_full_disk_is_told(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def full(domain: str) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("sealegs.world.listing.corpus_lines", lambda corpus, domain: full(domain))
    assert "No space left on device; make room" in told(capfd, monkeypatch, "world", "list")


@pytest.mark.parametrize("pipe", ["input", "output"])
def test_the_proxy_wants_pipes(tmp_path: Path, pipe: str) -> None:
    (tmp_path / "file").write_text("{}\n", encoding="utf-8")
    with (tmp_path / "file").open("r+") as file:
        ends = (
            {"stdin": file, "stdout": subprocess.PIPE}
            if pipe == "input"
            else {"stdin": subprocess.PIPE, "stdout": file}
        )
        command = [sys.executable, "-m", "sealegs.cli", "proxy", "--", "cat"]
        run = subprocess.run(command, **ends, stderr=subprocess.PIPE, text=True, check=False, timeout=1800)  # type: ignore[call-overload]
    assert run.returncode == 2
    assert f"standard {pipe} is no pipe" in run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize("command", ["plan schema", "world list"])
def test_a_reader_that_goes_ends_the_command_quietly(command: str) -> None:
    whole = [sys.executable, "-m", "sealegs.cli", *command.split()]
    with subprocess.Popen(whole, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(1)
        process.stdout.close()
        assert process.stderr.read() == b""
