"""The interval of a share of independent cases; for what is counted over base tasks see `metric`."""

from __future__ import annotations

from functools import lru_cache

from sealegs.scoring.exact_shares import share_ends


@lru_cache(maxsize=4096)
def share_interval(successes: float, n: float, confidence: float = 0.95) -> tuple[float, float]:
    """The interval of a share (`exact_shares.share_ends`), each end in [0, 1]; (0, 1) where n is 0.

    Args:
        successes, n: how many of how many cases.
        confidence: of the interval.
    """
    low, high = share_ends(successes, n, confidence)
    return float(low), float(high)
