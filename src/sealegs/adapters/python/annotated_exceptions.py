"""A tool's own exception with more to say: of its own class still, so that handlers still catch it.

Recovery may add a sentence to a failure whose tool raised an exception. What is raised then is of a subclass under the
same name, with the attributes, cause and traceback of the tool's and the longer text. Where no subclass can be made (a
class that forbids it), the exception itself is raised, and the sentence is one of its notes (PEP 678).
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Hashable
from contextlib import suppress
from typing import Any, cast

from sealegs.faults.call import Failure

MESSAGE = "__told__"


def annotated_exception(failure: Failure) -> BaseException | None:
    """The exception by which a failure that has one is shown: the tool's own, or one like it with the longer text."""
    error = failure.exception
    if error is None:
        return None
    own = next((text for text in _texts(error) if failure.message.startswith(text)), None)
    if own is None or failure.message == own:
        return error
    return exception_with_text(error, failure.message, failure.message[len(own) :].strip())


def exception_with_text(error: BaseException, text: str, remark: str = "") -> BaseException:
    """An exception of the same class that says this; the same one with a note where none can be made."""
    try:
        made = _made(error, text)
    except Exception:  # classes of others do what they like when they are made
        if remark not in getattr(error, "__notes__", ()):
            error.add_note(remark)
        return error
    return made


def _made(error: BaseException, text: str) -> BaseException:
    kind = _annotated_type(cast(Hashable, type(error)))
    args = (text,) if error.args == (_text(error),) else error.args
    # A class's own `__init__` is not called: it may take other arguments, or do something.
    plain = type(error).__init__ in _BUILT_IN
    made: BaseException = kind(*args) if plain else kind.__new__(kind, *args)
    for owner in type(error).__mro__:
        for name, member in vars(owner).items():
            # Values in slots are not in `__dict__`.
            if inspect.ismemberdescriptor(member):
                with suppress(AttributeError, TypeError):
                    setattr(made, name, getattr(error, name))
    made.__dict__.update(error.__dict__)
    made.__dict__[MESSAGE] = text
    made.args = args
    made.__cause__, made.__context__ = error.__cause__, error.__context__
    made.__suppress_context__ = error.__suppress_context__
    return made.with_traceback(error.__traceback__)


_BUILT_IN = {vars(kind)["__init__"] for kind in vars(__import__("builtins")).values()
             if isinstance(kind, type) and issubclass(kind, BaseException) and "__init__" in vars(kind)}  # fmt: skip


@functools.lru_cache(maxsize=256)
def _annotated_type(of: Hashable) -> type[BaseException]:
    kind = cast(type[BaseException], of)

    def text(self: BaseException) -> str:
        return str(self.__dict__[MESSAGE])

    def reduced(self: BaseException) -> tuple[Any, ...]:
        return _again, (kind, self.args, {**self.__dict__})

    about = {"__module__": kind.__module__, "__qualname__": kind.__qualname__, "__doc__": kind.__doc__}
    made: Any = type(kind)
    annotated: type[BaseException] = made(kind.__name__, (kind,), {**about, "__str__": text, "__reduce__": reduced})
    return annotated


def _again(kind: type[BaseException], args: tuple[Any, ...], state: dict[str, Any]) -> BaseException:
    """Rebuild the exception from a pickle."""
    annotated = _annotated_type(cast(Hashable, kind))
    made: BaseException = annotated.__new__(annotated, *args)
    made.args = args
    made.__dict__.update(state)
    return made


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # an exception that cannot say what it is
        return ""


def _texts(error: BaseException) -> list[str]:
    """The text of an exception, as itself and as its class was given it (a KeyError puts that in quotes)."""
    first = error.args[0] if error.args else None
    return [_text(error), *([first] if isinstance(first, str) else [])]
