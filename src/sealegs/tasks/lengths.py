"""Numbers of orders by their length: what is known of a part of a graph once its inside is forgotten.

Branches differ in length, so a part has not one number of orders but one for each length: `{4: 2, 5: 6}` is 2 orders of
4 steps and 6 of 5. All numbers are exact.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import comb

Lengths = Mapping[int, int]

ONE: Lengths = {1: 1}


def either(left: Lengths, right: Lengths) -> Lengths:
    """One part or the other is done: the numbers add up."""
    total = dict(left)
    for length, number in right.items():
        total[length] = total.get(length, 0) + number
    return total


def chained(first: Lengths, second: Lengths) -> Lengths:
    """Both parts are done, all of the first before any of the second."""
    total: dict[int, int] = {}
    for m, a in first.items():
        for n, b in second.items():
            total[m + n] = total.get(m + n, 0) + a * b
    return total


def shuffled(left: Lengths, right: Lengths) -> Lengths:
    """Both parts are done, interleaved at will: m steps and n steps interleave in C(m+n, m) ways."""
    total: dict[int, int] = {}
    for m, a in left.items():
        for n, b in right.items():
            total[m + n] = total.get(m + n, 0) + a * b * comb(m + n, m)
    return total
