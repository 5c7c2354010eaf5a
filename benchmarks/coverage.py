"""How often intervals that claim to hold the truth in 95 % of experiments do so: thousands of simulated experiments.

    python benchmarks/coverage.py --json benchmarks/results/coverage.json

For each design of `coverage_designs.py` the intervals of `intervals/cluster_sums.py` are counted beside those of the
percentile bootstrap over tasks with Wilson's for single rates, which is what many evaluations report. `coverage` is the
share of the experiments whose interval holds the truth, `width` the mean width; both in %, or for `amount` in units of
the figure. `--part choose` takes the designs that the method's settings were chosen on; the others, with other seeds,
are the default and are what the docs show. Experiments without a figure (no fault was delivered) are left out.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from coverage_designs import Array, Blocks, DrawnSums, SimulatedDesign, designs, drawn
from results_file import OtherRows
from scipy import stats

from sealegs.intervals.cluster_sums import ClusterSums, decrease_interval, interval, paired_interval
from sealegs.intervals.independent_sets import independent_interval, levels_alike

SEEDS = {"choose": 1, "verify": 20261}
RESAMPLES = 2000
AT_ONCE = 250  # experiments, so that the arrays stay small
Z = 1.959963984540054
Ends = tuple[Array, Array]
Method = Callable[[SimulatedDesign, DrawnSums, DrawnSums | None], Ends]


def wilson(share: Array, n: Array | float) -> Ends:
    """Wilson's interval."""
    centre, scale = share + Z * Z / (2 * n), 1 + Z * Z / n
    spread = Z * np.sqrt(share * (1 - share) / n + Z * Z / (4 * n * n))
    return (centre - spread) / scale, (centre + spread) / scale


def resampled_figure(weights: Array, sums: DrawnSums, kind: str) -> Array:
    """The figure under each row of weights, of shape (experiments, resamples)."""
    shape = sums.top.shape[:2]
    tops, belows = (
        np.einsum("wk,eck->ecw", weights, side.reshape(*shape, -1), optimize=True) for side in (sums.top, sums.below)
    )
    ratios = np.divide(tops, belows, out=np.full(tops.shape, np.nan), where=belows > 0)
    part = np.array(sums.part)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a mean of nothing is nan, as it should be
        means = [np.nanmean(ratios[:, part == one], axis=1) for one in sorted(set(sums.part))]
    return np.mean(means, axis=0) * (1 if kind in ("calls", "efficiency") else 100)


def clustered_wilson(sums: DrawnSums) -> Ends:
    """Wilson's interval of one rate, with the cases divided by the design effect (Korn and Graubard 1998)."""
    hits, sizes = sums.top[:, 0, 0], sums.below[:, 0, 0]
    n, clusters = sizes.sum(axis=1), (sizes > 0).sum(axis=1)
    share = np.divide(hits.sum(axis=1), n, out=np.full(n.shape, np.nan), where=n > 0)
    with np.errstate(all="ignore"):
        spread = ((hits - share[:, None] * sizes) ** 2).sum(axis=1) * clusters / (clusters - 1) / n**2
        effect = np.maximum(1, spread / (share * (1 - share) / n))
        fewer = np.maximum(1, n / effect * (Z / stats.t.ppf(0.975, np.maximum(clusters - 1, 1))) ** 2)
    degenerate = (share == 0) | (share == 1) | (clusters == 1)
    cases = np.where(sizes.max(axis=1) <= 1, n, np.where(degenerate, clusters, fewer))
    low, high = wilson(share, np.maximum(np.nan_to_num(cases, nan=1.0), 1e-9))
    return 100 * low, 100 * high


def bootstrap(design: SimulatedDesign, one: DrawnSums, other: DrawnSums | None) -> Ends:
    """The percentile bootstrap over tasks (and runs); for one rate in one mode Wilson's interval over clusters."""
    if other is None and design.kind in ("rate", "exposed", "tied") and one.top.shape[1] == design.runs == 1:
        return clustered_wilson(one)
    draw = np.random.default_rng(0)
    tasks = draw.multinomial(design.tasks, np.full(design.tasks, 1 / design.tasks), size=RESAMPLES).astype(float)
    runs = draw.multinomial(design.runs, np.full(design.runs, 1 / design.runs), size=RESAMPLES)
    weights = (runs[:, :, None] * tasks[:, None, :]).reshape(RESAMPLES, -1)
    values = resampled_figure(weights, one, design.kind)
    whole = np.ones((1, weights.shape[1]))
    value = resampled_figure(whole, one, design.kind)[:, 0]
    if other is not None:
        if design.fresh:
            fresh = draw.multinomial(design.fresh, np.full(design.fresh, 1 / design.fresh), size=RESAMPLES)
            weights = fresh.astype(float)
        after = resampled_figure(weights, other, design.kind)
        values = 100 * (values - after) / values if design.relative else after - values
        value = resampled_figure(np.ones((1, other.top[0, 0].size)), other, design.kind)[:, 0] - value
    low, high = np.nanpercentile(values, [2.5, 97.5], axis=1)
    alike = (low == high) & (design.group != "amount")
    if other is None:
        counting = (one.below.sum(axis=(1, 2)) > 0).sum(axis=1)
        ends = wilson(value / 100, counting)
        return np.where(alike, 100 * ends[0], low), np.where(alike, 100 * ends[1], high)
    widened = wilson(np.zeros(len(value)), float(design.tasks))[1]
    return (
        np.where(alike, value - widened * (100 + value), low),
        np.where(alike, value + widened * (100 - value), high),
    )


def added(design: SimulatedDesign, drawn: DrawnSums, blocks: Blocks) -> ClusterSums:
    """What was drawn, as the package adds it up."""
    return ClusterSums(
        drawn.top,
        drawn.below,
        np.array(drawn.part),
        blocks,
        bounded=design.group != "amount",
        cases=design.kind in ("rate", "exposed", "tied"),
    )


def two_sets(design: SimulatedDesign, one: DrawnSums, other: DrawnSums) -> tuple[ClusterSums, ClusterSums]:
    """The sums of two sets of tasks, level by level alike."""
    levels = range(len(design.shares))
    counts = np.bincount(design.blocks, minlength=len(design.shares))
    mine, theirs = (
        [added(design, drawn.of(blocks == level), blocks[blocks == level] * 0) for level in levels]
        for drawn, blocks in ((one, design.blocks), (other, design.fresh_blocks))
    )
    return levels_alike(mine, theirs, counts.tolist())


def estimated(design: SimulatedDesign, one: DrawnSums, other: DrawnSums | None) -> Array:
    """The figure of each experiment, in % unless it is an amount; nan where there is none."""
    if other is None:
        value = added(design, one, design.blocks).value
    else:
        both = (
            two_sets(design, one, other)
            if design.fresh
            else [added(design, each, design.blocks) for each in (one, other)]
        )
        before, after = (sums.value for sums in both)
        with np.errstate(invalid="ignore", divide="ignore"):
            value = 1 - after / before if design.relative else after - before
    return value if design.group == "amount" else 100 * value


def ours(design: SimulatedDesign, one: DrawnSums, other: DrawnSums | None) -> Ends:
    """The intervals of this package."""
    if design.fresh and other is not None:
        low, high = independent_interval(*two_sets(design, one, other))
    elif other is None:
        low, high = interval(added(design, one, design.blocks))
    else:
        both = (added(design, one, design.blocks), added(design, other, design.blocks))
        low, high = (decrease_interval if design.relative else paired_interval)(*both)
    return (low, high) if design.group == "amount" else (100 * low, 100 * high)


SPARED = {"bootstrap": 4}  # it takes as much longer, so that it has one batch in so many
METHODS: dict[str, Method] = {"bootstrap": bootstrap, "sealegs": ours}


def covered(design: SimulatedDesign, count: int, seed: int, methods: dict[str, Method]) -> Iterator[dict[str, Any]]:
    """The rows of a design: coverage and width of each method."""
    held: dict[str, list[Array]] = {name: [] for name in methods}
    wide: dict[str, list[Array]] = {name: [] for name in methods}
    draw = np.random.default_rng([seed, *design.name.encode(), design.tasks])
    for batch in range(0, max(1, count // AT_ONCE)):
        one, other, truth = drawn(design, AT_ONCE, draw)
        for name, method in methods.items():
            if batch % SPARED.get(name, 1):
                continue
            low, high = method(design, one, other)
            known = ~np.isnan(low)
            held[name].append(((low <= truth + 1e-9) & (truth - 1e-9 <= high))[known])
            wide[name].append((high - low)[known])
    for name in methods:
        hits, widths = np.concatenate(held[name]), np.concatenate(wide[name])
        found, n = 100 * float(hits.mean()), len(hits)
        error = 100 * Z * float(np.sqrt(hits.mean() * (1 - hits.mean()) / n))
        head = {"suite": "coverage", "agent": name, "level": f"{design.tasks} tasks", "mode": design.name}
        ends = {"low": round(max(0.0, found - error), 2), "high": round(min(100.0, found + error), 2)}
        yield {**head, "metric": "coverage", "value": round(found, 2), **ends, "n": n}
        digits = 4 if design.group == "amount" else 2
        yield {
            **head,
            "metric": "width",
            "value": round(float(widths.mean()), digits),
            "low": None,
            "high": None,
            "n": n,
        }


def summary(rows: list[dict[str, Any]]) -> Iterator[str]:
    """The lowest, the median and the highest coverage, by group and number of tasks."""
    found: dict[tuple[str, str, str], list[tuple[float, str]]] = {}
    for row in rows:
        if row["metric"] == "coverage":
            key = row["agent"], row["mode"].partition(":")[0], row["level"]
            found.setdefault(key, []).append((row["value"], row["mode"]))
    for (agent, group, level), values in sorted(
        found.items(), key=lambda one: (one[0][1], int(one[0][2].split()[0]), one[0][0])
    ):
        ordered = sorted(values)
        median = float(np.median([value for value, _ in ordered]))
        yield (
            f"{group:18} {level:>9} {agent:10} {ordered[0][0]:6.1f} {median:6.1f} {ordered[-1][0]:6.1f}"
            f"  of {len(ordered):3}; lowest: {ordered[0][1]}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--json", type=Path, help="write the long table here; rows of what is not made now are kept")
    parser.add_argument("--part", choices=sorted(SEEDS), default="verify")
    parser.add_argument("--experiments", type=int, default=2000, help="of each design")
    parser.add_argument("--group", nargs="*", help="these groups of designs alone")
    parser.add_argument("--method", choices=sorted(METHODS), help="this one alone")
    arguments = parser.parse_args()
    methods = {name: method for name, method in METHODS.items() if arguments.method in (None, name)}
    rows: list[dict[str, Any]] = []
    began = time.process_time()
    for design in designs(arguments.part):
        if not arguments.group or design.group in arguments.group:
            rows += covered(design, arguments.experiments, SEEDS[arguments.part], methods)
    print("\n".join(summary(rows)))
    print(f"{len(rows) // (2 * len(methods))} designs, {time.process_time() - began:.0f} s of CPU")
    if arguments.json:
        made = {_key(row) for row in rows}
        some = arguments.group or arguments.method
        others = OtherRows.of(arguments.json, lambda row: not some or _key(row) in made)
        others.write_with(arguments.json, [*others.rows, *rows])


def _key(row: Mapping[str, Any]) -> tuple[str, str, str]:
    """Which method on which design a row is of."""
    return row["agent"], row["level"], row["mode"]


if __name__ == "__main__":
    main()
