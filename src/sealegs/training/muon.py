"""Muon for the matrices inside a model, AdamW for all else, as one optimizer that schedules and checkpoints know.

Muon (Jordan 2024) takes of each matrix's momentum the nearest orthogonal matrix; its steps are scaled here so that a
learning rate means what it means for AdamW. Small models that are trained from scratch learn to copy several times
sooner with it. Sharded weights are not supported.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

import torch

MOMENTUM, BETAS = 0.95, (0.9, 0.99)


class Muon(torch.optim.Optimizer):
    """Both in one.

    Args:
        model: whose weights are trained; embeddings, the head and everything that is not a matrix go to AdamW.
        lr: of both.
        weight_decay: of both.
    """

    def __init__(self, model: torch.nn.Module, lr: float, weight_decay: float = 0.0) -> None:
        apart = {id(weight) for weight in _ends(model)}
        trained = [weight for weight in model.parameters() if weight.requires_grad]
        inner = [weight for weight in trained if weight.ndim == 2 and id(weight) not in apart]
        taken = {id(weight) for weight in inner}
        others = [weight for weight in trained if id(weight) not in taken]
        self._parts: list[torch.optim.Optimizer] = []
        if inner:
            matched = {"momentum": MOMENTUM, "adjust_lr_fn": "match_rms_adamw"}
            self._parts.append(torch.optim.Muon(inner, lr=lr, weight_decay=weight_decay, **matched))
        if others:
            self._parts.append(torch.optim.AdamW(others, lr=lr, weight_decay=weight_decay, betas=BETAS))
        # Schedulers want one optimizer with `param_groups`; `_joined` puts the parts' own groups in their place.
        super().__init__(trained, {"lr": lr})
        self._joined()

    def _joined(self) -> None:
        """The parts' groups are this one's, so that a schedule reaches them."""
        self.param_groups = list(chain.from_iterable(part.param_groups for part in self._parts))

    def step(self, closure: Any = None) -> Any:
        """One step of both."""
        loss = None if closure is None else closure()
        for part in self._parts:
            part.step()
        return loss

    def state_dict(self) -> dict[str, Any]:
        """The state of both."""
        return {"parts": [part.state_dict() for part in self._parts]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load the state of both optimizers."""
        for part, state in zip(self._parts, state_dict["parts"], strict=True):
            part.load_state_dict(state)
        self._joined()


def _ends(model: Any) -> list[torch.nn.Parameter]:
    """Embeddings and the head."""
    ends = (model.get_input_embeddings(), model.get_output_embeddings())
    return [weight for end in ends if end is not None for weight in end.parameters()]
