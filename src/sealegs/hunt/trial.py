"""One run of an agent under a plan, and whether it failed."""

from __future__ import annotations

import contextlib
import inspect
import io
import sys
import sysconfig
import traceback
import warnings
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import ClassVar, Literal, Protocol, TypeVar

from sealegs.faults.call import Call, Outcome, Wait
from sealegs.faults.plan import Plan
from sealegs.faults.spec import ToolSpec
from sealegs.traces import Record

T = TypeVar("T")
Kind = Literal["crashed", "endless", "wrong", "doubled"]
HOME = Path(__file__).parent
ROOMS = tuple(f"{HOME.parent / room}/" for room in ("adapters", "faults", "inject", "traces"))
NOBODYS = (__file__, str(HOME / "callables.py"))
LIBRARIES = tuple(f"{sysconfig.get_paths()[name]}/" for name in ("stdlib", "platstdlib", "purelib", "platlib"))


@dataclass(frozen=True, slots=True)
class Symptom:
    """The failure of an agent.

    Attributes:
        kind: `crashed`: it raised; `endless`: it did not stop by itself; `doubled`: what it called had its effect
            twice, whatever the check says; `wrong`: the check says so.
        text: the message or answer.
        place: the line of the agent's code, or of the check's, from which it came; empty where there is none.
    """

    kind: Kind
    text: str
    place: str = ""


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of one run; `symptom` is None if the agent did well."""

    plan: Plan
    record: Record
    symptom: Symptom | None


class HuntTarget(Protocol):
    """An agent and its success check."""

    @property
    def name(self) -> str:
        """The agent's name in reports."""

    @property
    def specs(self) -> Mapping[str, ToolSpec]:
        """The known specs of the tools."""

    def assuming(self, specs: Mapping[str, ToolSpec]) -> HuntTarget:
        """The same target, with these specs assumed for further tools."""

    def trial(self, plan: Plan) -> Trial:
        """One run, from the beginning."""

    def test(self, number: int, name: str, file: str, story: str) -> str:
        """A pytest test that fails as long as the agent fails under the plan in `file`."""

    def head(self) -> Sequence[str]:
        """The lines above the tests."""


@dataclass(frozen=True, slots=True)
class OwnCode:
    """The lines of code that are the agent's own.

    Attributes:
        home: the folder of its code, which may lie among the libraries.
        tools: names of the tools; a wrapped tool's own frame does not count.
    """

    home: str
    tools: Collection[str] = ()

    def place(self, frames: Iterable[tuple[FrameType, int]]) -> str:
        """The innermost of these frames that is the agent's own, with its line; empty where none is."""
        own = [(frame.f_code, line) for frame, line in frames if self._owns(frame.f_code)]
        # A lambda or a comprehension says less than the function around it.
        named = [found for found in own if not found[0].co_name.startswith("<")] or own
        if not named:
            return ""
        code, line = named[-1]
        return f"{Path(code.co_filename).name}:{line} in {code.co_name}"

    def _owns(self, code: CodeType) -> bool:
        file = code.co_filename
        if file.startswith(ROOMS) or file in NOBODYS or code.co_name in self.tools:
            return False
        return file.startswith(self.home) if self.home.startswith(LIBRARIES) else not file.startswith(LIBRARIES)


def own_code_of(function: Callable[..., object], tools: Collection[str] = ()) -> OwnCode:
    """The site of a function's code."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return OwnCode(f"{Path(code.co_filename).parent}/" if code is not None else "", tools)


def error_frames(error: BaseException) -> list[tuple[FrameType, int]]:
    """The frames that an error came through, the innermost last."""
    return [(frame, line) for frame, line in traceback.walk_tb(error.__traceback__)]


class Loop:
    """A layer that remembers where the last two calls came from: the frame that both share is where it loops.

    Args:
        calls: after how many calls the agent is cut off.
    """

    passes_chunks: ClassVar[bool] = True

    def __init__(self, calls: int) -> None:
        self._left = calls
        self._last: deque[list[FrameType]] = deque(maxlen=2)

    def __call__(self, call: Call) -> Generator[Call | Wait, Outcome, Outcome]:
        """Pass the call on."""
        self._left -= 1
        # Only for the last two calls, since a stack is slow to walk.
        if self._left < 2:
            self._last.append([frame for frame, _ in traceback.walk_stack(sys._getframe())])
        return (yield call)

    def frames(self) -> list[tuple[FrameType, int]]:
        """The frames that both calls share, the innermost last."""
        if len(self._last) < 2:
            return []
        before, now = self._last
        return [(frame, frame.f_lineno) for frame in reversed(now) if any(frame is other for other in before)]


def call_quietly(function: Callable[[], T]) -> T:
    """Return what the function returns; what it prints on the way, and Python's warnings, are discarded."""
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function()


def error_line(error: BaseException) -> str:
    """An error as one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}"[:300] if text else type(error).__name__
