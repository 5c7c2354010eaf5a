"""How much memory training really takes, beside what was estimated before it: models of several shapes, on the CPU.

Each shape is trained for two steps by the real command's code in this process. What is compared is the highest
resident memory of the run above that before it, with the estimate without its share for the framework itself, which a
first small run has paid for. Linux only.

python benchmarks/training_memory.py --json benchmarks/results/training_memory.json
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import tempfile
from pathlib import Path
from typing import Any

import torch
from results_file import write_results
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from sealegs.scoring.metric import Row
from sealegs.training.memory_estimate import FRAMEWORK, GIB
from sealegs.training.preflight import check_run
from sealegs.training.training_recipe import parse_training_recipe
from sealegs.training.training_run import run_training

FIRST = "a first small run"
SHAPE = {"hidden_size": 256, "intermediate_size": 768, "num_hidden_layers": 6, "num_attention_heads": 4}
LORA: dict[str, Any] = {"precision": "fp32", "context": 2048, "batch": 1, "gradient_checkpointing": False}
FULL: dict[str, Any] = {**LORA, "lora": None}
SHAPES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    FIRST: ({**SHAPE, "hidden_size": 32}, {**LORA, "context": 128}),
    "LoRA, packed": (SHAPE, LORA),
    "LoRA, packed, checkpointing": (SHAPE, {**LORA, "context": 4096, "gradient_checkpointing": True}),
    "LoRA, packed, bf16": (SHAPE, {**LORA, "precision": "bf16", "context": 1024}),
    "LoRA, padded": (SHAPE, {**LORA, "packing": False, "context": 512, "batch": 4}),
    "LoRA, 32,000 tokens": ({**SHAPE, "vocab_size": 32_000}, {**LORA, "context": 1024, "gradient_checkpointing": True}),
    "all weights, packed": ({**SHAPE, "hidden_size": 512, "intermediate_size": 1536}, {**FULL, "context": 512}),
    "all weights, packed, bf16": (
        {**SHAPE, "hidden_size": 512, "intermediate_size": 1536},
        {**FULL, "precision": "bf16", "context": 512},
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", help="write the long table here")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    rows: list[Row] = []
    for name, (shape, recipe) in SHAPES.items():
        with tempfile.TemporaryDirectory() as folder:
            estimated, found, whole = measured(Path(folder), shape, recipe)
        if name == FIRST:
            continue
        figures = {"estimated_gib": estimated / GIB, "measured_gib": found / GIB, "ratio": estimated / found}
        figures["ratio_with_framework"] = (estimated + FRAMEWORK) / whole
        head: Row = {"suite": "benchmark-training-memory", "agent": "Llama", "level": name, "mode": "cpu"}
        rows += [
            {**head, "metric": metric, "value": round(value, 3), "low": None, "high": None, "n": 1}
            for metric, value in figures.items()
        ]
        print(f"{name:30}", *(f"{metric} {value:.3f}" for metric, value in figures.items()), flush=True)
    if arguments.json:
        write_results(arguments.json, rows)


def measured(folder: Path, shape: dict[str, Any], more: dict[str, Any]) -> tuple[int, int, int]:
    """Bytes as estimated, and as they were, both without the framework; and all that the process held."""
    write(folder, shape)
    recipe = parse_training_recipe(
        {
            "model": str(folder / "model"),
            "data": str(folder / "train.jsonl"),
            "template": "plain",
            "accumulation": 1,
            "max_steps": 2,
            "save_every": 100,
            **more,
        }
    )
    need = check_run(recipe).need.total - FRAMEWORK
    gc.collect()
    ctypes.CDLL("libc.so.6").malloc_trim(0)
    before = resident("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the highest begins anew
    run_training(recipe, folder / "run", lambda done, total: None)
    highest = resident("VmHWM")
    return need, highest - before, highest


def resident(name: str) -> int:
    """Bytes of a line of /proc/self/status."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))


def write(folder: Path, shape: dict[str, Any]) -> None:
    """A model of random values, a tokenizer of letters, and rows that fill any context."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    specials = ["<|pad|>", "<|end|>"]
    made.train_from_iterator(
        [], trainers.BpeTrainer(special_tokens=specials, initial_alphabet=alphabet, show_progress=False)
    )
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=made, pad_token="<|pad|>", eos_token="<|end|>")
    tokenizer.save_pretrained(folder / "model")
    torch.manual_seed(0)
    given = {"vocab_size": len(tokenizer), "max_position_embeddings": 4096, **shape}
    LlamaForCausalLM(LlamaConfig(**given)).save_pretrained(folder / "model")
    messages = [{"role": "user", "content": "a" * 60}, {"role": "assistant", "content": "b" * 400, "recovery": True}]
    (folder / "train.jsonl").write_text((json.dumps({"messages": messages}) + "\n") * 64, encoding="utf-8")


if __name__ == "__main__":
    main()
