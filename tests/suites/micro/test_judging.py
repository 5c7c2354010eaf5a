"""Golden pairs: what agents say, and whether it is the accepted answer."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealegs.suites.micro.workloads import load_workloads
from sealegs.suites.micro.workloads.accepted import Quantity

PAIRS = [
    tuple(part.strip() for part in line.split("|", 2))
    for line in Path(__file__).with_name("judging.txt").read_text(encoding="utf-8").splitlines()
    if line.strip() and not line.startswith("#")
]
MONEY = {"$": 1.0, "usd": 1.0, "dollars": 1.0}


@pytest.mark.parametrize(("workload", "verdict", "text"), PAIRS, ids=[f"{w}: {t[:50]}" for w, _, t in PAIRS])
def test_a_pair(workload: str, verdict: str, text: str) -> None:
    assert verdict in ("right", "wrong")
    assert load_workloads()[workload].judge(text.replace("\\n", "\n")) is (verdict == "right")


def test_there_are_enough_of_either_kind() -> None:
    counts = Counter(verdict for _, verdict, _ in PAIRS)
    assert len(PAIRS) >= 120
    assert min(counts.values()) >= 50


@given(st.integers(20, 10**7), st.integers(20, 10**7), st.sampled_from(["{}", "${}", "{} dollars", "It is {:,} USD."]))
def test_a_whole_number_is_right_just_where_it_is_the_one(right: int, number: int, form: str) -> None:
    accepted = Quantity(float(right), 0.0, MONEY)
    assert accepted.judge(form.format(number)) is (number == right)
    assert accepted.judge(form.format(right))


@given(st.decimals(min_value=0, max_value=99999, places=2), st.decimals(min_value=0, max_value=99999, places=2))
def test_the_last_word_counts(first: object, last: object) -> None:
    accepted = Quantity(float(str(last)), 0.001, MONEY)
    assert accepted.judge(f"It is {first} dollars. No, wait: it is {last} dollars.")
    assert accepted.judge(f"It is {last} dollars. No, wait: it is {first} dollars.") is (first == last)
    assert accepted.judge(f"not {first} but {last} dollars")


@given(st.text())
def test_any_text_can_be_judged(text: str) -> None:
    for workload in load_workloads().values():
        assert workload.judge(text) in (True, False)
