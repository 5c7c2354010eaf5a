"""Tokens a second of our trainer (packed) beside plain TRL SFT without packing: same model, same rows, one run.

Both train all weights of a Llama of random values, with the same tokens per step on average, both learn from the same
tokens (the assistant's), and padding counts for neither. Steps take turns, each round in another order, so that what
else the machine does hits all alike; ratios are of medians, of the clock and of CPU seconds (all threads). A third arm
is ours with the stock attention: what packing alone does. Our time waiting for data is a share of the step's time. The
share of the peak: operations of a step a second, as torch counts them (attention only by kernels that it knows), over
those of one product of two large matrices in the same precision. On a GPU, where there is one, the model has a billion
parameters and the precision is bf16; else it is small and fp32. Data: rows of `--data`, or conversations of very
different lengths made here.

python benchmarks/training.py --json benchmarks/results/training.json
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import torch
from datasets import Dataset
from results_file import write_results
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from torch.utils.flop_counter import FlopCounterMode
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, PrinterCallback
from trl import SFTConfig, SFTTrainer

from sealegs.training.attention import register_row_attention
from sealegs.training.objective import Collator, RecoveryTrainer
from sealegs.training.templates import shipped_template
from sealegs.training.tokenized_data import SequenceSettings, prepare_tokens


@dataclass(frozen=True)
class Place:
    """What is trained where.

    Attributes:
        device: `cpu` or `gpu`.
        shape: the model's.
        context: tokens of a packed row.
        side: of the matrices that the peak is measured with.
    """

    device: str
    shape: Mapping[str, int]
    context: int
    side: int

    @property
    def type(self) -> torch.dtype:
        """The precision of the arithmetic."""
        return torch.float32 if self.device == "cpu" else torch.bfloat16


SMALL = {"hidden_size": 128, "intermediate_size": 344, "num_hidden_layers": 3, "num_attention_heads": 4}
LARGE = {"hidden_size": 2048, "intermediate_size": 5632, "num_hidden_layers": 22, "num_attention_heads": 32}
CPU = Place("cpu", SMALL, 1024, 1024)
GPU = Place("gpu", LARGE, 4096, 8192)
PRODUCTS = 20
WORDS = [f"{a}{b}{c}" for a in "bdgklmnprst" for b in "aeiou" for c in "lmnrst"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="a file of rows (JSONL); made here by default")
    parser.add_argument("--rows", type=int, default=400, help="how many are made")
    parser.add_argument("--steps", type=int, default=12, help="steps of each that are measured")
    parser.add_argument("--threads", type=int, default=1, help="of torch; one is steadier on a busy machine")
    parser.add_argument("--cpu", action="store_true", help="even where there is a GPU")
    parser.add_argument("--json", help="write the long table here")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    place = GPU if torch.cuda.is_available() and not arguments.cpu else CPU
    with tempfile.TemporaryDirectory() as folder:
        figures = measured(Path(folder), arguments, place)
    size = f"Llama {figures['parameters'] / 1e6:.2g} M"
    mode = (
        f"cpu, {arguments.threads} thread{'s' * (arguments.threads > 1)}"
        if place is CPU
        else torch.cuda.get_device_name()
    )
    head = {"suite": "benchmark-training", "agent": size, "level": f"context {place.context}", "mode": mode}
    rows = [
        {**head, "metric": name, "value": round(value, 4), "low": None, "high": None, "n": arguments.steps}
        for name, value in figures.items()
    ]
    for row in rows:
        print(f"{row['metric']:40} {row['value']:>12}")
    if arguments.json:
        about = {"python": platform.python_version(), "torch": torch.__version__, "threads": torch.get_num_threads()}
        write_results(arguments.json, rows, about)


def conversation(nth: int) -> dict[str, Any]:
    """A question, a few tool calls and an answer; how many and how long differ as they do in agents' trajectories."""
    random = Random(nth)

    def words(low: int, high: int) -> str:
        return " ".join(random.choices(WORDS, k=random.randint(low, high)))

    messages: list[dict[str, Any]] = [{"role": "user", "content": words(10, 40)}]
    for turn in range(random.choice((1, 2, 2, 3, 3, 4, 6, 9))):
        call = {"type": "function", "function": {"name": words(1, 1), "arguments": {words(1, 1): words(1, 3)}}}
        messages.append({"role": "assistant", "content": words(3, 12), "tool_calls": [call], "recovery": turn % 2 == 1})
        messages.append({"role": "tool", "content": words(4, 30)})
    return {"messages": [*messages, {"role": "assistant", "content": words(5, 30)}]}


def measured(folder: Path, arguments: argparse.Namespace, place: Place) -> dict[str, float]:
    path = Path(arguments.data) if arguments.data else folder / "train.jsonl"
    if not arguments.data:
        path.write_text(
            "".join(json.dumps(conversation(nth)) + "\n" for nth in range(arguments.rows)), encoding="utf-8"
        )
    tokenizer = trained(path)
    tokenizer.chat_template = template = shipped_template("qwen")
    packed, facts = prepare_tokens(
        (path,), tokenizer, SequenceSettings(template, place.context, packing=True), folder / "tokens"
    )
    single, _ = prepare_tokens(
        (path,), tokenizer, SequenceSettings(template, place.context, packing=False), folder / "tokens"
    )
    a_row = facts.tokens / facts.rows
    batch = max(1, round(2 * place.context / a_row))  # rows that hold as many tokens as two packed ones
    ours = stepper(folder / "ours", place, packed, tokenizer, 2, register_row_attention())
    stock = stepper(folder / "stock", place, packed, tokenizer, 2, "sdpa")
    plain = stepper(folder / "plain", place, single, tokenizer, batch)
    by = {"ours": Steps(ours), "plain": Steps(plain), "stock": Steps(stock)}
    for name, steps in by.items():
        steps.take(2, warm=True)
        print(f"{name}: warm", flush=True)
    turns = list(by.values())
    for _ in range(arguments.steps):
        for steps in turns:
            steps.take(1)
        turns = [*turns[1:], turns[0]]
    best = peak(place)
    work = by["ours"].operations()
    ratios = [a / b for a, b in zip(by["ours"].speeds, by["plain"].speeds, strict=True)]
    return {
        "parameters": float(sum(weight.numel() for weight in ours.model.parameters())),
        "rows": float(facts.rows),
        "tokens_per_row": a_row,
        "packed_fill": facts.tokens / (facts.sequences * place.context),
        "plain_rows_per_batch": float(batch),
        "ours_tokens_per_second": by["ours"].rate,
        "plain_tokens_per_second": by["plain"].rate,
        "ours_with_stock_attention_tokens_per_second": by["stock"].rate,
        "ratio": by["ours"].rate / by["plain"].rate,
        "ratio_of_medians": statistics.median(by["ours"].speeds) / statistics.median(by["plain"].speeds),
        "ratio_of_cpu_seconds": (by["ours"].tokens / by["ours"].cpu) / (by["plain"].tokens / by["plain"].cpu),
        "ours_cores_in_use": by["ours"].cpu / by["ours"].seconds,
        "plain_cores_in_use": by["plain"].cpu / by["plain"].seconds,
        "ratio_median_of_pairs": statistics.median(ratios),
        "ours_data_share_of_step": by["ours"].waited / by["ours"].seconds,
        "operations_per_token": work,
        "peak_operations_per_second": best,
        "ours_share_of_peak": statistics.median(by["ours"].speeds) * work / best,
    }


def peak(place: Place) -> float:
    """Operations a second of the product of two matrices, at best: what the device can do in this precision."""
    one = torch.randn(place.side, place.side, device="cpu" if place is CPU else "cuda", dtype=place.type)
    took = []
    for _ in range(PRODUCTS):
        finished()
        begun = time.perf_counter()
        one @ one
        finished()
        took.append(time.perf_counter() - begun)
    return 2 * place.side**3 / min(took)


def finished() -> None:
    """Wait for what the device still has to do."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()


class Steps:
    """One trainer, run a step at a time: the real training step on batches of its own loader."""

    def __init__(self, trainer: Any) -> None:
        self.trainer = trainer
        self.loader = trainer.get_train_dataloader()
        self.batches = iter(self.loader)
        trainer.create_optimizer_and_scheduler(10_000)
        self.seconds = self.cpu = self.waited = 0.0
        self.tokens = 0
        self.speeds: list[float] = []

    @property
    def rate(self) -> float:
        return self.tokens / self.seconds

    def take(self, count: int, *, warm: bool = False) -> None:
        """Steps: fetch, forward, backward, clip, update."""
        self.trainer.model.train()
        for _ in range(count):
            finished()
            begun, worked = time.perf_counter(), time.process_time()
            found, items = self._fetch()
            fetched = time.perf_counter()
            real = self._learn(found, items)
            finished()
            took, worked = time.perf_counter() - begun, time.process_time() - worked
            if not warm:
                self.seconds += took
                self.cpu += worked
                self.waited += fetched - begun
                self.tokens += real
                self.speeds.append(real / took)

    def operations(self) -> float:
        """Operations of one step for each of its tokens, as torch counts those of products and attention."""
        with FlopCounterMode(display=False) as counted:
            real = self._learn(*self._fetch())
        return counted.get_total_flops() / real

    def _learn(self, found: list[Any], items: Any) -> int:
        """Forward, backward, clip, update; how many tokens there were."""
        trainer = self.trainer
        real = sum(self._real(batch) for batch in found)  # before the trainer takes the masks out
        for batch in found:
            trainer.training_step(trainer.model, batch, items)
        torch.nn.utils.clip_grad_norm_(trainer.model.parameters(), 1.0)
        trainer.optimizer.step()
        trainer.optimizer.zero_grad()
        return real

    def _fetch(self) -> tuple[list[Any], Any]:
        found, items = self.trainer.get_batch_samples(self.batches, 1, self.trainer.args.device)
        if not found:
            self.batches = iter(self.loader)
            found, items = self.trainer.get_batch_samples(self.batches, 1, self.trainer.args.device)
        return found, items

    def _real(self, batch: Any) -> int:
        """Tokens that are not padding."""
        mask = batch.get("attention_mask")
        return int(batch["input_ids"].numel() if mask is None else mask.sum())


def stepper(folder: Path, place: Place, data: Dataset, tokenizer: Any, batch: int, attention: str = "") -> Any:
    """Our trainer on packed rows with this attention, or plain TRL on single ones."""
    arguments = SFTConfig(
        output_dir=str(folder),
        per_device_train_batch_size=batch,
        bf16=place is GPU,
        use_cpu=place is CPU,
        report_to="none",
        disable_tqdm=True,
        activation_checkpointing=False,
        max_steps=10_000,
        max_length=place.context,
        dataset_kwargs={"skip_prepare_dataset": True} if attention else None,
    )
    model = llama(len(tokenizer), place)
    given: dict[str, Any] = {"model": model, "args": arguments, "processing_class": tokenizer}
    if attention:
        model.set_attn_implementation(attention)
        collator = Collator(tokenizer.pad_token_id, padding_free=True)
        made = RecoveryTrainer(**given, train_dataset=data, data_collator=collator, recovery_weight=1.0)
    else:
        made = SFTTrainer(**given, train_dataset=data.select_columns(["input_ids", "labels"]))
    made.remove_callback(PrinterCallback)
    made.current_gradient_accumulation_steps = 1
    return made


def llama(vocabulary: int, place: Place) -> Any:
    torch.manual_seed(0)
    return LlamaForCausalLM(LlamaConfig(vocab_size=vocabulary, max_position_embeddings=place.context, **place.shape))


def trained(path: Path) -> Any:
    """A byte-level BPE of 512 tokens trained on the rows."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    specials = ["<|pad|>", "<|im_start|>", "<|im_end|>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=512, special_tokens=specials, initial_alphabet=alphabet, show_progress=False
    )
    made.train_from_iterator(path.read_text(encoding="utf-8").splitlines()[:200], trainer)
    return PreTrainedTokenizerFast(tokenizer_object=made, pad_token="<|pad|>", eos_token="<|im_end|>")


if __name__ == "__main__":
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    main()
