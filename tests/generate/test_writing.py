"""A model as a plain function that threads may call."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests import needs

pytest.importorskip("inspect_ai", reason=needs.module("inspect_ai"))

from inspect_ai.model import ModelOutput, ModelUsage, get_model

from sealegs.faults.user_error import UserError
from sealegs.generate.staged.text_model import writer


def test_threads_may_ask(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path))

    def reply(messages: list[Any], *_: Any) -> ModelOutput:
        output = ModelOutput.from_content("mockllm/model", f"heard {messages[-1].text}")
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    write = writer(get_model("mockllm/model", custom_outputs=reply))
    prompts = [f"prompt {number}" for number in range(12)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(write, prompts)) == [f"heard {text}" for text in prompts]


def test_an_unknown_model_is_a_mistake() -> None:
    with pytest.raises(UserError, match="cannot be used"):
        writer("nosuch/model")
