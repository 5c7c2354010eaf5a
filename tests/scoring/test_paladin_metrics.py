"""Metrics of `paladin`, correlations and agreement, against other ways to compute them."""

import math
import random
import warnings
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from sealegs.intervals.exact_shares import share_interval
from sealegs.intervals.quantiles import incomplete_beta
from sealegs.scoring.agreement import agreement, kappa
from sealegs.scoring.correlation import pearson
from sealegs.scoring.episode_verdict import Verdict
from sealegs.scoring.paladin_metrics import AS_PUBLISHED, METRICS, PaladinResult, paladin_table, recovery_figure
from sealegs.scoring.paladin_protocol import ProtocolVerdict

FLOATS = st.floats(-1e3, 1e3).map(lambda x: round(x, 3))


@given(pairs=st.lists(st.tuples(FLOATS, FLOATS), min_size=3, max_size=40))
def test_pearson_is_scipys(pairs: list[tuple[float, float]]) -> None:
    xs, ys = zip(*pairs, strict=True)
    r, p = pearson(xs, ys)
    if len(set(xs)) == 1 or len(set(ys)) == 1:
        assert math.isnan(r)
        assert math.isnan(p)
        return
    with warnings.catch_warnings(action="ignore"):  # nearly constant input
        theirs = stats.pearsonr(xs, ys)
    assert r == pytest.approx(theirs.statistic, abs=1e-7)
    if abs(r) < 0.999999:
        assert p == pytest.approx(theirs.pvalue, rel=1e-5, abs=1e-12)


@given(a=st.floats(0.5, 200), b=st.floats(0.5, 200), x=st.floats(0, 1))
def test_the_incomplete_beta_is_scipys(a: float, b: float, x: float) -> None:
    assert float(incomplete_beta(a, b, x)) == pytest.approx(float(special.betainc(a, b, x)), rel=1e-8, abs=1e-12)


def test_pearson_where_it_says_nothing_and_where_it_is_certain() -> None:
    assert all(map(math.isnan, pearson([1, 2], [1, 2])))
    assert pearson([1, 2, 3], [2, 4, 6]) == pytest.approx((1.0, 0.0), abs=1e-6)
    with pytest.raises(ValueError, match="2 values are paired with 3"):
        pearson([1, 2], [1, 2, 3])


def test_kappa_of_a_table_known_from_textbooks() -> None:
    counts = {("yes", "yes"): 20, ("yes", "no"): 5, ("no", "yes"): 10, ("no", "no"): 15}
    assert kappa(counts) == pytest.approx(0.4)
    pairs = [pair for pair, count in counts.items() for _ in range(count)]
    found = agreement("q", pairs)
    assert (found.n, found.share) == (50, 70.0)
    assert found.kappa == pytest.approx(0.4)
    assert found.kappa_low is not None
    assert found.kappa_high is not None
    # Fleiss, Cohen and Everitt (1969): the large-sample interval of this table is about 0.15 to 0.65
    assert found.kappa_low == pytest.approx(0.15, abs=0.05)
    assert found.kappa_high == pytest.approx(0.65, abs=0.05)


def test_labels_in_any_writing_and_kappa_where_it_is_not_defined() -> None:
    assert agreement("q", [(True, "Yes"), (False, "0"), ("no ", False)]).share == 100
    assert agreement("q", [(True, True), (True, True)]).kappa is None
    with pytest.raises(ValueError, match="no grader answered 'q'"):
        agreement("q", [])


def verdict(success: bool, exposed: bool, stopped: bool, calls: int, strategy: bool | None = None) -> Verdict:
    return Verdict(
        success=success,
        published=success,
        exposed=exposed,
        solvable=True,
        stopped=stopped,
        calls=calls,
        cost=3 if exposed else None,
        best=2 if exposed else None,
        redundancy=0.0,
        noticed=success,
        strategy=success if strategy is None else strategy,
        reasons=(),
        attribution="",
        tainted=(),
    )


def drawn(seed: int) -> list[PaladinResult]:
    draw = random.Random(seed)
    found = []
    for number in range(60):
        success, exposed = draw.random() < 0.6, draw.random() < 0.9
        made = verdict(success, exposed, draw.random() < 0.3, draw.randint(3, 12), success or draw.random() < 0.3)
        failure_class = "clean" if number % 10 == 9 else "ABC"[number % 3]
        protocol = ProtocolVerdict(draw.random() < 0.7, draw.random() < 0.7, draw.random() < 0.2)
        found.append(
            PaladinResult(f"t{number % 11}", failure_class, "switch", made, draw.random() < 0.9, protocol=protocol)
        )
    return found


@pytest.mark.parametrize("seed", range(4))
def test_macro_means_are_means_of_the_classes_means(seed: int) -> None:
    results = [r for r in drawn(seed) if r.failure_class != "clean"]
    for metric in METRICS:
        means = []
        for failure_class in "ABC":
            counted = [r for r in results if r.failure_class == failure_class and metric.below(r)]
            means.append(sum(metric.top(r) for r in counted) / sum(metric.below(r) for r in counted))
        value, low, high, _ = recovery_figure(results, metric.name)
        scale = 1 if metric.kind == "amount" else 100
        assert value == pytest.approx(scale * sum(means) / 3, abs=0.01)
        assert low is not None
        assert high is not None
        assert value is not None
        assert low <= value <= high


def test_one_class_of_independent_episodes_has_the_interval_of_a_share() -> None:
    results = [PaladinResult(f"t{n}", "A", "switch", verdict(n < 7, True, False, 4), True) for n in range(10)]
    low, high = share_interval(7, 10)
    assert recovery_figure(results, "tsr") == (70.0, round(100 * low, 2), round(100 * high, 2), 10)


@pytest.mark.parametrize(
    ("success", "answered", "stopped", "catastrophe"),
    [(True, True, False, False), (False, True, False, True), (False, True, True, False), (False, False, False, False)],
)
def test_a_catastrophe_is_a_false_claim(success: bool, answered: bool, stopped: bool, catastrophe: bool) -> None:
    found = PaladinResult("t", "A", "switch", verdict(success, True, stopped, 4), answered)
    assert found.catastrophe is catastrophe


def test_the_efficiency_of_a_success_is_the_fewest_calls_over_the_calls_made() -> None:
    one = PaladinResult("t", "A", "switch", verdict(True, True, False, 8), True)
    assert one.efficiency == pytest.approx((8 - 3 + 2) / 8)
    assert PaladinResult("t", "A", "transient", verdict(True, True, False, 8), True, extra=1).efficiency == 1.0
    assert PaladinResult("t", "A", "switch", verdict(False, True, False, 8), True).efficiency == 0
    assert PaladinResult("t", "clean", "clean", verdict(True, False, False, 8), True).efficiency == 1


def rows_of(rows: Sequence[object], **want: str) -> list[dict[str, object]]:
    return [row for row in rows if isinstance(row, dict) and all(row[name] == text for name, text in want.items())]


def test_the_long_table_has_every_class_all_and_the_clean_ones_apart() -> None:
    rows = paladin_table(drawn(0), {"suite": "paladin", "agent": "x"}, "eval")
    assert {row["level"] for row in rows} == {"A", "B", "C", "all", "clean"}
    assert not rows_of(rows, level="clean", metric="rr")
    (whole,) = rows_of(rows, level="all", metric="tsr")
    assert whole["n"] == 54
    assert rows_of(rows, level="all", metric="rr_switch")
    for row in rows:
        assert set(row) == {"suite", "agent", "level", "mode", "metric", "value", "low", "high", "n"}


def test_runs_that_differ_widen_the_interval_and_leave_the_value() -> None:
    def results(named: bool) -> list[PaladinResult]:
        made = [(run, task, verdict(run != 0, True, False, 4)) for run in range(3) for task in range(30)]
        return [
            PaladinResult(f"t{task}", "A", "switch", one, True, run=str(run) if named else "")
            for run, task, one in made
        ]

    value, low, high, _ = recovery_figure(results(named=True), "rr")
    pooled, closer, *_ = recovery_figure(results(named=False), "rr")
    assert value == pooled == pytest.approx(66.67)
    assert low is not None
    assert high is not None
    assert closer is not None
    assert low <= 0.1 < closer
    assert high >= 99.9


def test_what_the_published_protocol_did_not_grade_has_no_rows() -> None:
    ungraded = [PaladinResult(f"t{n}", "A", "switch", verdict(n < 7, True, False, 4), True) for n in range(10)]
    graded = [replace(one, protocol=ProtocolVerdict(success=True, recovery=True)) for one in ungraded]
    metrics = {row["metric"] for row in paladin_table(ungraded, {}, "eval")}
    assert not any(name.endswith("as_published") for name in metrics)
    assert {row["metric"] for row in paladin_table(graded, {}, "eval")} - metrics == {
        metric.name for metric in AS_PUBLISHED
    }
    assert [row["value"] for row in paladin_table(graded, {}, "eval") if row["metric"] == "rr_as_published"] == [
        100,
        100,
    ]
