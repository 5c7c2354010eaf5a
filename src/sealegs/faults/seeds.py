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


def below(beginning: str, name: str, share: float) -> Callable[[int], bool]:
    """`uniform_at(beginning, nth, name) < share` as a function of `nth`, for a third of the price of a call of that.

    Its hash begins where the hash of `beginning` ends, and its 64 bits are compared as they are.
    """
    if share >= 1:
        return always
    begun = blake2b(f"{beginning}{SEPARATOR}".encode("utf-8", "surrogatepass"), digest_size=8)
    rest = f"{SEPARATOR}{name}".encode("utf-8", "surrogatepass")
    # Of the 64 bits the highest 53 make the number, so they are compared with the lowest 53 that are not below.
    bound = (math.ceil(share * TWO_53) << 11).to_bytes(8, "big")

    def decide(nth: int) -> bool:
        hashed = begun.copy()
        hashed.update(b"%d%b" % (nth, rest))
        return hashed.digest() < bound

    return decide


def always(nth: int) -> bool:
    """The decision that needs no draw."""
    return True


def stream(*key: object) -> random.Random:
    """A separate generator, a function of the key alone."""
    return random.Random(digest(*key))
