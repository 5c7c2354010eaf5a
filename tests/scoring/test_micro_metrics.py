"""Outcomes counted: denominators, rates, and intervals that know of clusters."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sealegs.scoring.intervals import clustered_wilson, student, wilson
from sealegs.scoring.micro_metrics import (
    NOT_COMPARABLE,
    NOT_EXPOSED,
    OUTCOMES,
    SHOWN,
    Evidence,
    LabelledRun,
    counts,
    micro_table,
)

BASE = LabelledRun("id", "tip", "m", "python", "hang", "", 0, 1, "CORRECT", "CORRECT", True, True, Evidence("rule"))


def many(seed: int, n: int = 120) -> list[LabelledRun]:
    draw = random.Random(seed)
    return [
        replace(
            BASE,
            id=str(number),
            task=draw.choice(["tip", "bmi", "trivia"]),
            model=draw.choice(["one", "two"]),
            fault=draw.choice(["hang", "slow"]),
            level=draw.choice(["python", "mcp"]),
            outcome=draw.choice(OUTCOMES),
            comparable=draw.random() < 0.9,
            exposed=draw.random() < 0.8,
        )
        for number in range(n)
    ]


@pytest.mark.parametrize("seed", range(5))
def test_rates_are_shares_of_the_runs_that_count(seed: int) -> None:
    runs = many(seed)
    table = {(r["model"], r["level"], r["mode"], r["metric"]): r for r in micro_table(runs)}
    for model, level, fault in product(("one", "two"), ("python", "mcp", "all"), ("hang", "slow", "all")):
        here = [r for r in runs if r.model == model and level in ("all", r.level) and fault in ("all", r.fault)]
        counting = [r for r in here if r.comparable and r.exposed]
        for metric, outcome in {"tsr": "CORRECT", "hr": "SILENT-DIFF", "tr": "TIMEOUT"}.items():
            row = table[model, level, fault, metric]
            assert row["n"] == len(counting)
            assert row["value"] == pytest.approx(
                100 * sum(r.outcome == outcome for r in counting) / len(counting), abs=0.01
            )
            assert row["low"] is not None
            assert row["high"] is not None
            assert 0 <= row["low"] <= row["value"] <= row["high"] <= 100
        value = {name: table[model, level, fault, name]["value"] for name in ("runs", "not_comparable", "not_exposed")}
        assert value["runs"] == len(here)
        assert len(counting) + value["not_comparable"] + value["not_exposed"] == len(here)


def test_no_run_is_lost_from_the_table_of_counts() -> None:
    runs = many(7)
    found = counts(runs)
    assert sum(found.values()) == len(runs)
    assert {key[1] for key in found} <= set(SHOWN)
    assert sum(n for key, n in found.items() if key[1] == NOT_COMPARABLE) == sum(not r.comparable for r in runs)
    assert sum(n for key, n in found.items() if key[1] == NOT_EXPOSED) == sum(
        r.comparable and not r.exposed for r in runs
    )


def test_nothing_that_counts_gives_no_rate() -> None:
    row = next(r for r in micro_table([replace(BASE, exposed=False)]) if r["metric"] == "tsr")
    assert (row["value"], row["low"], row["n"]) == (None, None, 0)


@pytest.mark.parametrize("freedom", range(1, 60))
def test_students_point(freedom: int) -> None:
    assert student(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=0.003)


@given(st.lists(st.integers(0, 1), min_size=1, max_size=40))
def test_clusters_of_one_are_wilson(hits: list[int]) -> None:
    assert clustered_wilson(hits, [1] * len(hits)) == wilson(sum(hits), len(hits))


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9)), min_size=1, max_size=20))
def test_clusters_never_say_more_than_their_cases(clusters: list[tuple[int, int]]) -> None:
    sizes = [size for _, size in clusters]
    hits = [min(hit, size) for hit, size in clusters]
    low, high = clustered_wilson(hits, sizes)
    least, most = wilson(sum(hits), sum(sizes))
    share = sum(hits) / sum(sizes)
    assert 0 <= low <= share + 1e-9
    assert share - 1e-9 <= high <= 1
    assert high - low >= most - least - 1e-9


@pytest.mark.parametrize(("clusters", "alike"), [(5, 0.0), (5, 0.5), (10, 0.5), (10, 0.9)])
def test_the_interval_covers_under_clustering(clusters: int, alike: float) -> None:
    """Cases of a cluster share its fate with probability `alike`; the interval must hold the truth in 95 % of draws."""
    draw, truth, held, draws = random.Random(3), 0.6, 0, 1500
    for _ in range(draws):
        hits = []
        for _ in range(clusters):
            fate = draw.random() < truth
            hits.append(sum(fate if draw.random() < alike else draw.random() < truth for _ in range(6)))
        low, high = clustered_wilson(hits, [6] * clusters)
        held += low <= truth <= high
    assert held / draws >= 0.93
