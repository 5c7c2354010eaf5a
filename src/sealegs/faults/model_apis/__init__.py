"""The HTTP interfaces of models: how each writes an answer, a stream of it, and an error.

Pure data and pure functions. Faults on a model's calls are made with these, so that a client reads what it reads from
the real thing. What it does not cover: any other interface than the three of `MODEL_APIS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from sealegs.faults.model_apis.anthropic_api import AnthropicApi
from sealegs.faults.model_apis.chat_api import ChatApi
from sealegs.faults.model_apis.model_api import ModelApi, Reply, ReplyCall
from sealegs.faults.model_apis.responses_api import ResponsesApi

MODEL_APIS: Mapping[str, ModelApi] = MappingProxyType(
    {api.name: api for api in (ChatApi(), ResponsesApi(), AnthropicApi())}
)
MODEL = "model"  # the tag of requests through such an interface


def model_api_at(method: str, path: str) -> ModelApi | None:
    """The interface that is served at a path; None where none of them is."""
    if method != "POST":
        return None
    return next((api for api in MODEL_APIS.values() if path.endswith(api.path)), None)


def asks_model(body: Any) -> bool:
    """Whether the body of a request to such a path asks a model, and not something else under the same path."""
    return isinstance(body, Mapping) and isinstance(body.get("model"), str)


__all__ = ["MODEL", "MODEL_APIS", "ModelApi", "Reply", "ReplyCall", "asks_model", "model_api_at"]
