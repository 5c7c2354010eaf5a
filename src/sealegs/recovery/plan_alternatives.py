"""Alternatives as a recovery plan writes them: see `policies.alternative` for what they mean.

```yaml
alternatives:
  - tool: search_hotels
    steps: [{tool: hotel_directory, arguments: {city: {given: city}}}]
    answer: {rate_key: ticket}
    then:
      - tool: book_hotel_offer
        knows: {rate_key: {seen: {tool: search_hotels, path: rate_key}}}
        steps:
          - tool: book_hotel_room
            arguments:
              hotel_id: {step: 0, path: hotel_id}
              check_in: {asked: {tool: search_hotels, argument: check_in}}
              guest: {given: guest}
        answer: {confirmation: {step: 1, path: confirmation}}
```
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from sealegs.recovery.policies.alternative import (
    Alternative,
    AlternativeStep,
    Answer,
    CallArgument,
    EarlierAnswer,
    EarlierArgument,
    FirstKnown,
    Fixed,
    Known,
    ReferenceTicket,
    Source,
    StepField,
    Then,
)

FORMS = (
    "{given: NAME}, {fixed: VALUE}, {step: N, path: PATH}, {seen: {tool: TOOL, path: PATH}},"
    " {asked: {tool: TOOL, argument: NAME}} or {either: [...]}"
)


class _Read(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SeenSettings(_Read):
    """A field of the latest right answer of a tool earlier in the session."""

    tool: str
    path: str


class EarlierArgumentSettings(_Read):
    """An argument of the session's latest call of a tool that was answered well."""

    tool: str
    argument: str


class SourceSettings(_Read):
    """The source of an argument, in one of the forms of `FORMS`."""

    given: str | None = None
    fixed: Any = None
    step: int | None = None
    path: str | None = None
    seen: SeenSettings | None = None
    asked: EarlierArgumentSettings | None = None
    either: Annotated[tuple[SourceSettings, ...], Field(min_length=1)] | None = None

    @model_validator(mode="after")
    def _one_form(self) -> SourceSettings:
        forms = ({"given"}, {"fixed"}, {"step", "path"}, {"seen"}, {"asked"}, {"either"})
        given = self.model_fields_set
        # Only a constant may be null: elsewhere it would be a form that was left empty.
        if given not in forms or any(getattr(self, name) is None for name in given - {"fixed"}):
            raise ValueError(f"should be {FORMS}")
        return self

    def source(self) -> Source:
        """The source as the policy takes it."""
        if self.given is not None:
            return CallArgument(self.given)
        if self.step is not None:
            return StepField(self.step, self.path or "")
        if self.seen is not None:
            return EarlierAnswer(self.seen.tool, self.seen.path)
        if self.asked is not None:
            return EarlierArgument(self.asked.tool, self.asked.argument)
        if self.either is not None:
            return FirstKnown(tuple(one.source() for one in self.either))
        # Last, and without a test: a constant may be null.
        return Fixed(self.fixed)

    def steps(self) -> Iterator[int]:
        """The steps that it takes from."""
        if self.step is not None:
            yield self.step
        for one in self.either or ():
            yield from one.steps()


class FoundSettings(_Read):
    """A field of a step's answer."""

    step: Annotated[int, Field(ge=0)]
    path: str


class StepSettings(_Read):
    """One call of an alternative."""

    tool: str
    arguments: Mapping[str, SourceSettings] = Field(default_factory=dict)

    def as_step(self) -> AlternativeStep:
        """The step as the policy takes it."""
        return AlternativeStep(self.tool, {name: source.source() for name, source in self.arguments.items()})


AnswerSettings = Mapping[str, FoundSettings | Literal["ticket"]]


class ThenSettings(_Read):
    """The settings of `Then`."""

    tool: str
    knows: Annotated[Mapping[str, SourceSettings], Field(min_length=1)]
    steps: tuple[StepSettings, ...] = ()
    answer: AnswerSettings = Field(default_factory=dict)

    def as_then(self) -> Then:
        """The following call as the policy takes it."""
        knows = {name: known for name, one in self.knows.items() if isinstance(known := one.source(), Known)}
        return Then(self.tool, knows, tuple(step.as_step() for step in self.steps), _answer(self.answer))


class AlternativeSettings(_Read):
    """The settings of `Alternative`."""

    tool: str
    steps: tuple[StepSettings, ...]
    answer: AnswerSettings
    then: tuple[ThenSettings, ...] = ()

    @model_validator(mode="after")
    def _in_order(self) -> AlternativeSettings:
        if not self.steps and not any(then.steps for then in self.then):
            raise ValueError("has no step that could give what the tool gives; name one in `steps`")
        parts: tuple[AlternativeSettings | ThenSettings, ...] = (self, *self.then)
        made = 0
        shown: set[tuple[str, str]] = set()
        called: set[str] = set()
        for part in parts:
            made = _steps_in_order(part.steps, made)
            for path, found in part.answer.items():
                if isinstance(found, FoundSettings) and found.step >= made:
                    raise ValueError(f"{path!r} is taken from step {found.step}; there are {made}, from 0")
            if isinstance(part, ThenSettings):
                _known_by_then(part, shown, called)
            # Only now: a call is known by what was shown before it, never by its own answer.
            called.add(part.tool)
            shown |= {(part.tool, path) for path in part.answer}
        return self

    def alternative(self) -> Alternative:
        """The alternative as the policy takes it."""
        steps = tuple(step.as_step() for step in self.steps)
        return Alternative(self.tool, steps, _answer(self.answer), tuple(then.as_then() for then in self.then))


def _steps_in_order(steps: tuple[StepSettings, ...], made: int) -> int:
    """Check that each step takes values only from steps before it, and return how many steps there are with these."""
    for step in steps:
        for name, source in step.arguments.items():
            wrong = next((place for place in source.steps() if not 0 <= place < made), None)
            if wrong is not None:
                raise ValueError(f"argument {name!r} of step {made} takes from step {wrong}, no earlier one")
        made += 1
    return made


def _known_by_then(then: ThenSettings, shown: set[tuple[str, str]], called: set[str]) -> None:
    """Check that a call is known by things that were shown or passed before it."""
    linked = False
    for name, known in then.knows.items():
        match known.source():
            case EarlierAnswer(tool, path):
                linked = True
                if (tool, path) not in shown:
                    raise ValueError(
                        f"{then.tool} is known by {name!r}, and no answer before it shows {path!r} of {tool}"
                    )
            case EarlierArgument(tool, _):
                if tool not in called:
                    raise ValueError(
                        f"{then.tool} is known by {name!r} as asked of {tool}, which is not called before it"
                    )
            case Fixed():
                pass
            case _:
                raise ValueError(
                    f"{then.tool} is known by {name!r}, which should be {{seen: ...}}, {{asked: ...}} or fixed"
                )
    # A fixed value or an earlier argument may recur in calls of other requests; only what the detour's answer showed
    # tells this one apart.
    if not linked:
        raise ValueError(f"{then.tool} is known by nothing that was shown before it; name one {{seen: ...}} in `knows`")


def _answer(settings: AnswerSettings) -> Answer:
    return {
        path: StepField(f.step, f.path) if isinstance(f, FoundSettings) else ReferenceTicket()
        for path, f in settings.items()
    }
