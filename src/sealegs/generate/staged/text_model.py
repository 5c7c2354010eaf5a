"""A model of Inspect as a plain function: a prompt in, its text out."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

from inspect_ai.model import CachePolicy, GenerateConfig, Model

from sealegs.generate.staged.model_queries import model_named


def writer(model: str | Model) -> Callable[[str], str]:
    """The function that asks a model. Threads may call it at once; Inspect caches the answers.

    Raises:
        UserError: the model cannot be used.
    """
    resolved = model if isinstance(model, Model) else model_named(model)
    loop = asyncio.new_event_loop()  # the model's connections belong to one loop
    threading.Thread(target=loop.run_forever, daemon=True).start()

    async def answer(prompt: str) -> str:
        config = GenerateConfig(max_tokens=2_000)
        output = await resolved.generate(prompt, config=config, cache=CachePolicy(expiry=None))
        return output.completion

    def write(prompt: str) -> str:
        return asyncio.run_coroutine_threadsafe(answer(prompt), loop).result()

    return write
