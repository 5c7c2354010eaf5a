"""The two engines give the same episodes, and Inspect's own command runs the suite."""

import gc
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sealegs.engines.direct import play_scenario
from sealegs.engines.logs import LogError
from sealegs.scenarios.scenario import Scenario
from sealegs.scoring import judge
from sealegs.suites.maze.maze_eval import run_maze_in_inspect
from sealegs.suites.maze.maze_logs import read_maze_run
from sealegs.suites.maze.options import MazeOptions
from sealegs.traces import AnswerGiven, EpisodeEnded, build_record
from sealegs.traces.inspect_logs import with_end

# Inspect leaves streams open and uses deprecated calls of its own dependencies.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def tidied() -> Iterator[None]:
    """What is left open is found here and not in the midst of another test."""
    yield
    gc.collect()


@pytest.mark.parametrize("agent", ["oracle", "planner", "retrier", "naive"])
def test_inspect_and_direct_agree_call_by_call(agent: str, tmp_path: Path) -> None:
    run_maze_in_inspect(MazeOptions(agent=agent, limit=2, engine="inspect"), tmp_path / "logs", display="none")
    found = read_maze_run(tmp_path / "logs")
    assert found.who == {"suite": "maze", "agent": agent, "task_set": next(iter(found.records)).set.edition}
    assert len(found.records) == 40
    for episode, through_inspect in found.records.items():
        direct = build_record(play_scenario(episode, agent))
        assert through_inspect.turns == direct.turns
        assert through_inspect.answer == direct.answer


def test_a_run_through_inspect_is_resumed(tmp_path: Path) -> None:
    settings = MazeOptions(agent="naive", limit=1, levels=("C1",), modes=("NP", "P1"), engine="inspect")
    run_maze_in_inspect(settings, tmp_path / "logs", display="none")
    logs = list((tmp_path / "logs").glob("*.eval"))
    run_maze_in_inspect(settings, tmp_path / "logs", display="none")
    assert list((tmp_path / "logs").glob("*.eval")) == logs


def test_a_wrong_option_of_the_task_is_one_line() -> None:
    command = [sys.executable, "-m", "inspect_ai", "eval", "sealegs/maze", "--model", "sealegs/planner"]
    done = subprocess.run([*command, "-T", "levels=C9"], capture_output=True, text=True, timeout=600)
    assert done.returncode != 0
    assert (done.stdout + done.stderr).split("\n", 1)[1].strip() == "unknown level 'C9': choose from C1, C2, C3, C4"


@pytest.mark.slow
def test_inspect_eval_by_entry_point(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "inspect_ai", "eval", "sealegs/maze", "--model", "sealegs/planner"]
    options = [
        "-T",
        "levels=C2",
        "-T",
        "modes=P1,P3",
        "-T",
        "limit=2",
        "-T",
        "implicit=published",
        "--log-dir",
        str(tmp_path),
        "--display",
        "plain",
    ]
    done = subprocess.run([*command, *options], capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stdout + done.stderr
    found = read_maze_run(tmp_path)
    assert {(e.mode, e.epoch) for e in found.records} == {("P1", 1), ("P3", 1)}
    assert all(result.verdict.success for result in found.results())
    (log,) = tmp_path.glob("*.eval")
    dump = subprocess.run(
        [sys.executable, "-m", "inspect_ai", "log", "dump", str(log)], capture_output=True, text=True, check=True
    )
    sample = json.loads(dump.stdout)["samples"][0]
    notes = [event["source"] for event in sample["events"] if event["event"] == "info"]
    assert notes.count("sealegs fault") == 1
    assert notes.count("sealegs record") == 1
    assert sample["scores"]["verdict"]["value"] == "C"


def test_a_crashed_sample_counts_as_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sealegs.agents import planners

    def broken(self: object) -> None:
        raise RuntimeError("the agent fell over")

    monkeypatch.setattr(planners.Planner, "act", broken)
    settings = MazeOptions(agent="planner", limit=1, levels=("C1",), modes=("NP",), engine="inspect")
    run_maze_in_inspect(settings, tmp_path / "logs", display="none")
    (result,) = read_maze_run(tmp_path / "logs").results()
    assert not result.verdict.success
    assert result.verdict.attribution == "crashed"


def test_a_crashing_agent_is_a_failed_episode_of_the_direct_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    from sealegs.agents import planners

    def broken(self: object) -> None:
        raise RuntimeError("the agent fell over")

    monkeypatch.setattr(planners.Planner, "act", broken)
    episode = Scenario("c1-01", "P1")
    found = build_record(play_scenario(episode, "planner"))
    verdict = judge(found, episode.case(found))
    assert (verdict.success, verdict.exposed, verdict.attribution) == (False, False, "crashed")


def test_a_log_cut_off_at_any_byte_gives_what_is_whole_in_it(tmp_path: Path) -> None:
    run_maze_in_inspect(
        MazeOptions(agent="naive", limit=1, modes=("NP", "P1"), engine="inspect"), tmp_path / "logs", display="none"
    )
    (log,) = (tmp_path / "logs").glob("*.eval")
    whole = log.read_bytes()
    seen = set()
    for share in (0.2, 0.5, 0.8, 0.99):
        cut = tmp_path / f"{share}.eval"
        cut.write_bytes(whole[: int(share * len(whole))])
        try:
            found = read_maze_run(cut)
        except LogError as error:
            assert "cut off" in str(error) or "not a readable" in str(error)  # noqa: PT017
            continue
        assert "cut off" in found.warnings[0]
        seen.add(len(found.records))
    assert len(seen) >= 2
    assert max(seen) <= 8


def test_an_episode_that_inspect_cut_off_counts_as_cut_off() -> None:
    events = [
        event
        for event in play_scenario(Scenario("c1-01", "P1"), "planner")
        if not isinstance(event, EpisodeEnded | AnswerGiven)
    ]
    found = build_record(with_end(events))
    assert (found.end.reason, found.answer) == ("limit", None)
    assert not judge(found, Scenario("c1-01", "P1").case(found)).success
