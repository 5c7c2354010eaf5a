"""Logs without the eval's state: what scorers see, and what is written, with it and without."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import needs

pytest.importorskip("inspect_ai", reason=needs.module("inspect_ai"))

from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalSample

from sealegs.suites.inspect_eval.foreign_task import load_eval
from sealegs.suites.inspect_eval.slim_logs import state_out_of_logs
from tests.suites.inspect_eval.played import named


def played(folder: Path) -> EvalSample:
    (log,) = inspect_eval(
        load_eval(named("plain"), {"count": 1}), model="shopclerk/patient", log_dir=str(folder), display="none"
    )
    (sample,) = log.samples or []
    return sample


def test_the_state_is_scored_and_not_logged(tmp_path: Path) -> None:
    with state_out_of_logs():
        slim = played(tmp_path / "slim")
    usual = played(tmp_path / "usual")
    for sample in (slim, usual):
        assert [score.value for score in (sample.scores or {}).values()] == ["C"], "the scorer reads it from the store"
        assert len([event for event in sample.events if event.event == "tool"]) == 2
    assert usual.store == {"orders": [["lamp", 1]]}
    assert slim.store == {}

    def of_state(sample: EvalSample) -> list[str]:
        changes = [change for event in sample.events if event.event in ("state", "store") for change in event.changes]
        return [change.path for change in changes if "orders" in change.path]

    assert of_state(usual)
    assert not of_state(slim)
