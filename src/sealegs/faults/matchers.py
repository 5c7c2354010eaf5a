"""Conditions for striking a call: statements about its tool's name and tags, its arguments and its HTTP request.

Frozen data that a plan writes as an object with one key. Pure: the same call is answered alike anywhere.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Annotated, Any, ClassVar, Self, cast

from pydantic import (
    AfterValidator,
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
from sealegs.faults.fault import Text, problem
from sealegs.faults.http_arguments import HttpArguments
from sealegs.faults.invariants.invariant import number
from sealegs.faults.keyed import STRICT, Keyed, alternative_key
from sealegs.faults.spec import MODEL

Number = Annotated[float, Strict()]


def _compiles(pattern: str) -> str:
    """The pattern, which must be a regular expression."""
    try:
        re.compile(pattern)
    except re.error as error:
        raise problem(f"is not a regular expression ({error})", "Correct it, or use `contains`.") from None
    return pattern


Expression = Annotated[str, AfterValidator(_compiles)]


class Matcher(ABC):
    """A statement about a call. Combine with `&`, `|` and `~`."""

    key: ClassVar[str]

    @abstractmethod
    def matches(self, tool: str, tags: frozenset[str], arguments: Mapping[str, Any]) -> bool:
        """Return whether it is true of a call of this tool with these arguments."""

    @abstractmethod
    def possible(self, tool: str, tags: frozenset[str]) -> tuple[bool, bool]:
        """Return whether it could be true, and whether it could be false, of some call of this tool."""

    def may_match(self, tool: str, tags: frozenset[str]) -> bool:
        """Return whether some arguments could match; what a predicate on arguments says is left open."""
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
        """Return whether the name fits."""
        return fnmatchcase(tool, self.tool)

    def possible(self, tool: str, tags: frozenset[str]) -> tuple[bool, bool]:
        """Decided by the name."""
        # Asked of each tool in each episode, and most rules name one by its name.
        fits = tool == self.tool if self._literal else fnmatchcase(tool, self.tool)
        return fits, not fits

    @cached_property
    def _literal(self) -> bool:
        return not any(mark in self.tool for mark in "*?[")


@dataclass(frozen=True, config=STRICT)
class Tag(Matcher):
    """The tool carries this tag."""

    key: ClassVar[str] = "tag"
    tag: Text

    def matches(self, tool: str, tags: frozenset[str], arguments: Mapping[str, Any]) -> bool:
        """Return whether the tag is there."""
        return self.tag in tags

    def possible(self, tool: str, tags: frozenset[str]) -> tuple[bool, bool]:
        """Decided by the tags."""
        return self.tag in tags, self.tag not in tags


@dataclass(frozen=True, config=STRICT)
class Model(Matcher):
    """A model is called, and its name is this one or fits this glob (`gpt-*`)."""

    key: ClassVar[str] = "model"
    model: Text

    def matches(self, tool: str, tags: frozenset[str], arguments: Mapping[str, Any]) -> bool:
        """Return whether the request names such a model."""
        body = arguments.get("body")
        name = body.get("model") if MODEL in tags and isinstance(body, Mapping) else None
        return isinstance(name, str) and fnmatchcase(name, self.model)

    def possible(self, tool: str, tags: frozenset[str]) -> tuple[bool, bool]:
        """False for a tool; for a model's interface, undecided until the request is known."""
        return MODEL in tags, True


@dataclass(frozen=True, config=STRICT)
class Method(Matcher):
    """The call is an HTTP request by this method (`POST`)."""

    key: ClassVar[str] = "method"
    method: Text

    @field_validator("method")
    @classmethod
    def _in_capitals(cls, method: str) -> str:
        if re.fullmatch(r"[A-Z][A-Z-]*", method) is None:
            raise problem("is not a method as requests name it", "Write it in capitals, such as POST.")
        return method

    def matches(self, tool: str, tags: frozenset[str], arguments: Mapping[str, Any]) -> bool:
        """Return whether it is such a request."""
        return isinstance(arguments, HttpArguments) and arguments.method == self.method

    def possible(self, tool: str, tags: frozenset[str]) -> tuple[bool, bool]:
        """Undecided until the request is known."""
        return True, True


class Header(Keyed, Matcher):
    """The call is an HTTP request with a header that fulfils every predicate; one of its values must."""

    key: ClassVar[str] = "header"
    name: Text = Field(description="The header's name; upper and lower case are one.")
    equals: str | None = Field(default=None, description="Its value is this one.")
    contains: str | None = Field(default=None, description="Its value holds this text.")
    matches_: Expression | None = Field(
        default=None, alias="matches", description="This regular expression is found in it."
    )
    present: bool | None = Field(default=None, description="true: it was sent; false: it was not.")

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.model_fields_set == {"name"}:
            raise problem("states no predicate", "Add one of equals, contains, matches, present.")
        if self.present is False and self.model_fields_set != {"name", "present"}:
            raise problem("asks for an absent header with a value", "Leave out `present`, or the other predicates.")
        return self

    @model_serializer(mode="wrap")
    def _under_key(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return _given(self)

    def matches(self, tool: str, tags: frozenset[str], arguments: Mapping[str, Any]) -> bool:
        """Return whether it is a request with such a header."""
        if not isinstance(arguments, HttpArguments):
            return False
        found = arguments.header_values(self.name)
        return not found if self.present is False else any(map(self._fulfils, found))

    def possible(self, tool: str, tags: frozenset[str]) -> tuple[bool, bool]:
        """Undecided until the request is known."""
        return True, True

    def _fulfils(self, value: str) -> bool:
        return (
            (self.equals is None or value == self.equals)
            and (self.contains is None or self.contains in value)
            and (self.matches_ is None or re.search(self.matches_, value) is not None)
        )


class Argument(Keyed, Matcher):
    """An argument is given and fulfils every predicate; where a path names several values, one of them must."""

    key: ClassVar[str] = "argument"
    name: Text = Field(description="The argument's name, or a dotted path into it.")
    equals: JsonValue = Field(default=None, description="Its value is this one.")
    contains: JsonValue = Field(default=None, description="Its text holds this text, or its list or object this value.")
    matches_: Expression | None = Field(
        default=None, alias="matches", description="This regular expression is found in its text."
    )
    above: Number | None = Field(default=None, description="It is a number greater than this.")
    below: Number | None = Field(default=None, description="It is a number smaller than this.")
    present: bool | None = Field(default=None, description="true: it is given; false: it is not.")

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
        return _given(self)

    def matches(self, tool: str, tags: frozenset[str], arguments: Mapping[str, Any]) -> bool:
        """Return whether one of the argument's values fulfils every predicate."""
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
            # None is a value that may be asked for, so that what counts is whether the field was given.
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
        """Return whether all are true."""
        return all(part.matches(tool, tags, arguments) for part in self.all)

    def possible(self, tool: str, tags: frozenset[str]) -> tuple[bool, bool]:
        """Could be true where each could be, false where one could be."""
        parts = [part.possible(tool, tags) for part in self.all]
        return all(true for true, _ in parts), any(false for _, false in parts)


@dataclass(frozen=True, config=STRICT)
class AnyOf(Matcher):
    """The statement that at least one of these is true."""

    key: ClassVar[str] = "any"
    any: Annotated[tuple[AnyMatcher, ...], Field(min_length=1)]

    def matches(self, tool: str, tags: frozenset[str], arguments: Mapping[str, Any]) -> bool:
        """Return whether one is true."""
        return any(part.matches(tool, tags, arguments) for part in self.any)

    def possible(self, tool: str, tags: frozenset[str]) -> tuple[bool, bool]:
        """Could be true where one could be, false where each could be."""
        parts = [part.possible(tool, tags) for part in self.any]
        return any(true for true, _ in parts), all(false for _, false in parts)


@dataclass(frozen=True, config=STRICT)
class Not(Matcher):
    """The statement that this one is not true."""

    key: ClassVar[str] = "not"
    inner: AnyMatcher = Field(alias="not")

    def matches(self, tool: str, tags: frozenset[str], arguments: Mapping[str, Any]) -> bool:
        """Return whether the inner statement is false."""
        return not self.inner.matches(tool, tags, arguments)

    def possible(self, tool: str, tags: frozenset[str]) -> tuple[bool, bool]:
        """The inner answer turned round."""
        true, false = self.inner.possible(tool, tags)
        return false, true


AnyMatcher = Annotated[
    Annotated[Tool, Tagged("tool")]
    | Annotated[Tag, Tagged("tag")]
    | Annotated[Model, Tagged("model")]
    | Annotated[Argument, Tagged("argument")]
    | Annotated[Method, Tagged("method")]
    | Annotated[Header, Tagged("header")]
    | Annotated[AllOf, Tagged("all")]
    | Annotated[AnyOf, Tagged("any")]
    | Annotated[Not, Tagged("not")],
    Discriminator(alternative_key),
]
for combined in (AllOf, AnyOf, Not):
    rebuild_dataclass(combined)  # type: ignore[arg-type]  # pydantic dataclasses, which mypy takes for plain ones


def equal_json(left: Any, right: Any) -> bool:
    """Equality of JSON values: 1 equals 1.0 and not true."""
    # In Python True equals 1; in JSON it does not.
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(equal_json(value, right[key]) for key, value in left.items())
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        return len(left) == len(right) and all(map(equal_json, left, right))
    return bool(left == right)


def _given(matcher: Keyed) -> dict[str, Any]:
    """The value in a matcher, under its key."""
    given = [name for name in type(matcher).model_fields if name in matcher.model_fields_set]
    return {matcher.key: {name.rstrip("_"): getattr(matcher, name) for name in given}}


def _contains(value: Any, wanted: Any) -> bool:
    if isinstance(value, str):
        return isinstance(wanted, str) and wanted in value
    if isinstance(value, Mapping):
        return wanted in value if isinstance(wanted, str) else False
    return isinstance(value, (list, tuple)) and any(equal_json(item, wanted) for item in value)


def _parts(combined: type[AllOf] | type[AnyOf], matcher: Matcher) -> tuple[Any, ...]:
    """The parts of a matcher of that form, so that chains of one operator stay flat."""
    return tuple(getattr(matcher, combined.key)) if isinstance(matcher, combined) else (matcher,)
