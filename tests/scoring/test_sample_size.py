"""Power by simulation against closed formulas, on cases that have one, and against what must be so."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

import numpy as np
import pytest
from scipy import stats

from sealegs.scoring.entrants import Entrant, Scores, task_set_mark
from sealegs.scoring.metric import difference
from sealegs.scoring.ranking import paired_tables
from sealegs.scoring.sample_size import AssumedRates, pilot_of, power, tasks_needed
from sealegs.scoring.suite_metrics import DESIGN, SUITE_METRICS, EpisodeResult

SCORES = Scores(DESIGN, SUITE_METRICS[:2], lambda one: one.level, lambda one: one.mode, lambda one: one.epoch)


def point(share: float) -> float:
    return NormalDist().inv_cdf(share)


def connor(one: float, other: float, both: float, wanted: float = 0.8) -> float:
    """Pairs that McNemar's test needs (Connor 1987, Biometrics 43, formula 3), where `both` solve with this chance."""
    differing = one + other - 2 * both
    gain = other - one
    return ((point(0.975) * sqrt(differing) + point(wanted) * sqrt(differing - gain**2)) / gain) ** 2


def exact_power(one: float, other: float, both: float, n: int) -> float:
    """The power of McNemar's exact test, in %, summed over the numbers of pairs that differ and of gains among them."""
    gain, loss = other - both, one - both
    found = 0.0
    for differing in range(n + 1):
        gains = np.arange(differing + 1)
        p = 2 * stats.binom.cdf(np.minimum(gains, differing - gains), differing, 0.5)
        chance = stats.binom.pmf(gains, differing, gain / (gain + loss))
        found += stats.binom.pmf(differing, n, gain + loss) * chance[p <= 0.05].sum()
    return 100 * found


@pytest.mark.parametrize("alike", [0.0, 0.5])
@pytest.mark.parametrize(("one", "other"), [(0.5, 0.65), (0.2, 0.4), (0.8, 0.9)])
def test_the_power_is_that_of_mcnemars_exact_test(one: float, other: float, alike: float) -> None:
    """With as many tasks as a normal formula asks for, and a third of them."""
    both = stats.multivariate_normal([0, 0], [[1, alike], [alike, 1]]).cdf([point(one), point(other)])
    whole = round(connor(one, other, both))
    for tasks in (whole, whole // 3):
        found = power(AssumedRates(one, other, alike).draw, tasks, 1, experiments=1000)
        assert found.value == pytest.approx(exact_power(one, other, both, tasks), abs=5)


def test_the_number_of_tasks_is_found_that_the_formula_says() -> None:
    found = tasks_needed(AssumedRates(0.3, 0.5).draw, 1, 80, experiments=600)
    assert found.tasks == pytest.approx(connor(0.3, 0.5, 0.15), rel=0.12)
    assert found.value >= 80


def test_where_the_better_model_solves_all_that_the_other_does_few_tasks_are_enough() -> None:
    """Then only tasks that the better one alone solves differ, and the formula, a normal one, is too careful."""
    found = tasks_needed(AssumedRates(0.5, 0.65, alike=1.0).draw, 1, 80, experiments=600)
    assert connor(0.5, 0.65, 0.5) / 2 < found.tasks < connor(0.5, 0.65, 0.5) * 1.1


def test_models_that_do_not_differ_are_told_apart_as_seldom_as_the_error_says() -> None:
    for error in (0.05, 0.01):
        found = power(AssumedRates(0.5, 0.5, alike=0.3).draw, 100, 1, error=error, experiments=2000)
        assert found.low <= 100 * error * 1.2
        assert found.value > 100 * error / 3


def test_epochs_of_independent_episodes_are_worth_tasks_and_of_equal_ones_nothing() -> None:
    single = power(AssumedRates(0.5, 0.6).draw, 400, 1, experiments=1000)
    fourfold = power(AssumedRates(0.5, 0.6).draw, 100, 4, experiments=1000)
    assert fourfold.value == pytest.approx(single.value, abs=5)
    alone, repeated = (power(AssumedRates(0.5, 0.6, alike=1.0).draw, 60, epochs, experiments=800) for epochs in (1, 4))
    assert alone.value == pytest.approx(repeated.value, abs=5)


def entrant(name: str, rates: np.ndarray, epochs: int, seed: int) -> Entrant:
    draw = np.random.default_rng(seed)
    episodes = [
        EpisodeResult(f"t{task}", f"L{task % 2}", mode, epoch, bool(draw.random() < rates[task]), True, 0, 1)
        for task in range(len(rates))
        for mode in ("X", "Y")
        for epoch in range(1, epochs + 1)
    ]
    compared = [SCORES.compared(f"{one.task}/{one.mode}/{one.epoch}", one) for one in episodes]
    mark = task_set_mark("1", [(one.task, one.mode) for one in compared])
    return Entrant("made", name, True, name, SCORES, compared, mark)


def test_a_pilots_tasks_are_drawn_with_its_difference_and_its_spread() -> None:
    rates = np.random.default_rng(1).random(40)
    one, other = entrant("one", rates, 3, 2), entrant("other", np.clip(rates + 0.15, 0, 1), 3, 3)
    metric = one.metric("success")
    pilot = pilot_of(metric, one, other)
    assert (pilot.tasks, pilot.epochs) == (40, 3)
    first, second = pilot.draw(2000, 40, 3, np.random.default_rng(0))
    changes = 100 * (second.value - first.value)
    seen = difference(metric, *paired_tables(one, other))
    assert seen.value is not None
    assert seen.low is not None
    assert seen.high is not None
    assert changes.mean() == pytest.approx(seen.value, abs=0.5)
    # Tasks and then their epochs are drawn, so that drawn experiments spread somewhat more than the interval says.
    assert 1.0 < changes.std() / ((seen.high - seen.low) / 2 / point(0.975)) < 1.4
    assert first.blocks == 2


def test_more_tasks_than_the_pilot_has_say_more() -> None:
    rates = np.full(30, 0.5)
    one, other = entrant("one", rates, 2, 5), entrant("other", rates + 0.2, 2, 6)
    pilot = pilot_of(one.metric("success"), one, other)
    few, many = (power(pilot.draw, tasks, 2, experiments=300) for tasks in (20, 120))
    assert few.value < many.value
    assert many.low > 80


def test_runs_that_share_nothing_are_no_pilot() -> None:
    one = entrant("one", np.full(4, 0.5), 1, 1)
    other = Entrant("made", "other", True, "other", SCORES, [one.episodes[0]._replace(name="z")], one.tasks)
    with pytest.raises(ValueError, match="share no episode"):
        pilot_of(one.metric("success"), one, other)
