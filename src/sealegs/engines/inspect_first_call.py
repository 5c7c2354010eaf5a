"""A first question to a model, before anything is begun: what fails for all episodes stops the run at once.

A wrong key, a name that the provider does not have, an account without quota, an address where nothing answers: each
would make every episode invalid. It does not cover what the provider has against an episode's own tools or text.
"""

from __future__ import annotations

import asyncio
from typing import Any

from inspect_ai.model import GenerateConfig, Model, get_model
from inspect_ai.model._model import RetryDecision

from sealegs.engines.inspect_ends import provider_words
from sealegs.engines.logs import LogError

QUESTION = "Reply with the word ready."
QUOTA = ("insufficient_quota", "exceeded your current quota", "credit balance is too low")
PATIENCE = 120  # seconds for each of them: a server of one's own may have to load its model
RETRIES = 2  # of what the provider says is for now alone
UNASKED = ("sealegs", "sealegs-local", "mockllm", "none")  # nothing is behind them that a first question could find


def ask_first(name: str, **given: Any) -> None:
    """Ask a model one short question.

    Args:
        name: as Inspect names it.
        given: what else Inspect's `get_model` takes, such as `base_url`.

    Raises:
        LogError: it could not be called.
    """
    if name.partition("/")[0] in UNASKED:
        return
    try:
        asyncio.run(_first_call(name, given))
    except Exception as error:  # whatever a provider's client raises
        raise LogError(
            f"the model {name!r} cannot be called, and nothing was run: {provider_words(error)}; "
            "check its name, its key, its account and its address, then give the same command"
        ) from error


def stop_at_quota(model: Model) -> None:
    """Let a model give up at once where its account is used up, which no waiting repairs.

    Some providers call this a limit of the rate, and Inspect would try again.
    """
    decide = model.api.should_retry
    if getattr(decide, "stops_at_quota", False):
        return

    def should_retry(error: Exception) -> bool | RetryDecision:
        return False if any(words in str(error) for words in QUOTA) else decide(error)

    should_retry.stops_at_quota = True  # type: ignore[attr-defined]
    model.api.should_retry = should_retry  # type: ignore[method-assign, assignment]


async def _first_call(name: str, given: dict[str, Any]) -> None:
    config = GenerateConfig(max_retries=RETRIES, attempt_timeout=PATIENCE)
    async with get_model(name, config=config, memoize=False, **given) as model:  # of this event loop alone
        stop_at_quota(model)
        await model.generate(QUESTION)
