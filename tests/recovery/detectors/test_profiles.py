"""Learning, the file, the threshold: what a profile promises is held against answers that it never saw."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sealegs.faults.call import Call
from sealegs.faults.user_error import UserError
from sealegs.recovery.detectors import BrokenStatement, Profiles, learn, read_profiles
from sealegs.recovery.detectors.calibration import non_increasing_shares, threshold
from tests.recovery.detectors.shop import TOOL, pair, record, trace

LEARNED = learn(record(60))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


def findings(profiles: Profiles, change: dict[str, Any], seed: int = 5, **settings: Any) -> list[BrokenStatement]:
    arguments, answer = pair(random.Random(seed))
    found = profiles.detector(0.01, **settings).findings(Call(TOOL, arguments), {**answer, **change})
    assert all(isinstance(one, BrokenStatement) for one in found)
    return [one for one in found if isinstance(one, BrokenStatement)]


@pytest.mark.parametrize(
    ("change", "family", "words"),
    [
        ({"total": 1.5}, "statistical_inconsistency", "net + shipping"),
        ({"sku": "SK-0000"}, "irrelevant_response", "the argument sku"),
        ({"order_id": None}, "missing_required_fields", "empty"),
        ({"order_id": "Traceback (most recent call last): line 7"}, "tool_leakage", "inside"),
        ({"due_on": "2019-01-01"}, "temporal_contradiction", "ordered_on"),
        ({"status": "exploded"}, "logic_violation", "one of"),
        ({"shipping": "free"}, "malformed", "number"),
    ],
)
def test_what_is_wrong_is_found_with_its_reason(change: dict[str, Any], family: str, words: str) -> None:
    found = findings(LEARNED, change)
    assert family in {one.family for one in found}
    assert any(words in one.reason for one in found)
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert len({one.reason for one in found}) == len(found)


def test_right_answers_are_called_wrong_about_as_often_as_was_wanted() -> None:
    draw = random.Random(77)
    pairs = [pair(draw) for _ in range(600)]
    for wanted, most in ((0.01, 0.03), (0.05, 0.09), (0.2, 0.26)):
        detector = LEARNED.detector(wanted)
        alarms = sum(bool(detector.findings(Call(TOOL, arguments), answer)) for arguments, answer in pairs)
        assert alarms / len(pairs) <= most


def test_a_record_of_other_calls_does_not_move_the_threshold_out_of_reach() -> None:
    strange = [trace(f"x{i}", [({"sku": f"SK-{i:04}"}, {"sku": "?" * i, "total": -(10.0**i)})]) for i in range(40)]
    alone, both = learn(record(60)), learn(record(60), also=strange)
    assert both.tools[TOOL].answers == alone.tools[TOOL].answers + 40
    assert (both.answers.count, both.episodes.count) == (alone.answers.count, alone.episodes.count) == (180, 60)


def test_leaks_can_be_left_to_the_record() -> None:
    leak = {"order_id": "java.lang.NullPointerException at com.acme.Record.load(Record.java:7)"}
    assert "tool_leakage" not in {one.family for one in findings(LEARNED, leak, leaks=False)}
    assert findings(LEARNED, leak, leaks=False)  # the form of the id tells as well


def test_a_field_of_a_known_name_is_checked_in_an_unknown_tool() -> None:
    found = LEARNED.detector(0.05).findings(Call("other", {}), {"order": {"city": "Oslo", "country": "Japan"}})
    assert {one.family for one in found} == {"fact_contradiction"}


def test_the_file_gives_the_same_profiles(tmp_path: Path) -> None:
    file = tmp_path / "profiles.json"
    file.write_text(LEARNED.text(), encoding="utf-8")
    again = read_profiles(file)
    assert again.text() == LEARNED.text()
    assert again == LEARNED


def test_learning_twice_gives_the_same() -> None:
    assert learn(record(60)).text() == LEARNED.text()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "is not JSON"),
        ("[]", "holds no profiles"),
        ('{"sealegs": "profiles", "version": 7}', "is of version 7"),
        (json.dumps({**LEARNED.data(), "tools": [{"tool": "a", "answers": 1, "statements": [{}]}]}), "KeyError"),
    ],
)
def test_a_bad_file_is_one_message(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "profiles.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=words):
        read_profiles(file)
    with pytest.raises(UserError, match="cannot read"):
        read_profiles(tmp_path / "none.json")


def test_what_the_record_cannot_carry_is_refused() -> None:
    with pytest.raises(UserError, match="too few for a false alarm in 1000"):
        LEARNED.detector(0.001)
    with pytest.raises(UserError, match="between 0 and 1"):
        LEARNED.detector(2)
    with pytest.raises(UserError, match="no tool answers"):
        learn([])
    notes: list[str] = []
    with pytest.raises(UserError, match="too few"):
        learn(record(1), notes.append).detector()
    assert "nothing can be held out" in notes[0]


@settings(max_examples=30)
@given(JSON, st.dictionaries(st.text(max_size=5), JSON, max_size=3))
def test_no_answer_breaks_the_detector(answer: Any, arguments: dict[str, Any]) -> None:
    detector = LEARNED.detector(0.05, drift=True)
    right, usual = pair(random.Random(1))
    detector.findings(Call(TOOL, arguments), answer)
    detector.findings(Call(TOOL, right), {**usual, "total": answer, "extras": answer, "ordered_on": answer})


@settings(max_examples=40)
@given(st.lists(JSON, min_size=2, max_size=6))
def test_anything_can_be_learned_from(answers: list[Any]) -> None:
    profiles = learn([trace(str(i), [({"a": answer}, answer)]) for i, answer in enumerate(answers)])
    assert profiles.tools[TOOL].answers == len(answers)


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=1, max_size=8))
def test_shares_never_rise_and_keep_the_total(counts: list[tuple[int, int]]) -> None:
    pairs = [(float(min(pair)), float(max(pair))) for pair in counts]
    shares = non_increasing_shares(pairs)
    assert len(shares) == len(pairs)
    assert all(0 < share < 1 for share in shares)


def test_shares_that_fall_already_stay() -> None:
    assert non_increasing_shares([(50, 100), (10, 100), (0, 100)]) == pytest.approx([50.5 / 101, 10.5 / 101, 0.5 / 101])
    assert non_increasing_shares([(10, 100), (50, 100)]) == pytest.approx([60.5 / 201] * 2)


@settings(max_examples=50)
@given(st.lists(st.floats(0, 9), min_size=30, max_size=120), st.sampled_from([0.05, 0.1, 0.3]))
def test_the_threshold_is_the_least_that_few_enough_reach(scores: list[float], share: float) -> None:
    found = threshold(scores, len(scores), share)
    assert sum(score >= found for score in scores) <= share * (len(scores) + 1)
