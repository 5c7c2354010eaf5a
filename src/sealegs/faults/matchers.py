"""On which calls a rule may strike: statements about a tool's name, its tags and the call's arguments.

Frozen data that a plan writes as an object with one key. Pure: the same call is answered alike anywhere.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Annotated, Any, ClassVar, Self, cast

from pydantic import (
    Discriminator,
    Field,
    JsonValue,
    SerializerFunctionWrapHandler,
    Strict,
    field_validator,
    model_serializer,
    model_validator,
)
from pydantic import Tag as Tagged
from pydantic.dataclasses import dataclass, rebuild_dataclass

from sealegs.faults import paths
from sealegs.faults.invariants.invariant import number
from sealegs.faults.keyed import STRICT, Keyed, alternative_key
from sealegs.faults.kinds.fault import Text, problem

Number = Annotated[float, Strict()]


class Matcher(ABC):
    """A statement about a call. Combine with `&`, `|` and `~`."""

    key: ClassVar[str]

    @abstractmethod
    def matches(self, tool: str, tags: frozenset[str], arguments: Mapping[str, Any]) -> bool:
        """Whether it is true of a call of this tool with these arguments."""

    @abstractmethod
    def possible(self, tool: str, tags: frozenset[str]) -> tuple[bool, bool]:
        """Whether it could be true, and whether it could be false, of some call of this tool."""

    def may_match(self, tool: str, tags: frozenset[str]) -> bool:
        """Whether some arguments could match; what a predicate on arguments says is left open."""
        return self.possible(tool, tags)[0]

    def __and__(self, other: Matcher) -> AllOf:
        return AllOf((*_parts(AllOf, self), *_parts(AllOf, other)))

    def __or__(self, other: Matcher) -> AnyOf:
        return AnyOf((*_parts(AnyOf, self), *_parts(AnyOf, other)))

    def __invert__(self) -> Matcher:
        return self.inner if isinstance(self, Not) else Not(cast(AnyMatcher, self))


@dataclass(frozen=True, config=STRICT)
class Tool(Matcher):
    """The tool's name is this one, or fits this glob (`search_*`; `?` and `[abc]` work too; upper case counts)."""

    key: ClassVar[str] = "tool"
    tool: Text

    def matches(self, tool: str, tags: frozenset[str], arguments: Mapping[str, Any]) -> bool:
        """Whether the name fits."""
        return fnmatchcase(tool, self.tool)

    def possible(self, tool: str, tags: frozenset[str]) -> tuple[bool, bool]:
        """Decided by the name."""
        fits = fnmatchcase(tool, self.tool)
        return fits, not fits


@dataclass(frozen=True, config=STRICT)
class Tag(Matcher):
    """The tool carries this tag."""

    key: ClassVar[str] = "tag"
    tag: Text

    def matches(self, tool: str, tags: frozenset[str], arguments: Mapping[str, Any]) -> bool:
        """Whether the tag is there."""
        return self.tag in tags

    def possible(self, tool: str, tags: frozenset[str]) -> tuple[bool, bool]:
        """Decided by the tags."""
        return self.tag in tags, self.tag not in tags


class Argument(Keyed, Matcher):
    """An argument is given and fulfils every predicate; where a path names several values, one of them must."""

    key: ClassVar[str] = "argument"
    name: Text = Field(description="The argument's name, or a dotted path into it.")
    equals: JsonValue = Field(default=None, description="Its value is this one.")
    contains: JsonValue = Field(default=None, description="Its text holds this text, or its list or object this value.")
    matches_: str | None = Field(
        default=None, alias="matches", description="This regular expression is found in its text."
    )
    above: Number | None = Field(default=None, description="It is a number greater than this.")
    below: Number | None = Field(default=None, description="It is a number smaller than this.")
    present: bool | None = Field(default=None, description="true: it is given; false: it is not.")

    @field_validator("matches_")
    @classmethod
    def _compiles(cls, pattern: str | None) -> str | None:
        try:
            re.compile(pattern or "")
        except re.error as error:
            raise problem(f"is not a regular expression ({error})", "Correct it, or use `contains`.") from None
        return pattern

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        given = self.model_fields_set - {"name"}
        if not given:
            raise problem("states no predicate", "Add one of equals, contains, matches, above, below, present.")
        if self.present is False and given != {"present"}:
            raise problem("asks for an absent argument with a value", "Leave out `present`, or the other predicates.")
        return self

    @model_serializer(mode="wrap")
    def _under_key(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        given = {name: getattr(self, name) for name in type(self).model_fields if name in self.model_fields_set}
        return {self.key: {name.rstrip("_"): value for name, value in given.items()}}

    def matches(self, tool: str, tags: frozenset[str], arguments: Mapping[str, Any]) -> bool:
        """Whether one of the argument's values fulfils every predicate."""
        found = paths.values_at(arguments, self.name)
        if self.present is False:
            return not found
        return any(map(self._fulfils, found))

    def possible(self, tool: str, tags: frozenset[str]) -> tuple[bool, bool]:
        """Undecided until the arguments are known."""
        return True, True

    def _fulfils(self, value: Any) -> bool:
        given = self.model_fields_set
        return (
            ("equals" not in given or equal_json(value, self.equals))
            and ("contains" not in given or _contains(value, self.contains))
            and (self.matches_ is None or (isinstance(value, str) and re.search(self.matches_, value) is not None))
            and (self.above is None or (number(value) and value > self.above))
            and (self.below is None or (number(value) and value < self.below))
        )


@dataclass(frozen=True, config=STRICT)
class AllOf(Matcher):
    """Every one of these is true."""

    key: ClassVar[str] = "all"
    all: Annotated[tuple[AnyMatcher, ...], Field(min_length=1)]

    def matches(self, tool: str, tags: frozenset[str], arguments: Mapping[str, Any]) -> bool:
        """Whether all are true."""
        return all(part.matches(tool, tags, arguments) for part in self.all)

    def possible(self, tool: str, tags: frozenset[str]) -> tuple[bool, bool]:
        """Could be true where each could be, false where one could be."""
        parts = [part.possible(tool, tags) for part in self.all]
        return all(true for true, _ in parts), any(false for _, false in parts)


@dataclass(frozen=True, config=STRICT)
class AnyOf(Matcher):
    """At least one of these is true."""

    key: ClassVar[str] = "any"
    any: Annotated[tuple[AnyMatcher, ...], Field(min_length=1)]

    def matches(self, tool: str, tags: frozenset[str], arguments: Mapping[str, Any]) -> bool:
        """Whether one is true."""
        return any(part.matches(tool, tags, arguments) for part in self.any)

    def possible(self, tool: str, tags: frozenset[str]) -> tuple[bool, bool]:
        """Could be true where one could be, false where each could be."""
        parts = [part.possible(tool, tags) for part in self.any]
        return any(true for true, _ in parts), all(false for _, false in parts)


@dataclass(frozen=True, config=STRICT)
class Not(Matcher):
    """This is not true."""

    key: ClassVar[str] = "not"
    inner: AnyMatcher = Field(alias="not")

    def matches(self, tool: str, tags: frozenset[str], arguments: Mapping[str, Any]) -> bool:
        """Whether the inner statement is false."""
        return not self.inner.matches(tool, tags, arguments)

    def possible(self, tool: str, tags: frozenset[str]) -> tuple[bool, bool]:
        """The inner answer turned round."""
        true, false = self.inner.possible(tool, tags)
        return false, true


AnyMatcher = Annotated[
    Annotated[Tool, Tagged("tool")]
    | Annotated[Tag, Tagged("tag")]
    | Annotated[Argument, Tagged("argument")]
    | Annotated[AllOf, Tagged("all")]
    | Annotated[AnyOf, Tagged("any")]
    | Annotated[Not, Tagged("not")],
    Discriminator(alternative_key),
]
for combined in (AllOf, AnyOf, Not):
    rebuild_dataclass(combined)  # type: ignore[arg-type]  # pydantic dataclasses, which mypy takes for plain ones


def equal_json(left: Any, right: Any) -> bool:
    """Equality of JSON values: 1 equals 1.0 and not true."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(equal_json(value, right[key]) for key, value in left.items())
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        return len(left) == len(right) and all(map(equal_json, left, right))
    return bool(left == right)


def _contains(value: Any, wanted: Any) -> bool:
    if isinstance(value, str):
        return isinstance(wanted, str) and wanted in value
    if isinstance(value, Mapping):
        return wanted in value if isinstance(wanted, str) else False
    return isinstance(value, (list, tuple)) and any(equal_json(item, wanted) for item in value)


def _parts(combined: type[AllOf] | type[AnyOf], matcher: Matcher) -> tuple[Any, ...]:
    """The parts of a matcher of that form, so that chains of one operator stay flat."""
    return tuple(getattr(matcher, combined.key)) if isinstance(matcher, combined) else (matcher,)
