"""A registry of active sessions: it finds the session of a call to a tool that was made before any session.

The context variable knows best: tasks and `asyncio.to_thread` inherit it. Threads and thread pools do not; a call there
belongs to the one session that is active in the process. Where several are and the thread belongs to none, guessing
would mix episodes, so the call fails and says what to do. A call from a context whose own session is over is nobody's.
"""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Generic, ParamSpec, Protocol, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")


class InEpisode(Protocol):
    """The part of a session that the registry needs: the session's module imports this one."""

    @property
    def episode(self) -> str:
        """The episode's name."""


S = TypeVar("S", bound=InEpisode)
NOBODYS = object()  # the own session of contexts that belong to none; it is never active


class AmbiguousSession(RuntimeError):
    """Several sessions are active and nothing says which one a call belongs to."""


class ActiveSessions(Generic[S]):
    """The sessions whose blocks are open, and the own one of each context.

    Attributes:
        live: the active sessions, each with its context's own before; only read it.
        own: gives the own session of this context, which may be over.
    """

    def __init__(self) -> None:
        self.live: dict[S, S | None] = {}
        self._own: ContextVar[S | None] = ContextVar("sealegs_session", default=None)
        self.own = self._own.get
        self._lock = threading.Lock()

    def current(self) -> S | None:
        """Return the session of a call made here; None where there is none.

        Raises:
            AmbiguousSession: several are active and this thread belongs to none of them.
        """
        if not self.live:  # without the lock: the usual case outside episodes must cost nothing
            return None
        session = self._own.get()
        if session is not None:
            # A context inherited its session when it began, so it may outlive that session.
            return session if session in self.live else None
        with self._lock:
            if len(self.live) > 1:
                names = ", ".join(sorted(repr(session.episode) for session in self.live))
                raise AmbiguousSession(
                    f"{len(self.live)} sessions are active (episodes {names}) and this thread belongs to none of them; "
                    "start it with session.carry(function)"
                )
            return next(iter(self.live), None)

    def enter(self, session: S) -> None:
        """Make the session active, and the own one of this context.

        Raises:
            RuntimeError: it is active already.
        """
        with self._lock:
            if session in self.live:
                raise RuntimeError(
                    "this session is active already; use session.carry(function) to bind more threads to it"
                )
            # Kept instead of a token: a token can only be reset in the context that made it.
            self.live[session] = self._own.get()
        self._own.set(session)

    def leave(self, session: S) -> None:
        """Make the session inactive."""
        with self._lock:
            before = self.live.pop(session)
        if self._own.get() is session:  # not where a fixture ends in another context than it began in
            self._own.set(before)

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Make calls in this block nobody's, whichever sessions are active."""
        token = self._own.set(cast(S, NOBODYS))
        try:
            yield
        finally:
            self._own.reset(token)

    def carried(self, session: S, function: Callable[P, T]) -> Callable[P, T]:
        """Return the function, sync or async, with `session` as the own one of the context that it runs in.

        Raises:
            RuntimeError: the session is not active.
        """
        if session not in self.live:
            raise RuntimeError("only an active session can be carried; do so inside `with session:`")
        # A plain wrapper would reset the variable when the coroutine is made, before any of it runs.
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def carried_async(*args: P.args, **kwargs: P.kwargs) -> Any:
                token = self._own.set(session)
                try:
                    return await function(*args, **kwargs)
                finally:
                    self._own.reset(token)

            return carried_async  # type: ignore[return-value]

        @functools.wraps(function)
        def carried_sync(*args: P.args, **kwargs: P.kwargs) -> T:
            token = self._own.set(session)
            try:
                return function(*args, **kwargs)
            finally:
                self._own.reset(token)

        return carried_sync
