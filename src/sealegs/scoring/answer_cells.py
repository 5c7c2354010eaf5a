"""Comparison of a cell of an answer with the reference's cell.

- Text: without outer space, runs of space as one, without case, with plain quotes and hyphens. A code is text: `7` is
  not `007`.
- Numbers: whole ones exactly, since a year or a count that is nearly right is wrong. Others to one part in a million,
  or rounded to two decimals or more, if that moves them by at most 5 %: 33.33 is 33.3333, and 33.3 is not.
- Numbers as text: with thousands commas, a currency's sign or a percent sign. `25%` is 25, and it is also 0.25; a bare
  25 is not 0.25.
- Truth: SQLite has none; true is 1 and false is 0.
- Dates: in any writing that has one meaning (`2024-05-01`, `2024/05/01`, `1 May 2024`, `May 1st, 2024`), with seconds
  or without, and midnight is the day itself. `05/01/2024` has two meanings and is text.
- Nothing: null, and the words None, null and NULL.
"""

from __future__ import annotations

import math
import re
import unicodedata
from typing import TypeAlias

Cell: TypeAlias = str | int | float | bool | None

EXACT = 1e-6  # a share: how far a number may be off that was not rounded on purpose
ROUNDED = 0.05  # a share: how far rounding may move a number
LONGEST = 400  # characters of a number or a date
DECIMALS = 2  # the fewest that a rounded number has
_NAMES = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october")
MONTHS = {
    name: number
    for number, whole in enumerate((*_NAMES, "november", "december"), 1)
    for name in (whole, whole[:3], "sept" if number == 9 else whole)
}
_NUMBER = re.compile(
    r"([+-]?)(?:[$€£]\s?)?([+-]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?:[eE][+-]?\d{1,3})?)\s?([$€£%]?)"
)
_ISO = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ](\d{1,2}:\d\d(?::\d\d)?)(?:\.0+)?(?:Z|\+00:?00)?)?")
_WORDY = re.compile(
    r"(?:(?P<m1>[a-z]{3,9})\.? (?P<d1>\d{1,2})(?:st|nd|rd|th)?,? (?P<y1>\d{4})"
    r"|(?P<d2>\d{1,2})(?:st|nd|rd|th|\.)? (?:of )?(?P<m2>[a-z]{3,9})\.?,? (?P<y2>\d{4}))"
)
_PLAIN = str.maketrans(
    {"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u00a0": " ", "\u202f": " "}
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-")
)


def same_cell(given: Cell, right: Cell) -> bool:
    """Return whether a cell says what the reference's cell says, by this module's rules."""
    if given is None or right is None:
        return _nothing(given) and _nothing(right)
    if isinstance(right, str):
        return _same_text(given, right)
    if isinstance(given, str):
        return any(_same_number(number, right) for number in numbers_of(given))
    return _same_number(given, right)


def normalize_cell_text(text: str) -> str:
    """Text as it is compared."""
    return " ".join(unicodedata.normalize("NFC", text).translate(_PLAIN).split()).casefold()


def numbers_of(text: str) -> list[int | float]:
    """The numbers that a text may be: none where it is not a number, two where a percent sign allows two readings."""
    found = _NUMBER.fullmatch(" ".join(text.translate(_PLAIN).split())) if len(text) <= LONGEST else None
    if found is None or not re.search(r"\d", found[2]):
        return []
    digits = (found[1] + found[2]).replace(",", "")
    if re.match(r"[+-]{2}", digits):
        return []
    number: int | float = int(digits) if re.fullmatch(r"[+-]?\d+", digits) else float(digits)
    return [number, number / 100] if found[3] == "%" else [number]


def parse_date(text: str) -> tuple[int, int, int, str] | None:
    """A date in one of the writings that have one meaning: year, month, day, and the time of day (empty: midnight)."""
    if len(text) > LONGEST:
        return None
    # The year first or the month as a word: only these cannot be read with day and month exchanged.
    if iso := _ISO.fullmatch(text.strip()):
        parts = (int(iso[1]), int(iso[2]), int(iso[3]))
        return (*parts, _clock(iso[4] or "")) if _real(*parts) else None
    if wordy := _WORDY.fullmatch(normalize_cell_text(text)):
        month = MONTHS.get(wordy["m1"] or wordy["m2"])
        if month is not None:
            parts = (int(wordy["y1"] or wordy["y2"]), month, int(wordy["d1"] or wordy["d2"]))
            return (*parts, "") if _real(*parts) else None
    return None


def _clock(time: str) -> str:
    """A time of day with its seconds, and nothing for midnight."""
    if not time:
        return ""
    hour, _, rest = time.partition(":")
    whole = f"{int(hour):02d}:{rest}" if rest.count(":") else f"{int(hour):02d}:{rest}:00"
    return "" if whole == "00:00:00" else whole


def _real(year: int, month: int, day: int) -> bool:
    return year > 0 and 1 <= month <= 12 and 1 <= day <= 31


def _nothing(cell: Cell) -> bool:
    return cell is None or (isinstance(cell, str) and cell.strip() in {"None", "null", "NULL"})


def _same_text(given: Cell, right: str) -> bool:
    if not isinstance(given, str):
        canonical = not isinstance(given, bool) and re.fullmatch(r"-?(?:0|[1-9]\d*)(?:\.\d+)?", right.strip())
        return bool(canonical) and any(_same_number(given, number) for number in numbers_of(right))
    if normalize_cell_text(given) == normalize_cell_text(right):
        return True
    day = parse_date(right)
    return day is not None and parse_date(given) == day


def _same_number(given: Cell, right: Cell) -> bool:
    if isinstance(given, str) or given is None or isinstance(right, str) or right is None:
        return False
    # SQLite has no truth values: `True + 0` is the 1 that it would hold.
    given, right = given + 0, right + 0
    if given == right:
        return True
    if not (math.isfinite(given) and math.isfinite(right)):
        return False
    try:
        off = abs(float(given) - float(right))
    # Whole numbers have no bound here, and floats have: one that fits none is not near the other.
    except OverflowError:
        return False
    if float(right).is_integer():
        # A whole number is a count or an id: a neighbour of it is another one, however large both are.
        return isinstance(given, float) and off <= EXACT
    near = EXACT * abs(right)
    return off <= near or (off <= _rounding(given) and off <= ROUNDED * abs(right))


def _rounding(given: int | float) -> float:
    """The most that rounding to the number's own decimals can have moved it."""
    _, _, decimals = repr(given).partition(".")
    places = max(DECIMALS, len(decimals) if decimals.isdigit() else 0)
    return 0.5 * 10.0**-places * (1 + 1e-9) + 1e-12
