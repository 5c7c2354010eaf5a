"""The loss: L = L_SFT + lambda L_rec, inside TRL's trainer.

L_SFT is the mean negative log-likelihood (NLL) over the assistant's tokens, L_rec that over the tokens of the
corrective segments, each mean over the whole effective batch: all the rows of one step, on all devices. L_rec is 0
where a step has no such token. TRL sums log-probabilities and divides by its own count N of the assistant's tokens; so
each log-probability of a recovery token is multiplied by 1 + lambda N / R beforehand, where R counts the recovery
tokens in the same way that TRL counts N. Everything else stays TRL's.

Sequence and context parallelism, where TRL takes the model's own loss, are not supported.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from trl import SFTTrainer
from trl.trainer.sft_trainer import DataCollatorForLanguageModeling

from sealegs.inject.clock import RealClock
from sealegs.training.encoding import IGNORED

SUMS = ("nll", "tokens", "recovery_nll", "recovery_tokens")


@dataclass
class Collator(DataCollatorForLanguageModeling):
    """TRL's collator with one more column: which tokens belong to a corrective segment."""

    def torch_call(self, examples: list[dict[str, Any]]) -> dict[str, Any]:
        """A batch: rows padded, or laid end to end where it is padding-free."""
        batch: dict[str, Any] = super().torch_call(examples)
        rows = [torch.tensor(example["recovery"]) for example in examples]
        labels = batch["labels"]
        recovery = torch.zeros_like(labels)
        if self.padding_free:
            joined = torch.cat(rows)
            recovery[0, : len(joined)] = joined
        else:
            for nth, row in enumerate(rows):
                recovery[nth, : len(row)] = row
        # A token without a label is in neither term, so R must not count it.
        batch["recovery"] = recovery * (labels != IGNORED)
        return batch


class RecoveryTrainer(SFTTrainer):
    """TRL's trainer with the recovery term, and its own account of both terms.

    Args:
        recovery_weight: lambda.
    """

    def __init__(self, *args: Any, recovery_weight: float, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.recovery_weight = recovery_weight
        self.clock = RealClock()
        self.waited = 0.0  # seconds in which the next batch was not there yet
        self.seen = 0  # tokens since the process began, on all devices, padding included
        self._recovery_count: Any = None
        self._sums: dict[str, Any] = {}

    def _set_signature_columns_if_needed(self) -> None:
        self._signature_columns = ["input_ids", "labels", "seq_lengths", "recovery"]

    def get_batch_samples(self, epoch_iterator: Iterator[Any], num_batches: int, device: Any) -> tuple[list[Any], Any]:
        """The batches of one step, and the assistant's tokens in them; recovery tokens are counted alike."""
        begun = self.clock.now()
        batches, count = super().get_batch_samples(epoch_iterator, num_batches, device)
        self.waited += self.clock.now() - begun
        # Without each row's first token: nothing predicts it, and TRL does not count it either.
        mine = torch.tensor(sum(int(batch["recovery"][..., 1:].sum()) for batch in batches))
        self._recovery_count = self.accelerator.gather(mine.to(device)).sum()
        return batches, count

    def compute_loss(
        self, model: Any, inputs: dict[str, Any], return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        """TRL's loss over log-probabilities that carry the weight of the recovery term."""
        recovery = inputs.pop("recovery")[..., 1:]
        training = self.model.training

        def weighted(**given: Any) -> Any:
            outputs = model(**given)
            self._account("train" if training else "eval", outputs, recovery)
            if self.recovery_weight:
                count = outputs.label_mask.sum() if num_items_in_batch is None else num_items_in_batch
                of_them = recovery.sum() if num_items_in_batch is None else self._recovery_count
                # Counted over the whole effective batch: means of single batches would weigh those with few recovery
                # tokens too much.
                extra = self.recovery_weight * count / of_them.clamp(min=1)
                outputs.log_probs = outputs.log_probs * (1 + extra * recovery)
            return outputs

        return super().compute_loss(weighted, inputs, return_outputs, num_items_in_batch)

    def _account(self, mode: str, outputs: Any, recovery: Any) -> None:
        """Add a batch to the sums that the curves are drawn from."""
        nll = -outputs.log_probs.detach().double()
        mine = torch.stack([nll.sum(), outputs.label_mask.sum(), (nll * recovery).sum(), recovery.sum()])
        self._sums[mode] = self._sums.get(mode, 0) + mine

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        """TRL's log with both terms: means over the tokens since the last one, on all devices."""
        mode = "train" if self.model.training else "eval"
        sums = self._sums.pop(mode, None)
        if sums is not None:
            logs.update(loss_terms(self.accelerator.reduce(sums, "sum").tolist(), "" if mode == "train" else "eval_"))
        self.seen = self._total_train_tokens
        super().log(logs, start_time)

    def create_model_card(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing: a run has one card, which is written when the run ends."""


def loss_terms(sums: list[float], prefix: str = "") -> dict[str, float]:
    """The two terms from their sums; the recovery term is left out where there was no token of it."""
    nll, tokens, recovery_nll, recovery_tokens = sums
    found = {f"{prefix}loss_sft": nll / max(tokens, 1), f"{prefix}recovery_tokens": recovery_tokens}
    if recovery_tokens:
        found[f"{prefix}loss_recovery"] = recovery_nll / recovery_tokens
    return found
