"""Counts what the agents do, by LangChain's own callbacks."""

from __future__ import annotations

from typing import Any

from langchain_core.callbacks import BaseCallbackHandler

from sealegs.inject import Clock


class TurnCounter(BaseCallbackHandler):
    """Counts turns of models, notes their errors and the first call of a tool; also of an agent inside a tool."""

    run_inline = True  # in the order in which things happen

    def __init__(self, progress: Any, clock: Clock) -> None:
        self._progress = progress
        self._clock = clock

    def on_chat_model_start(self, *args: Any, **kwargs: Any) -> None:
        """Count a model's turn."""
        self._progress.steps += 1

    def on_llm_end(self, response: Any, **kwargs: Any) -> None:
        """Note whether a model's reply holds a message."""
        self._progress.replied = any(response.generations)

    def on_llm_error(self, error: BaseException, **kwargs: Any) -> None:
        """Keep what a model's provider failed with, after its own retries."""
        self._progress.failed = error

    def on_tool_start(self, *args: Any, **kwargs: Any) -> None:
        """Note the first call of a tool."""
        if self._progress.first_call is None:
            self._progress.first_call = self._clock.now()
