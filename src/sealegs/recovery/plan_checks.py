"""Declarations of tools in a recovery plan, and its form of checks: see `policies.completion_check` for their meaning.

```yaml
tools:
  "get_*": {effects: false}
  pay:
    effects: true
    verify:
      tool: list_payments
      arguments: {account: {given: account}}
      done: {entries: payments, where: {reference: {given: reference}, status: {fixed: booked}}}
      partial: {entries: payments, where: {reference: {given: reference}, status: {fixed: reserved}}}
      resumes: false
      answer: {payment_id: {entry: id}, amount: {given: amount}}
  subscribe: {idempotent: true}
  order: {key: idempotency_key}
  lookup: {effects: true, statuses: own}
```
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from sealegs.faults.spec import ToolSpec
from sealegs.recovery.declared_tools import lacks_key
from sealegs.recovery.policies.alternative import CallArgument, Fixed
from sealegs.recovery.policies.completion_check import (
    All,
    AnswerField,
    Check,
    Condition,
    Count,
    Equals,
    Exists,
    InAnswer,
    InEntry,
    ListedEntry,
    Own,
)

CONDITIONS = (
    "{path: PATH, equals: SOURCE}, {path: PATH, exists: true or false}, {path: PATH, at_least: N},"
    " {entries: PATH, where: {FIELD: SOURCE}} or {all: [...]}"
)
Path = Annotated[str, Field(max_length=200)]


class _Read(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class OwnSettings(_Read):
    """A value that the call has, or a constant: `{given: NAME}` or `{fixed: VALUE}`."""

    given: str | None = None
    fixed: Any = None

    @model_validator(mode="after")
    def _one_form(self) -> OwnSettings:
        if self.model_fields_set not in ({"given"}, {"fixed"}) or (self.given is None and self.fixed is None):
            raise ValueError("should be {given: NAME} or {fixed: VALUE}")
        return self

    def source(self) -> Own:
        """The source as the policy takes it."""
        return Fixed(self.fixed) if self.given is None else CallArgument(self.given)


class AnswerFieldSettings(_Read):
    """The source of a field of an answer: `{entry: PATH}`, `{path: PATH}`, `{given: NAME}` or `{fixed: VALUE}`."""

    entry: Path | None = None
    path: Path | None = None
    given: str | None = None
    fixed: Any = None

    @model_validator(mode="after")
    def _one_form(self) -> AnswerFieldSettings:
        if len(self.model_fields_set) != 1 or getattr(self, next(iter(self.model_fields_set))) is None:
            raise ValueError("should be {entry: PATH}, {path: PATH}, {given: NAME} or {fixed: VALUE}")
        return self

    def source(self) -> AnswerField:
        """The source as the policy takes it."""
        if self.entry is not None:
            return InEntry(self.entry)
        if self.path is not None:
            return InAnswer(self.path)
        return Fixed(self.fixed) if self.given is None else CallArgument(self.given)


class ConditionSettings(_Read):
    """A condition, in one of the forms of `CONDITIONS`."""

    path: Path | None = None
    equals: OwnSettings | None = None
    exists: bool | None = None
    at_least: Annotated[int, Field(ge=1)] | None = None
    entries: Path | None = None
    where: Annotated[Mapping[str, OwnSettings], Field(min_length=1)] | None = None
    all: Annotated[tuple[ConditionSettings, ...], Field(min_length=1)] | None = None

    @model_validator(mode="after")
    def _one_form(self) -> ConditionSettings:
        forms = ({"path", "equals"}, {"path", "exists"}, {"path", "at_least"}, {"entries", "where"}, {"all"})
        if self.model_fields_set not in forms or any(getattr(self, name) is None for name in self.model_fields_set):
            raise ValueError(f"should be {CONDITIONS}")
        return self

    def condition(self) -> Condition:
        """The condition as the policy takes it."""
        if self.all is not None:
            return All(tuple(one.condition() for one in self.all))
        if self.where is not None:
            return ListedEntry(self.entries or "", {name: one.source() for name, one in self.where.items()})
        path = self.path or ""
        if self.equals is not None:
            return Equals(path, self.equals.source())
        return Exists(path, self.exists) if self.exists is not None else Count(path, self.at_least or 1)

    def given(self) -> Iterator[str]:
        """The arguments of the call that it compares with."""
        for one in self.all or ():
            yield from one.given()
        for source in (self.equals, *(self.where or {}).values()):
            if source is not None and source.given is not None:
                yield source.given

    @property
    def finds_entries(self) -> bool:
        """Whether there is an entry where it holds."""
        return self.where is not None or any(one.finds_entries for one in self.all or ())


class VerifySettings(_Read):
    """The settings of `Check`."""

    tool: Annotated[str, Field(min_length=1)]
    arguments: Mapping[str, OwnSettings] = Field(default_factory=dict)
    done: ConditionSettings
    partial: ConditionSettings | None = None
    resumes: bool = False
    answer: Mapping[str, AnswerFieldSettings] = Field(default_factory=dict)
    settles: Annotated[float, Field(ge=0)] | None = None

    @model_validator(mode="after")
    def _entries_are_found(self) -> VerifySettings:
        if not self.done.finds_entries and any(source.entry is not None for source in self.answer.values()):
            raise ValueError("answers with {entry: PATH}, and `done` finds no entry; give it `entries` and `where`")
        return self

    def check(self) -> Check:
        """The check as the policy takes it."""
        return Check(
            self.tool,
            {name: source.source() for name, source in self.arguments.items()},
            self.done.condition(),
            None if self.partial is None else self.partial.condition(),
            self.resumes,
            {path: source.source() for path, source in self.answer.items()},
            self.settles,
        )

    def given(self) -> Iterator[str]:
        """The arguments of the call that it takes."""
        named = [source.given for source in self.arguments.values()]
        named += [source.given for source in self.answer.values()]
        yield from (name for name in named if name is not None)
        for condition in (self.done, self.partial):
            if condition is not None:
                yield from condition.given()


class ToolSettings(_Read):
    """The declarations of a tool; a field that is left out stays as it is known."""

    effects: bool | None = Field(default=None, description="Whether a call changes anything.")
    idempotent: bool = Field(default=False, description="Whether a second identical call changes nothing further.")
    key: str = Field(default="", description="The parameter that carries an idempotency key.")
    shown_by: str = Field(default="", description="The read that lists what calls of the tool did, in the known form.")
    statuses: Literal["", "own"] = Field(default="", description="own: the tool's statuses are its own answer's.")
    parameters: Mapping[str, Any] = Field(default_factory=dict)
    returns: Mapping[str, Any] = Field(default_factory=dict)
    verify: VerifySettings | None = Field(default=None, description="The look that shows whether it was done.")

    @model_validator(mode="after")
    def _agrees(self) -> ToolSettings:
        if self.effects is False and (self.verify is not None or self.key or self.shown_by):
            raise ValueError("has no effects, so it needs no verify, key or shown_by; leave out these or that")
        fields = self.parameters.get("properties", {})
        if lacks_key(self.spec("")):
            raise ValueError(f"has no parameter {self.key!r} for its key; it has {', '.join(fields) or 'none'}")
        # Without declared parameters nothing is known to be wrong.
        named = self.verify.given() if self.verify is not None and self.parameters else ()
        strange = [name for name in named if name not in fields]
        if strange:
            raise ValueError(f"has no parameter {', '.join(map(repr, strange))} that verify takes as given")
        return self

    def spec(self, name: str) -> ToolSpec:
        """The tool's spec as the layer takes it."""
        return ToolSpec(
            name,
            effects=self.effects,
            idempotent=self.idempotent,
            key=self.key,
            shown_by=self.shown_by,
            statuses=self.statuses,
            parameters=self.parameters,
            returns=self.returns,
        )
