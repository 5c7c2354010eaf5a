"""Plain Python callables as tools: sync and async functions, and generators of both sorts.

`wrap` binds tools to a session. `tool` marks a function where it is defined: its calls go through the active session
(`with session:`), and pass as they are where there is none. A wrapped tool keeps its name, docstring and signature; a
fault is raised as the tool's own error would be, and no traceback names a file of ours. Not followed are values that
are sent, and errors that are thrown, into a generator, and what it returns at its end.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any, TypeVar, Unpack, overload

from sealegs.adapters.python.declarations import Declaration, declared_spec, renamed_spec
from sealegs.adapters.python.exceptions import ToolFault, disguise
from sealegs.adapters.python.guards import AnyTool, Route, async_guard, sync_guard
from sealegs.adapters.python.parameters import Parameters
from sealegs.adapters.python.streams import async_stream_guard, stream_guard
from sealegs.adapters.python.tool_handles import tool_handle
from sealegs.faults.spec import ToolSpec
from sealegs.inject import Session
from sealegs.inject.session import ACTIVE

__all__ = ["ToolFault", "tool", "wrap"]

F = TypeVar("F", bound=AnyTool)

ROUTE = Route(None, ACTIVE.live, ACTIVE.own, ACTIVE.current)
BARE = "__bare_tool__"  # where a wrapper keeps the tool, so that wrapping it again replaces the wrapper
DRY = "__runs_dry__"  # where it keeps whether the tool can be run without its effect
DECLARED = "__declared_tool__"  # where it keeps what was declared of it, and its parameters


@overload
def wrap(
    tools: Mapping[str, F],
    session: Session,
    *,
    name: str | None = None,
    dry: AnyTool | None = None,
    **declared: Unpack[Declaration],
) -> dict[str, F]: ...
@overload
def wrap(
    tools: Sequence[F],
    session: Session,
    *,
    name: str | None = None,
    dry: AnyTool | None = None,
    **declared: Unpack[Declaration],
) -> list[F]: ...
@overload
def wrap(
    tools: F, session: Session, *, name: str | None = None, dry: AnyTool | None = None, **declared: Unpack[Declaration]
) -> F: ...
def wrap(
    tools: Any,
    session: Session,
    *,
    name: str | None = None,
    dry: AnyTool | None = None,
    **declared: Unpack[Declaration],
) -> Any:
    """The tool or tools with every call going through the session. Its layers may call one in place of another.

    Args:
        tools: a callable, a sequence of them, or a mapping from names to them.
        session: the episode.
        name: the tool's name; its own by default. Only for a single tool.
        dry: the same tool without its effect, for faults that need the answer alone (`silent_noop`). Only for a single
            tool. Without it these faults leave a tool that may have effects as it is, and are recorded as undelivered.
        declared: what is declared of the tool or tools (`effects`, `idempotent`, `key`, `shown_by`, `statuses`: see
            `ToolSpec`), in place of what `tool` declared. What the session's `specs` say counts more.

    Raises:
        TypeError: something is not a callable.
        UserError: a declaration contradicts itself, or it or a recovery plan names a key that the tool does not have.
    """
    if callable(tools):
        return _bound(tools, name, dry, session, declared)
    if name is not None or dry is not None:
        raise TypeError("`name` and `dry` are for a single tool; wrap the tools one by one")
    if isinstance(tools, Mapping):
        return {key: _bound(one, key, None, session, declared) for key, one in tools.items()}
    return [_bound(one, None, None, session, declared) for one in tools]


@overload
def tool(function: F, /) -> F: ...
@overload
def tool(
    *, name: str | None = None, dry: AnyTool | None = None, **declared: Unpack[Declaration]
) -> Callable[[F], F]: ...
def tool(
    function: F | None = None,
    /,
    *,
    name: str | None = None,
    dry: AnyTool | None = None,
    **declared: Unpack[Declaration],
) -> Any:
    """Decorator: calls of this function go through the active session, if there is one. For arguments see `wrap`.

    `@tool(effects=False)` says that the function changes nothing, so that recovery may call it again.
    """
    if function is None:
        return lambda decorated: _guarded(decorated, name, dry, ROUTE, declared)
    return _guarded(function, name, dry, ROUTE, declared)


def _bound(given: AnyTool, name: str | None, dry: AnyTool | None, session: Session, declared: Declaration) -> AnyTool:
    guarded = _guarded(given, name, dry, ROUTE._replace(bound=session), declared)
    function = _bare(given)
    name = name or _name(function)
    session.declare(renamed_spec(getattr(guarded, DECLARED), name), begun=False)
    session.reach({name: tool_handle(function)})
    return guarded


def _guarded(given: AnyTool, name: str | None, dry: AnyTool | None, route: Route, declared: Declaration) -> AnyTool:
    function = _bare(given)
    _check(function)
    name = name or _name(function)
    parameters = Parameters(function)
    spec = declared_spec(name, function, declared, parameters.schema) or getattr(given, DECLARED, None)
    if spec is not None and route is ROUTE:
        route = route._replace(spec=renamed_spec(spec, name))
    guarded = _guard(function)(function, name, parameters, dry, route)
    functools.update_wrapper(guarded, function)
    setattr(guarded, BARE, function)
    setattr(guarded, DRY, dry is not None)
    setattr(guarded, DECLARED, spec or ToolSpec(name, parameters=parameters.schema))
    disguise(guarded, function, name)
    return guarded


def _guard(function: AnyTool) -> Callable[[AnyTool, str, Parameters, AnyTool | None, Route], FunctionType]:
    """The function that makes the wrapper of a tool of this form."""
    if _is(inspect.isgeneratorfunction, function):
        return stream_guard
    if _is(inspect.isasyncgenfunction, function):
        return async_stream_guard
    return async_guard if _is(inspect.iscoroutinefunction, function) else sync_guard


def _is(form: Callable[[Any], bool], function: AnyTool) -> bool:
    return form(function) or form(type(function).__call__)


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
        raise TypeError(f"{function!r} is not a tool; give a callable")


def _name(function: AnyTool) -> str:
    inner = getattr(function, "func", function)  # of a partial
    return str(getattr(inner, "__name__", type(inner).__name__))
