"""Failures of tools in numbers: error classes with their rates and runs, and quantiles of latency.

Every class of errors of a tool is a separate two-state chain (Gilbert 1960), as the condition `outage` plays it:
failures of different causes are independent. Runs are counted among the calls of one tool in one episode, as triggers
count them; a run that continues into the next episode is two. Not covered: causes that several tools or classes share,
failures that depend on arguments, and rates that drift.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from sealegs.faults.call import Failure, Outcome
from sealegs.traces.observed import Observation, Trace

SHARES = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1.0)
LONGEST = 1000.0  # calls that a run may last on average
SURE = 6.63  # chi-squared with one degree of freedom, 99 %


@dataclass(frozen=True, slots=True, order=True)
class ErrorClass:
    """The features that distinguish classes of failures.

    Attributes:
        status: the HTTP status; 0 where there is none.
        type: the error's name.
    """

    status: int
    type: str

    def __str__(self) -> str:
        return " ".join(filter(None, (str(self.status or ""), "" if self.type.isdigit() else self.type)))


@dataclass(frozen=True, slots=True)
class FailureMode:
    """The numbers of one way in which a tool fails.

    Attributes:
        error: the way.
        calls: calls on which it could be seen: those that failed in an earlier way, or were struck by us, could not.
        failed: the number of them that failed so.
        rate: the share that failed.
        length: failed calls in a row, on average; None where calls are as if independent, or too few to tell.
        seconds: median time until such a failure; None where it is not known.
        retry_after: median of the seconds after which a retry was invited; None where none was.
    """

    error: ErrorClass
    calls: int
    failed: int
    length: float | None
    seconds: float | None
    retry_after: float | None

    @property
    def rate(self) -> float:
        """The share that failed."""
        return self.failed / self.calls


@dataclass(frozen=True, slots=True)
class ToolFit:
    """The behaviour of one tool.

    Attributes:
        tool: its name.
        calls: calls whose outcome is known.
        failing: the ways in which it fails, the most frequent first.
        latency: pairs of a share and the seconds that so many answers did not exceed; empty where nothing is known.
    """

    tool: str
    calls: int
    failing: tuple[FailureMode, ...]
    latency: tuple[tuple[float, float], ...]


def fit_tools(traces: Iterable[Trace], shown: bool = False) -> list[ToolFit]:
    """The behaviour of each tool of these traces, by name.

    Args:
        traces: the recorded episodes.
        shown: whether the outcomes that agents were shown count, faults of ours included; else those of the tools.
    """
    tools: dict[str, list[list[Observation]]] = {}
    for trace in traces:
        episode: dict[str, list[Observation]] = {}
        for call in trace.calls:
            episode.setdefault(call.tool, []).append(call)
        for tool, calls in episode.items():
            tools.setdefault(tool, []).append(calls)
    return [_fit(tool, episodes, shown) for tool, episodes in sorted(tools.items())]


def _fit(tool: str, episodes: Sequence[Sequence[Observation]], shown: bool) -> ToolFit:
    seen = [[(call, call.shown if shown else call.said) for call in episode] for episode in episodes]
    known = [(call, outcome) for episode in seen for call, outcome in episode if outcome is not None]
    labels = [[_label(outcome) for _, outcome in episode] for episode in seen]
    counted = Counter(error_class(outcome) for _, outcome in known if isinstance(outcome, Failure))
    failing: list[FailureMode] = []
    hidden: set[ErrorClass] = set()
    # The most frequent first. Where a plan has several rules for a call, the first decides what is shown, so that the
    # rate of each later one is taken over the calls that no earlier one fails.
    for error, _ in sorted(counted.items(), key=lambda item: (-item[1], item[0])):
        failing.append(_failing(error, labels, hidden, known))
        hidden.add(error)  # the rules are in this order, and the first has the last word
    answered = [call.seconds for call, outcome in known if not isinstance(outcome, Failure)]
    return ToolFit(tool, len(known), tuple(failing), quantiles([each for each in answered if each is not None]))


def error_class(failure: Failure) -> ErrorClass:
    """The way in which something failed."""
    return ErrorClass(failure.status or 0, failure.type)


Label = ErrorClass | bool | None  # how a call failed; False where it did not; None where that is not known


def _label(outcome: Outcome | None) -> Label:
    if isinstance(outcome, Failure):
        return error_class(outcome)
    return None if outcome is None else False


def _failing(
    error: ErrorClass,
    labels: Sequence[Sequence[Label]],
    hidden: set[ErrorClass],
    known: Sequence[tuple[Observation, Outcome]],
) -> FailureMode:
    # Labels of hidden classes are gaps: they neither continue a run of this error nor end one.
    chains = [[None if one is None or one in hidden else one == error for one in episode] for episode in labels]
    calls = sum(state is not None for chain in chains for state in chain)
    failed = sum(state is True for chain in chains for state in chain)
    # Times and headers are those of failures of this class alone; labels say only that it failed.
    own = [(call, outcome) for call, outcome in known if isinstance(outcome, Failure) and error_class(outcome) == error]
    invited = [o.retry_after for _, o in own if isinstance(o, Failure) and o.retry_after is not None]
    took = [call.seconds for call, _ in own if call.seconds is not None]
    return FailureMode(
        error=error,
        calls=calls,
        failed=failed,
        length=run_length(chains),
        seconds=median(took) if took else None,
        retry_after=median(invited) if invited else None,
    )


def run_length(chains: Iterable[Sequence[bool | None]]) -> float | None:
    """Mean length of the runs of True in these chains; None where neighbours are as if independent (99 %).

    It is taken from the share of True after True, with Jeffreys's prior, so runs that were never seen to end stay
    finite, and the ends of a chain do not shorten its first and last run. None within a chain is unknown.
    """
    pairs = Counter(two for chain in chains for two in pairwise(chain) if None not in two)
    ended, lasted = pairs[True, False], pairs[True, True]
    # No failure was followed by a known call, so nothing says how long one lasts.
    if not ended + lasted or _independence(pairs) < SURE:
        return None
    # 1 / P(end), with P(end) = (ended + 0.5) / (ended + lasted + 1).
    return min(LONGEST, (ended + lasted + 1) / (ended + 0.5))


def _independence(pairs: Mapping[tuple[bool | None, bool | None], int]) -> float:
    """The statistic G of the two-by-two table of neighbours (chi-squared with one degree of freedom)."""
    total = sum(pairs.values())
    statistic = 0.0
    for (one, two), count in pairs.items():
        rows = sum(n for (first, _), n in pairs.items() if first == one)
        columns = sum(n for (_, second), n in pairs.items() if second == two)
        if count:  # the limit of n log n at 0 is 0
            statistic += 2 * count * math.log(count * total / (rows * columns))
    return statistic


def quantiles(values: Sequence[float]) -> tuple[tuple[float, float], ...]:
    """The smallest value, the largest, and quantiles between them, as far as there are enough values.

    By linear interpolation between order statistics (Hyndman and Fan 1996, type 7).
    """
    if not values:
        return ()
    ordered = sorted(values)
    last = len(ordered) - 1
    # A quantile needs at least one value above it; otherwise it would be the maximum under another name.
    return tuple((share, _at(ordered, share * last)) for share in SHARES if share in (0, 1) or last * (1 - share) >= 1)


def _at(ordered: Sequence[float], place: float) -> float:
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
