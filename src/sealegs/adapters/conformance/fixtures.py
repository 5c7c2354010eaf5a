"""The tools of the kit: a weather desk of plain functions, whose doings the kit decides.

They are made from text under a file name and a module of their own, because a framework may put either into a prompt,
and no word of Sealegs must come from the kit itself. Each case has tools of its own, and so a ledger of its own.
"""

from __future__ import annotations

import inspect
import itertools
import linecache
import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Literal

Mode = Literal["sync", "async", "mixed"]  # mixed: sync tools in the async way
Act = Callable[[Mapping[str, Any]], Any]  # what a tool does with its arguments; may raise, or return an awaitable

SOURCE = '''"""The weather desk."""

answer = None


{define} forecast(city: str) -> dict:
    """The weather of the coming days.

    Args:
        city: The name of the city.

    Returns:
        The forecast as an object.
    """
    reply = {ask}("forecast", {{"city": city}})
    if isinstance(reply, BaseException):
        raise reply
    return reply


{define} advice(city: str) -> str:
    """What to wear.

    Args:
        city: The name of the city.

    Returns:
        A sentence.
    """
    reply = {ask}("advice", {{"city": city}})
    if isinstance(reply, BaseException):
        raise reply
    return reply
'''
_numbers = itertools.count(1)


def forecast(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The answer of `forecast` by default."""
    days = [{"day": day, "degrees": 20 + day} for day in range(1, 4)]
    return {"city": arguments["city"], "sky": "clear", "days": days}


def advice(arguments: Mapping[str, Any]) -> str:
    """The answer of `advice` by default."""
    return f"In {arguments['city']} take a coat for 12 degrees."


USUAL: Mapping[str, Act] = {"forecast": forecast, "advice": advice}


@dataclass
class WeatherTools:
    """The weather desk's tools, and what they did.

    Attributes:
        mode: whether the tools are functions or, where `async`, coroutine functions.
        acts: what the tools do, by name.
        begun: the tools in the order in which they began to run.
        ended: the tools in the order in which they answered.
        raised: what they raised.
        over: set when the case is over, so that a tool that hangs in a thread ends.
    """

    mode: Mode
    acts: Mapping[str, Act] = field(default_factory=lambda: USUAL)
    begun: list[str] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    raised: list[BaseException] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    def tools(self) -> dict[str, Callable[..., Any]]:
        """The functions by name."""
        define, ask = ("def", "answer") if self.mode != "async" else ("async def", "await answer")
        text = SOURCE.format(define=define, ask=ask)
        number = next(_numbers)
        path = f"/srv/desk/desk_{number}.py"
        module = ModuleType(f"desk_{number}")
        module.__file__ = path
        linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)  # for those who show source
        exec(compile(text, path, "exec", dont_inherit=True), vars(module))
        module.answer = self._answer if self.mode != "async" else self._answer_async  # type: ignore[attr-defined]
        return {name: getattr(module, name) for name in USUAL}

    def _answer(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        self.begun.append(tool)
        try:
            value = self.acts[tool](arguments)
        except BaseException as error:
            return self._to_raise(error)
        self.ended.append(tool)
        return value

    async def _answer_async(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        self.begun.append(tool)
        try:
            value = self.acts[tool](arguments)
        except BaseException as error:
            return self._to_raise(error)
        if inspect.isawaitable(value):
            value = await _awaited(value)
        self.ended.append(tool)
        return value

    def _to_raise(self, error: BaseException) -> BaseException:
        """The error, which the tool raises itself, so that no frame of the kit is in its traceback."""
        self.raised.append(error)
        return error.with_traceback(None)


async def _awaited(value: Awaitable[Any]) -> Any:
    return await value
