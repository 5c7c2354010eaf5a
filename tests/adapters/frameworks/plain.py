"""Plain Python: a loop as one writes it by hand, sync with threads and async with tasks; generators as tools."""

from __future__ import annotations

import asyncio
import functools
import json
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar

from sealegs.adapters.conformance import ConformanceCase, Harness, Mode
from sealegs.adapters.conformance.harness import ScriptedToolCall
from sealegs.adapters.python import tool, wrap

Tools = dict[str, Callable[..., Any]]


class Plain(Harness):
    framework = "Python"
    package = "sealegs"
    modes: ClassVar[tuple[Mode, ...]] = ("sync", "async", "mixed")
    absent = {
        "hang_cancelled (mixed)": "a thread cannot be cancelled: the loop waits for it until the session ends",
        "hang_timed_out (sync)": "a thread cannot be given up: the pool waits for it until the session ends",
        "hang_timed_out (mixed)": "a thread cannot be given up: the loop waits for it until the session ends",
    }

    def given(self, case: ConformanceCase) -> Tools:
        """The agent's own tools."""
        return dict(case.tools)

    def armed(self, case: ConformanceCase) -> Tools:
        """The one line of the adapter, by hand or by decorator."""
        tools = self.given(case)
        if not case.armed:
            return tools
        if case.session is None:
            return {name: tool(function) for name, function in tools.items()}
        return wrap(tools, case.session)

    def play(self, case: ConformanceCase) -> None:
        self._case = case
        tools = self.armed(case)
        results: dict[str, str] = {}
        with ThreadPoolExecutor() as pool:
            while asks := case.script.turn(_prompt(tools, results), results):
                case.note(f"calls {len(asks)}")
                calls = [pool.submit(_called, tools, ask, case) for ask in asks]
                results.update({ask.id: call.result() for ask, call in zip(asks, calls)})

    async def play_async(self, case: ConformanceCase) -> None:
        self._case = case
        tools = self.armed(case)
        results: dict[str, str] = {}
        while asks := case.script.turn(_prompt(tools, results), results):
            case.note(f"calls {len(asks)}")
            found = await asyncio.gather(*(_called_async(tools, ask, case) for ask in asks))
            results.update({ask.id: text for ask, text in zip(asks, found)})

    def progress(self, text: str) -> None:
        self._case.note(text)


def _prompt(tools: Tools, results: dict[str, str]) -> str:
    declared = [f"{name}: {function.__doc__}" for name, function in tools.items()]
    return "\n".join([*declared, *results.values()])


class Generators(Plain):
    """Tools that answer chunk by chunk; the loop notes when a chunk is given and when it is read."""

    framework = "Python generators"

    def chunks(self, answer: Any) -> list[Any]:  # type: ignore[override]
        return answer.split(" ") if isinstance(answer, str) else [{key: value} for key, value in answer.items()]

    def given(self, case: ConformanceCase) -> Tools:
        form = _streamed_async if case.mode == "async" else _streamed
        return {name: form(function, case) for name, function in case.tools.items()}


def _streamed(function: Callable[..., Any], case: ConformanceCase) -> Callable[..., Any]:
    @functools.wraps(function)
    def stream(city: str) -> Iterator[Any]:
        answer = function(city)
        for chunk in answer if isinstance(answer, list) else (answer,):
            case.note("given")
            yield chunk

    return stream


def _streamed_async(function: Callable[..., Any], case: ConformanceCase) -> Callable[..., Any]:
    @functools.wraps(function)
    async def stream(city: str) -> AsyncIterator[Any]:
        answer = await function(city)
        for chunk in answer if isinstance(answer, list) else (answer,):
            case.note("given")
            yield chunk

    return stream


def _called(tools: Tools, ask: ScriptedToolCall, case: ConformanceCase) -> str:
    try:
        return _text(_read(tools[ask.tool](**ask.arguments), case))
    except Exception as error:
        return f"Error: {type(error).__name__}: {error}"


async def _called_async(tools: Tools, ask: ScriptedToolCall, case: ConformanceCase) -> str:
    if case.mode == "mixed":
        return await asyncio.to_thread(_called, tools, ask, case)
    try:
        return _text(await asyncio.wait_for(_read_async(tools[ask.tool](**ask.arguments), case), case.patience))
    except Exception as error:
        return f"Error: {type(error).__name__}: {error}"


def _read(answer: Any, case: ConformanceCase) -> Any:
    if not isinstance(answer, Iterator):
        return answer
    chunks = []
    for chunk in answer:
        case.note("read")
        chunks.append(chunk)
    return chunks


async def _read_async(answer: Any, case: ConformanceCase) -> Any:
    if not isinstance(answer, AsyncIterator):
        return await answer
    chunks = []
    async for chunk in answer:
        case.note("read")
        chunks.append(chunk)
    return chunks


def _text(value: Any) -> str:
    if isinstance(value, list) and all(isinstance(chunk, str) for chunk in value):
        return " ".join(value)
    return value if isinstance(value, str) else json.dumps(value)
