"""A small world to train in: rows, a tokenizer trained on them, models of random weights."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from sealegs.training.templates import SHIPPED, shipped_template, special_tokens

TOOL: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "The weather of a town",
        "parameters": {"type": "object", "properties": {"town": {"type": "string"}}},
    },
}
TOWNS = ("Oslo", "Bergen", "Tromsø", "Narvik", "Bodø", "Molde")
BOS, EOS, PAD = "<|begin|>", "<|end_of_text|>", "<|pad|>"


def call(town: str) -> list[dict[str, Any]]:
    return [{"type": "function", "function": {"name": "weather", "arguments": {"town": town}}}]


def row(nth: int, *, recovering: bool) -> dict[str, Any]:
    """A conversation: a question, calls, an answer; a recovering one has a failed call and marked messages after it."""
    random = Random(nth)
    town, other = random.sample(TOWNS, 2)
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "Answer in short."},
        {"role": "user", "content": f"How is the weather in {town}, number {nth}?"},
        {"role": "assistant", "content": "", "tool_calls": call(other if recovering else town)},
    ]
    if recovering:
        messages += [
            {"role": "tool", "name": "weather", "content": '{"error": {"status": 503}}'},
            {
                "role": "assistant",
                "content": f"Recovery: the tool failed, once more for {town}.",
                "tool_calls": call(town),
                "recovery": True,
            },
        ]
    messages += [
        {"role": "tool", "name": "weather", "content": '{"sky": "sun"}'},
        {"role": "assistant", "content": f"In {town} the sun shines" + " and shines" * random.randrange(8) + "."},
    ]
    return {"messages": messages, "tools": [TOOL]}


def rows(count: int) -> list[dict[str, Any]]:
    return [row(nth, recovering=nth % 3 == 0) for nth in range(count)]


def write_rows(path: Path, count: int) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in rows(count)), encoding="utf-8")
    return path


@cache
def tokenizer() -> Any:
    """A byte-level BPE trained on the rows, with the special tokens of all templates."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    specials = [PAD, BOS, EOS, *(token for name in SHIPPED for token in special_tokens(shipped_template(name)))]
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=512, special_tokens=list(dict.fromkeys(specials)), initial_alphabet=alphabet, show_progress=False
    )
    made.train_from_iterator(_texts(), trainer)
    return PreTrainedTokenizerFast(tokenizer_object=made, bos_token=BOS, eos_token=EOS, pad_token=PAD)


def _texts() -> Iterator[str]:
    for one in rows(40):
        yield json.dumps(one, ensure_ascii=False)
        yield from (message["content"] for message in one["messages"])


def model(seed: int = 0, **shape: Any) -> Any:
    """A Llama of random weights."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    given = {
        "vocab_size": len(tokenizer()),
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "max_position_embeddings": 1024,
        "bos_token_id": 1,
        "eos_token_id": 2,
        "pad_token_id": 0,
    }
    torch.manual_seed(seed)
    return LlamaForCausalLM(LlamaConfig(**given | shape))


def write_model(folder: Path, **shape: Any) -> Path:
    model(**shape).save_pretrained(folder)
    tokenizer().save_pretrained(folder)
    return folder
