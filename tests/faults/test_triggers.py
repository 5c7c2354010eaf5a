"""Conditions are pure, and fire as often as they say."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError
from scipy.stats import binomtest

from sealegs.faults import seeds
from sealegs.faults.triggers import (
    Always,
    AnyCondition,
    Burst,
    Condition,
    Every,
    First,
    FirstTouch,
    Nth,
    Outage,
    Probability,
    Window,
)

READ: TypeAdapter[Condition] = TypeAdapter(AnyCondition)
COUNTS = st.integers(1, 8)
SHARES = st.floats(0, 1)
CONDITIONS: st.SearchStrategy[Condition] = st.one_of(
    st.just(Always()),
    COUNTS.map(First),
    COUNTS.map(Nth),
    COUNTS.map(Every),
    SHARES.map(Probability),
    st.tuples(COUNTS, COUNTS).map(lambda two: Window((min(two), max(two)))),
    st.builds(lambda probability, length: Burst(probability=probability, length=length), SHARES, COUNTS),
    st.builds(lambda rate, length: Outage(rate=rate / 2, length=length), SHARES, st.floats(1, 1000)),
    st.just(FirstTouch(("t", "u"))),
)


def stream(*, seed: int = 0, episode: str = "e", tool: str = "t", rule: str = "r") -> str:
    """The name of a rule's draws."""
    return seeds.joined(seed, episode, tool, rule)


def faulted(condition: Condition, calls: int = 12) -> list[int]:
    """The faulted calls, counted from 1."""
    return [nth + 1 for nth in range(calls) if condition.fires(nth, stream())]


@pytest.mark.parametrize(
    ("condition", "calls"),
    [
        (Always(), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
        (First(3), [1, 2, 3]),
        (Nth(3), [3]),
        (Every(5), [5, 10]),
        (Every(1), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
        (Window((4, 6)), [4, 5, 6]),
        (Window((2, 2)), [2]),
        (Probability(0), []),
        (Probability(1), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
        (Burst(probability=0, length=5), []),
        (Burst(probability=1, length=1), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
    ],
)
def test_counted_calls(condition: Condition, calls: list[int]) -> None:
    assert faulted(condition) == calls


@given(CONDITIONS, st.permutations(range(30)))
def test_the_order_of_asking_does_not_matter(condition: Condition, order: list[int]) -> None:
    straight = {nth: condition.fires(nth, stream(), victim=True) for nth in range(30)}
    shuffled = {nth: condition.fires(nth, stream(), victim=True) for nth in order}
    assert straight == shuffled


@given(CONDITIONS, st.integers(0, 1000))
def test_no_global_randomness(condition: Condition, nth: int) -> None:
    random.seed(1)
    before = random.getstate()
    first = condition.fires(nth, stream())
    assert random.getstate() == before
    random.seed(2)
    assert condition.fires(nth, stream()) == first


@given(CONDITIONS)
def test_data_reads_back(condition: Condition) -> None:
    assert READ.validate_python(READ.dump_python(condition, mode="json")) == condition


@pytest.mark.parametrize("part", ["seed", "episode", "tool", "rule"])
def test_each_part_of_the_key_has_its_own_draws(part: str) -> None:
    values = (0, 1) if part == "seed" else ("e", "f")
    first, second = (
        [Probability(0.5).fires(nth, stream(**{part: value})) for nth in range(200)]  # type: ignore[arg-type]
        for value in values
    )
    agreeing = sum(a == b for a, b in zip(first, second, strict=True))
    assert binomtest(agreeing, 200, 0.5).pvalue > 1e-4


@pytest.mark.parametrize("share", [0.01, 0.2, 0.5, 0.93])
def test_probability_strikes_as_often_as_it_says(share: float) -> None:
    injections = sum(Probability(share).fires(nth, stream()) for nth in range(10_000))
    low, high = binomtest(injections, 10_000).proportion_ci(0.9999)
    assert low <= share <= high


def test_draws_of_neighbours_are_independent() -> None:
    fires = [Probability(0.3).fires(nth, stream()) for nth in range(10_000)]
    both = sum(a and b for a, b in itertools.pairwise(fires))
    low, high = binomtest(both, 9_999).proportion_ci(0.9999)
    assert low <= 0.09 <= high


def test_bursts_last_and_strike_as_often_as_they_say() -> None:
    burst = Burst(probability=0.02, length=5)
    fires = [burst.fires(nth, stream()) for nth in range(20_000)]
    runs = "".join("x" if fired else " " for fired in fires).split()
    assert min(map(len, runs[1:-1])) >= 5
    assert sum(fires) / len(fires) == pytest.approx(1 - 0.98**5, rel=0.15)


def test_a_burst_that_began_before_goes_on() -> None:
    burst = Burst(probability=0.05, length=4)
    starts = [nth for nth in range(500) if Burst(probability=0.05, length=1).fires(nth, stream())]
    assert starts
    assert faulted(burst, 500) == sorted({call + 1 for nth in starts for call in range(nth, nth + 4) if call < 500})


def chain(outage: Outage, calls: int, name: str) -> list[bool]:
    """The same chain, walked from its beginning."""
    state = seeds.uniform_at(name, 0, "outage") < outage.rate
    states = [state]
    for nth in range(1, calls):
        state = seeds.uniform_at(name, nth, "outage") < (outage.lasts if state else outage.begins)
        states.append(state)
    return states


@given(st.floats(0, 0.99), st.floats(1, 1000), st.integers(0, 9))
def test_an_outage_is_the_chain_that_it_says(rate: float, length: float, seed: int) -> None:
    outage = Outage(rate=rate, length=max(length, rate / (1 - rate)))
    name = stream(seed=seed)
    assert [outage.fires(nth, name) for nth in range(60)] == chain(outage, 60, name)


@pytest.mark.parametrize(("rate", "length"), [(0.05, 4), (0.3, 12), (0.2, 1.25), (0.4, 1.0), (0.6, 1.5)])
def test_outages_have_their_rate_from_the_first_call_on_and_last_as_long_as_they_say(
    rate: float, length: float
) -> None:
    outage = Outage(rate=rate, length=length)
    firsts = sum(outage.fires(0, stream(episode=str(n))) for n in range(4000))
    low, high = binomtest(firsts, 4000).proportion_ci(0.9999)
    assert low <= rate <= high
    fires = [outage.fires(nth, stream()) for nth in range(60_000)]
    assert sum(fires) / len(fires) == pytest.approx(rate, rel=0.12)
    runs = "".join("x" if fired else " " for fired in fires).split()
    assert sum(map(len, runs[1:-1])) / len(runs[1:-1]) == pytest.approx(length, rel=0.08)


def test_a_late_call_of_an_outage_costs_what_an_early_one_does() -> None:
    drawn: list[object] = []

    class Counting(str):
        def __format__(self, how: str) -> str:
            drawn.append(self)
            return super().__format__(how)

    outage = Outage(rate=0.05, length=4)
    for nth in range(1_000_000, 1_000_500):
        outage.fires(nth, Counting(stream()))
    assert drawn
    assert len(drawn) < 500 * 8  # 1 / (begins + 1 / length) draws on average: 3.8


def test_first_touch_strikes_the_victim_alone() -> None:
    touch = FirstTouch(("t", "u"))
    assert touch.fires(3, stream(), victim=True)
    assert not touch.fires(0, stream())


@pytest.mark.parametrize(
    "data",
    [
        {"first": 0},
        {"first": True},
        {"first": 1.0},
        {"first": "1"},
        {"nth": -1},
        {"every": 0},
        {"probability": 1.01},
        {"probability": -0.1},
        {"probability": float("nan")},
        {"window": [3, 2]},
        {"window": [0, 2]},
        {"window": [1]},
        {"burst": {"probability": 0.5}},
        {"burst": {"probability": 0.5, "length": 1001}},
        {"outage": {"rate": 0.5}},
        {"outage": {"rate": 0.5, "length": 0.5}},
        {"outage": {"rate": 0.5, "length": 1001}},
        {"outage": {"rate": 0.8, "length": 2}},
        {"outage": {"rate": 1, "length": 5}},
        {"first_touch": []},
        {"first": 1, "nth": 1},
        {},
        "sometimes",
        None,
    ],
)
def test_bad_conditions_are_refused(data: object) -> None:
    with pytest.raises(ValidationError):
        READ.validate_python(data)
