"""Prices of models: those of a file, or what a provider says through Inspect.

Inspect (0.3.285) ships no prices. Its own `--model-cost-config` takes only models that it knows; here any may have one,
such as a model on a server of your own. Prices are in dollars for a million tokens.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from inspect_ai.model import Model, ModelCost, ModelInfo, get_model_info, set_model_info
from inspect_ai.model._model_info import _get_model_info_direct
from pydantic import ValidationError

from sealegs.engines.logs import LogError

PRICE_FORMAT = "write input, output, input_cache_write and input_cache_read of each, in dollars for a million tokens"


def use_prices(file: str) -> None:
    """Let Inspect count costs by the prices of a YAML or JSON file; an empty name leaves it as it is.

    Raises:
        LogError: the file cannot be read, or holds something else; names every mistake.
    """
    if not file:
        return
    prices, problems = _read(file), []
    for name, given in prices.items():
        problems += [f"{name}: {problem}" for problem in _problems(given)]
    if problems:
        raise LogError(f"--prices {file}: {'; '.join(problems)}; {PRICE_FORMAT}")
    for name, given in prices.items():
        try:
            known = get_model_info(name) or ModelInfo()
        except Exception:  # whatever a provider's client raises that is made to look its model up
            known = ModelInfo()
        set_model_info(name, known.model_copy(update={"cost": ModelCost(**given)}))


def price_of(model: Model) -> ModelCost | None:
    """The price of a model; None where none is known."""
    known = _get_model_info_direct(model)
    return None if known is None else known.cost


def price_named(name: str) -> ModelCost | None:
    """The price of a model of this name; None where none is known."""
    try:
        known = get_model_info(name)
    except Exception:  # see `use_prices`
        return None
    return None if known is None else known.cost


def check_priced(model: Model, prices: str, limits: Mapping[str, float | None]) -> None:
    """Check that a run whose cost is limited has a price to count it by.

    Args:
        model: that is played.
        prices: the file of prices.
        limits: by the option that gives them.

    Raises:
        LogError: there is none.
    """
    wanted = [option for option, limit in limits.items() if limit is not None]
    if wanted and price_of(model) is None:
        there = f"{prices} names {', '.join(_read(prices))}" if prices else "its provider tells none"
        wanted_by = " and ".join(wanted)
        raise LogError(f"{wanted_by} needs the price of {str(model)!r}, and {there}; add it with --prices FILE")


def _read(file: str) -> dict[str, Any]:
    try:
        text = Path(file).read_text(encoding="utf-8")
        found = json.loads(text) if file.endswith(".json") else yaml.safe_load(text)
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise LogError(f"--prices {file} cannot be read ({' '.join(str(error).split())}); {PRICE_FORMAT}") from error
    if not isinstance(found, dict) or not found or not all(isinstance(name, str) for name in found):
        raise LogError(f"--prices {file} holds no prices by model; {PRICE_FORMAT}")
    return found


def _problems(given: Any) -> Iterator[str]:
    if not isinstance(given, dict):
        yield f"{given!r} is not a price"
        return
    try:
        price = ModelCost(**given)
    except (ValidationError, TypeError) as error:
        problems = error.errors() if isinstance(error, ValidationError) else [{"loc": ("?",), "msg": str(error)}]
        yield from (f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in problems)
        return
    wrong = [name for name, value in price.model_dump().items() if not 0 <= value < float("inf")]
    yield from (f"{name} is {given[name]!r}, and no price is below 0 or endless" for name in wrong)
