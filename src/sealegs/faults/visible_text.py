"""Signs that nobody sees, made visible: control and direction characters in texts that others wrote.

An escape sequence can rewrite what a terminal shows, a direction mark can turn a line around, and tags and zero-width
signs can carry words that only a model reads. Each becomes its escape, as Python and JSON write it: `\\x1b`, `\\u202e`,
`\\U000e0041`. Line ends and tabs stay, and so do joiners where writing needs them: within emoji, and between letters of
scripts that join. Letters that look like others stay, and so does a line that pretends to be ours.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")  # categories of signs that have no shape
# In those categories, but visible: signs that enclose numbers in Arabic, Syriac and Kaithi.
SHAPED = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd")
# In other categories, but invisible: fillers, blanks, and marks that choose a variant.
SHAPELESS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2065\u2800\u3164\uffa0")
VARIANTS = (range(0x180B, 0x1810), range(0xFE00, 0xFE10), range(0xE0000, 0xE1000))
PLAIN = re.compile(r"[\n\t\x20-\x7e]*\Z")  # most texts hold nothing else
JOINERS = "\u200c\u200d"
EMOJI_FORMS = "\ufe0e\ufe0f"
JOINING = (range(0x0600, 0x0900), range(0x0900, 0x0E00), range(0x0F00, 0x10A0), range(0x1780, 0x18B0))


def visible(text: str) -> str:
    """The text with an escape for each sign that nobody would see.

    A carriage return before a line end is part of it; any other would let a line hide what is before it.
    """
    if PLAIN.match(text):
        return text
    signs = text.replace("\r\n", "\n")
    return "".join(_escape(sign) if _hides(signs, at, sign) else sign for at, sign in enumerate(signs))


def _hides(text: str, at: int, sign: str) -> bool:
    """Return whether a sign at this place of a text is seen by nobody, and does not belong there."""
    if sign in "\n\t" or not _is_hidden(sign):
        return False
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    # A form belongs after a picture, or after a sign that has a picture as a key (keycaps); elsewhere it carries data.
    if sign in EMOJI_FORMS:
        return not (_is_emoji(before) or (before.isascii() and before != "" and before in "0123456789#*"))
    if sign in JOINERS:
        # Joiners make one picture of several, and are spelling in scripts such as Persian; between other letters they
        # hide text.
        pictures = sign == "\u200d" and (_is_emoji(before) or before == EMOJI_FORMS[1]) and _is_emoji(after)
        return not (pictures or (_joins(before) and _joins(after)))
    return True


@lru_cache(maxsize=4096)
def _is_hidden(sign: str) -> bool:
    number = ord(sign)
    if sign in SHAPED:
        return False
    return sign in SHAPELESS or unicodedata.category(sign) in HIDDEN or any(number in one for one in VARIANTS)


def _is_emoji(sign: str) -> bool:
    return sign != "" and unicodedata.category(sign) in ("So", "Sk") and ord(sign) >= 0x2190  # Sk: tones of skin


def _joins(sign: str) -> bool:
    return sign != "" and unicodedata.category(sign)[0] in "LM" and any(ord(sign) in one for one in JOINING)


def _escape(sign: str) -> str:
    number = ord(sign)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
