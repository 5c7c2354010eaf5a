"""The small model's tokens: trained on the rows, names as single ones, numbers in pairs of digits.

What frames an answer's values, braces and keys, is one token as well, and so is a word. So an episode takes little more
than a hundred tokens. A word that no row held falls into pieces, at worst into bytes; its frame is a known one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib import resources
from typing import Any

from sealegs.training.proof.synthetic_world import SERVICES, STEMS

PAD, END, CALL, ASSISTANT, TOOL = "<|pad|>", "<|end|>", "<|call|>", "<|assistant|>", "<|tool|>"
SPECIALS = (PAD, END, CALL, ASSISTANT, TOOL, "<|tools|>", "<|user|>")
BETWEEN = re.compile("|".join(map(re.escape, SPECIALS)))
FRAME = r' ?"?(?:[{,] ?"[a-z_]+": ?)+"?|"?\}+'  # an answer between its values
SIZE = 1024


def template() -> str:
    """The chat template."""
    return resources.files("sealegs.training.proof").joinpath("short.jinja").read_text(encoding="utf-8")


def train_tokenizer(texts: Iterable[str]) -> Any:
    """A tokenizer trained on texts, with the template."""
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    names = "|".join([*SERVICES, *(f"{stem}_" for stem in STEMS)])
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(rf"{FRAME}| (?:{names})|\d\d?| ?[A-Za-z]+"), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=SIZE,
        special_tokens=list(SPECIALS),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    every = [f" {name}" for name in names.split("|")] + [f"{pair:02d}" for pair in range(100)]
    pieces = (piece for text in texts for piece in BETWEEN.split(text) if piece)
    # So often that each of these becomes a single token, however rare it is in the texts.
    made.train_from_iterator([*pieces, *every * 1000], trainer)
    found = PreTrainedTokenizerFast(tokenizer_object=made, eos_token=END, pad_token=PAD)
    found.chat_template = template()
    return found
