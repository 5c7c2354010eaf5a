"""Check that an answer commits itself: gives one value for a requested result, not several of which one may be right.

A value is hedged if a sentence offers another of its kind in its place ("120.50 or 99.37", "one of 99, 120, 130"), or
if two lines give it twice under the same label and differ. It is denied if it is named only to be rejected. A sentence
that rejects another value hedges nothing. Alternatives in sentences with different words are not seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal

from sealegs.scoring.taint import trusting
from sealegs.tasks.value_matching import KEPT, MONTHS, NUMBER, contains_value

# Words between two values that leave open which of them holds, in ten languages.
_OR = re.compile(
    r"(?:^|[\s(\[])(?:or|and/or|oder|bzw\.?|oppure|ou bien|o bien|lub|albo|czy|alternatively|alternativ|maybe|perhaps"
    r"|possibly|vielleicht|möglicherweise|peut-être|quizás?|forse|talvez|misschien|może|vs\.?|versus)(?:[\s,:]|$)"
    r"|または|もしくは|或者|还是|或|^\s*[/|]\s*$",
    re.IGNORECASE,
)
# Short words for "or" that mean something else elsewhere count only where nothing but a unit is beside them.
_SHORT_OR = re.compile(
    r"\s*(?:[$€£¥%]|[a-z]{3}|euros?|dollars?|dólares)?\s*,?\s(?P<word>o|ou|of)\s+"
    r"(?:[$€£¥]\s?|tal vez |talvez |forse )?",
    re.IGNORECASE,
)
_DUTCH = re.compile(r"\b(?:de|het|een|niet|wordt|bedraagt|zijn|voor)\b", re.IGNORECASE)
_ONE_OF = re.compile(
    r"\b(?:one of|either|any of|entweder|eine[rs]? von|l'un de|soit|una? de|uno tra|uno de|um de|een van|jeden z|albo"
    r"|candidates?|possible \w+|mögliche \w+|between|zwischen|entre|kandidaten|candidats"
    r"|candidat[oi]s)\b|いずれか|之一|要么",
    re.IGNORECASE,
)
_CODE = re.compile(r"\b[A-Z][\w-]*\d[\w-]*\b")
_DAY = re.compile(
    rf"\b\d{{4}}-\d\d-\d\d\b|\b\d{{1,2}}(?:st|nd|rd|th)? (?:{'|'.join(MONTHS)})\b|\b(?:{'|'.join(MONTHS)}) \d{{1,2}}\b",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"\b\d{1,2}:\d\d\b")
_DIGITS = re.compile(r"\+?\d[\d\s()/.-]{3,}\d")  # of a telephone, a book, an account
_NAME = re.compile(r"[\"'“«]?[A-ZÀ-Ž][\w'-]*(?: [A-ZÀ-Ž][\w'-]*)*")
_NOT = re.compile(
    r"\b(?:not|never|instead of|rather than|nicht|keine?|statt|pas|plutôt que|en lugar de|non|não|niet|nie)"
    r"\s+(?:[a-z]{1,5}\s+)?[$€£]?$",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{2}")
GAP = 40  # characters between two values that a few words of a sentence may fill
_JOINING = ("o", "ou", "of", "and", "und", "et", "y", "e", "en", "i")  # words between two values, and no units
_UNIT = re.compile(r"^\s?(?:[$€£¥%°]|[A-Za-z]{1,12})")


def lack_of_commitment(answer: str, value: Any, tolerance: float = 0.0) -> Literal["", "hedged", "denied"]:
    """Report how the answer fails to commit itself to a value that it contains.

    Args:
        answer: the agent's answer.
        value: a right one; for a list or mapping, one of its values is enough.
        tolerance: how far a number may be off, as a share of it.

    Returns:
        "hedged" if it offers another value in place of this one, "denied" if it gives this one only to reject it
        ("45, not 42.5"), else "".
    """
    values = list(_scalars(value))
    if any(_hedged(answer, one, tolerance) for one in values):
        return "hedged"
    return "denied" if any(_denied(answer, one, tolerance) for one in values) else ""


def _scalars(value: Any) -> Iterator[Any]:
    """The numbers and texts that a value consists of."""
    if isinstance(value, (dict, list, tuple)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _scalars(one)
    elif not (isinstance(value, bool) or value is None):
        yield value


@lru_cache(maxsize=KEPT, typed=True)  # most episodes of a task end with the same right answer
def _hedged(answer: str, value: Any, tolerance: float) -> bool:
    lines = [line for line in trusting(answer) if contains_value(line, value, tolerance)]
    return any(_offers_another(line, value, tolerance) for line in lines) or _stated_twice(answer, value, tolerance)


@lru_cache(maxsize=KEPT, typed=True)
def _denied(answer: str, value: Any, tolerance: float) -> bool:
    before = [
        line[:start]
        for line in trusting(answer)
        for start, _, text in values_like(line, value)
        if contains_value(text, value, tolerance)
    ]
    return bool(before) and all(_NOT.search(text) for text in before)


def _offers_another(line: str, value: Any, tolerance: float) -> bool:
    found = list(values_like(line, value))
    own = [one for one in found if contains_value(one[2], value, tolerance)]
    others = [one for one in found if one not in own]
    if not own or not others:
        return False
    if _ONE_OF.search(line) and any(_same_unit(line, mine, other) for mine in own for other in others):
        return True
    # Only neighbours: an "or" between two other things leaves nothing open.
    return any(
        # Two right values in other words, or two wrong ones, leave nothing open about the right one.
        (first in own) != (second in own)
        and 0 <= second[0] - first[1] <= GAP
        and _leaves_open(line[first[1] : second[0]], line)
        and _same_unit(line, first, second)
        for first, second in pairwise(sorted(found))
    )


def _leaves_open(gap: str, line: str) -> bool:
    """Return whether the words between two values offer one in place of the other."""
    if _OR.search(gap):
        return True
    found = _SHORT_OR.fullmatch(gap)
    return found is not None and (found["word"].casefold() != "of" or _DUTCH.search(line) is not None)


def _same_unit(line: str, one: tuple[int, int, str], other: tuple[int, int, str]) -> bool:
    """Return whether two numbers may measure the same: no two different units follow them."""
    units = [_UNIT.match(line[end:]) for _, end, _ in (one, other)]
    words = [unit[0].strip().casefold() if unit else "" for unit in units]
    plain = [word for word in words if word and word not in _JOINING and not _OR.search(f" {word} ")]
    return len(plain) < 2 or plain[0] == plain[1]


def values_like(line: str, value: Any) -> Iterator[tuple[int, int, str]]:
    """The places in a line that hold something of the value's kind."""
    patterns = (NUMBER,) if isinstance(value, (int, float)) else _kind_patterns(value)
    if not patterns:
        yield from _names(line, value)
        return
    for pattern in patterns:
        for found in pattern.finditer(line):
            yield found.start(), found.end(), found[0]


@lru_cache(maxsize=KEPT)
def _kind_patterns(value: str) -> tuple[re.Pattern[str], ...]:
    """The patterns of texts of the value's kind; none for a name."""
    if _CODE.fullmatch(value):  # codes with the same beginning are of one kind
        kind = re.match(r"[A-Z][A-Za-z]*", value)
        return (re.compile(rf"\b{kind[0] if kind else ''}(?![A-Za-z])[\w-]*\d[\w-]*\b"),)
    if re.match(r"\d{4}-\d\d-\d\d", value):
        return (_DAY,) if len(value) == 10 else (_DAY, _CLOCK)
    if re.fullmatch(r"\d\d:\d\d", value):
        return (_CLOCK,)
    return (_DIGITS,) if _DIGITS.fullmatch(value) else ()


@lru_cache(maxsize=KEPT)
def _in_any_case(value: str) -> re.Pattern[str]:
    return re.compile(re.escape(value), re.IGNORECASE)


def _names(line: str, value: str) -> Iterator[tuple[int, int, str]]:
    """The value itself in any case, and what is written like a name elsewhere in the line."""
    own = [found.span() for found in _in_any_case(value).finditer(line)]
    for start, end in own:
        yield start, end, line[start:end]
    for found in _NAME.finditer(line):
        if not any(found.start() < end and start < found.end() for start, end in own):
            yield found.start(), found.end(), found[0]


def _stated_twice(answer: str, value: Any, tolerance: float) -> bool:
    """Return whether two lines are equal but for the value, and both are stated as true."""
    lines = [" ".join(line.split()) for line in trusting(answer) if line.strip()]
    frames: dict[str, set[bool]] = {}
    for line in lines:
        for start, end, text in values_like(line, value):
            frame = f"{line[:start]}\0{line[end:]}".casefold().strip(" .;,-*")
            # Without a word before the value there is no label: lines of a plain list would contradict one another.
            if _WORD.search(frame.split("\0")[0]):
                frames.setdefault(frame, set()).add(contains_value(text, value, tolerance))
    return any(len(seen) == 2 for seen in frames.values())
