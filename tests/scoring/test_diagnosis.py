"""The labelled set is what it says to be, and the figures are those of its unseen part."""

from __future__ import annotations

import math
from collections import Counter

import pytest

from sealegs.intervals.exact_shares import share_interval
from sealegs.recovery.bank import FLOOR, Bank, shipped_exemplars
from sealegs.recovery.cause_classifier import MARGIN, count_causes
from sealegs.recovery.causes import causes
from sealegs.recovery.classes import CLASSES, published_classes
from sealegs.recovery.failure_diagnosis import diagnose_failure
from sealegs.recovery.signature import Signature
from sealegs.scoring import diagnosis_accuracy
from sealegs.scoring.diagnosis_accuracy import (
    KnownFailure,
    confusion,
    cross_validated_margins,
    floor,
    labelled_failures,
    margin,
    measure_diagnoses,
    split_leaks,
)


def test_the_labelled_set() -> None:
    assert len(labelled_failures()) >= 300
    assert len({one.text for one in labelled_failures()}) == len(labelled_failures())
    for split in diagnosis_accuracy.SPLITS:
        assert set(Counter(one.failure_class for one in labelled_failures(split))) == set(CLASSES)
        assert {one.cause for one in labelled_failures(split)} == set(causes())
    for one in labelled_failures():
        known = {causes()[one.cause].failure_class, *published_classes().values()}
        assert one.failure_class in known
        assert one.ours == causes()[one.cause].ours


def test_the_parts_share_neither_tools_nor_wordings() -> None:
    assert split_leaks() == []


@pytest.mark.parametrize(
    ("tool", "text"),
    [
        ("get_weather", "quite another failure of no known words"),
        ("fresh", "KeyError: 'ACMEX'"),
        ("fresh", "The cart is empty: add an item before the checkout"),
        ("fresh", "Upstream Service Error"),
    ],
)
def test_what_is_shared_is_seen(monkeypatch: pytest.MonkeyPatch, tool: str, text: str) -> None:
    more = KnownFailure("test", tool, "x", "timeout", CLASSES[0], CLASSES[0], text)
    monkeypatch.setattr(
        diagnosis_accuracy,
        "labelled_failures",
        lambda split="": (more,) if split == "test" else labelled_failures.__wrapped__("train"),
    )
    assert len(split_leaks()) >= 1


def test_the_floor_is_the_one_that_the_train_part_gives() -> None:
    assert floor() == FLOOR


def test_the_margin_is_the_one_that_the_train_part_gives() -> None:
    assert margin() == MARGIN
    correct = [right for by, right in cross_validated_margins() if by >= MARGIN]
    assert len(correct) > 250
    assert sum(correct) / len(correct) > sum(right for _, right in cross_validated_margins()) / len(
        cross_validated_margins()
    )  # a margin means something


def test_words_alone_give_a_guess_and_nothing_known_gives_none() -> None:
    def classified(text: str) -> tuple[str, str] | None:
        found = diagnose_failure(text).diagnosis
        return None if found is None else (found.by, found.cause)

    assert classified("HTTP/1.1 429 Too Many Requests") == ("words", "rate_limit")
    guesses = [one for one in measure_diagnoses()[1] if one.diagnosis is not None and one.diagnosis.by == "likeness"]
    assert guesses
    assert all(one.diagnosis is not None and one.diagnosis.failure_class in CLASSES for one in guesses)
    assert classified("Zwyx: qrrt vbnm") is None


def test_likeness_against_a_count_by_hand() -> None:
    def one(message: str) -> Signature:
        return Signature(message=message)

    seen = [("disk full", "a"), ("disk slow", "a"), ("door shut", "b")]
    likeness = count_causes((one(text), cause, cause.upper()) for text, cause in seen)
    cause, margin_of = likeness.likeliest(one("disk")) or ("", 0.0)
    inside, outside = (2 + 0.1) / (2 + 0.2), (0 + 0.1) / (1 + 0.2)
    a = math.log(2 / 3) + math.log(inside / outside)
    b = math.log(1 / 3) + math.log(outside / inside)
    assert (cause, margin_of) == ("a", pytest.approx(a - b))
    assert likeness.likeliest(one("window")) is None


def test_the_figures_add_up() -> None:
    rows, found = measure_diagnoses()
    n = len(labelled_failures("test"))
    cell = next(row for row in rows if (row["level"], row["metric"]) == ("all", "accuracy"))
    right = sum(one.diagnosis is not None and one.diagnosis.failure_class == one.label.failure_class for one in found)
    low, high = share_interval(right, n)
    assert (cell["value"], cell["low"], cell["high"], cell["n"]) == (100 * right / n, 100 * low, 100 * high, n)
    counts = confusion(found)
    assert sum(counts.values()) == n
    assert sum(count for (truth, predicted), count in counts.items() if truth == predicted) == right
    assert right / n > 0.55  # what stands in docs/diagnosis.md, with room for mended rules


def test_a_bank_that_knows_nothing_is_seen_in_the_figures() -> None:
    one = next(one for one in shipped_exemplars() if one.name == "cancelled")
    rows, _ = measure_diagnoses("test", Bank([one]))
    poor = {row["metric"]: row["value"] for row in rows if row["level"] == "all"}
    rows, _ = measure_diagnoses("test")
    rich = {row["metric"]: row["value"] for row in rows if row["level"] == "all"}
    assert (poor["advised"] or 0) < 10 < (rich["advised"] or 0)
    assert (poor["accuracy"] or 0) <= (rich["accuracy"] or 0)
