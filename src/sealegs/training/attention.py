"""Attention over rows laid end to end where no kernel for that is at hand (FlashAttention needs a GPU and a package).

The stock way builds one square mask over the whole sequence, and pays for every pair of tokens; here each row is given
to the stock kernel by itself, so a packed sequence costs what its rows cost. It is in transformers' own register
of attention functions. Models keep the stock way for windows, softcaps and padded batches.
"""

from __future__ import annotations

from typing import Any

import torch
from transformers import AttentionInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward

NAME = "row_by_row"


def row_by_row(
    module: Any, query: Any, key: Any, value: Any, attention_mask: Any, cu_seq_lens_q: Any = None, **given: Any
) -> tuple[Any, None]:
    """Causal attention within each row of a packed sequence.

    Args:
        module: the model's attention layer.
        query, key, value: (1, heads, tokens, width).
        attention_mask: None.
        cu_seq_lens_q: where rows begin, and after them the number of tokens.
        given: what else the model hands over.
    """
    if cu_seq_lens_q is None:
        raise ValueError("attention row by row needs the places where rows begin; padded batches take sdpa")
    lengths = cu_seq_lens_q.diff().tolist()
    given["is_causal"] = True
    rows = zip(*(states.split(lengths, dim=2) for states in (query, key, value)), strict=True)  # one gradient for all
    pieces = [sdpa_attention_forward(module, *row, None, **given)[0] for row in rows]
    return torch.cat(pieces, dim=1), None


def register_row_attention() -> str:
    """Register the function with transformers, and return its name."""
    AttentionInterface.register(NAME, row_by_row)
    return NAME


def has_full_attention(config: Any) -> bool:
    """Return whether a model of this shape attends to all that came before, in every layer and without a softcap."""
    kinds = set(getattr(config, "layer_types", None) or ["full_attention"])
    windowed = getattr(config, "sliding_window", None) and getattr(config, "use_sliding_window", True)
    return kinds == {"full_attention"} and not windowed and not getattr(config, "attn_logit_softcapping", None)
