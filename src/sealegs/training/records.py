"""Files that a run leaves beside the weights: the curves of both terms, whole checkpoints, and the card.

A checkpoint counts once its `whole.json` is written, last of all and by the main process when all are done; what a kill
left half written is removed. The card names the model, the data, the settings, the versions and the cost.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transformers import TrainerCallback

from sealegs.traces.atomic_files import write_atomically

WHOLE, LOSSES, CARD = "whole.json", "losses.jsonl", "card.json"
POINT = (
    "loss", "loss_sft", "loss_recovery", "recovery_tokens", "eval_loss_sft", "eval_loss_recovery", "learning_rate",
    "grad_norm", "entropy", "mean_token_accuracy", "epoch",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class RunCost:
    """The cost of a run so far.

    Attributes:
        step: steps done.
        seconds: of training, in all the processes' lives that led to a checkpoint.
        waited: of them, waiting for the next batch.
        tokens: seen on all devices.
        lives: how many times the run was begun.
    """

    step: int = 0
    seconds: float = 0.0
    waited: float = 0.0
    tokens: int = 0
    lives: int = 0


def write_json_atomically(path: Path, data: Any) -> None:
    """Write JSON so that the file is there whole or not at all."""
    write_atomically(path, json.dumps(data, indent=1, allow_nan=False) + "\n", "name another --out")


def last_checkpoint(folder: Path) -> tuple[Path | None, RunCost]:
    """The newest whole checkpoint, and what the run had cost by then. Half-written ones are removed."""
    found: list[tuple[int, Path]] = []
    for place in folder.glob("checkpoint-*"):
        if (place / WHOLE).is_file():
            found.append((int(place.name.removeprefix("checkpoint-")), place))
        else:
            shutil.rmtree(place, ignore_errors=True)  # another process may be at it too
    if not found:
        return None, RunCost()
    _, newest = max(found)
    return newest, RunCost(**json.loads((newest / WHOLE).read_text("utf-8")))


def cut_losses(folder: Path, step: int) -> None:
    """Remove the points of the curves after a step, and a line that a kill left half written."""
    kept = [line for line in points(folder) if line["step"] <= step]
    write_atomically(folder / LOSSES, "".join(json.dumps(point) + "\n" for point in kept), "name another --out")


def points(folder: Path) -> list[dict[str, Any]]:
    """The points of the curves."""
    found = []
    path = folder / LOSSES
    for line in path.read_text(encoding="utf-8").splitlines() if path.is_file() else ():
        try:
            found.append(json.loads(line))
        except json.JSONDecodeError:  # the last line of a killed run
            break
    return found


class RunCallback(TrainerCallback):
    """Writes the curves' points as they come, marks checkpoints as whole, removes old ones, and tells progress.

    Args:
        folder: the run's.
        before: what the run had cost when this process took it up.
        keep: whole checkpoints that stay.
        tell: called with steps done and steps in all.
    """

    def __init__(self, folder: Path, before: RunCost, keep: int, tell: Callable[[int, int], None]) -> None:
        self.folder, self.before, self.keep, self.tell = folder, before, keep, tell
        self.trainer: Any = None
        self.begun = 0.0

    def spent(self) -> RunCost:
        """The cost of the run until now."""
        trainer, before = self.trainer, self.before
        return RunCost(
            step=trainer.state.global_step,
            seconds=before.seconds + trainer.clock.now() - self.begun,
            waited=before.waited + trainer.waited,
            tokens=before.tokens + int(trainer.seen),
            lives=before.lives + 1,
        )

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Start the clock, which does not count loading and encoding."""
        self.begun = self.trainer.clock.now()
        self.tell(state.global_step, state.max_steps)

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Count one more step."""
        self.tell(state.global_step, state.max_steps)

    def on_log(self, args: Any, state: Any, control: Any, logs: Mapping[str, Any], **kwargs: Any) -> None:
        """Write a point of the curves."""
        point = {name: logs[name] for name in POINT if name in logs}
        if state.is_world_process_zero and ("loss" in point or "eval_loss_sft" in point):
            with (self.folder / LOSSES).open("a", encoding="utf-8") as stream:
                stream.write(json.dumps({"step": state.global_step, **point}) + "\n")

    def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Mark the checkpoint as whole once every process has written its part."""
        self.trainer.accelerator.wait_for_everyone()
        if not state.is_world_process_zero:
            return
        spent = self.spent()
        write_json_atomically(
            self.folder / f"checkpoint-{state.global_step}" / WHOLE, {k: getattr(spent, k) for k in FIELDS}
        )
        whole = sorted(self.folder.glob(f"checkpoint-*/{WHOLE}"), key=lambda file: int(file.parent.name[11:]))
        for old in whole[: -self.keep]:
            shutil.rmtree(old.parent)


FIELDS = tuple(RunCost.__dataclass_fields__)
