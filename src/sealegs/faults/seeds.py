"""Randomness by name.

Every random decision draws from its own stream, keyed by what it decides: never by the order of arrival, the
time, the thread or the hash seed. Equal keys give equal streams on every machine.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from hashlib import blake2b

TWO_53 = 9007199254740992.0
SEPARATOR = "\x1f"  # between the parts of a key
MOST_TENS = 16  # of numbers that are looked at ahead


def joined(*key: object) -> str:
    """The parts of a key as one part that stands for them: for a beginning that many keys share."""
    return SEPARATOR.join([str(part) for part in key])


def digest(*key: object) -> int:
    """64 bits of the key's BLAKE2b hash. Parts are distinguished by position: ("ab", "c") differs from ("a", "bc")."""
    text = SEPARATOR.join([str(part) for part in key])  # `joined`, without the price of its call
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def uniform(*key: object) -> float:
    """One number in [0, 1), a function of the key alone."""
    return (digest(*key) >> 11) / TWO_53


def uniform_at(beginning: str, nth: int, name: str) -> float:
    """The same number as `uniform(beginning, nth, name)`, in two thirds of the time: a rule may draw on every call."""
    text = f"{beginning}{SEPARATOR}{nth}{SEPARATOR}{name}".encode("utf-8", "surrogatepass")
    return (int.from_bytes(blake2b(text, digest_size=8).digest()) >> 11) / TWO_53


def spared(beginning: str, name: str, share: float) -> Callable[[int], int]:
    """The count of numbers `uniform_at(beginning, nth, name)` from `nth` on that are not below `share`.

    A function of `nth`, which is 0 only where that number is below, and counts as far as it looks. Each number costs a
    quarter of a call of `uniform_at`: its hash begins where the hash of all but the last digit of `nth` ends, and its
    64 bits are compared as they are.
    """
    if share >= 1:
        return spares_none
    begun = blake2b(f"{beginning}{SEPARATOR}".encode("utf-8", "surrogatepass"), digest_size=8)
    ends = [f"{digit}{SEPARATOR}{name}".encode("utf-8", "surrogatepass") for digit in range(10)]
    # Of the 64 bits the highest 53 make the number, so they are compared with the lowest 53 that are not below.
    bound = (math.ceil(share * TWO_53) << 11).to_bytes(8, "big")

    def count(nth: int) -> int:
        first, digit = divmod(nth, 10)
        found, left = 0, ends[digit:]
        for tens in range(first, first + min(first, MOST_TENS) + 1):  # as far ahead as calls came before
            head = begun.copy()
            if tens:
                head.update(b"%d" % tens)
            copy = head.copy
            for end in left:
                hashed = copy()
                hashed.update(end)
                if hashed.digest() < bound:
                    return found
                found += 1
            left = ends
        return found

    return count


def spares_none(nth: int) -> int:
    """The count where every number is below."""
    return 0


def stream(*key: object) -> random.Random:
    """A separate generator, a function of the key alone."""
    return random.Random(digest(*key))
