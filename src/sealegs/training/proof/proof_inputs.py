"""The rows of a proof, its tokenizer, and its model of random weights."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from sealegs.training.conversation_rows import parse_row
from sealegs.training.data.data_recipe import DataRecipe, read_data_recipe
from sealegs.training.data.exporters.exporter import Row
from sealegs.training.data.row_forms import row
from sealegs.training.data.trajectory_player import NoTrajectory, play_trajectory
from sealegs.training.encoding import render_conversation
from sealegs.training.proof.orders import order_of_row
from sealegs.training.proof.sizes import ModelShape, TrainingArm
from sealegs.training.proof.symbols import listing_row, symbols
from sealegs.training.proof.tokens import template, train_tokenizer

TRIES = 50
SAMPLE = 2_000  # rows that the tokenizer is trained on
POSITIONS = 2_048
TRAIN, VALIDATION = "train.jsonl", "validation.jsonl"
LISTS = 0.25  # of the rows of clean pre-training
MEASURED = 300  # rows of validation


def arm_recipe(arm: TrainingArm) -> DataRecipe:
    """The recipe of an arm's rows."""
    given = {"clean": arm.clean, "exemplars": arm.exemplars}
    return read_data_recipe(arm.recipe).model_copy(update={k: v for k, v in given.items() if v is not None})


def row_of(recipe: DataRecipe, name: str, number: int) -> Row:
    """The row of this number among those of this name."""
    for trial in range(TRIES):
        try:
            order = order_of_row(recipe, name, number, trial)
            made = play_trajectory(order, recipe.continuation)
        except NoTrajectory:
            continue
        about = {"id": f"{name}-{number}", "split": "train", "expert": "planner"}
        return row(order, made, about, "trl", recipe.continuation)
    raise ValueError(f"row {number} of {name} is not found")


def distinct_rows(recipe: DataRecipe, name: str, count: int, barred: frozenset[str] = frozenset()) -> Iterator[str]:
    """Rows as lines of JSON, no two with the same request and tools, and none with a request that is barred."""
    seen: set[tuple[object, ...]] = set()
    number = 0
    while len(seen) < count:
        made = row_of(recipe, name, number)
        key = (made["messages"][0]["content"], *made["offered"])
        number += 1
        if key not in seen and key[0] not in barred:
            seen.add(key)
            yield json.dumps(made)


def write_arm_rows(folder: Path, arm: TrainingArm, count: int, barred: frozenset[str]) -> None:
    """An arm's rows, and others like them to be measured on; none with a request that an episode asks."""
    recipe = arm_recipe(arm)
    write_lines(folder / TRAIN, distinct_rows(recipe, arm.taught, count, barred))
    write_lines(folder / VALIDATION, distinct_rows(recipe, f"{arm.taught} validation", MEASURED, barred))


def write_pretraining(folder: Path, count: int, barred: frozenset[str]) -> None:
    """The rows of clean pre-training: lists to be read among clean trajectories."""
    lists = round(LISTS * count)
    clean = distinct_rows(read_data_recipe("clean"), "pretraining", count - lists, barred)
    write_lines(folder / TRAIN, chain(clean, (json.dumps(listing_row(0, number)) for number in range(lists))))


def write_symbols(folder: Path, count: int) -> None:
    """The rows of the first phase."""
    write_lines(folder / TRAIN, (json.dumps(symbols(0, number)) for number in range(count)))


def write_lines(path: Path, lines: Iterator[str]) -> None:
    """Lines of text as a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as out:
        out.writelines(f"{line}\n" for line in lines)


def write_tokenizer(folder: Path, arm: TrainingArm) -> None:
    """A tokenizer trained on rows of an arm."""
    texts = [
        render_conversation(parse_row(text), TokenizerStub(), template())[0]
        for text in distinct_rows(arm_recipe(arm), "tokens", SAMPLE)
    ]
    train_tokenizer(texts).save_pretrained(folder)


class TokenizerStub:
    """Stands in for a tokenizer that is not there yet."""

    special_tokens_map: dict[str, Any] = {}


def write_model(folder: Path, tokenizer: Path, shape: ModelShape, seed: int) -> None:
    """A Llama of random weights, beside its tokenizer."""
    import torch
    from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM

    tokens = AutoTokenizer.from_pretrained(tokenizer)
    config = LlamaConfig(
        vocab_size=len(tokens),
        hidden_size=shape.width,
        intermediate_size=shape.inner,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.pairs,
        max_position_embeddings=POSITIONS,
        tie_word_embeddings=True,
        initializer_range=shape.spread,
        bos_token_id=None,
        eos_token_id=tokens.eos_token_id,
        pad_token_id=tokens.pad_token_id,
    )
    torch.manual_seed(seed)
    LlamaForCausalLM(config).save_pretrained(folder)
    tokens.save_pretrained(folder)
