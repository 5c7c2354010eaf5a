"""Plain Python: an agent's loop as one writes it by hand, sync with threads and async with tasks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar

from sealegs.adapters.conformance import Harness, Mode, Scene
from sealegs.adapters.conformance.scene import Ask
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

    def armed(self, scene: Scene) -> Tools:
        """The one line of the adapter, by hand or by decorator."""
        if not scene.armed:
            return dict(scene.tools)
        if scene.session is None:
            return {name: tool(function) for name, function in scene.tools.items()}
        return wrap(scene.tools, scene.session)

    def play(self, scene: Scene) -> None:
        self._scene = scene
        tools = self.armed(scene)
        results: dict[str, str] = {}
        with ThreadPoolExecutor() as pool:
            while asked := scene.script.turn(_prompt(tools, results), results):
                scene.note(f"calls {len(asked)}")
                calls = [pool.submit(_called, tools, ask) for ask in asked]
                results.update({ask.id: call.result() for ask, call in zip(asked, calls)})

    async def play_async(self, scene: Scene) -> None:
        self._scene = scene
        tools = self.armed(scene)
        results: dict[str, str] = {}
        while asked := scene.script.turn(_prompt(tools, results), results):
            scene.note(f"calls {len(asked)}")
            found = await asyncio.gather(*(_called_async(tools, ask, scene) for ask in asked))
            results.update({ask.id: text for ask, text in zip(asked, found)})

    def progress(self, text: str) -> None:
        self._scene.note(text)


def _prompt(tools: Tools, results: dict[str, str]) -> str:
    declared = [f"{name}: {function.__doc__}" for name, function in tools.items()]
    return "\n".join([*declared, *results.values()])


def _called(tools: Tools, ask: Ask) -> str:
    try:
        return _text(tools[ask.tool](**ask.arguments))
    except Exception as error:
        return f"Error: {type(error).__name__}: {error}"


async def _called_async(tools: Tools, ask: Ask, scene: Scene) -> str:
    try:
        if scene.mode == "mixed":
            return _text(await asyncio.to_thread(tools[ask.tool], **ask.arguments))
        return _text(await asyncio.wait_for(tools[ask.tool](**ask.arguments), scene.patience))
    except Exception as error:
        return f"Error: {type(error).__name__}: {error}"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
