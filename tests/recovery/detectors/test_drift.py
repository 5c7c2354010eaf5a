"""Drift: a moved level is reported soon, a steady one seldom; the limit is held against simulation."""

from __future__ import annotations

import random

from sealegs.faults.call import Call
from sealegs.recovery.detectors import learn
from sealegs.recovery.detectors.drift import DriftWatch, Level, levels, limit
from sealegs.recovery.detectors.flat_call import FlatCall
from tests.recovery.detectors.shop import TOOL, pair, record


def test_the_limit_gives_the_wanted_run_length() -> None:
    draw = random.Random(4)
    watch = DriftWatch([Level("a", 0.0, 1.0, False)], 200.0)
    alarms = sum(len(watch.moved_levels(FlatCall({}, {"a": draw.gauss(0, 1)}))) for _ in range(20_000))
    assert 100 <= 20_000 / alarms <= 400  # Siegmund's is an approximation


def test_a_published_limit() -> None:
    """Montgomery, Introduction to Statistical Quality Control, table 9.3: k 0.5, h 5 runs 465 on both sides."""
    assert 4.9 < limit(465) < 5.1


def test_a_moved_level_is_reported_in_a_few_answers() -> None:
    detector = learn(record(40)).detector(0.01, drift=True)
    draw = random.Random(8)
    alarms = []
    for number in range(60):
        arguments, answer = pair(draw)
        if number >= 30:
            answer["mood"] += 15
        found = detector.findings(Call(TOOL, arguments), answer)
        alarms += [number for one in found if one.family == "drift" and one.fields == ("mood",)]
    assert next(number for number in alarms if number >= 30) < 40
    assert not [number for number in alarms if number < 30]


def test_one_strange_answer_is_no_drift() -> None:
    usual = [FlatCall({}, {"a": float(i % 13)}) for i in range(60)]
    watch = DriftWatch(levels(usual), 1000.0)
    assert not watch.moved_levels(FlatCall({}, {"a": 1e9}))
