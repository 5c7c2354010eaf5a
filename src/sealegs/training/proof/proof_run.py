"""A proof from beginning to end: its stages on all cores, each kept when it is done, and the table of all.

Killed at any moment, it can be resumed: the same command makes what is missing. A folder holds one proof: another size
needs another folder. A stage is done when its `done.json` is there, which is written last.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from multiprocessing import active_children
from pathlib import Path
from typing import Any

from sealegs.engines.workers import WorkerPool, WorkerTask
from sealegs.faults.user_error import UserError
from sealegs.inject.clock import RealClock
from sealegs.traces.atomic_files import write_atomically
from sealegs.training.preflight import require_packages
from sealegs.training.proof.sizes import SIZES, ProofSize

RUN, DONE = "proof.json", "done.json"
VERSION = 2
Tell = Callable[[int, int], None]


def size_of(name: str) -> ProofSize:
    """The size of this name.

    Raises:
        UserError: there is none.
    """
    if name not in SIZES:
        raise UserError(f"there is no size {name!r} of the proof; choose from {', '.join(SIZES)}")
    return SIZES[name]


def run_proof(size: ProofSize, out: Path, tell: Tell, jobs: int | None = None) -> dict[str, float]:
    """Make every stage of a proof that is not there yet.

    Args:
        size: how large it is.
        out: its folder.
        tell: called with how many stages are done, and of how many.
        jobs: processes; as many as there are cores by default.

    Returns:
        The seconds that each stage took.

    Raises:
        UserError: a package is missing, or the folder holds something else.
    """
    require_packages()
    _claim(out, size)
    from sealegs.training.proof.training_stages import proof_stages

    every = proof_stages(size)
    done = {stage.name for stage in every if (out / stage.name / DONE).is_file()}
    tell(len(done), len(every))
    if len(done) < len(every):
        _all(size, out, every, done, tell, jobs or os.cpu_count() or 1)
    return {stage.name: float(_read(out / stage.name / DONE)["seconds"]) for stage in every}


def _claim(out: Path, size: ProofSize) -> None:
    """Claim a folder, or find that it is this proof's."""
    # As it is when it is read back: JSON makes lists of tuples.
    settings = json.loads(json.dumps({"version": VERSION, "size": size.data()}))
    path = out / RUN
    try:
        if path.is_file():
            known = _read(path)
            if known != settings:
                other = known.get("size", {}).get("name", "?")
                raise UserError(f"{out} holds another proof (of size {other}); give its command, or name another --out")
            return
        if out.is_dir() and any(out.iterdir()):
            raise UserError(f"{out} is not empty and holds no proof; name another --out")
        out.mkdir(parents=True, exist_ok=True)
        _write(path, settings)
    except OSError as error:
        raise UserError(f"cannot write to {out}: {error.strerror}; name another --out") from error


def _all(size: ProofSize, out: Path, every: list[Any], done: set[str], tell: Tell, jobs: int) -> None:
    """Make stages in their order, as soon as what they need is there."""
    waiting = [stage for stage in every if stage.name not in done]
    with WorkerPool(jobs) as pool:
        running: dict[WorkerTask[None], str] = {}
        try:
            while waiting or running:
                # A list made first, since the loop takes stages out of `waiting`; no more are given out than there are
                # free workers.
                for stage in [stage for stage in waiting if done.issuperset(stage.needs)][: jobs - len(running)]:
                    waiting.remove(stage)
                    running[pool.submit(_make, out, size, stage)] = stage.name
                for task in pool.first_done(list(running)):
                    # Raises what the stage raised, before it counts as done.
                    task.result()
                    done.add(running.pop(task))
                    tell(len(done), len(every))
        except BaseException:
            for worker in active_children():  # what they were at is taken up by the same command
                worker.terminate()
            raise


def _make(out: Path, size: ProofSize, stage: Any) -> None:
    """Make one stage, and note that it is done."""
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "0")  # a proof is small: one GPU, where there are several
    from sealegs.training.proof.training_stages import make_stage

    clock = RealClock()
    begun, used = clock.now(), os.times()
    make_stage(out, size, stage)
    spent = os.times()
    cpu = spent.user + spent.system - used.user - used.system
    _write(out / stage.name / DONE, {"seconds": round(clock.now() - begun, 2), "cpu_seconds": round(cpu, 2)})


def _write(path: Path, data: Mapping[str, Any]) -> None:
    """Write JSON so that the file is there whole or not at all."""
    write_atomically(path, json.dumps(data) + "\n", "name another --out")


def _read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def proof_facts(out: Path, size: ProofSize, seconds: Mapping[str, float]) -> dict[str, Any]:
    """The facts that a table should give on its proof: its size, the models and versions, and its cost."""
    cards = {path.parent.parent: _read(path) for path in sorted(out.glob("*/**/run/card.json"))}
    first = next(iter(cards.values()))
    return {
        "command": f"sealegs train proof --size {size.name}",
        "size": size.data(),
        "parameters": first["model"]["parameters"],
        "device": first["run"]["device"],
        "versions": first["versions"],
        "tokens": sum(card["cost"]["tokens"] for card in cards.values()),
        "stages": len(seconds),
        "stage_seconds": round(sum(seconds.values()), 1),
        "cpu_seconds": round(sum(_read(out / name / DONE)["cpu_seconds"] for name in seconds), 1),
    }
