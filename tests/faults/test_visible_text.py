"""Signs that nobody sees become escapes; everything else stays."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealegs.faults.visible_text import visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2Jgone", "\\x1b[2Jgone"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("\x9b31m", "\\x9b31m"),
        ("good\rEVIL", "good\\rEVIL".replace("\\r", "\\x0d")),
        ("a\r\nb", "a\nb"),
        ("back\x08\x7f", "back\\x08\\x7f"),
        ("user\u202egnp.exe", "user\\u202egnp.exe"),
        ("\u2066\u2069\u200e\u061c", "\\u2066\\u2069\\u200e\\u061c"),
        ("pa\u200bss\u2060wo\ufeffrd\u00ad", "pa\\u200bss\\u2060wo\\ufeffrd\\xad"),
        ("hi\U000e0041\U000e007f", "hi\\U000e0041\\U000e007f"),
        ("a\ufe01b\U000e0101", "a\\ufe01b\\U000e0101"),
        ("\u2028\u2029", "\\u2028\\u2029"),
        ("\ud800", "\\ud800"),
        ("\u3164\u115f\u2800", "\\u3164\\u115f\\u2800"),
        ("ab\u200dcd", "ab\\u200dcd"),
    ],
)
def test_what_nobody_sees_is_escaped(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "plain, with\ttabs\nand lines",
        "Zoë, 東京, Привет, שלום, مرحبا, हिन्दी",
        "می\u200cخواهم",  # Persian needs the joiner
        "क्\u200dष",
        "👩\u200d🚀 👨\u200d👩\u200d👧 ❤\ufe0f 1\ufe0f\u20e3 👍🏽 👩🏽\u200d🚀 🏳\ufe0f\u200d🌈",
        "e\u0301 n\u0303",
        "₂ ≤ ∞ → ✓ €",
        "\u0600123",
    ],
)
def test_what_writing_needs_stays(text: str) -> None:
    assert visible(text) == text


@given(st.text(st.characters(exclude_categories=[])))
def test_nothing_hidden_is_left(text: str) -> None:
    """Of control signs only line ends and tabs, of format signs only those that belong where they are."""
    shown = visible(text)
    left = {sign for sign in shown if unicodedata.category(sign) in ("Cc", "Cf", "Cs", "Zl", "Zp")}
    assert left <= set(
        "\n\t\u200c\u200d\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
    )
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e0fff]", shown)


@given(st.text(st.characters(exclude_categories=[])))
def test_twice_is_once(text: str) -> None:
    assert visible(visible(text)) == visible(text)


@given(
    st.text(st.characters(exclude_categories=["C", "Zl", "Zp"])).map(
        lambda text: re.sub(
            "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]",
            "",
            text,
        )
    )
)
def test_texts_without_hidden_signs_stay(text: str) -> None:
    assert visible(text) == text
