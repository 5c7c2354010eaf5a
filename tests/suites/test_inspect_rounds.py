"""Rounds of Inspect's own epochs and its reducers: the figures in its logs are those of `sealegs report`."""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Callable, Iterator
from math import comb, isclose
from pathlib import Path
from typing import Any

import pytest

from sealegs.sandbox import find_isolation
from sealegs.suites.suite import suite_named
from tests import needs

pytest.importorskip("inspect_ai", reason=needs.module("inspect_ai"))

from inspect_ai import Epochs
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog

from sealegs.suites import registry

pytestmark = pytest.mark.filterwarnings("ignore")  # Inspect leaves streams open
ROUNDS = 3
REDUCERS: dict[str, Callable[[list[float]], float]] = {  # over the rounds of a sample, as Inspect documents them
    "mean": lambda one: sum(one) / len(one),
    "mode": lambda one: max(one, key=lambda value: (one.count(value), -one.index(value))),
    "pass_at_2": lambda one: 1 - comb(len(one) - int(sum(one)), 2) / comb(len(one), 2),
    "at_least_2": lambda one: float(sum(one) >= 2),
}
NAMED = {  # what Inspect shows, and the row of the report that is the same figure
    "maze": {"tsr": ("all", "all", "tsr"), "prr": ("all", "all", "prr"), "rc": ("all", "all", "rc")},
    "paladin": {name: ("all", "eval", name) for name in ("tsr", "rr", "csr", "es")},
    "highwater": {"accuracy_errors": ("closed 3", "external errors", "accuracy")},
}


@pytest.fixture(autouse=True)
def tidied() -> Iterator[None]:
    yield
    gc.collect()


def played(suite: str, model: str, folder: Path, **options: Any) -> EvalLog:
    task = getattr(registry, suite)(**options)
    epochs = Epochs(ROUNDS, list(REDUCERS))
    (log,) = inspect_eval(
        task, model=f"sealegs/{model}", epochs=epochs, log_dir=str(folder), display="none", log_realtime=False
    )
    assert log.status == "success", log.error
    return log


def reported(suite: str, folder: Path) -> dict[tuple[str, str, str], Any]:
    return {(row["level"], row["mode"], row["metric"]): row for row in suite_named(suite).report(folder).rows}


def check_figures(suite: str, log: EvalLog, folder: Path) -> dict[str, float]:
    """Hold each figure of a log to the report, or to what its reducer says of the samples; return the latter."""
    assert log.results is not None
    assert log.samples is not None
    rows, shown = reported(suite, folder), {}
    rounds: dict[Any, list[float]] = defaultdict(list)
    for sample in log.samples:
        assert sample.scores
        rounds[sample.id].append(float(next(iter(sample.scores.values())).value == "C"))
    assert {len(one) for one in rounds.values()} == {ROUNDS}
    for score in log.results.scores:
        for name, found in score.metrics.items():
            if score.reducer is None:
                row = rows[NAMED[suite][name]] if name in NAMED[suite] else None
                assert row is None or found.value == pytest.approx(row["value"], abs=0.006), name
            else:
                shown[score.reducer] = found.value
                expected = [REDUCERS[score.reducer](one) for one in rounds.values()]
                assert isclose(found.value, sum(expected) / len(expected), abs_tol=1e-9), score.reducer
    assert set(shown) == set(REDUCERS)
    return shown


def test_maze(tmp_path: Path) -> None:
    log = played("maze", "planner", tmp_path, levels="C1", modes="P3,P4", limit=3)
    shown = check_figures("maze", log, tmp_path)
    assert len(set(shown.values())) > 1, "the rounds are alike, so that no reducer is tried"
    rows = reported("maze", tmp_path)
    assert rows["all", "all", "tsr"]["n"] == ROUNDS * 6
    assert log.results is not None
    assert log.results.headline is not None
    assert log.results.headline.metric == "tsr"


def test_a_scripted_agent_that_knows_the_faults_knows_those_of_each_round(tmp_path: Path) -> None:
    played("maze", "oracle", tmp_path, levels="C2", modes="P3", limit=3)
    assert reported("maze", tmp_path)["all", "all", "tsr"]["value"] == 100


def test_paladin(tmp_path: Path) -> None:
    log = played("paladin", "follower", tmp_path, limit=1, arm="vanilla")
    check_figures("paladin", log, tmp_path)
    rows = reported("paladin", tmp_path)
    assert rows["all", "eval", "tsr"]["n"] + rows["clean", "eval", "tsr"]["n"] == len(log.samples or ())


@pytest.mark.skipif(not find_isolation().strong, reason=needs.STRONG)
def test_highwater(tmp_path: Path) -> None:
    log = played("highwater", "planner", tmp_path, setting="closed", limit=2, distractors=3, errors="on")
    check_figures("highwater", log, tmp_path)
