"""Inspect's `eval_set` and `eval_retry` on our tasks, by a local server: right figures, and what they make again."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import needs

pytest.importorskip("inspect_ai", reason=needs.module("inspect_ai"))
pytest.importorskip("openai", reason=needs.module("openai"))

from inspect_ai import eval_retry, eval_set
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import get_model

from sealegs.suites.maze.inspect_task import maze
from sealegs.suites.suite import suite_named
from tests.suites.models.faulty_provider import KEY, FaultyProvider, serving

pytestmark = pytest.mark.filterwarnings("ignore")  # Inspect leaves streams open
MODEL = "openai-api/local/poor"


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultyProvider]:
    monkeypatch.setenv("LOCAL_API_KEY", KEY)
    with serving() as one:
        monkeypatch.setenv("LOCAL_BASE_URL", one.url)  # for `eval_retry`, which makes the model anew
        yield one
    gc.collect()


def as_a_set(folder: Path, provider: FaultyProvider) -> tuple[bool, EvalLog]:
    done, (log,) = eval_set(
        maze(levels="C1", modes="NP,P1", limit=1),
        str(folder),
        model=get_model(MODEL, base_url=provider.url, memoize=False),
        retry_wait=0.1,
        display="none",
        log_realtime=False,
        max_retries=0,
        max_connections=1,
    )
    return done, read_eval_log(log.location)


def errors(log: EvalLog) -> int:
    return sum(sample.error is not None for sample in log.samples or ())


def test_figures_are_right_and_an_invalid_episode_is_left_to_eval_retry(
    provider: FaultyProvider, tmp_path: Path
) -> None:
    provider.begin("400", times=1)  # both modes ask the same, so that one of the two is struck
    done, log = as_a_set(tmp_path / "set", provider)
    assert (done, log.status, errors(log)) == (True, "success", 1), "a set counts a sample that failed as done"
    provider.begin()
    done, log = as_a_set(tmp_path / "set", provider)
    assert (errors(log), provider.requests) == (1, []), "so that the same command makes nothing again"
    rows = suite_named("maze").report(tmp_path / "set").rows
    whole = {row["metric"]: row for row in rows if (row["level"], row["mode"]) == ("all", "all")}
    assert (whole["invalid"]["value"], whole["tsr"]["n"]) == (50, 1), "and the report says that it is missing"
    assert log.results is not None
    shown = {name: found.value for score in log.results.scores for name, found in score.metrics.items()}
    assert shown["tsr"] == whole["tsr"]["value"]
    provider.begin()
    (retried,) = eval_retry(log, display="none", log_dir=str(tmp_path / "retried"), log_realtime=False)
    assert errors(read_eval_log(retried.location)) == 0
    assert len(provider.requests) > 0
    rows = suite_named("maze").report(tmp_path / "retried").rows
    whole = {row["metric"]: row for row in rows if (row["level"], row["mode"]) == ("all", "all")}
    assert (whole["invalid"]["value"], whole["tsr"]["n"]) == (0, 2)
