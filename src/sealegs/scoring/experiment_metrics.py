"""An experiment's runs as metrics and rows, and its verdict.

Pairs of runs (one without faults, one with, of the same input and number) are resampled together. The rates are of the
inputs that were given: they do not extend to others. A run under faults in which no fault was delivered says nothing of
faults; it is counted apart, and is in no rate.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from sealegs.intervals.pass_rates import Decision, all_pass, confidence_sequence, decide, runs_to_hold
from sealegs.scoring.metric import (
    ALL,
    Design,
    EpisodeTable,
    Figure,
    Metric,
    Row,
    difference,
    estimate,
    figure_row,
    paired,
)
from sealegs.traces.record import Record

Arm = Literal["baseline", "faults"]
POWERS = (2, 4, 8)  # the k of pass^k that are shown


@dataclass(frozen=True, slots=True)
class RunResult:
    """A judged run.

    Attributes:
        arm, number, input: which run it is.
        problems: why it did not pass, a sentence each; none where it passed.
        violations: the contracts among them, by name.
        faults: the faults that were delivered, each as tool, kind and moment.
        seconds: on the experiment's clock.
        record: what happened.
    """

    arm: Arm
    number: int
    input: str
    problems: tuple[str, ...]
    violations: tuple[str, ...]
    faults: tuple[str, ...]
    seconds: float
    record: Record

    @property
    def passed(self) -> bool:
        """Whether the check passed and every contract was kept."""
        return not self.problems

    @property
    def counts(self) -> bool:
        """Whether the run is in the rates: under faults, one must have been delivered."""
        return self.arm == "baseline" or self.record.exposed


@dataclass(frozen=True, slots=True)
class ExperimentVerdict:
    """The verdict of the runs.

    Attributes:
        decision: the verdict.
        reason: why, in a sentence.
    """

    decision: Decision
    reason: str


DESIGN: Design[RunResult] = Design(stratum=lambda run: "", cluster=lambda run: run.number)
PASS_RATE: Metric[RunResult] = Metric("pass_rate", lambda run: run.passed)
DELIVERED: Metric[RunResult] = Metric("delivered", lambda run: run.record.exposed)
CALLS: Metric[RunResult] = Metric("calls", lambda run: len(run.record.own), kind="amount")
SECONDS: Metric[RunResult] = Metric("seconds", lambda run: run.seconds, kind="amount")


def experiment_verdict(runs: Sequence[RunResult], required: float) -> ExperimentVerdict:
    """The verdict on an agent.

    One broken contract under faults proves a weakness, unless the same contract is broken without faults too. Else the
    pass rate under faults decides, by `pass_rates.decide`, unless the agent is too weak without any fault.

    Args:
        runs: all that were made.
        required: the pass rate under faults.
    """
    clean = [run for run in runs if run.arm == "baseline"]
    faulted = [run for run in runs if run.arm == "faults" and run.counts]
    # A claim that also breaks without faults is a weakness, but not one that the faults have shown.
    usual = {name for run in clean for name in run.violations}
    broken = next((run for run in faulted if set(run.violations) - usual), None)
    needed = f"{100 * required:g} %"
    if clean and decide(sum(run.passed for run in clean), len(clean), required) == "weakness":
        passed = sum(run.passed for run in clean)
        return ExperimentVerdict(
            "inconclusive", f"without any fault it passed {passed} of {len(clean)}: fix that first"
        )
    # Before the pass rate: one double payment is too many, at whatever rate.
    if broken is not None:
        return ExperimentVerdict(
            "weakness", f"run {broken.number + 1} broke {', '.join(sorted(set(broken.violations) - usual))}"
        )
    passed, n = sum(run.passed for run in faulted), len(faulted)
    if not faulted:
        return ExperimentVerdict("inconclusive", "no fault was delivered in any run")
    decision, count = decide(passed, n, required), f"it passed {passed} of {n} runs under faults"
    if decision == "held":
        return ExperimentVerdict(decision, f"{count}; {needed} is required")
    if decision == "weakness":
        return ExperimentVerdict(decision, f"{count}, fewer than {needed}")
    most = runs_to_hold(required)
    hint = f"; {most} runs that all pass would show it" if most is not None and n < most and passed == n else ""
    return ExperimentVerdict(decision, f"{count}, too few to tell whether it is {needed}{hint}")


def experiment_rows(runs: Sequence[RunResult], agent: str, *, stopped: bool) -> list[Row]:
    """The long table.

    Args:
        runs: all that were made.
        agent: its name.
        stopped: whether runs under faults were left out because the verdict was settled: then the pass rate has an
            interval that holds whenever one stops.
    """
    who: Row = {"suite": "test", "agent": agent}
    rows: list[Row] = []
    inputs = dict.fromkeys(run.input for run in runs)
    for level, at in [*(((name, name) for name in inputs) if len(inputs) > 1 else ()), (ALL, None)]:
        chosen = [run for run in runs if at in (None, run.input)]
        rows += _level(chosen, who, level or ALL, stopped)
    return rows


def _level(runs: Sequence[RunResult], who: Row, level: str, stopped: bool) -> Iterator[Row]:
    clean = [run for run in runs if run.arm == "baseline"]
    planned = [run for run in runs if run.arm == "faults"]
    faulted = [run for run in planned if run.counts]
    for mode, own in (("baseline", clean), ("faults", faulted)):
        if own:
            yield from _rates(own, who, level, mode, stopped and mode == "faults")
    if planned:
        yield figure_row(who, level, "faults", DELIVERED.name, estimate(DELIVERED, EpisodeTable(planned, DESIGN)))
    if clean and faulted:
        pair = paired(clean, faulted, lambda run: run.number, DESIGN)
        yield figure_row(who, level, "faults", "pass_rate_difference", difference(PASS_RATE, *pair))
    by_fault: dict[str, list[RunResult]] = defaultdict(list)
    for run in faulted:
        # A run counts once for a fault, however often this struck it: runs are the independent cases.
        for fault in dict.fromkeys(run.faults):
            by_fault[fault].append(run)
    for fault, own in sorted(by_fault.items()):
        yield figure_row(who, level, fault, PASS_RATE.name, estimate(PASS_RATE, EpisodeTable(own, DESIGN)))


def _rates(runs: Sequence[RunResult], who: Row, level: str, mode: str, stopped: bool) -> Iterator[Row]:
    table = EpisodeTable(runs, DESIGN)
    rate = estimate(PASS_RATE, table)
    if stopped:
        low, high = confidence_sequence(sum(run.passed for run in runs), len(runs))
        rate = rate._replace(low=round(100 * low, 2), high=round(100 * high, 2))
    yield figure_row(who, level, mode, PASS_RATE.name, rate)
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for run in runs:
        counts[run.input][0] += run.passed
        counts[run.input][1] += 1
    for k in () if stopped else POWERS:  # of runs that stopped at a failure it would be biased
        chance, inputs = all_pass([(passes, n) for passes, n in counts.values()], k)
        if chance is not None:
            yield figure_row(who, level, mode, f"pass^{k}", Figure(round(100 * chance, 2), None, None, inputs))
    for metric in (CALLS, SECONDS):
        yield figure_row(who, level, mode, metric.name, estimate(metric, table))
