"""Reads that prove nothing: lists that may be incomplete, and errors in the form of data.

Interfaces spell the same mark in many ways (`has_more`, `IsTruncated`, `@odata.nextLink`), so it is the words in a name
that count. All fields around the entries are looked at, and those inside them never. What is in doubt counts as
incomplete: an action that was not done is then left alone, and none is done twice. A list that says in no way that it
is a page passes for whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sealegs.faults import paths

ERROR, PART = "it reports an error", "it is one page of several"
FEWER, PAGED = "it lists fewer than it counts", "it may be one page of several"
HUGE = "it is too large to be searched for further pages"
WHOLE = ""  # the field says that nothing follows
FIELDS = 10_000  # that are looked at
TEXT = 2000  # characters of a text that are looked at
SHORT = 200  # those of a text that may give a number


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Words of names, or the beginnings of them (`_STEM`).
NEXT = _set("next more further another older continu remain resum evaluated")
PARTS = _set(
    "truncat incomplet partial abridged capped cut degraded exceeded hidden limited omitted overflow prev previous "
    "reached sampled stale suppressed terminated withheld"
)
ENDS = _set("complete completed done finished last end eof exhausted exhaustive")
ERRORS = _set("err errno errmsg error exception fail fault retry timed timeout unavailable warn")
SUCCESS = _set("ok success successful succeeded")
STATES = _set("status state outcome result type code cod http response")
BAD_STATES = _set("denied down forbidden invalid over pending processing progress queued rejected running unknown")
NOTES = _set("message msg note notes notice info hint comment detail details description summary reason")
COUNTS = _set(
    "total totals count counts found estimate range showing results records items hits entries elements documents docs "
    "objects matches quantity available"
)
TOTALS = _set("total totals found")  # of all pages, where a count may be this page's
PAGE = _set("page paging pagination")
NUMBERS = PAGE | _set("number num no current index x")
LIMITS = _set("limit max maximum per top")
LENGTHS = _set("size len length rows")  # of this page, or of all
OFFSETS = _set("offset skip")
STARTS = _set("start at index")
POSITIONS = _set("cursor cursors marker scroll bookmark")
# Numbers that count no entries, and what comes next without being a page.
AMOUNTS = _set(
    "amount balance price cost credit fee tax rate quota money bytes seconds time zone utc score scanned shards"
)
MOMENTS = _set("date at due run action step steps sync info learn")
NO = frozenset(("", "false", "n", "nil", "no", "none", "null", "off"))
GOOD = frozenset(("ok", "success", "no error"))

_PIECES = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_STEM = re.compile("next|truncat|incomplet|partial|continu|remain|resum|error|exception|fail|warn")
_KNOWN = frozenset().union(NEXT, PARTS, ENDS, ERRORS, COUNTS, NUMBERS, LIMITS, LENGTHS, OFFSETS, STARTS, POSITIONS)
_KNOWN |= AMOUNTS | _set("has is id key link url uri token msg code out pages batch truncated incomplete remaining")
_JOINED = re.compile("|".join(sorted(_KNOWN, key=len, reverse=True)))
_NUMBER = re.compile(r"\d{1,15}")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_OF = re.compile(r"\bof\s+(\d{1,15})")
_NEXT_LINK = re.compile(r"\brel(?:ation)?\W{1,6}next\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SurroundingField:
    """A field around the entries.

    Attributes:
        words: of its name, and of the name around it where its own is one word.
        value: its value.
        listed: the number of entries that it may speak of; None where there are none.
    """

    words: frozenset[str]
    value: Any
    listed: int | None

    @property
    def number(self) -> float | None:
        """The number that it gives, as such or as a text's last (`40`, `1 of 3`, `0-9/40`)."""
        if isinstance(self.value, str):
            numbers = _NUMBER.findall(_THOUSANDS.sub("", self.value[:SHORT]))
            return float(numbers[-1]) if numbers else None
        if isinstance(self.value, bool) or not hasattr(type(self.value), "__float__"):
            return None
        return float(self.value)

    @property
    def empty(self) -> bool:
        """Whether it says no or nothing."""
        values = self.value.values() if isinstance(self.value, Mapping) else (self.value,)
        return all(map(_says_no, values))


def why_inconclusive(answer: Any, path: str | None = None) -> str:
    """Say why an answer that does not list something is not proof that it is not there; empty if it is.

    A read can fail in the form of data, and a list can be one page of several.

    Args:
        answer: of the read.
        path: of the entries; None if the read lists none.
    """
    found = set()
    for number, field in enumerate(_fields(answer, path)):
        if number >= FIELDS:
            return HUGE
        found.add(next((mark for rule in RULES if (mark := rule(field)) is not None), None))
    for mark in (ERROR, PART, FEWER):
        if mark in found:
            return mark
    return PAGED if PAGED in found and WHOLE not in found else ""


def _fields(answer: Any, path: str | None) -> Iterator[SurroundingField]:
    """All fields around the entries, from the outside in."""
    around, entries = _places(answer, path)
    nothing: frozenset[str] = frozenset()
    queue = [(place, nothing) for place in around if isinstance(place, Mapping)]
    seen = {id(place) for place, _ in queue}
    for place, outer in queue:  # which grows meanwhile
        lengths = [len(value) for value in place.values() if isinstance(value, (list, tuple))]
        if entries is not None and (not lengths or any(value is entries for value in place.values())):
            lengths = [len(entries)]
        elif entries is not None:
            lengths.append(len(entries))
        for name, value in place.items():
            own = _words(str(name)[:TEXT])
            if value is not entries:
                yield SurroundingField(own | outer if len(own) == 1 else own, value, max(lengths, default=None))
            if isinstance(value, Mapping) and id(value) not in seen:
                seen.add(id(value))
                queue.append((value, own))


def _places(answer: Any, path: str | None) -> tuple[list[Any], Any]:
    """Answer, objects and lists on the way to the entries; and the entries, if they are a list."""
    keys = path.split(".") if path else []
    places = [answer]
    for end in range(1, len(keys) + 1):
        places.extend(paths.values_at(answer, ".".join(keys[:end]))[:1])
    entries = places[-1] if path is not None and isinstance(places[-1], (list, tuple)) else None
    # The way to the entries may lead through a list, whose objects are around them, too.
    inner = [item for place in places if place is not entries and isinstance(place, list) for item in place[:FIELDS]]
    return ([*places, *inner] if path is not None or isinstance(answer, Mapping) else []), entries


@lru_cache(maxsize=4096)
def _words(name: str) -> frozenset[str]:
    """The words of a name in any spelling: `hasMore`, `has_more`, `HAS-MORE` and `hasmore` alike."""
    words: set[str] = set()
    for piece in _PIECES.findall(name):
        word = piece.lower()
        parts = _JOINED.findall(word)
        for part in parts if "".join(parts) == word else (word,):
            stem = _STEM.match(part)
            words.add(stem[0] if stem else part)
    return frozenset(words)


def _says_no(value: Any) -> bool:
    if isinstance(value, str):
        return value.strip().lower().strip("0") in NO
    try:
        return not value
    except Exception:  # an array of several values, for one
        return False


def _of_errors(field: SurroundingField) -> str | None:
    value = field.value
    if field.words & ERRORS:
        good = isinstance(value, str) and value.strip().lower() in GOOD
        return None if good or field.empty else ERROR
    if field.words & SUCCESS and value is not None and field.empty:
        return ERROR
    return None


def _of_states(field: SurroundingField) -> str | None:
    words, value = field.words, field.value
    if words <= STATES and words:
        number = field.number
        if value is False or (number is not None and 400 <= number <= 599):
            return ERROR
        if number == 206:  # the HTTP status "Partial Content"
            return PART
    if not isinstance(value, str) or not words & (STATES | NOTES):
        return None
    said = _words(value[:TEXT])
    if said & ERRORS or (words & STATES and said & BAD_STATES):
        return ERROR
    if said & PARTS:
        return PART
    of = _OF.search(value[:TEXT])  # "Showing 2 of 40"
    return FEWER if words & NOTES and of and int(of[1]) > (field.listed or 0) else None


def _of_parts(field: SurroundingField) -> str | None:
    words, value = field.words, field.value
    if words & PARTS and not words & AMOUNTS:
        return None if field.empty else PART
    if words & NEXT and (value is True or not words & (AMOUNTS | MOMENTS)):
        return WHOLE if field.empty else PART
    if words & ENDS and not (words & PAGE and not isinstance(value, bool)):
        if "not" in words:
            return None if field.empty else PART
        if isinstance(value, str):
            said = value.strip().lower()
            return PART if said in ("false", "no", "0") else WHOLE if said in ("true", "yes") else None
        return WHOLE if value is True else PART if value is False or field.number == 0 else None
    if words & {"link", "links"} and isinstance(value, (str, list)):
        return PART if _NEXT_LINK.search(str(value[:TEXT])) else None
    return None


def _of_pages(field: SurroundingField) -> str | None:
    """Read the number of pages, this page's number and size, and where it begins."""
    words, number, listed = field.words, field.number, field.listed
    if words & AMOUNTS:
        return None
    if number is None:
        return PART if words & OFFSETS and not field.empty else None
    if "pages" in words or words == {"max", "page"} or ("page" in words and words & {"count", "total", "last"}):
        if number == listed and "total" in words:
            return PAGED  # `page: {total: 2}` may count the entries
        return WHOLE if number <= 1 else PART
    if words & LIMITS or (words & LENGTHS and words & PAGE):
        if number == listed:
            return PAGED
        own = words <= LIMITS | LENGTHS | PAGE | COUNTS
        return WHOLE if own and listed is not None and number > listed else None
    if words & LENGTHS and words <= LENGTHS:
        return PAGED if listed is not None and number > listed else None
    if words & PAGE and words <= NUMBERS:
        return PAGED if number <= 1 else PART
    if words & OFFSETS and number > 0:
        return PART
    return PART if "start" in words and words <= STARTS and number > 1 else None


def _of_counts(field: SurroundingField) -> str | None:
    number, listed = field.number, field.listed
    if not field.words & COUNTS or field.words & AMOUNTS or number is None or listed is None:
        return None
    if number > listed:
        return FEWER
    return WHOLE if number == listed and field.words & TOTALS else None


def _of_positions(field: SurroundingField) -> str | None:
    """Read a cursor, which many give with the last page, too."""
    words = field.words
    known = words & POSITIONS or words in ({"after"}, {"before"}) or ("token" in words and words & PAGE)
    return PAGED if (known or {"last", "key"} <= words) and not field.empty else None


RULES = (_of_errors, _of_states, _of_parts, _of_pages, _of_counts, _of_positions)
