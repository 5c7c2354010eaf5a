"""A run whose last writer was killed before it sealed its records is sealed by the same command."""

import json
from pathlib import Path

import pytest

from sealegs.faults.user_error import UserError
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


@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        ("one", "", "was begun with a key; set SEALEGS_RECORD_KEY to it"),
        ("one", "two", "was begun with another key than SEALEGS_RECORD_KEY has now"),
        ("", "one", "was begun without a key; unset SEALEGS_RECORD_KEY"),
    ],
)
@pytest.mark.parametrize("left", ["a seal", "an episode"])
def test_a_run_is_not_continued_under_another_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str, now: str, said: str, left: str
) -> None:
    monkeypatch.setenv(RECORD_KEY, before)
    run_scripted_agent(OPTIONS, tmp_path, nobody)
    records = tmp_path / "episodes.jsonl"
    chain, played = chain_file(records).read_bytes(), records.read_bytes()
    chain_file(records).write_bytes(b"".join(chain.splitlines(keepends=True)[:-1]))
    if left == "an episode":
        records.write_bytes(played[: played.rindex(b'{"type": "started"')])
    state = chain_file(records).read_bytes(), records.read_bytes()
    monkeypatch.setenv(RECORD_KEY, now)
    with pytest.raises(UserError, match=said):
        run_scripted_agent(OPTIONS, tmp_path, nobody)
    assert (chain_file(records).read_bytes(), records.read_bytes()) == state
    monkeypatch.setenv(RECORD_KEY, before)
    run_scripted_agent(OPTIONS, tmp_path, nobody)
    assert check_chain(records, before.encode()).state == "whole"
    assert records.read_bytes() == played
