"""Skiff, whose tools are plain functions with a name and a description."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from sealegs.adapters.skiff import wrap
from skiff import Tool, sail

from sealegs.adapters.conformance import ConformanceCase, Harness, Mode


class Skiff(Harness):
    framework = "Skiff"
    package = "skiff"
    modes: ClassVar[tuple[Mode, ...]] = ("sync",)
    absent = {"hang_timed_out": "Skiff has no timeout for a tool call"}

    def play(self, case: ConformanceCase) -> None:
        def model(prompt: str, results: Mapping[str, str]) -> list[tuple[str, str, Mapping[str, Any]]]:
            return [(ask.id, ask.tool, ask.arguments) for ask in case.script.turn(prompt, results)]

        tools = [Tool(name, function.__doc__ or "", function) for name, function in case.tools.items()]
        sail(model, wrap(tools, case.session) if case.armed else tools)

    async def play_async(self, case: ConformanceCase) -> None:
        raise NotImplementedError("Skiff is sync")
