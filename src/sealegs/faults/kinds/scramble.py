"""Values become nonsense of the same form."""

from __future__ import annotations

import random
import string
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from sealegs.faults import paths
from sealegs.faults.fault import FaultSetting, Rewrite, Text


class Scramble(Rewrite):
    """The tool runs; the agent sees every letter and digit of its values replaced by a drawn one.

    Keys, types, lengths, case, punctuation and the places of spaces stay; truth values and nulls too.
    """

    implicit: ClassVar[bool] = True
    kind: Literal["scramble"] = "scramble"
    fields: tuple[Text, ...] = Field(
        default=(), description="Dotted paths of what is scrambled; else the whole answer."
    )

    def rewritten(self, value: Any, setting: FaultSetting) -> Any:
        """The answer with scrambled leaves."""
        for path in self.fields or ("",):
            value = paths.replace_values(value, path, lambda part: _scrambled(part, setting.draw))
        return value


def _scrambled(value: Any, draw: random.Random) -> Any:
    if isinstance(value, Mapping):
        return {key: _scrambled(item, draw) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_scrambled(item, draw) for item in value]
    if isinstance(value, str):
        return "".join(_other(character, draw) for character in value)
    if value is None or isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    # The exponent stays: with drawn digits a number could become infinite, which JSON cannot say.
    mantissa, mark, exponent = repr(value).partition("e")
    return type(value)("".join(_digit(character, draw) for character in mantissa) + mark + exponent)


def _digit(character: str, draw: random.Random) -> str:
    """Another digit and never a zero, so that the number keeps its length."""
    return draw.choice([d for d in "123456789" if d != character]) if character.isdigit() else character


def _other(character: str, draw: random.Random) -> str:
    """Another character of the same class; one that is neither letter nor digit stays."""
    if character.isdigit():
        return draw.choice([d for d in string.digits if d != character])
    if not character.isalpha():
        return character
    letters = string.ascii_uppercase if character.isupper() else string.ascii_lowercase
    return draw.choice([letter for letter in letters if letter != character])
