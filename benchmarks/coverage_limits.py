"""Why intervals hold the truth too often: what coverage any interval could have there, and what other methods would.

    python benchmarks/coverage_limits.py --json benchmarks/results/coverage_limits.json

`nearest` is, for each design from 10 tasks on that `coverage.json` has above 97 %, the coverage nearest to 95 % that an
interval can have. An interval that depends on the estimate alone, and moves with it, holds the truth exactly if the
estimate lies in one run of its possible values, around the truth; so every such run's probability is tried. The
estimate's distribution is enumerated for a rate in one mode (beta-binomial tasks, added up), and drawn 20,000 times
else, which is right to 0.2 points.

`cause` says of each of them why its intervals are not shorter (`coverage_causes.py`): the coverage that decides it, and
`shorter` the factor by which they would have to be shorter.

`exact` is, for one rate of independent cases, the coverage of methods for a share, enumerated: at the shares of the
designs, and the lowest and the mean over 2,001 shares from 0.01 to 0.99.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from coverage import estimated
from coverage_causes import AGAIN, cause
from coverage_designs import SINGLE, Array, SimulatedDesign, designs, drawn
from numpy.typing import NDArray
from results_file import ROOT, write_results
from scipy import stats

from sealegs.intervals.exact_shares import share_ends
from sealegs.intervals.quantiles import binomial_ends

FROM, ABOVE = 10, 97.0
GOAL = (93.0, 97.0)
DRAWS, AT_ONCE = 20_000, 500
SIZES = (10, 20, 40, 100, 400)
GRID = np.linspace(0.01, 0.99, 2001)
Z = 1.959963984540054
Ends = tuple[Array, Array]


def nearest_coverage(values: Array, chances: Array, truth: float) -> float:
    """The coverage nearest to 95 % of all runs of possible estimates around the truth, in %."""
    order = np.argsort(values)
    values, chances = values[order], chances[order]
    first = np.searchsorted(values, truth - 1e-9)
    last = np.searchsorted(values, truth + 1e-9, side="right")  # from here on, above the truth
    below = np.concatenate([[0.0], np.cumsum(chances)])
    # A run from `start` to `end` holds the estimates that are the truth itself, or goes up to its neighbours.
    starts = below[: first + 1]
    ends = below[last:]
    right = np.searchsorted(ends, starts + 0.95)
    found = [ends[np.clip(right + off, 0, len(ends) - 1)] - starts for off in (-1, 0)]
    every = np.concatenate(found)
    return float(100 * every[np.argmin(np.abs(every - 0.95))])


def enumerated(design: SimulatedDesign) -> tuple[Array, Array] | None:
    """The possible estimates of a rate in one mode, and their probabilities; None for another figure."""
    if design.kind != "rate" or design.other or len(design.modes) > 1 or design.runs > 1:
        return None
    total = np.ones(1)
    for block in design.blocks:
        share, hits = design.shares[block], np.arange(design.epochs + 1)
        if design.epochs == 1 or design.alike == 0:
            own = stats.binom.pmf(hits, design.epochs, share)
        else:
            scale = 1 / design.alike - 1
            own = stats.betabinom.pmf(hits, design.epochs, share * scale, (1 - share) * scale)
        total = np.convolve(total, own)
    return 100 * np.arange(len(total)) / (len(total) - 1), total


def sampled(design: SimulatedDesign) -> tuple[Array, Array, float]:
    """The estimates that were drawn, how often each, and the truth."""
    draw = np.random.default_rng([17, *design.name.encode(), design.tasks])
    found: list[Array] = []
    truth = 0.0
    for _ in range(DRAWS // AT_ONCE):
        one, other, truth = drawn(design, AT_ONCE, draw)
        found.append(estimated(design, one, other))
    every = np.concatenate(found)
    values, counts = np.unique(np.round(every[np.isfinite(every)], 7), return_counts=True)
    return values, counts / counts.sum(), truth


def limits(names: set[tuple[str, str]]) -> Iterator[dict[str, Any]]:
    """For each of these designs, the nearest coverage that can be had."""
    for design in designs("verify"):
        if (design.name, f"{design.tasks} tasks") not in names:
            continue
        exact = enumerated(design)
        if exact is None:
            values, chances, truth = sampled(design)
        else:
            (values, chances), truth = exact, 100 * float(np.mean(np.array(design.shares)[design.blocks]))
        value = round(nearest_coverage(values, chances, truth), 2)
        head = {"suite": "coverage limits", "agent": "drawn" if exact is None else "enumerated"}
        place = {"level": f"{design.tasks} tasks", "mode": design.name, "metric": "nearest"}
        yield {**head, **place, "value": value, "low": None, "high": None, "n": DRAWS if exact is None else 1}
        found = cause(design, value)
        place |= {"agent": found.name, "where": found.where}
        for metric, figure in (("cause", found.value), ("shorter", found.factor)):
            yield {**head, **place, "metric": metric, "value": round(figure, 3), "low": None, "high": None, "n": AGAIN}


def too_often() -> set[tuple[str, str]]:
    """The designs whose intervals hold the truth too often, by name and size."""
    rows = json.loads((ROOT / "benchmarks/results/coverage.json").read_text("utf-8"))["rows"]
    own = [row for row in rows if row["agent"] == "sealegs" and row["metric"] == "coverage"]
    return {(row["mode"], row["level"]) for row in own if row["value"] > ABOVE and int(row["level"].split()[0]) >= FROM}


def jeffreys(hits: Array, n: int) -> Ends:
    """Equal tails of the beta posterior, 0 and n kept at the bounds (Brown, Cai and DasGupta 2001)."""
    low = np.where(hits == 0, 0.0, stats.beta.ppf(0.025, hits + 0.5, n - hits + 0.5))
    return low, np.where(hits == n, 1.0, stats.beta.ppf(0.975, hits + 0.5, n - hits + 0.5))


def proportion(method: str, hits: Array, n: int) -> Ends:
    """By scipy's own methods."""
    found = [stats.binomtest(int(one), n).proportion_ci(method=method) for one in hits]
    return np.array([one.low for one in found]), np.array([one.high for one in found])


def agresti_coull(hits: Array, n: int) -> Ends:
    """Wald's interval with z ** 2 more cases, half of them successes (Agresti and Coull 1998)."""
    size = n + Z * Z
    share = (hits + Z * Z / 2) / size
    half = Z * np.sqrt(share * (1 - share) / size)
    return share - half, share + half


def blaker_held(n: int, share: float) -> NDArray[np.bool_]:
    """Whether Blaker's interval (2000) of each number of hits holds the share: if its acceptability is above 5 %."""
    hits = np.arange(n + 1)
    chances = stats.binom.pmf(hits, n, share)
    tails = np.minimum(np.cumsum(chances), np.cumsum(chances[::-1])[::-1])
    found: NDArray[np.bool_] = np.array([chances[tails <= own * (1 + 1e-9)].sum() for own in tails]) > 0.05
    return found


METHODS: dict[str, Callable[[Array, int], Ends]] = {
    "mid-P with Blaker's for 93 % (ours)": lambda hits, n: share_ends(hits, np.full(len(hits), float(n))),
    "mid-P": lambda hits, n: binomial_ends(hits, np.full(len(hits), float(n))),
    "Jeffreys": jeffreys,
    "Wilson": partial(proportion, "wilson"),
    "Agresti-Coull": agresti_coull,
    "Clopper-Pearson": partial(proportion, "exact"),
}


def exact(n: int) -> Iterator[dict[str, Any]]:
    """The exact coverage of each method for a share of n independent cases."""
    hits = np.arange(n + 1, dtype=float)
    shares = [*SINGLE["verify"], *GRID.tolist()]
    held = {}
    for name, method in METHODS.items():
        low, high = method(hits, n)
        held[name] = [(low <= share + 1e-12) & (share - 1e-12 <= high) for share in shares]
    held["Blaker"] = [blaker_held(n, share) for share in shares]
    for name, every in held.items():
        found = [100 * float(stats.binom.pmf(hits, n, share) @ one) for share, one in zip(shares, every, strict=True)]
        head = {"suite": "coverage limits", "agent": name, "level": f"{n} tasks", "metric": "exact"}
        named = [*zip([f"{one:g}" for one in SINGLE["verify"]], found, strict=False)]
        for mode, value in [*named, ("lowest", min(found)), ("mean", float(np.mean(found[len(named) :])))]:
            yield {**head, "mode": mode, "value": round(value, 2), "low": None, "high": None, "n": 1}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--json", type=Path, help="write the long table here")
    arguments = parser.parse_args()
    rows = [row for n in SIZES for row in exact(n)]
    rows += limits(too_often())
    near = [row for row in rows if row["metric"] == "nearest"]
    none = [row for row in near if not GOAL[0] <= row["value"] <= GOAL[1]]
    print(f"{len(none)} of {len(near)} designs cannot have {GOAL[0]:g} to {GOAL[1]:g} %")
    print(Counter(row["agent"] for row in rows if row["metric"] == "cause"))
    if arguments.json:
        write_results(arguments.json, rows)


if __name__ == "__main__":
    main()
