"""The wrappers of tools that give their whole answer at once, sync and async.

A wrapper is a function of its own for each form of tool, so that a call that passes costs as little as can be.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Coroutine, Mapping
from functools import partial
from types import CoroutineType, FunctionType
from typing import Any, NamedTuple, TypeVar

from sealegs.adapters.python.exceptions import exception_from_failure, failure_from_exception, seen_from_outside
from sealegs.adapters.python.parameters import Parameters
from sealegs.faults.call import Call, Failure, Outcome, PartialExecution, Value
from sealegs.faults.spec import ToolSpec
from sealegs.inject import NO_DRY_RUN, Session
from sealegs.inject.call_context import FollowedCall
from sealegs.inject.layer_context import returned_outcome

AnyTool = Callable[..., Any]
T = TypeVar("T")
Run = Callable[[Call], T]


class Route(NamedTuple):
    """The way from a call of a tool to its session: the one that the tool is bound to, or the active one.

    Attributes:
        bound: the session of every call; it knows the tool already.
        sessions: the active sessions, of a tool that is bound to none. If there are none, calls pass unchanged.
        own: gives this context's session. It is over if it is not among the active ones.
        find: gives the active session of a call, at more cost than `own`.
        spec: the declaration that an active session is told on each call.
    """

    bound: Session | None
    sessions: Collection[Session]
    own: Callable[[], Session | None]
    find: Callable[[], Session | None]
    spec: ToolSpec | None = None

    def session(self) -> Session | None:
        """The session of a call that is made now; None if the call passes unchanged."""
        if self.bound is not None:
            return self.bound
        return self.find() if self.sessions else None


def module_of(function: AnyTool) -> str:
    """The name of the module that a tool stands in."""
    return str(getattr(function, "__module__", None) or type(function).__module__)


def not_begun(error: Exception, function: AnyTool) -> bool:
    """Return whether Python turned the arguments down before the function began. Ask only in the frame that called.

    A function that has begun has a frame in the traceback; of other callables that is not known.
    """
    plain = type(getattr(function, "__func__", function)) is FunctionType
    return (
        plain and type(error) is TypeError and error.__traceback__ is not None and error.__traceback__.tb_next is None
    )


def let_out(error: BaseException) -> BaseException:
    """The exception that the wrapper raises for one that a session lets out. Call it in the frame that caught it.

    A tool's `Exception` became a failure, so one that comes here is Sealegs' own, and stays as it is. Anything else
    ends more than a call (a cancelled task, Ctrl-C, a test that is skipped), and is shown as from the tool.
    """
    return error if isinstance(error, Exception) else seen_from_outside(error)


def _note_error(call: FollowedCall, error: BaseException, function: AnyTool) -> Outcome | None:
    """Note how a followed call failed, and return the outcome to show instead; None to raise the error itself.

    Call it only in the frame that called the tool.
    """
    failure = shown = None
    try:
        if isinstance(error, Exception):
            failure = failure_from_exception(error, refused=not_begun(error, function))
    finally:  # also where the error cannot be looked at
        shown = call.failed(failure)
    return shown


def _run_of(
    function: AnyTool,
    name: str,
    parameters: Parameters,
    dry: AnyTool | None,
    arguments: Mapping[str, Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Run[Outcome]:
    """Make the function that runs a sync tool for one call of it."""

    def run(call: Call) -> Outcome:
        target = dry if call.dry else function
        if target is None:
            return NO_DRY_RUN
        # Unless something changed the arguments, the tool gets them in the form in which the caller gave them.
        given, named = (args, kwargs) if call.arguments is arguments else parameters.given(call.arguments, args)
        try:
            value = _answer(target(*given, **named), name)
        except Exception as error:
            return failure_from_exception(error, refused=not_begun(error, target))
        return returned_outcome(value)

    return run


def _run_async_of(
    function: AnyTool,
    parameters: Parameters,
    dry: AnyTool | None,
    arguments: Mapping[str, Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Run[Coroutine[Any, Any, Outcome]]:
    """Do the same for an async tool."""

    async def run(call: Call) -> Outcome:
        target = dry if call.dry else function
        if target is None:
            return NO_DRY_RUN
        given, named = (args, kwargs) if call.arguments is arguments else parameters.given(call.arguments, args)
        try:
            value = target(*given, **named)
            # The exact type first: `isinstance` with an abstract class costs more, and nearly every value is a
            # coroutine.
            if type(value) is CoroutineType or isinstance(value, Awaitable):
                value = await value
        except Exception as error:
            return failure_from_exception(error, refused=not_begun(error, target))
        return returned_outcome(value)

    return run


def sync_guard(function: AnyTool, name: str, parameters: Parameters, dry: AnyTool | None, route: Route) -> FunctionType:
    """The wrapper of a sync tool."""
    module, (bound, sessions, own, find, spec) = module_of(function), route
    running = partial(_run_of, function, name, parameters, dry)

    def guarded(*args: Any, **kwargs: Any) -> Any:
        if (session := bound) is None:
            if not sessions:
                return function(*args, **kwargs)
            session = own()
            if (session is None or session not in sessions) and (session := find()) is None:
                return function(*args, **kwargs)
        if (entry := session.entries.get(parameters)) is not None:
            found = entry(session, args, kwargs)
        else:
            found = session.intercept_function(name, parameters, args, kwargs, spec)
        if found is None:
            return function(*args, **kwargs)
        if not isinstance(found, Failure):  # asked first, since a fault answers most often with one
            if isinstance(found, FollowedCall):
                try:
                    found.begin()
                    value = function(*args, **kwargs)
                    if type(value) is CoroutineType:
                        value = _answer(value, name)
                except BaseException as gone:
                    if (found := _note_error(found, gone, function)) is None:
                        raise
                else:
                    if (found := found.answered(value)) is None:
                        return value.value if type(value) is PartialExecution else value
                    del value  # the exception below holds this frame
            elif not isinstance(found, Value):
                try:
                    found = found.call(running(found.arguments, args, kwargs))
                except BaseException as gone:
                    raise let_out(gone)  # noqa: B904  # what it came from stays
            if isinstance(found, Value):
                return found.value
        error = exception_from_failure(found, module)
        context = error.__context__
        try:
            raise error
        finally:
            if context is not None:
                error.__context__ = context  # its own, where the caller is handling another exception
            del found, error, context  # else this frame, the failure and the exception hold one another

    return guarded  # type: ignore[return-value]


def async_guard(
    function: AnyTool, name: str, parameters: Parameters, dry: AnyTool | None, route: Route
) -> FunctionType:
    """The wrapper of an async tool."""
    module, (bound, sessions, own, find, spec) = module_of(function), route
    running = partial(_run_async_of, function, parameters, dry)

    async def guarded(*args: Any, **kwargs: Any) -> Any:
        if (session := bound) is None:
            if not sessions:
                return await function(*args, **kwargs)
            session = own()
            if (session is None or session not in sessions) and (session := find()) is None:
                return await function(*args, **kwargs)
        if (entry := session.entries.get(parameters)) is not None:
            found = entry(session, args, kwargs)
        else:
            found = session.intercept_function(name, parameters, args, kwargs, spec)
        if found is None:
            return await function(*args, **kwargs)
        if not isinstance(found, Failure):  # asked first, since a fault answers most often with one
            if isinstance(found, FollowedCall):
                try:
                    found.begin()
                    value = function(*args, **kwargs)
                    if type(value) is CoroutineType or isinstance(value, Awaitable):
                        value = await value
                except BaseException as gone:
                    if (found := _note_error(found, gone, function)) is None:
                        raise
                else:
                    if (found := found.answered(value)) is None:
                        return value.value if type(value) is PartialExecution else value
                    del value  # the exception below holds this frame
            elif not isinstance(found, Value):
                try:
                    found = await found.call_async(running(found.arguments, args, kwargs))
                except BaseException as gone:
                    raise let_out(gone)  # noqa: B904
            if isinstance(found, Value):
                return found.value
        error = exception_from_failure(found, module)
        context = error.__context__
        try:
            raise error
        finally:
            if context is not None:
                error.__context__ = context  # its own, where the caller is handling another exception
            del found, error, context  # else this frame, the failure and the exception hold one another

    return guarded  # type: ignore[return-value]


def _answer(value: Any, name: str) -> Any:
    if type(value) is CoroutineType:
        value.close()
        raise TypeError(f"{name} returned a coroutine; make it an `async def` so that its calls can be followed")
    return value
