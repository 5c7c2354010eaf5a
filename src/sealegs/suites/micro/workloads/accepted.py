"""Right answers, judged by value from free text.

The last thing that a text states counts: a right number that is taken back, denied, or followed by another one is not
the answer; numbers that were worked with, and those that a workload lists as beside the point, do not disturb.
Languages other than English are not read, nor are answers that hide the number in a table of many.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from sealegs.suites.micro.workloads.quantities import (
    DENIED,
    DENIED_AFTER,
    StatedQuantity,
    normalize_quantities,
    stated_quantities,
)
from sealegs.tasks.value_matching import MONTHS

CORRECTED = re.compile(
    r"(?:\b(?:actually|correction|wait|scratch that|on second thou?ght|let me correct|i was wrong|i made an error|"
    r"sorry|revised|corrected)\b|^no[,:])",
    re.IGNORECASE | re.MULTILINE,
)
MARKED = re.compile(
    r"(?:\banswer\b|\bresult\b|\btherefore\b|\bthus\b|\bhence\b|\bin conclusion\b|\bin total\b|\bso\b,?)", re.IGNORECASE
)
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9$€£*\"'(])|\n+|;\s+")
HEDGED = re.compile(r"\b(?:or|maybe|possibly|alternatively)\b", re.IGNORECASE)
TIMES: Mapping[str, float] = {
    name: seconds
    for seconds, names in {
        86400.0: "days day d",
        3600.0: "hours hour h hr hrs",
        60.0: "minutes minute min mins",
        1.0: "seconds second sec secs s",
    }.items()
    for name in names.split()
}


class Accepted(ABC):
    """An answer that counts as right."""

    @abstractmethod
    def judge(self, text: str) -> bool:
        """Return whether the text gives it."""


@dataclass(frozen=True)
class Quantity(Accepted):
    """A number, perhaps with a unit. Adjacent quantities are one number: `1 hour 60 minutes`.

    Attributes:
        value: the right number, in the unit whose factor is 1.
        tolerance: how far off it may be.
        units: what a written unit is worth, by names in lower case.
        bare: what a number without unit is worth; None where it needs one.
        beside: numbers that a right answer may mention too.
    """

    value: float
    tolerance: float
    units: Mapping[str, float] = field(default_factory=dict)
    bare: float | None = 1.0
    beside: Sequence[float] = ()

    def judge(self, text: str) -> bool:
        """Return whether the last number that the text states is it, and nothing contradicts it."""
        text = _held(normalize_quantities(text))
        sentences = [(marked, values) for marked, values in map(self._read, SENTENCE.split(text)) if values]
        if not sentences:
            return False
        last = max((n for n, (marked, _) in enumerate(sentences) if marked), default=len(sentences) - 1)
        # After the answer a number alone may be anything; only one with a unit contradicts it.
        later = [value for _, values in sentences[last + 1 :] for value, unit in values if unit]
        return all(self._right(value) for value, _ in sentences[last][1]) and all(map(self._right, later))

    def _read(self, sentence: str) -> tuple[bool, list[tuple[float, bool]]]:
        """A flag for a sentence that says it gives the answer, and the values that it claims, with or without unit."""
        values = []
        for value, unit in self._valued(sentence, list(stated_quantities(sentence, self.units))):
            aside = any(abs(value - other) <= 1e-6 * max(1.0, abs(other)) for other in self.beside)
            if self._right(value) or not aside:
                values.append((value, unit))
        return MARKED.search(sentence) is not None, values

    def _valued(self, text: str, quantities: list[StatedQuantity]) -> list[tuple[float, bool]]:
        found: list[tuple[float, bool]] = []
        end, factor = -1, 0.0
        for one in quantities:
            worth = self.units.get(one.unit) if one.unit else self.bare
            if worth is None:
                continue
            value = one.value * worth
            joined = re.fullmatch(r"\s*[A-Za-z]*\s*(?:,|and)?\s*", text[end : one.start]) if end >= 0 else None
            # In falling units alone: "60 minutes, 1 hour" says one thing twice.
            if joined and one.unit and worth < factor and found:
                found[-1] = (found[-1][0] + value, True)
            else:
                found.append((value, bool(one.unit)))
            end, factor = one.end, worth
        return found

    def _right(self, value: float) -> bool:
        return abs(value - self.value) <= self.tolerance + 1e-9


@dataclass(frozen=True)
class AcceptedName(Accepted):
    """A name.

    Attributes:
        names: the forms that count.
        rivals: other names that would contradict it.
    """

    names: Sequence[str]
    rivals: Sequence[str] = ()

    def judge(self, text: str) -> bool:
        """Return whether the text gives the name, does not deny it, and does not give a rival in its place."""
        text = _held(text.replace("’", "'").replace("*", ""))
        own = [span for name in self.names for span in _stated(name, text)]
        if not own:
            return False
        for rival in self.rivals:
            for start, end in _stated(rival, text):
                between = [text[min(end, b) : max(start, a)] for a, b in own]
                # "Newton or Leibniz": close together, with such a word between, neither is given.
                if any(len(part) < 40 and HEDGED.search(part) for part in between):
                    return False
                if re.search(r"(?:answer|it) (?:is|was|:)\s*$|(?:answer|by)[: ]+$", text[:start], re.IGNORECASE):
                    return False
                # A text that opens with a rival answers with it, unless another name is joined to it or it has an `'`.
                if start == 0 and not text[end:].lstrip().lower().startswith(("and", "'")):
                    return False
        return True


@dataclass(frozen=True)
class Day(Accepted):
    """A day of the calendar. `beside`: days that a right answer may mention too."""

    day: date
    beside: Sequence[date] = ()

    def judge(self, text: str) -> bool:
        """Return whether it is the last day that the text states, in any of the forms in which people write one."""
        text = _held(re.sub(r"(?<=\d)(?:st|nd|rd|th)\b", "", normalize_quantities(text), flags=re.IGNORECASE))
        named = ((at, day) for at, day in self._days(text) if day not in self.beside)
        found = sorted((at, day) for at, day in named if not _denied(text, at))
        if not found:
            return False
        others = [day for _, day in found[:-1]]
        hedged = HEDGED.search(text) is not None and any(day != self.day for day in others)
        return found[-1][1] == self.day and not hedged

    def _days(self, text: str) -> list[tuple[int, date]]:
        months = "|".join(f"{name}|{name[:3]}" for name in MONTHS)
        forms = (
            (rf"\b(?P<d>\d{{1,2}})(?: of)? (?P<m>{months})\b\.?,?(?: (?P<y>\d{{4}}))?", MONTHS),
            (rf"\b(?P<m>{months})\b\.? (?P<d>\d{{1,2}})\b,?(?: (?P<y>\d{{4}}))?", MONTHS),
            (r"\b(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)\b", None),
        )
        found = []
        for pattern, names in forms:
            for one in re.finditer(pattern, text, re.IGNORECASE):
                month = int(one["m"]) if names is None else _month(one["m"])
                try:
                    found.append((one.start(), date(int(one["y"] or self.day.year), month, int(one["d"]))))
                except ValueError:
                    continue
        return found


@dataclass(frozen=True)
class AcceptedParts(Accepted):
    """Several things, all of which must be there."""

    parts: Sequence[Accepted]

    def judge(self, text: str) -> bool:
        """Return whether the text gives each of them."""
        return all(part.judge(text) for part in self.parts)


def accepted_from(data: Mapping[str, Any], today: date) -> Accepted:
    """The accepted answer of a file: `number`, `duration`, `years_since`, `years_until`, `name`, `day` or `parts`."""
    tolerance = float(data.get("tolerance", 0))
    beside = tuple(map(float, data.get("beside", ())))
    if "parts" in data:
        return AcceptedParts(tuple(accepted_from(part, today) for part in data["parts"]))
    if "name" in data:
        return AcceptedName((data["name"], *data.get("also", ())), tuple(data.get("rivals", ())))
    if "day" in data:
        return Day(date.fromisoformat(str(data["day"])), (today,))
    if "duration" in data:  # seconds
        bare = TIMES[data["bare"]] if "bare" in data else None
        return Quantity(float(data["duration"]), tolerance, TIMES, bare, beside)
    years = {"years": 1.0, "year": 1.0, "full": 1.0, "whole": 1.0, "yrs": 1.0}
    if "years_since" in data:
        then = date.fromisoformat(str(data["years_since"]))
        full = today.year - then.year - ((today.month, today.day) < (then.month, then.day))
        return Quantity(float(full), 0.0, years, 1.0, (*beside, then.year, today.year))
    if "years_until" in data:
        then_year = int(data["years_until"])
        return Quantity(float(then_year - today.year), 0.0, years, 1.0, (*beside, then_year, today.year))
    units = {str(name).casefold(): float(worth) for name, worth in data.get("units", {}).items()}
    return Quantity(float(data["number"]), tolerance, units, 1.0, beside)


def _held(text: str) -> str:
    """The text that counts in the end: all after the last correction, where that says anything."""
    for found in reversed(list(CORRECTED.finditer(text))):
        rest = text[found.end() :]
        if re.search(r"\d|[A-Z]\w+ [A-Z]", rest):
            return rest
    return text


def _stated(name: str, text: str) -> list[tuple[int, int]]:
    found = re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE)
    return [one.span() for one in found if not _denied(text, one.start()) and not DENIED_AFTER.match(text[one.end() :])]


def _denied(text: str, at: int) -> bool:
    return DENIED.search(text[:at]) is not None


def _month(name: str) -> int:
    return next(n for n, month in enumerate(MONTHS, start=1) if month.startswith(name.casefold()[:3]))
