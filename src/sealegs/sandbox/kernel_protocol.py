"""The checks of a kernel's messages: the host believes nothing that is not checked here.

A message is one line of JSON of limited length, a call or the end of the turn, with exactly the fields that it has to
have. Everything else is a `ProtocolViolation`, and the kernel is killed. What passes is still only what the kernel
says: the output of a turn may be forged, the calls may not, because the host makes them itself and keeps its own log.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NoReturn

from sealegs.faults.call import Failure, Outcome, render
from sealegs.sandbox.inside import DEPTH, storable_text
from sealegs.sandbox.limits import Limits

ENDS = ("finished", "raised", "timeout", "memory")
UNSAYABLE = "The answer cannot be shown: {}."

End = Literal["finished", "raised", "timeout", "memory"]


class ProtocolViolation(ValueError):
    """The kernel sent something that it must not send."""


@dataclass(frozen=True, slots=True)
class FunctionCallRequest:
    """The kernel wants a function called."""

    tool: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Done:
    """The kernel says that the turn is over."""

    how: End
    output: str
    error: str | None


def line_of(message: Mapping[str, Any]) -> bytes:
    """A message to the kernel."""
    return json.dumps(message).encode() + b"\n"


def parse_line(line: bytes) -> dict[str, Any]:
    """A line as an object.

    Raises:
        ProtocolViolation: it is not one.
    """
    try:
        message = json.loads(line.decode(), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise ProtocolViolation(f"a line that is not JSON: {error}") from error
    if not isinstance(message, dict):
        raise ProtocolViolation("a line that is not an object")
    return message


def read_kernel_message(
    message: Mapping[str, Any], turn: int, call: int, functions: Mapping[str, frozenset[str]], limits: Limits
) -> FunctionCallRequest | Done:
    """A message of a turn.

    Args:
        message: what came.
        turn: the number of the turn that runs.
        call: the number that the next call must have.
        functions: the names of the arguments of each function.
        limits: of the kernel.

    Raises:
        ProtocolViolation: it is not what it has to be.
    """
    if message.keys() == {"call", "tool", "arguments"}:
        return _function_call(message, call, functions)
    if message.keys() == {"done", "how", "output", "error"}:
        return _done(message, turn, limits)
    raise ProtocolViolation("a message with other fields than it has to have")


def _function_call(
    message: Mapping[str, Any], call: int, functions: Mapping[str, frozenset[str]]
) -> FunctionCallRequest:
    number, tool, arguments = message["call"], message["tool"], message["arguments"]
    # Not `isinstance`: `true` is an int in Python, and equal to 1.
    if type(number) is not int or number != call:
        raise ProtocolViolation("a call out of order")
    if not isinstance(tool, str) or tool not in functions:
        raise ProtocolViolation("a call of a function that there is not")
    if not isinstance(arguments, dict) or not arguments.keys() <= functions[tool]:
        raise ProtocolViolation("a call with arguments that the function does not have")
    _check(arguments, DEPTH)
    return FunctionCallRequest(tool, arguments)


def _done(message: Mapping[str, Any], turn: int, limits: Limits) -> Done:
    number, how, output, error = (message[name] for name in ("done", "how", "output", "error"))
    # Not `isinstance`: true is an int, and equals the first turn's number.
    if type(number) is not int or number != turn:
        raise ProtocolViolation("the end of another turn")
    if how not in ENDS or not isinstance(output, str) or not isinstance(error, (str, type(None))):
        raise ProtocolViolation("an unknown end of a turn, or one with values of a wrong type")
    if (error is None) != (how == "finished"):
        raise ProtocolViolation("the end of a turn with an error that does not fit it")
    longest = 2 * limits.output + 100  # escapes and the note of what was cut come on top
    if len(output) > 8 * longest or len(error or "") > 8 * longest:
        raise ProtocolViolation("an output beyond the limit")
    return Done(how, storable_text(output), None if error is None else storable_text(error))


def _check(value: object, levels: int) -> None:
    """Raise unless it is plain data: finite numbers, text without lone surrogates, not too deep."""
    if isinstance(value, str):
        # Most texts are ASCII, and need not be encoded to know that they can be.
        if not value.isascii():
            _text(value)
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise ProtocolViolation("a number that is not finite")
    elif isinstance(value, (dict, list)):
        if levels == 0:
            raise ProtocolViolation("arguments nested too deeply")
        if isinstance(value, dict):
            for key in value:
                _check(key, levels)
        for one in value.values() if isinstance(value, dict) else value:
            _check(one, levels - 1)


def _text(value: str) -> None:
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise ProtocolViolation("text that is not Unicode") from error


def _no_constant(name: str) -> NoReturn:
    # Python reads NaN and Infinity, which are not JSON.
    raise ProtocolViolation(f"the number {name}")


def answer_line(outcome: Outcome, limits: Limits) -> tuple[bytes, Outcome]:
    """The line that answers a call, and the outcome that it shows.

    An answer that is too long or cannot be written as JSON is shown as a failure that says so.
    """
    if isinstance(outcome, Failure):
        return _failure_line(outcome, limits), outcome
    try:
        line = line_of_value(outcome.value)
    except (TypeError, ValueError, RecursionError) as error:
        refused = Failure(UNSAYABLE.format(error), type="ToolError")
        return _failure_line(refused, limits), refused
    if len(line) > limits.message:
        refused = Failure(f"The answer is too long: {len(line)} bytes, at most {limits.message}.", type="ToolError")
        return _failure_line(refused, limits), refused
    return line, outcome


def line_of_value(value: object) -> bytes:
    """A tool's answer as a line; what JSON does not know (dates, decimals) is shown as text."""
    return json.dumps({"value": value}, default=str).encode() + b"\n"


def _failure_line(failure: Failure, limits: Limits) -> bytes:
    more = failure.status is not None or failure.retry_after is not None or failure.body
    # JSON writes a character in twelve bytes at most (an escaped surrogate pair), so the line stays below the limit.
    text = (render(failure) if more else failure.message)[: limits.message // 16]
    name = failure.type if failure.type.isidentifier() else "ToolError"
    return line_of({"error": {"type": name, "message": text}})
