"""Estimates of what a run will ask of a model: questions, tokens, dollars and time, as ranges, with their sources.

Finished episodes of the same run are the best source: the range is the prediction interval at 95 % of a sum, over
episodes that are taken for independent. Before there are any, a suite may say how long its episodes are when scripted
agents play them. Not covered: reasoning, which no scripted agent does, and the prompt caches of providers, which make a
run cheaper than is estimated here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from sealegs.intervals.prediction import predicted_sum
from sealegs.traces.inspect_logs import SUFFIX, samples

FEWEST = 3  # finished episodes that can say something of the others
LETTERS = (4.3, 3.0)  # letters to a token, for the fewest and the most tokens (docs/models.md says how measured)


class Span(NamedTuple):
    """A range."""

    low: float
    high: float

    def times(self, factor: float) -> Span:
        """Both ends so many times."""
        return Span(self.low * factor, self.high * factor)


class EpisodeUse(NamedTuple):
    """The use that one finished episode made of its models."""

    questions: int
    tokens: int
    cost: float
    seconds: float


class SizeRange(NamedTuple):
    """The average length of an episode: questions, letters that are sent, and letters that come back."""

    questions: Span
    sent: Span
    written: Span
    source: str


class Price(Protocol):
    """Dollars for a million tokens."""

    input: float
    output: float


@dataclass(frozen=True)
class RunEstimate:
    """The estimate for the rest of a run.

    Attributes:
        episodes: the number that is left.
        source: the source of the ranges, in words.
        questions, tokens, cost, seconds: ranges over all of them; None where nothing is known.
    """

    episodes: int
    source: str
    questions: Span | None = None
    tokens: Span | None = None
    cost: Span | None = None
    seconds: Span | None = None

    def __str__(self) -> str:
        """The estimate in words."""
        parts = [f"{self.episodes:,} episodes"]
        for span, word in ((self.questions, "questions to the model"), (self.tokens, "tokens")):
            parts += [f"{ranged(span, short_number)} {word}"] if span else []
        parts += [ranged(self.cost, dollars)] if self.cost else []
        parts += [f"{ranged(self.seconds, spoken_time)} one after the other"] if self.seconds else []
        return f"{', '.join(parts)} ({self.source})"

    def rows(self, who: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The ranges in the long table; the value is left open."""
        head = {**who, "level": "all", "mode": "all"}
        found = {"questions": self.questions, "tokens": self.tokens, "cost": self.cost, "seconds": self.seconds}
        return [
            {
                **head,
                "metric": f"estimated_{name}",
                "value": None,
                "low": span.low,
                "high": span.high,
                "n": self.episodes,
            }
            for name, span in found.items()
            if span is not None
        ]


def finished_uses(folder: Path) -> list[EpisodeUse]:
    """The use of each finished episode of a folder's logs; invalid ones count as far as they got."""
    found = []
    for file in sorted(folder.glob(f"*{SUFFIX}")) if folder.is_dir() else ():
        # Warnings of a log that was cut off are for reports; an estimate takes the episodes that there are.
        for sample, _ in samples(file, [], fields=("model_usage", "working_time")):
            # Inspect writes null where nothing was counted, so a default of `get` is not enough.
            models = list((sample.get("model_usage") or {}).values())
            questions = sum(event.get("event") == "model" for event in sample.get("events", []))
            tokens = sum(one.get("total_tokens") or 0 for one in models)
            cost = sum(one.get("total_cost") or 0.0 for one in models)
            found.append(EpisodeUse(questions, tokens, cost, sample.get("working_time") or 0.0))
    return found


def from_finished(left: int, finished: Sequence[EpisodeUse]) -> RunEstimate | None:
    """The estimate for the rest, by the episodes that are finished; None if these are too few."""
    # An episode without tokens failed before it asked, or a provider reported none.
    known = [use for use in finished if use.tokens]
    if len(known) < FEWEST:
        return None
    columns = ([float(use[place]) for use in known] for place in range(len(EpisodeUse._fields)))
    questions, tokens, cost, seconds = (Span(*predicted_sum(column, left)) for column in columns)
    priced = any(use.cost for use in known)
    return RunEstimate(
        left,
        f"95 %, from {len(known):,} episodes that are finished",
        questions,
        tokens,
        cost if priced else None,
        seconds,
    )


def from_sizes(left: int, size: SizeRange, price: Price | None) -> RunEstimate:
    """The estimate for the rest, by the length that the suite gives for its episodes."""
    # More letters to a token give fewer tokens, so the larger ratio makes the lower end.
    sent, written = (
        Span(part.low / LETTERS[0], part.high / LETTERS[1]).times(left) for part in (size.sent, size.written)
    )
    tokens = Span(sent.low + written.low, sent.high + written.high)
    cost = None
    if price is not None:
        ends = [(one * price.input + other * price.output) / 1e6 for one, other in zip(sent, written, strict=True)]
        cost = Span(*ends)
    return RunEstimate(left, f"from {size.source}; reasoning comes on top", size.questions.times(left), tokens, cost)


# Compared as text: two bounds that round to the same figure would read as an empty range.
def ranged(span: Span, written: Callable[[float], str]) -> str:
    """A range in words; one number where both ends read alike."""
    low, high = written(span.low), written(span.high)
    return low if low == high else f"{low} to {high}"


def short_number(value: float) -> str:
    """A number to three digits: 950, 12,300, 4.23 million."""
    if value >= 1e6:
        return f"{value / 1e6:,.3g} million"
    if value < 1_000:
        return f"{value:.0f}"
    return f"{round(value, 2 - math.floor(math.log10(value))):,.0f}"


def dollars(value: float) -> str:
    """An amount of money."""
    return f"${value:,.2f}" if value >= 0.1 else f"${value:.2g}"


def spoken_time(seconds: float) -> str:
    """A time in the unit that fits."""
    for size, unit in ((86_400, "days"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"
