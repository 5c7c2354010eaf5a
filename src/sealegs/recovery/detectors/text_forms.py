"""The forms of texts: of a code, a date, a mail address; of prose no more than its length and signs.

A text without spaces that is not a word (`working_day`) is cut into runs of letters and digits. Texts with the same
signs between the runs are of one form, which keeps what all of them share: a run's letters where they are the same, its
length, whether it is of digits, of capitals, of letters or mixed. What a text means is not considered.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

RUN = re.compile(r"[^\W_]+")
WORDS = re.compile(r"[^\W\d_]+(?:[_-][^\W\d_]+)*")
MOST = 4  # forms; a field with more has none
Run = tuple[str, int, str]  # class (9, A, a, x), length or 0, letters or ""


@dataclass(frozen=True, slots=True)
class TextForms:
    """The forms of a field.

    Attributes:
        codes: signs between the runs -> the runs.
        signs: all signs in prose; None where no text was prose.
        length: of the longest prose.
        example: one of the texts.
    """

    codes: dict[str, tuple[Run, ...]]
    signs: str | None
    length: int
    example: str

    def off(self, text: str) -> int:
        """A text's distance from all forms: 0 none, 1 by a length or a class, 2 by its signs, 3 also by length."""
        if _prose(text) or len(self.codes) > MOST:
            return self._off_prose(text)
        runs = self.codes.get(RUN.sub("*", text))
        if runs is None:
            return 2 if self.signs is None else self._off_prose(text)
        return 0 if all(map(_is, runs, RUN.findall(text))) else 1

    def _off_prose(self, text: str) -> int:
        if self.signs is None and not len(self.codes) > MOST:
            return 3
        new = set(RUN.sub("", text)) - set(self.signs or "") - {" "}
        long = len(text) > 2 * max(self.length, 20)
        return 3 if long and new else 2 if len(new) >= 2 else 1 if long else 0

    def data(self) -> dict[str, Any]:
        """The forms as JSON data."""
        return {"codes": self.codes, "signs": self.signs, "length": self.length, "example": self.example}


def learn_text_forms(texts: Iterable[str]) -> TextForms | None:
    """The forms of these texts; None where there is no text."""
    codes: dict[str, tuple[Run, ...]] = {}
    signs: set[str] | None = None
    length, example = 0, ""
    for text in texts:
        example = example or text
        if _prose(text):
            signs = (signs or set()) | set(RUN.sub("", text))
            length = max(length, len(text))
            continue
        key, runs = RUN.sub("*", text), tuple(_run(word) for word in RUN.findall(text))
        length = max(length, len(text))
        # Only texts with the same signs are joined, so both have as many runs.
        codes[key] = runs if key not in codes else tuple(map(_joined, codes[key], runs))
    if not example:
        return None
    # This many forms describe nothing: all that is kept of them is the signs that occur.
    if len(codes) > MOST:
        signs = (signs or set()) | {sign for key in codes for sign in key if sign != "*"}
    return TextForms(codes, None if signs is None else "".join(sorted(signs)), length, example[:40])


def text_forms_from(data: Any) -> TextForms:
    """The forms of such JSON data."""
    codes = {key: tuple((run[0], int(run[1]), run[2]) for run in runs) for key, runs in data["codes"].items()}
    return TextForms(codes, data["signs"], data["length"], data["example"])


def _prose(text: str) -> bool:
    return " " in text or "\n" in text or (not text.isupper() and WORDS.fullmatch(text) is not None)


def _class(word: str) -> str:
    if word.isdigit():
        return "9"
    return "x" if not word.isalpha() else "A" if word.isupper() else "a"


def _run(word: str) -> Run:
    return _class(word), len(word), word if word.isalpha() else ""


def _joined(one: Run, other: Run) -> Run:
    if one == other:
        return one
    kind = one[0] if one[0] == other[0] else "a" if {one[0], other[0]} <= {"a", "A"} else "x"
    return kind, one[1] if one[1] == other[1] else 0, one[2] if one[2] == other[2] else ""


def _is(run: Run, word: str) -> bool:
    kind, length, letters = run
    if letters:
        return word == letters
    if length and len(word) != length:
        return False
    return kind == "x" or _class(word) == kind or (kind == "a" and word.isalpha())
