"""The settings for calls of a model: the options of a run that go through to Inspect, as plain data.

Inspect means the same by these names; an option that is left out is the provider's or Inspect's own choice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class ModelSetup:
    """The settings for calls of a model.

    Attributes:
        base_url: the address of its provider; empty for the usual one.
        config: arguments of Inspect's `GenerateConfig`, such as `temperature` and `max_retries`.
        limits: arguments of Inspect's `eval` for each sample, such as `token_limit`, and the prices.
        prices: a file of prices by model; empty for none.
        budget_tokens, budget_cost: limits of the whole run; None for no limit.
        answered: whether the model has answered a first question already.
    """

    base_url: str = ""
    config: Mapping[str, Any] = field(default_factory=dict)
    limits: Mapping[str, Any] = field(default_factory=dict)
    prices: str = ""
    budget_tokens: int | None = None
    budget_cost: float | None = None
    answered: bool = False

    @property
    def limited(self) -> bool:
        """Whether the run has a budget."""
        return self.budget_tokens is not None or self.budget_cost is not None

    @property
    def address(self) -> dict[str, Any]:
        """The arguments that Inspect's `get_model` takes."""
        return {"base_url": self.base_url} if self.base_url else {}
