"""The harbour's language: as few words as will do, each of them one that the judge reads as it reads any other."""

from __future__ import annotations

import random

from sealegs.faults.spec import ToolSpec
from sealegs.training.data.playing import Voice
from sealegs.training.proof.kinds import bank

SAID = {
    "tries again": "Recovery: again",
    "switches": "Recovery: switch",
    "goes on elsewhere": "Recovery: switch",
    "prepares": "Recovery: switch",
}


def thought(doing: str, spec: ToolSpec, failed: str, problem: str, draw: random.Random) -> str:
    """The service that is called, and what is done about a failure."""
    return f"{SAID[doing]} {spec.description}" if doing in SAID else f" {spec.description}"


def closing(doing: str, text: str, draw: random.Random) -> str:
    """The result, or that there is none."""
    _, found, status = text.rsplit("\n", 2)
    return f"Recovery: stop\n{status}" if doing == "stops" else f"{found.removeprefix('- ')}\n{status}"


SHORT = Voice(thought, closing, bank, every=True)
