"""The forms of the expert's sentences: lists in `language/*.yaml`, one form drawn for each sentence.

Every fourth form of a list is kept apart: it is said in the splits that are tested on and in no other, so a test does
not only ask for sentences that were memorised.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from functools import cache
from importlib import resources

import yaml

KEPT_APART = 4
SLOT = re.compile(r"\{(\w+)\}")


@cache
def sentence_forms() -> Mapping[str, tuple[str, ...]]:
    """All forms by the name of their list."""
    folder = resources.files("sealegs.training.data").joinpath("language")
    found: dict[str, tuple[str, ...]] = {}
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.name.endswith(".yaml"):
            found |= {name: tuple(of) for name, of in yaml.safe_load(file.read_text(encoding="utf-8")).items()}
    return found


def count_of_forms() -> int:
    """The number of forms."""
    return sum(map(len, sentence_forms().values()))


@cache
def drawn_from(name: str, held_out: bool) -> tuple[str, ...]:
    """The forms of a list that may be said: those kept apart, or all others."""
    return tuple(form for place, form in enumerate(sentence_forms()[name], 1) if (place % KEPT_APART == 0) == held_out)


def sentence(name: str, draw: random.Random, held_out: bool, slots: Mapping[str, str]) -> str:
    """One form of a list with its slots filled."""
    return draw.choice(drawn_from(name, held_out)).format_map(slots)
