"""A model on two sets of tasks: levels weigh alike, the interval holds the truth, and P agrees with it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sealegs.scoring.entrants import Entrant, task_set_mark
from sealegs.scoring.metric import EpisodeTable
from sealegs.scoring.set_difference import compare_sets, set_difference
from sealegs.scoring.suite_metrics import EpisodeResult
from tests.scoring.test_ranking import SCORES, compared

MODES = ("clean", "fault")


def played(name: str, solved: dict[str, list[list[bool]]], tasks: str = "t", task_set: str = "1:a") -> Entrant:
    """A model that solved these tasks of each level, mode by mode."""
    episodes = [
        compared(EpisodeResult(f"{tasks}{level}{n:03}", level, mode, 1, done, mode == "fault", 0, 1))
        for level, rows in solved.items()
        for n, row in enumerate(rows)
        for mode, done in zip(MODES, row, strict=True)
    ]
    mark = task_set_mark("1", [(one.task, one.mode) for one in episodes])
    return Entrant("made", name, False, name, SCORES, episodes, mark, {"task_set": task_set})


def rows(share: float, of: int = 20) -> list[list[bool]]:
    return [[n < share * of] * 2 for n in range(of)]


def test_a_set_with_more_hard_tasks_is_not_taken_for_one_that_is_known_to_fewer() -> None:
    public = played("m", {"L1": rows(0.8), "L2": rows(0.2)})
    private = played("m", {"L1": rows(0.8), "L2": rows(0.2, of=60)}, tasks="p", task_set="1-private:b")
    (found,) = compare_sets([public], [private], public.metric("")).models
    assert (found.public.value, found.private.value, found.figure.value, found.p) == (50.0, 50.0, 0.0, 1.0)
    unweighted = [np.mean([one.adds[0] for one in each.episodes]) for each in (public, private)]
    assert unweighted[1] < unweighted[0] - 0.1


def test_only_levels_and_modes_that_both_sets_have_are_compared() -> None:
    public = played("m", {"L1": rows(0.5), "L2": rows(1.0)})
    private = played("m", {"L1": [[True, False]] * 20}, tasks="p")
    clean = replace(private, episodes=[one for one in private.episodes if one.mode == "clean"])
    (found,) = compare_sets([public], [clean], public.metric("")).models
    assert (found.public.value, found.private.value, found.figure.value) == (50.0, 100.0, 50.0)
    assert found.figure.n == 40


def test_models_are_corrected_together_and_those_on_one_set_are_named() -> None:
    public = [played(name, {"L1": rows(0.9), "L2": rows(0.9)}) for name in "abc"]
    private = [
        played(name, {"L1": rows(share), "L2": rows(share)}, tasks="p") for name, share in (("a", 0.3), ("b", 0.9))
    ]
    found = compare_sets(public, [*private, played("d", {"L1": rows(0.5)}, tasks="p")], public[0].metric(""))
    first, second = found.models
    assert first.p is not None
    assert first.p_holm == pytest.approx(2 * first.p)
    assert first.figure.high is not None
    assert first.figure.high < 0
    assert second.figure.value == 0.0
    assert found.left_out == ("c", "d")
    assert set(found.cells) == {("level", "L1"), ("level", "L2"), ("mode", "clean"), ("mode", "fault")}


@pytest.mark.parametrize(
    ("experiments", "tasks", "base", "drop"),
    [
        (30, 10, 0.6, 0.1),
        pytest.param(120, 10, 0.6, 0.0, marks=pytest.mark.slow),
        pytest.param(120, 25, 0.9, 0.2, marks=pytest.mark.slow),
        pytest.param(120, 25, 0.95, 0.0, marks=pytest.mark.slow),
    ],
)
def test_the_interval_holds_the_true_difference_and_p_agrees_with_it(
    experiments: int, tasks: int, base: float, drop: float
) -> None:
    draw = np.random.default_rng(19)
    metric = SCORES.reduced[0]
    held = disagree = 0

    def table(share: float) -> EpisodeTable[object]:
        each = {
            level: draw.beta(4 * mean, 4 * (1 - mean), tasks) for level, mean in (("L1", share), ("L2", share - 0.2))
        }
        solved = {level: (draw.random((tasks, 2)) < own[:, None]).tolist() for level, own in each.items()}
        return played("m", solved).table  # type: ignore[return-value]

    for _ in range(experiments):
        found = set_difference("m", table(base), table(base - drop), metric)  # type: ignore[arg-type]
        value, low, high, _ = found.figure
        assert value is not None
        assert low is not None
        assert high is not None
        assert found.p is not None
        held += low <= -100 * drop <= high
        outside = low > 0 or high < 0
        disagree += outside != (found.p < 0.05) and min(abs(low), abs(high)) > 0.1
    assert disagree == 0
    assert held / experiments >= 0.92
