"""Pearson's correlation with its p value, two-sided, by Student's t with n - 2 degrees of freedom."""

from __future__ import annotations

import math
from collections.abc import Sequence

TINY = 1e-300
STEPS = 400


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
    if n < 3 or size == 0 or len(set(xs)) == 1 or len(set(ys)) == 1:
        return math.nan, math.nan
    r = max(-1.0, min(1.0, math.fsum(a * b for a, b in zip(dx, dy, strict=True)) / size))
    freedom = n - 2
    return r, incomplete_beta(freedom / 2, 0.5, 1 - r * r)


def incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function I_x(a, b).

    By its continued fraction (Abramowitz and Stegun 26.5.8) in Lentz's form; for t with v degrees of freedom,
    P(|T| > t) = I_{v / (v + t^2)}(v / 2, 1 / 2).
    """
    if x <= 0:
        return 0.0
    if x >= 1:
        return 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(b, a, 1 - x)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    fraction, c, d = 1.0, 1.0, 0.0
    for step in range(STEPS):
        m = step // 2
        if step == 0:
            term = 1.0
        elif step % 2 == 0:
            term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        else:
            term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d = 1 / _safe(1 + term * d)
        c = _safe(1 + term / c)
        fraction *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return front * (fraction - 1) / a


def _safe(value: float) -> float:
    return value if abs(value) > TINY else TINY
