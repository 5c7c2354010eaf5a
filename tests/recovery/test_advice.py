"""Advice on failures as libraries print them: it speaks of what is the matter, or not at all.

`advice.jsonl` holds texts that really failing libraries printed and texts in the forms of others, some not English,
each with the causes whose advice helps (`right`) and those whose advice does no harm (`weak`).
"""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from sealegs.faults.call import Failure, Outcome
from sealegs.faults.spec import ToolSpec
from sealegs.recovery.bank import shipped_bank
from sealegs.recovery.causes import causes
from sealegs.recovery.diagnose import diagnosed
from sealegs.recovery.layer import RecoveryLayer
from sealegs.recovery.policies import Advise
from sealegs.recovery.undeclared import Undeclared, left_alone
from tests.recovery.stage import BUSY, GONE, Stage

CASES = [json.loads(line) for line in Path(__file__).with_name("advice.jsonl").read_text(encoding="utf-8").splitlines()]
OF = {one.name: one.cause for one in shipped_bank().exemplars}
LOOK = "took effect"


@pytest.mark.parametrize("case", CASES, ids=[f"{place}-{case['text'][:30]}" for place, case in enumerate(CASES)])
def test_advice_speaks_of_what_is_the_matter_or_not_at_all(case: dict[str, list[str]]) -> None:
    found = diagnosed(str(case["text"]))
    if found.advice:
        assert found.match is not None
        assert OF[found.match.exemplar.name] in (*case["right"], *case["weak"])


def test_most_of_them_are_advised() -> None:
    advised = [bool(diagnosed(str(case["text"])).advice) for case in CASES]
    assert sum(advised) / len(advised) > 0.6


def test_a_look_is_asked_for_only_where_there_may_be_an_effect() -> None:
    for case in CASES:
        found = diagnosed(str(case["text"]))
        if LOOK in found.advice:
            assert found.match is not None
            assert not causes()[OF[found.match.exemplar.name]].checked
    assert LOOK not in diagnosed('sqlite3.OperationalError: near "selec": syntax error').advice


@pytest.mark.parametrize(("effects", "looks"), [(None, True), (True, True), (False, False)])
def test_what_is_declared_decides_whether_a_look_is_asked_for(effects: bool | None, looks: bool) -> None:
    scene = Stage(RecoveryLayer(Advise(shipped_bank())), {"price": [BUSY]}, (ToolSpec("price", effects=effects),))
    shown = scene.call("price")
    assert isinstance(shown, Failure)
    assert (LOOK in shown.message) is looks


def test_what_was_left_alone_for_want_of_a_declaration_is_said(caplog: pytest.LogCaptureFixture) -> None:
    scripts: dict[str, list[Outcome]] = {name: [BUSY] for name in ("get_fare", "get it", "act")}
    scene = Stage(RecoveryLayer(), {**scripts, "gone": [GONE]}, (ToolSpec("act", effects=True),))
    with caplog.at_level(logging.WARNING, "sealegs.recovery"):
        for tool in ("get_fare", "get_fare", "get it", "act", "gone"):
            scene.call(tool)
    found = left_alone([scene.recorder.events])
    assert found == (Undeclared("get_fare", 2), Undeclared("get it", 1))
    assert found[0].remedy == "tools: {get_fare: {effects: false}}"
    assert found[1].remedy == 'tools: {"get it": {effects: false}}'
    said = [record.getMessage() for record in caplog.records if "nobody said" in record.getMessage()]
    assert len(said) == 2
    details = [event.detail for event in scene.recorder.events if event.type == "acted" and event.policy == "safety"]
    assert all("tools: {" in detail for detail in details)
