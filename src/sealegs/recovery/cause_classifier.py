"""A cause inferred from words alone, for failures that no rule covers and no exemplar is near.

Naive Bayes over the stems of an error's name and masked message, counted on the labelled failures that the rules were
written with (`data/labelled.jsonl`, the part `train`); a stem that is there counts, one that is not does not. Below
`MARGIN` no cause is given. Words that none of those failures has count for nothing.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import resources

from sealegs.recovery.causes import error_basename
from sealegs.recovery.forms import read_failure
from sealegs.recovery.signature import Signature
from sealegs.search.bm25 import tokenize

MARGIN = 0.25  # of the likeliest cause's score above the next class's: `scoring.diagnosis.margin` gives it
SMOOTHING = 0.1
_PARTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[_.-]")


@dataclass(frozen=True)
class CauseCounts:
    """Counts of labelled failures, by cause and by the stems in them.

    Attributes:
        failures: of each cause.
        stems: for each stem, in how many failures of each cause it occurs.
        classes: the class that each cause belongs to; only between classes must the likeliest stand out.
    """

    failures: Counter[str]
    stems: dict[str, Counter[str]]
    classes: dict[str, str]

    def likeliest(self, signature: Signature) -> tuple[str, float] | None:
        """The likeliest cause, and how far it lies above the best of another class; None where no stem is known."""
        known = [self.stems[stem] for stem in stems_of(signature) if stem in self.stems]
        if not known:
            return None
        total = sum(self.failures.values())
        scores = {
            cause: math.log(count / total) + sum(_weight(one, cause, count, total) for one in known)
            for cause, count in self.failures.items()
        }
        best = max(scores, key=lambda cause: (scores[cause], cause))
        # Against other classes alone: causes of one class may be close, and the class is clear all the same.
        others = [score for cause, score in scores.items() if self.classes[cause] != self.classes[best]]
        return best, scores[best] - max(others, default=-math.inf)


def _weight(found: Counter[str], cause: str, count: int, total: int) -> float:
    """The logarithm of the ratio of a stem's frequency in failures of a cause to that in others."""
    here, elsewhere = found[cause], found.total() - found[cause]
    inside = (here + SMOOTHING) / (count + 2 * SMOOTHING)
    return math.log(inside / ((elsewhere + SMOOTHING) / (total - count + 2 * SMOOTHING)))


def count_causes(failures: Iterable[tuple[Signature, str, str]]) -> CauseCounts:
    """Count failures, each with its cause and the class of that."""
    causes: Counter[str] = Counter()
    stems: defaultdict[str, Counter[str]] = defaultdict(Counter)
    classes: dict[str, str] = {}
    for signature, cause, failure_class in failures:
        causes[cause] += 1
        classes[cause] = failure_class
        for stem in stems_of(signature):
            stems[stem][cause] += 1
    return CauseCounts(causes, dict(stems), classes)


def stems_of(signature: Signature) -> frozenset[str]:
    """The stems that a failure's name and words have."""
    return frozenset(
        tokenize(" ".join(_PARTS.sub(" ", text) for text in (error_basename(signature.type), signature.message)))
    )


@cache
def shipped_cause_counts() -> CauseCounts:
    """The likeness counted on the labelled failures that come with Sealegs."""
    text = resources.files("sealegs.recovery").joinpath("data", "labelled.jsonl").read_text(encoding="utf-8")
    read = (json.loads(line) for line in text.splitlines())
    found = [(read_failure(one["text"]).signature, one) for one in read if one["split"] == "train"]
    return count_causes((signature, one["cause"], one["class"]) for signature, one in found if signature is not None)
