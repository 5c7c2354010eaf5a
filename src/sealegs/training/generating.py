"""Generation in batches: requests that come while one batch is computed make up the next.

Rows are padded on the left, keys and values are cached, and each row ends at its own end mark or limit. A batch that
the device has no memory for is halved.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from itertools import islice
from typing import Any

GRACE = 0.02  # seconds without another request after which a batch begins


@dataclass(frozen=True, slots=True)
class Sampling:
    """Settings for drawing tokens.

    Attributes:
        temperature: 0 takes the likeliest token.
        top_p: of the likeliest tokens that together have this share.
        top_k: of this many; 0: of all.
    """

    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = 0


@dataclass(frozen=True, slots=True)
class Continuation:
    """A request for a continuation.

    Attributes:
        ids: the tokens so far.
        most: tokens of the continuation at most.
        sampling: how they are drawn.
    """

    ids: Sequence[int]
    most: int
    sampling: Sampling


Generate = Callable[[list[Continuation]], list[list[int]]]


class Batches:
    """A thread that gathers requests into batches.

    Args:
        generate: continues a batch of one sampling.
        most: rows of a batch.
    """

    def __init__(self, generate: Generate, most: int) -> None:
        self._generate, self._most = generate, most
        self._requests: queue.Queue[tuple[Continuation, Future[list[int]]] | None] = queue.Queue()
        threading.Thread(target=self._work, name="sealegs-local", daemon=True).start()

    def ask(self, wanted: Continuation) -> Future[list[int]]:
        """Ask for a continuation; its end mark is not part of it unless it is its last token."""
        answer: Future[list[int]] = Future()
        self._requests.put((wanted, answer))
        return answer

    def close(self) -> None:
        """End the thread once all requests are answered."""
        self._requests.put(None)

    def _work(self) -> None:
        waiting: list[tuple[Continuation, Future[list[int]]]] = []
        open_ = True
        while open_ or waiting:
            open_ = self._gather(waiting) and open_
            if not waiting:
                continue
            # The library draws all rows of a batch alike, so requests of another sampling wait for the next one.
            sampling = waiting[0][0].sampling
            chosen = list(islice((one for one in waiting if one[0].sampling == sampling), self._most))
            waiting = [one for one in waiting if one not in chosen]
            self._answer(chosen)

    def _gather(self, waiting: list[tuple[Continuation, Future[list[int]]]]) -> bool:
        """Take the requests there are, or wait for one. False after the end."""
        while len(waiting) < self._most:
            try:
                # The first request may take any time to come; once one waits, others get a moment to join its batch.
                one = self._requests.get(timeout=GRACE) if waiting else self._requests.get()
            except queue.Empty:
                return True
            if one is None:
                return False
            waiting.append(one)
        return True

    def _answer(self, chosen: list[tuple[Continuation, Future[list[int]]]]) -> None:
        try:
            made = self._generate([wanted for wanted, _ in chosen])
        except Exception as error:  # whatever goes wrong is for the callers
            for _, answer in chosen:
                answer.set_exception(error)
            return
        for (_, answer), ids in zip(chosen, made, strict=True):
            answer.set_result(ids)


def generate_batch(model: Any, rows: list[Continuation], ends: Sequence[int], pad: int) -> list[list[int]]:
    """The continuations of a batch, each with its end mark where it reached one.

    Args:
        model: a causal model of transformers.
        rows: the requests, all of one sampling.
        ends: tokens that end a turn.
        pad: the token that fills up.
    """
    import torch

    try:
        return _continued(model, rows, ends, pad)
    except torch.OutOfMemoryError:
        if len(rows) == 1:
            raise
    half = len(rows) // 2
    return generate_batch(model, rows[:half], ends, pad) + generate_batch(model, rows[half:], ends, pad)


def _continued(model: Any, rows: list[Continuation], ends: Sequence[int], pad: int) -> list[list[int]]:
    import torch
    from transformers import GenerationConfig, StoppingCriteriaList

    width, sampling = max(len(row.ids) for row in rows), rows[0].sampling
    ids = torch.tensor([[pad] * (width - len(row.ids)) + list(row.ids) for row in rows], device=model.device)
    mask = torch.tensor([[0] * (width - len(row.ids)) + [1] * len(row.ids) for row in rows], device=model.device)
    limits = torch.tensor([row.most for row in rows], device=model.device)

    def full(so_far: Any, scores: Any, **given: Any) -> Any:
        # Each row has a limit of its own; `max_new_tokens` is only the largest of them.
        return so_far.shape[1] - width >= limits

    drawn = {"temperature": sampling.temperature, "top_p": sampling.top_p, "top_k": sampling.top_k}
    config = GenerationConfig(
        max_new_tokens=int(limits.max()),
        do_sample=sampling.temperature > 0,
        eos_token_id=list(ends),
        pad_token_id=pad,
        use_cache=True,
        **(drawn if sampling.temperature > 0 else {}),
    )
    with torch.inference_mode():
        made = model.generate(
            input_ids=ids, attention_mask=mask, generation_config=config, stopping_criteria=StoppingCriteriaList([full])
        )
    return [truncate_at_end(row[width:].tolist(), wanted.most, ends) for row, wanted in zip(made, rows, strict=True)]


def truncate_at_end(ids: list[int], most: int, ends: Sequence[int]) -> list[int]:
    """Tokens up to the first end mark, which is kept, or up to the limit."""
    upto = next((place + 1 for place, id in enumerate(ids) if id in ends), len(ids))
    return ids[: min(upto, most)]
