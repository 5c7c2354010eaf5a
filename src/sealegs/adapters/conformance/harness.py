"""The interface of a harness: the only page that somebody has to read who brings an adapter.

A case is a few tool calls that a scripted model makes. The harness builds a real agent of its framework with the
case's tools, lets the framework's own loop run, and its fake model asks the script what to do next.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from sealegs.adapters.conformance.fixtures import Mode
from sealegs.inject import Session

FINAL = "That is all."


@dataclass(frozen=True, slots=True)
class ScriptedToolCall:
    """A tool call that the scripted model makes."""

    id: str
    tool: str
    arguments: Mapping[str, Any]


class ModelScript:
    """A script for the model, turn by turn, and the texts that it reads meanwhile.

    Attributes:
        prompts: the texts that the model read, one a turn.
        shown: the text that it read as the result of each call, by the call's id.
        finished: whether the model was called again after all its calls and could say its last words.
        last_words: the text that it then says.
    """

    def __init__(self, turns: Sequence[Sequence[ScriptedToolCall]]) -> None:
        self._turns = [tuple(turn) for turn in turns]
        self.prompts: list[str] = []
        self.shown: dict[str, str] = {}
        self.finished = False
        self.last_words = FINAL

    def turn(self, prompt: str, results: Mapping[str, str]) -> tuple[ScriptedToolCall, ...]:
        """The calls that the model makes next; empty where it then says `last_words`.

        Args:
            prompt: all that the model reads now: tool declarations, messages, results; without what differs from run
                to run by itself, such as generated ids and times.
            results: the texts of the results so far by the id of their `ScriptedToolCall`, as the model reads them.
        """
        self.prompts.append(prompt)
        self.shown.update(results)
        if self._turns:
            return self._turns.pop(0)
        self.finished = True
        return ()


@dataclass(frozen=True)
class ConformanceCase:
    """One run of an agent.

    Attributes:
        mode: which of the framework's ways is to be used; the tools are coroutine functions where it is `async`, plain
            functions where it is `sync` or `mixed` (sync tools in the async way).
        tools: plain functions with annotations and docstrings, to be made into the framework's tools, by name.
        script: of the fake model.
        armed: whether the adapter is in place at all.
        session: what the adapter is to be armed with; None: it looks for the active session itself.
        shows: the adapter shows failures to the model rather than raising them, where it offers both.
        patience: seconds of the framework's own timeout for one tool call; None where the case wants none.
        events: the kinds of what the framework streams, in order; `note` adds one.
    """

    mode: Mode
    tools: Mapping[str, Callable[..., Any]]
    script: ModelScript
    armed: bool
    session: Session | None = None
    shows: bool = False
    patience: float | None = None
    events: list[str] = field(default_factory=list)

    def note(self, event: str) -> None:
        """The framework streamed this: the kind of an event, or the text of a tool's progress."""
        self.events.append(event)


class Harness(ABC):
    """A framework and the adapter for it, as the kit needs them.

    Attributes:
        framework: its name in reports.
        package: the distribution whose version is reported.
        modes: which of the framework's ways there are.
        absent: checks that have nothing to check here, by name, with the reason; `check (mode)` speaks of one mode.
        complaint: makes of a text the exception, or the answer, by which a tool of this framework tells the model of
            an error, where that is another thing than raising whatever it raises.
        chunks: where tools are generators: an answer as the list of chunks that they give, which faults work on. The
            tools of a case return such a list, or what is to be given as one chunk.
    """

    framework: ClassVar[str]
    package: ClassVar[str]
    modes: ClassVar[tuple[Mode, ...]] = ("sync", "async", "mixed")
    absent: ClassVar[Mapping[str, str]] = {}
    complaint: Callable[[str], Any] | None = None
    chunks: Callable[[Any], list[Any]] | None = None

    @abstractmethod
    def play(self, case: ConformanceCase) -> None:
        """Run the agent in the framework's sync way until its last words. What the run raises passes through."""

    @abstractmethod
    async def play_async(self, case: ConformanceCase) -> None:
        """The same in its async way."""

    def progress(self, text: str) -> None:
        """Called inside a tool: report progress by the framework's own means; nothing where it has none."""
        return
