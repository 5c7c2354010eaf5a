"""Outcomes counted: denominators, rates, and intervals that know of clusters."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import product

import pytest

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
