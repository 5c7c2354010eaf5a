"""The tools that a request is likely to need, likeliest first, by words, values and the flow of data, without a model.

Evidence, in this order:

1. Many small queries (BM25) instead of one: each clause and each argument, against all that a tool documents (an
   argument only against tools that can take its value); each word and the request as a whole, against names and
   descriptions. Of each kind a tool keeps its best place; the four kinds count alike.
2. A tool is worth more where each thing that it needs is given by the user or answered by a likely tool.
3. A tool is worth more where a likely tool needs what it answers and the user does not give; so come in the lookups
   and converters that no request names.
4. A tool is worth less behind one whose document says the same, so that the list covers the request.

The constants are round and were chosen by hand on the maze's base tasks, 120 by then, where nine in ten need a list of
99 of 271 tools. Halving or doubling any one of them gives 95 to 111, leaving out 2 gives 109, and leaving out 3 121.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sealegs.search.bm25 import TextIndex, tokenize
from sealegs.world.corpus import Corpus
from sealegs.world.supply import Supply, ToolParameter
from sealegs.world.tool_search import ToolSearch, append_codes, tool_document

if TYPE_CHECKING:
    from sealegs.world.tool_needs import Spread, ToolNeeds

CLAUSE_ENDS = re.compile(r"(?<=[.;:!?,()])\s+|\band\b|\bthen\b")
SLOWLY = 3  # places by arguments count 4/4, 4/5, 4/6: an argument speaks for several tools
SUPPLIED = 0.3
SAME = 0.2
FLAT = 5  # the needs of the first tools count 1/6, 1/7, 1/8: nearly the same
UNREADY = 0.1  # what a supplier counts that the user gives nothing for
CHOOSABLE = 0.5  # how sure it is that the request lets a listed value be chosen

Scores = list[float]


@dataclass(frozen=True)
class Shortlist:
    """Ranks the tools of a corpus for a request. Its indexes are built on first use and kept."""

    corpus: Corpus

    def rank(self, request: str, arguments: Mapping[str, Any]) -> tuple[str, ...]:
        """Every tool, likeliest first.

        Args:
            request: what the user says.
            arguments: the values that can be read from it, by name.
        """
        names = self._search.names
        given = self._given(arguments)
        kinds = (
            self._best_places(map(self._scores, clauses(request))),
            self._best_places(map(self._search.purpose_scores, sorted(set(tokenize(append_codes(request)))))),
            self._best_places((self._by_argument(*argument) for argument in arguments.items()), SLOWLY),
            self._search.purpose_scores(append_codes(request)),
        )
        likely = relative_scores([sum(scores) for scores in zip(*map(relative_scores, kinds))])
        able = relative_scores([score * (1 + part) for score, part in zip(likely, self._needs.able(likely, given))])
        places = [1 / (FLAT + place) for place in _places(able)]
        wanted = relative_scores(self._needs.wanted(places, given, UNREADY))
        spread = self._spread.order([a + SUPPLIED * w for a, w in zip(able, wanted)])
        return tuple(names[at] for at in spread)

    @cached_property
    def _search(self) -> ToolSearch:
        return ToolSearch(self.corpus)

    @cached_property
    def _supply(self) -> Supply:
        return Supply(self.corpus)

    @cached_property
    def _parameter_names(self) -> TextIndex:
        return TextIndex(tuple(parameter.text for parameter in self._supply.parameters))

    @cached_property
    def _place(self) -> Mapping[str, int]:
        return {name: at for at, name in enumerate(self._search.names)}

    @cached_property
    def _needs(self) -> ToolNeeds:
        from sealegs.world.tool_needs import needs_of

        return needs_of(self._supply, self._place)

    @cached_property
    def _spread(self) -> Spread:
        from sealegs.world.tool_needs import Spread

        rows = [self._search.scores(tool_document(self.corpus.tools[name])) for name in self._search.names]
        return Spread([[score / (row[at] or 1.0) for score in row] for at, row in enumerate(rows)], SAME)

    def _scores(self, query: str) -> Scores:
        return self._search.scores(append_codes(query))

    def _best_places(self, queries: Iterable[Scores], slowly: int = 0) -> Scores:
        """The worth of each tool's best place over all queries: 1 for the first, and less further down."""
        worths = [
            [(slowly + 1) / (slowly + place) if score > 0 else 0.0 for score, place in zip(scores, _places(scores))]
            for scores in queries
        ]
        return [max(column) for column in zip([0.0] * len(self._place), *worths)]

    def _by_argument(self, name: str, value: Any) -> Scores:
        """Words that the argument shares with the tools that take it, and how rare it is to take such a value."""
        taking = [parameter for parameter in self._supply.parameters if parameter.takes(value)]
        takers = {parameter.tool for parameter in taking}
        showing = {parameter.tool for parameter in taking if parameter.shows(value)}
        found = self._scores(f"{name} {_as_text(value)}")
        rare = {tool: self._rarity(takers) + (self._rarity(showing) if tool in showing else 0.0) for tool in takers}
        return [score + rare[tool] if tool in takers else 0.0 for tool, score in zip(self._search.names, found)]

    def _rarity(self, tools: set[str]) -> float:
        return math.log(len(self._search.names) / len(tools))

    def _given(self, arguments: Mapping[str, Any]) -> Scores:
        """The certainty, by parameter, that one of the user's arguments is meant for it."""
        surest = [CHOOSABLE * parameter.chosen for parameter in self._supply.parameters]
        for name, value in arguments.items():
            alike = relative_scores(self._parameter_names.scores(name))
            surest = [
                max(sure, _meant(parameter, name, value, like))
                for sure, parameter, like in zip(surest, self._supply.parameters, alike)
            ]
        return surest


def clauses(request: str) -> list[str]:
    """The request cut at its punctuation and connectives."""
    return [part for part in CLAUSE_ENDS.split(request) if tokenize(part)]


def relative_scores(scores: Sequence[float]) -> Scores:
    """The scores as shares of the highest."""
    highest = max(scores, default=0.0)
    return [score / highest for score in scores] if highest > 0 else list(scores)


def _places(scores: Scores) -> list[int]:
    """The place of each score, 1 for the highest; of equals the first."""
    places = [0] * len(scores)
    for place, at in enumerate(sorted(range(len(scores)), key=lambda at: -scores[at]), start=1):
        places[at] = place
    return places


def _meant(parameter: ToolParameter, name: str, value: Any, alike: float) -> float:
    if not parameter.takes(value):
        return 0.0
    return 1.0 if parameter.name == name or parameter.tells(value) else alike


def _as_text(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)
