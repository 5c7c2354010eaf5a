"""The same agent under the same plan comes to the same end, whatever carries its calls."""

from __future__ import annotations

import errno

import pytest

from sealegs.engines.direct import play_scenario
from sealegs.engines.episode_harness import MachineFailed
from sealegs.scenarios.scenario import Scenario
from sealegs.scenarios.scenario_setup import ScenarioSetup
from sealegs.scoring import judge
from sealegs.suites.choices import ChoiceError
from sealegs.suites.maze.options import MazeOptions
from sealegs.traces import build_record
from tests import needs

MODES = ("NP", "P1", "P2", "P3", "P4")
LANGCHAIN = [(f"{level}-0{place}", mode) for place, level in enumerate(("c1", "c2", "c3", "c4"), 1) for mode in MODES]
MCP = [("c1-03", "P3", "planner", "off"), ("c2-05", "P1", "retrier", "active"), ("c4-02", "P4", "naive", "active")]


def same_end(task: str, mode: str, agent: str, recovery: str, engine: str) -> None:
    episode = Scenario(task, mode)
    mine, other = (
        build_record(play_scenario(episode, agent, ScenarioSetup(recovery=recovery), how)) for how in ("direct", engine)
    )
    assert judge(other, episode.case(other)) == judge(mine, episode.case(mine))
    assert [(turn.call.tool, turn.call.arguments, turn.by) for turn in other.turns] == [
        (turn.call.tool, turn.call.arguments, turn.by) for turn in mine.turns
    ]
    assert other.effects == mine.effects
    assert (other.answer, other.end.reason) == (mine.answer, mine.end.reason)


@pytest.mark.parametrize("recovery", ["off", "active"])
@pytest.mark.parametrize("agent", ["naive", "retrier", "planner"])
def test_over_langchain(agent: str, recovery: str) -> None:
    pytest.importorskip("langchain", reason=needs.module("langchain"))
    for task, mode in LANGCHAIN[hash_of(agent, recovery) :: 5]:
        same_end(task, mode, agent, recovery, "langchain")


def hash_of(agent: str, recovery: str) -> int:
    """Where in the sample to begin."""
    return (len(agent) + len(recovery)) % 5


@pytest.mark.parametrize(("task", "mode", "agent", "recovery"), MCP)
def test_over_mcp(task: str, mode: str, agent: str, recovery: str) -> None:
    same_end(task, mode, agent, recovery, "mcp")


def test_an_agent_without_end_is_cut_off_alike() -> None:
    pytest.importorskip("langchain", reason=needs.module("langchain"))
    episode = Scenario("c1-01", "NP")
    for engine in ("direct", "langchain"):
        end = build_record(play_scenario(episode, "naive", ScenarioSetup(2), engine)).end
        assert (end.reason, end.detail) == ("steps", "no answer within 2 steps")


def test_engines_are_for_scripted_agents() -> None:
    with pytest.raises(ChoiceError, match="the mcp engine runs scripted agents alone"):
        MazeOptions(model="openai/gpt-5", levels="C1", modes="NP", limit=1, engine="mcp").checked()
    chosen = MazeOptions(agent="naive", levels="C1", modes="NP", limit=1, engine="langchain").checked()
    assert (chosen.engine, chosen.name) == ("langchain", "maze-naive-C1-NP-limit1-langchain")


def test_a_machine_without_pipes_is_no_result_of_the_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a crash of the agent, it would stay in the records of a run that seems whole."""

    def refused() -> tuple[int, int]:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr("sealegs.engines.mcp_engine.os.pipe", refused)
    with pytest.raises(MachineFailed, match="the same command resumes the run"):
        play_scenario(Scenario("c1-01", "NP"), "planner", engine="mcp")
