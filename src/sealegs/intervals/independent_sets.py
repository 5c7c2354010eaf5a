"""Two independent samples of clusters whose figures count level by level alike: their sums, and their difference.

The levels are parts of the figure (`ClusterSums.portions`) and blocks of the design at once. So either figure has the
interval that any other one has, and the difference has that of independent figures. Where clusters win or lose as a
whole, the P value is held to an exact test: of one level, and of several that have few tables together, to one that
errs as rarely as it says whatever the shares are (Boschloo 1970); of more tables, to one that does so but for the
correction of its discreteness.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import product
from math import comb, pi, prod
from typing import Any

import numpy as np

from sealegs.intervals.cluster_sums import ROUNDING, ClusterSums, Ends, interval
from sealegs.intervals.paired_tests import interval_p
from sealegs.intervals.quantiles import Array, binomial_ends

DISTRIBUTION = 200_000  # possible differences, up to which they are gone through
SHARES = 200  # at which the error rate of one block's test is worked out; more of them change it by less than 1e-4
GRID = 4_000_000  # combinations of shares of several blocks at which that is done
TABLES = 250_000  # of several blocks together, up to which their error rate is worked out, in two seconds for a design
LARGEST = 1000  # clusters of a block; with more, the exact numbers take seconds and say what the interval says
Block = tuple[int, int, float]  # the cases of both shares, and how much their difference counts


def levels_alike(
    one: Sequence[ClusterSums], other: Sequence[ClusterSums], tasks: Sequence[float]
) -> tuple[ClusterSums, ClusterSums]:
    """The sums of all levels of both samples, in which a level is as much of the figure as it has tasks.

    A level that has no figure in one of the samples counts in neither; if none counts, the figures are nan.

    Args:
        one, other: each sample's levels, in one order; they may have leading axes.
        tasks: how many each level counts for.
    """
    known = ~np.isnan([mine.value + theirs.value for mine, theirs in zip(one, other, strict=True)])
    counted = np.moveaxis(known, 0, -1) * np.asarray(tasks, dtype=np.float64)
    whole = counted.sum(axis=-1, keepdims=True)
    portions = np.divide(counted, whole, out=np.full(counted.shape, np.nan), where=whole > 0)
    return _together(one, portions), _together(other, portions)


def _together(levels: Sequence[ClusterSums], portions: Array) -> ClusterSums:
    """One sample's sums: every level has its own ratios, clusters, parts and blocks."""
    shape = levels[0].top.shape[:-3]
    runs = max(sums.top.shape[-2] for sums in levels)
    ratios, clusters = (sum(sums.top.shape[axis] for sums in levels) for axis in (-3, -1))
    top, below = (np.zeros((*shape, ratios, runs, clusters)) for _ in range(2))
    parts, blocks, weights = [], [], []
    row = column = 0
    for nth, sums in enumerate(levels):
        # Rows and columns of its own for each level: the clusters of one never count for the ratio of another.
        place = np.s_[..., row : row + sums.top.shape[-3], : sums.top.shape[-2], column : column + sums.top.shape[-1]]
        top[place], below[place] = sums.top, sums.below
        row, column = row + sums.top.shape[-3], column + sums.top.shape[-1]
        own = int(sums.part.max()) + 1
        parts.append(sums.part + sum(int(one.part.max()) + 1 for one in levels[:nth]))
        blocks.append(sums.block + sum(one.blocks for one in levels[:nth]))
        weights.append(np.repeat(portions[..., nth : nth + 1] / own, sums.top.shape[-3], axis=-1))
    part, block = np.concatenate(parts), np.concatenate(blocks)
    return replace(levels[0], top=top, below=below, part=part, block=block, portions=np.concatenate(weights, axis=-1))


def independent_interval(one: ClusterSums, other: ClusterSums, confidence: float = 0.95) -> Ends:
    """The ends of the interval of how much higher the figure is in an independent sample.

    By both figures' intervals, put together by the squared distances of their ends (Newcombe 1998, method 10; MOVER:
    Zou and Donner 2008).
    """
    (low, high), (under, over) = _ends(one, confidence), _ends(other, confidence)
    value = other.value - one.value
    down = np.sqrt((other.value - under) ** 2 + (high - one.value) ** 2)
    up = np.sqrt((over - other.value) ** 2 + (one.value - low) ** 2)
    if not one.bounded:
        return value - down, value + up
    return np.maximum(-1, value - down), np.minimum(1, value + up)


def independent_p(one: ClusterSums, other: ClusterSums) -> float:
    """The P value of the test that two independent figures are equal.

    It is the least error rate at which their interval leaves out 0, and never less than `exchange_p`, so that the
    interval of few clusters may leave out 0 where the test sees no difference.

    Args:
        one, other: of one experiment each, without leading axes.
    """
    change = float(other.value - one.value)
    if not abs(change) > ROUNDING:
        return 1.0
    return max(interval_p(change, partial(independent_interval, one, other)), exchange_p(one, other))


def exchange_p(one: ClusterSums, other: ClusterSums) -> float:
    """The mid-P value of the exact test that, block by block, chance says which clusters are in which sample.

    For one block it is Fisher's (1935), for several its stratified form (Agresti 1992): given how many clusters of a
    block win in all, those of one sample have a hypergeometric distribution. What is as far from 0 as what was seen
    is counted half (Lancaster 1961), as in the intervals; counted whole, the test of ten clusters against ten errs in
    1.3 % of experiments at most, where 5 % are allowed. Counted half, that of ten against four errs in 7.5 %, so
    that the value is never less than `exchange_error` either, where the blocks are one, or have few tables together.

    Returns:
        0, which says nothing, where clusters win in part, or weigh differently within a block, or where there are too
        many clusters or possible differences.
    """
    sides = [_all_or_nothing(sums) for sums in (one, other)]
    values: Array = np.zeros(1)
    chances: Array = np.ones(1)
    for (n, won, width), (m, gained, mass) in zip(*sides, strict=True):
        if np.isnan(won + gained) or abs(width - mass) > ROUNDING:
            return 0.0
        if not width:
            continue
        whole = int(won + gained)
        theirs = np.arange(max(0, whole - int(n)), min(int(m), whole) + 1)
        if len(values) * len(theirs) > DISTRIBUTION or n + m > LARGEST:
            return 0.0
        ways = [comb(int(m), int(each)) * comb(int(n), whole - int(each)) for each in theirs]
        own = np.array([each / comb(int(n + m), whole) for each in ways])
        sums = (values[:, None] + width * (theirs / m - (whole - theirs) / n)).ravel()
        # Differences that are one but for the error of the arithmetic are merged, or their number would multiply with
        # each block.
        values, place = np.unique(np.round(sums, 9), return_inverse=True)
        chances = np.bincount(place.ravel(), (chances[:, None] * own).ravel()).astype(np.float64)
    # Rounding above moved the sums a little: what is this close to the observed difference counts as equal to it.
    beyond = np.abs(values) - abs(float(other.value - one.value))
    found = float(chances[beyond > 1e-7].sum() + chances[np.abs(beyond) <= 1e-7].sum() / 2)
    blocks = [(int(n), int(m), width) for (n, _, width), (m, _, _) in zip(*sides, strict=True) if width]
    few = len(blocks) == 1 or prod((n + 1) * (m + 1) for n, m, _ in blocks) <= TABLES
    return max(found, exchange_error(blocks, found)) if few else found


def exchange_error(blocks: Sequence[Block], level: float) -> float:
    """The greatest probability that shares that are equal in each block have a mid-P value of at most this level.

    It is sought over the shares of all blocks, each free of the others (Boschloo 1970, for one block). With failures
    for successes, all tables keep their values, so shares above 0.5 say nothing new of the first block. Shares are
    evenly spaced on the scale on which a share's standard error is the same everywhere (Anscombe 1948).

    Args:
        blocks: in which the shares are compared.
        level: of the mid-P value.
    """
    steps = min(SHARES, int((GRID / 2 ** (len(blocks) - 1)) ** (1 / len(blocks))))
    # Rounding: the value of a table on the level itself is to count.
    found = (_exchange_values(tuple(blocks)) <= level + 1e-9).astype(np.float64)
    for nth, (n, m, _) in enumerate(blocks):
        reach = np.linspace(0, pi / 4, steps + 1) if nth == 0 else np.linspace(0, pi / 2, 2 * steps + 1)
        mine, theirs = (_hit_chances(size, reach) for size in (n, m))
        # This block's two axes become one of its shares, behind those of the other blocks.
        found = np.einsum("sj,sj...->...s", theirs, np.tensordot(mine, found, axes=1))
    return float(found.max())


def _hit_chances(n: int, reach: Array) -> Array:
    """The probability of each number of hits of n, at each share sin(reach) ** 2: of shape (reach, n + 1)."""
    hits, given = np.arange(n + 1), reach[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):  # where a share is 0 or 1
        won = np.where(hits > 0, 2 * hits * np.log(np.sin(given)), 0.0)
        lost = np.where(hits < n, 2 * (n - hits) * np.log(np.cos(given)), 0.0)
    found: Array = np.exp(_ways(n) + won + lost)
    return found


@lru_cache(maxsize=32)
def _exchange_values(blocks: tuple[Block, ...]) -> Array:
    """The mid-P value of all tables: an axis for the hits of either share of each block."""
    found = np.ones([size + 1 for n, m, _ in blocks for size in (n, m)])
    every = [[_same_margin(*block, whole) for whole in range(block[0] + block[1] + 1)] for block in blocks]
    for margins in product(*every):
        values: Array = np.zeros(())
        chances: Array = np.ones(())
        places: list[Any] = []
        for nth, (hits, others, apart, own) in enumerate(margins):
            values, chances = values[..., None] + apart, chances[..., None] * own
            shape = [-1 if nth == axis else 1 for axis in range(len(blocks))]
            places += [hits.reshape(shape), others.reshape(shape)]
        _, place = np.unique(np.round(np.abs(values), 9), return_inverse=True)
        place = place.reshape(values.shape)
        alike = np.bincount(place.ravel(), chances.ravel())
        found[tuple(places)] = (np.cumsum(alike[::-1])[::-1] - alike / 2)[place]
    return found


def _same_margin(n: int, m: int, width: float, whole: int) -> tuple[Any, Any, Array, Array]:
    """A block's tables with so many hits in all: the hits of both shares, their weighted differences, their chances."""
    theirs = np.arange(max(0, whole - n), min(m, whole) + 1)
    chances = np.exp(_ways(m)[theirs] + _ways(n)[whole - theirs] - _ways(n + m)[whole])
    return whole - theirs, theirs, width * (theirs / m - (whole - theirs) / n), chances


@lru_cache(maxsize=64)
def _ways(n: int) -> Array:
    """The logarithms of the binomial coefficients of n."""
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])
    found: Array = logs[-1] - logs - logs[::-1]
    return found


def _all_or_nothing(sums: ClusterSums) -> list[tuple[float, float, float]]:
    """The clusters of each block, those that win, and the block's mass; nan won where that is not whole clusters."""
    found = []
    for block in range(sums.blocks):
        mass, won = (values[sums.block == block] for values in (sums.mass, sums.won))
        mass, won = mass[mass > 0], won[mass > 0]
        whole = np.minimum(np.abs(won), np.abs(mass - won)) < 1e-9
        # With clusters of different mass it would matter which of them win, and not only how many.
        plain = bool(whole.all()) and (not len(mass) or float(np.ptp(mass)) < 1e-9)
        found.append((float(len(mass)), float((won > mass / 2).sum()) if plain else np.nan, float(mass.sum())))
    return found


def _ends(sums: ClusterSums, confidence: float) -> Ends:
    """The ends of a figure's interval, wide enough for a difference also where no block has two clusters.

    Then nothing shows how alike the clusters of a block are, and the interval is not narrower than that of one share of
    as many cases as there are clusters.
    """
    low, high = interval(sums, confidence)
    if not sums.bounded:
        return low, high
    alone = (sums.by_block((sums.mass > 0).astype(np.float64)) < 2).all(axis=-1) & ~np.isnan(sums.value)
    share = np.nan_to_num(sums.value)
    squares = np.where(alone, (sums.mass**2).sum(axis=-1), 1.0)
    cases = np.where(alone, 1 / squares, 0.0)  # of equal size (Kish 1965), since the masses add up to 1
    least, most = binomial_ends(share * cases, cases, confidence)
    return np.where(alone, np.minimum(low, least), low), np.where(alone, np.maximum(high, most), high)
