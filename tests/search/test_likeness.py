"""Likeness is BM25 over the geometric mean of what both texts score with themselves, worked out by hand here."""

from __future__ import annotations

from collections import Counter
from math import log, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealegs.search.bm25 import K1, B, TextIndex, tokenize

WORDS = ["connection", "refused", "timeout", "table", "deadlock", "quota", "json", "retry"]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join), min_size=1, max_size=8)


def by_hand(texts: list[str], query: str) -> list[float]:
    found = [tokenize(text) for text in texts]
    mean = sum(map(len, found)) / len(found)

    def weight(word: str) -> float:
        having = sum(word in text for text in found)
        return log(1 + (len(found) - having + 0.5) / (having + 0.5))

    def score(terms: set[str], text: list[str]) -> float:
        counts = Counter(text)
        fill = K1 * (1 - B + B * len(text) / mean)
        return sum(weight(word) * counts[word] / (fill + counts[word]) for word in terms)

    mine = tokenize(query)
    return [
        min(1.0, score(set(mine), text) / sqrt(score(set(text), text) * score(set(mine), mine))) if mine else 0.0
        for text in found
    ]


@given(TEXTS, st.lists(st.sampled_from([*WORDS, "unheard"]), max_size=6).map(" ".join))
def test_likeness_by_hand(texts: list[str], query: str) -> None:
    assert TextIndex(tuple(texts)).likeness(query).tolist() == pytest.approx(by_hand(texts, query), abs=1e-5)


@given(TEXTS)
def test_a_text_is_wholly_like_itself(texts: list[str]) -> None:
    index = TextIndex(tuple(texts))
    for place, text in enumerate(texts):
        assert index.likeness(text)[place] == pytest.approx(1, abs=1e-5)


def test_without_a_word_in_it_nothing_is_like() -> None:
    assert TextIndex(("connection refused",)).likeness("").tolist() == [0.0]
    assert TextIndex(("<>", "connection refused")).likeness("refused")[0] == 0
