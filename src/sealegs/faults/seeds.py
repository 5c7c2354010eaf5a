"""Randomness by name.

Every random decision draws from its own stream, keyed by what it decides: never by the order of arrival, the
time, the thread or the hash seed. Equal keys give equal streams on every machine.
"""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Callable
from hashlib import blake2b

TWO_53 = 9007199254740992.0
SEPARATOR = "\x1f"  # between the parts of a key
WORDS = struct.Struct(">8Q")  # the 512 bits of a hash as whole numbers
IN_BLOCK = 8  # numbers of a sequence that one hash gives
MOST_BLOCKS = 16  # blocks that are looked at ahead


def joined(*key: object) -> str:
    """The parts of a key as one part that stands for them: for a beginning that many keys share."""
    return SEPARATOR.join([str(part) for part in key])


def digest(*key: object) -> int:
    """64 bits of the key's BLAKE2b hash. Parts are distinguished by position: ("ab", "c") differs from ("a", "bc")."""
    return joined_digest(joined(*key))


def joined_digest(key: str) -> int:
    """The digest of a key whose parts are joined already (`joined`)."""
    return int.from_bytes(blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest())


def numbered_digests(beginning: str, name: str) -> Callable[[int], int]:
    """A function that gives `digest(beginning, number, name)` of a number; it hashes the beginning once."""
    copy = blake2b(f"{beginning}{SEPARATOR}".encode("utf-8", "surrogatepass"), digest_size=8).copy
    end = f"{SEPARATOR}{name}".encode("utf-8", "surrogatepass")

    def digest_of(number: int) -> int:
        hashed = copy()
        hashed.update(b"%d%b" % (number, end))
        return int.from_bytes(hashed.digest())

    return digest_of


def uniform(*key: object) -> float:
    """One number in [0, 1), a function of the key alone."""
    return (digest(*key) >> 11) / TWO_53


def uniform_at(beginning: str, nth: int, name: str) -> float:
    """The number in [0, 1) at place `nth`, from 0 on, of the sequence that `beginning` and `name` name.

    One BLAKE2b hash of 512 bits gives eight numbers of the sequence: that of the two names and the block's number.
    """
    block, place = divmod(nth, IN_BLOCK)
    text = f"{beginning}{SEPARATOR}{name}{SEPARATOR}{block}".encode("utf-8", "surrogatepass")
    word: int = WORDS.unpack(blake2b(text).digest())[place]
    return (word >> 11) / TWO_53


def spared(beginning: str, name: str, share: float) -> Callable[[int], int]:
    """The count of numbers `uniform_at(beginning, nth, name)` from `nth` on that are not below `share`.

    A function of `nth`, which is 0 only where that number is below, and counts as far as it looks. Eight numbers cost
    little more than one.
    """
    if share >= 1:
        return spares_none
    begun = blake2b(f"{beginning}{SEPARATOR}{name}{SEPARATOR}".encode("utf-8", "surrogatepass"))
    copy, words_of = begun.copy, WORDS.unpack
    # Of the 64 bits the highest 53 make the number, so they are compared with the lowest 53 that are not below.
    bound = math.ceil(share * TWO_53) << 11

    def count(nth: int) -> int:
        first, place = divmod(nth, IN_BLOCK)
        found = 0
        for block in range(first, first + min(first, MOST_BLOCKS) + 1):  # as far ahead as calls came before
            hashed = copy()
            hashed.update(b"%d" % block)
            words = words_of(hashed.digest())[place:]
            if min(words) < bound:
                return found + next(index for index, word in enumerate(words) if word < bound)
            found += len(words)
            place = 0
        return found

    return count


def spares_none(nth: int) -> int:
    """The count where every number is below."""
    return 0


def stream(*key: object) -> random.Random:
    """A separate generator, a function of the key alone."""
    return random.Random(digest(*key))
