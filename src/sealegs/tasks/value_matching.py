"""Recognition of a value in a text, in any of the forms in which people write it.

Numbers: thousands with commas, small ones as words, rounded as far as `tolerance` allows. Dates and times written out
(`4 March 2026`, `March 4th`, `2:30 pm`). Text without regard to case, spacing and commas. It covers English only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

KEPT = 2048  # texts held in memory as they are read: the same ones are asked about many values
ASKED = 16_384  # texts with a value each: most answers are asked about the same ones again, in the next episode
MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
# Writing without spaces: what is beside a number there is no part of it.
LETTER = r"[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
_A_LETTER = re.compile(LETTER)
NUMBER = re.compile(  # none in ids, dates, times
    rf"(?<![.:])(?<!{LETTER})(?<!{LETTER}-)[-\u2212]?\d[\d,]*(?:\.\d+)?(?!{LETTER}*\d)(?![:-]\d)"
)
CURRENCIES: Mapping[str, tuple[str, ...]] = {
    "aed": ("dirham",),
    "aud": ("australian dollar",),
    "brl": ("real", "reais"),
    "cad": ("canadian dollar",),
    "chf": ("franc",),
    "cny": ("yuan", "renminbi"),
    "eur": ("euro", "€"),
    "gbp": ("pound", "sterling", "£"),
    "inr": ("rupee",),
    "jpy": ("yen", "¥"),
    "krw": ("won",),
    "mxn": ("peso",),
    "sek": ("krona", "kronor"),
    "sgd": ("singapore dollar",),
    "usd": ("dollar", "$"),
    "zar": ("rand",),
}
UNITS: Mapping[str, tuple[str, ...]] = {
    "c": ("celsius",),
    "f": ("fahrenheit",),
    "ft": ("foot", "feet"),
    "g": ("gram",),
    "kg": ("kilogram", "kilo"),
    "km": ("kilometre", "kilometer"),
    "kwh": ("kilowatt hour", "kilowatt-hour"),
    "l": ("litre", "liter"),
    "lb": ("pound",),
    "m": ("metre", "meter"),
    "mi": ("mile",),
}


def contains_value(text: str, value: Any, tolerance: float = 0.0) -> bool:
    """Return whether the text says the value.

    Args:
        text: what a person or a model wrote.
        value: a scalar, or a list or mapping all of whose values must be said.
        tolerance: how far a number may be off, as a share of it.
    """
    # Truth and absence have no words of their own that could be looked for.
    if isinstance(value, bool) or value is None:
        return False
    if isinstance(value, (int, float)):
        return _says_number(text, value, tolerance)
    if isinstance(value, Mapping):
        return all(contains_value(text, item, tolerance) for item in value.values())
    if isinstance(value, (list, tuple)):
        return all(contains_value(text, item, tolerance) for item in value)
    return _says_words(_typed(text), str(value))


THIN = re.compile(r"(?<=\d)[\u00a0\u2009\u202f](?=\d{3}(?!\d))")  # a space in thousands
SIGN = re.compile(r"(?<![\w-])-\s?([$\u20ac\u00a3\u00a5])\s?(?=\d)")
HYPHENS = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2212\ufe63\uff0d", "-"))


@lru_cache(maxsize=KEPT)
def _typed(text: str) -> str:
    """The text with plain hyphens, a sign behind its currency's mark, and no spaces in thousands."""
    return SIGN.sub(r"\1-", THIN.sub("", text.translate(HYPHENS)))


def numbers(text: str) -> list[float]:
    """Every number written in digits, without thousands commas."""
    return list(_numbers(text))


@lru_cache(maxsize=KEPT)
def _numbers(text: str) -> tuple[float, ...]:
    return tuple(float(found.replace(",", "").replace("\u2212", "-").rstrip(".")) for found in NUMBER.findall(text))


@lru_cache(maxsize=ASKED)
def _says_number(text: str, value: float, tolerance: float) -> bool:
    text = _typed(text)
    if any(abs(found - value) <= tolerance * abs(value) + 1e-9 for found in _numbers(text)):
        return True
    whole = float(value).is_integer() and 0 <= value < len(NUMBERS)
    return whole and re.search(rf"\b{NUMBERS[int(value)]}\b", text.casefold()) is not None


@lru_cache(maxsize=ASKED)
def _says_words(text: str, value: str) -> bool:
    plain = _plain(text)
    if _has_words(plain, _plain(value)):
        return True
    moment = re.fullmatch(r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d)(?::\d\d)?[Zz]?", value.strip())
    if moment and _says_words(text, moment[1]) and _says_words(text, moment[2]):
        return True  # the day in one place and the hour in another: a table, a period, a list
    return any(
        _has_words(plain, form) or _has_words(plain, f"{form}s") for form in _forms_in(plain, value.strip().casefold())
    )


def _has_words(text: str, words: str) -> bool:
    """Return whether the words are in the text as separate words. A pattern for each would have to be compiled."""
    start = text.find(words)
    while start >= 0:
        end = start + len(words)
        if not _A_LETTER.fullmatch(text[start - 1 : start]) and not _A_LETTER.fullmatch(text[end : end + 1]):
            return True
        start = text.find(words, start + 1)
    return False


@lru_cache(maxsize=KEPT)
def _plain(text: str) -> str:
    return " ".join(text.casefold().replace(",", " ").replace("\u2019", "'").split())


def _forms_in(text: str, value: str) -> Iterator[str]:
    """The forms of a value that are somewhere in a text: few are, and only these are worth a look at their edges."""
    days, clocks, others = _all_forms(value)
    yield from (form for form in others if form in text)
    # A moment has hundreds of forms, so they are made where its day is there, and none of them is kept.
    for day in days:
        if day in text:
            yield from (form for form in _moments(day, clocks) if form in text)


@lru_cache(maxsize=KEPT)
def _all_forms(value: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """The forms of the day and of the hour of a moment, which `_moments` joins, and the forms of any other value."""
    moment = re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)(?:[t ](\d\d:\d\d)(?::\d\d)?)?z?", value)
    if not moment:
        return (), (), tuple(_forms(value))
    # The pattern takes month 13 too, which has no name. Letters are small: `_says_words` folds the value.
    days = _days(int(moment[3]), MONTHS[int(moment[2]) - 1]) if 1 <= int(moment[2]) <= 12 else ()
    return ((), (), days) if moment[4] is None else (days, _clocks(moment[4]), (f"{value[:10]} {moment[4]}",))


def _forms(value: str) -> Iterator[str]:
    if re.fullmatch(r"\d\d:\d\d", value):
        yield from _clocks(value)
    yield from CURRENCIES.get(value, ())
    yield from UNITS.get(value, ())
    if "_" in value and value.strip("_ "):  # of underscores alone nothing would be left to find
        yield value.replace("_", " ")


@lru_cache(maxsize=KEPT)
def _days(day: int, month: str) -> tuple[str, ...]:
    return tuple(
        form
        for name in (month, month[:3])
        for ending in ("", "st", "nd", "rd", "th")
        for form in (f"{day}{ending} {name}", f"{name} {day}{ending}", f"{day}{ending} of {name}")
    )


def _moments(day: str, clocks: tuple[str, ...]) -> Iterator[str]:
    for clock in clocks:
        yield from (f"{day} {form}" for form in (clock, f"at {clock}", f"2026 at {clock}", f"2026 {clock}"))
        yield f"{clock} on {day}"


@lru_cache(maxsize=KEPT)
def _clocks(value: str) -> tuple[str, ...]:
    hour, minute = int(value[:2]), value[3:]
    half = "am" if hour < 12 else "pm"
    hours = (f"{hour % 12 or 12}:{minute}", *((f"{hour % 12 or 12}",) if minute == "00" else ()))
    halves = [f"{form}{gap}{mark}" for form in hours for gap in ("", " ") for mark in (half, f"{half[0]}.m.")]
    return (*halves, value, f"{hour}:{minute}", *{"12:00": ("noon", "midday"), "00:00": ("midnight",)}.get(value, ()))
