"""What an expert says in a message: drawn from `wordings.yaml`, filled with the names at hand."""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import cache
from importlib import resources

import yaml

from sealegs.faults.spec import ToolSpec

FIRST_LINES = ("Everything is done.", "I could not complete the request: ")


@cache
def wordings() -> Mapping[str, tuple[str, ...]]:
    """The forms by what the expert does."""
    text = resources.files("sealegs.training.data").joinpath("wordings.yaml").read_text(encoding="utf-8")
    return {name: tuple(forms) for name, forms in yaml.safe_load(text).items()}


def thought(doing: str, spec: ToolSpec, failed: str, problem: str, draw: random.Random) -> str:
    """What is said with a call."""
    form = draw.choice(wordings()[doing])
    return form.format(tool=spec.name, does=_does(spec.description), failed=failed, problem=problem)


def closing(doing: str, text: str, draw: random.Random) -> str:
    """A final answer in another wording of its first line; the reason of a stop stays."""
    first, _, rest = text.partition("\n")
    opening = draw.choice(wordings()[doing])
    reason = first.removeprefix(FIRST_LINES[1]) if doing == "stops" else ""
    return "\n".join([f"{opening} The reason: it could not go on. {reason}" if reason else opening, rest])


def _does(description: str) -> str:
    """What a tool is for, from its description: the first sentence, as it goes on in another one."""
    first = description.split(". ")[0].rstrip(".")
    return f"{first[:1].lower()}{first[1:]}." if first else "get on with the request."
