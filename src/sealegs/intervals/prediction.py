"""The interval of what is still to come, such as tokens and seconds of a run, by what was seen of it.

Only the standard library is needed, since a run that is about to start has no use for numpy.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist, mean, stdev


def predicted_sum(values: Sequence[float], more: int) -> tuple[float, float]:
    """The prediction interval at 95 % of the sum of so many further values (Student's, never below 0)."""
    count = len(values)
    # Variance of the new episodes' sum, plus that of the estimated mean, taken `more` times.
    half = student_ends(count - 1) * stdev(values) * math.sqrt(more + more**2 / count)
    middle = more * mean(values)
    return max(0.0, middle - half), middle + half


def student_ends(freedom: int) -> float:
    """The number of standard errors that Student's interval at 95 % spans, to 4 % (Abramowitz and Stegun, 26.7.5)."""
    z = NormalDist().inv_cdf(0.975)
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / freedom + second / freedom**2 + third / freedom**3
