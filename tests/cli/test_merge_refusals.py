"""What `sealegs merge` refuses, writing nothing; and that neither it nor a shard loses anything by a kill."""

from __future__ import annotations

import json
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sealegs.engines.shards import NOTE
from sealegs.traces.record_chain import chain_file
from tests.cli.test_merge import done, files
from tests.cli.warm import WarmCommand, warm_command

LINE = "run maze --agent planner --limit 2 --levels C1 --modes NP,P1 --jobs 1"
RECORDS = "episodes.jsonl"
SEALEGS = [sys.executable, "-c", "from sealegs.cli import main; main()"]


@pytest.fixture(scope="module")
def sealegs() -> Iterator[WarmCommand]:
    with warm_command() as command:
        yield command


@pytest.fixture(scope="module")
def played(sealegs: WarmCommand, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two shards and the run that they are of; and shards of others."""
    folder = tmp_path_factory.mktemp("played")
    done(sealegs, f"{LINE} --out one", folder)
    for number in (1, 2):
        done(sealegs, f"{LINE} --shard {number}/2 --out s{number}", folder)
    done(sealegs, f"{LINE} --shard 2/3 --out third", folder)
    done(sealegs, f"{LINE} --shard 2/2 --seed 1 --out seeded", folder)
    return folder


@pytest.fixture
def folder(played: Path, tmp_path: Path) -> Path:
    shutil.copytree(played, tmp_path, dirs_exist_ok=True)
    return tmp_path


def other_code(folder: Path) -> None:
    note = json.loads((folder / "s2" / NOTE).read_text("utf-8"))
    (folder / "s2" / NOTE).write_text(json.dumps({**note, "code": "0" * 64}), "utf-8")


def all_other_code(folder: Path) -> None:
    for name in ("s1", "s2"):
        note = json.loads((folder / name / NOTE).read_text("utf-8"))
        (folder / name / NOTE).write_text(json.dumps({**note, "code": "0" * 64}), "utf-8")


def anothers_episode(folder: Path) -> None:
    with (folder / "s1" / RECORDS).open("ab") as out:
        out.write((folder / "s2" / RECORDS).read_bytes())


def damaged_line(folder: Path) -> None:
    lines = (folder / "s1" / RECORDS).read_bytes().splitlines(keepends=True)
    (folder / "s1" / RECORDS).write_bytes(b"".join([lines[0], b"{\n", *lines[2:]]))


def without_chains(change: Callable[[Path], None]) -> Callable[[Path], None]:
    """Change records that have no chain of digests, as those of an earlier version."""

    def changed(folder: Path) -> None:
        change(folder)
        for name in ("s1", "s2"):
            chain_file(folder / name / RECORDS).unlink()

    return changed


def other_content(folder: Path) -> None:
    shutil.copytree(folder / "one", folder / "merged")
    text = (folder / "merged" / RECORDS).read_text("utf-8")
    (folder / "merged" / RECORDS).write_text(text.replace('"reason": "answered"', '"reason": "crashed"'), "utf-8")


def other_settings(folder: Path) -> None:
    file = folder / "s2" / "run.json"
    file.write_text(file.read_text("utf-8").replace('"limit": 2', '"limit": 3'), "utf-8")


def no_settings(folder: Path) -> None:
    (folder / "s2" / "run.json").unlink()


def other_work(folder: Path) -> None:
    done_work = folder / "merged"
    done_work.mkdir()
    (done_work / "notes.txt").write_text("mine", "utf-8")


def nothing(_: Path) -> None:
    """Change nothing."""


@pytest.mark.parametrize(
    ("change", "line", "reason"),
    [
        (nothing, "s1 seeded", "seed was 0, is 1"),
        (nothing, "s1 third", "s1 is shard 1/2, third is shard 2/3"),
        (nothing, "s1 s1", "shard 1/2 appears twice, in s1 and s1"),
        (nothing, "s1 one", "one holds no shard"),
        (nothing, "s1 nowhere", "nowhere is not a folder"),
        (nothing, "s1 s2 --out s2", "s2 is a shard's folder"),
        (nothing, "s1 s2 --out third", "third holds shard 2/3"),
        (other_code, "s1 s2", "the version of the code"),
        (all_other_code, "s1 s2", "was made by another version of Sealegs"),
        (anothers_episode, "s1 s2", "s1/episodes.jsonl: added: lines"),
        (without_chains(anothers_episode), "s1 s2", "is of another shard, and not of shard 1/2"),
        (damaged_line, "s1 s2", "s1/episodes.jsonl: altered: line 2"),
        (without_chains(damaged_line), "s1 s2", "episodes.jsonl: line 2 is not an event of a record"),
        (other_content, "s1 s2", "appears twice with different content, in merged/episodes.jsonl and s1"),
        (other_settings, "s1 s2", "run.json differ; they are of different work"),
        (no_settings, "s1 s2", "s2/run.json cannot be read"),
        (other_work, "s1 s2", "merged is not empty and is not the folder of such a command"),
    ],
)
def test_what_contradicts_itself_is_refused(
    sealegs: WarmCommand, folder: Path, change: Callable[[Path], None], line: str, reason: str
) -> None:
    change(folder)
    before = files(folder)
    line = line if "--out" in line else f"{line} --out merged"
    message = " ".join(done(sealegs, f"merge {line}", folder, 2).split())
    assert message.startswith("sealegs: ")
    assert reason in message
    assert files(folder) == before


def test_a_shard_with_nothing_to_do_is_a_shard(sealegs: WarmCommand, folder: Path) -> None:
    line = LINE.replace("NP,P1", "NP").replace("--limit 2", "--limit 1")
    for number in (1, 2):
        message = done(sealegs, f"{line} --shard {number}/2 --out t{number}", folder)
        assert ("shard 2/2 has nothing to do" in message) == (number == 2)
    assert done(sealegs, "merge t1 t2 --out merged", folder) == ""
    assert (folder / "merged" / RECORDS).read_bytes() == (folder / "t1" / RECORDS).read_bytes()


def test_a_shard_that_was_killed_at_its_start_is_missing(sealegs: WarmCommand, folder: Path) -> None:
    (folder / "begun").mkdir()
    (folder / "begun" / ".shard.json.4711").write_text("{", "utf-8")
    message = " ".join(done(sealegs, "merge begun s2 --out without", folder, 3).split())
    assert "missing shards: 1/2 (2 episodes)" in message
    assert "begun holds no shard" in done(sealegs, "merge begun --out nothing", folder, 2)


def test_the_runs_command_plays_what_a_merge_lacks(sealegs: WarmCommand, folder: Path) -> None:
    message = " ".join(done(sealegs, "merge s2 --out merged --json merged.json", folder, 3).split())
    assert "missing shards: 1/2 (2 episodes)" in message
    events = map(json.loads, (folder / "s1" / RECORDS).read_text("utf-8").splitlines())
    ids = [event["episode"] for event in events if event["type"] == "started"]
    assert f"missing episodes: {', '.join(sorted(ids))}" in message
    rows = {row["metric"]: (row["value"], row["n"]) for row in json.loads((folder / "merged.json").read_text())["rows"]}
    assert rows == {"shards": (1, 2), "episodes": (2, 4)}
    assert "2 of 4 episodes are finished" in sealegs(["report", "merged"], folder).err
    (folder / "merged" / "report.html").unlink()
    done(sealegs, f"{LINE} --out merged", folder)
    done(sealegs, "merge s1 s2 --out merged", folder)  # which adds nothing, and puts the records in order
    assert files(folder / "merged") == files(folder / "one")


def test_runs_of_several_models_are_merged_each(sealegs: WarmCommand, folder: Path) -> None:
    for number in (1, 2):
        (folder / f"all{number}").mkdir()
        shutil.copytree(folder / f"s{number}", folder / f"all{number}" / "planner")
    done(sealegs, "merge all1 all2 --out merged", folder)
    assert files(folder / "merged" / "planner") == files(folder / "one")


# Merges again and again, killed (not interrupted: nothing is tidied up) before each of its renames in turn.
KILLED = """
import os
from pathlib import Path
from sealegs.cli.verbs.merge import merge_command
from sealegs.engines import merging
from sealegs.suites.maze import maze_logs, options, suite
rename, count = Path.replace, 0

def replace(one, other):
    global count
    count += 1
    if count == number:
        os._exit(9)
    return rename(one, other)

number = 0
while True:
    number += 1
    child = os.fork()
    if child == 0:
        Path.replace = replace
        merge_command([Path("s1"), Path("s2")], Path(f"merged{number}"), "")
        os._exit(0)
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0:
        break
print(number)
"""


def test_a_killed_merge_is_resumed(sealegs: WarmCommand, folder: Path) -> None:
    ended = subprocess.run([sys.executable, "-c", KILLED], cwd=folder, capture_output=True, text=True)
    count = int(ended.stdout.splitlines()[-1])
    assert count >= 3, "run.json and the records are renamed"
    for number in range(1, count + 1):
        done(sealegs, f"merge s1 s2 --out merged{number}", folder)
        whole = {name: data for name, data in files(folder / f"merged{number}").items() if not name.startswith(".")}
        assert whole == files(folder / "one")


def test_a_killed_shard_is_resumed(sealegs: WarmCommand, folder: Path) -> None:
    line = LINE.replace("--modes NP,P1", "").replace("--limit 2", "--limit 6")
    killed = folder / "killed"
    with subprocess.Popen([*SEALEGS, *line.split(), "--shard", "1/2", "--out", "killed"], cwd=folder) as process:
        while not (killed / RECORDS).exists() or not (killed / RECORDS).stat().st_size:
            assert process.poll() is None
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
    played = (killed / RECORDS).read_bytes().count(b'"started"')
    done(sealegs, f"{line} --out killed", folder, 2)
    done(sealegs, f"{line} --shard 1/2 --out killed", folder)
    done(sealegs, f"{line} --shard 2/2 --out other", folder)
    done(sealegs, "merge killed other --out merged", folder)
    done(sealegs, f"{line} --out whole", folder)
    assert files(folder / "merged") == files(folder / "whole")
    assert 0 < played < (killed / RECORDS).read_bytes().count(b'"started"')


@pytest.mark.parametrize("key", ["", "a secret"])
def test_what_was_altered_after_a_merge_is_not_sealed_by_the_next(
    sealegs: WarmCommand, folder: Path, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEALEGS_RECORD_KEY", key)
    for number in (1, 2):
        shutil.rmtree(folder / f"s{number}")
        done(sealegs, f"{LINE} --shard {number}/2 --out s{number}", folder)
    done(sealegs, "merge s1 --out merged", folder, 3)
    records = folder / "merged" / RECORDS
    whole = records.read_bytes()
    records.write_bytes(whole.replace(b'"reason": "answered"', b'"reason": "crashed"', 1))
    before = files(folder / "merged")
    assert "merged/episodes.jsonl: altered: line" in done(sealegs, "merge s2 --out merged", folder, 2)
    assert files(folder / "merged") == before
    records.write_bytes(whole)
    done(sealegs, "merge s2 --out merged", folder)
    done(sealegs, "report merged --verify", folder)
    assert all(stat.S_IMODE(file.stat().st_mode) == 0o600 for file in (folder / "merged").iterdir())


def test_a_merge_that_was_stopped_before_it_sealed_is_finished(sealegs: WarmCommand, folder: Path) -> None:
    done(sealegs, "merge s1 --out merged", folder, 3)
    chain = chain_file(folder / "merged" / RECORDS)
    old = chain.read_bytes()
    done(sealegs, "merge s1 s2 --out merged", folder)
    wanted = files(folder / "merged")
    chain.write_bytes(old)
    done(sealegs, "merge s1 s2 --out merged", folder)
    assert files(folder / "merged") == wanted
