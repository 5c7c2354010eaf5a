"""The report on any logs: a suite's own, an experiment's, or one without a verdict where nobody judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from rich.console import Console

from sealegs.engines.folders import RECORDS
from sealegs.engines.logs import SETTINGS, LogError, log_files, suite_of
from sealegs.experiments.experiment_folder import ENDED
from sealegs.experiments.experiment_report import read_experiment
from sealegs.experiments.reference_check.check_report import SUITE as CHECK
from sealegs.experiments.reference_check.check_report import read_check
from sealegs.experiments.run_player import SUITE as EXPERIMENT
from sealegs.faults.call import Call
from sealegs.faults.user_error import UserError
from sealegs.reports.records_page import print_records, render_records_page
from sealegs.scoring.record_metrics import SeenEpisode, record_rows
from sealegs.suites.suite import known_holder, suite_named, suites
from sealegs.suites.suite_reports import RunReport
from sealegs.traces import EpisodeEnded, Event, Record, StoreError, Turn, build_record, read_episodes
from sealegs.traces.inspect_logs import SUFFIX, sample_events, samples
from sealegs.traces.observed import Trace
from sealegs.traces.sources import TraceError, read_traces

NAMED = 3  # folders that a message names
PREVIOUS = "previous-"  # folders of runs that an experiment has set aside


def report_on(logs: Path, against: str = "") -> RunReport:
    """Read and judge finished episodes, by what made them.

    Args:
        logs: a run's folder, a file of records, an Inspect log, or OpenTelemetry's spans.
        against: what to put beside a suite's run.

    Raises:
        UserError: there is nothing to read, something that cannot be read, or nothing to put beside it.
    """
    # First the folders of suites whose records do not say whose they are; only the suite itself can tell.
    if own := known_holder(logs):
        return own.report(logs, against)
    try:
        suite = suite_of(logs)
    except LogError:
        episodes = _span_episodes(logs)
        if not episodes:
            raise
        _refuse_against(against, f"{logs} holds spans")
        return _records_report(logs, episodes, [])
    if suite in suites():
        return suite_named(suite).report(logs, against)
    folder = _experiment_folder(logs) if suite in (EXPERIMENT, CHECK) else None
    _refuse_against(against, f"{logs} holds {'an experiment' if folder else 'records of no suite'}")
    if folder is not None:
        return _verdict_report(folder, suite)
    notes: list[str] = []
    if suite in (EXPERIMENT, CHECK):
        notes.append(f"{SETTINGS} of `sealegs {suite}` is not beside these records, so there is no verdict")
    elif suite:
        notes.append(f"the suite {suite!r} is not installed, so its episodes are not judged")
    return _records_report(logs, list(_seen(logs, notes)), notes)


def _refuse_against(against: str, why: str) -> None:
    if against:
        raise UserError(f"--against {against}: {why}, and only runs of one suite are compared; leave it out")


def _experiment_folder(logs: Path) -> Path | None:
    """The folder of the one experiment that is there; None where only its records are."""
    if not logs.is_dir():
        return logs.parent if (logs.parent / SETTINGS).exists() else None
    records = [file for file in log_files(logs) if file.name == RECORDS]
    found = [file.parent for file in records if (file.parent / SETTINGS).exists()]
    folders = [one for one in found if one == logs or not one.name.startswith(PREVIOUS)]
    if logs in folders or len(folders) < 2:
        return logs if logs in folders else next(iter(folders), None)
    names = ", ".join(map(str, folders[:NAMED])) + (", ..." if len(folders) > NAMED else "")
    raise UserError(f"{logs} holds {len(folders)} experiments ({names}); name the folder of one of them")


def _verdict_report(folder: Path, suite: str) -> RunReport:
    """The report on a check or an experiment, also on one that was stopped in the middle."""
    notes: list[str] = []
    found = read_check(folder, notes) if suite == CHECK else read_experiment(folder, notes)
    if not (folder / ENDED).exists():
        what = "check" if suite == CHECK else "experiment"
        notes.append(f"the {what} has not ended, and this is of the runs so far; its command resumes it")

    def show(console: Console) -> None:
        found.show(console)
        console.print(found.summary, highlight=False, markup=False, soft_wrap=True)

    return RunReport(found.rows, tuple(notes), show, found.page)


def _records_report(logs: Path, episodes: list[SeenEpisode], notes: list[str]) -> RunReport:
    """The report without a verdict.

    Raises:
        UserError: there is no finished episode.
    """
    if not episodes:
        raise LogError(f"{logs} holds no finished episode" + "".join(f"; {note}" for note in notes))
    name = logs.resolve().name
    rows = record_rows(episodes, name)
    page = partial(render_records_page, name, rows, episodes, notes)
    return RunReport(rows, tuple(notes), partial(print_records, rows), page)


def _seen(logs: Path, notes: list[str]) -> Iterator[SeenEpisode]:
    for file in log_files(logs):
        try:
            for events in _episodes(file, notes):
                yield SeenEpisode(build_record(events))
        except (StoreError, ValueError) as error:
            raise LogError(str(error) if isinstance(error, StoreError) else f"{file}: {error}") from error


def _episodes(file: Path, notes: list[str]) -> Iterator[list[Event]]:
    if file.suffix != SUFFIX:
        yield from read_episodes(file, notes)
        return
    strangers = 0
    for sample, _ in samples(file, notes):
        events = sample_events(sample)
        if events is None:
            strangers += 1
        else:
            yield events
    if strangers:
        notes.append(f"{file.name}: {strangers} sample(s) hold no record of ours and are left out")


def _span_episodes(file: Path) -> list[SeenEpisode]:
    """The episodes in a file of OpenTelemetry's spans; none where it is something else."""
    try:
        return [_span_episode(trace) for trace in read_traces([file])] if file.is_file() else []
    except TraceError:
        return []


def _span_episode(trace: Trace) -> SeenEpisode:
    nth: Counter[str] = Counter()
    turns = []
    for number, seen in enumerate(trace.calls, 1):
        call = Call(seen.tool, seen.arguments or {}, f"call-{number}", nth[seen.tool])
        nth[seen.tool] += 1
        turns.append(Turn(call, seen.said, seen.shown))
    record = Record(trace.name, trace.about, tuple(turns), None, EpisodeEnded("answered"))
    return SeenEpisode(record, "continued in a way that the spans do not show")
