"""The values that an agent was given, and what follows from them by simple arithmetic.

From two numbers: sum, difference, product, ratio, percentage and change by a percentage. From a list: how many, also of
each kind, and sums, means and sums of products of its fields, whole and for each kind. From few numbers: three of them.
From dates and times: what lies between two, and a date that lies a stated span away.

The fewer digits a number has, the more easily it follows by chance. So a number of few digits must come from numbers of
one field or unit, or from one that the input or the answer tells.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import combinations, product
from typing import Any

from sealegs.faults import paths
from sealegs.scoring.run_evidence import parsed_json
from sealegs.scoring.stated_values import LOOSE, Day, StatedValue, decimal_readings, plain_text, stated_values
from sealegs.scoring.value_words import DAY_UNITS, MINUTE_UNITS, SMALL_NUMBERS

FEW = 12  # numbers of which three are tried together
ROWS = 2000  # of a list that are summed up
KINDS = 20  # different texts that distinguish the rows of a list
FAR = 0.2  # a share: the most that rounding may move what was worked out
LONG_CODE = 8  # letters and digits of a code that is known whatever gaps it is written with
ANY_OF_THREE, ANY_SUM, ANY_PRODUCT = 10_000, 1000, 100  # steps of a number from which on unlike numbers may explain it
CALENDAR = (7.0, 12.0, 24.0, 30.0, 52.0, 60.0, 365.0)  # of days, months, hours and so on in one another
EPOCHS = ((1e9, 1e10, 1.0), (1e12, 1e13, 1e-3))  # numbers that may be moments, in seconds or milliseconds


class GivenValues:
    """Everything that the input and the tools' answers hold, and what follows from it."""

    def __init__(self) -> None:
        self.text = ""
        self.days: set[Day] = set()
        self.moments: set[tuple[int, int]] = set()
        self._found: set[float] = set()
        # Sorted only when read: numbers are added many at a time.
        self._sorted: list[float] | None = None
        self._fields: dict[str, set[float]] = {"": set()}  # what can be reckoned with, by field or unit; empty: any
        self._spans: set[int] = set()  # in days
        self._minutes: set[int] = set()  # spans
        self._stems: set[str] = set()

    def add_text(self, text: str, *, field: str | None = None) -> None:
        """Take in what a text tells. `field`: where in a tool's answer it stood."""
        data = parsed_json(text)
        if data is not None:
            self.add_data(data)
            return
        plain = plain_text(text)
        self._keep_text(plain)
        for value in stated_values(plain, quotations=False):
            self._keep_value(value, field)
        if field is None:  # only a person writes numbers as words
            words = [SMALL_NUMBERS[word] for word in words_of(plain) if word in SMALL_NUMBERS]
            self.add_numbers(map(float, words), field="")
        self.add_numbers(number for run in re.findall(r"\d+(?:[.,]\d+)*", plain) for number, _ in decimal_readings(run))

    def _keep_value(self, value: StatedValue, field: str | None) -> None:
        # Not the days that a number may be read as: else `3/4 of it` would make the 3rd of April known.
        self.days.update(value.days if value.kind == "date" else ())
        self.moments.update(value.moments)
        for part in (value, *value.parts):
            if part.kind == "number" and part.numbers:
                self.add_numbers([number for number, _ in part.numbers], field=value.unit or field or "")
            if value.kind == "number" and value.unit in DAY_UNITS and part.numbers:
                self._spans.add(round(part.numbers[0][0] * DAY_UNITS[value.unit]))
            if part.numbers and (value.kind == "duration" or value.unit in MINUTE_UNITS):
                self._minutes.add(round(part.numbers[0][0] * MINUTE_UNITS.get(value.unit, 1)))

    def add_data(self, value: Any) -> None:
        """Take in JSON data: its texts, its numbers as they are, and what its lists add up to."""
        # Names of fields are known as well: an answer may repeat them.
        for path, leaf in paths.leaves(value):
            self._keep_text(path)
            field = next((part for part in reversed(path.split(".")) if not part.isdigit()), "answer")
            if isinstance(leaf, str):
                self.add_text(leaf, field=field)
            elif is_number(leaf):
                self._keep_text(f"{leaf:.15g}" if abs(leaf) < 1e15 else str(leaf))
                self.add_numbers([float(leaf)], field=field)
                self._keep_moment(float(leaf))
                if abs(leaf) < 10_000:
                    self._spans.update([round(leaf)] if "day" in field.casefold() else ())
                    self._minutes.update([round(leaf)] if "minute" in field.casefold() else ())
                    self._minutes.update([round(60 * leaf)] if "hour" in field.casefold() else ())
        for rows in lists_in(value):
            for field, total in list_totals(rows):
                self.add_numbers([total], field=field)

    def add_numbers(self, numbers: Iterable[float], *, field: str | None = None) -> None:
        """Take in numbers. `field`: what they are of (empty: anything); None where they are not reckoned with."""
        # Without the sign: "a loss of 5" states -5.
        finite = [abs(number) for number in numbers if math.isfinite(number)]
        self._found.update(finite)
        if field is not None:
            for name in {field, *field.casefold().split("_")}:  # what is used is of what there is in total
                self._fields.setdefault(name, set()).update(finite)
        self._sorted = None

    def close_dates(self) -> None:
        """Work out, when all dates are known, the days between any two, and the dates that known spans lead to."""
        # At most 60, since pairs grow with the square.
        known = sorted(day for day in map(_date, self.days) if day is not None)[:60]
        self.add_numbers((float((second - first).days) for first, second in combinations(known, 2)), field="days")
        for day in known:
            for span in [one for one in self._spans if abs(one) < 10_000]:
                for then in (day + timedelta(span), day - timedelta(span)):
                    self.days.add((then.year, then.month, then.day))

    @property
    def numbers(self) -> list[float]:
        """Every known number without its sign, in order."""
        if self._sorted is None:
            self._sorted = sorted(self._found)
        return self._sorted

    def _keep_text(self, text: str) -> None:
        text = plain_text(text).casefold()
        self.text += f"\n{text}"
        self._stems.update(word[:6] for word in words_of(text))

    def _keep_moment(self, number: float) -> None:
        for low, high, factor in EPOCHS:
            if low <= number < high:
                then = datetime.fromtimestamp(number * factor, UTC)
                self.days.add((then.year, then.month, then.day))
                self.moments.add((then.hour, then.minute))

    def says_words(self, text: str) -> bool:
        """Return whether the text is known: as it is, in pieces around an ellipsis, or in words of the same stems."""
        plain = plain_text(text).casefold()
        pieces = [" ".join(one.split()).strip(" .,;:!?*_") for one in re.split(r"\.\.\.|…", plain)]
        whole = " ".join(self.text.split())
        if all(piece in whole or piece.replace(" ", "_") in whole for piece in pieces):
            return True
        # The first letters alone: most endings of inflected words come after them.
        return all(word[:6] in self._stems for word in words_of(plain) if len(word) > 3 and not word.isdigit())

    def says_code(self, code: str) -> bool:
        """Return whether a code is known, with or without the signs between its parts, or by its start if cut off."""
        cut = code.endswith(("…", "..."))
        parts = re.findall(r"[^\W\d_]+|\d+", code.casefold())
        if not parts:
            return True
        form = r"[\s\-_/#.:]*".join("".join(parts))
        bare = "".join(parts)
        if len(bare) >= LONG_CODE and not cut and bare in re.sub(r"[\s-]", "", self.text):
            return True
        end = "" if cut else r"(?![^\W_])"
        return re.search(rf"(?<![^\W_]){form}{end}", self.text) is not None

    def without_gaps(self, answer: str) -> str:
        """The answer with its known long codes written as the tools wrote them, without other gaps."""
        tight = re.sub(r"[\s-]", "", answer).casefold()
        for code in set(re.findall(r"(?<![^\W_])(?=[a-z]*\d)[a-z0-9]{8,}(?![^\W_])", self.text)):
            if code in tight and code not in answer.casefold():
                answer = re.sub(r"[ \u00a0-]?".join(code), code, answer, flags=re.IGNORECASE)
        return answer

    def says_digits(self, digits: str) -> bool:
        """Return whether the digits are known as the end of a number, whatever the signs between them."""
        bare = re.sub(r"\D", "", digits)
        national = re.sub(r"^0+", "", bare)[-9:] if len(bare) >= 9 else bare
        runs = re.findall(r"\d(?:[\s().-]*\d)*", self.text)
        return bool(national) and any(re.sub(r"\D", "", run).endswith(national) for run in runs)

    def says_run(self, digits: str) -> bool:
        """Return whether exactly these digits are known, alone or within a code."""
        return len(digits) >= 3 and re.search(rf"(?<!\d){digits}(?!\d)", self.text) is not None

    def says_day(self, stated: Day) -> bool:
        """Return whether a date is known, or follows; its year may be left open on either side."""
        return any(_covered_by(stated, day) for day in self.days)

    def says_moment(self, moment: tuple[int, int]) -> bool:
        """Return whether a time of day is known, or lies a known span from one."""
        # 24:00 and 0:00 are one.
        at = {60 * (hour % 24) + minute for hour, minute in self.moments}
        minutes = 60 * (moment[0] % 24) + moment[1]
        return minutes in at or any((minutes + sign * span) % 1440 in at for span in self._minutes for sign in (1, -1))

    def reckons(self, number: float, off: float) -> bool:
        """Return whether a number that can be reckoned with is at most so far off."""
        return any(abs(one - abs(number)) <= off for numbers in self._fields.values() for one in numbers)

    def says_minutes(self, minutes: float) -> bool:
        """Return whether a duration is known, or lies between two times of day that were."""
        # What is known may be in minutes, in seconds or in hours.
        if any(self.has(minutes * factor, 1e-6) for factor in (1.0, 60.0, 1 / 60)):
            return True
        at = [60 * hour + minute for hour, minute in self.moments]
        # Modulo a day, so that the time between may go over midnight.
        return any((second - first) % 1440 == minutes for first in at for second in at if first != second)

    def has(self, number: float, off: float) -> bool:
        """Return whether a known number is at most so far off."""
        return _near(self.numbers, number, off)

    def follows(self, stated: float, off: float, *, rough: bool = False, percent: bool = False) -> bool:
        """Return whether a number follows from known ones that can be reckoned with.

        Args:
            stated: the number.
            off: how far what is worked out may be off.
            rough: it is stated as a rounded one.
            percent: it is stated as a percentage.
        """
        stated = abs(stated)
        # The last term covers the error of floating point alone.
        off = min(off, FAR * stated) + 1e-9 * max(1.0, stated)
        # How many numbers of its precision are as large: the finer a number is stated, the less it agrees with a sum by
        # chance, and the more ways to reach it may count.
        steps = stated / (2 * off)
        every = sorted(set().union(*self._fields.values()))
        wild = self._fields[""]
        # Coarse numbers may only add up with their kind: euros with euros, and with numbers of no known kind.
        alike = [every] if steps >= ANY_SUM else [sorted(wild | one) for one in self._fields.values()]
        if any(_sum(stated, off, numbers) or (percent and _share(stated, off, numbers)) for numbers in alike):
            return True
        small = [one for one in every if one < LOOSE and one == int(one)]
        many = steps >= ANY_PRODUCT or (rough and len(every) <= FEW)
        if _product(stated, off, every, every if many else small) or (many and _product(stated, off, every, CALENDAR)):
            return True
        return steps >= ANY_OF_THREE and len(every) <= FEW and _of_three(stated, off, every)


def _near(numbers: Sequence[float], number: float, off: float) -> bool:
    number = abs(number)
    return bisect_left(numbers, number - off) < bisect_right(numbers, number + off)


def _sum(stated: float, off: float, numbers: Sequence[float]) -> bool:
    """Return whether two of the numbers have this sum, difference or, below one, ratio."""
    for one in numbers:
        rest = stated - one
        # A small count is not added to what is not a count, nor a number to itself.
        fits = min(one, rest) >= LOOSE or max(one, rest) < 100 or min(one, rest) % 1
        if rest > 0 and fits and abs(rest - one) > off and _near(numbers, rest, off):
            return True
        if (min(one, stated) >= LOOSE or one + stated < 100) and _near(numbers, stated + one, off):
            return True
        if stated < 1 and one and _near(numbers, one * stated, one * off):
            return True
    return False


def _share(stated: float, off: float, numbers: Sequence[float]) -> bool:
    """Return whether one of the numbers is this percentage of another, or so much more or less."""
    shares = (stated / 100, 1 - stated / 100, 1 + stated / 100)
    return any(_near(numbers, one * share, one * off / 100) for one in numbers if one for share in shares)


def _product(stated: float, off: float, numbers: Sequence[float], factors: Sequence[float]) -> bool:
    """Return whether a number times a factor, or divided by it, or changed by it as a percentage, is known."""
    for one in factors:
        # Neither changes a number, or explains one.
        if one == 0 or one == 1:
            continue
        if _near(numbers, stated / one, off / one) or _near(numbers, stated * one, off * one):
            return True
        # The stated number as `one / known`; the error is that of the quotient, which grows as the stated number
        # shrinks.
        if off < ANY_PRODUCT and stated and _near(numbers, one / stated, one / stated * off / stated):
            return True
        changes = (one / 100, 1 + one / 100, 1 - one / 100) if one < 100 and len(factors) == len(numbers) else ()
        if any(_near(numbers, stated / change, off / change) for change in changes):
            return True
    return False


def _of_three(stated: float, off: float, known: Sequence[float]) -> bool:
    """Return whether the sum of three known numbers, or a product of two with a third added or taken off, is known."""
    if any(abs(sum(three) - stated) <= off for three in combinations(known, 3)):
        return True
    return any(
        abs(abs(first * second + sign * third) - stated) <= off or abs((first + sign * third) * second - stated) <= off
        for first, second, third in product(known, repeat=3)
        for sign in (1, -1)
    )


def words_of(text: str) -> list[str]:
    """The words of a text, without case; names of fields in their parts."""
    return re.findall(r"[^\W_]+", text.casefold())


def lists_in(value: Any) -> Iterator[Sequence[Any]]:
    """Every list in JSON data that holds something."""
    # A tool may give its answer as JSON text, and so may a field of an answer.
    if isinstance(value, str):
        value = parsed_json(value)
    if isinstance(value, (list, tuple)):
        if value:
            yield value[:ROWS]
        for item in value:
            yield from lists_in(item)
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from lists_in(item)


def list_totals(rows: Sequence[Any]) -> Iterator[tuple[str, float]]:
    """The totals of a list, by field: its length, sums and means of its numbers, also by the texts in its rows."""
    yield "count", float(len(rows))
    yield from _sums("item", [float(one) for one in rows if is_number(one)])
    flat = [dict(paths.leaves(row)) for row in rows if isinstance(row, Mapping)]
    fields: dict[str, list[tuple[int, float]]] = defaultdict(list)
    kinds: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for place, row in enumerate(flat):
        for path, value in row.items():
            # Texts and flags group rows (sums by category); numbers are what is summed.
            if isinstance(value, (str, bool)):
                kinds[path].append((place, str(value)))
            elif is_number(value):
                fields[path].append((place, float(value)))
    for field, numbers in fields.items():
        yield from _sums(field, [number for _, number in numbers])
    for (_, first), (_, second) in combinations(fields.items(), 2):
        # Row by row, as in price times quantity, and added up.
        there = dict(second)
        yield "product", sum(number * there[place] for place, number in first if place in there)
    for values in kinds.values():
        yield from _by_kind(values, fields)


def _by_kind(
    texts: list[tuple[int, str]], fields: Mapping[str, list[tuple[int, float]]]
) -> Iterator[tuple[str, float]]:
    counts = Counter(text for _, text in texts)
    if len(counts) > KINDS:
        return
    yield "count", float(len(counts))
    for text, times in counts.items():
        yield "count", float(times)
        places = {place for place, one in texts if one == text}
        for field, numbers in fields.items():
            yield from _sums(field, [number for place, number in numbers if place in places])


def _sums(field: str, numbers: Sequence[float]) -> Iterator[tuple[str, float]]:
    if numbers:
        yield field.rpartition(".")[2], sum(numbers)
        yield field.rpartition(".")[2], sum(numbers) / len(numbers)


def is_number(value: Any) -> bool:
    """Return whether a value is a finite number, and not a truth value."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _date(day: Day) -> date | None:
    if day[0] is None or day[1] is None or day[2] is None:
        return None
    try:
        return date(day[0], day[1], day[2])
    except ValueError:
        return None


def _covered_by(stated: Day, known: Day) -> bool:
    """Return whether a date that is known tells all of another one; its year may be left open."""
    return all(a is None or a == b or (b is None and place == 0) for place, (a, b) in enumerate(zip(stated, known)))
