"""A run whose last writer was killed before it sealed its records is sealed by the same command."""

import json
from pathlib import Path

import pytest

from sealegs.suites.maze.agent_run import run_scripted_agent
from sealegs.suites.maze.options import MazeOptions
from sealegs.traces.chain_check import check_chain
from sealegs.traces.environment_names import RECORD_KEY
from sealegs.traces.record_chain import chain_file

OPTIONS = MazeOptions(agent="planner", levels=("C1",), limit=1, jobs=1)


def nobody(_done: int, _total: int) -> None:
    """Whom nobody tells."""


@pytest.mark.parametrize("kept", [0, 0.5], ids=["killed before it", "killed within it"])
def test_the_same_command_seals_a_finished_run(tmp_path: Path, kept: float) -> None:
    run_scripted_agent(OPTIONS, tmp_path, nobody)
    records = tmp_path / "episodes.jsonl"
    whole, played = chain_file(records).read_bytes(), records.read_bytes()
    *entries, seal = whole.splitlines(keepends=True)
    assert "seal" in json.loads(seal)
    chain_file(records).write_bytes(b"".join(entries) + seal[: int(len(seal) * kept)])
    assert check_chain(records).state != "whole"
    run_scripted_agent(OPTIONS, tmp_path, nobody)
    assert (chain_file(records).read_bytes(), records.read_bytes()) == (whole, played)


def test_a_finished_run_that_was_altered_is_not_made_whole(tmp_path: Path) -> None:
    run_scripted_agent(OPTIONS, tmp_path, nobody)
    records = tmp_path / "episodes.jsonl"
    records.write_bytes(records.read_bytes().replace(b"planner", b"plunder"))
    before = chain_file(records).read_bytes()
    run_scripted_agent(OPTIONS, tmp_path, nobody)
    assert check_chain(records).state == "changed"
    assert chain_file(records).read_bytes() == before


def test_a_run_under_a_key_is_not_sealed_without_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(RECORD_KEY, "one key")
    run_scripted_agent(OPTIONS, tmp_path, nobody)
    records = tmp_path / "episodes.jsonl"
    whole = chain_file(records).read_bytes()
    entries = b"".join(whole.splitlines(keepends=True)[:-1])
    chain_file(records).write_bytes(entries)
    monkeypatch.delenv(RECORD_KEY)
    run_scripted_agent(OPTIONS, tmp_path, nobody)
    assert chain_file(records).read_bytes() == entries
    monkeypatch.setenv(RECORD_KEY, "one key")
    run_scripted_agent(OPTIONS, tmp_path, nobody)
    assert chain_file(records).read_bytes() == whole
