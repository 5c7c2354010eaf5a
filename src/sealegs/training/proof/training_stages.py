"""The stages of a proof: the output of each, its inputs, and its folder. Each is made whole or made again.

`tokens`, `rows/NAME`, `base/SEED/symbols`, `base/SEED/clean`, `arm/NAME/SEED`, `curve/NAME/SEED`,
`episodes/NAME/SEED/off` and `.../on` (with the bank on the seam). Training inside a stage resumes from its own last
checkpoint.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sealegs.training.freed_memory import keep_freed_memory
from sealegs.training.proof import SEEN, SETS
from sealegs.training.proof.evaluating import evaluate_model, load_proof_model, orders_of
from sealegs.training.proof.leak_check import check_apart
from sealegs.training.proof.proof_inputs import (
    TRAIN,
    VALIDATION,
    write_arm_rows,
    write_lines,
    write_model,
    write_pretraining,
    write_symbols,
    write_tokenizer,
)
from sealegs.training.proof.sizes import PALADIN, ProofSize, TrainingArm
from sealegs.training.training_recipe import TrainingRecipe
from sealegs.training.training_run import run_training

CONTEXT = {"symbols": 512, "clean": 1024, "taught": 1024}
RATES = {"symbols": 3e-3, "clean": 3e-3, "taught": 1.5e-3}
OPTIMIZERS = {"symbols": "muon", "clean": "muon", "taught": "adamw_torch"}
DONE, EPISODES, CURVE = "done.json", "episodes.jsonl", "curve.jsonl"


@dataclass(frozen=True)
class ProofStage:
    """One stage.

    Attributes:
        name: its folder.
        needs: stages that must be done before.
        seed: of its training; -1 where it has none.
        arm: what it is of; None where it is of all.
    """

    name: str
    needs: tuple[str, ...] = ()
    seed: int = -1
    arm: TrainingArm | None = None

    @property
    def kind(self) -> str:
        """The kind of work that is done in it."""
        head, _, rest = self.name.partition("/")
        return f"base/{rest.rpartition('/')[2]}" if head == "base" else head


def proof_stages(size: ProofSize) -> list[ProofStage]:
    """All stages of a size, each after those that it needs."""
    found = {stage.name: stage for stage in _listed(size)}
    return list(found.values())


def _listed(size: ProofSize) -> Iterator[ProofStage]:
    yield ProofStage("tokens")
    yield ProofStage("rows/symbols")
    for seed in size.seeds:
        yield ProofStage(f"base/{seed}/symbols", ("tokens", "rows/symbols"), seed)
    yield ProofStage("rows/pretraining")
    for seed in size.seeds:
        yield ProofStage(f"base/{seed}/clean", (f"base/{seed}/symbols", "rows/pretraining"), seed)
    for arm in size.arms:
        if arm.recipe:
            yield ProofStage(f"rows/{arm.taught}", arm=full_arm(arm))
    for arm in sorted(size.arms, key=lambda arm: not arm.curve):  # the longest first
        for seed in size.seeds:
            yield from _of_arm(arm, seed, f"base/{seed}/clean")


def _of_arm(arm: TrainingArm, seed: int, base: str) -> Iterator[ProofStage]:
    trained = base
    if arm.recipe:
        trained = f"arm/{arm.slug}/{seed}"
        yield ProofStage(trained, (base, f"rows/{arm.taught}"), seed, arm)
        if arm.curve:
            yield ProofStage(f"curve/{arm.slug}/{seed}", (trained,), seed, arm)
    for retrieval in ("off", "on"):
        yield ProofStage(f"episodes/{arm.slug}/{seed}/{retrieval}", (trained,), seed, arm)


def full_arm(arm: TrainingArm) -> TrainingArm:
    """The arm with all the rows."""
    return TrainingArm(arm.name, arm.recipe, arm.clean, arm.exemplars)


def make_stage(out: Path, size: ProofSize, stage: ProofStage) -> None:
    """Make a stage in its folder."""
    prepare_process()
    folder = out / stage.name
    folder.mkdir(parents=True, exist_ok=True)
    match stage.kind:
        case "tokens":
            write_tokenizer(folder, PALADIN)
        case "rows":
            _rows(folder, size, stage)
        case "base/symbols" | "base/clean":
            _base(out, size, stage)
        case "arm":
            _taught(out, size, stage)
        case "curve":
            _curve(out, size, stage)
        case _:
            _episodes(out, size, stage)


def prepare_process() -> None:
    """Give a process of the proof quiet libraries, memory that it keeps, and, on the CPU, one thread.

    On two cores, two runs side by side are done sooner than one run on two threads.
    """
    import torch

    from sealegs.training.training_run import quiet_libraries

    quiet_libraries()
    keep_freed_memory()
    if not torch.accelerator.is_available():
        torch.set_num_threads(1)


def _rows(folder: Path, size: ProofSize, stage: ProofStage) -> None:
    orders = orders_of(SETS, size.episodes)
    barred = frozenset(order.variant.task.request for order in orders)
    match stage.name:
        case "rows/symbols":
            write_symbols(folder, size.symbols[0])
        case "rows/pretraining":
            write_pretraining(folder, size.clean[0], barred)
        case _:
            assert stage.arm is not None
            write_arm_rows(folder, stage.arm, size.taught[0], barred)
    check_apart(sorted(folder.glob("*.jsonl")), orders)


def _recipe(phase: str, seed: int, steps: int, **given: Any) -> TrainingRecipe:
    """The training recipe of one phase: packed, in full precision, the learning rate falling to nothing."""
    defaults: dict[str, Any] = {
        "name": phase,
        "template": "model",
        "precision": "fp32",
        "gradient_checkpointing": False,
        "batch": 1,
        "accumulation": 1,
        "context": CONTEXT[phase],
        "learning_rate": RATES[phase],
        "optimizer": OPTIMIZERS[phase],
        "schedule": "constant" if phase == "symbols" else "cosine",
        "warmup_steps": min(20, steps // 5),
        # More than is ever reached: the steps end a phase.
        "epochs": 1000,
        "max_steps": steps,
        "seed": seed,
        "save_every": max(1, steps // 4),
        "log_every": max(1, steps // 40),
    }
    return TrainingRecipe.model_validate({**defaults, **given})


def _base(out: Path, size: ProofSize, stage: ProofStage) -> None:
    """One phase of pre-training: all weights."""
    folder = out / stage.name
    if stage.kind == "base/symbols":
        start, rows, steps, phase = folder / "start", "symbols", size.symbols[1], "symbols"
        if not (folder / "start.json").is_file():
            write_model(start, out / "tokens", size.shape, stage.seed)
            # After the model: a start that was cut off while it was written is written again.
            (folder / "start.json").write_text("{}", encoding="utf-8")
    else:
        start, rows = out / "base" / str(stage.seed) / "symbols" / "run" / "model", "pretraining"
        steps, phase = size.clean[1], "clean"
    data = str(out / "rows" / rows / TRAIN)
    recipe = _recipe(phase, stage.seed, steps, model=str(start), data=data, lora=None)
    run_training(recipe, folder / "run", lambda done, total: None)


def base_of(out: Path, seed: int) -> Path:
    """The folder of a pre-trained model."""
    return out / "base" / str(seed) / "clean" / "run" / "model"


def _taught(out: Path, size: ProofSize, stage: ProofStage) -> None:
    """An arm's adapters, by our own trainer with L_SFT + lambda L_rec."""
    arm, folder = stage.arm, out / stage.name
    assert arm is not None
    data = out / "rows" / arm.taught / TRAIN
    if arm.rows < 1:
        lines = data.read_text("utf-8").splitlines()[: round(arm.rows * size.taught[0])]
        data = folder / "some" / TRAIN
        write_lines(data, iter(lines))
    given: dict[str, Any] = {"model": str(base_of(out, stage.seed)), "data": str(data)}
    if arm.curve:
        given |= {"validation": str(out / "rows" / arm.taught / VALIDATION), "keep": size.points}
        # Rounded up, so that no more checkpoints are made than are kept.
        given |= {"save_every": -(-size.taught[1] // size.points)}
    run_training(_recipe("taught", stage.seed, size.taught[1], **given), folder / "run", lambda done, total: None)


def adapter_of(out: Path, arm: TrainingArm, seed: int) -> Path | None:
    """The folder of an arm's adapters."""
    return out / "arm" / arm.slug / str(seed) / "run" / "adapter" if arm.recipe else None


def _episodes(out: Path, size: ProofSize, stage: ProofStage) -> None:
    arm = stage.arm
    assert arm is not None
    model = load_proof_model(base_of(out, stage.seed), adapter_of(out, arm, stage.seed))
    lines = evaluate_model(model, arm.sets, size.episodes, retrieval=stage.name.endswith("/on"))
    write_lines(out / stage.name / EPISODES, lines)


def _curve(out: Path, size: ProofSize, stage: ProofStage) -> None:
    """An arm on the way: at each checkpoint on the first set."""
    arm = stage.arm
    assert arm is not None
    run = out / "arm" / arm.slug / str(stage.seed) / "run"
    places = {int(place.name.removeprefix("checkpoint-")): place for place in run.glob("checkpoint-*")}
    lines = (
        json.dumps({"step": step, **json.loads(line)})
        for step, place in sorted(places.items())
        for line in evaluate_model(
            load_proof_model(base_of(out, stage.seed), place), (SEEN,), size.episodes, retrieval=False
        )
    )
    write_lines(out / stage.name / CURVE, lines)
