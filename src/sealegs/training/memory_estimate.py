"""The memory that a run will take, estimated from the model's shape before any weight is read.

Weights, the optimizer's state of those that are trained (32-bit weights, gradients and two moments), and the values
that the backward pass keeps of one batch: with checkpointing the input of each layer, without it the inside of all, and
the inside of one twice, for its gradients; tiles of the output layer; one GiB for the framework itself. An estimate for
decoders of the common shape, meant to be too large rather than too small: what the allocator keeps of what was freed is
a share of the activations, on CPUs as it was measured (`benchmarks/training_memory.py`), on GPUs a guess.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sealegs.faults.user_error import UserError
from sealegs.training.training_recipe import TrainingRecipe

GIB = 1 << 30
FRAMEWORK = GIB
HEAD_ROWS, HEAD_COLUMNS = 4096, 32768  # positions and tokens that the output layer scores at once
TILES = 9  # tensors of that size which torch alone holds in the backward pass


@dataclass(frozen=True, slots=True)
class MemoryEstimate:
    """Bytes that a run takes on one device.

    Attributes:
        parameters: of the model.
        trainable: of them, or of the adapters.
        weights, optimizer, activations: bytes.
    """

    parameters: int
    trainable: int
    weights: int
    optimizer: int
    activations: int

    @property
    def total(self) -> int:
        """All of it, and what the framework itself takes."""
        return self.weights + self.optimizer + self.activations + FRAMEWORK


def estimate_memory(recipe: TrainingRecipe, config: Any) -> MemoryEstimate:
    """The memory that this recipe takes with a model of this shape.

    Raises:
        UserError: the adapters' targets are not in the model.
    """
    import torch
    from accelerate import init_empty_weights
    from transformers import AutoModelForCausalLM

    with init_empty_weights():
        empty = AutoModelForCausalLM.from_config(config)
    parameters = sum(weight.numel() for weight in empty.parameters())
    layers = {name: layer for name, layer in empty.named_modules() if isinstance(layer, torch.nn.Linear)}
    trainable = _adapters(recipe, layers) if recipe.lora else parameters
    width = 2 if recipe.precision == "bf16" else 4
    frozen = width if recipe.lora else 4
    kept = 16 * trainable  # in 32 bits: adapters or the optimizer's passing copy, gradients, two moments
    kept += (
        2 * parameters if recipe.precision == "bf16" and not recipe.lora else 0
    )  # weights as the arithmetic has them
    return MemoryEstimate(
        parameters, trainable, frozen * parameters, kept, _activations(recipe, config.get_text_config(), width)
    )


def _adapters(recipe: TrainingRecipe, layers: dict[str, Any]) -> int:
    """Parameters of the adapters."""
    assert recipe.lora is not None
    found = 0
    missing = []
    for target in recipe.lora.targets:
        named = [layer for name, layer in layers.items() if name.rpartition(".")[2] == target]
        found += sum(recipe.lora.r * (layer.in_features + layer.out_features) for layer in named)
        if not named:
            missing.append(target)
    if missing:
        ends = sorted({name.rpartition(".")[2] for name in layers if name})
        raise UserError(f"lora.targets names {', '.join(missing)}; the model's linear layers are {', '.join(ends)}")
    return found


def _activations(recipe: TrainingRecipe, config: Any, width: int) -> int:
    """Bytes that the backward pass of one batch keeps, and works in."""
    tokens = recipe.batch * recipe.context
    hidden, inner = config.hidden_size, getattr(config, "intermediate_size", 4 * config.hidden_size)
    inside = tokens * width * (14 * hidden + 4 * inner)
    if width == 2:  # norms work in 32 bits, and each adapter keeps its input in 16
        inside += tokens * (8 * hidden + (width * (6 * hidden + inner) if recipe.lora else 0))
    depth = config.num_hidden_layers
    layers = depth * tokens * hidden * width + inside if recipe.gradient_checkpointing else depth * inside
    layers += inside
    mask = 0 if recipe.packing else 5 * recipe.batch * recipe.context**2  # of truth values, and as numbers
    return int(layers * _kept_by_allocator() + mask + _head(tokens, hidden, config.vocab_size))


def _kept_by_allocator() -> float:
    """The ratio of the memory that the process holds to the memory in use."""
    import torch

    return 1.25 if torch.cuda.is_available() else 1.6


def _head(tokens: int, hidden: int, vocabulary: int) -> int:
    """Bytes of the output layer: a tile of scores (several of its size where no Triton folds them), and gradients."""
    import torch

    tile = min(tokens, HEAD_ROWS) * min(vocabulary, HEAD_COLUMNS) * 4
    return tile * (2 if torch.cuda.is_available() else TILES) + 3 * tokens * hidden * 4


def available_memory(recipe: TrainingRecipe) -> tuple[int, str]:
    """Bytes that the run may take, and where."""
    import psutil
    import torch

    if recipe.memory_limit_gib is not None:
        return int(recipe.memory_limit_gib * GIB), "memory_limit_gib"
    if torch.cuda.is_available():
        return int(torch.cuda.mem_get_info()[0]), torch.cuda.get_device_name()
    return int(psutil.virtual_memory().available), "this machine's memory"


def check_memory(recipe: TrainingRecipe, need: MemoryEstimate) -> None:
    """Raise where the memory will not do.

    Raises:
        UserError: the estimate is above what is free.
    """
    free, where = available_memory(recipe)
    if need.total <= free:
        return
    parts = {"weights": need.weights, "optimizer": need.optimizer, "activations": need.activations}
    itemised = ", ".join(f"{name} {size / GIB:.2f}" for name, size in parts.items())
    raise UserError(
        f"the run would take about {need.total / GIB:.2f} GiB ({itemised}), and {where} has {free / GIB:.2f}; lower "
        f"`batch` or `context`, turn on gradient_checkpointing, or set memory_limit_gib if you know better"
    )
