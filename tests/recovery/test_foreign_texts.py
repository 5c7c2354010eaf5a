"""Other people's failures get the causes that are right for them, and answers that sound like failures stay answers.

The tables were written before any rule read them, and then corrected only where a text was not complete. A cause counts
if a rule found it: what the nearest exemplar or the likeness of words gives is a guess.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from sealegs.faults.call import Value
from sealegs.recovery.causes import cause, causes
from sealegs.recovery.forms import read_failure


def table(name: str) -> list[Any]:
    """The rows of a table beside this file."""
    rows: list[Any] = yaml.safe_load(Path(__file__).with_name(name).read_text(encoding="utf-8"))
    return rows


FAILURES = table("foreign_failures.yaml")
ANSWERS = table("foreign_answers.yaml")


@pytest.mark.parametrize("failure", FAILURES, ids=[f"{one['of']}: {one['text'][:60]!a}" for one in FAILURES])
def test_a_failure_has_a_right_cause(failure: dict[str, Any]) -> None:
    signature = read_failure(failure["text"]).signature
    assert signature is not None
    found = cause(signature)
    assert ("" if found is None else found[0].name) in (failure["right"] or [""])


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: ascii(json.dumps(answer))[:80])
def test_an_answer_that_sounds_like_a_failure_is_none(answer: Any) -> None:
    reading = read_failure(json.dumps(answer))
    assert reading.outcome == Value(answer)
    assert reading.signature is None


def test_the_tables_are_long_enough_and_name_known_causes() -> None:
    assert len(FAILURES) >= 60
    assert len(ANSWERS) >= 40
    assert {name for one in FAILURES for name in one["right"] if name} <= set(causes())
