"""The labelled set is what it says to be, and the figures are those of its unseen part."""

from __future__ import annotations

from collections import Counter

import pytest

from sealegs.recovery.bank import FLOOR, Bank, shipped_exemplars
from sealegs.recovery.causes import causes
from sealegs.recovery.classes import CLASSES, published
from sealegs.scoring.intervals import wilson
from sealegs.suites import diagnosis
from sealegs.suites.diagnosis import Labelled, confusion, floor, labelled, measured, shared


def test_the_labelled_set() -> None:
    assert len(labelled()) >= 300
    assert len({one.text for one in labelled()}) == len(labelled())
    for split in diagnosis.SPLITS:
        assert set(Counter(one.failure_class for one in labelled(split))) == set(CLASSES)
        assert {one.cause for one in labelled(split)} == set(causes())
    for one in labelled():
        known = {causes()[one.cause].failure_class, *published().values()}
        assert one.failure_class in known
        assert one.ours == causes()[one.cause].ours


def test_the_parts_share_neither_tools_nor_wordings() -> None:
    assert shared() == []


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
    more = Labelled("test", tool, "x", "timeout", CLASSES[0], CLASSES[0], text)
    monkeypatch.setattr(
        diagnosis, "labelled", lambda split="": (more,) if split == "test" else labelled.__wrapped__("train")
    )
    assert len(shared()) >= 1


def test_the_floor_is_the_one_that_the_train_part_gives() -> None:
    assert floor() == FLOOR


def test_the_figures_add_up() -> None:
    rows, found = measured()
    n = len(labelled("test"))
    cell = next(row for row in rows if (row["level"], row["metric"]) == ("all", "accuracy"))
    right = sum(one.diagnosis is not None and one.diagnosis.failure_class == one.label.failure_class for one in found)
    low, high = wilson(right, n)
    assert (cell["value"], cell["low"], cell["high"], cell["n"]) == (100 * right / n, 100 * low, 100 * high, n)
    counts = confusion(found)
    assert sum(counts.values()) == n
    assert sum(count for (truth, told), count in counts.items() if truth == told) == right
    assert right / n > 0.55  # what stands in docs/diagnosis.md, with room for mended rules


def test_a_bank_that_knows_nothing_is_seen_in_the_figures() -> None:
    one = next(one for one in shipped_exemplars() if one.name == "cancelled")
    rows, _ = measured("test", Bank([one]))
    poor = {row["metric"]: row["value"] for row in rows if row["level"] == "all"}
    rows, _ = measured("test")
    rich = {row["metric"]: row["value"] for row in rows if row["level"] == "all"}
    assert (poor["advised"] or 0) < 10 < (rich["advised"] or 0)
    assert (poor["accuracy"] or 0) <= (rich["accuracy"] or 0)
