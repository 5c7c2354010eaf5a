"""A value that a read shows beside the one that a call gave: the same, another, or perhaps the same."""

from __future__ import annotations

import datetime
import unicodedata
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

from sealegs.recovery.policies.value_match import match_values

SAME: list[tuple[Any, Any]] = [
    (5, 5.0),
    ("5", 5),
    (5.0, "5"),
    ("5.1", Decimal("5.10")),
    (5.1, "5.1"),
    ("007", "007"),
    (None, None),
    (True, True),
    ("2024-05-01", datetime.date(2024, 5, 1)),
    ("00000000-0000-0000-0000-000000000005", UUID(int=5)),
    ({"a": [1, "X"]}, {"a": (1.0, "X")}),
]
OTHERS: list[tuple[Any, Any]] = [
    ("1234567890123456781", "1234567890123456782"),
    (1234567890123456781, "1234567890123456782"),
    (10**400, 10**400 + 1),
    ("1a", 1),
    ("Ann", "Bob"),
    ("", "x"),
    (None, "x"),
    (0.1, 0.2),
    ([1], [1, 2]),
    ({"a": 1, "b": 2}, {"a": 2}),
    ([], "x"),
    ("************4243", "4242424242424242"),
    ("Xx", "Exxon"),
]
PERHAPS: list[tuple[Any, Any]] = [
    ("0012", "12"),
    (12, "0012"),
    ("12e5", "120e4"),
    (9000, "9e3"),
    ("1.1", "1.10"),
    ("dQw4w9WgXcQ", "dqw4w9wgxcq"),
    ("May rent", " May  rent\n"),
    (unicodedata.normalize("NFD", "Müller"), unicodedata.normalize("NFC", "Müller")),
    ("true", True),
    (1, True),
    ("", None),
    (None, []),
    ("1,000.00", 1000),
    (1234567890123456800, "1234567890123456781"),
    (0.3, 0.1 + 0.2),
    ({"a": 1, "more": 2}, {"a": 1}),
    ({"a": [1, "x "]}, {"a": [1.0, "X"]}),
    ("************4242", "4242424242424242"),
    ("xxxx-4242", "4242-4242"),
    ("42••••42", 42424242),
    ("[REDACTED]", "secret"),
]


@pytest.mark.parametrize(
    ("shown", "given", "match"),
    [
        *((*pair, True) for pair in SAME),
        *((*pair, False) for pair in OTHERS),
        *((*pair, None) for pair in PERHAPS),
    ],
)
def test_values_match_by_value_or_perhaps(shown: Any, given: Any, match: bool | None) -> None:
    assert match_values(shown, given) is match
