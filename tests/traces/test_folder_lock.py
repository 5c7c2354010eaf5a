"""A folder is held by one process at a time, and what was made for the lock alone does not stay."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sealegs.faults.user_error import UserError
from sealegs.traces.folder_lock import FolderLock, locks_folder

HOLDER = """
import sys
from pathlib import Path
from sealegs.traces.folder_lock import FolderLock
with FolderLock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def another_process_in(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Have another process hold the folder."""
    command = [sys.executable, "-c", HOLDER, str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "held\n"
            yield process
        finally:
            process.kill()


def test_a_second_process_is_refused_until_the_first_is_killed(tmp_path: Path) -> None:
    with another_process_in(tmp_path) as other:
        with pytest.raises(UserError, match=r"another process is writing to .*; wait for it, or name another folder"):
            FolderLock(tmp_path)
        other.kill()
        other.wait()
        FolderLock(tmp_path).close()


def test_a_second_process_may_wait(tmp_path: Path) -> None:
    with another_process_in(tmp_path) as other:
        threading.Timer(0.1, other.kill).start()
        FolderLock(tmp_path, wait=True).close()


def test_the_holder_takes_its_folder_again_and_another_thread_does_not(tmp_path: Path) -> None:
    refused: list[UserError] = []

    def take() -> None:
        try:
            FolderLock(tmp_path)
        except UserError as error:
            refused.append(error)

    with FolderLock(tmp_path):
        with FolderLock(tmp_path):
            pass
        thread = threading.Thread(target=take)
        thread.start()
        thread.join()
        assert len(refused) == 1, "an inner holder that lets go takes nothing from the outer one"
    take()
    assert len(refused) == 1


def test_a_folder_that_was_made_for_nothing_is_removed(tmp_path: Path) -> None:
    with FolderLock(tmp_path / "one" / "two"):
        pass
    assert not list(tmp_path.iterdir())
    with FolderLock(tmp_path / "one" / "two"):
        (tmp_path / "one" / "two" / "file").touch()
    assert (tmp_path / "one" / "two" / "file").exists()
    (tmp_path / "empty").mkdir()
    with FolderLock(tmp_path / "empty"):
        pass
    assert (tmp_path / "empty").is_dir()


def test_a_function_holds_the_folder_that_its_parameter_names(tmp_path: Path) -> None:
    @locks_folder("out")
    def work(text: str, out: Path) -> str:
        (out / "file").write_text(text)
        return text

    assert work("a", tmp_path) == "a"
    with another_process_in(tmp_path), pytest.raises(UserError, match="another process"):
        work("b", out=tmp_path)
    assert (tmp_path / "file").read_text() == "a"
