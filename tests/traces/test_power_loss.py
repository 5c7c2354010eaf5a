"""What is on the disk, and not only handed to the operating system, at the moments for which that is promised.

No test here cuts the power: the calls to the disk are watched, and what they tell is what a disk promises.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from sealegs.engines.journal import Journal
from sealegs.faults.user_error import UserError
from sealegs.inject import VirtualClock
from sealegs.suites.micro.campaign.folder import TRACES, trace_file
from sealegs.suites.micro.campaign.kept_records import RecordKeeper
from sealegs.suites.micro.isolation import RunEnd
from sealegs.traces import Recorder, Store
from sealegs.traces.atomic_files import write_atomically
from sealegs.traces.chain_check import check_chain
from sealegs.traces.record_chain import chain_file


class Disk:
    """What was written to the disk, in its order: the names of files and folders, and how large each was then.

    Attributes:
        synced: name and size of each; a size of a folder says nothing.
        fails: the error of the next call.
    """

    def __init__(self) -> None:
        self.synced: list[tuple[str, int]] = []
        self.fails: int | None = None

    def fsync(self, descriptor: int) -> None:
        if self.fails is not None:
            raise OSError(self.fails, os.strerror(self.fails))
        path = Path(f"/proc/self/fd/{descriptor}").readlink()
        self.synced.append((path.name, os.fstat(descriptor).st_size if path.is_file() else -1))

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.synced]


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    found = Disk()
    monkeypatch.setattr(os, "fsync", found.fsync)
    return found


def played(store: Store) -> None:
    recorder = Recorder(VirtualClock())
    recorder.start("episode", {})
    recorder.finish("answered", answer="42")
    store.append(recorder.events)


def test_a_file_is_on_the_disk_before_its_name_and_its_name_before_the_return(tmp_path: Path, disk: Disk) -> None:
    write_atomically(tmp_path / "table.json", "{}" * 100)
    assert disk.synced == [(".table.json.aside", 200), (tmp_path.name, -1)]


@pytest.mark.parametrize("error", [errno.EIO, errno.ENOSPC])
def test_a_file_that_does_not_reach_the_disk_is_refused_and_the_old_one_stays(
    tmp_path: Path, disk: Disk, error: int
) -> None:
    write_atomically(tmp_path / "table.json", "old")
    disk.fails = error
    with pytest.raises(UserError, match=f"cannot write .*table.json: {os.strerror(error)}"):
        write_atomically(tmp_path / "table.json", "new")
    assert [(file.name, file.read_text("utf-8")) for file in tmp_path.iterdir()] == [("table.json", "old")]


@pytest.mark.parametrize("error", [errno.EINVAL, errno.ENOTSUP])
def test_a_file_system_that_cannot_say_so_is_taken_as_it_is(tmp_path: Path, disk: Disk, error: int) -> None:
    disk.fails = error
    write_atomically(tmp_path / "table.json", "new")
    assert (tmp_path / "table.json").read_text("utf-8") == "new"


def test_records_are_on_the_disk_before_their_seal_and_that_before_the_store_is_closed(
    tmp_path: Path, disk: Disk
) -> None:
    file = tmp_path / "a.jsonl"
    store = Store(file)
    played(store)
    assert not disk.synced, "a run does not wait for the disk at each episode"
    before = chain_file(file).stat().st_size
    store.close()
    (records, size), (chain, sealed) = disk.synced
    assert (records, size) == ("a.jsonl", file.stat().st_size)
    assert (chain, sealed) == ("a.jsonl.chain", chain_file(file).stat().st_size)
    assert sealed > before


def test_records_that_do_not_reach_the_disk_are_not_sealed(tmp_path: Path, disk: Disk) -> None:
    store = Store(tmp_path / "a.jsonl")
    played(store)
    disk.fails = errno.EIO
    with pytest.raises(OSError, match=os.strerror(errno.EIO)):
        store.close()
    assert check_chain(tmp_path / "a.jsonl").state == "open"
    disk.fails = None
    Store(tmp_path / "a.jsonl").close()  # which another may open by then: it is closed, and so unlocked
    assert check_chain(tmp_path / "a.jsonl").state == "whole"


def test_a_trace_is_on_the_disk_before_its_seal(tmp_path: Path, disk: Disk) -> None:
    trace = trace_file(tmp_path / TRACES, "a1")
    trace.parent.mkdir()
    trace.write_bytes(b"{}\n")
    end, beside = RecordKeeper(tmp_path)(RunEnd("a1", "timeout"))
    assert end == RunEnd("a1", "timeout")
    assert beside["trace"]
    assert disk.names == ["a1.jsonl", ".a1.jsonl.chain.aside", TRACES]
    disk.fails = errno.EIO
    with pytest.raises(UserError, match=f"cannot read {trace}: {os.strerror(errno.EIO)}"):
        RecordKeeper(tmp_path)(RunEnd("a1", "timeout"))


def test_what_a_person_said_is_on_the_disk_at_once_without_secrets_and_sealed(tmp_path: Path, disk: Disk) -> None:
    file = tmp_path / "replies" / "ana.jsonl"
    journal = Journal(file, {"reviewer": "ana"}, sealed=True)
    journal.append({"reply": {"words": "the key was sk-proj-abcdefghijklmnopqrstuvwx1234567890"}})
    assert disk.names[-2:] == ["ana.jsonl", "ana.jsonl.chain"]
    assert disk.synced[-2][1] == file.stat().st_size
    assert "sk-proj" not in file.read_text("utf-8")
    assert journal.entries == Journal(file, {"reviewer": "ana"}, sealed=True).entries
    assert check_chain(file).state == "whole"
    assert file.stat().st_mode & 0o777 == 0o600
