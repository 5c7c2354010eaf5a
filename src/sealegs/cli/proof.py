"""`sealegs train proof`: small models trained from nothing, and whether they recover."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sealegs.cli.printing import console, write_rows
from sealegs.cli.progress import interruptible, shown
from sealegs.faults.mistake import Mistake
from sealegs.traces.whole import write_whole

PROOF = "proof"


def prove(name: str, out: Path | None, json: str, jobs: int | None, foreign: Sequence[str]) -> None:
    """Make a proof of this size, or what is missing of it; print its table and draw its curves."""
    if foreign:
        told = ", ".join(f"--{option}" for option in foreign)
        raise Mistake(f"the proof makes its own models and data; leave out {told}")
    from sealegs.training.proof.running import facts, size_of
    from sealegs.training.proof.running import prove as make

    size = size_of(name)
    folder = out or Path("sealegs-training") / f"{PROOF}-{name}"
    with shown(f"{PROOF}, {name}") as progress, interruptible("stage"):
        seconds = make(size, folder, progress, jobs)
    from sealegs.reports.proofs import draw, print_proof
    from sealegs.training.proof.table import rows, verdicts

    found = rows(folder, size)
    write_rows(found, json, {"proof": facts(folder, size, seconds)})
    write_whole(folder / "proof.svg", draw(found))
    if json != "-":
        print_proof(found, console)
        for told in verdicts(found):
            console.print(told, highlight=False)
        console.print(f"Models, episodes and the curves (proof.svg) are in {folder}.", highlight=False)
