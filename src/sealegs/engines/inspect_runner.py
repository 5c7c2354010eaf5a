"""Parts that the suites' tasks of Inspect share: running one in a folder, and the notes that their logs hold.

One note holds the whole record of an episode, made however the episode ends; one for each fault is made at the moment
it strikes.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any, Literal, TypeVar

from inspect_ai import Task, task_with
from inspect_ai import eval as inspect_eval
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.event import InfoEvent
from inspect_ai.log import transcript
from inspect_ai.model import Model, get_model
from inspect_ai.util import LimitExceededError

from sealegs.engines.folders import NamedEpisode, RunSettings, open_run_folder
from sealegs.engines.inspect_budget import RunBudget, within_budget
from sealegs.engines.inspect_ends import SCRIPTED, outside_cause
from sealegs.engines.inspect_first_call import ask_first, stop_at_quota
from sealegs.engines.inspect_forecast import Forecast, forecasting
from sealegs.engines.inspect_prices import check_priced, use_prices
from sealegs.engines.logs import SETTINGS, LogError, LogSchema
from sealegs.engines.model_setup import ModelSetup
from sealegs.engines.run_estimate import finished_uses
from sealegs.engines.run_usage import RunUsage, usage_of
from sealegs.faults.user_error import one_line
from sealegs.traces import Event, FaultInjected, Recorder, encode_event
from sealegs.traces.folder_lock import locks_folder
from sealegs.traces.inspect_logs import RECORD_NOTE, noted_events
from sealegs.traces.record import OUTSIDE

FAULT_NOTE = "sealegs fault"
Display = Literal["full", "conversation", "rich", "plain", "log", "none"]
E = TypeVar("E", bound=NamedEpisode)


@locks_folder("folder")
def run_left(
    settings: RunSettings[E],
    folder: Path,
    form: LogSchema[E],
    name: str,
    make: Callable[[list[E]], Task],
    *,
    setup: ModelSetup | None = None,
    display: Display | None = None,
    **options: Any,
) -> None:
    """Run what is left of a run through Inspect.

    Every finished sample is written at once, so a killed process loses only the samples it was in.

    Args:
        settings: of the run.
        folder: the run's.
        form: of its records.
        name: the model's.
        make: makes a task of the episodes that are left.
        setup: how the model is called.
        display: how Inspect shows its progress.
        options: of Inspect's `eval`.

    Raises:
        LogError: the model is unknown or cannot be called, or Inspect itself ended with an error.
    """
    setup = setup or ModelSetup()
    model = usable_model(name, **setup.address)
    use_prices(setup.prices)
    limits = {"--cost-limit": setup.limits.get("cost_limit"), "--budget-cost": setup.budget_cost}
    check_priced(model, setup.prices, limits)
    budget = RunBudget(setup.budget_tokens, setup.budget_cost, usage_of(folder) if setup.limited else RunUsage())
    if budget.spent:
        return
    # A model that cannot be asked must leave no folder behind; one that was begun is only opened, and may be complete,
    # so that nobody need be asked.
    begun = (folder / SETTINGS).exists()
    if not begun and not setup.answered:
        ask_first(name, **setup.address)
    left = open_run_folder(settings, folder, form)
    if not left:
        return
    if begun:
        ask_first(name, **setup.address)
    stop_at_quota(model)
    given = {**setup.config, **setup.limits, **options}
    try:
        task = make(left)
        played = task_with(task, solver=within_budget(task.solver, budget)) if setup.limited else task
        if not name.startswith(SCRIPTED):
            played = task_with(played, cleanup=forecasting(Forecast(len(left), finished_uses(folder) if begun else ())))
        # Inspect shows its progress on stdout, which is for rows (`--json -`).
        with redirect_stdout(sys.stderr), sample_errors_unprinted():
            logs = inspect_eval(played, model=model, log_dir=str(folder), log_buffer=1, display=display, **given)
    except PrerequisiteError as error:
        raise LogError(f"Inspect cannot run it: {plain_words(error)}; the same command resumes the run") from error
    for log in logs:
        if log.status != "success":
            reason = log.error.message if log.error else log.status
            raise LogError(f"Inspect ended the run with {log.status!r}: {reason}; the same command resumes the run")


@contextmanager
def sample_errors_unprinted() -> Iterator[None]:
    """Keep Inspect from printing the error of each sample that fails while the block is open.

    It prints the whole request to the model; a run's notes say the same in one line. Where `INSPECT_LOG_LEVEL` is set,
    all is printed. The level of Inspect's own option would be that of the whole process, and hide our warnings too.
    """
    logger = logging.getLogger("inspect_ai._eval.task.run")
    before = logger.level
    if "INSPECT_LOG_LEVEL" not in os.environ:
        logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(before)


def usable_model(name: str, **given: Any) -> Model:
    """A model of Inspect, of which nothing keeps its connections after the run.

    Raises:
        LogError: there is no such model, or it cannot be used (no key, no package).
    """
    try:
        return get_model(name, memoize=False, **given)
    except (PrerequisiteError, ValueError, ImportError) as error:
        raise LogError(f"the model {name!r} cannot be used: {plain_words(error)}") from error


def note_faults(event: Event) -> None:
    """Note a fault in the log."""
    if isinstance(event, FaultInjected):
        transcript().info(encode_event(event), source=FAULT_NOTE)


@contextmanager
def note_record(recorder: Recorder, *, text: bool = False, ours: bool = True) -> Iterator[None]:
    """Close the record and note it in the log, whatever ends the block.

    Args:
        recorder: of the episode.
        text: whether the note is a text, an event a line. Inspect walks through data several times, which costs more
            than all else that is done for a record; its viewer shows data better.
        ours: whether the block is a suite's own code, so that no error of it is the model's.
    """
    try:
        yield
    except LimitExceededError as error:
        # A limit of the user's is not a crash; Inspect has to see it all the same.
        recorder.finish("limit", detail=str(error))
        raise
    except Exception as error:
        if ours:
            recorder.note(_not_the_models(error))
        recorder.finish("crashed", detail=f"{type(error).__name__}: {error}")
        raise
    finally:
        events = [encode_event(event) for event in recorder.events]
        note: Any = "\n".join(map(json.dumps, events)) if text else events
        transcript().info(note, source=RECORD_NOTE)


def _not_the_models(error: Exception) -> dict[str, str]:
    """The note that makes the episode invalid; none where a scripted agent, which is code itself, broke down."""
    if str(get_model()).startswith(SCRIPTED):
        return {}
    return {OUTSIDE: outside_cause(error) or f"the suite failed: {type(error).__name__}: {one_line(str(error))}"}


def transcript_record(events: Sequence[Any]) -> list[Event]:
    """The record that a transcript holds.

    Raises:
        ValueError: it holds none.
    """
    for event in reversed(events):
        if isinstance(event, InfoEvent) and event.source == RECORD_NOTE and event.data:
            return noted_events(event.data)
    raise ValueError("the transcript holds no record of Sealegs; was it made by another solver?")


def plain_words(error: BaseException) -> str:
    """An error's words without the markup that Inspect adds."""
    return " ".join(re.sub(r"\[/?[a-z ]+\]", "", str(error)).split())
