"""The results of a proof, as rows of the long table.

`model` is an arm, with `+ retrieval` where the bank was on the seam; `mode` is the set; `level` the cell, `all` (the
mean of the failing cells, each counting alike) or `clean`. `proof/curve` has the step as its level, `proof/amount` the
number of rows, `proof/training` the losses. Intervals resample runs and tasks.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sealegs.scoring.metric import ALL, Row, figure_row
from sealegs.scoring.paladin_metrics import CLEAN, PaladinResult, paladin_table, recovery_figure
from sealegs.training.proof import SEEN, SETS
from sealegs.training.proof.evaluating import parse_verdict, read_verdicts
from sealegs.training.proof.sizes import PALADIN, TOOLBENCH, ProofSize, TrainingArm
from sealegs.training.proof.training_stages import CURVE, EPISODES

SUITE = "proof"
RETRIEVAL = {"off": "", "on": " + retrieval"}
TERMS = ("loss_sft", "loss_recovery", "eval_loss_sft", "eval_loss_recovery")


def proof_rows(out: Path, size: ProofSize) -> list[Row]:
    """Every row of a finished proof."""
    return [*_measures(out, size), *_amounts(out, size), *_curves(out, size), *_losses(out, size)]


def _measures(out: Path, size: ProofSize) -> Iterator[Row]:
    for arm in size.arms:
        for retrieval, suffix in RETRIEVAL.items():
            who: Row = {"suite": SUITE, "model": f"{arm.name}{suffix}"}
            for mode, results in _results(out, size, arm, retrieval).items():
                yield from paladin_table(results, who, mode)


def _results(out: Path, size: ProofSize, arm: TrainingArm, retrieval: str) -> dict[str, list[PaladinResult]]:
    found: dict[str, list[PaladinResult]] = defaultdict(list)
    for seed in size.seeds:
        for mode, result in read_verdicts(out / "episodes" / arm.slug / str(seed) / retrieval / EPISODES, str(seed)):
            found[mode].append(result)
    return found


def _amounts(out: Path, size: ProofSize) -> Iterator[Row]:
    """The recovery rate against the number of rows, where arms differ in it."""
    some = [arm for arm in size.arms if arm.rows < 1]
    for arm in sorted([*some, PALADIN] if some else [], key=lambda arm: arm.rows):
        results = _failing(_results(out, size, arm, "off")[SEEN])
        count = round(arm.rows * size.taught[0])
        yield _row(f"{SUITE}/amount", PALADIN.name, str(count), "rr", results)


def _failing(results: Sequence[PaladinResult]) -> list[PaladinResult]:
    return [result for result in results if result.failure_class != CLEAN]


def _row(suite: str, model: str, level: str, metric: str, results: Sequence[PaladinResult]) -> Row:
    figure = recovery_figure(results, metric)
    return figure_row({"suite": suite, "model": model}, level, SEEN, metric, figure)


def _curves(out: Path, size: ProofSize) -> Iterator[Row]:
    """Recovery, success and clean success against steps."""
    for arm in size.arms:
        if not arm.curve:
            continue
        steps: dict[int, list[PaladinResult]] = defaultdict(list)
        for seed in size.seeds:
            path = out / "curve" / arm.slug / str(seed) / CURVE
            for line in path.read_text("utf-8").splitlines():
                entry = json.loads(line)
                steps[entry["step"]].append(parse_verdict(entry, str(seed))[1])
        for step, results in sorted(steps.items()):
            clean = [result for result in results if result.failure_class == CLEAN]
            # `tsr_clean` is `tsr` of the clean episodes, under a name of its own because both are in the same table.
            for metric, chosen in (("rr", _failing(results)), ("tsr", _failing(results)), ("tsr_clean", clean)):
                made = _row(f"{SUITE}/curve", arm.name, str(step), metric.partition("_")[0], chosen)
                yield {**made, "metric": metric}


def _losses(out: Path, size: ProofSize) -> Iterator[Row]:
    """The losses of the arms with a curve, seed by seed."""
    for arm in size.arms:
        for seed in size.seeds if arm.curve else ():
            path = out / "arm" / arm.slug / str(seed) / "run" / "losses.jsonl"
            for line in path.read_text("utf-8").splitlines():
                point: dict[str, Any] = json.loads(line)
                for term in TERMS:
                    if term in point:
                        head: Row = {"suite": f"{SUITE}/training", "model": f"{arm.name}/{seed}"}
                        value = {"level": str(point["step"]), "mode": ALL, "metric": term, "value": point[term]}
                        yield {**head, **value, "low": None, "high": None, "n": 1}  # type: ignore[typeddict-item]


def verdicts(rows: Sequence[Row]) -> list[str]:
    """Set by set, whether the arm that was taught to recover does so more often than the clean one."""
    found = []
    for mode in SETS:
        shown = intervals_apart(rows, PALADIN.name, TOOLBENCH.name, mode)
        if shown is not None:
            relation = "recovers more often than" if shown else "is not shown to recover more often than"
            found.append(f"{mode}: {PALADIN.name} {relation} {TOOLBENCH.name} ({'' if shown else 'not '}apart at 95 %)")
    return found


def intervals_apart(rows: Sequence[Row], one: str, other: str, mode: str = SEEN) -> bool | None:
    """Return whether the first model's recovery rate lies above the second's with intervals that do not touch."""
    found = {row["model"]: row for row in rows if row["suite"] == SUITE and _is(row, mode, ALL, "rr")}
    if one not in found or other not in found:
        return None
    low, high = found[one]["low"], found[other]["high"]
    # None where a rate has no episodes: nothing is then said to lie above it.
    return low is not None and high is not None and low > high


def _is(row: Row, mode: str, level: str, metric: str) -> bool:
    return (row["mode"], row["level"], row["metric"]) == (mode, level, metric)
