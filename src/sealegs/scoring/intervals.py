"""Intervals at 95 %: Wilson for a share, of independent or of clustered cases, and a seeded cluster bootstrap."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Z = 1.959963984540054  # the standard normal's 97.5 % point
RESAMPLES = 2000


def wilson(successes: float, n: float) -> tuple[float, float]:
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
    values = _resampled(statistic, clusters, seed, resamples)
    if values.size == 0:
        return float("nan"), float("nan")
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)


def crossed_bootstrap(
    statistic: Callable[[Array], Any], runs: int, tasks: int, seed: int = 0, resamples: int = RESAMPLES
) -> tuple[float, float]:
    """Percentile interval where every task was done in every run: both are resampled, each for itself.

    This is the pigeonhole bootstrap (Owen 2007). With few runs it gives too small a spread between them, by
    (runs - 1) / runs at least.

    Args:
        statistic: as in `cluster_bootstrap`; its clusters are runs times tasks, the tasks of the first run first.
        runs, tasks: how many there are of each.
        seed: of the resampling.
        resamples: how many times.
    """
    generator = np.random.default_rng(seed)
    of_runs = generator.multinomial(runs, np.full(runs, 1 / runs), size=resamples)
    of_tasks = generator.multinomial(tasks, np.full(tasks, 1 / tasks), size=resamples)
    weights = (of_runs[:, :, None] * of_tasks[:, None, :]).reshape(resamples, runs * tasks).astype(np.float64)
    values = np.asarray(statistic(weights), dtype=np.float64)
    low, high = np.percentile(values[~np.isnan(values)], [2.5, 97.5])
    return float(low), float(high)


def bootstrap_error(
    statistic: Callable[[Array], Any], clusters: int, seed: int = 0, resamples: int = RESAMPLES
) -> float:
    """Standard error of a statistic under resampling of whole clusters; see `cluster_bootstrap`."""
    values = _resampled(statistic, clusters, seed, resamples)
    return float(values.std(ddof=1)) if values.size > 1 else float("nan")


def _resampled(statistic: Callable[[Array], Any], clusters: int, seed: int, resamples: int) -> Array:
    if clusters == 0:
        return np.empty(0)
    values = np.asarray(statistic(_weights(clusters, seed, resamples)), dtype=np.float64)
    found: Array = values[~np.isnan(values)]
    return found


@lru_cache(maxsize=4)  # a table is of many figures over the same few numbers of clusters
def _weights(clusters: int, seed: int, resamples: int) -> Array:
    generator = np.random.default_rng(seed)
    weights = generator.multinomial(clusters, np.full(clusters, 1 / clusters), size=resamples).astype(np.float64)
    weights.flags.writeable = False
    return weights


def clustered_wilson(hits: Sequence[int], sizes: Sequence[int]) -> tuple[float, float]:
    """Wilson's interval of a share over clusters of cases that may be alike, in the way of Korn and Graubard (1998).

    The number of cases is divided by the design effect, which the spread between clusters gives, and by
    (t / z) ** 2, because few clusters show that spread badly. Without spread (all cases alike, or one cluster)
    a cluster says no more than one case. Clusters of one case each are independent cases: Wilson's own interval.

    Args:
        hits: successes in each cluster.
        sizes: cases in each cluster, at least one.
    """
    n, k = sum(sizes), len(sizes)
    if all(size == 1 for size in sizes):
        return wilson(sum(hits), n)
    share = sum(hits) / n
    spread = sum((hit - share * size) ** 2 for hit, size in zip(hits, sizes, strict=True))
    if k == 1 or share in (0, 1):
        return wilson(share * k, k)
    variance = spread * k / (k - 1) / n**2
    effect = max(1.0, variance / (share * (1 - share) / n))
    effective = max(1.0, n / effect * (Z / student(k - 1)) ** 2)
    return wilson(share * effective, effective)


def student(freedom: int) -> float:
    """The 97.5 % point of Student's t; the expansion of Fisher and Cornish (1960) from four degrees of freedom on."""
    if freedom < 4:
        return (12.706, 4.303, 3.182)[freedom - 1]
    z, v = Z, freedom
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return float(z + sum(term / v**power for power, term in enumerate(terms, 1)))
