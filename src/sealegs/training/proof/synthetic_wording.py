"""The harbour's language: as few words as will do, all of them words that the judge reads as usual."""

from __future__ import annotations

from sealegs.training.data.act_scene import ActScene
from sealegs.training.data.trajectory_player import Voice
from sealegs.training.proof.synthetic_failures import synthetic_bank

LEADS = {
    "tries again": "Recovery: again",
    "switches": "Recovery: switch",
    "goes on elsewhere": "Recovery: switch",
    "prepares": "Recovery: switch",
}


def short_thought(scene: ActScene) -> str:
    """The service that is called, and what is done about a failure."""
    assert scene.spec is not None
    return f"{LEADS[scene.doing]} {scene.spec.description}" if scene.doing in LEADS else f" {scene.spec.description}"


def short_closing(scene: ActScene, text: str) -> str:
    """The result, or that there is none."""
    _, found, status = text.rsplit("\n", 2)
    return f"Recovery: stop\n{status}" if scene.doing == "stops" else f"{found.removeprefix('- ')}\n{status}"


SHORT = Voice(short_thought, short_closing, synthetic_bank, every=True)
