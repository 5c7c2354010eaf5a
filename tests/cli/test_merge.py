"""Shards of every command, and `sealegs merge`: their union is what one process makes."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from sealegs.suites.micro.campaign.kept_records import check_campaign_records
from tests import needs
from tests.cli.warm import WarmCommand, warm_command

MAZE = "run maze --agent planner --limit 1 --levels C1,C2"
RUNS = {  # of each suite
    "maze": MAZE,
    "highwater": "run highwater --agent naive --limit 3 --interface calls",
    "paladin": "run paladin --agent follower --arm paladin --limit 3",
}


@pytest.fixture(scope="module")
def sealegs() -> Iterator[WarmCommand]:
    with warm_command() as command:
        yield command


def done(sealegs: WarmCommand, line: str, folder: Path, code: int = 0) -> str:
    """Run a command that must end so; returns what it wrote to standard error."""
    ended = sealegs(line.split(), folder)
    assert ended.code == code, f"{line}\n{ended.out}\n{ended.err}"
    assert "Traceback" not in ended.err
    return ended.err


def shards(sealegs: WarmCommand, line: str, folder: Path, jobs: str = "") -> list[str]:
    """Do both shards, the second one first; returns their folders."""
    for number, more in ((2, jobs and "--jobs 2"), (1, jobs and "--jobs 1")):
        done(sealegs, f"{line} --shard {number}/2 --out s{number} {more}", folder)
    return ["s1", "s2"]


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("suite", RUNS)
def test_merged_shards_are_what_one_process_writes(sealegs: WarmCommand, suite: str, tmp_path: Path) -> None:
    line = RUNS[suite]
    done(sealegs, f"{line} --jobs 1 --out one", tmp_path)
    shards(sealegs, line, tmp_path, "mixed" if suite == "maze" else "")
    assert "note: this is shard" in sealegs(["report", "s1"], tmp_path).err
    assert done(sealegs, "merge s2 s1 --out merged", tmp_path) == ""
    assert files(tmp_path / "merged") == files(tmp_path / "one")
    for name in ("one", "merged"):
        done(sealegs, f"report {name} --json {name}.json", tmp_path)
    assert files(tmp_path / "merged") == files(tmp_path / "one"), "the pages differ"
    assert (tmp_path / "merged.json").read_bytes() == (tmp_path / "one.json").read_bytes()


MADE = {
    "data": "data make default --n 40 --row-format both",
    "tasks": "maze generate --n 2 --levels C1",
}
CAMPAIGN = """
default model=scripted/naive,scripted/oracle
tip unreachable,incorrect
"""


@pytest.mark.slow
def test_merged_shards_of_a_campaign(sealegs: WarmCommand, tmp_path: Path) -> None:
    pytest.importorskip("langchain", reason=needs.module("langchain"))
    (tmp_path / "small.campaign").write_text(CAMPAIGN, encoding="utf-8")
    line = "campaign run small.campaign"
    done(sealegs, f"{line} --out one", tmp_path)
    shards(sealegs, line, tmp_path)
    assert "missing shards" in done(sealegs, "merge s1 --out merged", tmp_path, 3)
    shutil.copytree(tmp_path / "merged", tmp_path / "rest")
    assert "are not finished" in sealegs(["campaign", "report", "merged"], tmp_path).err
    done(sealegs, "merge s2 s1 --out merged", tmp_path)
    done(sealegs, f"{line} --out rest", tmp_path)
    for name in ("one", "merged", "rest"):
        done(sealegs, f"campaign report {name} --json {name}.json", tmp_path)
        assert (tmp_path / f"{name}.json").read_bytes() == (tmp_path / "one.json").read_bytes()
        assert (tmp_path / name / "runs.csv").read_bytes() == (tmp_path / "one" / "runs.csv").read_bytes()
        assert (tmp_path / name / "campaign.json").read_bytes() == (tmp_path / "one" / "campaign.json").read_bytes()
    traces = [sorted(file.name for file in (tmp_path / name / "traces").iterdir()) for name in ("one", "merged")]
    assert traces[0] == traces[1]
    for name in ("one", "merged", "rest"):
        assert {found.state for found in check_campaign_records(tmp_path / name)} == {"whole"}
        assert {file.stat().st_mode & 0o777 for file in (tmp_path / name / "traces").iterdir()} == {0o600}
    shutil.copytree(tmp_path / "s1", tmp_path / "altered")
    trace = max((tmp_path / "altered" / "traces").glob("*.jsonl"), key=lambda file: file.stat().st_size)
    trace.write_bytes(trace.read_bytes().replace(b"tip", b"tap"))
    refused = done(sealegs, "merge altered s2 --out other", tmp_path, 2)
    assert f"{trace.name}: altered: " in refused


SHOP = Path(__file__).parents[1] / "suites" / "inspect_eval" / "evals" / "shop.py"


OVER_INSPECT = {
    "eval": f"run inspect --task {SHOP}@plain --model shopclerk/patient --modes NP,P1",
    "model": "run maze --agent planner --engine inspect --limit 2 --levels C1 --modes NP,P1",
}


@pytest.mark.slow
@pytest.mark.parametrize("what", OVER_INSPECT)
def test_merged_shards_of_a_run_over_inspect(sealegs: WarmCommand, what: str, tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai", reason=needs.module("inspect_ai"))
    line = OVER_INSPECT[what]
    done(sealegs, f"{line} --out one", tmp_path)
    shards(sealegs, line, tmp_path)
    assert "missing shards" in done(sealegs, "merge s1 --out merged", tmp_path, 3)
    shutil.copytree(tmp_path / "merged", tmp_path / "rest")
    done(sealegs, "merge s2 s1 --out merged", tmp_path)
    done(sealegs, f"{line} --out rest", tmp_path)
    for name in ("one", "merged", "rest"):
        done(sealegs, f"report {name} --json {name}.json", tmp_path)
        assert (tmp_path / f"{name}.json").read_bytes() == (tmp_path / "one.json").read_bytes()
        assert (tmp_path / name / "run.json").read_bytes() == (tmp_path / "one" / "run.json").read_bytes()


@pytest.mark.parametrize("what", ["data", pytest.param("tasks", marks=pytest.mark.slow)])
def test_merged_shards_are_the_set_that_one_process_makes(sealegs: WarmCommand, what: str, tmp_path: Path) -> None:
    line = MADE[what]
    done(sealegs, f"{line} --jobs 1 --out one", tmp_path)
    shards(sealegs, line, tmp_path)
    assert "missing shards: 2/2 (" in done(sealegs, "merge s1 --out merged", tmp_path, 3)
    shutil.copytree(tmp_path / "merged", tmp_path / "rest")
    done(sealegs, "merge s2 s1 --out merged --json merged.json", tmp_path)
    assert files(tmp_path / "merged") == files(tmp_path / "one")
    done(sealegs, f"{line} --jobs 1 --out rest", tmp_path)
    assert files(tmp_path / "rest") == files(tmp_path / "one"), "the command makes what was missing"
    # As a merge leaves it that was killed at its last removal.
    shutil.copy(tmp_path / "s1" / "ahead.jsonl", tmp_path / "merged")
    again = done(sealegs, "merge s2 s1 --out merged", tmp_path)
    assert "missing" not in again
    assert files(tmp_path / "merged") == files(tmp_path / "one")
