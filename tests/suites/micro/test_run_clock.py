"""A run's time against the same sum made second by second."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sealegs.suites.micro.isolation.run_clock import RunClock

SPANS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=5)


@given(SPANS, st.integers(0, 60), st.integers(0, 60), st.integers(1, 20), st.integers(0, 5))
def test_only_seconds_after_the_beginning_that_were_not_lost_count(
    spans: list[tuple[int, int]], start: int, end: int, limit: int, known: int
) -> None:
    clock, lost, at = RunClock(0, 120), set[int](), 0
    for number, (kept, gone) in enumerate(spans):
        if number == known:
            clock.begin(start, limit)
        clock.lose(at + kept + gone, gone)
        lost |= set(range(at + kept, at + kept + gone))
        at += kept + gone
    if known >= len(spans):
        clock.begin(start, limit)
    assert clock.used(end) == len(set(range(start, end)) - lost)
    assert clock.deadline() == start + limit + len({second for second in lost if second >= start})


def test_a_run_that_began_before_the_stop_has_its_whole_time_though_that_is_noticed_afterwards() -> None:
    clock = RunClock(100.0, 120.0)
    clock.lose(107.0, 6.0)  # stopped from 101 to 107
    clock.begin(100.9, 4.0)  # and only now the report of its beginning is read
    assert clock.deadline() == 100.9 + 4.0 + 6.0
    assert round(clock.used(107.5), 9) == 0.6
