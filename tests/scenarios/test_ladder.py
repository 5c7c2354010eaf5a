"""The ladder of implicit faults: each instance is on its rung, shares are as they should be, records name the rung."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from sealegs.engines.direct import play_scenario
from sealegs.faults.rungs.visible_rung import RUNGS, has_changed
from sealegs.scenarios.ladder import TABLE, step_ladder
from sealegs.scenarios.ladder_check import CheckedFault, check_fault
from sealegs.scenarios.ladder_table import ladders_by_step
from sealegs.scenarios.moments import PUBLISHED
from sealegs.scenarios.perturbation import PUBLISHED_FAMILIES, victims
from sealegs.scenarios.scenario import Scenario, scenario_from_record
from sealegs.scenarios.step_use import step_spec
from sealegs.scenarios.task_sets import base_tasks, task_set
from sealegs.scoring import judge
from sealegs.tasks import shortest_solution
from sealegs.tasks.editions import CANARY, CANARY_FIELD
from sealegs.traces import build_record
from sealegs.world.corpus import load_corpus

TASKS = list(base_tasks())
IMPLICIT = ("P3", "P4")


def instances(episode: Scenario) -> list[tuple[str, CheckedFault]]:
    """Every instance that is met on the shortest way through an episode."""
    graph, way = episode.base.graph, shortest_solution(episode.base.graph)
    places = [{step.id for step in victims(graph, slot.node)} for slot in episode.slots]
    faulted = [next(id for id in way if id in steps) for steps in places]
    return [(id, check_fault(episode, id)) for id in faulted]


@pytest.mark.parametrize("mode", IMPLICIT)
@pytest.mark.parametrize("name", TASKS[::4])
def test_each_instance_is_found_on_its_rung_and_on_no_higher_one(name: str, mode: str) -> None:
    episode = Scenario(name, mode)
    for id, found in instances(episode):
        spec = step_spec(episode.base, episode.base.graph.steps[id], load_corpus())
        assert found.rung in RUNGS, id
        assert found.found_on == found.rung, (id, found.kind, found.rules)
        assert any(has_changed(found.right, found.shown[0], path) for path in spec.used), id
        assert found.compliant or found.kind == "missing_required_fields", id


@pytest.mark.parametrize("name", TASKS[1::8])
def test_a_tool_that_is_asked_again_gives_a_false_answer_away(name: str) -> None:
    """What only a second source tells of a read is another answer each time, or the true one."""
    for mode in IMPLICIT:
        for id, found in instances(Scenario(name, mode)):
            if found.rung != "second_source" or task_set().right_run(name).steps[id].effects:
                continue
            first, second, third = found.shown
            if mode == "P3":
                assert (second, third) == (found.right, found.right), id
            else:
                assert first != second != third != first, id
                assert found.right not in found.shown, id


@pytest.mark.parametrize("name", TASKS[2::8])
def test_an_answer_about_an_action_is_true_or_false_by_its_moment(name: str) -> None:
    """After the work it tells of what was done; before it, of what was not."""
    for mode in IMPLICIT:
        episode = Scenario(name, mode)
        record = build_record(play_scenario(episode, "naive"))
        for turn in record.turns:
            for injection in turn.injections:
                if injection.delivered and injection.moment:
                    assert bool(turn.effects) == (injection.moment != "before"), (episode.id, turn.call.tool)


def test_the_shares_are_as_equal_as_the_tools_allow() -> None:
    found: Counter[str] = Counter()
    offers: Counter[str] = Counter()
    for name in TASKS:
        graph = base_tasks()[name].graph
        way = shortest_solution(graph)
        for mode in IMPLICIT:
            episode = Scenario(name, mode)
            for slot in episode.slots:
                steps = {step.id for step in victims(graph, slot.node)}
                victim = next(id for id in way if id in steps)
                found[episode.rungs[f"{slot.node}:{graph.steps[victim].tool}"]] += 1
                offers.update(list(step_ladder(name, victim).offers(stops=name.startswith("c1") and mode == "P4")))
    total = found.total()
    shares = {rung: found[rung] / total for rung in RUNGS}
    assert found["across"] > 0.85 * offers["across"]  # nearly wherever it is offered
    others = [shares[rung] for rung in RUNGS if rung != "across"]
    assert max(others) - min(others) < 0.04
    assert min(others) > 0.24


@pytest.mark.parametrize("name", TASKS[3::40])
def test_the_shipped_table_is_the_computed_one(name: str) -> None:
    assert json.loads(TABLE.read_text(encoding="utf-8"))[name] == json.loads(json.dumps(ladders_by_step(name))), (
        "run `python -m sealegs.scenarios.ladder_table`"
    )


def test_every_possible_victim_is_in_the_table() -> None:
    shipped = json.loads(TABLE.read_text(encoding="utf-8"))
    assert shipped.pop(CANARY_FIELD) == CANARY
    assert list(shipped) == TASKS
    for name in TASKS:
        for slot in Scenario(name, "P3").slots:
            for step in victims(base_tasks()[name].graph, slot.node):
                assert shipped[name][step.id], (name, step.id)


@pytest.mark.parametrize("name", TASKS[::10])
def test_the_oracle_ends_rightly_under_either_setting(name: str) -> None:
    for mode in IMPLICIT:
        for moment in ("draw", PUBLISHED, "after"):
            episode = Scenario(name, mode, moment=moment)
            verdict = judge(record := build_record(play_scenario(episode, "oracle")), episode.case(record))
            assert (verdict.success, verdict.exposed, verdict.redundancy) == (True, True, 0.0), episode


def test_a_record_names_the_rungs_and_gives_its_scenario_back() -> None:
    episode = Scenario("c4-01", "P3")
    record = build_record(play_scenario(episode, "naive"))
    assert record.about["rungs"] == dict(episode.rungs)
    assert set(record.about["rungs"].values()) <= set(RUNGS)
    assert scenario_from_record(record.about) == episode
    assert episode.hardest_rung(record) == max(
        (record.about["rungs"][injection.rule] for turn in record.turns for injection in turn.injections),
        key=RUNGS.index,
    )


def test_records_from_before_the_ladder_are_of_the_published_families() -> None:
    record = build_record(play_scenario(Scenario("c1-01", "P3", implicit=PUBLISHED_FAMILIES), "naive"))
    older = {key: value for key, value in record.about.items() if key != "implicit"}
    assert "rungs" not in older
    assert scenario_from_record(older).plan.digest() == record.about["plan"]


def test_without_history_tools_a_false_answer_of_an_action_contradicts_another_answer() -> None:
    acting = 0
    for name in TASKS[::5]:
        episode, right = Scenario(name, "P4", moment=PUBLISHED), task_set().right_run(name).steps
        for rule, rung in episode.rungs.items():
            step = episode.base.graph.step_of[rule.partition(":")[2]]
            if right[step.id].effects:
                acting += 1
                assert rung != "second_source", rule
    assert acting > 50
