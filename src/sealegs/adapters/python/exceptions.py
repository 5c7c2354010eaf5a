"""Exceptions that show a failure as the tool's own, with no trace of the code in between.

Frameworks put exceptions and tracebacks into prompts; an agent must not learn from one that it is being tested.
"""

from __future__ import annotations

import functools
import inspect
import os
from dataclasses import replace
from types import CodeType, FunctionType, TracebackType
from typing import Any, TypeVar

from sealegs.adapters.python.annotated_exceptions import annotated_exception
from sealegs.faults.call import Failure, raised_text

E = TypeVar("E", bound=BaseException)
# Not by `Path`, which would write it otherwise than code objects do where an entry of `sys.path` is as `./src`.
OURS = __file__.rsplit(os.sep, 3)[0] + os.sep


class ToolFault(Exception):
    """An exception of a tool that is shown to fail: a subclass named after the failure, in the tool's own module.

    Attributes:
        failure: the failure as data. The exception's text is its message, or its JSON where there is more to say.
    """

    def __init__(self, failure: Failure) -> None:
        Exception.__init__(self, _text(failure))  # by its name, since `super` would double what that costs
        self.failure = failure

    def __reduce__(self) -> tuple[Any, ...]:
        failure = replace(self.failure, exception=None)
        return _fault, (failure, type(self).__module__)


def failure_from_exception(error: Exception, *, refused: bool = False) -> Failure:
    """The tool's own exception as data. `refused`: it was raised before the tool began."""
    error = error.with_traceback(without_own_frames(error.__traceback__))
    if isinstance(error, ToolFault):  # of a tool that called another one
        return replace(error.failure, exception=error, unsent=False)  # that one was not sent; this tool has run
    try:
        message = str(error)
    except Exception:  # an exception that cannot say what it is
        message = ""
    return Failure(message, type=type(error).__name__, exception=error, unsent=refused)


def exception_from_failure(failure: Failure, module: str) -> BaseException:
    """The exception that shows a failure: the tool's own where there is one, or one like it that says more."""
    if failure.exception is None:
        return _fault(failure, module)
    if isinstance(failure.exception, ToolFault):  # of a tool that called another one; what it says is the failure
        kept = replace(failure, exception=None)
        return failure.exception if failure.exception.failure == kept else _fault(kept, module)
    return annotated_exception(failure) or _fault(failure, module)


_said: tuple[Failure | None, str] = (None, "")  # the failure that was last raised, and its text


def _text(failure: Failure) -> str:
    """The text of a failure's exception. A rule shows one failure again and again, and writing it costs the most."""
    global _said
    known, text = _said  # read once: another thread may raise another failure meanwhile
    if failure is not known:
        text = raised_text(failure)
        if failure.exception is None and failure.body is None:  # an exception would be kept alive, a body may change
            _said = failure, text
    return text


def _fault(failure: Failure, module: str) -> ToolFault:
    kind = _fault_class(failure.type, module)
    fault = kind.__new__(kind, _text(failure))  # its constructor, in Python, would take as long as all the rest
    fault.failure = failure
    return fault


@functools.lru_cache(maxsize=256)
def _fault_class(name: str, module: str) -> type[ToolFault]:
    return type(name, (ToolFault,), {"__module__": module, "__doc__": None})


def without_own_frames(traceback: TracebackType | None) -> TracebackType | None:
    """The traceback without our frames."""
    kept = []
    while traceback is not None:  # a loop, since a tool that calls itself without end leaves as many as may be nested
        if not traceback.tb_frame.f_code.co_filename.startswith(OURS):
            kept.append(traceback)
        traceback = traceback.tb_next
    rest: TracebackType | None = None
    for one in reversed(kept):
        rest = TracebackType(rest, one.tb_frame, one.tb_lasti, one.tb_lineno)
    return rest


def seen_from_outside(error: E) -> E:
    """An exception that was just caught, without the frame that caught it and ours below it."""
    return error.with_traceback(without_own_frames(error.__traceback__ and error.__traceback__.tb_next))


def disguise(guarded: FunctionType, function: Any, name: str) -> None:
    """Make the wrapper's frame read as one of the tool: its file, its name, its first statement.

    Frameworks put tracebacks into prompts; an agent must not learn from one that it is being tested.
    """
    inner = inspect.unwrap(function)
    code = getattr(inner, "__code__", None) or getattr(type(inner).__call__, "__code__", None)
    own = guarded.__code__
    guarded.__code__ = own.replace(
        co_filename=code.co_filename if code is not None else f"<{name}>",
        co_name=code.co_name if code is not None else name,
        co_qualname=code.co_qualname if code is not None else name,
        co_firstlineno=_first_line(code) if code is not None else 1,
        co_linetable=_one_line(len(own.co_code) // 2),
    )


def _first_line(code: CodeType) -> int:
    """The first line of the body; a code object itself starts at its decorators."""
    lines = [line for _, _, line in code.co_lines() if line is not None and line > code.co_firstlineno]
    return min(lines, default=code.co_firstlineno)


def _one_line(units: int) -> bytes:
    """A line table that puts so many code units on the function's first line (CPython, Objects/locations.md).

    Entries of at most eight units: a head byte (high bit, form 13 "no columns", length - 1), then the line's offset, 0.
    """
    lengths = [8] * (units // 8) + ([units % 8] if units % 8 else [])
    return b"".join(bytes((0x80 | 13 << 3 | length - 1, 0)) for length in lengths)
