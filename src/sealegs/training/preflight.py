"""Checks before any long work: whether model, tokenizer, template, optimizer and memory will do."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sealegs.faults.user_error import UserError
from sealegs.training.conversation_rows import BadRow, RowConversation
from sealegs.training.encoding import IGNORED, encode
from sealegs.training.memory_estimate import MemoryEstimate, check_memory, estimate_memory
from sealegs.training.templates import training_template
from sealegs.training.training_recipe import TrainingRecipe

PACKAGES = ("torch", "transformers", "peft", "trl", "datasets", "accelerate")
PROBE = RowConversation(({"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}), (), frozenset())


@dataclass(frozen=True, slots=True)
class CheckedRun:
    """The checked parts that a run begins with.

    Attributes:
        config: the model's shape.
        tokenizer: the model's.
        template: the chat template's text.
        end: the token that ends the assistant's turns.
        optimizer: the one that is really taken.
        attention: likewise.
        need: the memory that it takes, as estimated.
    """

    config: Any
    tokenizer: Any
    template: str
    end: str
    optimizer: str
    attention: str
    need: MemoryEstimate


def require_packages() -> None:
    """Raise where the extra is missing.

    Raises:
        UserError: a package is not installed.
    """
    missing = [name for name in PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        raise UserError(
            f"training needs {', '.join(missing)}; install torch first (the CPU build or your GPU's, see "
            f"docs/training.md), then `pip install sealegs[train]`"
        )


def check_run(recipe: TrainingRecipe) -> CheckedRun:
    """Check everything that a run needs except the data and the weights themselves.

    Raises:
        UserError: something will not do.
    """
    config, tokenizer = _model(recipe)
    _vocabulary(recipe, config, tokenizer)
    apply_rope_scaling(recipe, config)
    template = training_template(recipe.template, tokenizer)
    end = end_mark(recipe.template, template, tokenizer)
    _precision(recipe)
    optimizer, attention = _optimizer(recipe), _attention(recipe, config.get_text_config())
    need = estimate_memory(recipe, config)
    check_memory(recipe, need)
    return CheckedRun(config, tokenizer, template, end, optimizer, attention, need)


def _model(recipe: TrainingRecipe) -> tuple[Any, Any]:
    """The model's shape and its tokenizer."""
    from transformers import AutoConfig, AutoTokenizer

    folder = Path(recipe.model)
    if folder.is_dir():
        if not any(folder.glob("*.safetensors")) and not any(folder.glob("*.bin")):
            raise UserError(f"{recipe.model} holds no weights (*.safetensors); name the folder of a whole model")
    # A name of the hub has at most one slash, so one with more is a path that is not there.
    elif recipe.model.startswith((".", "/", "~")) or recipe.model.count("/") > 1:
        raise UserError(f"there is no model at {recipe.model}; name a folder that holds one, or a model of the hub")
    try:
        config = AutoConfig.from_pretrained(recipe.model)
        tokenizer = AutoTokenizer.from_pretrained(recipe.model)
    except (OSError, ValueError) as error:
        reason = str(error).strip().splitlines()[0]
        raise UserError(
            f"no model {recipe.model}: {reason} Name a folder that holds one, or log in to the hub"
        ) from error
    except Exception as error:  # tokenizers raises no other class over a file that cannot be read
        raise UserError(f"the tokenizer of {recipe.model} cannot be read: {error}; fetch the model again") from error
    if not tokenizer.is_fast:
        raise UserError(f"the tokenizer of {recipe.model} cannot say where a token is in the text; take a fast one")
    return config, tokenizer


def _vocabulary(recipe: TrainingRecipe, config: Any, tokenizer: Any) -> None:
    rows = config.get_text_config().vocab_size
    if len(tokenizer) > rows:
        raise UserError(f"the tokenizer of {recipe.model} has {len(tokenizer)} tokens, its model knows {rows}")


def apply_rope_scaling(recipe: TrainingRecipe, config: Any) -> None:
    """Put the RoPE scaling into the model's shape, and check that the context fits.

    Raises:
        UserError: it does not fit, or there is nothing to scale.
    """
    text = config.get_text_config()
    own: int | None = getattr(text, "max_position_embeddings", None)
    scaling = recipe.rope_scaling
    if scaling is not None:
        if own is None or getattr(text, "rope_parameters", None) is None:
            raise UserError(f"rope_scaling: {recipe.model} has no rotary positions to scale; leave it out")
        text.rope_parameters = {**text.rope_parameters, "rope_type": scaling.type, "factor": scaling.factor}
        if scaling.type == "yarn":
            text.rope_parameters["original_max_position_embeddings"] = own
        if scaling.type != "dynamic":  # which stretches once the model's own positions are used up
            text.max_position_embeddings = int(own * scaling.factor)
    if own is None:
        return
    reach = own * (scaling.factor if scaling else 1)
    if recipe.context > reach:
        raise UserError(
            f"context {recipe.context} is more than the {reach:.0f} positions of {recipe.model}; lower it, or set "
            f"rope_scaling with a factor of {recipe.context / own:.3g} or more"
        )


def end_mark(name: str, template: str, tokenizer: Any) -> str:
    """The token that ends the assistant's turns, as the template marks them.

    Raises:
        UserError: no special token is marked: the model would never learn to stop.
    """
    try:
        labels = encode(PROBE, tokenizer, template).labels
    except BadRow as error:
        raise UserError(f"template {name} cannot write a question and an answer: {error}") from error
    marks = [label for label in labels if label != IGNORED and label in tokenizer.added_tokens_decoder]
    if not marks:
        raise UserError(
            f"template {name} has no end mark within {{% generation %}}: the model would never learn to stop"
        )
    # The last one: a template may open a turn with a mark, too.
    return str(tokenizer.convert_ids_to_tokens(marks[-1]))


def _precision(recipe: TrainingRecipe) -> None:
    import torch

    if recipe.precision == "bf16" and torch.cuda.is_available() and not torch.cuda.is_bf16_supported(False):
        raise UserError(f"precision bf16 is not what {torch.cuda.get_device_name()} can do; take fp32")


def _optimizer(recipe: TrainingRecipe) -> str:
    if not recipe.optimizer.startswith("paged") or importlib.util.find_spec("bitsandbytes") is not None:
        return recipe.optimizer
    if recipe.optimizer_fallback is None:
        raise UserError(
            f"optimizer {recipe.optimizer} needs bitsandbytes, which is not installed; install it, or name "
            f"`optimizer_fallback: adamw_torch` in the recipe"
        )
    return recipe.optimizer_fallback


def _attention(recipe: TrainingRecipe, config: Any) -> str:
    import torch

    from sealegs.training.attention import has_full_attention, register_row_attention

    there = importlib.util.find_spec("flash_attn") is not None and torch.cuda.is_available()
    if recipe.attention == "auto":
        if there:
            return "flash_attention_2"
        # Over packed rows `sdpa` alone would pay for every pair of tokens of the whole sequence.
        return register_row_attention() if recipe.packing and has_full_attention(config) else "sdpa"
    if recipe.attention == "flash_attention_2" and not there:
        raise UserError("attention flash_attention_2 needs a GPU and the package flash-attn; take auto or sdpa")
    return recipe.attention
