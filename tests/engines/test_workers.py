"""What work in other processes gives, also when it is interrupted."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future

import pytest

from sealegs.engines import workers


def slowly(items: Sequence[int]) -> list[int]:
    time.sleep(0.05)
    return [item * item for item in items]


def interrupted(running: Sequence[Future[list[int]]]) -> Iterator[Future[list[int]]]:
    """Ctrl-C, as `as_completed` would pass it on: after the first chunk that is done."""
    running[0].result()
    yield running[0]
    raise KeyboardInterrupt


@pytest.mark.parametrize("jobs", [1, 2])
def test_all_items_come_whatever_the_processes(jobs: int) -> None:
    assert sorted(workers.in_chunks(range(7), slowly, jobs, 2)) == [item * item for item in range(7)]


def test_in_this_process_a_result_comes_before_the_next_item_begins() -> None:
    begun: list[int] = []

    def work(items: Sequence[int]) -> list[int]:
        begun.extend(items)
        return list(items)

    results = workers.in_chunks(range(7), work, 1, 4)
    assert [next(results), next(results)] == [0, 1]
    assert begun == [0, 1]


def test_chunks_that_are_running_at_an_interrupt_are_handed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "as_completed", interrupted)
    come: list[int] = []

    def take_all() -> None:
        for result in workers.in_chunks(range(40), slowly, 2, 2):
            come.append(result)  # noqa: PERF402 (an extend would lose what came before the interrupt)

    with pytest.raises(KeyboardInterrupt):
        take_all()
    assert come[:2] == [0, 1]
    assert 2 < len(come) < 40, "the running chunks and no others"
    assert len(come) % 2 == 0, "whole chunks"
