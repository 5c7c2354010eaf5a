"""Comparison of a value that a read shows with the one that a call gave: equal, different, or perhaps the same.

Numbers count by value, exactly, and a text that is nothing but a number counts as that number beside a number: 5 is 5.0
and "5", and neither 007 nor 9e3 is a number. Texts count letter by letter. What only a looser comparison takes for the
same, as a server may write it otherwise, is neither: letter case, white space, Unicode forms, leading zeros, thousands
separators, rounding, truth values and empty values of another type, and masked texts.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from sealegs.faults.equal import LONGEST, NUMBER

MASK = re.compile(r"[*•●]{2,}|[xX]{3,}")
REDACTED = re.compile(r"\W*redacted\W*", re.IGNORECASE)
MOST_MASKS = 4  # in one text; each may stand for any number of characters
SEPARATOR = re.compile(r"(?<=\d)[,'_](?=\d)")
CLOSE = 1e-9  # the relative difference of two fractions that sums of binary fractions come to


def match_values(shown: Any, given: Any) -> bool | None:
    """Return whether two values are the same; None where they may be, written otherwise.

    Args:
        shown: the value as a server shows it.
        given: the value as the call, or a declaration, has it.
    """
    # Part by part, so that the leaves of lists and objects are compared as values by themselves.
    if isinstance(shown, Mapping) and isinstance(given, Mapping):
        common = match_all(match_values(shown[name], given[name]) for name in given if name in shown)
        return None if common and shown.keys() != given.keys() else common
    if isinstance(shown, (list, tuple)) and isinstance(given, (list, tuple)):
        return len(shown) == len(given) and match_all(map(match_values, shown, given))
    if isinstance(shown, (Mapping, list, tuple)) or isinstance(given, (Mapping, list, tuple)):
        return None if _is_empty(shown) and _is_empty(given) else False
    left, right = _plain(shown), _plain(given)
    if type(left) is type(right) and left == right:
        return True
    if isinstance(left, Decimal) != isinstance(right, Decimal) and _as_number(left) == _as_number(right) is not None:
        return True
    return None if _loosely_equal(left, right) or _is_masked(left, right) else False


def match_all(matches: Iterable[bool | None]) -> bool | None:
    """Return whether all of these match; None where some may."""
    unclear = False
    for match in matches:
        if match is False:
            return False
        unclear = unclear or match is None
    return None if unclear else True


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, (str, Mapping, list, tuple)) and not value)


def _plain(value: Any) -> Any:
    """The value as None, a truth value, a number or a text."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, (int, float, Decimal)):
        # By `repr`, which is what a server writes: the exact value of 5.1 is another number.
        return Decimal(repr(float(value))) if isinstance(value, float) else Decimal(value)
    return str.__str__(value) if isinstance(value, str) else str(value)


def _as_number(value: Any) -> Decimal | None:
    """A number, or a text that is nothing but one; None of all else."""
    if isinstance(value, Decimal):
        return value
    if not isinstance(value, str) or len(value) > LONGEST or NUMBER.fullmatch(value) is None:
        return None
    return Decimal(value)


def _loosely_equal(left: Any, right: Any) -> bool:
    """Return whether two plain values may be the same."""
    if _loose_text(left) == _loose_text(right):
        return True
    one, other = _loose_number(left), _loose_number(right)
    return one is not None and other is not None and (one == other or _rounded_alike(one, other))


def _loose_text(value: Any) -> str:
    text = "" if value is None else str(value)
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


def _loose_number(value: Any) -> Decimal | None:
    """The number that a lenient reader may take the value for; None where there is none."""
    if isinstance(value, (bool, Decimal)):
        return Decimal(value)
    text = SEPARATOR.sub("", _loose_text(value))
    if not text or len(text) > LONGEST:
        return None
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _rounded_alike(left: Decimal, right: Decimal) -> bool:
    """Return whether one number is the other as a binary fraction, or two fractions are as good as equal."""
    try:
        as_floats = float(left), float(right)
    except (OverflowError, ValueError):
        return False
    if not all(map(math.isfinite, as_floats)):
        return False
    # Long whole numbers are identifiers: the next one is another, and only the rounded one may be the same.
    if all(number == number.to_integral_value() for number in (left, right)):
        return left == Decimal(repr(as_floats[1])) or right == Decimal(repr(as_floats[0]))
    return math.isclose(*as_floats, rel_tol=CLOSE)


def _is_masked(shown: Any, given: Any) -> bool:
    """Return whether what is shown hides letters of a value that may be the one that was given."""
    if not isinstance(shown, str) or given is None or len(shown) > LONGEST:
        return False
    if REDACTED.fullmatch(shown):
        return True
    visible = MASK.split(shown)
    if not 1 < len(visible) <= MOST_MASKS + 1:
        return False
    return re.fullmatch(".*".join(map(re.escape, visible)), str(given), re.DOTALL) is not None
