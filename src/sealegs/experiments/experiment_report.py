"""The report of an experiment: the verdict, the rows, and the files that are written of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from rich.console import Console

from sealegs.experiments.experiment_folder import read_kept
from sealegs.experiments.experiment_options import ExperimentOptions
from sealegs.experiments.run_player import SUITE
from sealegs.reports.experiment_page import print_experiment, render_experiment_page
from sealegs.reports.junit import junit_xml
from sealegs.scoring.experiment_metrics import ExperimentVerdict, RunResult, experiment_rows, experiment_verdict
from sealegs.scoring.metric import ALL, Row
from sealegs.traces.repeated_calls import count_unproven, describe_unproven, repetitions

EXIT_CODES = {"held": 0, "weakness": 1, "inconclusive": 3}
WORDS = {"held": "HELD", "weakness": "WEAKNESS FOUND", "inconclusive": "INCONCLUSIVE"}


@dataclass(frozen=True)
class ExperimentReport:
    """An experiment that has ended.

    Attributes:
        options: of the experiment.
        runs: every run, those without faults first, by number.
    """

    options: ExperimentOptions
    runs: tuple[RunResult, ...]

    @cached_property
    def verdict(self) -> ExperimentVerdict:
        """The verdict on the runs."""
        return experiment_verdict(self.runs, self.options.fail_under)

    @property
    def exit_code(self) -> int:
        """0 where the agent held, 1 where a weakness was found, 3 where the runs do not tell."""
        return EXIT_CODES[self.verdict.decision]

    @property
    def stopped(self) -> bool:
        """Whether runs under faults were left out because the verdict was settled."""
        return sum(run.arm == "faults" for run in self.runs) < self.options.runs

    @cached_property
    def rows(self) -> list[Row]:
        """The long table."""
        return experiment_rows(self.runs, self.options.agent, stopped=self.stopped)

    def data(self) -> dict[str, Any]:
        """The verdict and the rows as JSON."""
        found = self.verdict
        return {"verdict": found.decision, "reason": found.reason, "notes": self.notes, "rows": self.rows}

    @cached_property
    def notes(self) -> list[str]:
        """The calls that may have taken effect twice, where nothing proves it, in sentences."""
        return describe_unproven(count_unproven(one for run in self.runs for one in repetitions(run.record)))

    def page(self) -> str:
        """The HTML page.

        Raises:
            MissingExtra: what pages are made with is not installed.
        """
        options = self.options
        return render_experiment_page(
            options.agent,
            self.verdict,
            options.fail_under,
            self.rows,
            self.runs,
            stopped=self.stopped,
            warnings=self.notes,
        )

    def junit(self) -> str:
        """The runs as JUnit XML."""
        return junit_xml(self.options.agent, self.verdict, self.runs)

    def show(self, console: Console) -> None:
        """Print the rates."""
        print_experiment(self.rows, console)

    @property
    def unexposed(self) -> int:
        """The number of runs under faults that had no fault delivered, and are in no rate."""
        return sum(not run.counts for run in self.runs)

    @property
    def summary(self) -> str:
        """One line for a log."""
        found = self.verdict
        rates = "; ".join(self._rates())
        counted = f" {self.unexposed} runs met no fault and count nowhere." if self.unexposed else ""
        noted = "".join(f" Note: {note}." for note in self.notes)
        passed = f" Pass rate: {rates}." if rates else ""
        return f"{WORDS[found.decision]}: {found.reason}.{passed}{counted}{noted}"

    def _rates(self) -> Iterator[str]:
        """The pass rates and their difference with intervals, in words."""
        rates = {
            (row["mode"], row["metric"]): f"{row['value']:.0f} % [{row['low']:.0f}, {row['high']:.0f}]"
            for row in self.rows
            if row["level"] == ALL and row["value"] is not None and row["low"] is not None and row["high"] is not None
        }
        if ("baseline", "pass_rate") in rates:
            yield f"{rates['baseline', 'pass_rate']} without faults"
        if ("faults", "pass_rate") in rates:
            yield f"{rates['faults', 'pass_rate']} under faults"
        if ("faults", "pass_rate_difference") in rates:
            yield f"difference {rates['faults', 'pass_rate_difference']}"


def read_experiment(folder: Path, warnings: list[str]) -> ExperimentReport:
    """The experiment that a folder keeps.

    Raises:
        UserError: it keeps none, or cannot be read.
    """
    options, runs = read_kept(folder, ExperimentOptions, SUITE, warnings)
    return ExperimentReport(options, tuple(sorted(runs, key=lambda run: (run.arm != "baseline", run.number))))
