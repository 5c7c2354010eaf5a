"""Quantities in free text: numbers with their units, and how each is used there.

A quantity may be an operand of a sum that the text works out, an end of a range, part of a date, denied or withdrawn;
only what is stated counts as a claim. It covers English.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

SMALL = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
WORDS = {name: n for n, name in enumerate(SMALL)} | {name: 10 * n for n, name in enumerate(TENS, start=2)}
WORD = "|".join(sorted([*WORDS, "hundred", "thousand"], key=len, reverse=True))
WRITTEN = re.compile(rf"\b(?:an? (?=hundred|thousand))?(?:{WORD})(?:(?:[ -]| and )(?:{WORD}))*\b", re.IGNORECASE)
HALVES = (
    (re.compile(r"\b(an?|one) hours? and a half\b", re.IGNORECASE), "1.5 hours"),
    (re.compile(r"\b(\d+) hours? and a half\b", re.IGNORECASE), r"\1.5 hours"),
    (re.compile(r"\b(\d+) and a half\b", re.IGNORECASE), r"\1.5"),
    (re.compile(r"\bhalf an hour\b", re.IGNORECASE), "30 minutes"),
    (re.compile(r"\ban (hour)\b", re.IGNORECASE), r"1 \1"),
    (re.compile(r"\b(\d+):(\d\d) ?(h|hours?|hrs)\b", re.IGNORECASE), r"\1 hours \2 minutes"),
)
MONTH = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)[a-z]*\.?"
DATES = re.compile(
    rf"\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {MONTH},? ?(?:\d{{4}})?\b"
    rf"|\b{MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?\b"
    rf"|\b{MONTH} \d{{4}}\b|\b\d{{4}}-\d\d-\d\d\b|\b\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}\b|\b\d{{4}} ?[-–] ?\d{{4}}\b"
    r"|\b(?:in|since|year|of|from|until|to) (?:1[0-9]|20|21)\d\d(?![\d.,]*\d)"
    r"(?! ?(?:km|m|kg|usd|eur|dollars|hours|minutes|years)\b)",
    re.IGNORECASE,
)
CURRENCY = r"(?:US\$|[$€£¥])"
UNIT = r"(?:kg ?/ ?m(?:²|\^2|2)|km ?/ ?h|[A-Za-zµ%°²³]+)"
QUANTITY = re.compile(
    rf"(?P<before>{CURRENCY} ?)?(?<![\w.,])(?P<sign>[-−](?=[\d.$€£]))?(?P<mark>{CURRENCY} ?)?"
    rf"(?P<number>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+,\d{{1,2}}(?!\d)|\d+(?:\.\d+)?(?:e[+-]?\d+)?|\.\d+)(?![\d])"
    rf"(?:[ -]?(?P<unit>{UNIT}|{CURRENCY}))?",
    re.IGNORECASE,
)
OPERATOR = re.compile(
    r"^\W{0,2}\s*(?:[-+*/×÷·^=]|\*\*|\bx\b|times\b|divided by\b|plus\b|minus\b|multiplied by\b)", re.IGNORECASE
)
OPERAND = re.compile(r"(?:[-+*/×÷·^(]|\*\*|\bx|times|divided by|plus|minus|multiplied by) ?[$€£]?$", re.IGNORECASE)
RANGES = re.compile(
    rf"\bbetween {CURRENCY}?[\d.,]+\w* and {CURRENCY}?[\d.,]+"
    rf"|{CURRENCY}?\d[\d.,]*\s?(?:–|—|-|to)\s?{CURRENCY}?\d[\d.,]*",
    re.IGNORECASE,
)
MARKUP = re.compile(r"(?<![\w)])(\*{1,3}|_{1,3}|`)(\S(?:[^*_`\n]*\S)?)\1(?![\w(])")
DENIED = re.compile(
    r"(?:\b(?:not|isn't|never|instead of|rather than|wrong|incorrect|neither|nor|no longer|unlike)\b|n't\b)"
    r"(?:(?! but |,|;|:|\.\s).){0,25}$",
    re.IGNORECASE,
)
DENIED_AFTER = re.compile(
    r"^[^.;,\d]{0,25}\b(?:(?:is|was|seems|looks|would be) (?:wrong|incorrect|not|implausible|false|suspicious)"
    r"|can(?:not|'t) be|could not be|isn't|makes no sense)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class StatedQuantity:
    """A quantity that a text states.

    Attributes:
        value: the number.
        unit: as written, in lower case; empty where there is none.
        start, end: where it is in the text that it was read from.
    """

    value: float
    unit: str
    start: int
    end: int


def normalize_quantities(text: str) -> str:
    """The text with number words as digits, without markup, and with plain spaces."""
    text = re.sub(r"\\(?:boxed|text|mathrm)\s*\{([^{}]*)\}|\\[,;!]", lambda found: found[1] or "", text)
    text = MARKUP.sub(r"\2", text)
    text = text.replace("\\times", "×").replace("\u00a0", " ").replace("\u202f", " ").replace("’", "'")
    text = re.sub(r"(?<=\d) (?=\d{3}(?!\d))", "", text)
    text = WRITTEN.sub(lambda found: str(_counted(found[0])), text)
    for pattern, meant in HALVES:
        text = pattern.sub(meant, text)
    return text


def _counted(words: str) -> int:
    total = part = 0
    for word in re.findall(WORD, words.casefold()):
        if word == "thousand":
            total, part = total + max(part, 1) * 1000, 0
        elif word == "hundred":
            part = max(part, 1) * 100
        else:
            part += WORDS[word]
    return total + part


def stated_quantities(text: str, known: Mapping[str, float]) -> Iterator[StatedQuantity]:
    """The quantities that a plain text states.

    Left out: parts of dates, ends of ranges, operands of a sum that is worked out there, what is denied.

    Args:
        text: as `normalize_quantities` gives it.
        known: units that the answer may be in, in lower case. After a number, another word is a unit only where it is
            one of these or in `STRANGE`.
    """
    hidden = [found.span() for pattern in (DATES, RANGES) for found in pattern.finditer(text)]
    for found in QUANTITY.finditer(text):
        at, end = found.start("number"), found.end("number")
        if any(start <= at < stop for start, stop in hidden):
            continue
        unit = _unit(found, known)
        if text[end : end + 1].isalpha() and found["unit"] and unit != "".join(found["unit"].casefold().split()):
            continue  # part of a name: `165b`
        after = text[found.end() if unit and found["unit"] else end :]
        before = text[: found.start()]
        # An operand is part of the way to the answer, and not what the answer states.
        if OPERATOR.match(after) or (OPERAND.search(before.rstrip()) and "=" in after[:60].split("\n")[0]):
            continue
        if DENIED.search(before) or DENIED_AFTER.match(after):
            continue
        number = _number(found["number"])
        yield StatedQuantity(-number if found["sign"] else number, unit, found.start(), end)


def _number(text: str) -> float:
    if re.fullmatch(r"\d+,\d{1,2}", text):
        return float(text.replace(",", "."))  # a decimal comma
    return float(text.replace(",", ""))


STRANGE = frozenset(
    [
        "$",
        "€",
        "£",
        "¥",
        "us$",
        "usd",
        "eur",
        "gbp",
        "dollar",
        "dollars",
        "euro",
        "euros",
        "pound",
        "pounds",
        "cent",
        "cents",
        "%",
        "percent",
        "kg",
        "g",
        "lb",
        "km",
        "m",
        "cm",
        "mm",
        "mi",
        "mile",
        "miles",
        "kilometres",
        "kilometers",
        "metres",
        "meters",
        "hour",
        "hours",
        "h",
        "hr",
        "hrs",
        "minute",
        "minutes",
        "min",
        "mins",
        "second",
        "seconds",
        "s",
        "day",
        "days",
        "week",
        "weeks",
        "month",
        "months",
        "year",
        "years",
        "yr",
        "yrs",
        "knots",
        "times",
        "degrees",
    ]
)


def _unit(found: re.Match[str], known: Mapping[str, float]) -> str:
    after = " ".join((found["unit"] or "").casefold().split()).replace(" ", "")
    before = (found["before"] or found["mark"] or "").strip().casefold()
    if after in known or after in STRANGE:
        return after
    return before
