"""Measuring detectors on the suite: nothing leaks, units are counted once, what is declared finds all."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from sealegs.engines.direct import play_scenario
from sealegs.faults.corruption import FAMILIES
from sealegs.scenarios.scenario import Scenario
from sealegs.scenarios.task_sets import base_tasks
from sealegs.suites.maze.detecting import (
    CheckedAnswer,
    DetectionSplit,
    call_key,
    check_split,
    halves,
    leaked_items,
    play_detection_splits,
    profiles_of,
    split_without_leaks,
)
from sealegs.suites.maze.detection_rows import UNSEEN, detection_lines, detection_rows
from sealegs.traces.observed import Trace, trace_from_events
from sealegs.traces.record import Turn


@pytest.fixture(scope="module")
def both() -> tuple[DetectionSplit, DetectionSplit]:
    return play_detection_splits(limit=10, epochs=1, seed=0)


def test_halves_are_halves() -> None:
    one, other = halves(base_tasks())
    assert not one & other
    assert one | other == set(base_tasks())
    assert len(one) == len(other) == 200
    assert halves(base_tasks(), 1) != (one, other)


def test_nothing_that_is_tested_was_learned_from(both: tuple[DetectionSplit, DetectionSplit]) -> None:
    for half in both:
        assert not leaked_items(half)
        calls = {json.dumps([one.tool, one.arguments], sort_keys=True) for t in half.record for one in t.calls}
        tested_calls = {json.dumps([t.call.tool, dict(t.call.arguments)], sort_keys=True) for _, t, _ in half.tested}
        assert calls
        assert not calls & tested_calls
    first, second = ({episode.task for episode, _, _ in half.tested} for half in both)
    assert not first & second
    assert first == {str(trace.about["task"]) for trace in both[1].training}


def test_a_leak_would_be_reported(both: tuple[DetectionSplit, DetectionSplit]) -> None:
    half = both[0]
    episode, turn, _ = next(one for one in half.tested if not one[2])
    leaked = trace_from_events(play_scenario(Scenario(episode.task, "NP"), "planner"))
    leaks = leaked_items(replace(half, training=(*half.training, leaked)))
    assert f"task {episode.task} is learned from and tested" in leaks
    assert any(turn.call.tool in one for one in leaks if one.startswith("call "))
    kept = split_without_leaks([leaked], ((Scenario("elsewhere", "NP"), turn, ""),))
    assert kept.left_out >= 1
    assert call_key(turn.call.tool, turn.call.arguments) not in {
        call_key(one.tool, one.arguments) for trace in kept.training for one in trace.calls
    }


def test_each_fault_is_tested_once(both: tuple[DetectionSplit, DetectionSplit]) -> None:
    for half in both:
        faulted = [(episode.id, turn.call.tool) for episode, turn, kind in half.tested if kind]
        assert len(faulted) == len(set(faulted))
        assert {kind for _, _, kind in half.tested} <= {"", *FAMILIES}
        assert all(_shown_wrong(turn) for _, turn, kind in half.tested if kind)
        assert not any(turn.injections for _, turn, kind in half.tested if not kind)


def _shown_wrong(turn: Turn) -> bool:
    return turn.shown != turn.said


def test_what_is_declared_finds_every_struck_answer_and_no_clean_one(
    both: tuple[DetectionSplit, DetectionSplit],
) -> None:
    found = [one for half in both for one in check_split(half, profiles_of(half))]
    rows = detection_rows("few", found)
    by_metric = {(row["mode"], row["metric"]): row for row in rows}
    assert by_metric["all", "declared, 1 % per answer"]["value"] == 100
    assert by_metric["NP", "declared, 1 % per answer"]["value"] == 0
    learned = by_metric["all", "learned, 5 % per answer"]
    clean = by_metric["NP", "learned, 5 % per answer"]
    assert learned["value"] is not None
    assert clean["value"] is not None
    assert learned["value"] > clean["value"] + 20
    assert sum(by_metric[kind, "learned, 1 % per answer"]["n"] for kind in FAMILIES) == learned["n"]
    assert any(line[0] == UNSEEN for line in detection_lines(rows, "few"))
    assert {tuple(row) for row in rows} == {("suite", "agent", "level", "mode", "metric", "value", "low", "high", "n")}


def test_rates_and_intervals_by_hand() -> None:
    marks = frozenset({("learned", 0.01, "answer")})
    found = [
        CheckedAnswer("a", "P3", "tool_leakage", True, "a/P3/1", marks),
        CheckedAnswer("b", "P3", "tool_leakage", True, "b/P3/1", frozenset()),
        CheckedAnswer("b", "NP", "", True, "b/NP/1", frozenset()),
        CheckedAnswer("b", "NP", "", True, "b/NP/1", marks),
        CheckedAnswer("c", "NP", "", False, "c/NP/1", marks),
    ]
    rows = {row["mode"]: row for row in detection_rows("x", found) if row["metric"] == "learned, 1 % per answer"}
    assert (rows["all"]["value"], rows["all"]["n"]) == (50, 2)
    # Of 1 of 2, P(more) + P(as many) / 2 is p ** 2 + p (1 - p) = p: at the lower end 0.025.
    assert (rows["all"]["low"], rows["all"]["high"]) == pytest.approx((2.5, 97.5), abs=0.01)
    assert (rows["NP"]["value"], rows["NP"]["n"]) == (50, 2)
    assert (rows["NP episodes"]["value"], rows["NP episodes"]["n"]) == (100, 1)
    assert rows[f"{UNSEEN}, NP"]["n"] == 1
    assert rows["fact_contradiction"]["value"] is None


def test_a_record_without_calls_is_no_training() -> None:
    assert split_without_leaks([Trace("empty", ())], ()).training[0].calls == ()
