"""What each rule of the intervals does: the coverage without it.

    python benchmarks/coverage_rules.py --json benchmarks/results/coverage_rules.json

On the designs of one set of tasks that settings are chosen on, from 10 tasks on, 1,000 experiments each: how many hold
the truth in less than 93 %, and in more than 97 %, and the lowest, by group. All rules have the same experiments.

A rule is needed where designs fall below 93 % without it, and makes intervals too wide where fewer are then above 97 %.
A coverage is uncertain by 1.4 points, so that only the differences between the rules say something.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from coverage import SEEDS, covered, ours
from coverage_designs import Array, SimulatedDesign, designs
from results_file import write_results

from sealegs.intervals import cluster_sums
from sealegs.intervals.quantiles import normal_point

FROM, EXPERIMENTS = 10, 1000
LOWEST, HIGHEST = 93.0, 97.0
ALL = "all groups"
NO_LIMIT = 1e6  # degrees of freedom for each cluster of the rarer kind


def _normal(freedom: Array | float, confidence: float) -> Array:
    """The normal distribution's point in place of Student's."""
    return np.full(np.shape(freedom), normal_point(confidence))


def _no_variance(sums: cluster_sums.ClusterSums) -> Array:
    return np.zeros((*sums.value.shape, sums.blocks))


def _no_ends(*given: Any) -> tuple[Array, Array]:
    unknown = np.full(np.shape(given[3]), np.nan)
    return unknown, unknown


def _no_pooling(value: Array, *_: Any) -> tuple[Array, Array]:
    return value, value


RULES: dict[str, dict[str, Any]] = {
    "Student's t": {"student_point": _normal},
    "degrees of freedom by the rarer kind": {"SPARSE": NO_LIMIT},
    "no episode worth more than one case": {"_independent": _no_variance},
    "never narrower than Blaker's for 93 %": {"counted_ends": _no_ends},
    "levels as one share where few fail": {"_pooled_ends": _no_pooling},
}
WITHOUT: dict[str, dict[str, Any]] = {
    "": {},
    **RULES,
    "any of them": {name: value for rule in RULES.values() for name, value in rule.items()},
}


def coverage_without(design: SimulatedDesign, changed: Mapping[str, Any], experiments: int = EXPERIMENTS) -> float:
    """The coverage of a design's intervals, in %, while these names of `cluster_sums` have other values."""
    with ExitStack() as stack:
        for name, value in changed.items():
            stack.enter_context(patch.object(cluster_sums, name, value))
        rows = covered(design, experiments, SEEDS["choose"], {"sealegs": ours})
        return float(next(row["value"] for row in rows if row["metric"] == "coverage"))


def measured() -> Iterator[dict[str, Any]]:
    """The rows of all rules and groups."""
    chosen = [one for one in designs("choose") if one.tasks >= FROM and not one.fresh and one.group != "amount"]
    for rule, changed in WITHOUT.items():
        found = [(design.group, coverage_without(design, changed)) for design in chosen]
        for group in (ALL, *dict.fromkeys(design.group for design in chosen)):
            values = np.array([value for own, value in found if group in (ALL, own)])
            counts = {"below": (values < LOWEST).sum(), "above": (values > HIGHEST).sum(), "lowest": values.min()}
            for metric, value in counts.items():
                place = {"suite": "coverage rules", "agent": rule, "level": group, "mode": "", "metric": metric}
                yield {**place, "value": round(float(value), 2), "low": None, "high": None, "n": len(values)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--json", type=Path, help="write the long table here")
    arguments = parser.parse_args()
    rows = list(measured())
    for row in rows:
        print(f"without {row['agent'] or 'nothing'}: {row['level']}: {row['metric']} {row['value']:g} of {row['n']}")
    if arguments.json:
        write_results(arguments.json, rows)


if __name__ == "__main__":
    main()
