"""Messages without what differs from one occurrence to the next: the same failure reads the same.

Identifiers, addresses, paths, times and numbers become words in angle brackets, the longest forms first. Three digits
that can be an HTTP status stay, and so do the numbers of system errors, for they say what kind of failure it is.
Masking twice changes nothing more.
"""

from __future__ import annotations

import re

LENGTH = 600  # characters of a message that are looked at: a stack trace can fill pages

# Two forms begin with a letter; where a number stood directly before it, they would match once the number is masked.
_FORMS: tuple[tuple[str, str], ...] = (
    (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "<id>"),
    (r"(?<!<n>)\b[a-z][a-z0-9+.-]*://[^\s'\"<>)\]]+", "<url>"),
    (r"\b[\w.+-]+@[\w-]+\.[\w.-]+\b", "<mail>"),
    (r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?", "<time>"),
    (r"\b\d\d:\d\d:\d\d(?:\.\d+)?\b", "<time>"),
    (r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b", "<address>"),
    (r"(?<!<n>)\b[a-z][\w-]*(?:\.[\w-]+)*:\d{2,5}\b", "<address>"),
    (r"\b(?:[a-z0-9][a-z0-9-]*\.)+(?:com|org|net|io|dev|local|internal|example|test|invalid)\b", "<address>"),
    (r"(?<![\w<>])(?:[a-z]:)?(?:[\\/][\w.@-]+){2,}[\\/]?", "<path>"),
    (r"\b0x[0-9a-f]+\b", "<id>"),
    (r"\b(?=[0-9a-z_-]{6})(?=[a-z_-]*\d[\w-]*\d)(?=[\d_-]*[a-z])[0-9a-z]+(?:[_-][0-9a-z]+)*\b", "<id>"),
    (r"(?<![\w./-])(?<!errno )(?<!winerror )(?![1-5]\d\d\b(?![.,]\d))\d+(?:[.,]\d+)*", "<n>"),
)
_MASKS = tuple((re.compile(form, re.IGNORECASE), word) for form, word in _FORMS)
_SPACE = re.compile(r"\s+")


def masked(message: str) -> str:
    """The message in one line, its first 600 characters, with what is particular to this occurrence masked."""
    text = _SPACE.sub(" ", message[:LENGTH]).strip()
    for form, word in _MASKS:
        text = form.sub(word, text)
    return text
