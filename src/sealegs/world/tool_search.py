"""Full-text search over tools: BM25 on what a tool documents.

A tool's document is its name, description, parameters and answer fields, each with its description and its listed
values. There are no synonyms and no embeddings: a tool is found by the words that it uses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from sealegs.search.bm25 import TextIndex
from sealegs.tasks.value_matching import CURRENCIES, UNITS
from sealegs.world.corpus import Corpus
from sealegs.world.tool import SimulatedTool


@dataclass(frozen=True, slots=True)
class ScoredTool:
    """A tool that was found, and its score."""

    tool: str
    score: float


@dataclass(frozen=True)
class ToolSearch:
    """The tools of a corpus, to be found by what they document."""

    corpus: Corpus

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The tools in the corpus' order, which is the order of all scores."""
        return tuple(self.corpus.tools)

    @cached_property
    def _documents(self) -> TextIndex:
        return TextIndex(tuple(tool_document(tool) for tool in self.corpus.tools.values()))

    @cached_property
    def _purposes(self) -> TextIndex:
        return TextIndex(tuple(purpose(tool) for tool in self.corpus.tools.values()))

    def scores(self, query: str) -> list[float]:
        """The score of every tool's document, in the order of `names`."""
        return self._documents.scores(query)

    def purpose_scores(self, query: str) -> list[float]:
        """The score of every tool's name and description alone, in the order of `names`."""
        return self._purposes.scores(query)

    def search(self, query: str, k: int = 10) -> tuple[ScoredTool, ...]:
        """The k best tools, best first; of equals the one that the corpus lists first. Fewer where fewer match."""
        found = [ScoredTool(name, score) for name, score in zip(self.names, self.scores(query)) if score > 0]
        return tuple(sorted(found, key=lambda hit: -hit.score)[:k])


def tool_document(tool: SimulatedTool) -> str:
    """The text that a tool is found by. Name and description count twice: they say what it is for."""
    fields = [*request_parameters(tool), *fields_of(tool.spec.returns)]
    return " ".join([purpose(tool)] * 2 + [field_text(name, field) for name, field in fields])


def request_parameters(tool: SimulatedTool) -> list[tuple[str, Mapping[str, Any]]]:
    """The parameters that a request is about: all but an idempotency key, which the caller makes up."""
    return [(name, field) for name, field in fields_of(tool.spec.parameters) if name != tool.key]


def purpose(tool: SimulatedTool) -> str:
    """A tool's name and description, without what a second call does, which says nothing of its purpose."""
    return f"{tool.name} {tool.description}"


def fields_of(schema: Mapping[str, Any]) -> Iterable[tuple[str, Mapping[str, Any]]]:
    """The named fields of an object's schema."""
    properties: Mapping[str, Mapping[str, Any]] = schema.get("properties", {})
    return properties.items()


def field_text(name: str, field: Mapping[str, Any]) -> str:
    """The documentation of a field: its name, its description and the values that it lists."""
    return " ".join([name, field.get("description", ""), *map(str, field.get("enum", ()))])


def append_codes(text: str) -> str:
    """The text, and behind it the code of every currency and unit that it names: `euros` adds `EUR currency`."""
    plain = text.casefold()
    return " ".join([text, *_codes(plain, CURRENCIES, "currency"), *_codes(plain, UNITS, "unit")])


def _codes(text: str, table: Mapping[str, Sequence[str]], kind: str) -> Iterator[str]:
    for code, forms in table.items():
        if any(_named(form, text) for form in forms):
            yield f"{code.upper()} {kind}"


@cache
def _form(form: str) -> re.Pattern[str]:
    return re.compile(rf"\b{re.escape(form)}s?\b")


def _named(form: str, text: str) -> bool:
    return form in text and (not form.isalpha() or _form(form).search(text) is not None)
