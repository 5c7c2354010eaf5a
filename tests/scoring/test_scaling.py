"""Growth with size: against a library's regression, the jackknife, and simulated experiments of known slopes."""

from __future__ import annotations

from dataclasses import replace
from math import log2

import numpy as np
import pytest

from sealegs.faults.user_error import UserError
from sealegs.scoring.entrants import Entrant, Scores, task_set_mark
from sealegs.scoring.metric import Design, Metric
from sealegs.scoring.scaling import Scaling, scaling_of

Played = tuple[str, str, str, bool]  # task, level, mode, solved
CLEAN, FAULT = "clean", "fault"
SCORES = Scores(
    Design[Played](stratum=lambda one: one[1], cluster=lambda one: one[0], block=lambda one: one[1]),
    (
        Metric[Played]("recovered", lambda one: one[3], lambda one: one[2] == FAULT),
        Metric[Played]("done", lambda one: one[3], lambda one: one[2] == CLEAN),
    ),
    level=lambda one: one[1],
    mode=lambda one: one[2],
    growth=("done", "recovered"),
)
SIZES = {"small": 1.0, "middle": 4.0, "large": 8.0, "huge": 64.0}


def model(name: str, done: np.ndarray, recovered: np.ndarray) -> Entrant:
    """A model with what it solved of each task without faults and under one."""
    played = [
        SCORES.compared(f"t{task:03}/{mode}", (f"t{task:03}", f"L{task % 2}", mode, bool(solved[task])))
        for mode, solved in ((CLEAN, done), (FAULT, recovered))
        for task in range(len(solved))
    ]
    return Entrant("made", name, False, name, SCORES, played, task_set_mark("1", [(p.task, p.mode) for p in played]))


def experiment(tasks: int, seed: int, slopes: tuple[float, float] = (0.08, 0.04)) -> list[Entrant]:
    """Models whose rates grow by these slopes per doubling; tasks differ in difficulty, in the same way for all."""
    draw = np.random.default_rng(seed)
    hard = draw.normal(0, 0.12, tasks)
    found = []
    for name, size in SIZES.items():
        rates = [0.3 + slope * log2(size) + hard for slope in slopes]
        found.append(model(name, *(draw.random(tasks) < rate for rate in rates)))
    return found


def slopes_of(entrants: list[Entrant], left: str = "") -> tuple[float, float]:
    """Both slopes by numpy, without one task."""
    found = []
    for mode in (CLEAN, FAULT):
        rates = []
        for one in entrants:
            levels = [
                [e.adds[0] + e.adds[2] for e in one.episodes if (e.mode, e.stratum) == (mode, level) and e.task != left]
                for level in ("L0", "L1")
            ]
            rates.append(np.mean([np.mean(level) for level in levels]))
        found.append(float(np.polyfit([log2(SIZES[one.name]) for one in entrants], rates, 1)[0]))
    return found[0], found[1]


def figures(found: Scaling) -> tuple[float, float, float]:
    values = (found.execution.slope.value, found.recovery.slope.value, found.ratio.value)
    assert None not in values
    return values  # type: ignore[return-value]


def test_slopes_and_ratio_are_those_of_numpy() -> None:
    entrants = experiment(60, 1)
    done, recovered = slopes_of(entrants)
    assert figures(scaling_of(entrants, SIZES)) == pytest.approx((100 * done, 100 * recovered, done / recovered))
    middle = scaling_of(entrants, SIZES).execution
    assert middle.line(4) == pytest.approx(middle.at_one + 2 * (middle.slope.value or 0))


def test_the_width_is_that_of_the_jackknife() -> None:
    entrants = experiment(200, 2)
    tasks = sorted({e.task for e in entrants[0].episodes})
    without = np.array([slopes_of(entrants, left)[0] for left in tasks])
    error = 100 * np.sqrt((len(tasks) - 1) * without.var())
    _, low, high, _ = scaling_of(entrants, SIZES).execution.slope
    assert low is not None
    assert high is not None
    assert (high - low) / (2 * 1.972) == pytest.approx(error, rel=0.02)


@pytest.mark.slow  # a minute of simulation
@pytest.mark.parametrize(("tasks", "slopes"), [(40, (0.08, 0.04)), (100, (0.06, 0.06))])
def test_intervals_hold_the_truth_in_95_of_100_experiments(tasks: int, slopes: tuple[float, float]) -> None:
    found = [scaling_of(experiment(tasks, seed, slopes), SIZES) for seed in range(400)]
    truths = (100 * slopes[0], 100 * slopes[1], slopes[0] / slopes[1])
    kinds = ([one.execution.slope, one.recovery.slope, one.ratio] for one in found)
    held = np.array(
        [
            [(low or -1e9) <= truth <= (high or 1e9) for (_, low, high, _), truth in zip(k, truths, strict=True)]
            for k in kinds
        ]
    ).mean(axis=0)
    assert ((held >= 0.915) & (held <= 0.985)).all(), held  # 95 % less and plus three standard errors


def test_a_ratio_to_what_may_be_no_growth_has_no_ends() -> None:
    found = scaling_of(experiment(40, 3, (0.08, 0.0)), SIZES)
    assert found.ratio.value is not None
    assert (found.ratio.low, found.ratio.high) == (None, None)
    flat = [model(name, np.arange(8) < n, np.arange(8) < 4) for n, name in enumerate(SIZES, 3)]
    assert scaling_of(flat, SIZES).ratio == (None, None, None, 4)


def test_one_task_of_a_level_says_nothing_of_the_width() -> None:
    three = dict(list(SIZES.items())[:3])
    two = scaling_of([model(name, np.arange(2) < n, np.arange(2) < n) for n, name in enumerate(three)], three)
    assert (two.execution.slope.low, two.ratio.low) == (None, None)


def test_models_are_compared_on_the_tasks_that_all_have() -> None:
    entrants = experiment(30, 4)
    part = replace(entrants[0], episodes=[e for e in entrants[0].episodes if e.task < "t020"])
    cut = [replace(one, episodes=[e for e in one.episodes if e.task < "t020"]) for one in entrants]
    assert scaling_of([part, *entrants[1:]], SIZES) == scaling_of(cut, SIZES)


def test_models_without_a_size_are_named() -> None:
    sizes = {name: size for name, size in SIZES.items() if name != "huge"}
    found = scaling_of(experiment(20, 5), sizes)
    assert found.left_out == ("huge",)
    assert [name for name, _, _ in found.recovery.points] == ["small", "middle", "large"]


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({**SIZES, "giant": 1.0}, "giant is not a model of this ranking; it holds small, middle, large, huge"),
        ({**SIZES, "small": 0.0}, "small has size 0; give a number that is more than 0"),
        ({**SIZES, "small": float("nan")}, "small has size nan"),
        ({**SIZES, "small": float("inf")}, "small has size inf"),
        ({"small": 1.0, "large": 2.0}, "3 different sizes or more, and there are 2"),
        ({"small": 1.0, "large": 1.0, "huge": 1.0}, "and there are 1"),
    ],
)
def test_wrong_sizes(sizes: dict[str, float], message: str) -> None:
    with pytest.raises(UserError, match=message):
        scaling_of(experiment(10, 6), sizes)


def test_what_cannot_be_regressed_is_refused() -> None:
    entrants = experiment(10, 7)
    silent = replace(entrants[0], scores=replace(SCORES, growth=None))
    with pytest.raises(UserError, match="runs of made do not measure"):
        scaling_of([silent, *entrants[1:]], SIZES)
    other = replace(entrants[0], episodes=[e._replace(name=f"x{e.name}") for e in entrants[0].episodes])
    with pytest.raises(UserError, match="no episode is valid in the runs of all"):
        scaling_of([other, *entrants[1:]], SIZES)
    clean = replace(entrants[0], episodes=[e for e in entrants[0].episodes if e.mode == CLEAN])
    with pytest.raises(UserError, match="small has no recovered in the episodes that all models have"):
        scaling_of([clean, *entrants[1:]], SIZES)
