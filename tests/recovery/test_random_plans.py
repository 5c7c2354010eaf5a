"""Under any plan of faults, recovery does nothing twice; without faults, it is not there."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sealegs.engines.direct import play_scenario
from sealegs.faults.plan_files import plan_from
from sealegs.scenarios.scenario import Scenario
from sealegs.scenarios.scenario_setup import ScenarioSetup
from sealegs.scenarios.task_sets import task_set
from sealegs.traces import EffectHappened, Event, LayerActionTaken, encode_event
from sealegs.traces.observed import trace_from_events
from sealegs.traces.trace_replay import replay_trace

TASKS = sorted(task_set("").tasks)
FAULTS: list[dict[str, Any]] = [
    {"kind": "lost_ack"},
    {"kind": "lost_ack", "mode": "connection"},
    *({"kind": "error", "status": status} for status in (400, 404, 409, 422, 429, 500, 503, 504)),
    {"kind": "error", "exception": "ConnectionError", "message": "reset by peer"},
    {"kind": "timeout", "seconds": 3},
    {"kind": "rate_limit"},
    {"kind": "hang"},
    {"kind": "malformed"},
    {"kind": "partial"},
    {"kind": "empty"},
    {"kind": "interrupted"},
    {"kind": "connection"},
    {"kind": "physics_violation"},
    {"kind": "logic_violation"},
    {"kind": "missing_required_fields"},
    {"kind": "poisoned"},
    {"kind": "wrong_entity"},
    {"kind": "silent_noop"},
]
WHEN = st.one_of(
    st.builds(lambda n: {"nth": n}, st.integers(1, 3)),
    st.builds(lambda n: {"first": n}, st.integers(1, 4)),
    st.builds(lambda p: {"probability": p}, st.floats(0.05, 0.9)),
    st.none(),
)


@st.composite
def episodes(draw: st.DrawFn) -> Scenario:
    """A task under one to four rules on its own tools, half of them on its actions."""
    task = draw(st.sampled_from(TASKS))
    found = {step.tool for step in task_set("").tasks[task].graph.walk()}
    actions = sorted(spec.name for spec in Scenario(task, "NP").specs if spec.effects and spec.name in found)
    tools = sorted(found) if draw(st.booleans()) else actions or sorted(found)
    rules = []
    for place in range(draw(st.integers(1, 4))):
        rule = {"id": f"r{place}", "match": {"tool": draw(st.sampled_from([*tools, "*"]))}}
        rule["fault"] = draw(st.sampled_from(FAULTS))
        when = draw(WHEN)
        rules.append(rule if when is None else {**rule, "when": when})
    plan = plan_from({"name": "random", "seed": draw(st.integers(0, 99)), "rules": rules})
    return Scenario(task, "plan", own=json.dumps(plan.as_data()))


def done(events: list[Event]) -> Counter[tuple[str, str]]:
    """The ledger: how often each thing was done to each subject."""
    return Counter((event.action, event.subject) for event in events if isinstance(event, EffectHappened))


def actions(events: list[Event]) -> list[LayerActionTaken]:
    return [event for event in events if isinstance(event, LayerActionTaken)]


@cache
def clean(task: str) -> Counter[tuple[str, str]]:
    return done(play_scenario(Scenario(task, "NP"), "naive"))


@given(episodes(), st.sampled_from(["naive", "planner"]))
@settings(max_examples=150)
def test_nothing_is_done_twice(episode: Scenario, agent: str) -> None:
    with_layer = play_scenario(episode, agent, ScenarioSetup(recovery="active"))
    of_calls: dict[str, Counter[tuple[str, str]]] = {}
    for event in with_layer:
        if isinstance(event, EffectHappened):
            of_calls.setdefault(event.call.partition(".")[0], Counter())[event.action, event.subject] += 1
    for effects in of_calls.values():  # one call of the agent's, and all that was made for it
        for effect, times in effects.items():
            assert times <= max(1, clean(episode.task)[effect]), effect
    if agent == "naive":  # who never asks twice
        for effect, times in done(with_layer).items():
            assert times <= max(1, clean(episode.task)[effect]), effect
    trace = trace_from_events(with_layer)  # what was recorded can be read, and played again
    assert len([call for call in trace.calls if call.by]) == len(
        {
            action.attempt
            for action in actions(with_layer)
            if action.attempt and action.policy and action.attempt != action.call
        }
    )


@given(episodes())
@settings(max_examples=40)
def test_the_same_again(episode: Scenario) -> None:
    first, second = (play_scenario(episode, "naive", ScenarioSetup(recovery="active")) for _ in range(2))
    assert list(map(encode_event, first)) == list(map(encode_event, second))


@pytest.mark.parametrize("agent", ["naive", "retrier", "planner"])
@pytest.mark.parametrize("task", TASKS[::25])
def test_without_faults_it_is_not_there(task: str, agent: str) -> None:
    episode = Scenario(task, "NP")
    bare, kept = play_scenario(episode, agent), play_scenario(episode, agent, ScenarioSetup(recovery="active"))
    assert list(map(encode_event, bare[1:])) == list(map(encode_event, kept[1:]))


def test_a_recovered_episode_can_be_replayed() -> None:
    active = ScenarioSetup(recovery="active")
    episode = next(one for t in TASKS if actions(play_scenario(one := Scenario(t, "P1"), "naive", active)))
    events = play_scenario(episode, "naive", active)
    assert actions(events), "choose another task"
    played = replay_trace(trace_from_events(events))
    own = [call for call in trace_from_events(events).calls if not call.by]
    assert [turn.call.tool for turn in played.record.turns] == [call.tool for call in own]
    assert replace(played.trace) == trace_from_events(events)
