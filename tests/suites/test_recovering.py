"""The recovery layer on the suite: it helps, it harms nothing, and its calls are counted."""

from __future__ import annotations

from collections import Counter

import pytest

from sealegs.engines.direct import play_scenario
from sealegs.faults import paths
from sealegs.faults.call import Call, Value
from sealegs.inject import Session, VirtualClock
from sealegs.recovery.layer import RecoveryLayer, active_policy
from sealegs.recovery.policies import StepField
from sealegs.scenarios.recovery_alternatives import declared_alternatives
from sealegs.scenarios.scenario import Scenario, list_scenarios
from sealegs.scenarios.scenario_setup import ScenarioSetup
from sealegs.scoring import judge
from sealegs.traces.record import Record, build_record
from sealegs.world.corpus import load_corpus
from sealegs.world.state import World

LEVELS = ("C1", "C2", "C3", "C4")


def share(agent: str, mode: str, recovery: str) -> float:
    chosen = list_scenarios(LEVELS, (mode,), limit=4)
    done = [judge(found, episode.case(found)).success for episode, found in played(chosen, agent, recovery)]
    return sum(done) / len(done)


def played(chosen: list[Scenario], agent: str, recovery: str) -> list[tuple[Scenario, Record]]:
    setup = ScenarioSetup(recovery=recovery)
    return [(episode, build_record(play_scenario(episode, agent, setup))) for episode in chosen]


@pytest.mark.parametrize("agent", ["naive", "retrier"])
@pytest.mark.parametrize("mode", ["P1", "P2", "P3", "P4"])
def test_an_agent_does_better_with_it_or_as_well(agent: str, mode: str) -> None:
    assert share(agent, mode, "active") >= share(agent, mode, "off")


def test_it_changes_no_clean_episode() -> None:
    for episode in list_scenarios(LEVELS, ("NP",), limit=5):
        setups = (ScenarioSetup(recovery=recovery) for recovery in ("off", "active"))
        plain, guarded = (build_record(play_scenario(episode, "naive", setup)) for setup in setups)
        assert [turn.shown for turn in plain.turns] == [turn.shown for turn in guarded.turns]
        assert guarded.answer == plain.answer


def test_its_calls_are_counted() -> None:
    policies = set()
    for episode, found in played(list_scenarios(LEVELS, ("P1", "P2"), limit=3), "retrier", "active"):
        assert judge(found, episode.case(found)).calls == len(found.turns)
        policies |= {turn.by for turn in found.turns}
    assert policies >= {"", "retry", "switch"}


def test_no_effect_is_doubled() -> None:
    for episode in list_scenarios(LEVELS, ("P1", "P2", "P3", "P4"), limit=3):
        found = build_record(play_scenario(episode, "naive", ScenarioSetup(recovery="active")))
        effects = [(effect.action, effect.subject, repr(effect.details)) for effect in found.effects]
        right = [e for step in episode.set.right_run(episode.task).steps.values() for e in step.effects]
        allowed = [(effect.action, effect.subject, repr(effect.details)) for effect in right]
        assert all(effects.count(one) <= max(1, allowed.count(one)) for one in effects)


def test_every_clean_answer_of_every_tool_passes_as_it_is() -> None:
    corpus = load_corpus()
    specs = [tool.spec for tool in corpus.tools.values()]
    for tool in corpus.tools.values():
        for example in tool.spec.examples:
            plain = corpus.run(Call(tool.name, example), World())
            if not isinstance(plain, Value):
                continue
            session = Session(layers=[RecoveryLayer(active_policy())], specs=specs, others=None, clock=VirtualClock())
            world = World()
            shown = session.call(tool.name, example, lambda call, world=world: corpus.run(call, world))  # type: ignore[misc]
            assert shown == plain


def test_alternatives_answer_as_the_tool_would() -> None:
    counted = Counter[str]()
    for episode in list_scenarios(LEVELS, ("NP",)):
        right, step_of = episode.set.right_run(episode.task).steps, episode.base.graph.step_of
        for way in declared_alternatives(episode):
            tools = way.tools()
            for part in way.parts:
                own = right[step_of[part.tool].id].output
                counted[type(part).__name__] += 1
                for path, source in part.answer.items():
                    if isinstance(source, StepField):
                        other = right[step_of[tools[source.step]].id].output
                        assert paths.first_value(own, path) == paths.first_value(other, source.path), (
                            episode.task,
                            part.tool,
                            path,
                        )
    assert counted["Alternative"] > 1000
    assert counted["Then"] > 200


def test_no_effect_comes_before_the_agent_asks_for_one() -> None:
    for episode in list_scenarios(LEVELS, ("NP",)):
        changes = {spec.name for spec in episode.specs if spec.effects is not False}
        for way in declared_alternatives(episode):
            requested = False
            for part in way.parts:
                requested = requested or part.tool in changes
                assert requested or not changes & {step.tool for step in part.steps}, (episode.task, way.tool)


def test_nothing_that_was_changed_is_left_behind() -> None:
    for episode in list_scenarios(LEVELS, ("NP",)):
        changes = {spec.name for spec in episode.specs if spec.effects is not False}
        graph = episode.base.graph
        for way in declared_alternatives(episode):
            step = graph.step_of[way.tool]
            branch = graph.home[step.id][1].steps
            assert not changes & {before.tool for before in branch[: branch.index(step)]}
