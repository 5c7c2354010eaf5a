"""The answer cannot be parsed."""

from __future__ import annotations

import json
import random
from typing import Any, ClassVar, Literal

from pydantic import Field

from sealegs.faults.call import Value, render
from sealegs.faults.fault import FaultSetting, Rewrite


class Malformed(Rewrite):
    """The tool runs; the agent sees its answer as broken text.

    A text answer that is not JSON can be cut, not made invalid; an answer that stays valid however it is broken (a
    short number) passes unchanged.
    """

    implicit: ClassVar[bool] = True
    kind: Literal["malformed"] = "malformed"
    mode: Literal["invalid_json", "cut"] = Field(
        default="invalid_json", description="invalid_json: the syntax is broken; cut: the body ends too soon."
    )

    def rewritten(self, value: Any, setting: FaultSetting) -> Any:
        """The answer's text, broken so that it does not parse."""
        text = render(Value(value))
        if not _parses(text):
            # What was never JSON cannot be made invalid JSON; it can still be cut off.
            return _cut(text, setting.draw) if self.mode == "cut" and len(text) > 1 else value
        broken = [_cut(text, setting.draw)] if self.mode == "cut" else _invalid(text)
        broken = [candidate for candidate in broken if not _parses(candidate)]
        return setting.draw.choice(broken) if broken else value


def _parses(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _cut(text: str, draw: random.Random) -> str:
    return text[: max(1, min(len(text) - 1, round(len(text) * draw.uniform(0.2, 0.8))))]


def _invalid(text: str) -> list[str]:
    """The usual ways in which servers write JSON wrongly."""
    return [
        text[:-1],
        text[:-1] + "," + text[-1],
        text.replace('"', "'"),
        text.replace(": ", " = ", 1),
        text.replace(": ", ": undefined, ", 1),
    ]
