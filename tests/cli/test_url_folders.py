"""Commands whose folders are URLs: the same as on a disk, whole after a kill, one writer, one line for a mistake."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from sealegs.cli import main, url_folders
from sealegs.faults.user_error import UserError
from sealegs.traces import remote_folder
from sealegs.traces.chain_check import check_chain
from sealegs.traces.journal_parts import INDEX, decode_index, numbered
from sealegs.traces.object_store import ObjectStore
from sealegs.traces.remote_fetch import fetch_folder
from sealegs.traces.remote_folder import RemoteFolder
from tests import needs
from tests.s3_server import S3Server, s3_server, use_server

fsspec = pytest.importorskip("fsspec", reason=needs.module("fsspec"))
RUN = ("run", "maze", "--agent", "planner", "--limit", "2", "--levels", "C1", "--jobs", "1")
LONG = ("run", "maze", "--agent", "planner", "--limit", "12", "--levels", "C1", "--jobs", "1")
EPISODES = 60  # of the long one
HALTED = 20  # episodes after which the child below plays no more
# A command that hands over what is new all the time, and then waits to be ended.
CHILD = f"""
import time
from sealegs.engines import direct
from sealegs.traces import remote_folder
play, played = direct.play_scenario, []
def halting(*given):
    played.append(given)
    time.sleep(0.02 if len(played) <= {HALTED} else 600)
    return play(*given)
direct.play_scenario = halting
remote_folder.EVERY = remote_folder.LOOK = 0.1
from sealegs.cli import main, url_folders
from sealegs.faults.user_error import UserError
main()
"""
Result = tuple[int, str, str]
Call = Callable[..., Result]


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Call:
    """Run the command in this process."""

    def run(*words: object) -> Result:
        monkeypatch.setattr(sys, "argv", ["sealegs", *map(str, words)])
        capfd.readouterr()
        code = 0
        try:
            main()
        except SystemExit as end:
            code = int(end.code or 0)
        return code, *capfd.readouterr()

    return run


@pytest.fixture(scope="module")
def server() -> Iterator[S3Server]:
    for name in ("moto", "s3fs"):
        pytest.importorskip(name, reason=needs.S3)
    with s3_server() as found:
        yield found


@pytest.fixture
def s3(server: S3Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    """The URL of a place that nobody else writes to."""
    yield f"{use_server(server, monkeypatch)}/{tmp_path.name}"
    server.fails = lambda _: ""


@pytest.fixture(params=["file", "memory", "s3"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A URL of each kind."""
    if request.param == "s3":
        return str(request.getfixturevalue("s3"))
    return f"file://{tmp_path}/there" if request.param == "file" else f"memory://{tmp_path.name}"


def files_at(url: str, folder: Path) -> dict[str, bytes]:
    """What is at a URL, as the files of a folder; chains and tables of verdicts are compared by commands."""
    if url.startswith("file://"):
        folder = Path(url.removeprefix("file://"))
    else:
        folder.mkdir(parents=True)
        fetch_folder(ObjectStore(url), folder)
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def lines_of(data: bytes) -> list[bytes]:
    return sorted(data.splitlines())


def episodes_in(data: bytes) -> list[str]:
    found = [json.loads(line) for line in data.splitlines()]
    return [event["episode"] for event in found if event["type"] == "started"]


def test_a_run_is_the_same_as_on_a_disk(place: str, tmp_path: Path, call: Call) -> None:
    home = str(tmp_path / "here")
    assert call(*RUN, "--out", home)[0] == 0
    code, out, err = call(*RUN, "--out", f"{place}/run")
    assert code == 0, err
    remote = not place.startswith("file")
    assert (f"Records in {place}/run." in out) is remote
    assert "sealegs-copy" not in out + err
    here, there = files_at(f"file://{home}", tmp_path), files_at(f"{place}/run", tmp_path / "one")
    assert here.keys() == there.keys()
    assert lines_of(here["episodes.jsonl"]) == lines_of(there["episodes.jsonl"])
    assert here["run.json"] == there["run.json"]

    figures: dict[str, Any] = {}
    for name, url in (("here", home), ("there", f"{place}/run")):
        for verb in ("report", "rank"):
            code, out, err = call(verb, url, "--json", tmp_path / f"{name}-{verb}.json")
            assert code == 0, err
            figures[name, verb] = json.loads((tmp_path / f"{name}-{verb}.json").read_text())["rows"]
    assert figures["here", "report"] == figures["there", "report"]
    assert figures["here", "rank"] == figures["there", "rank"]
    after = files_at(f"{place}/run", tmp_path / "two")
    assert after.keys() - there.keys() == {"report.html"}
    assert b"sealegs-copy" not in after["report.html"]
    code, out, _ = call("report", "--verify", f"{place}/run")
    assert (code, "whole" in out) == (0, True)
    code, out, err = call("report", f"{place}/run", "--against", f"{place}/run", "--html", tmp_path / "page.html")
    assert code == 0, err


def test_shards_are_merged_as_on_a_disk(s3: str, tmp_path: Path, call: Call) -> None:
    assert call(*RUN, "--out", tmp_path / "whole")[0] == 0
    for part in (1, 2):
        assert call(*RUN, "--shard", f"{part}/2", "--out", f"{s3}/parts/{part}")[0] == 0
    code, out, err = call("merge", f"{s3}/parts/1", f"{s3}/parts/2", "--out", f"{s3}/whole")
    assert code == 0, err
    assert f"{s3}/whole: 2 of 2 shards, 10 of 10 episodes" in out
    here, there = files_at(f"file://{tmp_path}/whole", tmp_path), files_at(f"{s3}/whole", tmp_path / "there")
    assert there["episodes.jsonl"] == here["episodes.jsonl"]
    assert check_chain(tmp_path / "there" / "episodes.jsonl").state == "whole"
    assert call("merge", f"{s3}/parts/1", "--out", f"{s3}/half")[0] == 3, "what is missing is named"


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(("data", "make", "clean", "-n", "12"), id="data make"),
        pytest.param(("maze", "generate", "-n", "1", "--levels", "C1"), id="maze generate", marks=pytest.mark.slow),
    ],
)
def test_sets_are_the_same_as_on_a_disk(words: Sequence[str], s3: str, tmp_path: Path, call: Call) -> None:
    assert call(*words, "--jobs", "1", "--out", tmp_path / "set")[0] == 0
    code, _, err = call(*words, "--jobs", "1", "--out", f"{s3}/set")
    assert code == 0, err
    here, there = files_at(f"file://{tmp_path}/set", tmp_path), files_at(f"{s3}/set", tmp_path / "there")
    assert there == here
    for part in (1, 2):
        code, _, err = call(*words, "--jobs", "1", "--shard", f"{part}/2", "--out", f"{s3}/{part}")
        assert code == 0, err
    code, _, err = call("merge", f"{s3}/1", f"{s3}/2", "--out", f"{s3}/joined")
    assert code == 0, err
    assert files_at(f"{s3}/joined", tmp_path / "joined") == here


@contextmanager
def started(words: Sequence[str]) -> Iterator[subprocess.Popen[str]]:
    """The command in a process of its own, which ends with the block."""
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", CHILD, *words], **pipes) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_for_parts(url: str, process: subprocess.Popen[str]) -> None:
    """Wait until a running command has handed some of its records over: a part counts once an index names it."""
    store, end = ObjectStore(url), time.monotonic() + 300

    def handed_over() -> bool:
        indexes = {number: name for own in numbered(store.sizes(), INDEX).values() for number, name in own.items()}
        return bool(indexes) and bool(decode_index(store.read(indexes[max(indexes)]), url).get("episodes.jsonl"))

    while not handed_over():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_killed_run_is_resumed_and_nothing_is_doubled(s3: str, tmp_path: Path, call: Call) -> None:
    with started([*LONG, "--out", f"{s3}/run"]) as process:
        wait_for_parts(f"{s3}/run", process)
        code, _, err = call(*LONG, "--out", f"{s3}/run")
        assert code == 2
        assert f"another process is writing to {s3}/run; wait for it" in err
    before = files_at(f"{s3}/run", tmp_path / "before")["episodes.jsonl"]
    assert 0 < len(episodes_in(before)) <= HALTED
    assert call("report", f"{s3}/run", "--html", tmp_path / "page.html")[0] == 0, "what there is can be reported"
    code, _, err = call(*LONG, "--out", f"{s3}/run")
    assert code == 0, err
    after = files_at(f"{s3}/run", tmp_path / "after")["episodes.jsonl"]
    assert after.startswith(before)
    assert len(episodes_in(after)) == len(set(episodes_in(after))) == EPISODES
    assert call(*LONG, "--out", tmp_path / "here")[0] == 0
    assert lines_of((tmp_path / "here" / "episodes.jsonl").read_bytes()) == lines_of(after)
    code, out, _ = call("report", "--verify", f"{s3}/run")
    assert (code, "whole" in out) == (0, True)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_hands_over_what_is_finished(number: int, s3: str, tmp_path: Path) -> None:
    with started([*LONG, "--out", f"{s3}/run"]) as process:
        wait_for_parts(f"{s3}/run", process)
        process.send_signal(number)
        _, err = process.communicate(timeout=300)
    assert process.returncode == 130, err
    assert "every finished episode is kept" in err
    episodes = episodes_in(files_at(f"{s3}/run", tmp_path / "there")["episodes.jsonl"])
    assert len(episodes) == len(set(episodes)) > 0, "none is lost"
    assert check_chain(tmp_path / "there" / "episodes.jsonl").state == "whole", "it was sealed"


def test_a_signal_within_a_finalizer_is_not_lost(s3: str, tmp_path: Path) -> None:
    lines = """
import os, signal
signal.signal(signal.SIGINT, signal.SIG_IGN)  # as a shell has it for a command in the background
class Finalized:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGTERM)
def wait(seconds):
    Finalized()
    sleep(seconds)
sleep, time.sleep = time.sleep, lambda seconds: (wait if seconds == 600 else sleep)(seconds)
main()
"""
    code = CHILD.removesuffix("main()\n") + lines
    words = [*LONG, "--out", f"{s3}/run"]
    ended = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, timeout=300)
    assert ended.returncode == 130, ended
    assert "every finished episode is kept" in ended.stderr
    assert len(episodes_in(files_at(f"{s3}/run", tmp_path / "there")["episodes.jsonl"])) >= HALTED
    assert check_chain(tmp_path / "there" / "episodes.jsonl").state == "whole", "it was sealed"


@pytest.mark.parametrize("status", ["500 Internal Error", "503 Slow Down"])
def test_a_write_that_fails_is_made_again(status: str, server: S3Server, s3: str, tmp_path: Path, call: Call) -> None:
    first = server.writes
    server.fails = lambda number: status if (number - first) % 3 == 1 else ""
    code, _, err = call(*RUN, "--out", f"{s3}/run")
    assert code == 0, err
    assert server.writes - first > 6
    assert len(episodes_in(files_at(f"{s3}/run", tmp_path / "there")["episodes.jsonl"])) == 10


def test_a_store_that_fails_loses_nothing(
    server: S3Server, s3: str, tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote_folder, "LAST_TRIES", (0.0, 0.0))
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "2")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    first = server.writes
    server.fails = lambda number: "500 Internal Error" if number - first > 1 else ""  # the lease alone is written
    code, _, err = call(*RUN, "--out", f"{s3}/run")
    assert code == 2
    message = err.strip().splitlines()[-1]
    assert message.startswith(f"sealegs: cannot write {s3}/run: ")
    assert "Traceback" not in err
    (kept,) = tmp_path.glob("sealegs-kept-*/run")
    assert f"All that was made is kept in {kept}" in message
    assert len(episodes_in((kept / "episodes.jsonl").read_bytes())) == 10
    assert not list(tmp_path.glob("sealegs-copy-*"))
    server.fails = lambda _: ""
    code, _, err = call(*RUN, "--out", f"{s3}/run")
    assert code == 0, err
    assert len(episodes_in(files_at(f"{s3}/run", tmp_path / "there")["episodes.jsonl"])) == 10
    assert call(*RUN, "--out", kept)[0] == 0, "it is a folder like any other"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((*RUN, "--out", "odd://b/run"), "odd://b/run: the scheme 'odd' is unknown; name a local folder, or one on s3"),
        ((*RUN, "--out", "https://x/run"), "https://x/run: https has no folders that can be written; name a local"),
        ((*RUN, "--out", "s3://"), "'s3:' is only a scheme, not a folder; give a whole URL, such as s3://bucket/run"),
        ((*RUN, "--out", "file:"), "'file:' is only a scheme, not a folder; give a whole URL, such as s3://bucket/run"),
        (("report", "memory://none/run"), "there is nothing at memory://none/run; run something first"),
        (("rank", "memory://none"), "there is nothing at memory://none; run something first"),
        (
            ("hunt", "a:b", "--out", "s3://b/run"),
            "`sealegs hunt` takes no URL for `out` (s3://b/run); name a local path",
        ),
        (("maze", "stats", "--tasks", "s3://b/x"), "`sealegs maze stats` takes no URL for `tasks` (s3://b/x)"),
        (("report", "x", "--html", "s3://b/x.html"), "`sealegs report` takes no URL for `html` (s3://b/x.html)"),
    ],
)
def test_what_cannot_be_is_one_line(words: Sequence[str], message: str, call: Call) -> None:
    code, _, err = call(*words)
    assert code == 2
    assert err.startswith(f"sealegs: {message}")
    assert err.count("\n") == 1


@pytest.mark.parametrize("missing", ["fsspec", "s3fs"])
def test_a_missing_package_is_named(missing: str, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.delitem(
        sys.modules["fsspec.registry"]._registry, "s3", raising=False
    )  # an earlier test may have used it
    code, _, err = call(*RUN, "--out", "s3://runs/x")
    assert code == 2
    assert 'run: pip install "sealegs[remote]"' in err
    assert err.count("\n") == 1


def test_a_bucket_that_is_not_there_is_one_line(s3: str, call: Call) -> None:
    for words in ((*RUN, "--out", "s3://nobodys/run"), ("report", "s3://nobodys/run")):
        code, _, err = call(*words)
        assert code == 2
        assert "s3://nobodys/run" in err
        assert "make it, or name another" in err or "there is nothing at" in err
        assert err.count("\n") == 1


def test_missing_credentials_are_one_line(s3: str, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    code, _, err = call(*RUN, "--out", f"{s3}/run")
    assert code == 2
    assert f"{s3}/run: there are no credentials" in err
    assert "AWS_ACCESS_KEY_ID" in err
    assert err.count("\n") == 1


def test_an_address_where_nobody_answers_is_one_line(s3: str, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    code, _, err = call("report", f"{s3}/run")
    assert code == 2
    assert "check the address and the network" in err
    assert err.count("\n") == 1


def test_a_torn_part_is_one_line(s3: str, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_folder, "EVERY", 1e9)  # one part, however slow the machine is
    assert call(*RUN, "--out", f"{s3}/run")[0] == 0
    store = ObjectStore(f"{s3}/run")
    (part,) = (name for name in store.sizes() if name.startswith("episodes.jsonl.parts/"))
    store.write(part, store.read(part)[:-1])
    for words in (("report", f"{s3}/run"), (*RUN, "--out", f"{s3}/run")):
        code, _, err = call(*words)
        assert code == 2
        assert f"{s3}/run/{part} has " in err
        assert err.count("\n") == 1


def test_copies_that_killed_commands_left_are_removed(
    tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "sealegs-copy-left").mkdir()
    (tmp_path / "sealegs-kept-there").mkdir()
    assert call("report", "memory://none/run")[0] == 2
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith("sealegs-")] == ["sealegs-kept-there"]


def test_a_file_of_records_is_read_alone(place: str, call: Call, tmp_path: Path) -> None:
    assert call(*RUN, "--out", f"{place}/run")[0] == 0
    code, out, err = call("report", f"{place}/run/episodes.jsonl")
    assert code == 0, err
    code, out, err = call("replay", f"{place}/run/episodes.jsonl", "--json", "-")
    assert json.loads(out)["rows"]
    code, _, err = call("report", f"{place}/run/none.jsonl")
    assert code == 2, err


def test_graded_checked_and_redacted(call: Call, tmp_path: Path) -> None:
    url = f"memory://{tmp_path.name}"
    assert (
        call("run", "paladin", "--agent", "paladin/follower", "--limit", "1", "--jobs", "1", "--out", f"{url}/p")[0]
        == 0
    )
    code, _, err = call("grade", "traces", f"{url}/p", "--out", tmp_path / "grades.jsonl")
    assert code == 0, err
    assert (tmp_path / "grades.jsonl").read_text().count("\n") > 0
    assert call("data", "make", "clean", "-n", "4", "--jobs", "1", "--out", f"{url}/d")[0] == 0
    code, _, err = call("data", "check", f"{url}/d", "--sample", "1")
    assert code == 0, err
    with zipfile.ZipFile(tmp_path / "a.eval", "w") as archive:
        archive.writestr("header.json", json.dumps({"password": "hunter2hunter2"}))
    ObjectStore(url).put("logs/a.eval", tmp_path / "a.eval")
    code, _, err = call("redact", f"{url}/logs/a.eval")
    assert code == 0, err
    ObjectStore(url).fetch("logs/a.redacted.eval", tmp_path / "b.eval")
    with zipfile.ZipFile(tmp_path / "b.eval") as archive:
        assert b"hunter2" not in archive.read("header.json")


def test_a_compressed_run_is_read_there(call: Call, tmp_path: Path) -> None:
    url, here = f"memory://{tmp_path.name}", tmp_path / "run"
    assert call(*RUN, "--out", here)[0] == 0
    expected = call("rank", here, "--json", "-")[1], call("report", here, "--json", "-")[1]
    code, _, err = call("compress", url)
    assert (code, f"takes no URL for `runs` ({url})" in " ".join(err.split())) == (2, True)
    assert call("compress", f"file://{here}")[0] == 0
    for file in here.iterdir():
        ObjectStore(url).put(f"run/{file.name}", file)
    assert (call("rank", f"{url}/run", "--json", "-")[1], call("report", f"{url}/run", "--json", "-")[1]) == expected
    code, out, _ = call("report", f"{url}/run", "--verify")
    assert (code, "episodes.jsonl: whole, " in out) == (0, True)
    code, _, err = call(*RUN, "--out", f"{url}/run")  # nothing is left to play
    assert code == 0, err


def test_a_campaign_goes_there(call: Call, tmp_path: Path) -> None:
    pytest.importorskip("langchain", reason=needs.module("langchain"))
    (tmp_path / "one.campaign").write_text("default model=scripted/oracle\ntip unreachable\n")
    url = f"memory://{tmp_path.name}/campaign"
    code, _, err = call("campaign", "run", tmp_path / "one.campaign", "--out", url)
    assert code == 0, err
    there = files_at(url, tmp_path / "there")
    assert "journal.jsonl" in there
    assert any(name.startswith("traces/") for name in there)
    code, _, err = call("campaign", "report", url)
    assert code == 0, err
    assert "report.html" in files_at(url, tmp_path / "after")
    code, out, err = call("report", url, "--verify")
    assert code == 0, out + err
    assert out.count(": whole, ") == 3  # the journal, and the traces of a run with the fault and one without


def test_a_folder_that_another_holds_is_refused(s3: str, tmp_path: Path, call: Call) -> None:
    (tmp_path / "held").mkdir()
    holder = RemoteFolder(ObjectStore(f"{s3}/run"), tmp_path / "held", lambda: None, lambda message: None)
    for url in (f"{s3}/run", f"{s3}/run/inner", s3):
        code, _, err = call(*RUN, "--out", url)
        assert code == 2
        assert f"another process is writing to {s3}/run; wait for it, or name another folder" in err
        assert err.count("\n") == 1
    holder.close()
    assert call(*RUN, "--out", f"{s3}/run")[0] == 0
    assert not list((tmp_path / "held").iterdir())


def wait_for_shard(url: str) -> None:
    """Wait until the store has the only shard."""
    end = time.monotonic() + 60
    while "1-of-1.zip" not in ObjectStore(f"{url}.parts").sizes():
        assert time.monotonic() < end
        time.sleep(0.05)


@contextmanager
def joined_folder(url: str) -> Iterator[Path]:
    """A folder at a URL while a command joins the only shard, which is on the store by then."""
    with url_folders._written_folder(url, shards=True) as folder:
        parts = folder.with_name("whole.parts")
        (parts / "1-of-1.zip").write_bytes(b"shard")
        wait_for_shard(url)
        (folder / "run.json").write_bytes(b"joined")
        shutil.rmtree(parts)
        yield folder


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hand over what is new all the time."""
    for name in ("EVERY", "LOOK"):
        monkeypatch.setattr(remote_folder, name, 0.05)
    monkeypatch.setattr(remote_folder, "LAST_TRIES", (0.0, 0.0))


@pytest.mark.usefixtures("often")
@pytest.mark.parametrize("mistake", [None, UserError("no"), SystemExit(3), KeyboardInterrupt()])
def test_shards_go_when_the_whole_is_there(mistake: BaseException | None, tmp_path: Path) -> None:
    url = f"memory://{tmp_path.name}/whole"
    with suppress(UserError, SystemExit, KeyboardInterrupt), joined_folder(url):
        if mistake is not None:
            raise mistake
    assert files_at(url, tmp_path / "one") == {"run.json": b"joined"}
    kept = {"1-of-1.zip"} if isinstance(mistake, UserError) else set()
    assert set(files_at(f"{url}.parts", tmp_path / "two")) == kept


@pytest.mark.usefixtures("often")
def test_shards_stay_when_the_store_refuses_the_whole(
    server: S3Server, s3: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def write_refused(folder: Path) -> None:
        server.fails = lambda _: "403 Forbidden"
        (folder / "page.html").write_bytes(b"made last")

    with pytest.raises(UserError, match="All that was made is kept"), joined_folder(f"{s3}/whole") as folder:
        write_refused(folder)
    server.fails = lambda _: ""
    assert files_at(f"{s3}/whole.parts", tmp_path / "two") == {"1-of-1.zip": b"shard"}
    (kept,) = tmp_path.glob("sealegs-kept-*/whole/page.html")
    assert kept.read_bytes() == b"made last"
