"""The values that a text tells: numbers, dates, times, codes, addresses, links and quotations, in their many notations.

A value has readings, since a notation may mean several: `1.234` is one thousand and more or little more than one, and
`03/04/2026` is in March or in April. Reading goes by kind, the most telling first; what was read is not read again.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sealegs.scoring.value_words import (
    CONVERSIONS,
    DEGREES,
    FIRM_UNITS,
    MONEY,
    MONTH_NAMES,
    PERCENT,
    ROUGHLY,
    SCALES,
    TERMS_WITH_DIGITS,
    YEAR_BEFORE,
)

Kind = Literal["number", "date", "time", "duration", "code", "phone", "e-mail address", "link", "quotation"]
Day: TypeAlias = tuple[int | None, int | None, int | None]  # year, month, day; None where it is not stated
LOOSE = 13  # a whole number below it counts tries, steps and things, unless it has a unit


@dataclass(frozen=True, slots=True)
class StatedValue:
    """A value as a text tells it.

    Attributes:
        kind: what it is.
        text: as it is written.
        numbers: readings of a number, each with the worth of one in its last place; of a duration, its minutes.
        days: readings of a date.
        moments: readings of a time of day, as hours and minutes.
        unit: of a number; empty where none is stated.
        rough: the text says that it is rounded.
        free: it need not come from anywhere: a small count, a year, all of something.
        parts: what it also may be: several values beside one another.
    """

    kind: Kind
    text: str
    numbers: tuple[tuple[float, float], ...] = ()
    days: tuple[Day, ...] = ()
    moments: tuple[tuple[int, int], ...] = ()
    unit: str = ""
    rough: bool = False
    free: bool = False
    parts: tuple[StatedValue, ...] = ()


_SIGNS = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2212\ufe63\uff0d", "-")
    | dict.fromkeys("\u00a0\u2009\u202f\u2007", " ")
    | dict.fromkeys("\u2018\u2019\u02bc", "'")
    | {"\u066b": ".", "\u066c": ",", "\uff0e": ".", "\uff0c": ",", "\uff05": "%", "\uff1a": ":"}
)
_MONTH = "(?:" + "|".join(sorted(MONTH_NAMES, key=len, reverse=True)) + r")\b\.?"
_CLOCK = r"(?:[01]?\d|2[0-4])"
_HALF = r"(?:[ap]\.?m\b\.?)"
_UNSPACED = re.compile(r"(?<=[\u0e00-\u0eff\u1100-\u11ff\u3040-\u9fff\uac00-\ud7af])(?=\d)")  # Thai, Chinese, ...
_LINK = re.compile(r"(?:https?://|www\.)[^\s<>\"')\]]+", re.IGNORECASE)
_MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_ITEM = re.compile(
    r"^[ \t>*#_-]*\(?\d{1,3}[.):](?=[ \t*_]|$)"
    r"|\b(?:step|option|point|part|schritt|punkt|étape|paso|passo|stap|opción|note|section|item|no\.|nr\.|figure|table)"
    r" #?\d{1,3}\b|\[\d{1,3}\]|^[ \t]*#\d{1,2}\b",
    re.MULTILINE | re.IGNORECASE,
)
_QUOTED = re.compile(
    r"\"([^\"\n]{1,300})\"|“([^”“\n]{1,300})[”“]|„([^“”\n]{1,300})[“”]|«\s?([^»\n]{1,300}?)\s?»|»([^«\n]{1,300})«"
    r"|「([^」\n]{1,300})」|『([^』\n]{1,300})』|‹([^›\n]{1,300})›|(?<!\w)'([^'\n]{2,200})'(?!\w)"
)
_TO_SAY = re.compile(  # words that the reader is to say or press are an instruction, not a quotation
    r"\b(?:reply(?: with)?|answer(?: with)?|say|type|enter|click(?: on)?|press|choose|select|antworten sie(?: mit)?"
    r"|répondez|responda|rispondi|klicken sie auf) $",
    re.IGNORECASE,
)
_ISO = re.compile(
    rf"(?<![\w.-])(\d{{4}})[-/.](\d{{1,2}})[-/.](\d{{1,2}})(?:[T ]({_CLOCK}):(\d\d)(?::\d\d(?:\.\d+)?)?)?"
    r"(?:Z|[+-]\d\d:?\d\d)?(?![\w-])|(?:(\d{4})年\s?)?(\d{1,2})月\s?(\d{1,2})日"
)
_NUMERIC = re.compile(
    r"(?<![\w.])(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d\d)(?![\w.]\d|\w)|(?<![\w.,])(\d{1,2})\.(\d{1,2})\.(?!\d)"
)
_WORDY = re.compile(
    rf"(?<![\w.:])(?P<d1>\d{{1,2}})(?:st|nd|rd|th|er|º|\.)?(?:\s?(?:-|to|and|bis|und|au|et|al|y|a|e)\s?(?P<d2>\d{{1,2}})"
    rf"(?:st|nd|rd|th|\.)?)?\s?-?(?:of |de |di |do )?(?P<m1>{_MONTH})(?:,?[\s-](?:of |de |del )?(?P<y1>\d{{4}}))?(?!\w)"
    rf"|\b(?P<m2>{_MONTH})\s(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?(?:\s?(?:-|to|and)\s?(?P<d4>\d{{1,2}})(?:st|nd|rd|th)?)?"
    rf"(?![\w:]|[.,]\d|\s?{_HALF})(?:,?\s(?P<y2>\d{{4}})\b)?"
    rf"|\b(?P<m3>{_MONTH}),?\s(?:de |of )?(?P<y3>\d{{4}})\b",
    re.IGNORECASE,
)
_TIME = re.compile(
    rf"(?<![\w.,:])({_CLOCK})(?:[:h]|\.(?=[0-5]\d\s?(?:uhr|{_HALF})))([0-5]\d)(?::[0-5]\d(?:\.\d+)?)?(?![\d:])\s?({_HALF})?"
    rf"|(?<![\w.,:])({_CLOCK})\s?({_HALF}|uhr\b|o'clock|h\b(?!\s?\d))",
    re.IGNORECASE,
)
_SPAN = re.compile(
    r"(?<![\w.,])(\d{1,3})\s?(?:h|hrs?|hours?|std\.?|stunden?|heures?|horas?|or[ae]|uur)\.?[\s,]*(?:and|und|et|y|e|en)?\s?"
    r"(\d{1,2})\s?(?:m|mins?|minutes?|minuten|minutos|minuti)?\b",
    re.IGNORECASE,
)
_PHONE = re.compile(r"(?<![\w.])(?:\+|00|\(|0(?=\d{1,5}[\s/-]\d))\d[\d\s()./-]{6,}\d(?!\w)")
_CODE = re.compile(
    r"(?<![\w.])#?(?=[\w./-]*\d)(?=[\w./-]*[a-z])[a-z0-9_]+(?:[-./][a-z0-9_]+)*(?:…|\.\.\.)?|(?<![\w.])\d+(?:\.\d+){3,}(?!\w)",
    re.IGNORECASE,
)
_WITH_UNIT = re.compile(r"([\d.,]*\d)([a-zµ]+)", re.IGNORECASE)
_DIGITS = r"\d{1,3}(?: \d{3})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,'_]\d+)*"
_NUMBER = re.compile(
    rf"(?:(?P<money>{MONEY})\s?)?(?<![\w.,])(?P<digits>{_DIGITS})"
    rf"(?:\s?(?P<scale>k|tsd\.?|mio\.?|mrd\.?|bn|mn|mln|[a-zéóõã]{{3,10}}|万|億|亿)(?!\w))?"
    rf"(?:(?:\s|-(?=[a-z]))?(?P<unit>[%$€£¥₹₩]|(?:{PERCENT}|{MONEY}|{DEGREES}|[a-zäöüéíµ]+)(?!\w)))?",
    re.IGNORECASE,
)
_FRACTION = re.compile(r"(?<![\w./])(\d{1,4})/(\d{1,4})(?![\w/])")
_MASKED = re.compile(
    r"(?:ending (?:in|with)|endet auf|mit endung|terminant par|que termina en|[*x•]{2,}|…)[\s-]*$", re.IGNORECASE
)


def plain_text(text: str) -> str:
    """The text with ASCII digits, plain hyphens, spaces and apostrophes, at the same length."""
    # Nothing to replace, in most answers.
    if text.isascii():
        return text
    digits = {ord(sign): str(unicodedata.decimal(sign)) for sign in set(text) if sign.isdecimal()}
    return text.translate(digits).translate(_SIGNS)


def stated_values(text: str, *, quotations: bool = True) -> list[StatedValue]:
    """Every value that the text tells, in the order of kinds.

    Args:
        text: an answer, or what an answer may be taken from.
        quotations: whether to read them; their values are read all the same.
    """
    left = _Left(_UNSPACED.sub(" ", plain_text(text)))
    found = [*left.take(_LINK, _link), *left.take(_MAIL, lambda m: [StatedValue("e-mail address", m[0].rstrip("."))])]
    if quotations:
        found += [_quotation(one) for one in _QUOTED.finditer(left.text)]
    # Numbers of list items and steps state nothing; they are blanked before numbers are read.
    list(left.take(_ITEM, lambda m: []))
    # The order matters: each kind blanks what it has read, and the most telling reads first.
    for pattern, read in (
        (_ISO, _iso),
        (_WORDY, _wordy),
        (_NUMERIC, _numeric),
        (_SPAN, _span),
        (_TIME, _time),
        (_PHONE, lambda m: [StatedValue("phone", m[0])]),
        (_CODE, _code),
        (_FRACTION, _fraction),
        (_NUMBER, lambda m: _number(m, left.text)),
    ):
        found += left.take(pattern, read)
    return found


class _Left:
    """The part of a text that is not read yet."""

    def __init__(self, text: str) -> None:
        self.text = text

    def take(
        self, pattern: re.Pattern[str], read: Callable[[re.Match[str]], list[StatedValue] | None]
    ) -> Iterator[StatedValue]:
        """Read every place that fits, and blank it; a place that reads as None is left for others."""
        # Matches are collected first; blanking keeps the length, so their places stay right.
        for found in list(pattern.finditer(self.text)):
            values = read(found)
            if values is not None:
                self.text = f"{self.text[: found.start()]}{' ' * len(found[0])}{self.text[found.end() :]}"
                yield from values


def _link(found: re.Match[str]) -> list[StatedValue]:
    return [StatedValue("link", found[0].rstrip(".,;:!?*_"))]


def _quotation(found: re.Match[str]) -> StatedValue:
    to_say = _TO_SAY.search(found.string[: found.start()]) is not None
    return StatedValue("quotation", next(group for group in found.groups() if group is not None), free=to_say)


def _iso(found: re.Match[str]) -> list[StatedValue] | None:
    year, month, day, hour, minute, *asian = found.groups()
    if asian[1]:
        return _day(found[0], (int(asian[0]) if asian[0] else None, int(asian[1]), int(asian[2])))
    values = _day(found[0], (int(year), int(month), int(day)))
    if values is not None and hour is not None:
        values.append(StatedValue("time", f"{hour}:{minute}", moments=((int(hour), int(minute)),)))
    return values


def _day(text: str, *days: Day) -> list[StatedValue] | None:
    real = tuple(day for day in days if 1 <= (day[1] or 1) <= 12 and 1 <= (day[2] or 1) <= 31)
    return [StatedValue("date", text, days=real)] if real else None


def _numeric(found: re.Match[str]) -> list[StatedValue] | None:
    if found[5]:
        values = _day(found[0], (None, int(found[6]), int(found[5])))
        number = (float(f"{found[5]}.{found[6]}"), 10.0 ** -len(found[6]))  # at the end of a sentence
        return values and [StatedValue("number", found[0].rstrip("."), (number,), values[0].days)]
    year = int(found[4]) if len(found[4]) == 4 else 2000 + int(found[4])
    first, second = int(found[1]), int(found[3])
    # Day first or month first: the text does not say.
    return _day(found[0], (year, second, first), (year, first, second))


def _small(*digits: str) -> tuple[StatedValue, ...]:
    return tuple(StatedValue("number", one, numbers=((float(one), 1.0),), free=float(one) < LOOSE) for one in digits)


def _wordy(found: re.Match[str]) -> list[StatedValue] | None:
    name = found["m1"] or found["m2"] or found["m3"]
    month = MONTH_NAMES[name.casefold().rstrip(".")]
    year = next((int(found[group]) for group in ("y1", "y2", "y3") if found[group]), None)
    days: list[int | None] = [int(found[group]) for group in ("d1", "d2", "d3", "d4") if found[group]]
    days = days or [None]
    # Two days of one month (`3 and 5 May`) are two dates of one text.
    values = [value for day in days for value in _day(found[0], (year, month, day)) or []]
    return values or None


def _span(found: re.Match[str]) -> list[StatedValue]:
    hours, minutes = int(found[1]), int(found[2])
    parts = _small(found[1], found[2])
    moment = ((hours, minutes),) if hours < 25 else ()
    return [StatedValue("duration", found[0], numbers=((60.0 * hours + minutes, 1.0),), moments=moment, parts=parts)]


def _time(found: re.Match[str]) -> list[StatedValue] | None:
    hour, minute = int(found[1] or found[4]), int(found[2] or 0)
    half = (found[3] or found[5] or "").casefold().replace(".", "")
    if half in ("am", "pm"):
        if not 1 <= hour <= 12:
            return None
        hours = [hour % 12 + (12 if half == "pm" else 0)]
    else:
        # Without am or pm an hour below 12 may be in either half of the day.
        hours = [hour, hour + 12] if hour < 12 and found[1] else [hour % 24]
    # Without any sign of a clock it may also be a duration or a ratio.
    numbers = ((60.0 * hour + minute, 1.0), (hour + minute / 60, 0.05)) if not half else ()
    free = half == "h" and hour < LOOSE
    parts = _small(found[4]) if found[4] and half == "h" else ()
    return [
        StatedValue(
            "time", found[0].strip(), numbers, moments=tuple((one, minute) for one in hours), free=free, parts=parts
        )
    ]


def _code(found: re.Match[str]) -> list[StatedValue] | None:
    text = found[0].rstrip("./-")
    if TERMS_WITH_DIGITS.fullmatch(text):
        return []
    if re.fullmatch(r"\d+-[a-z]+", text, re.IGNORECASE):
        return None  # a 45-minute slot
    unit = _WITH_UNIT.fullmatch(text)
    if unit and (
        unit[2].casefold() in CONVERSIONS or unit[2].casefold() in FIRM_UNITS | SCALES.keys() | {"eur", "usd", "chf"}
    ):
        return None  # a number with its unit
    if re.fullmatch(r"(?:\w*_)?[a-z]+(?:[-./][a-z]+)*", text, re.IGNORECASE) or not re.search(r"\d", text):
        return None
    if re.fullmatch(r"[\d./-]+", text) is None or text.count(".") >= 3:
        return [StatedValue("code", found[0])]
    return None


def _fraction(found: re.Match[str]) -> list[StatedValue]:
    first, second = int(found[1]), int(found[2])
    share = ((first / second, 0.005),) if second else ()
    days: tuple[Day, ...] = tuple(
        (None, month, day) for month, day in ((first, second), (second, first)) if 1 <= month <= 12 and 1 <= day <= 31
    )
    return [StatedValue("number", found[0], share, days, free=found[0] == "24/7", parts=_small(found[1], found[2]))]


def _number(found: re.Match[str], text: str) -> list[StatedValue]:
    digits = found["digits"]
    unit = (found["unit"] or found["money"] or "").casefold()
    scale = (found["scale"] or "").casefold().rstrip(".")
    # A word after a number that looks like a scale may be a unit: the m of 5 m is not a million.
    if scale and scale not in SCALES:
        scale, unit = "", scale
    readings = decimal_readings(digits)
    if scale in SCALES:
        factor = SCALES[scale]
        # Both readings stay: 3 thousand means 3,000, and some write the scale as the unit of 3.
        readings = [(value * factor, grain * factor) for value, grain in readings] + readings
    if re.fullmatch(PERCENT, unit):
        # A share may be a number of percent or a fraction in the data.
        readings = readings + [(value / 100, grain / 100) for value, grain in readings]
    before = text[max(0, found.start() - 40) : found.start()]
    value, grain = readings[0] if readings else (0.0, 1.0)
    whole = grain >= 1 and not scale
    firm = bool(re.fullmatch(rf"{MONEY}|{PERCENT}|{DEGREES}", unit)) or unit in FIRM_UNITS
    # Small whole numbers count steps and tries in any prose, so they state nothing unless a unit makes them firm.
    small = whole and value < LOOSE and not firm and not digits.startswith("0")
    free = small or digits in ("0", "1") or (value == 100 and bool(re.fullmatch(PERCENT, unit)))
    # So do years after a word like `in` or `since`.
    year = whole and re.fullmatch(r"(?:19|20)\d\d", digits) and not firm and YEAR_BEFORE.search(before)
    days: tuple[Day, ...] = ((int(digits), None, None),) if re.fullmatch(r"(?:19|20)\d\d", digits) else ()
    parts = tuple(one for piece in digits.split() for one in _pieces(piece)) if " " in digits else ()
    masked = StatedValue("phone", digits) if _MASKED.search(before) else None
    rough = bool(ROUGHLY.search(before))
    parts = parts or ((masked,) if masked else ())
    numbers = tuple(readings)
    return [StatedValue("number", found[0].strip(), numbers, days, (), unit, rough, bool(free or year), parts)]


def _pieces(digits: str) -> tuple[StatedValue, ...]:
    readings = decimal_readings(digits)
    return (StatedValue("number", digits, tuple(readings), free=bool(readings) and readings[0][0] < LOOSE),)


def decimal_readings(digits: str) -> list[tuple[float, float]]:
    """The readings of a number with points, commas and spaces, each with the worth of one in its last place."""
    digits = re.sub(r"[ '_]", "", digits)
    # More digits than a float can hold.
    if len(digits) > 300:
        return []
    signs = re.findall(r"[.,]", digits)
    if not signs:
        return [(float(digits), 1.0)]
    head, _, tail = digits.rpartition(signs[-1])
    whole = re.sub(r"[.,]", "", digits)
    as_decimal = (float(f"{re.sub(r'[.,]', '', head)}.{tail}"), 10.0 ** -len(tail))
    if len(set(signs)) == 2:
        # With both signs the last is the decimal one, unless it comes again.
        return [as_decimal] if signs.count(signs[-1]) == 1 else [(float(whole), 1.0)]
    if len(signs) > 1:
        return [(float(whole), 1.0)]
    # One sign and three digits after it: thousands or decimals, and nothing tells which.
    if re.fullmatch(r"[1-9]\d{0,2}[.,]\d{3}", digits):
        return [(float(whole), 1.0)] if tail == "000" else [(float(whole), 1.0), as_decimal]
    return [as_decimal]
