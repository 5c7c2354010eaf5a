"""Finding functions by what their documentation says: full-text search by default, a model's embeddings by choice."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Protocol

from sealegs.faults.user_error import UserError
from sealegs.search.bm25 import TextIndex
from sealegs.suites.highwater.libraries import library_data
from sealegs.world.sql.function_library import SqlFunction

BM25 = "bm25"
MOST = 9


class FunctionIndex(Protocol):
    """Texts that can be searched."""

    def top(self, query: str, k: int) -> list[tuple[int, float]]:
        """Place and score of the k best texts, the best first."""


@dataclass(frozen=True)
class Finder:
    """Functions to be found.

    Attributes:
        functions: in the order of their names, which decides between equals.
        index: their texts, in that order.
    """

    functions: tuple[SqlFunction, ...]
    index: FunctionIndex

    def find(self, query: str, k: int = MOST) -> list[SqlFunction]:
        """The k best functions, the best first; fewer where fewer match."""
        return [self.functions[place] for place, _ in self.index.top(query, k)]


@cache
def finder(folder: str, engine: str = BM25) -> Finder:
    """The functions of a folder under an engine: `bm25`, or the name of a sentence-transformers model.

    Raises:
        UserError: the model cannot be loaded.
    """
    library = library_data(folder).library
    functions = tuple(library.functions[name] for name in sorted(library.functions))
    texts = tuple(map(function_text, functions))
    return Finder(functions, index_texts(texts, engine))


def index_texts(texts: tuple[str, ...], engine: str) -> FunctionIndex:
    """An index over texts.

    Raises:
        UserError: the model cannot be loaded.
    """
    if engine == BM25:
        return TextIndex(texts)
    from sealegs.search.embeddings import EmbeddingIndex, NoModel

    try:
        return EmbeddingIndex(texts, engine)
    except NoModel as error:
        raise UserError(str(error)) from error


def function_text(function: SqlFunction) -> str:
    """The text that a function is found by."""
    return function.description.replace("`", "")
