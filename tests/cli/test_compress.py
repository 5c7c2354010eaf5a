"""`sealegs compress`: whatever reads a run says the same before and after, and nothing is appended to what it left."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import pytest

from sealegs.traces.record_chain import chain_file
from tests import needs
from tests.cli.test_merge import done, files, sealegs
from tests.cli.warm import WarmCommand

__all__ = ["sealegs"]  # a fixture

LINE = "run maze --agent planner --limit 2 --levels C1 --modes NP,P1,P3 --jobs 1"
RECORDS = "episodes.jsonl"


@pytest.fixture(scope="module")
def played(sealegs: WarmCommand, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run, its two shards, and a run of another agent."""
    folder = tmp_path_factory.mktemp("played")
    done(sealegs, f"{LINE} --out one", folder)
    done(sealegs, f"{LINE.replace('planner', 'naive')} --out other", folder)
    for number in (1, 2):
        done(sealegs, f"{LINE} --shard {number}/2 --out s{number}", folder)
    return folder


@pytest.fixture
def folder(played: Path, tmp_path: Path) -> Path:
    shutil.copytree(played, tmp_path, dirs_exist_ok=True)
    return tmp_path


def told(sealegs: WarmCommand, line: str, folder: Path) -> tuple[int, str, str]:
    ended = sealegs(line.split(), folder)
    return ended.code, ended.out, ended.err


READING = [
    "report one --html page.html --json -",
    "report one/episodes.jsonl --html page.html --json -",
    "report one --against other --html page.html --json -",
    "report --verify one",
    "report one/episodes.jsonl --verify --json -",
    "rank one other --json -",
    "replay one/episodes.jsonl --json -",
    "detect learn one/episodes.jsonl --out profiles.json",
    "plan from-traces one/episodes.jsonl --out fitted.yaml",
    "bank mine one/episodes.jsonl --bank bank.yaml --yes",
    "diagnose one/episodes.jsonl",
    LINE + " --out one",
]


def test_readers_say_the_same_before_and_after(sealegs: WarmCommand, folder: Path) -> None:
    pytest.importorskip("jinja2", reason=needs.module("jinja2"))

    def shown() -> list[tuple[object, ...]]:
        """What each command says, and what it leaves beside the run."""
        return [(*told(sealegs, line, folder), made(folder)) for line in READING]

    def made(folder: Path) -> dict[str, bytes]:
        return {file.name: file.read_bytes() for file in sorted(folder.iterdir()) if file.is_file()}

    plain = shown()
    assert {code for code, *_ in plain} <= {0, 1}, plain
    for file in folder.iterdir():
        if file.is_file():
            file.unlink()
    data = (folder / "one" / RECORDS).read_bytes()
    code, out, err = told(sealegs, "compress one other", folder)
    assert (code, err, out.count("is compressed:")) == (0, "", 2)
    assert f"one/{RECORDS}.gz is compressed: " in out
    assert f" bytes in place of {len(data):,}." in out
    for line, before, after in zip(READING, plain, shown(), strict=True):
        assert after == before, line
    assert not (folder / "one" / RECORDS).exists()
    assert not (folder / "other" / RECORDS).exists()
    code, out, _ = told(sealegs, "compress one", folder)
    assert (code, "is compressed already: " in out) == (0, True)


def test_what_others_compressed_beside_a_run_is_none_of_its_records(sealegs: WarmCommand, folder: Path) -> None:
    done(sealegs, "compress one", folder)
    before = [told(sealegs, line, folder)[:2] for line in ("report one --json -", "report one --verify", "rank one")]
    (folder / "one" / "tasks.jsonl.gz").write_bytes(gzip.compress(b"{}\n"))
    after = [told(sealegs, line, folder)[:2] for line in ("report one --json -", "report one --verify", "rank one")]
    assert after == before


def test_the_compressed_form_can_be_named(sealegs: WarmCommand, folder: Path) -> None:
    before = [told(sealegs, f"{verb} one/{RECORDS}", folder)[:2] for verb in ("report --verify", "replay", "rank")]
    done(sealegs, "compress one", folder)
    after = [told(sealegs, f"{verb} one/{RECORDS}.gz", folder)[:2] for verb in ("report --verify", "replay", "rank")]
    assert [code for code, _ in before] == [0, 0, 0]
    assert after == before


@pytest.mark.parametrize("compressed", ["s1", "s1 s2"])
def test_compressed_shards_are_merged_into_the_same_run(sealegs: WarmCommand, folder: Path, compressed: str) -> None:
    done(sealegs, f"compress {compressed}", folder)
    done(sealegs, "merge s2 s1 --out merged", folder)
    assert files(folder / "merged") == files(folder / "one")


def test_a_merge_adds_nothing_to_a_compressed_run(sealegs: WarmCommand, folder: Path) -> None:
    assert "missing shards" in done(sealegs, "merge s1 --out merged", folder, 3)
    done(sealegs, "compress merged", folder)
    before = files(folder / "merged")
    assert "is compressed, and nothing can be appended to it" in done(sealegs, "merge s1 s2 --out merged", folder, 2)
    assert files(folder / "merged") == before
    assert "missing shards" in done(sealegs, "merge s1 --out merged", folder, 3)  # which brings nothing new
    assert files(folder / "merged") == before
    shutil.rmtree(folder / "merged")
    done(sealegs, "merge s1 s2 --out merged", folder)
    done(sealegs, "compress merged", folder)
    before = files(folder / "merged")
    done(sealegs, "merge s2 s1 --out merged", folder)
    assert files(folder / "merged") == before


def test_a_run_with_episodes_left_is_not_resumed(sealegs: WarmCommand, folder: Path) -> None:
    records = folder / "one" / RECORDS
    whole = records.read_bytes()
    lines = whole.splitlines(keepends=True)
    first = next(place for place, line in enumerate(lines) if json.loads(line)["type"] == "ended") + 1
    records.write_bytes(b"".join(lines[:first]))
    chain_file(records).unlink()
    done(sealegs, "compress one", folder)
    before = files(folder / "one")
    err = done(sealegs, f"{LINE} --out one", folder, 2)
    assert err.count("\n") <= 3
    text = " ".join(err.split())
    assert f"one/{RECORDS}.gz is compressed, and nothing can be appended to it; unpack it first (gunzip one/" in text
    assert files(folder / "one") == before
    code, _, err = told(sealegs, "report one", folder)
    assert (code, f"1 of {whole.count(b'ended')} episodes" in " ".join(err.split())) == (0, True), err
    records.write_bytes(b"".join(lines[:first]))  # as gunzip leaves it
    records.with_name(f"{RECORDS}.gz").unlink()
    done(sealegs, f"{LINE} --out one", folder)
    assert records.read_bytes() == whole


def test_a_replay_is_not_appended_to_a_compressed_file(sealegs: WarmCommand, folder: Path) -> None:
    done(sealegs, "compress other", folder)
    err = done(sealegs, f"replay one/{RECORDS} --records other/{RECORDS}", folder, 2)
    assert "unpack it first (gunzip" in " ".join(err.split())


@pytest.mark.parametrize(
    "verb", ["report", "report --verify", "rank", "replay", "detect learn --out p.json", "compress"]
)
@pytest.mark.parametrize("damage", ["cut", "changed"])
def test_damage_is_one_message(sealegs: WarmCommand, folder: Path, verb: str, damage: str) -> None:
    done(sealegs, "compress one", folder)
    file = folder / "one" / f"{RECORDS}.gz"
    data = file.read_bytes()
    file.write_bytes(data[:-40] if damage == "cut" else data[:200] + b"\0\0\0" + data[203:])
    place = "one" if verb in ("report", "report --verify", "rank", "compress") else f"one/{RECORDS}"
    code, out, err = told(sealegs, f"{verb} {place}", folder)
    if (verb, damage) == ("compress", "changed"):  # which only counts the bytes of what it wrote once
        assert (code, err) == (0, "")
        return
    assert code == (1 if "verify" in verb else 2), (out, err)
    said = " ".join((out + err).split())
    assert f"one/{RECORDS}.gz" in said
    assert ("breaks off" if damage == "cut" else "the block at byte 0 is damaged") in said
    assert "restore the file or delete it" in said
    assert said.count("breaks off") + said.count("is damaged") == 1
