"""Compressing a run loses nothing: stopped at any moment, its records are there, and the same command finishes."""

from __future__ import annotations

import errno
import gzip
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sealegs.engines import compressing
from sealegs.engines.compressing import CompressedRun, compress_runs
from sealegs.faults.user_error import UserError
from sealegs.traces import Store, atomic_files, record_files
from sealegs.traces.compressed_blocks import UNPACKED
from sealegs.traces.folder_lock import FolderLock
from sealegs.traces.record_chain import chain_file
from sealegs.traces.record_files import compressed_form, open_compressed
from tests.traces.writing import episode

RECORDS = "episodes.jsonl"
KILLING = """
import os, sys
from pathlib import Path
from sealegs.engines import compressing
from sealegs.traces import atomic_files

folder, place, name, calls = Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
owner = {"atomic_files": atomic_files, "compressing": compressing, "Path": Path}[place]
made, left = getattr(owner, name), [calls]

def counted(*given, **named):
    left[0] -= 1
    if not left[0]:
        os._exit(9)
    return made(*given, **named)

setattr(owner, name, counted)
list(compressing.compress_runs([folder]))
"""
STEPS = [  # where it is killed: at this call of a function
    ("atomic_files", "_own_file", 1),
    ("atomic_files", "write_all", 1),
    ("atomic_files", "write_all", 4),
    ("atomic_files", "sync_file", 1),
    ("Path", "replace", 1),
    ("atomic_files", "_sync_folder", 1),
    ("compressing", "open_compressed", 1),
    ("Path", "unlink", 1),
    ("Path", "unlink", 2),
]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of some hundred episodes, of several blocks."""
    folder = tmp_path_factory.mktemp("played") / "run"
    store = Store(folder / RECORDS)
    for number in range(60):
        store.append(episode(f"e-{number}"))
    store.close()
    assert (folder / RECORDS).stat().st_size > 5 * UNPACKED
    return folder


@pytest.fixture
def folder(played: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(played, tmp_path / "run"))


@pytest.fixture
def data(played: Path) -> bytes:
    return (played / RECORDS).read_bytes()


def compress(folder: Path) -> CompressedRun:
    (one,) = compress_runs([folder])
    return one


def unpacked(folder: Path) -> bytes:
    with open_compressed(compressed_form(folder / RECORDS)) as file:
        return file.read()


def names(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()}


COMPRESSED = {record_files.COMPRESSED, f"{RECORDS}.chain"}
PLAIN = {RECORDS, f"{RECORDS}.chain"}


def test_the_compressed_form_takes_the_place_of_the_plain_one(folder: Path, data: bytes) -> None:
    chain = chain_file(folder / RECORDS).read_bytes()
    found = compress(folder)
    assert names(folder) == COMPRESSED
    assert unpacked(folder) == data
    assert chain_file(folder / RECORDS).read_bytes() == chain
    assert (found.before, found.already) == (len(data), False)
    assert found.after == found.file.stat().st_size < len(data) / 10
    assert found.file.stat().st_mode & 0o777 == 0o600 or os.name == "nt"
    before = found.file.read_bytes(), found.file.stat().st_mtime_ns
    assert compress(folder) == found._replace(already=True)
    assert (found.file.read_bytes(), found.file.stat().st_mtime_ns) == before


@pytest.mark.parametrize(("place", "name", "calls"), STEPS)
def test_killed_at_any_step_the_plain_file_is_whole_and_the_same_command_ends_it(
    folder: Path, data: bytes, place: str, name: str, calls: int
) -> None:
    killed = subprocess.run(
        [sys.executable, "-c", KILLING, str(folder), place, name, str(calls)], capture_output=True, check=False
    )
    assert killed.returncode == 9, killed.stderr
    assert (folder / RECORDS).read_bytes() == data
    compress(folder)
    assert names(folder) == COMPRESSED
    assert unpacked(folder) == data


def test_killed_after_all_of_it_the_work_is_done(folder: Path, data: bytes) -> None:
    command = [sys.executable, "-c", KILLING, str(folder), "Path", "unlink", "3"]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    assert names(folder) == COMPRESSED
    assert unpacked(folder) == data


def failing(error: BaseException, after: int, call: Callable[..., Any]) -> Callable[..., Any]:
    """A function that raises this error at its next call but so many."""
    left = [after]

    def failing_call(*given: Any, **named: Any) -> Any:
        left[0] -= 1
        if left[0] < 0:
            raise error
        return call(*given, **named)

    return failing_call


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize(("name", "after"), [("write_all", 2), ("sync_file", 0)])
def test_a_full_disk_and_ctrl_c_leave_the_folder_as_it_was(
    folder: Path, data: bytes, monkeypatch: pytest.MonkeyPatch, error: BaseException, name: str, after: int
) -> None:
    monkeypatch.setattr(atomic_files, name, failing(error, after, getattr(atomic_files, name)))
    expected = KeyboardInterrupt if isinstance(error, KeyboardInterrupt) else UserError
    with pytest.raises(expected, match="No space left on device; make room" if expected is UserError else None):
        compress(folder)
    assert names(folder) == PLAIN
    assert (folder / RECORDS).read_bytes() == data


def test_what_reads_back_otherwise_replaces_nothing(folder: Path, data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    packed_blocks = compressing.packed_blocks
    monkeypatch.setattr(compressing, "packed_blocks", lambda file: [*packed_blocks(file)][1:])
    with pytest.raises(UserError, match="does not hold what was written to it; check the disk"):
        compress(folder)
    assert (folder / RECORDS).read_bytes() == data
    assert names(folder) == PLAIN
    monkeypatch.undo()
    compress(folder)
    assert unpacked(folder) == data


def test_a_compressed_form_that_is_behind_is_written_anew(folder: Path, data: bytes) -> None:
    """After `gunzip -k`, more episodes came to the plain file."""
    compress(folder)
    (folder / RECORDS).write_bytes(data + data[:1_000])
    compress(folder)
    assert unpacked(folder) == data + data[:1_000]


def damaged(packed: bytes) -> bytes:
    return packed[:60] + bytes([packed[60] ^ 1]) + packed[61:]


@pytest.mark.parametrize("other", [damaged, lambda packed: packed[:-50], lambda packed: gzip.compress(b"precious")])
@pytest.mark.parametrize("left", [100_000, 1 << 30])
def test_a_compressed_form_that_cannot_be_read_is_kept(
    folder: Path, data: bytes, other: Callable[[bytes], bytes], left: int
) -> None:
    """An ordinary gzip file, or one with a bad block; the plain file may be all that a killed `gunzip` wrote."""
    packed = compress(folder).file
    packed.write_bytes(kept := other(packed.read_bytes()))
    (folder / RECORDS).write_bytes(data[:left])
    with pytest.raises(UserError, match=r"may hold more than episodes\.jsonl does, so nothing replaces it"):
        compress(folder)
    assert packed.read_bytes() == kept
    assert (folder / RECORDS).read_bytes() == data[:left]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644])
def test_whoever_could_read_the_records_still_can(folder: Path, mode: int) -> None:
    (folder / RECORDS).chmod(mode)
    assert compress(folder).file.stat().st_mode & 0o777 == mode


@pytest.mark.parametrize("name", ["episodes.jsonl", "episodes.jsonl.gz"])
@pytest.mark.parametrize("kind", ["folder", "pipe", "link", "link to nothing"])
def test_what_is_no_file_of_records_is_refused(folder: Path, data: bytes, name: str, kind: str) -> None:
    strange, elsewhere = folder / name, folder / "elsewhere"
    strange.unlink(missing_ok=True)
    if kind == "folder":
        strange.mkdir()
    elif kind == "pipe":
        os.mkfifo(strange)
    else:
        if kind == "link":
            elsewhere.write_bytes(data)
        strange.symlink_to(elsewhere)
    with pytest.raises(UserError, match=r"is a link, or no file at all|holds no episodes\.jsonl"):
        compress(folder)
    assert not elsewhere.exists() or elsewhere.read_bytes() == data


@pytest.mark.parametrize("left", [lambda data: data[:100_000], lambda data: b"{}\n" + data, lambda data: b""])
def test_a_compressed_form_that_holds_more_is_kept(folder: Path, data: bytes, left: Callable[[bytes], bytes]) -> None:
    """`gunzip` was killed: the plain file is only the beginning."""
    compress(folder)
    (folder / RECORDS).write_bytes(left(data))
    with pytest.raises(
        UserError, match=r"episodes\.jsonl\.gz holds what .* does not; delete the one that is not whole"
    ):
        compress(folder)
    assert unpacked(folder) == data
    (folder / RECORDS).unlink()
    assert compress(folder).already


def test_a_damaged_compressed_form_alone_is_not_called_compressed(folder: Path) -> None:
    packed = compress(folder).file
    packed.write_bytes(packed.read_bytes()[:-50])
    with pytest.raises(UserError, match="breaks off"):
        compress(folder)


def test_a_file_that_is_being_written_is_left_alone(folder: Path, data: bytes) -> None:
    store = Store(folder / RECORDS)
    with pytest.raises(UserError, match="another process is writing to it; wait for it, or compress it later"):
        compress(folder)
    store.close()
    holder = [sys.executable, "-c", "import sys; from pathlib import Path; from sealegs.traces.folder_lock import *;"]
    holder[-1] += "lock = FolderLock(Path(sys.argv[1])); print('held', flush=True); sys.stdin.read()"
    with subprocess.Popen([*holder, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        with pytest.raises(UserError, match=r"another process is writing to .*; wait for it, or compress it later"):
            compress(folder)
        process.communicate()
    assert names(folder) == PLAIN
    with FolderLock(folder):  # held by this one alone
        compress(folder)
    assert unpacked(folder) == data


def test_all_folders_are_looked_at_before_anything_is_written(folder: Path, tmp_path: Path) -> None:
    unsealed = Path(shutil.copytree(folder, tmp_path / "unsealed"))
    chain = chain_file(unsealed / RECORDS)
    chain.write_bytes(b"".join(chain.read_bytes().splitlines(keepends=True)[:-1]))
    (tmp_path / "empty").mkdir()
    for other, why in (
        (unsealed, "is not sealed: a run still writes it, or was killed; let it end, or give its command again"),
        (tmp_path / "empty", r"empty holds no episodes\.jsonl; name the folder of a finished run"),
        (tmp_path / "nowhere", "nowhere is not a folder"),
        (folder / RECORDS, "is not a folder"),
    ):
        with pytest.raises(UserError, match=why):
            list(compress_runs([folder, other]))
        assert names(folder) == PLAIN
    assert not (tmp_path / "nowhere").exists()


def test_an_empty_file_and_one_without_a_last_line_end_are_compressed(tmp_path: Path) -> None:
    for text in (b"", b"{}", b"x" * UNPACKED):
        (tmp_path / RECORDS).write_bytes(text)
        compress(tmp_path)
        assert unpacked(tmp_path) == text
        compressed_form(tmp_path / RECORDS).unlink()
