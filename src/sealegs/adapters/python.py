"""Plain Python callables as tools, sync and async.

`wrap` binds tools to a session. `tool` marks a function where it is defined: its calls go through the active session
(`with session:`), and pass as they are where there is none. A wrapped tool keeps its name, docstring and signature; a
fault is raised as the tool's own error would be, and no traceback names a file of ours. What it does not cover:
generators and other tools that answer piece by piece.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import Awaitable, Callable, Collection, Coroutine, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import CodeType, CoroutineType, FunctionType, TracebackType
from typing import Any, NamedTuple, TypeVar, overload

from sealegs.faults.call import Call, Failure, Outcome, Value, render
from sealegs.inject import NOT_DRY, Session, current
from sealegs.inject.active import live

AnyTool = Callable[..., Any]
F = TypeVar("F", bound=AnyTool)
T = TypeVar("T")
Run = Callable[[Call], T]


class _Route(NamedTuple):
    """Where a tool's calls go: the sessions that may be meant (none: nowhere), and the one that is."""

    sessions: Collection[Session]
    find: Callable[[], Session | None]


ACTIVE = _Route(live, current)
OURS = str(Path(__file__).parent.parent)
BARE = "__bare_tool__"  # where a wrapper keeps the tool, so that wrapping it again replaces the wrapper


class ToolFault(Exception):
    """What a tool raises when it is shown to fail: a subclass named after the failure, in the tool's own module.

    Attributes:
        failure: the failure as data. The exception's text is its message, or its JSON where there is more to say.
    """

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure

    def __str__(self) -> str:
        failure = self.failure
        more = failure.status is not None or failure.retry_after is not None or failure.body
        return render(failure) if more else failure.message

    def __reduce__(self) -> tuple[Any, ...]:
        failure = replace(self.failure, exception=None)
        return _fault, (failure, type(self).__module__)


@overload
def wrap(
    tools: Mapping[str, F], session: Session, *, name: str | None = None, dry: AnyTool | None = None
) -> dict[str, F]: ...
@overload
def wrap(tools: Sequence[F], session: Session, *, name: str | None = None, dry: AnyTool | None = None) -> list[F]: ...
@overload
def wrap(tools: F, session: Session, *, name: str | None = None, dry: AnyTool | None = None) -> F: ...
def wrap(tools: Any, session: Session, *, name: str | None = None, dry: AnyTool | None = None) -> Any:
    """The tool or tools with every call going through the session.

    Args:
        tools: a callable, a sequence of them, or a mapping from names to them.
        session: the episode.
        name: the tool's name; its own by default. Only for a single tool.
        dry: the same tool without its effect, for faults that need the answer alone (`silent_noop`). Only for a single
            tool. Without it these faults leave a tool that may have effects as it is, and are recorded as undelivered.

    Raises:
        TypeError: something is no callable, or answers piece by piece.
    """
    if callable(tools):
        return _guarded(tools, name, dry, _to(session))
    if name is not None or dry is not None:
        raise TypeError("`name` and `dry` are for a single tool; wrap the tools one by one")
    if isinstance(tools, Mapping):
        return {key: _guarded(one, key, None, _to(session)) for key, one in tools.items()}
    return [_guarded(one, None, None, _to(session)) for one in tools]


@overload
def tool(function: F, /) -> F: ...
@overload
def tool(*, name: str | None = None, dry: AnyTool | None = None) -> Callable[[F], F]: ...
def tool(function: F | None = None, /, *, name: str | None = None, dry: AnyTool | None = None) -> Any:
    """Decorator: calls of this function go through the active session, if there is one. For arguments see `wrap`."""
    if function is None:
        return lambda decorated: _guarded(decorated, name, dry, ACTIVE)
    return _guarded(function, name, dry, ACTIVE)


def _to(session: Session) -> _Route:
    return _Route((session,), lambda: session)


def _guarded(given: AnyTool, name: str | None, dry: AnyTool | None, route: _Route) -> AnyTool:
    function = _bare(given)
    _check(function)
    name = name or _name(function)
    parameters = _Parameters(function)
    if _is_async(function):
        guarded = _async_guard(function, name, parameters, dry, route)
    else:
        guarded = _sync_guard(function, name, parameters, dry, route)
    functools.update_wrapper(guarded, function)
    setattr(guarded, BARE, function)
    _disguise(guarded, function, name)
    return guarded


def _sync_guard(
    function: AnyTool, name: str, parameters: _Parameters, dry: AnyTool | None, route: _Route
) -> FunctionType:
    module, (sessions, find) = _module(function), route

    # A function of its own, so that the wrapper's variables need no cells: they would cost every call that passes.
    def running(arguments: Mapping[str, Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Run[Outcome]:
        def run(call: Call) -> Outcome:
            target = dry if call.dry else function
            if target is None:
                return NOT_DRY
            given, named = (args, kwargs) if call.arguments is arguments else parameters.given(call.arguments, args)
            try:
                value = target(*given, **named)
            except Exception as error:
                return _failed(error)
            return Value(_answer(value, name))

        return run

    def guarded(*args: Any, **kwargs: Any) -> Any:
        if not sessions or (session := find()) is None or session.idle(name):
            return function(*args, **kwargs)
        arguments = parameters.named(args, kwargs)
        layer = session.through(name, arguments)
        if layer is None:
            return function(*args, **kwargs)
        outcome = session.call(name, arguments, running(arguments, args, kwargs), layer)
        if isinstance(outcome, Value):
            return outcome.value
        try:
            raise _error(outcome, module)
        finally:
            del outcome  # else this frame, the failure and the exception hold one another

    return guarded  # type: ignore[return-value]


def _async_guard(
    function: AnyTool, name: str, parameters: _Parameters, dry: AnyTool | None, route: _Route
) -> FunctionType:
    module, (sessions, find) = _module(function), route

    def running(
        arguments: Mapping[str, Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Run[Coroutine[Any, Any, Outcome]]:
        async def run(call: Call) -> Outcome:
            target = dry if call.dry else function
            if target is None:
                return NOT_DRY
            given, named = (args, kwargs) if call.arguments is arguments else parameters.given(call.arguments, args)
            try:
                value = target(*given, **named)
                if type(value) is CoroutineType or isinstance(value, Awaitable):
                    value = await value
            except Exception as error:
                return _failed(error)
            return Value(value)

        return run

    async def guarded(*args: Any, **kwargs: Any) -> Any:
        if not sessions or (session := find()) is None or session.idle(name):
            return await function(*args, **kwargs)
        arguments = parameters.named(args, kwargs)
        layer = session.through(name, arguments)
        if layer is None:
            return await function(*args, **kwargs)
        try:
            outcome = await session.call_async(name, arguments, running(arguments, args, kwargs), layer)
        except asyncio.CancelledError as gone:
            raise gone.with_traceback(_trail(gone.__traceback__ and gone.__traceback__.tb_next)) from None
        if isinstance(outcome, Value):
            return outcome.value
        try:
            raise _error(outcome, module)
        finally:
            del outcome  # else this frame, the failure and the exception hold one another

    return guarded  # type: ignore[return-value]


class _Parameters:
    """A callable's parameters, to name the arguments of its calls. `self` is no argument of a tool."""

    __slots__ = ("_bound", "_only", "_spare", "names")

    def __init__(self, function: AnyTool) -> None:
        try:
            parameters = list(inspect.signature(function).parameters.values())
        except ValueError:  # a built-in without a signature
            parameters = []
        kinds = inspect.Parameter
        names = [p.name for p in parameters if p.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD)]
        self._bound = int(names[:1] == ["self"])
        self.names = tuple(names[self._bound :])
        self._only = {p.name for p in parameters if p.kind is kinds.POSITIONAL_ONLY}
        self._spare = next((p.name for p in parameters if p.kind is kinds.VAR_POSITIONAL), "args")

    def named(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments by name; what has none stands in a list under the name of the `*` parameter."""
        if self._bound:
            args = args[self._bound :]
        arguments = dict(zip(self.names, args))
        if len(args) > len(self.names):
            arguments[self._spare] = list(args[len(self.names) :])
        if kwargs:
            arguments.update(kwargs)
        return arguments

    def given(self, arguments: Mapping[str, Any], args: tuple[Any, ...]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The way back, for arguments that a fault has changed. `args` are those of the agent's call, for `self`."""
        left = dict(arguments)
        spare = left.pop(self._spare, ()) if self._spare not in self.names else ()
        first = [left.pop(name) for name in self.names if name in left and (spare or name in self._only)]
        return (*args[: self._bound], *first, *spare), left


def _bare(given: AnyTool) -> AnyTool:
    """The tool inside a wrapper of ours, else itself."""
    if inspect.ismethod(given):
        return getattr(given.__func__, BARE, given.__func__).__get__(given.__self__)  # type: ignore[no-any-return]
    bare: AnyTool = getattr(given, BARE, given)
    return bare


def _check(function: AnyTool) -> None:
    if isinstance(function, (staticmethod, classmethod)):
        raise TypeError(f"{_name(function)}: put @{type(function).__name__} outside, above the tool's decorator")
    if not callable(function):
        raise TypeError(f"{function!r} is no tool; give a callable")
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise TypeError(f"{_name(function)} is a generator; give a function that returns its whole answer")


def _name(function: AnyTool) -> str:
    inner = getattr(function, "func", function)  # of a partial
    return str(getattr(inner, "__name__", type(inner).__name__))


def _module(function: AnyTool) -> str:
    return str(getattr(function, "__module__", None) or type(function).__module__)


def _is_async(function: AnyTool) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__)


def _answer(value: Any, name: str) -> Any:
    if type(value) is CoroutineType:
        value.close()
        raise TypeError(f"{name} returned a coroutine; make it an `async def` so that its calls can be followed")
    return value


def _failed(error: Exception) -> Failure:
    """The tool's own exception as data."""
    error = error.with_traceback(_trail(error.__traceback__))
    if isinstance(error, ToolFault):  # of a tool that called another one
        return replace(error.failure, exception=error)
    try:
        message = str(error)
    except Exception:  # an exception that cannot say what it is
        message = ""
    return Failure(message, type=type(error).__name__, exception=error)


def _error(failure: Failure, module: str) -> BaseException:
    """The exception that shows a failure: the tool's own where there is one."""
    return failure.exception or _fault(failure, module)


def _fault(failure: Failure, module: str) -> ToolFault:
    return _fault_class(failure.type, module)(failure)


@functools.lru_cache(maxsize=256)
def _fault_class(name: str, module: str) -> type[ToolFault]:
    return type(name, (ToolFault,), {"__module__": module, "__doc__": None})


def _trail(traceback: TracebackType | None) -> TracebackType | None:
    """The traceback without our frames."""
    if traceback is None:
        return None
    rest = _trail(traceback.tb_next)
    if traceback.tb_frame.f_code.co_filename.startswith(OURS):
        return rest
    return TracebackType(rest, traceback.tb_frame, traceback.tb_lasti, traceback.tb_lineno)


def _disguise(guarded: FunctionType, function: AnyTool, name: str) -> None:
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
    """Of the body; a code object itself starts at its decorators."""
    lines = [line for _, _, line in code.co_lines() if line is not None and line > code.co_firstlineno]
    return min(lines, default=code.co_firstlineno)


def _one_line(units: int) -> bytes:
    """A line table that puts so many code units on the function's first line (CPython, Objects/locations.md).

    Entries of at most eight units: a head byte (high bit, form 13 "no columns", length - 1), then the line's offset, 0.
    """
    lengths = [8] * (units // 8) + ([units % 8] if units % 8 else [])
    return b"".join(bytes((0x80 | 13 << 3 | length - 1, 0)) for length in lengths)
