"""Which session a call belongs to, for tools that were made before any session.

The context variable knows best: tasks and `asyncio.to_thread` inherit it. Threads and thread pools do not; a call there
belongs to the one session that is active in the process. Where several are and the thread belongs to none, guessing
would mix episodes, so the call fails and says what to do. A call from a context whose own session is over is nobody's.
"""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

if TYPE_CHECKING:
    from sealegs.inject.session import Session

P = ParamSpec("P")
T = TypeVar("T")

_own: ContextVar[Session | None] = ContextVar("sealegs_session", default=None)
live: dict[Session, Session | None] = {}  # the active sessions, each with its context's own before; only read it
_lock = threading.Lock()


class AmbiguousSession(RuntimeError):
    """Several sessions are active and nothing says which one a call belongs to."""


def current() -> Session | None:
    """The session of a call made here; None where there is none.

    Raises:
        AmbiguousSession: several are active and this thread belongs to none of them.
    """
    if not live:
        return None
    session = _own.get()
    if session is not None:
        return session if session in live else None
    with _lock:
        if len(live) > 1:
            names = ", ".join(sorted(repr(session.episode) for session in live))
            raise AmbiguousSession(
                f"{len(live)} sessions are active (episodes {names}) and this thread belongs to none of them; "
                "start it with session.carry(function)"
            )
        return next(iter(live), None)


def enter(session: Session) -> None:
    """The session becomes active, and the own one of this context.

    Raises:
        RuntimeError: it is active already.
    """
    with _lock:
        if session in live:
            raise RuntimeError("this session is active already; use session.carry(function) to bind more threads to it")
        live[session] = _own.get()
    _own.set(session)


def leave(session: Session) -> None:
    """The session is active no more."""
    with _lock:
        before = live.pop(session)
    if _own.get() is session:  # not where a fixture ends in another context than it began in
        _own.set(before)


def carried(session: Session, function: Callable[P, T]) -> Callable[P, T]:
    """The function, sync or async, with `session` as the own one of the context that it runs in.

    Raises:
        RuntimeError: the session is not active.
    """
    if session not in live:
        raise RuntimeError("only an active session can be carried; do so inside `with session:`")
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def carried_async(*args: P.args, **kwargs: P.kwargs) -> Any:
            token = _own.set(session)
            try:
                return await function(*args, **kwargs)
            finally:
                _own.reset(token)

        return carried_async  # type: ignore[return-value]

    @functools.wraps(function)
    def carried_sync(*args: P.args, **kwargs: P.kwargs) -> T:
        token = _own.set(session)
        try:
            return function(*args, **kwargs)
        finally:
            _own.reset(token)

    return carried_sync
