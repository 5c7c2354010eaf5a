"""The nouns of the seam: a tool call, its outcome, a wait.

Pure data. Every framework's tool call becomes a `Call`; every result becomes an `Outcome`, which is either a `Value`
or a `Failure`. A layer is a generator that yields a `Call` (run the tool) or a `Wait` (let time pass), is sent the
outcome, and returns the outcome that the agent sees.

Some tools answer chunk by chunk (a generator, a stream of events). To layers, faults and records such an answer is the
list of its chunks; only a layer that asks for it lets chunks be shown before the whole is known.
"""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from sealegs.faults.frozen import quickly_frozen

ALL = sys.maxsize  # of the chunks of an answer, however many there are
Moment = Literal["before", "during", "after"]
"""The moment of a tool's work at which a fault strikes. before: nothing was done; during: a part was, where a tool has
several effects; after: all was, and the answer was lost or is wrong."""

MOMENTS: tuple[Moment, ...] = get_args(Moment)


@quickly_frozen
class Call:
    """One tool call.

    Attributes:
        tool: the tool's name.
        arguments: its arguments by name.
        id: unique in the episode; what an answer refers to.
        nth: how many times this tool was called before in the episode.
        dry: compute the answer and leave no effect behind (a tool that cannot do so runs as usual).
        cut: stop after this many effects; used only with a tool whose spec says that it has several parts.
        chunks: where the tool answers chunk by chunk, so many chunks are wanted, each shown as it comes (a
            `PartialResult` is the answer where there are more); None: the whole answer is wanted, and nothing is shown
            before it.
        beyond: so many further chunks at most are then taken and not shown, so that the tool does the rest of its work;
            a `PartialExecution` is the answer where it does not come to its end. For tools that run only as far as
            their chunks are taken (generators).
        buffered: the chunks are shown one by one, each by a `Wait` that says so; the answer is `MORE_TO_COME` if
            there is any.
        retry: how many times the client that sends the call had sent it before, by itself and where it says so.
    """

    tool: str
    arguments: Mapping[str, Any]
    id: str = ""
    nth: int = 0
    dry: bool = False
    chunks: int | None = None
    beyond: int = 0
    buffered: bool = False
    cut: int | None = None
    retry: int = field(default=0, compare=False)

    def as_dry(self, dry: bool) -> Call:
        """The same call, to be made without its effect or with it."""
        # Made outright: `replace` costs more than twice as much, and many faults on tools with effects come here.
        return Call(
            self.tool,
            self.arguments,
            self.id,
            self.nth,
            dry,
            self.chunks,
            self.beyond,
            self.buffered,
            cut=self.cut,
            retry=self.retry,
        )


@dataclass(frozen=True, slots=True)
class Value:
    """A tool's answer: JSON-like data, or text unchanged."""

    value: Any


@dataclass(frozen=True, slots=True)
class PartialExecution(Value):
    """The answer to a call that was cut: only a part of its effects happened."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A tool's failure, as data.

    Attributes:
        message: what the tool says.
        type: the error's name, such as `ServiceUnavailable`.
        status: the HTTP status, where there is one.
        retry_after: seconds after which the tool invites another try.
        body: further fields of the error's body.
        exception: the tool's own exception, kept so that an adapter can raise it again unchanged.
        unsent: the call never left: an adapter could not send its own request, or something before the tool refused
            the call. Only code that knows so sets it, and no fault does; words and statuses never prove it.
    """

    message: str
    type: str = "ToolError"
    status: int | None = None
    retry_after: float | None = None
    body: Mapping[str, Any] | None = None
    exception: BaseException | None = field(default=None, compare=False, repr=False)
    unsent: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Wait:
    """Let time pass. `seconds` may be infinite: then nothing ever comes.

    Attributes:
        seconds: how long.
        ignores_cancel: whoever is waited for does not stop at a cancel that is sent to it as a message (MCP has one).
        chunks: so many chunks of the answer to the last call, which was buffered or whole, are shown then, if the
            agent's call wants chunks. The layer is sent `MORE_TO_COME` while there are more, then that answer as a
            whole.
    """

    seconds: float
    ignores_cancel: bool = False
    chunks: int = 0


class PartialResult(list[Any]):
    """The first chunks of an answer that continues. Never shown: whoever requested them says what comes after."""


Outcome = Value | Failure
MORE_TO_COME = Value(PartialResult())  # there is a chunk that was not shown yet; known by identity


class PreparedEncoder(json.JSONEncoder):
    """An encoder that is prepared once, and writes what a `json.JSONEncoder` with the same options writes.

    The standard encoder prepares itself on each call of `encode`, which takes a quarter of the time of an event of a
    record. This one does not check for circular references: data that holds itself ends in a `RecursionError`.

    Args:
        ensure_ascii, allow_nan, default: as there.
    """

    def __init__(
        self, *, ensure_ascii: bool = True, allow_nan: bool = True, default: Callable[[Any], Any] | None = None
    ) -> None:
        super().__init__(ensure_ascii=ensure_ascii, allow_nan=allow_nan, check_circular=False, default=default)
        make = getattr(json.encoder, "c_make_encoder", None)  # absent where the interpreter has no such extension
        texts = json.encoder.encode_basestring_ascii if ensure_ascii else json.encoder.encode_basestring
        separators = self.key_separator, self.item_separator
        self._parts = make and make(None, self.default, texts, None, *separators, False, False, allow_nan)

    def encode(self, o: Any) -> str:
        """The value as text.

        Raises:
            TypeError, ValueError: as by `json.JSONEncoder`.
            RecursionError: it is nested too deeply, or holds itself.
        """
        if self._parts is None:
            return super().encode(o)
        return "".join(self._parts(o, 0))


_ENCODER = PreparedEncoder(ensure_ascii=False, default=str)
_CHECKING = json.JSONEncoder(ensure_ascii=False, default=str)  # its error names data that holds itself
LONGEST_KEPT = 1000  # characters of a failure's message whose text is kept
Layer = Callable[[Call], Generator[Call | Wait, Outcome, Outcome]]


@dataclass(frozen=True, slots=True)
class Effect:
    """One thing that a tool really did to the world.

    Attributes:
        action: what was done, independent of the tool that did it (`reserve`, `send`).
        subject: on what or for whom.
        details: what tells this effect from another of its action and subject.
        call: the id of the call that did it.
    """

    action: str
    subject: str
    details: Mapping[str, Any]
    call: str = ""


def no_such_tool(call: Call) -> Failure:
    """The failure of a call to a tool that does not exist."""
    return Failure(f"There is no tool named {call.tool!r}.", type="ToolNotFound", status=404)


def failure_body(failure: Failure) -> dict[str, Any]:
    """A failure as the JSON object that a tool's server would send."""
    error: dict[str, Any] = {}
    if failure.status is not None:
        error["status"] = failure.status
    error["type"] = failure.type
    error["message"] = failure.message
    if failure.retry_after is not None:
        error["retry_after"] = failure.retry_after
    if failure.body:
        error.update(failure.body)
    return {"error": error}


def render(outcome: Outcome) -> str:
    """The outcome as the text of a tool message.

    A failure is in the text itself, so that every model provider passes it on in the same way.
    """
    if isinstance(outcome, Failure):
        if outcome.body or len(outcome.message) > LONGEST_KEPT:
            return _text(failure_body(outcome))
        return _failure_text(outcome.message, outcome.type, outcome.status, outcome.retry_after)
    if isinstance(outcome.value, str):
        return outcome.value
    return _text(outcome.value)


def _text(value: Any) -> str:
    try:
        return _ENCODER.encode(value)
    except RecursionError:
        return _CHECKING.encode(value)


def raised_text(failure: Failure) -> str:
    """A failure as the text of an exception: its message, or its JSON where there is more to say."""
    more = failure.status is not None or failure.retry_after is not None or failure.body
    return render(failure) if more else failure.message


# A fault strikes with the same few failures again and again, and to encode one costs more than all else that shows it.
# Types count too: 1, 1.0 and true are equal, and are written differently.
@functools.lru_cache(maxsize=256, typed=True)
def _failure_text(message: str, type: str, status: int | None, retry_after: float | None) -> str:
    return _ENCODER.encode(failure_body(Failure(message, type, status, retry_after)))
