"""Agreement of graders: the share of equal labels and Cohen's kappa of two, and Krippendorff's alpha of any number.

Kappa is (observed - expected) / (1 - expected) agreement (Cohen 1960); it is not defined where both give one and the
same label to everything. Alpha is the same for any number of graders, of whom not all need label everything
(Krippendorff 2011); here labels are equal or not (nominal). It has no interval.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sealegs.intervals.exact_shares import share_interval

Label = str | bool | int | float


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two graders on one question.

    Attributes:
        question: what was judged.
        n: traces that both judged.
        share, low, high: agreement in % with its interval.
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


def agreement(question: str, pairs: Sequence[tuple[Label, Label]]) -> Agreement:
    """The agreement of two graders on a question.

    Args:
        question: its name.
        pairs: their labels, trace by trace.

    Raises:
        ValueError: there are no pairs.
    """
    if not pairs:
        raise ValueError(f"no grader answered {question!r} for the same trace")
    texts = [(normalize_label(a), normalize_label(b)) for a, b in pairs]
    n, same = len(texts), sum(a == b for a, b in texts)
    low, high = share_interval(same, n)
    value = kappa(Counter(texts))
    ends: tuple[float | None, float | None] = (None, None) if value is None else _kappa_ends(texts)
    return Agreement(question, n, 100 * same / n, 100 * low, 100 * high, value, *ends, Counter(texts))


def normalize_label(label: Label) -> str:
    """A label as it is compared: yes and no in all their writings, anything else without case and outer space."""
    text = str(label).strip().casefold()
    return {"true": "yes", "1": "yes", "y": "yes", "false": "no", "0": "no", "n": "no"}.get(text, text)


def _kappa_ends(pairs: Sequence[tuple[str, str]]) -> tuple[float, float]:
    """The ends of kappa's interval: those of the agreement, in as many cases as kappa's variance is worth.

    Kappa is (share - expected) / (1 - expected). Its variance is that of what each trace adds to it, to the first order
    (Fleiss, Cohen and Everitt 1969). Where all or none agree there are as many cases as traces.
    """
    n = len(pairs)
    ones, others = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    same = sum(a == b for a, b in pairs) / n
    expected = sum(ones[label] * others[label] for label in ones) / (n * n)
    # What each trace adds to kappa times (1 - expected), so the variance is on the scale of the plain share of
    # agreement.
    own = [(a == b) - (others[a] + ones[b]) / n * (1 - same) / (1 - expected) for a, b in pairs]
    variance = sum((one - sum(own) / n) ** 2 for one in own) / n**2
    # As many cases as would give a plain share this variance, share * (1 - share) / cases.
    cases = same * (1 - same) / variance if variance > 0 and 0 < same < 1 else float(n)
    low, high = share_interval(same * cases, cases)
    return (low - expected) / (1 - expected), (high - expected) / (1 - expected)


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


def krippendorff_alpha(units: Iterable[Sequence[Label]]) -> tuple[float | None, int]:
    """Krippendorff's alpha for nominal labels, and how many units have two labels or more.

    alpha = 1 - (n - 1) * disagreement within units / disagreement over all labels, where a unit of m labels counts each
    of its ordered pairs as 1 / (m - 1).

    Args:
        units: the labels of each unit, one from each grader who labelled it.

    Returns:
        None in place of alpha where there is nothing to compare, or all labels are one and the same.
    """
    found = [[normalize_label(label) for label in labels] for labels in units]
    paired = [Counter(labels) for labels in found if len(labels) > 1]
    totals: Counter[str] = sum(paired, Counter())
    n = totals.total()
    expected = n * n - sum(count * count for count in totals.values())
    if not expected:
        return None, len(paired)
    observed = sum(
        (unit.total() ** 2 - sum(count * count for count in unit.values())) / (unit.total() - 1) for unit in paired
    )
    return 1 - (n - 1) * observed / expected, len(paired)
