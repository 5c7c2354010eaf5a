"""Ranks, paired tests and their correction: against worked examples, other implementations, and what must be so."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sealegs.intervals.cluster_sums import ClusterSums, paired_interval
from sealegs.intervals.paired_tests import paired_p, randomisation_p
from sealegs.scoring.entrants import DESIGN as REDUCED
from sealegs.scoring.entrants import ComparedEpisode, Entrant, Scores, task_set_mark
from sealegs.scoring.metric import EpisodeTable, Metric, estimate
from sealegs.scoring.ranking import Ranking, cell_comparisons, cell_figures, holm, rank_interval
from sealegs.scoring.suite_metrics import DESIGN, SUITE_METRICS, EpisodeResult

SCORES = Scores(
    DESIGN,
    tuple(metric for metric in SUITE_METRICS if metric.kind != "amount"),
    lambda one: one.level,
    lambda one: one.mode,
    lambda one: one.epoch,
    less_is_better=frozenset({"repeated_effects"}),
)
PS = st.lists(st.floats(0, 1), max_size=12)


def compared(result: EpisodeResult) -> ComparedEpisode:
    return SCORES.compared(f"{result.task}/{result.mode}/{result.epoch}", result)


def entrant(name: str, solved: list[bool], repeated: int = 0) -> Entrant:
    """A model that solved these of as many tasks, in two modes."""
    played = [
        compared(EpisodeResult(f"t{n:02}", f"L{n % 2}", mode, 1, done, mode == "fault", repeated, 1))
        for n, done in enumerate(solved)
        for mode in ("clean", "fault")
    ]
    return Entrant("made", name, True, name, SCORES, played, task_set_mark("1", [(p.task, p.mode) for p in played]))


def share(count: int, of: int = 40) -> list[bool]:
    return [n < count for n in range(of)]


def test_holm_on_its_own_example() -> None:
    """Three P values of Holm (1979), section 3: at 5 % 0.01 is refused, and the others stay."""
    assert holm([0.03, 0.01, 0.04]) == pytest.approx([0.06, 0.03, 0.06])


@given(PS)
def test_holm_is_the_closed_test_of_bonferroni(ps: list[float]) -> None:
    """A corrected value is the largest of Bonferroni's over all sets that hold its hypothesis (Marcus et al. 1976)."""
    ps = ps[:7]
    found = holm(ps)
    for own in range(len(ps)):
        sets = [chosen for chosen in range(1, 2 ** len(ps)) if chosen >> own & 1]
        worst = max(
            min(1.0, chosen.bit_count() * min(p for place, p in enumerate(ps) if chosen >> place & 1))
            for chosen in sets
        )
        assert found[own] == pytest.approx(worst)


@given(PS)
def test_holm_keeps_the_order_and_never_makes_a_value_smaller(ps: list[float]) -> None:
    found = holm(ps)
    assert all(one >= before for one, before in zip(found, ps, strict=True))
    assert [ps[place] for place in np.argsort(found, kind="stable")] == pytest.approx(
        sorted(ps), abs=1
    )  # equal values may change places
    assert max(found, default=0) <= 1


@pytest.mark.parametrize(("tasks", "gained", "lost"), [(60, 12, 8), (60, 20, 10), (100, 30, 18)])
def test_the_p_value_is_where_the_interval_leaves_out_0(tasks: int, gained: int, lost: int) -> None:
    below = np.ones((1, 1, tasks))
    before = np.array([[[float(n < lost) for n in range(tasks)]]])
    after = np.array([[[float(lost <= n < lost + gained) for n in range(tasks)]]])
    sums = [
        ClusterSums(top, below, np.zeros(1, np.intp), np.zeros(tasks, np.intp), cases=True) for top in (before, after)
    ]
    found = paired_p(sums[0], sums[1])
    low, _ = paired_interval(sums[0], sums[1], 1 - found * 1.01)
    assert low > 0
    assert found >= stats.binomtest(lost, lost + gained).pvalue * (1 - 1e-9)
    assert found == pytest.approx(paired_p(sums[1], sums[0]))


def test_the_p_value_is_that_of_mcnemars_test_where_models_gain_and_lose() -> None:
    tasks, gains, losses = 200, 40, 20
    before = np.array([[[float(losses <= n < 100) or float(n < losses) for n in range(tasks)]]])
    after = before.copy()
    after[0, 0, :losses] = 0.0
    after[0, 0, 100 : 100 + gains] = 1.0
    one, other = (
        ClusterSums(top, np.ones(top.shape), np.zeros(1, np.intp), np.zeros(tasks, np.intp), cases=True)
        for top in (before, after)
    )
    assert paired_p(one, other) == pytest.approx(stats.binomtest(gains, gains + losses).pvalue)


def test_equal_models_have_a_p_value_of_1_and_opposite_ones_the_least() -> None:
    same = Ranking([entrant("a", share(20)), entrant("b", share(20))], entrant("a", share(20)).metric("success"))
    assert same.comparisons[0].p == 1.0
    apart = [entrant("a", share(0)), entrant("b", share(40))]
    assert Ranking(apart, apart[0].metric("")).comparisons[0].p < 1e-9


def test_standings_are_ordered_and_equal_models_share_a_rank() -> None:
    group = [
        entrant("low", share(4)),
        entrant("top", share(36)),
        entrant("also low", share(4)),
        entrant("mid", share(20)),
    ]
    found = Ranking(group, group[0].metric("success"))
    assert [group[one.entrant].name for one in found.standings] == ["top", "mid", "low", "also low"]
    assert [one.rank for one in found.standings] == [1, 2, 3, 3]
    assert [(one.low, one.high) for one in found.standings] == [(1, 1), (2, 2), (3, 4), (3, 4)]
    assert [one.figure for one in found.standings] == [
        estimate(group[0].metric("success"), group[place].table) for place in (1, 3, 0, 2)
    ]


def test_the_order_of_entrants_changes_nothing() -> None:
    group = [entrant("a", share(4)), entrant("b", share(30)), entrant("c", share(17))]
    rankings = set()
    for some in (group, group[::-1], [group[1], group[0], group[2]]):
        found = Ranking(some, some[0].metric("success"))
        rankings.add(tuple((some[one.entrant].name, one.rank, one.low, one.high) for one in found.standings))
    assert len(rankings) == 1


def test_a_metric_of_which_less_is_better_is_ranked_the_other_way_round() -> None:
    group = [entrant("clumsy", share(9), repeated=1), entrant("neat", share(9))]
    found = Ranking(group, group[0].metric("repeated_effects"), descending=False)
    assert [group[one.entrant].name for one in found.standings] == ["neat", "clumsy"]
    assert [(one.rank, one.low, one.high) for one in found.standings] == [(1, 1, 1), (2, 2, 2)]


def test_a_metric_without_the_one_that_it_requires_has_no_figure() -> None:
    """How many calls were made, which requires that somebody had to recover, and nobody had."""
    recovered = Metric[EpisodeResult]("recovered", lambda one: one.success, lambda one: one.exposed)
    spent = Metric[EpisodeResult]("spent", lambda one: one.calls, kind="amount", requires=recovered)
    scores = Scores(DESIGN, (spent,), lambda one: one.level, lambda one: one.mode)
    assert [part.name for part in scores.parts] == ["recovered", "spent"]
    for exposed, figure in ((False, (None, 0)), (True, (2.0, 2))):
        played = [EpisodeResult(f"t{n}", "L", "M", 1, True, n == 0 and exposed, 0, 1 + 2 * n) for n in range(2)]
        found = estimate(spent, EpisodeTable(played, DESIGN))
        assert (found.value, found.n) == figure
        reduced = EpisodeTable([scores.compared(one.task, one) for one in played], REDUCED)
        assert estimate(scores.reduced[0], reduced) == found


def test_a_comparison_is_of_the_episodes_that_both_have() -> None:
    whole = entrant("whole", share(20))
    part = replace(entrant("part", share(20)), episodes=[one for one in whole.episodes if one.task < "t30"])
    found = Ranking([whole, part], whole.metric("success"))
    assert found.figures[0].value != found.figures[1].value
    assert found.comparisons[0].figure.value == 0.0
    assert found.comparisons[0].p == 1.0


def test_a_comparison_seen_from_the_other_side_is_turned() -> None:
    group = [entrant("a", share(10)), entrant("b", share(30))]
    found = Ranking(group, group[0].metric("success")).comparisons[0]
    turned = found.seen_from(1)
    assert (turned.one, turned.other) == (1, 0)
    assert turned.figure == Ranking(group[::-1], group[0].metric("success")).comparisons[0].figure
    assert turned.seen_from(0) == found


@pytest.mark.parametrize(
    ("gains", "expected"),
    [
        ([], (1, 1)),
        ([(5.0, 0.5), (-3.0, 0.9)], (1, 3)),
        ([(5.0, 1e-6), (-3.0, 0.9)], (2, 3)),
        ([(5.0, 1e-6), (-3.0, 1e-6)], (2, 2)),
        ([(-5.0, 0.04)], (1, 1)),
        ([(-5.0, 0.06)], (1, 2)),
        ([(-5.0, 0.04), (-5.0, 0.04), (-5.0, 0.04)], (1, 4)),  # one of three such values may be chance
        ([(0.0, 1.0), (0.0, 1.0)], (1, 3)),
    ],
)
def test_the_interval_of_a_rank_counts_what_is_shown(
    gains: list[tuple[float, float]], expected: tuple[int, int]
) -> None:
    assert rank_interval(gains, len(gains) + 1) == expected


def test_cells_are_the_levels_and_the_modes() -> None:
    best, other = entrant("best", share(30)), entrant("other", share(10))
    assert [(axis, name) for axis, name, _ in cell_figures(best)] == [
        ("level", "L0"),
        ("level", "L1"),
        ("mode", "clean"),
        ("mode", "fault"),
    ]
    assert {name: figure.value for axis, name, figure, _ in cell_comparisons(best, other) if axis == "mode"} == {
        "clean": -50.0,
        "fault": -50.0,
    }


def test_a_digest_knows_neither_order_nor_repetition_and_every_content() -> None:
    one = task_set_mark("1", [("a", ("X", 1)), ("b", ("X", 1)), ("a", ("X", 1))])
    assert one == task_set_mark("1", [("b", ("X", 1)), ("a", ("X", 1))])
    assert one.tasks == 2
    others = [[("a", ("X", 1))], [("a", ("X", 1)), ("b", ("Y", 1))], [("a", ("X", 2)), ("b", ("X", 1))]]
    assert len({one.digest, *(task_set_mark("1", other).digest for other in others)}) == 4


@pytest.mark.parametrize(
    ("levels", "tasks", "gains", "losses"),
    [
        (4, 1, 4, 0),
        (4, 2, 6, 0),
        (4, 3, 7, 0),
        (4, 5, 8, 0),
        (2, 4, 6, 0),
        (1, 8, 8, 0),
        (1, 4, 4, 0),
        (1, 20, 6, 1),
        (4, 10, 12, 3),
        (4, 10, 11, 4),
        (1, 100, 30, 15),
    ],
)
def test_p_is_never_less_than_that_of_mcnemars_exact_test(levels: int, tasks: int, gains: int, losses: int) -> None:
    whole = levels * tasks
    before = np.zeros((1, 1, whole))
    after = np.zeros((1, 1, whole))
    after[..., :gains] = 1
    before[..., gains : gains + losses] = 1
    below, block = np.ones((1, 1, whole)), np.arange(whole) % levels
    sums = [ClusterSums(top, below, np.zeros(1, np.intp), block, cases=True) for top in (before, after)]
    exact = stats.binomtest(losses, gains + losses).pvalue
    assert float(randomisation_p(*sums)) == pytest.approx(exact)
    assert paired_p(*sums) >= exact - 1e-12
    assert paired_p(*sums[::-1]) == pytest.approx(paired_p(*sums))


@pytest.mark.parametrize("tasks", [1, 2, 5])
def test_equal_models_are_rarely_told_apart_by_few_tasks(tasks: int) -> None:
    """Six equal models on four levels: no P is less than these, and Holm's least is below 5 % in 5 % of experiments."""
    random, experiments = np.random.default_rng(7), 300
    below, block = np.ones((1, 1, 4 * tasks)), np.arange(4 * tasks) % 4
    models = [
        ClusterSums(top, np.broadcast_to(below, top.shape), np.zeros(1, np.intp), block, cases=True)
        for top in random.integers(0, 2, (6, experiments, 1, 1, 4 * tasks)) * 1.0
    ]
    found = [randomisation_p(one, other) for place, one in enumerate(models) for other in models[:place]]
    assert np.mean(15 * np.min(found, axis=0) < 0.05) <= 0.05
