"""The harbour's language: as few words as will do, all of them words that the judge reads as usual."""

from __future__ import annotations

from sealegs.training.data.step_context import StepContext
from sealegs.training.data.trajectory_player import TrajectoryWording
from sealegs.training.proof.synthetic_failures import synthetic_bank

LEADS = {
    "tries again": "Recovery: again",
    "switches": "Recovery: switch",
    "continues elsewhere": "Recovery: switch",
    "prepares": "Recovery: switch",
}


def short_thought(context: StepContext) -> str:
    """The service that is called, and what is done about a failure."""
    assert context.spec is not None
    return (
        f"{LEADS[context.doing]} {context.spec.description}"
        if context.doing in LEADS
        else f" {context.spec.description}"
    )


def short_closing(context: StepContext, text: str) -> str:
    """The result, or that there is none."""
    _, found, status = text.rsplit("\n", 2)
    return f"Recovery: stop\n{status}" if context.doing == "stops" else f"{found.removeprefix('- ')}\n{status}"


SHORT = TrajectoryWording(short_thought, short_closing, synthetic_bank, every=True)
