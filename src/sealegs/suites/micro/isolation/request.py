"""The request for a run, what it may use, and how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

How = Literal["finished", "raised", "timeout", "memory", "signal", "exited", "lost"]
Start = Literal["fork", "spawn"]


@dataclass(frozen=True, slots=True)
class RunRequest:
    """One run.

    Attributes:
        id: unique among the requests of a call; the run's random state is seeded from it.
        payload: what the function gets, JSON data.
    """

    id: str
    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RunLimits:
    """The limits of one run.

    Attributes:
        seconds: from the function's first line; then the run and all it started is killed. Time for which everything
            was stopped (SIGSTOP) does not count.
        memory: bytes held by the run and all it started, above what it began with; None: no limit.
    """

    seconds: float = 60.0
    memory: int | None = 2 * 2**30


@dataclass(frozen=True, slots=True)
class RunEnd:
    """The end of a run.

    Attributes:
        id: the request's.
        how: `finished`: the function returned. `raised`: it let an exception out (`SystemExit` too), or returned what
            is not a JSON object. `timeout`, `memory`: a limit was reached, or a `MemoryError` got out. `signal`,
            `exited`: the process ended without an answer. `lost`: this machine had no folder or process for the run, or
            its process ended before the function began, each time that it was tried.
        result: the function's result, where it finished.
        error: type, message and traceback of the exception that was raised; else a sentence for what happened.
        signal: the name of the signal that ended it.
        exit_code: the exit code, where it left by itself.
        seconds: from the function's first line to the end, without the time for which everything was stopped.
        start_seconds: from the request's sending to the function's first line.
        threads: alive when the function returned.
        children: processes alive when the run ended; they were killed.
        output: the end of what was written to standard output and standard error.
        start: how its process was started.
    """

    id: str
    how: How
    result: Mapping[str, Any] | None = None
    error: str = ""
    signal: str = ""
    exit_code: int | None = None
    seconds: float = 0.0
    start_seconds: float = 0.0
    threads: int = 0
    children: int = 0
    output: str = ""
    start: Start = "fork"
