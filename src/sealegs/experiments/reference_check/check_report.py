"""The report of a check: the rates by mode with their intervals, the failures and their reasons, and the inferences."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from sealegs.experiments.check_options import CheckOptions
from sealegs.experiments.experiment_folder import ENDED, read_kept
from sealegs.experiments.experiment_report import EXIT_CODES, WORDS
from sealegs.experiments.reference_check.check_episodes import (
    CLEAN,
    CheckEpisode,
    CheckTask,
    episode_of_record,
)
from sealegs.experiments.reference_check.found_ways import with_found_ways
from sealegs.experiments.reference_check.learned_reference import LearnedReference
from sealegs.experiments.reference_check.reference_file import read_reference, reference_text
from sealegs.experiments.reference_check.reference_graph import source_text
from sealegs.faults.seeds import digest
from sealegs.faults.spec import ToolSpec
from sealegs.intervals.pass_rates import decide, runs_to_hold
from sealegs.reports.experiment_page import render_experiment_page
from sealegs.reports.junit import junit_xml
from sealegs.reports.metric_grids import MetricCell
from sealegs.reports.tables import WIDE, cell_text, plain_table
from sealegs.scenarios import MODES
from sealegs.scoring import Verdict
from sealegs.scoring.experiment_metrics import ExperimentVerdict, RunResult
from sealegs.scoring.maze_metrics import METRICS as MAZE_METRICS
from sealegs.scoring.maze_metrics import TSR, MazeResult
from sealegs.scoring.metric import ALL, Design, EpisodeTable, Metric, Row, estimate, figure_row
from sealegs.traces import doubled_effects
from sealegs.traces.atomic_files import write_atomically

SUITE = "check"
REFERENCE = "reference.yaml"  # in the folder of the runs
SHOWN = ("tsr", "prr", "rc")
METRICS = [metric for metric in MAZE_METRICS if isinstance(metric, Metric) and "_as_published" not in metric.name]
DESIGN: Design[MazeResult] = Design(stratum=lambda run: "", cluster=lambda run: run.task)
FAILURES = 8  # that are printed
REASONS = 2  # of each


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """A run of a check, the verdict on it, and the place of the task that it counts to."""

    episode: CheckEpisode
    verdict: Verdict
    result: RunResult
    place: str

    @property
    def measured(self) -> MazeResult:
        """The run as the metrics take it."""
        return MazeResult(self.place, "", self.episode.mode, self.episode.epoch, self.verdict)


@dataclass(frozen=True, slots=True)
class CheckFailure:
    """A run that is not right.

    Attributes:
        run: its name.
        mode, place: how and where it was struck; no place where it was not.
        term: what went wrong, one of `scoring.TERMS`.
        reasons: why, a sentence each.
        detail: with what it broke down, where it did.
    """

    run: str
    mode: str
    place: str
    term: str
    reasons: tuple[str, ...]
    detail: str = ""

    def __str__(self) -> str:
        where = f"{self.mode} on {self.place}" if self.place else "without a fault"
        more = f"; and {len(self.reasons) - REASONS} more" if len(self.reasons) > REASONS else ""
        term = f"{self.term} ({self.detail})" if self.detail else self.term
        return f"{where}: {term}: {'; '.join(self.reasons[:REASONS])}{more}"


@dataclass(frozen=True)
class CheckReport:
    """A check that has ended.

    Attributes:
        options: of the check.
        reference: what right looks like.
        runs: every judged run.
        left_out: faults that were not tried, and why.
        notes: what a user should know besides.
        file: where the reference was written; None where it was not.
    """

    options: CheckOptions
    reference: LearnedReference
    runs: tuple[JudgedRun, ...]
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    file: Path | None = None

    @cached_property
    def rows(self) -> list[Row]:
        """The long table: metrics of `maze` by mode, and over all runs.

        Runs at one place of the task may be alike, so intervals resample places; a run without faults counts to one.
        """
        who: Row = {"suite": SUITE, "agent": self.options.agent}
        found = []
        for mode in (*(mode for mode in MODES if any(one.episode.mode == mode for one in self.runs)), ALL):
            own = EpisodeTable([one.measured for one in self.runs if mode in (ALL, one.episode.mode)], DESIGN)
            for metric in METRICS:
                figure = estimate(metric, own)
                # Without faults there is nothing to recover from, and only success says something.
                if figure.n and (mode != CLEAN or metric is TSR):
                    found.append(figure_row(who, ALL, mode, metric.name, figure))
        return found

    @property
    def faulted(self) -> list[JudgedRun]:
        """The runs in which a fault was delivered."""
        return [one for one in self.runs if one.episode.mode != CLEAN and one.verdict.exposed]

    @cached_property
    def verdict(self) -> ExperimentVerdict:
        """The verdict on the runs, by the same tests as those of `sealegs test`."""
        required = self.options.fail_under
        clean = [one for one in self.runs if one.episode.mode == CLEAN]
        right = sum(one.verdict.success for one in clean)
        # An agent that is too weak without any fault cannot show anything under faults.
        if clean and decide(right, len(clean), required) == "weakness":
            return ExperimentVerdict(
                "inconclusive", f"without any fault {right} of {len(clean)} runs were right: fix that first"
            )
        passed, n = sum(one.verdict.success for one in self.faulted), len(self.faulted)
        if not n:
            return ExperimentVerdict("inconclusive", "no fault was delivered in any run")
        decision, counted = decide(passed, n, required), f"{passed} of {n} runs under faults were right"
        if decision != "inconclusive":
            return ExperimentVerdict(decision, f"{counted}; {100 * required:g} % is required")
        most = runs_to_hold(required)
        hint = f"; {most} that all are would show it" if most is not None and n < most and passed == n else ""
        return ExperimentVerdict(decision, f"{counted}, too few to tell whether it is {100 * required:g} %{hint}")

    @property
    def exit_code(self) -> int:
        """0 where the agent held, 1 where a weakness was found, 3 where the runs do not tell."""
        return EXIT_CODES[self.verdict.decision]

    @property
    def failures(self) -> list[CheckFailure]:
        """The runs that are not right, with the judge's reasons."""
        return [
            CheckFailure(
                one.episode.id,
                one.episode.mode,
                one.episode.place,
                one.verdict.attribution,
                one.verdict.reasons,
                one.result.record.end.detail,
            )
            for one in self.runs
            if not one.verdict.success
        ]

    @property
    def inferred(self) -> list[str]:
        """The conclusions without a declaration, a sentence each."""
        return list(_inferred(self.reference))

    @property
    def summary(self) -> str:
        """One line for a log."""
        rates = []
        for metric in SHOWN:
            row = next((one for one in self.rows if one["mode"] == ALL and one["metric"] == metric), None)
            if row is not None and row["value"] is not None:
                rates.append(f"{metric.upper()} {MetricCell(row['value'], row['low'], row['high'], row['n'])}")
        return f"{WORDS[self.verdict.decision]}: {self.verdict.reason}. " + ", ".join(rates)

    def data(self) -> dict[str, Any]:
        """The verdict, the rows, the failures and what was inferred or left out, as JSON."""
        return {
            "verdict": self.verdict.decision,
            "reason": self.verdict.reason,
            "rows": self.rows,
            "failures": [
                {
                    "run": f.run,
                    "mode": f.mode,
                    "place": f.place,
                    "term": f.term,
                    "reasons": list(f.reasons),
                    "detail": f.detail,
                }
                for f in self.failures
            ],
            "inferred": self.inferred,
            "left_out": list(self.left_out),
            "notes": list(self.notes),
        }

    def write(self, path: str | Path) -> None:
        """Write the data as JSON, whole or not at all."""
        write_atomically(Path(path), json.dumps(self.data(), indent=1) + "\n", "name another file")

    def page(self) -> str:
        """The HTML page.

        Raises:
            MissingExtra: what pages are made with is not installed.
        """
        rates: list[Row] = [{**row, "metric": "pass_rate"} for row in self.rows if row["metric"] == "tsr"]
        results = [one.result for one in self.runs]
        required = self.options.fail_under
        return render_experiment_page(
            self.options.agent, self.verdict, required, rates, results, stopped=False, suite="sealegs check"
        )

    def junit(self) -> str:
        """The runs as JUnit XML."""
        return junit_xml(self.options.agent, self.verdict, [one.result for one in self.runs])

    def show(self, console: Console) -> None:
        """Print the rates, what failed, and what was inferred or left out."""
        table = plain_table(["mode", *(f"{metric.upper()}, %" for metric in SHOWN), "runs"])
        cells = {(row["mode"], row["metric"]): row for row in self.rows}
        for mode in dict.fromkeys(row["mode"] for row in self.rows):
            own = [cells.get((mode, metric)) for metric in SHOWN]
            shown = [_cell(row, console.width < WIDE) for row in own]
            table.add_row(Text(mode), *shown, str((own[0] or {}).get("n", "")))
        console.print(table)
        left = len(self.failures) - FAILURES
        parts = (
            ("not right", [*map(str, self.failures[:FAILURES]), *([f"{left} more runs"] if left > 0 else [])]),
            ("inferred", self.inferred),
            ("left out", self.left_out),
            ("note", self.notes),
        )
        for title, texts in parts:
            for text in texts:
                console.print(Text(f"{title}: {text}"), soft_wrap=True)
        if self.file is not None:
            console.print(Text(f"reference: {self.file} (correct it and run again)"), soft_wrap=True)

    def __str__(self) -> str:
        console = Console(file=io.StringIO(), width=WIDE, color_system=None)
        self.show(console)
        console.print(Text(self.summary), soft_wrap=True)
        return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines())  # type: ignore[attr-defined]


def _cell(row: Row | None, narrow: bool) -> Text:
    return Text("–") if row is None else cell_text(MetricCell(row["value"], row["low"], row["high"], row["n"]), narrow)


def _inferred(found: LearnedReference) -> Iterator[str]:
    for step in found.steps.values():
        # The user's own entries are not listed: only a conclusion needs somebody to look at it.
        if step.origin == "inferred":
            origins = [
                f"{name} from {source_text(argument.sources)}"
                + ("" if argument.how == "copied" else f" ({argument.how})")
                for name, argument in step.arguments.items()
                if argument.sources
            ]
            plain = [f"{name} is {a.how}" for name, a in step.arguments.items() if a.how in ("constant", "free")]
            yield f"step {step.id}" + (f": {', '.join([*origins, *plain])}" if origins or plain else "")
    for group in found.alternatives:
        if group.origin == "inferred":
            ways = " | ".join(" + ".join(way) for way in group.ways)
            yield f"alternatives: {ways}"
    for one in found.deliverables:
        if one.origin == "inferred":
            yield f"the answer tells {one.value!r}: the {one.label} ({source_text(one.sources)})"
    yield from found.notes


def judged_runs(task: CheckTask, results: Sequence[RunResult]) -> tuple[JudgedRun, ...]:
    """The verdicts on the runs of a check, in the order of the modes."""
    found = []
    for result in results:
        episode = episode_of_record(result.record)
        verdict = _with_doubled(task.verdict(episode, result.record), result, task.specs)
        nodes = [node.id for node in task.task.graph.nodes]
        place = task.node_of(episode.place) or nodes[(episode.epoch - 1) % len(nodes)]
        found.append(JudgedRun(episode, verdict, _with_reasons(result, verdict), place))
    return tuple(sorted(found, key=lambda one: (one.episode.mode, one.episode.place, one.episode.epoch)))


def _with_doubled(verdict: Verdict, result: RunResult, specs: Mapping[str, ToolSpec]) -> Verdict:
    """The verdict with what only the record proves: a tool may report its deed and fail, which is no answer."""
    found = doubled_effects(result.record, specs.values())
    if not found or verdict.doubled:
        return verdict
    says = tuple(one.says() for one in found)
    return replace(
        verdict,
        success=False,
        outcome=False,
        doubled=len(found),
        redundancy=verdict.redundancy if verdict.cost is None else 1.0,
        attribution="doubled",
        reasons=(*verdict.reasons, *says),
        outcome_reasons=(*verdict.outcome_reasons, *says),
        minefields=tuple(dict.fromkeys([*verdict.minefields, *(f"doubled: {one.first.call.tool}" for one in found)])),
    )


def _with_reasons(result: RunResult, verdict: Verdict) -> RunResult:
    return RunResult(
        result.arm, result.number, result.input, verdict.reasons, (), result.faults, result.seconds, result.record
    )


def read_check(folder: Path, warnings: list[str]) -> CheckReport:
    """The check that a folder keeps.

    Raises:
        UserError: it keeps none, or cannot be read.
    """
    options, results = read_kept(folder, CheckOptions, SUITE, warnings)
    reference = read_reference(folder / REFERENCE)
    specs: Mapping[str, ToolSpec] = {name: tool.spec for name, tool in reference.tools.items()}
    runs = [one for one in results if one.record.about.get("reference") == reference_digest(reference)]
    whole, _ = with_found_ways(reference, [one.record for one in runs])
    task = CheckTask(whole, specs, options.seed)
    ending = _read_ending(folder / ENDED)
    left, notes = (tuple(map(str, ending.get(name, ()))) for name in ("left_out", "notes"))
    return CheckReport(options, whole, judged_runs(task, runs), left, notes)


def _read_ending(file: Path) -> dict[str, Any]:
    """Return what a finished check reported besides what its records show."""
    try:
        found = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def reference_digest(reference: LearnedReference) -> str:
    """The digest that tells one reference from another in records."""
    return f"{digest(reference_text(reference)):016x}"
