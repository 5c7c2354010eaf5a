"""A folder that is kept up to date on a store: what the store holds after any moment, and who may write."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sealegs.faults.user_error import UserError
from sealegs.traces import remote_folder, remote_lease
from sealegs.traces.chain_check import check_chain
from sealegs.traces.journal_parts import INDEX, LOCK, DamagedParts
from sealegs.traces.object_store import ObjectStore, StoreFailure
from sealegs.traces.remote_fetch import fetch_file, fetch_folder
from sealegs.traces.remote_folder import RemoteFolder, file_states, put_changed_files
from sealegs.traces.remote_lease import LeaseLost
from sealegs.traces.store import Store
from tests import needs

fsspec = pytest.importorskip("fsspec", reason=needs.module("fsspec"))
URL = "memory://bucket/run"
EPISODE = ['{"type": "started", "n": %d}\n', '{"type": "ended", "n": %d}\n']


@pytest.fixture(autouse=True)
def _memory(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An empty store, and no thread that writes by itself."""
    monkeypatch.setattr(remote_folder, "EVERY", 1e9)
    monkeypatch.setattr(remote_folder, "LAST_TRIES", (0.0, 0.0))
    fsspec.filesystem("memory").store.clear()
    yield
    fsspec.filesystem("memory").store.clear()


def objects() -> dict[str, bytes]:
    """All that the store holds, below the URL."""
    found = fsspec.filesystem("memory").store
    return {name.removeprefix("/bucket/run/"): file.getvalue() for name, file in found.items()}


def opened(folder: Path, url: str = URL, *, late_removal: bool = False) -> RemoteFolder:
    folder.mkdir(parents=True, exist_ok=True)
    return RemoteFolder(ObjectStore(url), folder, lambda: None, lambda note: None, late_removal=late_removal)


def append(file: Path, data: bytes) -> None:
    with file.open("ab") as out:
        out.write(data)


def killed(remote: RemoteFolder) -> None:
    """Leave a folder as a killed process does: nothing more comes, and the lease is not given back."""
    remote._stop.set()
    remote._thread.join()
    remote_lease._OWN.clear()


def fetched(folder: Path, url: str = URL) -> dict[str, bytes]:
    """The files of a fresh copy."""
    folder.mkdir()
    fetch_folder(ObjectStore(url), folder)
    return files(folder)


def files(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_a_folder_comes_back_as_it_was(tmp_path: Path) -> None:
    remote = opened(tmp_path / "one")
    store = Store(tmp_path / "one" / "episodes.jsonl")
    (tmp_path / "one" / "run.json").write_text("{}")
    for number in range(3):
        store.append_lines([line % number for line in EPISODE])
        remote.hand_over()
    (tmp_path / "one" / "traces").mkdir()
    (tmp_path / "one" / "traces" / "a.jsonl").write_text("x\n")
    (tmp_path / "one" / ".sealegs-redaction-key").write_bytes(b"secret")
    store.close()
    remote.close()
    assert len([name for name in objects() if name.startswith("episodes.jsonl.parts/")]) == 3
    here = files(tmp_path / "one")
    assert here.pop(".sealegs-redaction-key")
    assert fetched(tmp_path / "two") == here
    assert b"secret" not in b"".join(objects().values()), "the key stays here"
    assert check_chain(tmp_path / "two" / "episodes.jsonl").state == "whole"


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("removal", [False, True])
def test_what_is_removed_here_goes_there_when_it_may(late: bool, removal: bool, tmp_path: Path) -> None:
    remote = opened(tmp_path / "one", late_removal=late)
    (tmp_path / "one" / "1-of-2.zip").write_bytes(b"shard")
    remote.hand_over()
    shutil.rmtree(tmp_path / "one")
    remote.hand_over()
    assert ("1-of-2.zip" in objects()) is late
    remote.close(removal=removal)
    assert fetched(tmp_path / "two") == ({"1-of-2.zip": b"shard"} if late and not removal else {})


def test_nothing_made_leaves_nothing(tmp_path: Path) -> None:
    opened(tmp_path / "one").close()
    assert objects() == {}


def test_the_second_writer_is_refused_and_the_next_goes_on(tmp_path: Path) -> None:
    first = opened(tmp_path / "one")
    for url in (URL, f"{URL}/inner", "memory://bucket"):
        with pytest.raises(UserError, match="another process is writing to memory://bucket/run; wait"):
            opened(tmp_path / "two", url)
    (tmp_path / "one" / "run.json").write_text("{}")
    first.close()
    opened(tmp_path / "three").close()
    assert files(tmp_path / "three") == {"run.json": b"{}"}


def test_of_two_that_begin_at_once_one_has_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ready = threading.Barrier(2)
    take = remote_lease.RemoteLease.take

    def together(lease: remote_lease.RemoteLease) -> None:
        ready.wait()
        take(lease)

    monkeypatch.setattr(remote_lease.RemoteLease, "take", together)
    ended: list[Any] = []

    def begin(name: str) -> None:
        try:
            ended.append(opened(tmp_path / name))
        except UserError as error:
            ended.append(error)

    threads = [threading.Thread(target=begin, args=(name,)) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (refused,) = (one for one in ended if isinstance(one, UserError))
    assert "another process is writing" in str(refused)
    (holder,) = (one for one in ended if isinstance(one, RemoteFolder))
    holder.close()


def test_a_dead_process_of_this_machine_holds_nothing(tmp_path: Path) -> None:
    first = opened(tmp_path / "one")
    (tmp_path / "one" / "run.json").write_text("{}")
    first.hand_over()
    killed(first)
    opened(tmp_path / "two").close()
    assert files(tmp_path / "two") == {"run.json": b"{}"}


def test_a_writer_of_another_machine_is_dead_after_a_minute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_lease.socket, "gethostname", lambda: "elsewhere")
    killed(opened(tmp_path / "one"))
    monkeypatch.undo()
    monkeypatch.setattr(remote_folder, "EVERY", 1e9)
    with pytest.raises(UserError, match="another process is writing"):
        opened(tmp_path / "two")
    (name,) = (name for name in objects() if name.startswith(LOCK))
    lease = json.loads(objects()[name])
    lease["renewed"] -= remote_lease.STALE + 1
    ObjectStore(URL).write(name, json.dumps(lease).encode())
    opened(tmp_path / "two").close()


def test_what_a_writer_thought_dead_writes_counts_no_more(tmp_path: Path) -> None:
    late = opened(tmp_path / "one")
    (tmp_path / "one" / "episodes.jsonl").write_bytes(b"1\n")
    late.hand_over()
    remote_lease._OWN.clear()  # it is suspended, and looks dead
    now = opened(tmp_path / "two")
    append(tmp_path / "two" / "episodes.jsonl", b"2\n")
    now.hand_over()
    append(tmp_path / "one" / "episodes.jsonl", b"9\n")
    late._lease.check = lambda: None  # type: ignore[method-assign]  # it wakes between its look and its write
    late.hand_over()
    assert fetched(tmp_path / "three") == {"episodes.jsonl": b"1\n2\n"}
    del late._lease.check  # type: ignore[method-assign]
    with pytest.raises(LeaseLost, match="another process has taken over memory://bucket/run"):
        late.close()
    now.close()
    assert fetched(tmp_path / "four") == {"episodes.jsonl": b"1\n2\n"}


def test_a_writer_that_lost_the_folder_is_notified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_folder, "EVERY", 0.0)
    monkeypatch.setattr(remote_folder, "LOOK", 0.01)
    lost = threading.Event()
    (tmp_path / "one").mkdir()
    late = RemoteFolder(ObjectStore(URL), tmp_path / "one", lost.set, lambda note: None)
    remote_lease._OWN.clear()
    opened(tmp_path / "two").close()
    assert lost.wait(60)
    with pytest.raises(LeaseLost):
        late.close()


def test_a_lease_in_the_place_of_its_own_is_noticed(tmp_path: Path) -> None:
    """As on a store that takes no notice of the condition, where two have one number."""
    one = opened(tmp_path / "one")
    (name,) = (name for name in objects() if name.startswith(LOCK))
    ObjectStore(URL).write(name, b'{"token": "another"}')
    with pytest.raises(LeaseLost):
        one.close()


def test_damage_is_noticed(tmp_path: Path) -> None:
    remote = opened(tmp_path / "one")
    (tmp_path / "one" / "episodes.jsonl").write_bytes(b"1\n2\n")
    remote.close()
    (part,) = (name for name in objects() if "parts/" in name)
    store = ObjectStore(URL)
    store.write(part, b"1\n")
    with pytest.raises(DamagedParts, match=f"^{URL}/{part} has 2 bytes, and 4 were written; restore it"):
        fetched(tmp_path / "two")
    store.remove([part])
    with pytest.raises(DamagedParts, match=f"^{URL}/{part} is missing; restore it"):
        opened(tmp_path / "three")
    store.write(part, b"1\n2\n")
    assert fetched(tmp_path / "four") == {"episodes.jsonl": b"1\n2\n"}


def test_a_folder_that_was_copied_there_is_read_too(tmp_path: Path) -> None:
    store = ObjectStore(URL)
    for name in ("run.json", "episodes.jsonl", "a/traces/x.jsonl"):
        store.write(name, name.encode())
    assert fetched(tmp_path / "two") == {
        name: name.encode() for name in ("run.json", "episodes.jsonl", "a/traces/x.jsonl")
    }


def test_folders_of_several_runs_are_read_together_and_apart(tmp_path: Path) -> None:
    several = opened(tmp_path / "all", "memory://bucket/run")
    for name in ("a", "b"):
        (tmp_path / "all" / name).mkdir()
        (tmp_path / "all" / name / "episodes.jsonl").write_text(f"{name}\n")
    several.close()
    alone = opened(tmp_path / "c", "memory://bucket/run/c")
    (tmp_path / "c" / "episodes.jsonl").write_bytes(b"c\n")
    alone.close()
    found = fetched(tmp_path / "together")
    assert found == {f"{name}/episodes.jsonl": f"{name}\n".encode() for name in "abc"}
    assert fetched(tmp_path / "apart", f"{URL}/a") == {"episodes.jsonl": b"a\n"}
    again = opened(tmp_path / "again", f"{URL}/a")
    append(tmp_path / "again" / "episodes.jsonl", b"more\n")
    again.close()
    assert fetched(tmp_path / "after")["a/episodes.jsonl"] == b"a\nmore\n"
    (tmp_path / "one").mkdir()
    assert fetch_file(ObjectStore(f"{URL}/a"), "episodes.jsonl", tmp_path / "one")
    assert not fetch_file(ObjectStore(f"{URL}/a"), "none.jsonl", tmp_path / "one")


def test_a_file_that_is_written_anew_takes_the_place_of_all_its_parts(tmp_path: Path) -> None:
    remote = opened(tmp_path / "one")
    file = tmp_path / "one" / "episodes.jsonl"
    file.write_bytes(b"1\n2\n3\n")
    remote.hand_over()
    file.write_bytes(b"4\n")  # shorter: it may still grow, and until it is whole the old one counts
    remote.hand_over()
    assert fetched(tmp_path / "two") == {"episodes.jsonl": b"1\n2\n3\n"}
    file.write_bytes(b"4\n5\n6\n7\n")
    remote.hand_over()
    assert fetched(tmp_path / "three") == {"episodes.jsonl": b"4\n5\n6\n7\n"}
    file.unlink()
    remote.close()
    assert not [name for name in objects() if not name.startswith((INDEX, LOCK))]


@pytest.mark.parametrize("fatal", range(1, 12))
def test_a_kill_at_any_write_leaves_what_was_there_or_more(
    fatal: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store fails at the n-th write, for every n: a fresh copy is always a beginning of the file."""
    write = ObjectStore.write
    writes = 0

    def failing(store: ObjectStore, name: str, data: bytes) -> None:
        nonlocal writes
        writes += 1
        if writes >= fatal:
            raise StoreFailure("gone")
        write(store, name, data)

    monkeypatch.setattr(ObjectStore, "write", failing)
    remote = opened(tmp_path / "one")
    (tmp_path / "one" / "run.json").write_text("{}")
    records = Store(tmp_path / "one" / "episodes.jsonl")
    whole = 0
    with suppress(StoreFailure):
        for number in range(4):
            records.append_lines([line % number for line in EPISODE])
            remote.hand_over()
            whole = number + 1
    records.close()
    killed(remote)
    monkeypatch.setattr(ObjectStore, "write", write)
    there = "".join(line % number for number in range(whole) for line in EPISODE).encode()
    assert fetched(tmp_path / "two").get("episodes.jsonl", b"") == there
    # The next writer finds a chain that speaks of these lines and of no more.
    resumed = opened(tmp_path / "three")
    after = Store(tmp_path / "three" / "episodes.jsonl")
    assert after.notice == ""
    after.append_lines([line % 9 for line in EPISODE])
    after.close()
    resumed.close()
    assert fetched(tmp_path / "four")["episodes.jsonl"] == there + "".join(line % 9 for line in EPISODE).encode()
    assert check_chain(tmp_path / "four" / "episodes.jsonl").state == "whole"
    assert sum(name.startswith("episodes.jsonl.parts/") for name in objects()) == whole + 1, "no part is left over"


def test_what_the_store_refuses_is_kept_and_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remote = opened(tmp_path / "one")
    (tmp_path / "one" / "run.json").write_text("{}")
    put = ObjectStore.put
    tries: list[str] = []

    def refusing(store: ObjectStore, name: str, file: Path) -> None:
        tries.append(name)
        if len(tries) == 1:
            raise StoreFailure("cannot write: busy")
        put(store, name, file)

    monkeypatch.setattr(ObjectStore, "put", refusing)
    remote.close()
    assert tries == ["run.json", "run.json"], "the last of it is tried again"
    assert fetched(tmp_path / "two") == {"run.json": b"{}"}


def test_a_reader_gives_back_what_it_made(tmp_path: Path) -> None:
    remote = opened(tmp_path / "one")
    (tmp_path / "one" / "run.json").write_text("{}")
    (tmp_path / "one" / "episodes.jsonl").write_text("1\n")
    remote.close()
    fetched(tmp_path / "two")
    before = file_states(tmp_path / "two")
    (tmp_path / "two" / "report.html").write_text("<p>")
    (tmp_path / "two" / ".hidden").write_text("x")
    put_changed_files(ObjectStore(URL), tmp_path / "two", before)
    assert objects()["report.html"] == b"<p>"
    assert set(fetched(tmp_path / "three")) == {"run.json", "episodes.jsonl", "report.html"}


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.integers(0, 1), st.integers(1, 3)),
        st.tuples(st.just("whole"), st.integers(0, 1), st.integers(0, 3)),
        st.tuples(st.just("anew"), st.integers(0, 1), st.integers(0, 3)),
        st.tuples(st.just("remove"), st.integers(0, 1), st.just(0)),
        st.tuples(st.sampled_from(["hand over", "kill", "close"]), st.just(0), st.just(0)),
    ),
    max_size=25,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(steps=STEPS)
def test_whatever_is_done_the_store_holds_what_was_handed_over(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int, int]]
) -> None:
    """Against a model: a dictionary that takes the folder as it is at each end, and not what a kill took away."""
    fsspec.filesystem("memory").store.clear()
    place = tmp_path_factory.mktemp("steps")
    folders = iter(range(100))
    folder = place / "0"
    remote, held = opened(folder), {}
    for count, (step, which, many) in enumerate(steps, 1):
        journal, whole = folder / ("episodes.jsonl", "a/journal.jsonl")[which], folder / ("run.json", "a/x.txt")[which]
        if step == "append":
            journal.parent.mkdir(exist_ok=True)
            append(journal, "".join(f"{count} {number}\n" for number in range(many)).encode())
        elif step == "anew":
            journal.parent.mkdir(exist_ok=True)
            journal.write_text("".join(f"anew {count} {number}\n" for number in range(many)))
        elif step == "whole":
            whole.parent.mkdir(exist_ok=True)
            whole.write_text(f"{count}" * many)
        elif step == "remove":
            journal.unlink(missing_ok=True)
        elif step == "hand over":
            remote.hand_over(last=True)
            held = files(folder)
        else:
            if step == "kill":
                killed(remote)
            else:
                remote.close()
                held = files(folder)
            folder = place / f"{next(folders)}-next"
            remote = opened(folder)
            assert files(folder) == held
    remote.close()
    assert fetched(place / "end") == files(folder)


@pytest.mark.parametrize(
    ("name", "saves_time"),
    [
        ("verdicts-00001.parquet", True),
        ("2026-11-29T10-00-00_maze_x.verdicts-00012.parquet", True),
        ("report.html", False),
        ("verdicts.parquet", False),
    ],
)
def test_a_store_may_refuse_what_only_saves_time(tmp_path: Path, name: str, saves_time: bool) -> None:
    class Refusing(ObjectStore):
        def put(self, name: str, file: Path) -> None:
            raise StoreFailure(f"no room for {name}")

    (tmp_path / name).write_text("text")
    if saves_time:
        put_changed_files(Refusing(URL), tmp_path, {})
        return
    with pytest.raises(StoreFailure, match=f"no room for {name}"):
        put_changed_files(Refusing(URL), tmp_path, {})
