"""Intervals of means of ratios over clusters that the design counts by blocks: one method for each kind of figure.

Clusters (base tasks) are the independent cases; their numbers are fixed block by block (so many tasks of each level).
A figure is a mean of ratios of two sums over clusters; its variance is that of its linear part (Woodruff 1971), block
by block about the block's mean.

- **Between 0 and 1.** In each block the share has the binomial interval (`quantiles.binomial_ends`) of as many cases as
  its variance is worth, in the way of Korn and Graubard (1998): times (z / t) ** 2, because few clusters show their
  variance badly. A cluster is worth one case at least, and no episode of a share is worth more than one: without spread
  (all alike) there are as many cases as clusters. The blocks' ends are put together by their squared distances from the
  estimate (MOVER: Zou and Donner 2008), so that each block's own skewness counts. Where few clusters in all fail, or
  few succeed, blocks that are all alike add nothing on one side; there the interval is never narrower than that of one
  share of as many cases as the whole variance is worth. Where each cluster has one episode and counts alike, it is
  never narrower than Blaker's exact interval for 93 % (`exact_shares`).
- **Degrees of freedom** are Satterthwaite's (1946) over blocks. A variance that only a few clusters show says less
  than their number suggests, so a block has at most twice as many as it has clusters of the rarer kind (with a failure,
  or with a success).
- **Paired differences.** The difference is gains less losses of the clusters. Each is a share with an interval as
  above, and they are put together by squared distances with their correlation (Zou 2007). Where no cluster differs,
  neither a gain nor a loss is excluded that is as rare as the number of clusters says.
  They are made for 95 %, and far out they are too short for few clusters; `paired_tests` makes P values.
- **Relative decreases** have the ratio's interval from both ends (MOVER-R: Donner and Zou 2012).
- **Amounts** without an upper bound have Student's interval of their logarithm, and those that may be negative plain
  Student's; where all are alike, it has no width.
- **Several runs** of models that were trained alike are independent cases too: what they add to the variance beyond
  the tasks has an interval of its own, with runs - 1 degrees of freedom. What the clusters add to the variance of the
  runs is far better known than that itself, so that only z / t of it is taken off; with all of it taken off, runs that
  happen to be alike would seem to be certain.

How often the intervals hold the truth is measured by `benchmarks/coverage.py`. All arrays may have leading axes, of
many experiments of one design. Not in it: dependence between clusters, and clusters that weigh differently.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sealegs.intervals.exact_shares import counted_ends
from sealegs.intervals.quantiles import Array, binomial_ends, normal_point, student_point

Codes = NDArray[np.intp]
Ends = tuple[Array, Array]
RARE = 4  # clusters of the rarer kind over all blocks: with so few, the blocks' ends alone are not far enough out
SPARSE = 2.0  # degrees of freedom for each cluster of the rarer kind
MANY = 1e7  # cases: more than that make no difference
ROUNDING = 1e-12


@dataclass(frozen=True)
class ClusterSums:
    """The sums that make a figure.

    Attributes:
        top, below: above and below the line, of shape (..., ratios, runs, clusters).
        part: which part of the figure each ratio belongs to. A part is the mean of its ratios below whose line there is
            anything, and the figure the mean of its parts.
        block: of each cluster, from 0 on.
        bounded: whether the figure is between 0 and 1.
        cases: whether each episode adds 0 or 1 to both sums.
        portions: of the figure, that each ratio's part is; they may have leading axes. By default parts are alike.
    """

    top: Array
    below: Array
    part: Codes
    block: Codes
    bounded: bool = True
    cases: bool = False
    portions: Array | None = None

    @cached_property
    def weights(self) -> Array:
        """The weight of one below the line in the figure, of shape (..., ratios); nan where a part counts nothing."""
        whole = self.below.sum(axis=(-2, -1))
        there = whole > 0
        parts, place = np.unique(self.part, return_inverse=True)
        ratios = np.stack([there[..., self.part == one].sum(axis=-1) for one in parts], axis=-1)[..., place]
        portions = 1 / len(parts) if self.portions is None else self.portions
        known = np.all((ratios > 0) | (portions == 0), axis=-1, keepdims=True)
        each = portions / (np.maximum(ratios, 1) * np.where(there, whole, 1))
        # A part without anything below the line has no mean, so the figure has none either.
        return np.where(known, np.where(there, each, 0.0), np.nan)

    @cached_property
    def value(self) -> Array:
        """The figure, of shape (...); nan where a part counts nothing."""
        found: Array = (self.weights * self.top.sum(axis=(-2, -1))).sum(axis=-1)
        return found

    @cached_property
    def won(self) -> Array:
        """The amount that each cluster adds to the figure, of shape (..., clusters)."""
        found: Array = self._weighted(self.top).sum(axis=-2)
        return found

    @cached_property
    def mass(self) -> Array:
        """The weight of each cluster in the figure, of shape (..., clusters): its share of the sum below the line."""
        found: Array = self._weighted(self.below).sum(axis=-2)
        return found

    @cached_property
    def influence(self) -> Array:
        """The linear part of the figure, of shape (..., runs, clusters)."""
        tops, belows = (side.sum(axis=(-2, -1), keepdims=True) for side in (self.top, self.below))
        # `where` instead of a later mask: dividing by 0 would warn.
        ratio = np.divide(tops, belows, out=np.zeros(tops.shape), where=belows > 0)
        # Woodruff (1971): a ratio of sums varies as the sum of top - ratio * below does, divided by what is below the
        # line.
        return self._weighted(self.top - ratio * self.below)

    @property
    def blocks(self) -> int:
        """The number of blocks."""
        return int(self.block.max()) + 1

    def by_block(self, values: Array) -> Array:
        """The sums of what clusters have, block by block: of shape (..., blocks)."""
        return np.stack([values[..., self.block == one].sum(axis=-1) for one in range(self.blocks)], axis=-1)

    def spread(self, values: Array, others: Array | None = None) -> Array:
        """The sums of the products of what clusters have, each less its block's mean: of shape (..., blocks)."""
        return self.by_block(self._centred(values) * self._centred(values if others is None else others))

    def _centred(self, values: Array) -> Array:
        members = np.maximum(self.by_block(np.ones(self.block.shape)), 1)
        centred: Array = values - (self.by_block(values) / members)[..., self.block]
        return centred

    def _weighted(self, values: Array) -> Array:
        found: Array = (self.weights[..., None, None] * values).sum(axis=-3)
        return found


def variance(sums: ClusterSums) -> Array:
    """The variance of the figure, over clusters and, where there are several, over runs."""
    _, of_clusters = _block_variances(sums, sums.influence.sum(axis=-2))
    found: Array = of_clusters.sum(axis=-1) + _of_runs(sums)
    return found


def interval(sums: ClusterSums, confidence: float = 0.95) -> Ends:
    """The ends of the figure's interval; nan where there is no figure."""
    with np.errstate(invalid="ignore"):  # no figure is nan, and so are its ends
        return _bounded(sums, confidence) if sums.bounded else _amount(sums, confidence)


def _bounded(sums: ClusterSums, confidence: float) -> Ends:
    z, value, width = normal_point(confidence), sums.value, sums.by_block(sums.mass)
    raw, whole = _block_variances(sums, sums.influence.sum(axis=-2))
    if sums.cases:
        # No episode of a share is worth more than one case (see above).
        whole = np.where(raw > 0, np.maximum(whole, _independent(sums)), whole)
    # Against rounding: a cluster without a failure differs from its mass by some last digits.
    failing = sums.by_block(_true(sums.mass - sums.won > 1e-9 * sums.mass))
    winning = sums.by_block(_true(sums.won > 1e-9 * sums.mass))
    # A variance shown by few clusters of the rarer kind is itself badly known (see above).
    freedom = np.minimum(_counting(sums) - 1, SPARSE * np.minimum(failing, winning))
    factor = (z / student_point(_satterthwaite(whole, freedom), confidence)) ** 2
    share = _clipped(sums.by_block(sums.won), width)
    low, high = _share_ends(share, _Worth(width, raw, whole, _cases(sums, sums.mass), factor), confidence)
    # MOVER: squared distances from the estimate to the ends add up as variances would, on each side by itself.
    down, up = (_squares(width, ends) for ends in (share - low, high - share))
    runs = sums.influence.shape[-2]
    if runs > 1:
        extra = _of_runs(sums, z / float(student_point(runs - 1.0, confidence)))
        # So many cases of one share would vary as much, fewer by Korn and Graubard's factor.
        worth = _over(value * (1 - value), extra, MANY) * (z / float(student_point(runs - 1.0, confidence))) ** 2
        # Above 0, since the binomial interval has no meaning without cases.
        worth = np.clip(np.nan_to_num(worth), 1e-9, MANY)
        low, high = binomial_ends(np.nan_to_num(value) * worth, worth, confidence)
        down = down + np.where(extra > 0, (value - low) ** 2, 0)
        up = up + np.where(extra > 0, (high - value) ** 2, 0)
    rarer = np.minimum(failing.sum(axis=-1), winning.sum(axis=-1))
    scarce = (rarer <= RARE) & (sums.blocks > 1)
    least, most = _pooled_ends(value, np.where(scarce, raw.sum(axis=-1), 0.0), confidence)
    if sums.cases:
        under, over = counted_ends(sums.top, sums.below, sums.mass, whole.sum(axis=-1), confidence)
        least, most = np.fmin(least, under), np.fmax(most, over)
    return np.minimum(least, np.maximum(0, value - np.sqrt(down))), np.maximum(most, np.minimum(1, value + np.sqrt(up)))


def _pooled_ends(value: Array, raw: Array, confidence: float) -> Ends:
    """The ends of the figure as one share of as many cases as its variance is worth; the figure where that is 0."""
    unit = value * (1 - value)
    seen = (raw > ROUNDING * unit) & (unit > 0)
    if not seen.any():
        return value, value
    n = np.clip(np.nan_to_num(_over(unit, np.where(seen, raw, 0.0), 0.0)), 0, MANY)
    low, high = binomial_ends(np.nan_to_num(value) * n, n, confidence)
    return np.where(seen, low, value), np.where(seen, high, value)


def _amount(sums: ClusterSums, confidence: float) -> Ends:
    _, whole = _block_variances(sums, sums.influence.sum(axis=-2))
    runs = sums.influence.shape[-2]
    half = student_point(_satterthwaite(whole, _counting(sums) - 1), confidence) ** 2 * whole.sum(axis=-1)
    if runs > 1:
        point = float(student_point(runs - 1.0, confidence))
        half = half + point**2 * _of_runs(sums, normal_point(confidence) / point)
    value, half = sums.value, np.sqrt(half)
    signed = (sums.top < 0).any(axis=(-3, -2, -1))  # such an amount has no logarithm
    # The delta method: half / value is half the width of the logarithm's interval.
    ratio = np.exp(_over(half, value, 0.0))
    return np.where(signed, value - half, value / ratio), np.where(signed, value + half, value * ratio)


def paired_interval(one: ClusterSums, other: ClusterSums, confidence: float = 0.95) -> Ends:
    """The ends of the interval of how much higher the figure is in another sample of the same clusters."""
    with np.errstate(invalid="ignore"):
        change, mass = paired_change(one, other), (one.mass + other.mass) / 2
        width = one.by_block(mass)
        _, whole = _block_variances(one, change, mass)
        moved = one.by_block(_true(np.abs(change) > 1e-9 * mass))
        freedom = np.minimum(_counting(one, mass) - 1, SPARSE * moved)
        point = student_point(_satterthwaite(whole, freedom), confidence)
        factor, cases = (normal_point(confidence) / point) ** 2, _cases(one, mass)

        def side(values: Array) -> tuple[Array, Array, Array]:
            raw, spread = _block_variances(one, values, mass)
            share = _clipped(one.by_block(values), width)
            low, high = _share_ends(share, _Worth(width, raw, spread, cases, factor), confidence)
            return share - low, high - share, raw

        gains, losses = np.maximum(change, 0), np.maximum(-change, 0)
        (fewer, more, gained), (less, worse, lost) = side(gains), side(losses)
        # The correlation of gains and losses over clusters: a cluster that gains does not lose, so that it is mostly
        # below 0.
        alike = _over(one.spread(gains, losses), np.sqrt(gained * lost), 0.0)
        # Zou (2007): the variance of a difference, with the distances to the ends in place of standard errors.
        down = fewer**2 - 2 * alike * fewer * worse + worse**2
        up = more**2 - 2 * alike * more * less + less**2
        value = other.value - one.value
        low, high = (np.sqrt(_squares(width, np.sqrt(np.maximum(end, 0)))) for end in (down, up))
        return np.maximum(-1, value - low), np.minimum(1, value + high)


def decrease_interval(one: ClusterSums, other: ClusterSums, confidence: float = 0.95) -> Ends:
    """The ends of the interval of how much lower the figure is in another sample, as a share of the first figure.

    By formula 9 of Donner and Zou (2012) for the ratio of both figures; the lower end is -inf where the first figure
    may be 0.
    """
    (low, high), (under, over) = interval(one, confidence), interval(other, confidence)
    first, second = one.value, other.value
    mine, theirs = one.influence.sum(axis=-2), other.influence.sum(axis=-2)
    both = np.sqrt(one.spread(mine).sum(axis=-1) * one.spread(theirs).sum(axis=-1))
    with np.errstate(invalid="ignore", divide="ignore"):
        alike = _over(one.spread(mine, theirs).sum(axis=-1), both, 0.0)

        def ratio(end: Array, against: Array, sign: float) -> Array:
            """An end of second / first, from that end of the second figure and the opposite one of the first."""
            shared = first * second + alike * (end - second) * (against - first)
            inner = shared**2 - end * against * (2 * second - end) * (2 * first - against)
            found: Array = (shared + sign * np.sqrt(np.maximum(0, inner))) / (against * (2 * first - against))
            return found

        least = np.where(second > 0, ratio(under, high, -1.0), 0.0)
        # If the first figure may be 0, the ratio has no upper end.
        most = np.where(low * (2 * first - low) > 0, ratio(over, low, 1.0), np.inf)
        return np.where(np.isnan(first), np.nan, 1 - most), np.where(np.isnan(first), np.nan, 1 - np.maximum(0, least))


def paired_change(one: ClusterSums, other: ClusterSums) -> Array:
    """The amount that each cluster adds to the difference of two figures, of shape (..., clusters).

    The part that both samples have in common is taken off, which changes no sum: a cluster that counts in one sample
    alone has then gained or lost only what it is above or below the rest.
    """
    both = (one, other)
    wholes = [sums.below.sum(axis=(-2, -1)) for sums in both]
    if wholes[0].shape == wholes[1].shape:
        tops = [sums.top.sum(axis=(-2, -1)) for sums in both]
        pooled = _over(tops[0] + tops[1], wholes[0] + wholes[1], 0.0)
        # Only if a ratio weighs the same in both samples does the pooled mean leave the difference as it is.
        same = np.isclose(one.weights * wholes[0], other.weights * wholes[1]).all(axis=-1, keepdims=True)
        taken = [np.where(same, pooled, _part_means(sums, both)) for sums in both]
    else:
        taken = [_part_means(sums, both) for sums in both]
    before, after = (
        (sums.weights[..., None, None] * (sums.top - off[..., None, None] * sums.below)).sum(axis=-3).sum(axis=-2)
        for sums, off in zip(both, taken, strict=True)
    )
    change: Array = after - before
    return change


def _part_means(sums: ClusterSums, both: tuple[ClusterSums, ClusterSums]) -> Array:
    """The mean of each ratio's part over two samples."""
    found = np.zeros(sums.weights.shape)
    for part in np.unique(sums.part):
        shares = [(one.weights * one.top.sum(axis=(-2, -1)))[..., one.part == part].sum(axis=-1) for one in both]
        found[..., sums.part == part] = (len(np.unique(sums.part)) * (shares[0] + shares[1]) / 2)[..., None]
    return found


@dataclass(frozen=True)
class _Worth:
    """The weight, the variance and the number of cases of each block.

    Attributes:
        width: the block's share of the figure.
        raw, whole: its variance as it is seen, and as it is estimated.
        cases: its clusters, as if they counted alike.
        factor: by how much fewer cases there are because the variance is estimated; one for all blocks.
    """

    width: Array
    raw: Array
    whole: Array
    cases: Array
    factor: Array


def _share_ends(share: Array, worth: _Worth, confidence: float) -> Ends:
    """The ends of each block's share."""
    unit = worth.width**2 * share * (1 - share)
    seen = worth.raw > ROUNDING * unit
    plain = _over(unit, np.where(seen, worth.raw, 0.0), np.inf)
    estimated = _over(unit, np.where(seen, worth.whole, 0.0), 0.0) * worth.factor[..., None]
    n = np.where(unit > 0, np.maximum(np.minimum(worth.cases, plain), estimated), worth.cases)
    n = np.clip(np.nan_to_num(n), 0, MANY)
    return binomial_ends(np.nan_to_num(share) * n, n, confidence)


def _block_variances(sums: ClusterSums, values: Array, mass: Array | None = None) -> Ends:
    """The variance of a sum over clusters, block by block, without and with the correction for their number."""
    count, raw = _counting(sums, mass), sums.spread(values)
    # Bessel's correction, over the clusters that count at all.
    return raw, raw * np.where(count > 1, count / np.maximum(count - 1, 1), 0.0)


def _independent(sums: ClusterSums) -> Array:
    """The variance that the figure would have if all its episodes were independent, block by block."""
    top, below = (sums.by_block(side.sum(axis=-2)) for side in (sums.top, sums.below))
    share = _over(top, below, 0.0)
    found: Array = (sums.weights[..., None] ** 2 * below * share * (1 - share)).sum(axis=-2)
    return found


def _of_runs(sums: ClusterSums, less: float = 1.0) -> Array:
    """The variance that several runs add to that of the clusters in one of them.

    Args:
        sums: of the runs.
        less: the share that is taken off of the clusters' part in the runs' own variance.
    """
    own, runs = sums.influence, sums.influence.shape[-2]
    if runs == 1:
        return np.zeros(own.shape[:-2])
    whole = runs / (runs - 1) * _squares(1.0, own.sum(axis=-1) - own.sum(axis=(-2, -1))[..., None] / runs)
    # The clusters' variance already contains the interaction of runs and clusters.
    rest = own - own.mean(axis=-2, keepdims=True) - own.mean(axis=-1, keepdims=True)
    # An estimate of a variance component can come out negative.
    beyond: Array = np.maximum(0, whole - less * (rest**2).sum(axis=(-2, -1)))
    return beyond


def _counting(sums: ClusterSums, mass: Array | None = None) -> Array:
    return sums.by_block(_true((sums.mass if mass is None else mass) > 0))


def _true(holds: NDArray[np.bool_]) -> Array:
    return holds.astype(np.float64)


def _cases(sums: ClusterSums, mass: Array) -> Array:
    """The number of clusters of equal size that those of each block count for (Kish 1965)."""
    return _over(sums.by_block(mass) ** 2, sums.by_block(mass**2), 0.0)


def _satterthwaite(variances: Array, freedom: Array) -> Array:
    """The degrees of freedom of a sum of variances; blocks without any are left out."""
    below = np.where(freedom > 0, variances**2 / np.where(freedom > 0, freedom, 1), 0).sum(axis=-1)
    return np.clip(np.nan_to_num(_over(variances.sum(axis=-1) ** 2, below, MANY), nan=MANY), 1, MANY)


def _clipped(part: Array, whole: Array) -> Array:
    return np.clip(_over(part, whole, 0.0), 0, 1)


def _squares(factor: Array | float, distances: Array) -> Array:
    found: Array = ((factor * distances) ** 2).sum(axis=-1)
    return found


def _over(top: Array, below: Array, otherwise: float) -> Array:
    return np.where(below > 0, top / np.where(below > 0, below, 1), otherwise)
