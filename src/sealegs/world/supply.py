"""The flow of data between tools: the tools whose answers can fill a parameter, as far as their documents tell.

An answer field fits a parameter of its type: fully where both have one name, else as far as what they document agrees
(BM25). A tool that asks for the very same parameter passes it on rather than finds it out, so it counts less.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import jsonschema_rs

from sealegs.search.bm25 import TextIndex
from sealegs.world.corpus import Corpus
from sealegs.world.tool_search import field_text, fields_of, request_parameters

PASSED_ON = 0.3
LEAST = 0.2
PLAIN_WORDS = "plain words"


@dataclass(frozen=True)
class ToolParameter:
    """A parameter of a tool, with its schema and the values that the tool's examples give it."""

    tool: str
    name: str
    schema: Mapping[str, Any]
    required: bool
    examples: frozenset[str]

    @property
    def text(self) -> str:
        """The text of its documentation."""
        return field_text(self.name, self.schema)

    @property
    def chosen(self) -> bool:
        """Whether its values are listed, so that the caller chooses one and needs nobody's answer."""
        return "enum" in self.schema

    @cached_property
    def _validator(self) -> jsonschema_rs.Validator:
        return jsonschema_rs.validator_for(dict(self.schema))

    def takes(self, value: Any) -> bool:
        """Return whether a value is of its type, pattern and bounds."""
        return self._validator.is_valid(value)

    def shows(self, value: Any) -> bool:
        """Return whether one of its examples is this very text."""
        return isinstance(value, str) and value.casefold() in self.examples

    def tells(self, value: Any) -> bool:
        """Return whether taking this value says much: it is listed, shown, a list, or fits a pattern words do not."""
        if self.chosen or isinstance(value, list) or self.shows(value):
            return True
        return "pattern" in self.schema and not self.takes(PLAIN_WORDS)


@dataclass(frozen=True)
class AnswerField:
    """A field of a tool's answer, and the types that it can be of."""

    tool: str
    name: str
    text: str
    types: frozenset[str]


@dataclass(frozen=True)
class Supply:
    """The parameters of a corpus, and for each the tools whose answers fit it."""

    corpus: Corpus

    @cached_property
    def parameters(self) -> tuple[ToolParameter, ...]:
        """Every parameter, tool by tool."""
        return tuple(parameter for name in self.corpus.tools for parameter in self._of(name))

    @cached_property
    def suppliers(self) -> tuple[Mapping[str, float], ...]:
        """The tools, by parameter, with how well each one's answer fits, from 0 to 1."""
        index = TextIndex(tuple(field.text for field in self._answered))
        asking = {(parameter.tool, parameter.name) for parameter in self.parameters}
        return tuple(self._fits(parameter, index.scores(parameter.text), asking) for parameter in self.parameters)

    @cached_property
    def _answered(self) -> tuple[AnswerField, ...]:
        return tuple(
            AnswerField(tool, name, field_text(name, field), types_of(field))
            for tool in self.corpus.tools
            for name, field in fields_of(self.corpus.spec(tool).returns)
        )

    def _of(self, tool: str) -> Iterable[ToolParameter]:
        spec = self.corpus.spec(tool)
        shared = {"$defs": spec.parameters.get("$defs", {})}
        for name, field in request_parameters(self.corpus.tools[tool]):
            shown = frozenset(text.casefold() for example in spec.examples for text in _texts(example.get(name)))
            yield ToolParameter(tool, name, {**field, **shared}, name in spec.parameters.get("required", ()), shown)

    def _fits(self, wanted: ToolParameter, alike: list[float], asking: set[tuple[str, str]]) -> Mapping[str, float]:
        types = types_of(wanted.schema)
        fitting = [
            (field, score)
            for field, score in zip(self._answered, alike)
            if field.tool != wanted.tool and not types.isdisjoint(field.types)
        ]
        best = max((score for _, score in fitting), default=0.0) or 1.0
        found: dict[str, float] = {}
        for field, score in fitting:
            fit = 1.0 if field.name == wanted.name else score / best
            fit *= PASSED_ON if (field.tool, wanted.name) in asking else 1.0
            if fit >= max(LEAST, found.get(field.tool, 0.0)):
                found[field.tool] = fit
        return found


def types_of(schema: Mapping[str, Any]) -> frozenset[str]:
    """The JSON types of a field, all numbers alike and null aside."""
    options = [kind for option in schema.get("anyOf", ()) for kind in types_of(option)]
    known = schema.get("type", "string" if "enum" in schema or "const" in schema else "object")
    kinds = options or ([known] if isinstance(known, str) else known)
    return frozenset("number" if kind == "integer" else kind for kind in kinds) - {"null"}


def _texts(value: Any) -> list[str]:
    return [text for text in (value if isinstance(value, (list, tuple)) else [value]) if isinstance(text, str)]
