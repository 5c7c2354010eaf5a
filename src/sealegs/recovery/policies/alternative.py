"""Declarations that `Switch` goes by: the ways in which other tools give what a tool gives.

A source says where a value is from: the agent's call, a constant, an earlier step, or the session's earlier calls.
Values that only the request holds are out of reach, because a layer sees only calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class CallArgument:
    """An argument of the agent's call that the steps are made for."""

    argument: str


@dataclass(frozen=True, slots=True)
class Fixed:
    """A value that the declaration fixes."""

    value: Any


@dataclass(frozen=True, slots=True)
class StepField:
    """A field of an earlier step's answer; steps count from 0, `path` is dotted."""

    step: int
    path: str


@dataclass(frozen=True, slots=True)
class EarlierArgument:
    """An argument of the session's latest call of a tool that was answered well."""

    tool: str
    argument: str


@dataclass(frozen=True, slots=True)
class EarlierAnswer:
    """A field of the latest right answer of a tool earlier in the session."""

    tool: str
    path: str


@dataclass(frozen=True, slots=True)
class FirstKnown:
    """The first of these that is known."""

    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class ReferenceTicket:
    """A reference in an answer that the layer makes out, by which it knows the call that follows (`Then`)."""


Source = CallArgument | Fixed | StepField | EarlierArgument | EarlierAnswer | FirstKnown
Known = EarlierAnswer | EarlierArgument | Fixed
Answer = Mapping[str, StepField | ReferenceTicket]


@dataclass(frozen=True, slots=True)
class AlternativeStep:
    """One call of an alternative."""

    tool: str
    arguments: Mapping[str, Source]


@dataclass(frozen=True, slots=True)
class Then:
    """A later call of the agent's that an alternative answers too, because the first one was not really answered.

    Attributes:
        tool: the tool that the agent calls then, and that is not called.
        knows: by which arguments such a call is known: each must be what this alternative showed as a field of a tool's
            answer (`EarlierAnswer`), what the agent gave in a call before (`EarlierArgument`), or fixed. With a ticket
            among them no other call can be meant. Name what the steps do not take here too, so that no other wish is
            passed over.
        steps: the calls in its place. Steps of an alternative are counted through, from its first to its last `Then`.
        answer: as of the alternative.
    """

    tool: str
    knows: Mapping[str, Known]
    steps: tuple[AlternativeStep, ...]
    answer: Answer


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another way to what a tool gives, or to what it and the calls after it give.

    Where the agent continues with what the tool would have answered (a search, then a booking of what was found),
    the other way stands in for those calls as well: each is declared in `then`, with the steps that are made only when
    the agent makes that call. So no effect comes before the agent asks for one.

    Attributes:
        tool: the tool that can be done without.
        steps: the calls in its place, in order; none where all of them wait for what the agent does next.
        answer: for each field of that tool's answer that others read (a dotted path), where it is found here.
        then: the agent's later calls that this way answers too.
    """

    tool: str
    steps: tuple[AlternativeStep, ...]
    answer: Answer
    then: tuple[Then, ...] = ()

    @property
    def parts(self) -> tuple[Alternative | Then, ...]:
        """The parts that answer one call each: the alternative itself, then those for later calls."""
        return (self, *self.then)

    def tools(self) -> tuple[str, ...]:
        """The tools of all its steps."""
        return tuple(step.tool for part in self.parts for step in part.steps)

    def sources(self) -> Iterator[Source]:
        """The sources of its steps' arguments."""
        for part in self.parts:
            for step in part.steps:
                yield from step.arguments.values()

    def remembers(self) -> Iterator[EarlierArgument | EarlierAnswer]:
        """The sources that lie in the session's earlier calls."""
        for source in self.sources():
            yield from _remembered(source)


def _remembered(source: Source) -> Iterator[EarlierArgument | EarlierAnswer]:
    if isinstance(source, FirstKnown):
        for one in source.sources:
            yield from _remembered(one)
    elif isinstance(source, (EarlierArgument, EarlierAnswer)):
        yield source
