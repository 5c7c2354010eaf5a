"""Learned detectors in the recovery layer, and in a recovery plan's file."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from sealegs.faults.call import Outcome, Value
from sealegs.faults.spec import ToolSpec
from sealegs.faults.user_error import UserError
from sealegs.recovery.detectors import learn
from sealegs.recovery.layer import RecoveryLayer
from sealegs.recovery.recovery_plan import read_recovery_plan
from tests.recovery.detectors.shop import TOOL, pair, record
from tests.recovery.stage import Stage

LEARNED = learn(record(60))
READS = ToolSpec(TOOL, effects=False)


def scripted() -> tuple[dict[str, Any], list[Outcome]]:
    """A wrong answer, then the right one."""
    arguments, answer = pair(random.Random(3))
    return arguments, [Value({**answer, "total": 0.01, "sku": "SK-0000"}), Value(answer)]


def test_the_layer_tries_again_where_an_answer_is_unlike_the_record() -> None:
    arguments, script = scripted()
    scene = Stage(RecoveryLayer(detectors=(LEARNED.detector(0.01),)), {TOOL: script}, (READS,))
    assert scene.call(TOOL, **arguments) == script[1]
    assert len(scene.made) == 2
    assert scene.actions == ["tried", "retried"]


def test_a_plan_names_its_profiles(tmp_path: Path) -> None:
    (tmp_path / "shop.json").write_text(LEARNED.text(), encoding="utf-8")
    file = tmp_path / "recovery.yaml"
    file.write_text("profiles: shop.json\nfalse_alarms: 0.05\n", encoding="utf-8")
    plan = read_recovery_plan(file)
    arguments, script = scripted()
    scene = Stage(plan.layer(), {TOOL: script}, (READS,))
    assert scene.call(TOOL, **arguments) == script[1]
    assert plan.detectors[0] is plan.detectors[0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("profiles: none.json", "cannot read"),
        ("profiles: recovery.yaml", "is not JSON"),
        ("false_alarms: 3", "less than 1"),
    ],
)
def test_a_plan_with_bad_profiles_is_refused(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "recovery.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=words):
        read_recovery_plan(file)
