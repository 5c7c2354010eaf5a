"""Pearson's correlation with its p value, two-sided, by Student's t with n - 2 degrees of freedom."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sealegs.intervals.quantiles import incomplete_beta


def pearson(xs: Sequence[float], ys: Sequence[float]) -> tuple[float, float]:
    """r and p; both nan where one side does not vary or there are fewer than three pairs.

    Raises:
        ValueError: the sides differ in length.
    """
    if len(xs) != len(ys):
        raise ValueError(f"{len(xs)} values are paired with {len(ys)}")
    n = len(xs)
    mean_x, mean_y = (math.fsum(side) / max(1, n) for side in (xs, ys))
    dx, dy = [x - mean_x for x in xs], [y - mean_y for y in ys]
    size = math.hypot(*dx) * math.hypot(*dy)
    # The values are asked, too: the mean of equal ones may be rounded, and they then seem to vary.
    if n < 3 or size == 0 or len(set(xs)) == 1 or len(set(ys)) == 1:
        return math.nan, math.nan
    # Rounding may carry it a little beyond 1.
    r = max(-1.0, min(1.0, math.fsum(a * b for a, b in zip(dx, dy, strict=True)) / size))
    freedom = n - 2
    return r, float(incomplete_beta(freedom / 2, 0.5, 1 - r * r, r * r))
