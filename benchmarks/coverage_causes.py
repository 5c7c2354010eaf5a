"""Why intervals hold the truth too often: whether shorter ones would do in that design, and in those beside it.

All intervals of the design are shortened by one factor, from the estimate, until they hold the truth in at most 97 % of
experiments. `cause` says what then keeps them from being so short:

- `error of measurement`: nothing; in 8,000 other experiments they are not above 97 %.
- `discreteness`: no interval of this estimate is in 93 to 97 % (`coverage_limits.nearest_coverage`).
- `gap`: the least shortening that leaves 97 % or less leaves less than 93 %, because many experiments are alike.
- `neighbour`: in a design that data hardly tell from this one, so short intervals hold the truth in less than 93 %.
- `too wide`: no such design was found.

Neighbours have the same tasks, epochs, modes and figure. All shares, how alike a task's episodes are, and on how many
tasks a second agent is apart are as given, or up to two standard errors of their best estimates higher or lower; the
levels' shares are as given, or each up to one of its standard errors nearer to their mean. The lowest two in a first
sample of 250 experiments each are measured again on 4,000 others, which alone count.

Not in it: intervals of another shape, which might be shorter here and not there; and, of several runs, runs that differ
more than these do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from math import asin, sin, sqrt

import numpy as np
from coverage import estimated, ours
from coverage_designs import Array, SimulatedDesign, drawn

LOWEST, HIGHEST = 93.0, 97.0
OWN, FIRST, AGAIN, LAST = 8000, 250, 4000, 2
AT_ONCE = 250
SEED = 29


@dataclass(frozen=True)
class Cause:
    """Why intervals are so wide.

    Attributes:
        name: of the cause, as above.
        value: the coverage, in %, that decides it.
        factor: of the intervals' widths, that leaves 97 % of experiments; 1 where they are not above it.
        where: the design in which it is so low, if it is another one.
    """

    name: str
    value: float
    factor: float = 1.0
    where: str = ""


def needed(design: SimulatedDesign, count: int, seed: int) -> Array:
    """By which factor each experiment's interval can be shortened at most, so that it still holds the truth."""
    draw = np.random.default_rng([seed, *design.name.encode(), design.tasks])
    found = []
    for _ in range(count // AT_ONCE):
        one, other, truth = drawn(design, AT_ONCE, draw)
        low, high = ours(design, one, other)
        value = estimated(design, one, other)
        off = truth - value
        with np.errstate(divide="ignore", invalid="ignore"):
            factor = np.where(np.abs(off) < 1e-9, 0.0, np.abs(off) / np.where(off > 0, high - value, value - low))
        found.append(factor[~np.isnan(low) & ~np.isnan(factor)])
    return np.concatenate(found)


def cause(design: SimulatedDesign, nearest: float) -> Cause:
    """Say why the intervals of this design are above 97 %.

    Args:
        design: with such intervals.
        nearest: the coverage nearest to 95 % that any interval of its estimate could have.
    """
    own = np.sort(needed(design, OWN, SEED))
    covered = 100 * float(np.mean(own <= 1 + 1e-9))
    if covered <= HIGHEST:
        return Cause("error of measurement", covered)
    if not LOWEST <= nearest <= HIGHEST:
        return Cause("discreteness", nearest)
    # Shorter than what this experiment needs, so that at most 97 % hold the truth.
    factor = float(own[int(HIGHEST / 100 * len(own))]) * (1 - 1e-9)
    shortened = 100 * float(np.mean(own < factor))
    if shortened < LOWEST:
        return Cause("gap", shortened, factor)
    beside = {one.name: one for one in neighbours(design)}.values()
    screened = [(float(np.mean(needed(one, FIRST, SEED + 1) <= factor)), place) for place, one in enumerate(beside)]
    lowest = [list(beside)[place] for _, place in sorted(screened)[:LAST]]
    again = [(100 * float(np.mean(needed(one, AGAIN, SEED + 2) <= factor)), one.name) for one in lowest]
    value, where = min(again)
    return Cause("neighbour" if value < LOWEST else "too wide", value, factor, where)


def neighbours(design: SimulatedDesign) -> Iterator[SimulatedDesign]:
    """Designs that the data of this one hardly tell from it."""
    paired = bool(design.other) and not design.fresh
    episodes = design.epochs * len(design.modes) * (2 if paired else 1)
    alike = _around(design.alike, _error_of_likeness(design.alike, episodes, design.tasks)) if episodes > 1 else ()
    apart = _around(design.own, sqrt(design.own * (1 - design.own) / design.tasks)) if paired else ()
    levelled = (False, True) if len(set(design.shares)) > 1 else (False,)
    for errors, one, own, level in product(
        (-2, -1, 0, 1, 2), alike or (design.alike,), apart or (design.own,), levelled
    ):
        shares, other = (_moved(design, sides, errors, level) for sides in (design.shares, design.other))
        yield replace(design, shares=shares, other=other, alike=one, own=own)


def _around(value: float, error: float) -> tuple[float, ...]:
    """A share, and two standard errors above and below it."""
    return tuple(sorted({round(min(0.98, max(0.01, value + by * error)), 4) for by in (-2, 0, 2)}))


def _error_of_likeness(alike: float, episodes: int, tasks: int) -> float:
    """The standard error of an intraclass correlation (Fisher 1925; Donner 1986)."""
    return (1 - alike) * (1 + (episodes - 1) * alike) * sqrt(2 / (episodes * (episodes - 1) * (tasks - 1)))


def _moved(design: SimulatedDesign, shares: tuple[float, ...], errors: float, level: bool) -> tuple[float, ...]:
    """Shares that are moved by so many standard errors of the mean share, on the scale on which these are all alike.

    That is the angle whose sine is the root of the share (Anscombe 1948).

    Args:
        design: the shares' own.
        shares: of the levels.
        errors: how many.
        level: whether each share first comes nearer to their mean, by one standard error of its own.
    """
    if not shares:
        return ()
    episodes = design.epochs * len(design.modes)
    # A task's episodes are worth so many cases, by how alike they are (Kish 1965).
    error = 0.5 / sqrt(design.tasks * episodes / (1 + (episodes - 1) * design.alike))
    own = error * sqrt(len(shares))
    angles = [asin(sqrt(share)) for share in shares]
    mean = asin(sqrt(sum(shares) / len(shares)))
    nearer = [max(-own, min(own, mean - angle)) if level else 0.0 for angle in angles]
    moved = (angle + near + errors * error for angle, near in zip(angles, nearer, strict=True))
    return tuple(round(sin(min(1.526, max(0.045, angle))) ** 2, 4) for angle in moved)  # from 0.002 to 0.998
