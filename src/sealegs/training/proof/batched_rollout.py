"""Many episodes at once: the model writes for all of them together, and each is played in its own simulated world.

Greedy decoding with a cache of keys and values. Rows are fed to the model side by side, shorter ones padded on the
right; a padded place is hidden from everything that comes later, and positions are counted without it. What the model
reads is the template's text of the conversation so far, so it sees exactly what training rows look like. A turn that
does not end, and an episode with too many calls, is cut off and stays in every denominator.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from inspect import signature
from typing import Any

from sealegs.agents import UseTool
from sealegs.recovery.layer import RecoveryLayer
from sealegs.recovery.policies import Advise
from sealegs.training.conversation_rows import RowConversation
from sealegs.training.data.exporters.trl_rows import offered_tools
from sealegs.training.data.trajectory_player import Trajectory, TrajectoryOrder, TrajectoryPlayer
from sealegs.training.encoding import render_conversation
from sealegs.training.proof.tokens import ASSISTANT, CALL, END

MOST_TOKENS = 24  # of one turn
MOST_CALLS = 12
AT_ONCE = 256


@dataclass(frozen=True)
class ProofModel:
    """A model and its tokens."""

    model: Any
    tokenizer: Any
    template: str

    def unread_tokens(self, player: TrajectoryPlayer) -> list[int]:
        """The tokens that the model has not read yet: all that follows its last turn, and the mark of its next one."""
        messages = tuple(player.made.messages)
        text, _ = render_conversation(
            RowConversation(messages, offered_tools(player.order.specs), frozenset()), self.tokenizer, self.template
        )
        unread = text.rpartition(END)[2] + ASSISTANT
        ids: list[int] = self.tokenizer(unread, add_special_tokens=False)["input_ids"]
        return ids

    def read(self, ids: Sequence[int], player: TrajectoryPlayer) -> tuple[str, UseTool | None]:
        """The text that the model wrote, and the call that it makes."""
        text = self.tokenizer.decode(ids)
        text_before, called, call = text.partition(CALL)
        if not called:
            return text_before, None
        name, *values = call.split() or [""]
        spec = player.specs.get(name)
        names = list(spec.parameters.get("properties", {})) if spec is not None else []
        names += [f"argument_{nth}" for nth in range(len(names), len(values))]
        return text_before, UseTool(name, dict(zip(names, values)))


@dataclass
class RolloutSlot:
    """One episode under way: what the model reads next, what it has written in this turn, and the result."""

    player: TrajectoryPlayer
    pending: list[int]
    written: list[int] = field(default_factory=list)
    made: Trajectory | None = None


def roll_out(
    speaker: ProofModel,
    orders: Sequence[TrajectoryOrder],
    *,
    retrieval: bool,
    tell: Callable[[int], None] = lambda _: None,
) -> list[Trajectory]:
    """Play episodes to their ends.

    Args:
        speaker: who plays.
        orders: what is played.
        retrieval: whether the bank is on the seam and appends its advice to failures.
        tell: called with how many episodes are done.
    """
    found: list[Trajectory] = []
    for start in range(0, len(orders), AT_ONCE):
        found += _together(speaker, orders[start : start + AT_ONCE], retrieval)
        tell(len(found))
    return found


def _together(speaker: ProofModel, orders: Sequence[TrajectoryOrder], retrieval: bool) -> list[Trajectory]:
    import torch

    seats = []
    for order in orders:
        layers = [RecoveryLayer(Advise(order.voice.adviser()))] if retrieval else []
        player = TrajectoryPlayer(order, layers)
        # Every seat has its own player and layers: episodes share the model's batch and nothing else.
        seats.append(RolloutSlot(player, speaker.unread_tokens(player)))
    end = speaker.tokenizer.convert_tokens_to_ids(END)
    mind, present = BatchedKVCache(speaker.model, len(seats)), list(seats)
    with torch.inference_mode():
        while present:
            _turn(mind, present, end)
            for seat in present:
                _act(speaker, seat, end)
            left = [nth for nth, seat in enumerate(present) if seat.made is None]
            # To drop conversations copies the whole cache, so it waits until a quarter of them are done.
            if left and len(left) <= 0.75 * len(present):
                mind.keep(left)
                present = [present[nth] for nth in left]
            elif not left:
                present = []
    return [seat.made for seat in seats if seat.made is not None]


def _turn(mind: BatchedKVCache, seats: Sequence[RolloutSlot], end: int) -> None:
    """Tell every model its news, and have it write up to its end mark."""
    writing = [seat.made is None for seat in seats]
    # Conversations that have ended stay in the batch until they are dropped, and read nothing.
    following = mind.feed([seat.pending if seat.made is None else [] for seat in seats])
    for seat in seats:
        seat.written = []
    for _ in range(MOST_TOKENS):
        for nth, seat in enumerate(seats):
            if writing[nth]:
                seat.written.append(following[nth])
                # The end mark is written but not fed: `_act` puts it before the tokens that are read next.
                writing[nth] = following[nth] != end
        if not any(writing):
            return
        following = mind.feed(
            [seat.written[-1:] if goes_on else [] for seat, goes_on in zip(seats, writing, strict=True)]
        )


def _act(speaker: ProofModel, seat: RolloutSlot, end: int) -> None:
    """Do in the world what was written."""
    player = seat.player
    if seat.made is not None:
        return
    if seat.written[-1] != end:
        seat.made = player.end(None, f"no end of the turn within {MOST_TOKENS} tokens")
        return
    text, use = speaker.read(seat.written[:-1], player)
    player.say(text, use, recovery=False)
    if use is None:
        seat.made = player.end(text)
        return
    player.show(player.call(use), use)
    if player.calls >= MOST_CALLS:
        seat.made = player.end(None, f"no answer within {MOST_CALLS} calls")
        return
    seat.pending = [end, *speaker.unread_tokens(player)]


class BatchedKVCache:
    """The model's memory of many conversations side by side.

    Args:
        model: a causal model of transformers.
        count: conversations.
    """

    def __init__(self, model: Any, count: int) -> None:
        import torch
        from transformers import DynamicCache

        self._model = model
        self._device = next(model.parameters()).device
        self._cache = DynamicCache(config=model.config)
        taken = signature(model.base_model.forward).parameters
        self._argument = "cache" if "cache" in taken else "past_key_values"  # its name until transformers 5.24
        self._seen = torch.zeros(count, 0, dtype=torch.long, device=self._device)

    def feed(self, news: Sequence[list[int]]) -> list[int]:
        """Feed each conversation its tokens (there may be none), and return the likeliest next token of each."""
        import torch

        longest = max(len(ids) for ids in news)
        fed = torch.tensor([ids + [0] * (longest - len(ids)) for ids in news], device=self._device)
        real = torch.tensor([[1] * len(ids) + [0] * (longest - len(ids)) for ids in news], device=self._device)
        before = self._seen.sum(dim=1, keepdim=True)
        self._seen = torch.cat([self._seen, real], dim=1)
        places = (before + real.cumsum(dim=1) - 1).clamp(min=0)
        # The last real place of each row is read; a row without input is read at its first, and the result is dropped.
        last = real.sum(dim=1).sub(1).clamp(min=0)
        hidden = self._model.base_model(
            input_ids=fed,
            attention_mask=self._seen,
            position_ids=places,
            use_cache=True,
            **{self._argument: self._cache},
        ).last_hidden_state
        last_states = hidden[torch.arange(len(news), device=self._device), last]
        likeliest: list[int] = self._model.get_output_embeddings()(last_states).argmax(dim=-1).tolist()
        return likeliest

    def keep(self, places: Sequence[int]) -> None:
        """Forget all conversations but these."""
        import torch

        chosen = torch.tensor(places, device=self._device)
        self._cache.batch_select_indices(chosen)
        self._seen = self._seen[chosen]
