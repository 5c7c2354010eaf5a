"""Intervals at 95 %: Wilson for a share of independent cases, a seeded cluster bootstrap for everything else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Z = 1.959963984540054  # the standard normal's 97.5 % point
RESAMPLES = 2000


def wilson(successes: float, n: int) -> tuple[float, float]:
    """Wilson's score interval of a share (Wilson 1927), each end in [0, 1]; (0, 1) where n is 0."""
    if n == 0:
        return 0.0, 1.0
    share = successes / n
    centre = share + Z * Z / (2 * n)
    spread = Z * float(np.sqrt(share * (1 - share) / n + Z * Z / (4 * n * n)))
    scale = 1 + Z * Z / n
    return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)


def cluster_bootstrap(
    statistic: Callable[[Array], Any], clusters: int, seed: int = 0, resamples: int = RESAMPLES
) -> tuple[float, float]:
    """Percentile interval of a statistic under resampling of whole clusters (Efron and Tibshirani 1993).

    Args:
        statistic: takes weights of shape (resamples, clusters), how often each cluster was drawn, and returns one value
            for each row.
        clusters: how many clusters there are.
        seed: of the resampling.
        resamples: how many rows.
    """
    if clusters == 0:
        return float("nan"), float("nan")
    generator = np.random.default_rng(seed)
    weights = generator.multinomial(clusters, np.full(clusters, 1 / clusters), size=resamples).astype(np.float64)
    values = np.asarray(statistic(weights), dtype=np.float64)
    values = values[~np.isnan(values)]
    if values.size == 0:
        return float("nan"), float("nan")
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)
