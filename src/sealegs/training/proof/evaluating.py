"""A model measured: it writes, episode by episode, in the simulator, and the judge's verdicts are kept as lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from sealegs.scoring import Verdict
from sealegs.scoring.paladin_metrics import CLEAN, PaladinResult
from sealegs.training.data.trajectory_player import Trajectory, TrajectoryOrder
from sealegs.training.proof import CODES
from sealegs.training.proof.batched_rollout import ProofModel, roll_out
from sealegs.training.proof.orders import CELLS, cell_of, order_of_episode

LASTS = {"P1": "transient", "P2": "switch", "P3": "transient", "P4": "switch"}
SHOWN = 2  # episodes of a cell whose conversation is kept too


@cache
def evaluation_episodes(sets: tuple[str, ...], count: int) -> tuple[tuple[str, TrajectoryOrder], ...]:
    """The episodes of sets, so many of each cell; the same for every model."""
    return tuple(
        (name, order_of_episode(name, cell, 0, n)) for name in sets for cell in cells_of(name) for n in range(count)
    )


def cells_of(set: str) -> tuple[str, ...]:
    """The cells of a set: coded errors are explicit."""
    return tuple(cell for cell in CELLS if set != CODES or cell not in ("P3", "P4", CLEAN))


def load_proof_model(base: Path, adapter: Path | None) -> ProofModel:
    """A model ready to write, its adapters merged in."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model = AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32)
    if adapter is not None:
        from peft import PeftModel

        model = PeftModel.from_pretrained(model, str(adapter)).merge_and_unload()
    tokenizer = AutoTokenizer.from_pretrained(base)
    device = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else "cpu"
    return ProofModel(model.to(device).eval(), tokenizer, tokenizer.chat_template)


def evaluate_model(speaker: ProofModel, sets: tuple[str, ...], count: int, *, retrieval: bool) -> Iterator[str]:
    """The verdicts of a model on all episodes of some sets, as lines of JSON."""
    chosen = evaluation_episodes(sets, count)
    seen: dict[tuple[str, str], int] = {}
    for (name, order), made in zip(chosen, roll_out(speaker, [o for _, o in chosen], retrieval=retrieval), strict=True):
        cell = cell_of(order)
        seen[name, cell] = seen.get((name, cell), 0) + 1
        yield json.dumps(_result_row(name, cell, order, made, whole=seen[name, cell] <= SHOWN))


def _result_row(set: str, cell: str, order: TrajectoryOrder, made: Trajectory, *, whole: bool) -> dict[str, Any]:
    assert made.found is not None
    entry = {
        "set": set,
        "cell": cell,
        "task": order.variant.base.id,
        "failure": order.kind.name if order.kind else None,
        "end": made.found.end.reason,
        "answered": made.found.answer is not None,
        "verdict": asdict(made.judged),
    }
    return {**entry, "messages": made.messages} if whole else entry


def read_verdicts(path: Path, run: str) -> list[tuple[str, PaladinResult]]:
    """Verdicts from their lines, each with its set.

    Args:
        path: the file.
        run: the training run that the model is of.
    """
    return [parse_verdict(json.loads(line), run) for line in path.read_text("utf-8").splitlines()]


def parse_verdict(entry: dict[str, Any], run: str) -> tuple[str, PaladinResult]:
    """A verdict from its data, with its set."""
    verdict = entry["verdict"]
    kept = Verdict(**{**verdict, "reasons": tuple(verdict["reasons"]), "tainted": tuple(verdict["tainted"])})
    kind = LASTS.get(entry["cell"], entry["cell"])
    return entry["set"], PaladinResult(entry["task"], entry["cell"], kind, kept, entry["answered"], run=run)


def orders_of(sets: Sequence[str], count: int) -> list[TrajectoryOrder]:
    """The episodes of sets alone."""
    return [order for _, order in evaluation_episodes(tuple(sets), count)]
