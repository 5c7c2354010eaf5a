"""The three interfaces of models that are known, by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from sealegs.faults.model_apis.anthropic_api import AnthropicApi
from sealegs.faults.model_apis.chat_api import ChatApi
from sealegs.faults.model_apis.model_api import ModelApi
from sealegs.faults.model_apis.responses_api import ResponsesApi

MODEL_APIS: Mapping[str, ModelApi] = MappingProxyType(
    {api.name: api for api in (ChatApi(), ResponsesApi(), AnthropicApi())}
)
