"""How far two graders agree: the share of equal labels, and Cohen's kappa with an interval.

Kappa is (observed - expected) / (1 - expected) agreement (Cohen 1960), its interval a seeded bootstrap over traces; it
is not defined where both give one and the same label to everything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sealegs.scoring.intervals import wilson

RESAMPLES = 2000
Label = str | bool | int | float


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two graders on one question.

    Attributes:
        question: what was judged.
        n: traces that both judged.
        share, low, high: agreement in % with Wilson's interval.
        kappa, kappa_low, kappa_high: Cohen's; None where it is not defined.
        counts: (label of the one, label of the other) -> traces.
    """

    question: str
    n: int
    share: float
    low: float
    high: float
    kappa: float | None
    kappa_low: float | None
    kappa_high: float | None
    counts: Mapping[tuple[str, str], int]


def agreement(question: str, pairs: Sequence[tuple[Label, Label]], seed: int = 0) -> Agreement:
    """How far two graders agree on a question.

    Args:
        question: its name.
        pairs: their labels, trace by trace.
        seed: of the bootstrap.

    Raises:
        ValueError: there are no pairs.
    """
    if not pairs:
        raise ValueError(f"no grader answered {question!r} for the same trace")
    texts = [(normalize_label(a), normalize_label(b)) for a, b in pairs]
    n, same = len(texts), sum(a == b for a, b in texts)
    low, high = wilson(same, n)
    value = kappa(Counter(texts))
    ends = (None, None) if value is None else _interval(texts, seed)
    return Agreement(question, n, 100 * same / n, 100 * low, 100 * high, value, *ends, Counter(texts))


def normalize_label(label: Label) -> str:
    """A label as it is compared: yes and no in all their writings, anything else without case and outer space."""
    text = str(label).strip().casefold()
    return {"true": "yes", "1": "yes", "y": "yes", "false": "no", "0": "no", "n": "no"}.get(text, text)


def _interval(pairs: Sequence[tuple[str, str]], seed: int) -> tuple[float | None, float | None]:
    generator = np.random.default_rng(seed)
    kinds = sorted(set(pairs))
    draws = generator.multinomial(len(pairs), [pairs.count(k) / len(pairs) for k in kinds], size=RESAMPLES)
    values = [kappa(dict(zip(kinds, map(int, draw), strict=True))) for draw in draws]
    known = [value for value in values if value is not None]
    if not known:
        return None, None
    low, high = np.percentile(known, [2.5, 97.5])
    return float(low), float(high)


def kappa(counts: Mapping[tuple[str, str], int]) -> float | None:
    """Cohen's kappa from a table of counts."""
    n = sum(counts.values())
    ones: Counter[str] = Counter()
    others: Counter[str] = Counter()
    for (a, b), count in counts.items():
        ones[a] += count
        others[b] += count
    expected = sum(ones[label] * others[label] for label in ones) / (n * n)
    if expected >= 1:
        return None
    observed = sum(count for (a, b), count in counts.items() if a == b) / n
    return (observed - expected) / (1 - expected)
