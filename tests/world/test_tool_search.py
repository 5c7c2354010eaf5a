"""The search scores as BM25 is written down, finds every tool by what it says of itself, and loads late."""

import math

import pytest

from sealegs.search.bm25 import K1, B, TextIndex, tokenize
from sealegs.world.corpus import load_corpus
from sealegs.world.tool_search import ToolSearch, append_codes, purpose, tool_document
from tests.test_layers import loaded_by

CORPUS = load_corpus()
SEARCH = ToolSearch(CORPUS)
QUERIES = (
    "how much is that in euros",
    "Book the smallest free meeting room, and confirm the booking.",
    "send_email",
    "currency currency",
    "a word that no tool uses: xylophone",
)


def bm25(query: str, texts: list[str]) -> list[float]:
    """BM25 as Lucene has it, written out."""
    stems = [tokenize(text) for text in texts]
    usual = sum(map(len, stems)) / len(stems)
    scores = [0.0] * len(texts)
    for word in tokenize(query):
        having = sum(word in text for text in stems)
        idf = math.log(1 + (len(texts) - having + 0.5) / (having + 0.5))
        for at, text in enumerate(stems):
            often = text.count(word)
            scores[at] += idf * often / (often + K1 * (1 - B + B * len(text) / usual))
    return scores


@pytest.mark.parametrize("query", QUERIES)
def test_scores_are_bm25(query: str) -> None:
    texts = [tool_document(tool) for tool in CORPUS.tools.values()]
    assert SEARCH.scores(query) == pytest.approx(bm25(query, texts), rel=1e-4, abs=1e-5)


def test_a_rare_word_counts_more_and_a_long_text_less() -> None:
    rare, common, long = TextIndex(("red apple", "red pear", "red pear and many other fine words")).scores("apple pear")
    assert rare > common > long > 0


@pytest.mark.parametrize("name", CORPUS.tools)
def test_every_tool_is_found_first_by_its_own_name_and_description(name: str) -> None:
    own = purpose(CORPUS.tools[name])
    scores = dict(zip(SEARCH.names, SEARCH.purpose_scores(own)))
    assert max(scores, key=lambda tool: scores[tool]) == name
    assert name in [hit.tool for hit in SEARCH.search(own, 2)]  # `release_budget` says more of assigning than its twin


def test_search_lists_the_best_first_and_no_more_than_asked() -> None:
    scores = dict(zip(SEARCH.names, SEARCH.scores(QUERIES[0])))
    hits = SEARCH.search(QUERIES[0], 7)
    assert [hit.score for hit in hits] == sorted(scores.values(), reverse=True)[:7]
    assert all(scores[hit.tool] == hit.score for hit in hits)
    assert len(SEARCH.search(QUERIES[0], 1000)) == sum(score > 0 for score in scores.values())


@pytest.mark.parametrize("query", ["", "the of and", "xylophone", "!?"])
def test_what_nothing_matches_finds_nothing(query: str) -> None:
    assert SEARCH.search(query) == ()


def test_equals_stand_in_the_order_of_the_corpus() -> None:
    scores = SEARCH.scores("number")
    hits = SEARCH.search("number", len(SEARCH.names))
    places = [(-hit.score, SEARCH.names.index(hit.tool)) for hit in hits]
    assert places == sorted(places)
    assert len(hits) == sum(score > 0 for score in scores)


def test_names_are_words_and_words_are_stems() -> None:
    assert tokenize("convert_currency") == tokenize("Converting the currencies")


@pytest.mark.parametrize(
    ("text", "added"),
    [
        ("150 euros", ["EUR currency"]),
        ("€150", ["EUR currency"]),
        ("in Canadian dollars", ["CAD currency", "USD currency"]),
        ("two miles", ["MI unit"]),
        ("a smile", []),
    ],
)
def test_currencies_and_units_get_their_codes(text: str, added: list[str]) -> None:
    assert append_codes(text) == " ".join([text, *added])


def test_the_library_loads_on_first_use() -> None:
    assert not loaded_by("import sealegs.world.tool_search, sealegs.world.shortlist") & {"bm25s", "numpy", "Stemmer"}
