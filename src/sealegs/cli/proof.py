"""The recipe `sealegs train proof`: small models trained from nothing, and whether they recover."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sealegs.cli.consoles import console
from sealegs.cli.output import write_table_rows
from sealegs.cli.progress import interruptible, show_progress
from sealegs.faults.user_error import UserError
from sealegs.traces.atomic_files import write_atomically

PROOF = "proof"


def prove_command(name: str, out: Path | None, json: str, jobs: int | None, foreign: Sequence[str]) -> None:
    """Make a proof of this size, or what is missing of it; print its table and draw its curves."""
    if foreign:
        options = ", ".join(f"--{option}" for option in foreign)
        raise UserError(f"the proof makes its own models and data; leave out {options}")
    from sealegs.training.proof.proof_run import proof_facts, size_of
    from sealegs.training.proof.proof_run import run_proof as make

    size = size_of(name)
    folder = out or Path("sealegs-training") / f"{PROOF}-{name}"
    with show_progress(f"{PROOF}, {name}") as progress, interruptible("stage"):
        seconds = make(size, folder, progress, jobs)
    from sealegs.reports.proofs import draw_proof, print_proof
    from sealegs.training.proof.table import proof_rows, verdicts

    found = proof_rows(folder, size)
    write_table_rows(found, json, {"proof": proof_facts(folder, size, seconds)})
    write_atomically(folder / "proof.svg", draw_proof(found))
    if json != "-":
        print_proof(found, console)
        for line in verdicts(found):
            console.print(line, highlight=False)
        console.print(f"Models, episodes and the curves (proof.svg) are in {folder}.", highlight=False)
