"""Full-text search: BM25 on English stems.

The score is BM25 as Lucene has it (Robertson and Zaragoza 2009; `bm25s`). There are no synonyms: a text is found by the
words that it uses. Likeness is the score of query and text over the geometric mean of what each scores with itself:
1 where both say the same, 0 where they share no word.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from math import log
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NO_BARS = "DISABLE_TQDM"  # bm25s reads it when it is imported
K1 = 1.2
B = 0.75


@dataclass(frozen=True)
class TextIndex:
    """BM25 over texts, which are known by their place."""

    texts: tuple[str, ...]

    @cached_property
    def _index(self) -> Any:
        index = _bm25s().BM25(k1=K1, b=B)
        index.index(self._words, show_progress=False)
        return index

    @cached_property
    def _words(self) -> list[list[str]]:
        return [tokenize(text) for text in self.texts]

    @cached_property
    def _rarity(self) -> dict[str, float]:
        """The weight of each word by how few texts have it."""
        having = Counter(word for found in self._words for word in set(found))
        return {word: _weight(len(self.texts), count) for word, count in having.items()}

    @cached_property
    def _length(self) -> float:
        return sum(map(len, self._words)) / max(1, len(self._words)) or 1.0

    @cached_property
    def _own(self) -> NDArray[np.float64]:
        """The root of each text's score against itself; 1 for a text without words."""
        import numpy as np

        return np.sqrt(np.array([self._itself(found) or 1.0 for found in self._words], dtype=np.float64))

    def _itself(self, found: list[str]) -> float:
        unseen = _weight(len(self.texts), 0)
        fill = K1 * (1 - B + B * len(found) / self._length)
        return sum(self._rarity.get(word, unseen) * count / (fill + count) for word, count in Counter(found).items())

    def likeness(self, query: str) -> NDArray[np.float64]:
        """The similarity of the query to every text, 0 to 1; of shape (texts,)."""
        import numpy as np

        words = tokenize(query)
        known = [word for word in dict.fromkeys(words) if word in self._rarity]
        if not known:
            return np.zeros(len(self.texts))
        # Words that no text has are left to the divisor: the more of them, the less alike is any text.
        found = np.asarray(self._index.get_scores(known), dtype=np.float64)
        alike: NDArray[np.float64] = np.minimum(1.0, found / (self._own * self._itself(words) ** 0.5))
        return alike

    def scores(self, query: str) -> list[float]:
        """The score of every text, 0 where it shares no word with the query."""
        words = tokenize(query)
        if not words:
            return [0.0] * len(self.texts)
        found: list[float] = self._index.get_scores(words).tolist()
        return found

    def top(self, query: str, k: int) -> list[tuple[int, float]]:
        """Place and score of the k best texts, the best first, of equals the first; fewer where fewer share a word."""
        words = tokenize(query)
        return best(self._index.get_scores(words), k) if words else []


def best(scores: Any, k: int) -> list[tuple[int, float]]:
    """Place and score of the k highest of an array that are above 0, the highest first, of equals the first."""
    many = len(scores)
    if many > k:  # without sorting them all
        # Texts that tie with the last of them stay in: their places decide below, not the way the array was cut.
        least = scores[scores.argpartition(many - k)[many - k :]].min()
        places = (scores >= least).nonzero()[0]
    else:
        places = scores.nonzero()[0]
    found = [(int(place), float(scores[place])) for place in places if scores[place] > 0] if k > 0 else []
    return sorted(found, key=lambda one: (-one[1], one[0]))[:k]


def tokenize(text: str) -> list[str]:
    """The stems of a text in its order, without stop words; a name's parts are words of their own."""
    plain = text.replace("_", " ")
    found: Sequence[list[str]] = _bm25s().tokenize(
        [plain], stopwords="en", stemmer=_stemmer(), return_ids=False, show_progress=False
    )
    return found[0]


@cache
def _bm25s() -> Any:
    """The library without its progress bars, which start a thread: a process with threads is never forked."""
    before = os.environ.get(NO_BARS)
    os.environ[NO_BARS] = "1"
    try:
        return import_module("bm25s")
    finally:
        if before is None:
            del os.environ[NO_BARS]
        else:
            os.environ[NO_BARS] = before


def _weight(texts: int, having: int) -> float:
    """The rarity of a word that `having` of the texts have, in Lucene's form, which is never below 0."""
    return log(1 + (texts - having + 0.5) / (having + 0.5))


@cache
def _stemmer() -> Any:
    from Stemmer import Stemmer

    return Stemmer("english")
