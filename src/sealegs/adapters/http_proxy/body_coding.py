"""Compressed bodies: which codings can be read here, and a body without its coding."""

from __future__ import annotations

import zlib

READABLE = frozenset(("gzip", "x-gzip", "deflate", "identity"))
WIDEST = 256 << 20  # bytes of a body without its coding
GZIP = 16 + zlib.MAX_WBITS


def accepted(given: str) -> str:
    """The part of an `Accept-Encoding` that requests codings that can be read here; `identity` where there is none."""
    kept = [one.strip() for one in given.split(",") if one.partition(";")[0].strip().lower() in READABLE]
    return ", ".join(kept) or "identity"


def decoded(raw: bytes, coding: str) -> bytes:
    """A body without its coding; as it is where that cannot be read, or would be very large."""
    name = coding.strip().lower()
    try:
        if name in ("gzip", "x-gzip"):
            return _inflated(raw, GZIP)
        if name == "deflate":
            try:
                # Some servers send the bare stream under this name, without the wrapper of zlib that RFC 9110 asks for.
                return _inflated(raw, zlib.MAX_WBITS)
            except zlib.error:
                return _inflated(raw, -zlib.MAX_WBITS)
    except (zlib.error, ValueError):
        pass
    return raw


def _inflated(raw: bytes, window: int) -> bytes:
    """All members of a compressed body."""
    found, left = b"", raw
    while left:
        reader = zlib.decompressobj(window)
        found += reader.decompress(left, WIDEST)
        if reader.unconsumed_tail or len(found) > WIDEST:
            raise ValueError("too large")
        left = reader.unused_data if reader.eof else b""
    return found
