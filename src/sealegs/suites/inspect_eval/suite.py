"""Any eval of Inspect as a suite: clean and under faults."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from sealegs.engines.folders import Progress
from sealegs.engines.logs import LogError
from sealegs.faults.user_error import UserError
from sealegs.scoring.metric import Row
from sealegs.suites.suite import RunView, Suite
from sealegs.suites.suite_reports import RunReport, notes_on_other
from sealegs.traces.folder_lock import FolderLock

if TYPE_CHECKING:
    from sealegs.engines.merging import MergeResult, ShardFolder
    from sealegs.reports.page_sections import PageSection
    from sealegs.reports.suite_page import SuitePage
    from sealegs.scoring.entrants import Entrant
    from sealegs.scoring.eval_metrics import EvalResult
    from sealegs.scoring.invalid import InvalidCount
    from sealegs.scoring.metric import AnyMetric
    from sealegs.suites.inspect_eval.eval_judging import EvalContext
    from sealegs.suites.inspect_eval.eval_logs import PlayedEpisode
    from sealegs.suites.inspect_eval.options import InspectOptions
    from sealegs.suites.suite import EpisodeJudge

DRAFT = "knowledge.yaml"


class InspectSuite(Suite["InspectOptions", "PlayedEpisode", "EvalContext", "EvalResult"]):
    """Any eval of Inspect, by its own scorers."""

    name = "inspect"
    summary = "Any eval of Inspect, clean and under faults, scored by its own scorers."

    @property
    def options(self) -> type[InspectOptions]:
        """The model of its options."""
        from sealegs.suites.inspect_eval.options import InspectOptions

        return InspectOptions

    @property
    def judge(self) -> EpisodeJudge[PlayedEpisode, EvalContext, EvalResult]:
        """The judge of a sample: the eval's own score, and what its record and the clean one show."""
        from sealegs.suites.inspect_eval.eval_judging import judge_eval_episode

        return judge_eval_episode

    @property
    def metrics(self) -> Sequence[AnyMetric[EvalResult]]:
        """The metrics of judged samples."""
        from sealegs.scoring.eval_metrics import EVAL_METRICS

        return EVAL_METRICS

    @property
    def sections(self) -> Sequence[PageSection[SuitePage]]:
        """The sections of its page: those of a suite of one's own."""
        from sealegs.reports.suite_page import SUITE_SECTIONS

        return SUITE_SECTIONS

    def play(self, options: InspectOptions, folder: Path, view: RunView) -> None:
        """Play what is left of a run.

        Raises:
            UserError: the run cannot be made here, or the folder holds another one.
        """
        with view.progress(f"{options.label} on {options.task}") as progress:
            self.run_scripted(options, folder, progress)
        if options.describe:
            view.note(
                f"a draft of a knowledge file about the eval's tools is in {_draft(options, folder)}; confirm it, then "
                "give it as --knowledge"
            )

    def run_scripted(self, options: InspectOptions, folder: Path, progress: Progress) -> None:
        """Play what is left of a run; agents and models alike are played by Inspect."""
        from sealegs.suites.inspect_eval.eval_runner import EvalRunner

        with FolderLock(folder):
            EvalRunner(options, folder).play(progress)

    def run_inspect(self, options: InspectOptions, folder: Path) -> None:
        """Play what is left of a run."""
        self.run_scripted(options, folder, lambda done, total: None)

    def merge(self, parts: Sequence[ShardFolder], out: Path) -> MergeResult:
        """Join the folders of a run's shards."""
        from sealegs.suites.inspect_eval.eval_merge import merge_evals

        return merge_evals(parts, out)

    def entrants(self, logs: Path) -> list[Entrant]:
        """Read and judge a run for a ranking."""
        from sealegs.suites.inspect_eval.eval_entrants import eval_entrants

        return eval_entrants(logs, self.judge)

    def report(self, logs: Path, against: str = "") -> RunReport:
        """Read and judge a run; `against` is another run of the same eval."""
        from sealegs.reports.suite_page import SuitePage, print_suite_table, render_suite_page
        from sealegs.scoring.eval_metrics import eval_table, run_differences
        from sealegs.scoring.invalid import InvalidCount
        from sealegs.suites.inspect_eval.eval_judging import judged_episodes, run_notes
        from sealegs.suites.inspect_eval.eval_logs import read_eval_logs
        from sealegs.suites.inspect_eval.eval_page import page_episodes

        found = read_eval_logs(logs)
        results = judged_episodes(found, self.judge)
        rows = eval_table(results, found.who, self.metrics)
        compared: list[Row] = []
        warnings, other_validity = (*found.warnings, *run_notes(found)), InvalidCount()
        if against:
            other = read_eval_logs(Path(against))
            if other.facts["task"] != found.facts["task"]:
                raise LogError(f"{against} is a run of {other.facts['task']}, and {logs} of {found.facts['task']}")
            before = judged_episodes(other, self.judge)
            compared, other_validity = run_differences(before, results, found.who), _validity(before)
            warnings += notes_on_other(against, (*other.warnings, *run_notes(other)), compared)

        def beside(console: Console) -> None:
            print_suite_table(compared, console)

        return RunReport(
            rows=rows,
            warnings=warnings,
            show=lambda console: print_suite_table(rows, console),
            page=lambda: render_suite_page(
                SuitePage(str(found.facts["task"]), rows, [(found.who, page_episodes(found, results))], warnings),
                self.sections,
            ),
            beside=beside if compared else lambda _: None,
            compared=compared,
            validity=_validity(results),
            other_validity=other_validity,
        )


def _validity(results: Sequence[EvalResult]) -> InvalidCount:
    from sealegs.scoring.invalid import InvalidCount

    return InvalidCount(sum(bool(one.invalid) for one in results), sum(one.played for one in results))


def _draft(options: InspectOptions, folder: Path) -> Path:
    """Write a draft of what is known of the eval's tools.

    Raises:
        UserError: nothing was played.
    """
    from sealegs.suites.inspect_eval.describe import describe_eval
    from sealegs.suites.inspect_eval.eval_logs import clean_records, read_eval_logs
    from sealegs.suites.inspect_eval.foreign_task import load_eval
    from sealegs.traces.atomic_files import write_atomically

    records = list(clean_records(read_eval_logs(folder)).values())
    if not records:
        raise UserError(f"{folder} holds no valid clean sample, so there is nothing to describe; run it again")
    target = folder / DRAFT
    write_atomically(target, describe_eval(load_eval(options.task, options.arguments), records))
    return target


SUITE = InspectSuite()
