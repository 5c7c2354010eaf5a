"""Values drift a little."""

from __future__ import annotations

import random
import re
import string
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, Strict

from sealegs.faults import paths
from sealegs.faults.kinds.fault import FaultSetting, Rewrite, Text

# A number that stands alone: none of those in `2026-11-20`, `09:30` or `FL-203`.
NUMBER = re.compile(r"(?<![\w.,:/+-])\d+(?:\.\d+)?(?![\w:/+-]|[.,]\d)")


class Delta(Rewrite):
    """The tool runs; the agent sees every number moved by a bounded share of itself and every text changed slightly.

    Integers stay integers and decimals keep their places; each number really changes, by one unit of its last place
    where the share is smaller. Numbers inside text drift alike; a text without numbers has one character inserted,
    deleted or replaced, or two neighbours swapped. Truth values and nulls stay.
    """

    implicit: ClassVar[bool] = True
    kind: Literal["delta"] = "delta"
    offset: Annotated[float, Strict(), Field(gt=0, le=1)] = Field(
        default=0.1, description="Largest drift as a share of the number."
    )
    fields: tuple[Text, ...] = Field(default=(), description="Dotted paths of what drifts; else the whole answer.")

    def rewritten(self, value: Any, setting: FaultSetting) -> Any:
        """The answer with drifted leaves."""
        for path in self.fields or ("",):
            value = paths.replace_values(value, path, lambda part: self._drifted(part, setting.draw))
        return value

    def _drifted(self, value: Any, draw: random.Random) -> Any:
        if isinstance(value, dict):
            return {key: self._drifted(item, draw) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self._drifted(item, draw) for item in value]
        if isinstance(value, str):
            return self._drifted_text(value, draw)
        if value is None or isinstance(value, bool) or not isinstance(value, (int, float)):
            return value
        moved = drifted(Decimal(repr(value)), self.offset, draw)
        return int(moved) if isinstance(value, int) else float(moved)

    def _drifted_text(self, text: str, draw: random.Random) -> str:
        if NUMBER.search(text):
            return NUMBER.sub(lambda found: f"{drifted(Decimal(found[0]), self.offset, draw):f}", text)
        return edited(text, draw)


def drifted(number: Decimal, offset: float, draw: random.Random) -> Decimal:
    """Another number of as many decimal places, within `offset` of it or one unit of its last place away."""
    places = number.as_tuple().exponent
    unit = Decimal(1).scaleb(min(int(places), 0)) if isinstance(places, int) else Decimal(1)
    reach = int(abs(number) * Decimal(offset) / unit)
    steps = draw.randint(1, reach) if reach > 0 else 1
    return number + unit * (steps if draw.random() < 0.5 else -steps)


def edited(text: str, draw: random.Random) -> str:
    """The text with one character inserted, deleted or replaced, or two different neighbours swapped."""
    if not text:
        return text
    at = draw.randrange(len(text))
    letter = draw.choice([c for c in string.ascii_lowercase if c != text[at].lower()])
    ways = [text[:at] + letter + text[at:], text[:at] + letter + text[at + 1 :]]
    if len(text) > 1:
        ways.append(text[:at] + text[at + 1 :])
    pairs = [i for i in range(len(text) - 1) if text[i] != text[i + 1]]
    if pairs:
        i = draw.choice(pairs)
        ways.append(text[:i] + text[i + 1] + text[i] + text[i + 2 :])
    return draw.choice(ways)
