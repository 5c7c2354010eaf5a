"""Simulated experiments whose true figures are known, for `coverage.py`: who draws them knows nothing of intervals.

Each task has a rate of its own, drawn from a beta distribution around its level's share; `alike` is the correlation of
two episodes of one task. A mode thins the rates by a known factor, so that the true share is exact. The second agent of
a pair has the first one's rates, thinned or thickened, or (for a part of the tasks) rates of its own. On a fresh set
of tasks all rates are drawn again. A figure is true of the population of tasks, with as many of each level as the
design says.

Not in it: tasks that are related across levels, and agents that get better during an experiment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Blocks = NDArray[np.intp]
Kind = Literal["rate", "exposed", "tied", "redundancy", "composite", "calls", "efficiency"]
EXPOSURE = (0.9, 0.7, 0.8, 0.5)  # of the levels, where faults are delivered by chance
REDUNDANT = np.array([0.0, 0.0, 0.25, 0.5])  # of successes; an episode that fails is redundant as a whole
FEWEST = 3  # calls of an episode


@dataclass(frozen=True)
class SimulatedDesign:
    """An experiment that is drawn again and again.

    Attributes:
        group: what the table of the docs counts it under.
        kind: the figure.
        shares: the share of successes at each level.
        tasks: how many in all, the same number at each level as far as it goes.
        modes: by which factor each mode thins the shares.
        epochs: of each task and mode.
        alike: the correlation of two episodes of one task, from 0 to 1.
        other: the second agent's shares, in a paired design.
        own: the share of tasks on which the second agent is not like the first.
        runs: how many models that were trained alike; their shares differ.
        relative: whether the difference is taken as a share of the first figure.
        fresh: how many tasks the second figure is of, where it is of others than the first; 0 where it is of the same.
    """

    group: str
    kind: Kind
    shares: tuple[float, ...]
    tasks: int
    modes: tuple[float, ...] = (1.0,)
    epochs: int = 1
    alike: float = 0.2
    other: tuple[float, ...] = ()
    own: float = 0.2
    runs: int = 1
    relative: bool = False
    fresh: int = 0

    @property
    def name(self) -> str:
        """All settings but the number of tasks."""
        shares = "/".join(f"{share:g}" for share in self.shares)
        against = f" against {'/'.join(f'{share:g}' for share in self.other)}" if self.other else ""
        several = f", modes {'/'.join(f'{one:g}' for one in self.modes)}" if len(self.modes) > 1 else ""
        again = f", {self.epochs} epochs" if self.epochs > 1 else ""
        runs = f", {self.runs} runs" if self.runs > 1 else ""
        apart = f", {self.own:g} apart" if self.other and not self.fresh else ""
        fresh = f", {self.fresh} fresh" if self.fresh else ""
        kind = f"{self.kind}, relative" if self.relative else self.kind
        return f"{self.group}: {kind}, {shares}{against}{several}{again}{runs}, alike {self.alike:g}{apart}{fresh}"

    @property
    def blocks(self) -> Blocks:
        """The level of each task."""
        return self._blocks(self.tasks)

    @property
    def fresh_blocks(self) -> Blocks:
        """The level of each fresh task."""
        return self._blocks(self.fresh)

    def _blocks(self, tasks: int) -> Blocks:
        parts = np.array_split(np.arange(tasks), len(self.shares))
        return np.concatenate([np.full(len(part), level) for level, part in enumerate(parts)]).astype(np.intp)


@dataclass(frozen=True)
class DrawnSums:
    """Sums of many experiments of one design, each of shape (experiments, ratios, runs, tasks).

    Attributes:
        top, below: above and below the line.
        part: which part of a composite a ratio belongs to, by ratio.
    """

    top: Array
    below: Array
    part: tuple[int, ...]

    def of(self, chosen: NDArray[np.bool_]) -> DrawnSums:
        """The sums of these tasks alone."""
        return DrawnSums(self.top[..., chosen], self.below[..., chosen], self.part)


def drawn(design: SimulatedDesign, count: int, draw: np.random.Generator) -> tuple[DrawnSums, DrawnSums | None, float]:
    """The sums of so many experiments, those of the second agent, and the true figure."""
    shares = np.array(design.shares)[design.blocks]
    rates = _rates(shares, design.alike, (count, design.tasks), draw)
    true = _truth(design, shares)
    if not design.other:
        return _sums(design, rates, draw), None, true
    if design.fresh:
        again = _rates(np.array(design.other)[design.fresh_blocks], design.alike, (count, design.fresh), draw)
        return _sums(design, rates, draw), _sums(design, again, draw, design.fresh_blocks), _level_change(design)
    others = np.array(design.other)[design.blocks]
    lower = others <= shares
    with np.errstate(divide="ignore", invalid="ignore"):
        likewise = np.where(lower, rates * others / shares, 1 - (1 - rates) * (1 - others) / (1 - shares))
    apart = draw.random(rates.shape) < design.own
    rated = np.where(apart, _rates(others, design.alike, rates.shape, draw), likewise)
    truth = _truth(design, others) - true
    wanted = -100 * truth / true if design.relative else truth
    return _sums(design, rates, draw), _sums(design, rated, draw), wanted


def _rates(shares: Array, alike: float, shape: tuple[int, int], draw: np.random.Generator) -> Array:
    """Each task's own rate: beta, with this mean and this correlation of its episodes."""
    if alike == 0:
        return np.broadcast_to(shares, shape).copy()
    if alike == 1:
        return (draw.random(shape) < shares).astype(np.float64)
    scale = 1 / alike - 1
    return draw.beta(shares * scale, (1 - shares) * scale, size=shape)


def _level_change(design: SimulatedDesign) -> float:
    """The true difference of two sets, a level counting for as much as it has tasks in the first of them."""
    counts = np.bincount(design.blocks, minlength=len(design.shares)) / design.tasks
    before, after = (
        np.array([_truth(replace(design, shares=(share,)), np.full(design.tasks, share)) for share in shares])
        for shares in (design.shares, design.other)
    )
    return float(counts @ (after - before))


def _sums(design: SimulatedDesign, rates: Array, draw: np.random.Generator, blocks: Blocks | None = None) -> DrawnSums:
    count, tasks = rates.shape
    shape = (count, len(design.modes), design.runs, tasks)
    thin = np.array(design.modes)[None, :, None, None]
    runs = draw.beta(16, 4, size=(count, 1, design.runs, 1)) if design.runs > 1 else 1.0
    each = np.broadcast_to(rates[:, None, None, :] * thin * runs, shape)
    if design.kind in ("calls", "efficiency"):
        calls = draw.poisson(np.broadcast_to(5 * each, (design.epochs, *shape))).sum(axis=0) + FEWEST * design.epochs
        made, ones = calls.astype(np.float64), np.full(shape, float(design.epochs))
        return DrawnSums(made, ones, (0,) * shape[1]) if design.kind == "calls" else DrawnSums(ones, made, (0,))
    won = (draw.random((design.epochs, *shape)) < each).astype(np.float64)
    whole = np.full(shape, float(design.epochs))
    successes = DrawnSums(won.sum(axis=0), whole, (0,) * shape[1])
    if design.kind == "rate":
        return successes
    met = (
        draw.random(won.shape) < _exposure(design, rates, design.blocks if blocks is None else blocks)[:, None, None, :]
    )
    recovered = DrawnSums((won * met).sum(axis=0), met.sum(axis=0).astype(np.float64), (0,) * shape[1])
    if design.kind in ("exposed", "tied"):
        return recovered
    spared = won * (1 - REDUNDANT[draw.integers(0, len(REDUNDANT), size=won.shape)])
    lean = DrawnSums(spared.sum(axis=0), whole, (0,) * shape[1])
    if design.kind == "redundancy":
        return lean
    parts = (successes, recovered, lean)
    tops, belows = (np.concatenate([getattr(one, name) for one in parts], axis=1) for name in ("top", "below"))
    return DrawnSums(tops, belows, tuple(np.repeat(range(len(parts)), shape[1]).tolist()))


def _exposure(design: SimulatedDesign, rates: Array, blocks: Blocks) -> Array:
    """How probable it is that a fault is delivered, by task."""
    if design.kind == "tied":
        found: Array = 0.3 + 0.6 * rates
        return found
    levels = np.resize(np.array(EXPOSURE), len(design.shares))
    return np.broadcast_to(levels[blocks], rates.shape)


def _truth(design: SimulatedDesign, shares: Array) -> float:
    """The true figure, in % unless it is an amount."""
    thin = float(np.mean(design.modes)) * (0.8 if design.runs > 1 else 1.0)
    mean = float(shares.mean()) * thin
    if design.kind in ("calls", "efficiency"):
        calls = FEWEST + 5 * mean
        return calls if design.kind == "calls" else 1 / calls
    weights = np.resize(np.array(EXPOSURE), len(design.shares))[design.blocks]
    recovered = float((weights * shares).sum() / weights.sum()) * thin
    lean = mean * float(1 - REDUNDANT.mean())
    squares = shares**2 + design.alike * shares * (1 - shares)
    tied = float((0.3 * shares + 0.6 * squares).sum() / (0.3 + 0.6 * shares).sum()) * thin
    composite = (mean + recovered + lean) / 3
    found = {"rate": mean, "exposed": recovered, "tied": tied, "redundancy": lean, "composite": composite}
    return 100 * found[design.kind]


FIVE = (1.0, 0.9, 0.8, 0.9, 0.8)
LEVELS = {
    "choose": ((0.8, 0.5, 0.5, 0.3), (0.98, 0.95, 0.9, 0.85), (0.7, 0.6, 0.5, 0.4)),
    "verify": ((0.9, 0.6, 0.4, 0.2), (0.995, 0.98, 0.95, 0.9), (0.6, 0.4, 0.4, 0.4), (0.1, 0.05, 0.02, 0.02)),
}
SINGLE = {"choose": (0.05, 0.3, 0.7, 0.95), "verify": (0.02, 0.1, 0.5, 0.8, 0.9, 0.98, 0.99)}
PAIRS = {
    "choose": ((0.6, 0.6), (0.6, 0.75), (0.95, 0.95), (0.92, 0.97)),
    "verify": ((0.5, 0.5), (0.5, 0.6), (0.9, 0.9), (0.9, 0.95), (0.98, 0.98), (0.98, 0.995), (0.3, 0.1), (0.95, 0.6)),
}
REPEATED = {"choose": ((1, 0.0), (4, 0.2), (4, 0.8)), "verify": ((1, 0.0), (5, 0.05), (5, 0.7), (10, 0.3))}


SETS = {  # a score on public tasks, and one on fresh ones
    "choose": (
        ((0.7,), (0.7,)),
        ((0.97,), (0.85,)),
        (LEVELS["choose"][0],) * 2,
        ((0.9, 0.8, 0.7, 0.6), (0.6, 0.5, 0.4, 0.3)),
    ),
    "verify": (
        *(((share,), (share,)) for share in (0.02, 0.5, 0.9, 0.99)),
        ((0.6,), (0.4,)),
        ((0.98,), (0.8,)),
        *((shares, shares) for shares in LEVELS["verify"]),
        ((0.9, 0.8, 0.6, 0.5), (0.8, 0.7, 0.5, 0.4)),
    ),
}


def designs(part: str) -> Iterator[SimulatedDesign]:
    """The designs that settings are chosen on (`choose`), or those that they are verified on (`verify`)."""
    for share, tasks, (epochs, alike) in product(SINGLE[part], (3, 4, 6, 10, 20, 100, 400), REPEATED[part]):
        yield SimulatedDesign("one rate", "rate", (share,), tasks, epochs=epochs, alike=alike)
    for shares, tasks, (epochs, alike) in product(LEVELS[part], (4, 8, 12, 20, 40, 100, 400), REPEATED[part]):
        yield SimulatedDesign("levels", "rate", shares, tasks, epochs=epochs, alike=alike)
    kinds: Sequence[Kind] = ("rate", "exposed", "tied", "redundancy", "composite")
    for kind, shares, tasks, alike in product(kinds, LEVELS[part], (4, 12, 20, 40, 100, 400), (0.1, 0.6)):
        yield SimulatedDesign("levels and modes", kind, shares, tasks, FIVE, alike=alike)
    for (one, other), tasks, modes, alike in product(PAIRS[part], (4, 6, 10, 20, 100), ((1.0,), FIVE), (0.2, 0.7)):
        yield SimulatedDesign("paired difference", "rate", (one,), tasks, modes, alike=alike, other=(other,))
    for (one, other), tasks, own in product(PAIRS[part], (4, 6, 10, 20, 100), (0.02, 0.1)):  # agents that hardly differ
        yield SimulatedDesign("paired difference", "rate", (one,), tasks, alike=0.95, other=(other,), own=own)
    for kind, tasks, alike in product(("rate", "exposed", "composite"), (8, 20, 100), (0.1, 0.6)):
        for shares, others in zip(LEVELS[part], LEVELS[part][1:], strict=False):
            yield SimulatedDesign(
                "paired difference",
                kind,
                shares,
                tasks,
                FIVE,
                alike=alike,
                other=others,  # type: ignore[arg-type]
            )
    for tasks, alike, (one, other) in product((10, 20, 100), (0.2, 0.7), ((0.8, 0.5), (0.6, 0.5), (0.9, 0.85))):
        yield SimulatedDesign(
            "relative decrease", "rate", (one,), tasks, alike=alike, other=(other,), relative=True, epochs=2
        )
    for kind, tasks, epochs in product(("calls", "efficiency"), (4, 10, 20, 100), (1, 5)):
        yield SimulatedDesign("amount", kind, (0.9, 0.5), tasks, epochs=epochs, alike=0.3)  # type: ignore[arg-type]
    for runs, tasks, share in product((3, 5), (10, 20, 100), (0.5, 0.9)):
        yield SimulatedDesign("several runs", "rate", (share,), tasks, (1.0, 0.9), runs=runs)
    yield from _fresh(part)


def _fresh(part: str) -> Iterator[SimulatedDesign]:
    """A score on a public set and one on a fresh set."""

    def one(shares: tuple[float, ...], others: tuple[float, ...], tasks: int, **more: Any) -> SimulatedDesign:
        group, kind = ("two sets" if len(shares) == 1 else "two sets of levels"), more.pop("kind", "rate")
        return SimulatedDesign(group, kind, shares, tasks, other=others, **{"fresh": tasks, **more})

    for (shares, others), tasks, (epochs, alike) in product(SETS[part], (4, 10, 20, 100, 400), REPEATED[part]):
        yield one(shares, others, tasks, epochs=epochs, alike=alike)
    for (shares, others), tasks in product(SETS[part], (40, 400)):  # a smaller fresh set
        yield one(shares, others, tasks, alike=0.0, fresh=tasks // 4)
    for kind, tasks, (shares, others) in product(("exposed", "composite"), (12, 40, 400), SETS[part]):
        if len(shares) > 1:
            yield one(shares, others, tasks, kind=kind, modes=FIVE, alike=0.4)
