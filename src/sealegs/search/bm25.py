"""Full-text search: BM25 on English stems.

The score is BM25 as Lucene has it (Robertson and Zaragoza 2009; `bm25s`). There are no synonyms: a text is found by the
words that it uses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

K1 = 1.2
B = 0.75


@dataclass(frozen=True)
class TextIndex:
    """BM25 over texts, which are known by their place."""

    texts: tuple[str, ...]

    @cached_property
    def _index(self) -> Any:
        from bm25s import BM25

        index = BM25(k1=K1, b=B)
        index.index([words(text) for text in self.texts], show_progress=False)
        return index

    def scores(self, query: str) -> list[float]:
        """The score of every text, 0 where it shares no word with the query."""
        asked = words(query)
        if not asked:
            return [0.0] * len(self.texts)
        found: list[float] = self._index.get_scores(asked).tolist()
        return found


def words(text: str) -> list[str]:
    """The stems of a text in its order, without stop words; a name's parts are words of their own."""
    from bm25s import tokenize

    plain = text.replace("_", " ")
    found: Sequence[list[str]] = tokenize(
        [plain], stopwords="en", stemmer=_stemmer(), return_ids=False, show_progress=False
    )
    return found[0]


@cache
def _stemmer() -> Any:
    from Stemmer import Stemmer

    return Stemmer("english")
