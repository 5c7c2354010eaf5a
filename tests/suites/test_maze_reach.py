"""The ceiling of recovery is what can be reached: counted twice, and played."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from sealegs.engines.direct import play_scenario
from sealegs.faults.call import Failure
from sealegs.faults.spec import ToolSpec
from sealegs.recovery.policies import Alternative, CallArgument, Fixed, StepField
from sealegs.scenarios import LEVELS
from sealegs.scenarios.perturbation import PUBLISHED_FAMILIES
from sealegs.scenarios.recovery_alternatives import declared_alternatives
from sealegs.scenarios.scenario import Scenario, list_scenarios
from sealegs.scenarios.scenario_setup import ScenarioSetup
from sealegs.scoring import judge
from sealegs.scoring.maze_metrics import CEILING, MazeResult, maze_table
from sealegs.suites.maze import recovery_ceiling as reaching
from sealegs.suites.maze.recovery_ceiling import HABITS, OTHERS, FaultedStep, with_reach, within_reach
from sealegs.tasks.graph import Binding, Branch, Constant, Field, Group, Step, UserInput
from sealegs.traces.record import build_record

MODES = ("P1", "P2", "P3", "P4")
GONE = Failure("Gone", "Gone", 410)


@pytest.mark.parametrize("moment", ["draw", "before", "after"])
@pytest.mark.parametrize("mode", MODES)
def test_what_is_within_reach_is_reached_and_nothing_beyond(mode: str, moment: str) -> None:
    for one in list_scenarios(LEVELS, (mode,), limit=4):
        episode = replace(one, moment=moment, implicit=PUBLISHED_FAMILIES)
        for agent in ("naive", "retrier"):
            found = build_record(play_scenario(episode, agent, ScenarioSetup(recovery="active")))
            success = judge(found, episode.case(found)).success
            assert success == within_reach(episode, HABITS.get(agent, OTHERS)), (episode.id, agent)


def undone(episode: Scenario, id: str) -> FaultedStep:
    """A fault that breaks a tool for good, and of which it is known that nothing was done."""
    return FaultedStep(ToolSpec(episode.base.graph.steps[id].tool, effects=False), GONE, True, None, True, True)


@pytest.mark.parametrize(("memory", "further", "reached"), [(False, False, 100), (True, False, 127), (True, True, 246)])
def test_how_far_permanent_faults_are_within_reach(
    memory: bool, further: bool, reached: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With alternatives for lone calls, with values of earlier calls too, with ways of several calls too."""
    monkeypatch.setattr(reaching, "faulted_step", undone)
    naive, counted = HABITS["naive"], 0
    for episode in list_scenarios(LEVELS, ("P2",)):
        ways = [way for way in declared_alternatives(episode) if _counts(way, episode, memory=memory, further=further)]
        mine = within_reach(episode, naive, ways)
        assert further or mine == all(by_hand(episode, memory)), episode.id
        counted += mine
    assert counted == reached


def _counts(way: Alternative, episode: Scenario, *, memory: bool, further: bool) -> bool:
    graph = episode.base.graph
    lone = len(graph.home[graph.step_of[way.tool].id][1].steps) == 1
    plain = all(isinstance(source, (CallArgument, Fixed, StepField)) for source in way.sources())
    return (further or lone) and (memory or plain)


def by_hand(episode: Scenario, memory: bool) -> Iterator[bool]:
    """Whether each faulted node has a lone call with another branch whose bindings are known, by the graph."""
    faulted = {slot.node for slot in episode.slots}
    seen: set[Binding] = set()
    for node in episode.base.graph.nodes:
        branch = node.branches[0] if isinstance(node, Group) else None
        if node.id in faulted:
            if branch is None:
                yield False
                return
            assert isinstance(node, Group)
            others = (other for other in node.branches if other is not branch)
            yield len(branch.steps) == 1 and any(_bound(o, branch.steps[0], seen, memory) for o in others)
        for step in branch.steps if branch is not None else (node,):
            assert isinstance(step, Step)
            seen |= {binding for binding in step.arguments.values() if isinstance(binding, UserInput)}
            seen.add(Field(step.id, ""))
        seen.add(Field(node.id, ""))


def _bound(other: Branch, failed: Step, seen: set[Binding], memory: bool) -> bool:
    inside = {step.id for step in other.steps}
    for step in other.steps:
        for binding in step.arguments.values():
            own = isinstance(binding, Constant) or binding in failed.arguments.values()
            within = isinstance(binding, Field) and binding.node in inside
            known = Field(binding.node, "") if isinstance(binding, Field) else binding
            if not (own or within or (memory and known in seen)):
                return False
    return True


def test_the_ceiling_is_a_share_for_each_level_and_mode() -> None:
    chosen = [*list_scenarios(LEVELS, ("NP", "P1", "P2"), limit=2)]
    record = build_record(play_scenario(chosen[0], "oracle", ScenarioSetup()))
    verdict = judge(record, chosen[0].case(record))
    played = {one: MazeResult(one.task, one.base.level, one.mode, one.epoch, verdict) for one in chosen}
    rows = maze_table([*with_reach(played).values()], {"suite": "maze", "agent": "retrier"}, [CEILING])
    assert maze_table([*played.values()], {"suite": "maze", "agent": "retrier"}, [CEILING]) == []
    assert {(row["level"], row["mode"]) for row in rows} == {
        (level, mode) for level in (*LEVELS, "all") for mode in ("P1", "P2", "all")
    }
    (whole,) = [row for row in rows if row["level"] == row["mode"] == "all"]
    assert whole["n"] == 16
    assert whole["value"] == 100 * sum(map(within_reach, chosen[1::3] + chosen[2::3])) / 16
