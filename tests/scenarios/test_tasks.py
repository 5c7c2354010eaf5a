"""Every base task is sound, of its level, readable, and can be perturbed in every mode."""

import hashlib
import json
from collections import Counter
from dataclasses import replace
from itertools import combinations, product

import pytest

from sealegs.engines.direct import play_scenario
from sealegs.generate.task_checks import CHECKS, CheckedTask
from sealegs.scenarios import LEVELS, MODES
from sealegs.scenarios.implicit_table import kinds_by_step
from sealegs.scenarios.moments import DRAW, PUBLISHED
from sealegs.scenarios.perturbation import (
    IMPLICIT,
    LADDER,
    MOST_SEEDS,
    PUBLISHED_FAMILIES,
    draw_plan,
    implicit_kinds,
    slots,
    victims,
)
from sealegs.scenarios.scenario import Scenario, list_scenarios
from sealegs.scenarios.task_sets import base_tasks
from sealegs.scoring import Slot, Verdict, judge
from sealegs.tasks import validate_task
from sealegs.tasks.levels import level_problems
from sealegs.tasks.similarity import jaccard, tools_of
from sealegs.traces import build_record
from sealegs.world.corpus import load_corpus as corpus
from sealegs.world.corpus_check import task_problems

TASKS = base_tasks()
AGENTS = ("oracle", "planner", "retrier", "naive")


def verdict(name: str, mode: str, agent: str, moment: str, implicit: str = PUBLISHED_FAMILIES) -> Verdict:
    episode = Scenario(name, mode, moment=moment, implicit=implicit)
    found = build_record(play_scenario(episode, agent))
    return judge(found, episode.case(found))


@pytest.mark.parametrize("name", TASKS)
def test_is_sound(name: str) -> None:
    task = TASKS[name]
    assert validate_task(task) == []
    assert level_problems(task) == []
    assert task_problems(task, corpus()) == []


@pytest.mark.parametrize("name", TASKS)
def test_every_victim_has_fitting_corruptions(name: str) -> None:
    task = TASKS[name]
    nodes = [node.id for node in task.graph.groups] or list(task.graph.by_id)
    for node in nodes:
        for step in victims(task.graph, node):
            assert len(implicit_kinds(name, step.id)) >= 2, step.id
    assert {slot.node for slot in slots(task, "P1", 0)} <= set(task.graph.by_id)


def test_what_a_task_keeps_of_its_slots_is_of_that_seed_and_task_alone() -> None:
    for name in list(TASKS)[::40]:
        for seed in [*range(MOST_SEEDS + 2), 0]:
            anew = replace(TASKS[name])  # a copy has kept nothing
            assert slots(TASKS[name], "P2", seed) == slots(anew, "P2", seed)
        other = next((slot.node for seed in range(9) for slot in slots(TASKS[name], "P1", seed)), "")
        assert slots(replace(TASKS[name], level="C1", victim=other), "P1", 0) == (Slot(other, "transient"),)


def test_the_plans_of_a_seed_are_fixed() -> None:
    """A record names the digest of its plan, so a run cannot be resumed or judged by code that draws other plans."""
    drawn = hashlib.sha256()
    for episode in list_scenarios(epochs=2):
        drawn.update(episode.plan.digest().encode())
    assert drawn.hexdigest() == "17775a74de2843e41d122c5f7cf901c3dc0f81f0d3817160a846a1b737849498"


def test_the_rules_that_are_kept_are_those_that_are_drawn() -> None:
    for name in list(TASKS)[::20]:
        for mode in MODES:
            anew = replace(TASKS[name])  # a copy has kept nothing
            drawn = draw_plan(TASKS[name], mode, 3, 2)
            assert drawn == draw_plan(anew, mode, 3, 2)
            assert drawn.digest == drawn.plan.digest()


@pytest.mark.parametrize("name", TASKS)
def test_the_shipped_table_of_implicit_kinds_is_the_computed_one(name: str) -> None:
    assert json.loads(IMPLICIT.read_text())[name] == kinds_by_step(name), (
        "run `python -m sealegs.scenarios.implicit_table`"
    )


@pytest.mark.parametrize("name", TASKS)
def test_scripted_agents_fare_as_they_must(name: str) -> None:
    """Where a failed call did nothing; `test_maze_moments` has what becomes of it where it may have been done."""
    verdicts = {(agent, mode): verdict(name, mode, agent, PUBLISHED) for agent, mode in product(AGENTS, MODES)}
    for mode in MODES:
        oracle = verdicts["oracle", mode]
        assert oracle.success, (mode, oracle.reasons)
        assert (oracle.exposed, oracle.redundancy) == (mode != "NP", 0.0), mode
    for (agent, mode), found in verdicts.items():
        if mode == "NP":
            assert found.success, (agent, found.reasons)
        elif agent == "naive":
            assert (found.exposed, found.success) == (True, False), mode
        elif agent == "retrier" and mode != "P2":
            assert (found.exposed, found.success) == (True, mode == "P1"), (mode, found.reasons)
        elif agent == "planner":
            assert found.exposed, mode
            assert found.success or mode in ("P3", "P4"), (mode, found.reasons)


@pytest.mark.parametrize("name", TASKS)
def test_the_oracle_and_who_looks_first_solve_it_whatever_was_done(name: str) -> None:
    for mode in MODES:
        oracle, verifier = verdict(name, mode, "oracle", DRAW, LADDER), verdict(name, mode, "verifier", DRAW)
        assert (oracle.success, oracle.redundancy) == (True, 0.0), (mode, oracle.reasons)
        assert oracle.exposed == (mode != "NP")
        assert verifier.exposed == (mode != "NP")
        assert verifier.success, (mode, verifier.reasons)


def test_there_are_a_hundred_of_each_level_and_none_twice() -> None:
    assert Counter(task.level for task in TASKS.values()) == dict.fromkeys(LEVELS, 100)
    assert len({task.request for task in TASKS.values()}) == len(TASKS)
    assert {domain for task in TASKS.values() for domain in task.domains} == {
        "financial", "travel", "office", "shopping", "iot", "general",
    }  # fmt: skip


@pytest.mark.parametrize("name", TASKS)
def test_has_no_hidden_way(name: str) -> None:
    assert list(CHECKS["hidden way"](CheckedTask(TASKS[name], corpus(), None))) == []


def test_no_two_of_a_level_are_near_twins() -> None:
    for level in LEVELS:
        sets = [tools_of(task) for task in TASKS.values() if task.level == level]
        assert max(jaccard(one, other) for one, other in combinations(sets, 2)) <= 0.34
